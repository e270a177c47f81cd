"""Which series of the session a file's series are: counters, units and scales as a recording has them."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from collectors.vsphere.counters.metrics import KINDS, Definition, Meaning, MetricSet, choose_realtime
from collectors.vsphere.counters.naming import series_of
from collectors.vsphere.get_stat.objects import Objects, StatObject
from collectors.vsphere.get_stat.samples import About, SeriesKey, StatFile
from resources.catalogue import Catalogue
from resources.documented_counters import load_documented_counters
from resources.get_stat_forms import GetStatForms
from resources.vcenter_presets import require_preset
from sessions.model import Entity, EntityRef, IntArray, SeriesSpec

EVERYTHING = "everything"
REALTIME = ("HostSystem", "VirtualMachine")
"""What has counters of real time, which are those that the catalogue knows."""
OWN = "*"
"""What some versions of PowerCLI write as the instance of a cluster's own value."""
_LONGEST_INTERVAL_S = 366 * 86_400


@dataclass(frozen=True, slots=True)
class Target:
    """Where the samples of one series of a file go: a source ``of`` a server and an interval (s), and a
    series of it.

    ``state_numbers`` translate a state's numbers into our catalogue's; empty: they are alike.
    """

    of: tuple[str, int]
    owner: StatObject
    spec: SeriesSpec
    state_numbers: tuple[int, ...] = ()


def spellings(catalogue: Catalogue) -> Mapping[str, str]:
    """Return how vCenter spells each counter that the catalogue or the API of 6.5 knows, by its name in lower
    case: whoever asks may type ``Cpu.Ready.Summation``, and that is what Get-Stat returns.
    """
    documented = load_documented_counters().names
    ours = {twin.name for counter in catalogue.counters() for twin in counter.vcenter}
    return {name.casefold(): name for name in (*documented, *ours)}


def interval_of(key: SeriesKey, steps_ms: IntArray, usual: int, forms: GetStatForms) -> int:
    """Return how long the samples of a series are (s): as told, else by its usual step, else ``usual``."""
    if 0 < key.interval_ms <= _LONGEST_INTERVAL_S * 1000:
        return round(key.interval_ms / 1000)
    if not steps_ms.size:
        return usual
    median = float(np.median(steps_ms)) / 1000
    nearest = min(forms.intervals_s, key=lambda one: abs(one - median))
    return nearest if abs(nearest - median) <= nearest / 10 else max(1, round(median))


class SeriesFinder:
    """Finds the target of each series of all files; call ``plan`` with all of them first.

    Of several counters of vCenter that are one of ours (cpu.ready.summation, cpu.readiness.average), each
    object has the best that the files have of it in that interval; the others are kept as they are.
    """

    def __init__(self, catalogue: Catalogue, forms: GetStatForms, objects: Objects) -> None:
        self._catalogue, self._forms, self._objects = catalogue, forms, objects
        self._preset = require_preset(EVERYTHING)
        self._spellings = spellings(catalogue)
        self._about: dict[str, About] = {}
        self._ids: dict[str, int] = {}
        self._names: list[str] = []
        self._metrics: dict[tuple[str, str], set[str]] = {}
        self._available: dict[tuple[EntityRef, int], set[tuple[int, bool]]] = {}
        self._sets: dict[tuple[EntityRef, int], MetricSet] = {}
        self._known_sets: dict[tuple[str, frozenset[tuple[int, bool]]], MetricSet] = {}
        self.unlisted: dict[EntityRef, Entity] = {}
        self.unjudged: dict[str, set[str]] = {}
        self.strange: Tally[str] = Tally()

    def plan(self, files: Sequence[StatFile], intervals_s: Sequence[Sequence[int]]) -> None:
        """Take in which counters and objects there are; ``intervals_s`` are those of each file's series."""
        for file in files:
            for key, about in zip(file.keys, file.about, strict=True):
                self._take(key, about)
        most: dict[EntityRef, int] = {}
        for file, lengths in zip(files, intervals_s, strict=True):
            for key, interval_s in zip(file.keys, lengths, strict=True):
                owner = self._objects.of(key, self._metrics)
                if owner is None:
                    continue
                name, instance = self._spelled(key), _instance(key)
                there = self._available.setdefault((owner.ref, interval_s), set())
                there.add((self._ids[name], bool(instance)))
                if name.startswith("cpu.") and instance.isdecimal():
                    most[owner.ref] = max(most.get(owner.ref, 0), int(instance[:4]) + 1)
        self._objects.count_vcpus(most)

    def _take(self, key: SeriesKey, about: About) -> None:
        name = self._spelled(key)
        if name not in self._ids:
            self._ids[name] = len(self._names)
            self._names.append(name)
        if not key.entity_id:
            self._metrics.setdefault((self._objects.server_of(key), key.entity), set()).add(name)
        if about.unit or about.description:
            self._about.setdefault(name, about)

    def target(self, key: SeriesKey, interval_s: int) -> Target | None:
        """Return where a series goes; None for an object that has no counters in a session."""
        owner = self._objects.of(key, self._metrics)
        if owner is None:
            self.strange[key.entity_id.partition("-")[0]] += 1
            return None
        name, instance = self._spelled(key), _instance(key)
        meaning = self._meaning(owner, interval_s, name, instance)
        spec, entity = self._spec(owner, meaning, instance, interval_s)
        if entity is not None:
            self.unlisted.setdefault(entity.ref, entity)
        return Target((self._objects.server_of(key), interval_s), owner, spec, meaning.state_numbers)

    def _spelled(self, key: SeriesKey) -> str:
        return self._spellings.get(key.metric.casefold(), key.metric)

    def _meaning(self, owner: StatObject, interval_s: int, name: str, instance: str) -> Meaning:
        if owner.type not in REALTIME:
            return self._raw(name)
        meaning = self._set(owner, interval_s).meaning(str(self._ids[name]), instance)
        if meaning is None:
            return self._raw(name)
        if meaning.per_vcpu and not owner.vcpus:
            self.unjudged.setdefault(name, set()).add(owner.name)
            return self._raw(name)
        return meaning

    def _set(self, owner: StatObject, interval_s: int) -> MetricSet:
        """How the counters of an object are stored, by all that there are of it in this interval."""
        of = owner.ref, interval_s
        if of not in self._sets:
            there = frozenset(self._available[of])
            same = owner.type, there
            if same not in self._known_sets:
                definitions = [
                    self._definition(self._names[number], number) for number in {n for n, _ in there}
                ]
                self._known_sets[same] = choose_realtime(
                    KINDS[owner.type], definitions, self._catalogue, self._preset, there
                )
            self._sets[of] = self._known_sets[same]
        return self._sets[of]

    def _spec(
        self, owner: StatObject, meaning: Meaning, instance: str, interval_s: int
    ) -> tuple[SeriesSpec, Entity | None]:
        # A pool's counters are kept as a cluster's are: its own, without parts.
        if owner.ref.kind == "pool":
            spec = SeriesSpec(owner.ref, meaning.key, meaning.unit, instance, 1.0, meaning.name)
            return spec, None
        spec, entity = series_of(owner, meaning, instance, float(interval_s))
        # The API gives hundredths of a percent, Get-Stat percent.
        return (spec._replace(scale=spec.scale * 100) if meaning.conversion == "hundredths" else spec), entity

    def _raw(self, name: str) -> Meaning:
        return Meaning(f"raw/vcenter/{name}", self._unit(name), "same", "", name)

    def _definition(self, name: str, number: int) -> Definition:
        about = self._about.get(name, About())
        return Definition(number, name, self._unit(name), about.description)

    def _unit(self, name: str) -> str:
        """The unit's key: as the catalogue has it, else by the label in the file, else the label itself."""
        label = self._about.get(name, About()).unit
        known = {twin.unit for _, twin in self._catalogue.vcenter(name)} - {""}
        return next(iter(known)) if known else self._forms.units.get(label.casefold(), label[:40])


def _instance(key: SeriesKey) -> str:
    return "" if key.instance == OWN else key.instance
