"""Which counters are queried of each kind of entity: the preset matched with the server's
and our catalogue.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

from resources.catalogue import Catalogue
from resources.conversions import scale_of
from resources.counter_schema import Conversion, Counter, VcenterSpelling
from resources.vcenter_presets import Preset

EVERY = "*"
"""The instance that stands for all instances in a query."""

CounterSelection = Literal["host", "vm", "cluster", "datastore"]
KINDS: dict[str, CounterSelection] = {
    "HostSystem": "host",
    "VirtualMachine": "vm",
    "ClusterComputeResource": "cluster",
    "Datastore": "datastore",
}
"""What each managed object type that has counters is called here."""


@dataclass(frozen=True, slots=True)
class Definition:
    """A counter as the server's perfCounter property defines it; ``name`` is ``group.name.rollup``.

    ``stats`` is its statsType, ``level`` and ``device_level`` are the statistics levels from which on the
    entity's value and those of its instances are archived.
    """

    id: int
    name: str
    unit: str
    summary: str = ""
    label: str = ""
    stats: str = ""
    level: int = 0
    device_level: int = 0


@dataclass(frozen=True, slots=True)
class Meaning:
    """How the samples of one vCenter counter are stored.

    ``place``: the kind of its instances (``vcpu``, ``device`` …), "" for the entity's own value, "other" for
    instances that our catalogue does not know. ``state_numbers``: for a counter that is a state, the number
    in our catalogue for each of the server's numbers; empty when both number alike.
    """

    key: str
    unit: str
    conversion: Conversion
    place: str
    name: str
    state_numbers: tuple[int, ...] = ()

    @property
    def per_vcpu(self) -> bool:
        """True if the scale divides by the VM's number of vCPUs."""
        return self.conversion == "ms_of_interval_per_vcpu"

    def scale(self, interval_s: float, vcpus: int) -> float:
        """Return the factor from stored to canonical numbers, for an interval of ``interval_s``
        seconds and ``vcpus``.
        """
        return scale_of(self.conversion, interval_s, max(vcpus, 1)) or 1.0


@dataclass(frozen=True, slots=True)
class MetricSet:
    """The metrics that are queried of one kind of entity, and how each series of the reply is stored.

    ``ids`` holds (counter id, instance), with the instance "" or "*". ``meanings`` is keyed by (id as text,
    whether the instance is named).
    """

    kind: CounterSelection
    ids: tuple[tuple[int, str], ...]
    meanings: Mapping[tuple[str, bool], Meaning]

    def meaning(self, counter: str, instance: str) -> Meaning | None:
        """Return how a series of this counter and instance is stored; None if it was not queried."""
        return self.meanings.get((counter, bool(instance)))


Available = Collection[tuple[int, bool]]
"""Counter ids that QueryAvailablePerfMetric listed, with whether for named instances."""


def choose_realtime(
    kind: CounterSelection,
    definitions: Iterable[Definition],
    catalogue: Catalogue,
    preset: Preset,
    available: Available | None,
) -> MetricSet:
    """Return the realtime metrics of ``kind`` (host or vm) that the preset lists and the server has.

    When our catalogue lists several vCenter counters for one key, the first available one is used. A counter
    that can't be converted, or that our catalogue lacks, is kept raw under vCenter's name. ``available`` None
    means that QueryAvailablePerfMetric was not answered: then every defined counter may be queried, because a
    real server leaves out what an entity lacks.
    """
    defined = sorted(definitions, key=lambda definition: definition.id)
    chooser = _Chooser(kind, catalogue, preset)
    for definition in defined:
        for named in (False, True):
            if available is None or (definition.id, named) in available:
                chooser.consider(definition, named)
    return chooser.finish()


def choose_rollups(
    kind: CounterSelection, definitions: Iterable[Definition], preset: Preset, available: Available
) -> MetricSet:
    """Return the rollups of ``kind`` (cluster or datastore): vCenter's own counters, without instances."""
    wanted = preset.rollups.of(kind)
    chosen = [
        definition
        for definition in sorted(definitions, key=lambda definition: definition.id)
        if (definition.id, False) in available and _matches(definition.name, wanted)
    ]
    meanings = {(str(definition.id), False): _raw(definition, "") for definition in chosen}
    return MetricSet(kind, tuple((definition.id, "") for definition in chosen), meanings)


def undefined(definitions: Iterable[Definition], available: Available) -> list[int]:
    """Return the counter ids that the server lists as available without defining them (a
    known server defect).
    """
    known = {definition.id for definition in definitions}
    return sorted({counter for counter, _ in available} - known)


class _Chooser:
    def __init__(self, kind: CounterSelection, catalogue: Catalogue, preset: Preset) -> None:
        self._kind, self._catalogue, self._preset = kind, catalogue, preset
        self._best: dict[tuple[str, str], tuple[int, int, Meaning]] = {}
        self._raw: dict[tuple[int, bool], Meaning] = {}

    def consider(self, definition: Definition, named: bool) -> None:
        if _matches(definition.name, self._preset.without):
            return
        twins = self._twins(definition.name, named)
        for counter, twin in twins:
            if _convertible(twin) and _matches(counter.key, self._preset.counters):
                self._offer(definition, counter, twin, named)
                return
        keys = [counter.key for counter, _ in twins]
        is_listed = _listed(definition.name, named, self._preset.raw.of(self._kind))
        if is_listed or self._preset.everything or any(_matches(key, self._preset.counters) for key in keys):
            self._keep_raw(definition, named, twins[0][1].instance if twins else "")

    def _twins(self, name: str, named: bool) -> list[tuple[Counter, VcenterSpelling]]:
        return [
            (counter, twin)
            for counter, twin in self._catalogue.vcenter(name)
            if twin.on == self._kind and bool(twin.instance) == named
        ]

    def _offer(self, definition: Definition, counter: Counter, twin: VcenterSpelling, named: bool) -> None:
        rank = counter.vcenter.index(twin)
        best = self._best.get((counter.key, twin.instance))
        if best is not None and best[0] <= rank:
            self._second(definition, named, twin)
            return
        numbers = state_numbers(counter, definition.summary) if twin.conversion == "by_word" else ()
        meaning = Meaning(counter.key, counter.unit, twin.conversion, twin.instance, definition.name, numbers)
        self._best[counter.key, twin.instance] = (rank, definition.id, meaning)

    def _second(self, definition: Definition, named: bool, twin: VcenterSpelling) -> None:
        if self._preset.everything:
            self._keep_raw(definition, named, twin.instance)

    def _keep_raw(self, definition: Definition, named: bool, place: str) -> None:
        self._raw[definition.id, named] = _raw(definition, (place or "other") if named else "")

    def finish(self) -> MetricSet:
        meanings = {(str(counter), named): meaning for (counter, named), meaning in self._raw.items()}
        for (_, place), (_, counter, meaning) in self._best.items():
            meanings[str(counter), bool(place)] = meaning
        ids = sorted((int(counter), EVERY if named else "") for counter, named in meanings)
        return MetricSet(self._kind, tuple(ids), meanings)


def _convertible(twin: VcenterSpelling) -> bool:
    return twin.conversion == "by_word" or scale_of(twin.conversion, 1.0) is not None


def _raw(definition: Definition, place: str) -> Meaning:
    # vCenter gives every percentage in hundredths (PerformanceManagerUnit ``percent``).
    conversion: Conversion = "hundredths" if definition.unit == "percent" else "same"
    return Meaning(f"raw/vcenter/{definition.name}", definition.unit, conversion, place, definition.name)


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def _listed(name: str, named: bool, patterns: Iterable[str]) -> bool:
    """Whether a raw counter is listed: ``name`` for the object's own value, ``name[*]`` for its instances."""
    chosen = (pattern.removesuffix("[*]") for pattern in patterns if pattern.endswith("[*]") == named)
    return _matches(name, chosen)


def state_numbers(counter: Counter, summary: str) -> tuple[int, ...]:
    """Return, for each number that the server uses for a state, the number in our catalogue.

    The server's summary text lists the state names in its order: releases number ``high, soft, hard, low`` or
    ``high, clear, soft, hard, low`` from 0. Returns () when both number alike or the text names no states.
    """
    text = summary.lower()
    found = sorted((text.find(word), number) for number, word in counter.value_names.items() if word in text)
    numbers = tuple(number for _, number in found)
    return () if numbers == tuple(range(len(numbers))) else numbers
