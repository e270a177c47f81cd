"""The value types of the counter catalogue, and the schema of the files in resources/counters."""

from __future__ import annotations

from typing import Literal

import msgspec

CounterKind = Literal["gauge", "rate", "cumulative", "state", "text"]
EntityKind = Literal[
    "vcenter", "cluster", "pool", "host", "vm", "vcpu", "world", "datastore", "device",
    "adapter", "path", "nic", "port", "vdisk", "guest", "vsan", "worker",
]  # fmt: skip
Conversion = Literal[
    "same",
    "by_word",
    "hundredths",
    "ms_of_interval",
    "ms_of_interval_per_vcpu",
    "kb_to_mb",
    "kbps_to_mbps",
    "kbps_to_mbits",
    "us_to_ms",
    "count_per_interval",
    "dropped_of_packets",
    "related",
]

CONVERSIONS: dict[Conversion, str] = {
    "same": "the number as it is",
    "by_word": "a state: matched by its word, because the numbers differ between releases",
    "hundredths": "percent in hundredths: value / 100",
    "ms_of_interval": "milliseconds of the interval: value / (interval in s × 10)",
    "ms_of_interval_per_vcpu": "milliseconds of the interval: value / (interval in s × 10); the VM's own "
    "value (instance empty) also divided by its vCPUs",
    "kb_to_mb": "kB of 1024 bytes: value / 1024",
    "kbps_to_mbps": "kB/s of 1024 bytes: value / 1024",
    "kbps_to_mbits": "kB/s to Mbit/s: value × 8 / 1000",
    "us_to_ms": "microseconds: value / 1000",
    "count_per_interval": "events in the interval: value / interval in s",
    "dropped_of_packets": "dropped / (dropped + packets) × 100, absent when both are 0; packets is the "
    "counter named in `with`",
    "related": "answers the same question in another unit; not convertible",
}
"""How vCenter's number is converted into the canonical one, in words, for each conversion."""


class EsxtopSpelling(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"cls": "class"}):
    """How esxtop's batch mode names a counter: its object class, and the text after the last backslash.

    In TOML ``cls`` is written ``class``, and may also be a name from the file's [classes].

    ``per`` "vcpu": the value is a sum over worlds and is divided by the VM's vCPUs. ``cumulative``: a count
    since boot, converted into a rate. ``text``: not a number. ``io``: the first row of a capture is invalid.
    ``tail``: what a numbered counter adds to the instance (``%C-State C1`` on ``PCPU 0`` becomes instance
    ``PCPU 0 C1``). In the catalogue's own list ``counter`` and ``tail`` hold the pattern ``<n>``; a spelling
    that was looked up holds the number. ``only_all``: esxtop prints it only with ``-a``, so that its being
    there tells how a capture was made (not every one that is so is marked).
    """

    cls: str
    counter: str
    per: Literal["", "vcpu"] = ""
    cumulative: bool = False
    text: bool = False
    io: bool = False
    tail: str = ""
    only_all: bool = False


class VcenterSpelling(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"packets": "with"}):
    """The counter's twin in vCenter: the name ``group.name.rollup`` on entities of kind ``on``.

    ``instance`` is what its instances are ("": the entity's own value, instance empty). ``level`` and
    ``level_instance`` are the statistics levels from which on vCenter archives the entity's value and those
    of its instances; realtime samples (20 s, kept for an hour) do not depend on the level. ``packets``
    (``with`` in TOML) names the counter that ``dropped_of_packets`` divides by.
    """

    name: str
    on: EntityKind
    unit: str
    conversion: Conversion
    level: int
    level_instance: int
    instance: Literal["", "vcpu", "pcpu", "device", "adapter", "path", "datastore", "vdisk", "nic"] = ""
    packets: str = ""
    source: str = ""


class Counter(msgspec.Struct, frozen=True):
    """A counter of Hyperscope: one key, unit and meaning, whatever source it comes from.

    ``short`` is its name on esxtop's screen ("" if it has none). ``better`` is the good direction: "low",
    "high" or "" (neither). ``value_names`` names special values: states, and −1 for unlimited. ``source``
    says where this is documented. ``setting``: somebody configured it (a limit, a size); it rarely changes.
    ``recorded_by`` names who counts it where neither esxtop nor vCenter's performance manager does.
    """

    key: str
    label: str
    short: str
    unit: str
    kind: CounterKind
    entities: tuple[EntityKind, ...]
    better: Literal["low", "high", ""]
    meaning: str
    source: str
    value_names: dict[int, str]
    esxtop: tuple[EsxtopSpelling, ...]
    vcenter: tuple[VcenterSpelling, ...]
    setting: bool = False
    recorded_by: str = ""

    def value_name(self, value: float) -> str | None:
        """Return the name of a special value (``clear``, ``unlimited``), None for an ordinary number."""
        return self.value_names.get(int(value)) if float(value).is_integer() else None


class CounterEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A [[counter]] table as written in TOML."""

    key: str
    label: str
    unit: str
    entities: tuple[EntityKind, ...]
    meaning: str
    source: str
    kind: CounterKind = "gauge"
    better: Literal["low", "high", ""] = ""
    short: str = ""
    value_names: dict[str, str] = {}
    setting: bool = False
    recorded_by: str = ""
    esxtop: tuple[EsxtopSpelling, ...] = ()
    vcenter: tuple[VcenterSpelling, ...] = ()


class CounterFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file of resources/counters: its counters, still unchecked, and named groups of object classes."""

    counter: list[dict[str, object]]
    classes: dict[str, tuple[str, ...]] = {}
