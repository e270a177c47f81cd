"""The value types of the catalogue, and the shape of the files in resources/counters."""

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
"""How a number from vCenter becomes the canonical one."""


class EsxtopSpelling(msgspec.Struct, frozen=True):
    """How esxtop's batch mode spells a counter: its object class and the text after the last backslash.

    ``per`` "vcpu": the value is a sum over worlds and is divided by the VM's vCPUs. ``cumulative``: counts
    since boot, to be turned into a rate. ``text``: not a number. ``boolean``: 1/0 or Y/N. ``io``: the first
    row of a capture is invalid. ``zero_filled``: printed as 0 when the group's worlds changed, and absent
    wherever the group's Members is 0. ``tail``: what a numbered counter adds to the instance
    (``%C-State C1`` on ``PCPU 0`` gives instance ``PCPU 0 C1``); in the catalogue's own list ``counter`` and
    ``tail`` hold the pattern with ``<n>``, a looked-up spelling holds the number.
    """

    cls: str
    counter: str
    per: Literal["", "vcpu"] = ""
    cumulative: bool = False
    text: bool = False
    boolean: bool = False
    io: bool = False
    zero_filled: bool = False
    tail: str = ""


class VcenterSpelling(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"packets": "with"}):
    """The counter's twin in vCenter: ``group.name.rollup`` on an entity of kind ``on``.

    ``instance``: what its instances are ("" means the entity's own value: instance empty). ``level`` and
    ``level_instance``: the statistics level from which vCenter keeps the entity's value and the instances'
    in its archive; realtime samples (20 s, one hour) do not depend on it.
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
    """A counter as Hyperscope knows it: one key, unit and meaning, whatever source it comes from.

    ``short`` is the name on esxtop's screen ("" where there is none). ``better`` is the good direction:
    "low", "high" or "" (neither). ``words`` names special numbers: states, −1 for unlimited. ``source``
    says how we know.
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
    words: dict[int, str]
    esxtop: tuple[EsxtopSpelling, ...]
    vcenter: tuple[VcenterSpelling, ...]

    def word(self, value: float) -> str | None:
        """The name of a special number (``clear``, ``unlimited``), None for an ordinary one."""
        return self.words.get(int(value)) if float(value).is_integer() else None


class EsxtopEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"cls": "class"}):
    """A spelling as written in TOML: ``class`` is an object class or a name from the file's [classes]."""

    cls: str
    counter: str
    per: Literal["", "vcpu"] = ""
    cumulative: bool = False
    text: bool = False
    boolean: bool = False
    io: bool = False
    zero_filled: bool = False
    tail: str = ""


class CounterEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A [[counter]] as written in TOML."""

    key: str
    label: str
    unit: str
    entities: tuple[EntityKind, ...]
    meaning: str
    source: str
    kind: CounterKind = "gauge"
    better: Literal["low", "high", ""] = ""
    short: str = ""
    words: dict[str, str] = {}
    esxtop: tuple[EsxtopEntry, ...] = ()
    vcenter: tuple[VcenterSpelling, ...] = ()


class CounterFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file of resources/counters: named groups of object classes, and counters, checked one by one."""

    counter: list[dict[str, object]]
    classes: dict[str, tuple[str, ...]] = {}
