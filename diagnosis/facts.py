"""Facts of entities as they held in a window: number of vCPUs, limits, resource pool, places of disks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from re import Pattern
from types import MappingProxyType

import numpy as np

from sessions.model import Entity, EntityRef, Fact, FloatArray, IntArray
from sessions.times import TimeRange

OF_AN_INVENTORY = {
    "vm": "power_state", "host": "connection_state", "device": "device.local", "nic": "nic.driver",
    "path": "path.state",
}  # fmt: skip
"""What a vCenter's inventory always tells of an entity of which esxtop tells other facts, too."""
READ_WITHIN_MS = 300_000
"""DESIGN: an inventory is read in parts; what it first tells within five minutes of its first words on an
entity was not set in that time.
"""
ALWAYS, FOR_EVER = -(1 << 62), 1 << 62
"""Before and after all times."""
NO_ENTITIES: Mapping[EntityRef, Entity] = MappingProxyType({})


class FirstTold:
    """When an inventory first told of each entity, and so which facts held before that, too: a recorder that
    back-fills an hour reads the inventory after the samples.

    ``facts`` are ordered by start. What is told of a virtual disk is told with its VM, which ``entities``
    know.
    """

    def __init__(self, facts: Sequence[Fact], entities: Mapping[EntityRef, Entity] = NO_ENTITIES) -> None:
        self._entities = entities
        self._first: dict[EntityRef, int] = {}
        self._inventory: dict[EntityRef, int] = {}
        for fact in facts:
            self._first.setdefault(fact.entity, fact.start)
            if fact.name == OF_AN_INVENTORY.get(fact.entity.kind):
                self._inventory.setdefault(fact.entity, fact.start)

    def of(self, ref: EntityRef) -> int | None:
        """Return when (ms) an inventory first told of an entity; where none did, when anything was told."""
        found = self._inventory.get(ref, self._first.get(ref))
        known = self._entities.get(ref) if ref.kind == "vdisk" else None
        if known is not None and known.parent is not None and known.parent.kind != "vdisk":
            of_vm = self.of(known.parent)
            found = of_vm if found is None or of_vm is None else min(found, of_vm)
        return found

    def first_of_all(self, ref: EntityRef) -> int:
        """Return when anything was told of an entity for the first time."""
        return self._first[ref]

    def held_before(self, fact: Fact) -> bool:
        """Return True if the value was there when the inventory was first read. One that came later was set
        then.
        """
        since = self.of(fact.entity)
        return since is None or fact.start <= since + READ_WITHIN_MS


def facts_until(facts: Sequence[Fact], end: int, told: FirstTold) -> list[Fact]:
    """Return the facts that had begun by ``end`` (ms), and each entity's first values even if they began
    later: what an inventory told when it was first read, and where none was, what anything told first.

    ``facts`` are ordered by start, and so is the result.
    """

    def is_kept(fact: Fact) -> bool:
        return fact.start <= max(end, told.first_of_all(fact.entity)) or fact.start == told.of(fact.entity)

    kept = [fact for fact in facts if is_kept(fact)]
    later = [fact for fact in facts if not is_kept(fact) and told.held_before(fact)]
    if later:
        known = {(fact.entity, fact.name) for fact in kept}
        firsts: dict[tuple[EntityRef, str], Fact] = {}
        for fact in later:
            if (key := (fact.entity, fact.name)) not in known:
                firsts.setdefault(key, fact)
        kept = sorted([*kept, *firsts.values()], key=lambda fact: fact.start)
    return kept


@dataclass(frozen=True, slots=True)
class Held:
    """A value of a fact, from ``start`` to before ``end`` (ms)."""

    value: str | float | bool
    start: int
    end: int


def held(facts: Sequence[Fact], told: FirstTold) -> list[Held]:
    """Return what held when of one fact of one entity; ``facts`` are ordered by start. A later one ends what
    is before it, and equal values that follow each other are one.
    """
    found: list[Held] = []
    for number, fact in enumerate(facts):
        start = ALWAYS if number == 0 and told.held_before(fact) else fact.start
        end = FOR_EVER if fact.end is None else fact.end
        if found and found[-1].end > start:
            found[-1] = replace(found[-1], end=start)
        if found and found[-1].end == start and same_value(found[-1].value, fact.value):
            found[-1] = replace(found[-1], end=end)
        elif end > start:
            found.append(Held(fact.value, start, end))
    return [one for one in found if one.end > one.start]


def same_value(one: str | float | bool, other: str | float | bool) -> bool:
    """Return True for equal values of facts; a text is no number."""
    return one == other and isinstance(one, str) == isinstance(other, str)


class FactTable:
    """The facts of a session by name, as they held in a window, with their values at its end."""

    def __init__(
        self, facts: Sequence[Fact], window: TimeRange, entities: Mapping[EntityRef, Entity] = NO_ENTITIES
    ) -> None:
        """``facts`` are ordered by start."""
        self._window = window
        self._by_name: dict[str, list[Fact]] = {}
        self._told = FirstTold(facts, entities)
        for fact in facts_until(facts, window.end, self._told):
            self._by_name.setdefault(fact.name, []).append(fact)
        self._latest: dict[str, dict[EntityRef, str | float | bool]] = {}
        self._over: dict[str, _OverTime] = {}

    def named(self, name: str) -> Sequence[Fact]:
        """Return all facts of this name that had begun by the end of the window, ordered by start."""
        return self._by_name.get(name, ())

    def latest(self, name: str) -> dict[EntityRef, str | float | bool]:
        """Return the latest value for each entity that has the fact."""
        if name not in self._latest:
            self._latest[name] = {fact.entity: fact.value for fact in self.named(name)}
        return self._latest[name]

    def steady(self, name: str) -> Mapping[EntityRef, str | float | bool]:
        """Return the value of each entity for which it was the same in the whole window."""
        return self._of(name).steady

    def changing(self, name: str) -> Mapping[EntityRef, Sequence[Held]]:
        """Return what held when in the window, of each entity for which that was not always the same."""
        return self._of(name).changing

    def _of(self, name: str) -> _OverTime:
        if name not in self._over:
            self._over[name] = _over_time(self.named(name), self._window, self._told)
        return self._over[name]

    def holding(self, names: Pattern[str]) -> Iterable[Fact]:
        """Return the facts whose names match and that held at some time of the window."""
        for name, facts in self._by_name.items():
            if names.fullmatch(name):
                yield from (one for one in facts if one.end is None or one.end > self._window.start)


@dataclass(frozen=True, slots=True)
class _OverTime:
    steady: Mapping[EntityRef, str | float | bool]
    changing: Mapping[EntityRef, Sequence[Held]]


def _over_time(facts: Sequence[Fact], window: TimeRange, told: FirstTold) -> _OverTime:
    by_entity: dict[EntityRef, list[Fact]] = defaultdict(list)
    for fact in facts:
        by_entity[fact.entity].append(fact)
    steady: dict[EntityRef, str | float | bool] = {}
    changing: dict[EntityRef, Sequence[Held]] = {}
    for ref, own in by_entity.items():
        found = [one for one in held(own, told) if one.start <= window.end and one.end > window.start]
        if len(found) == 1 and found[0].start <= window.start and found[0].end > window.end:
            steady[ref] = found[0].value
        elif found:
            changing[ref] = found
    return _OverTime(steady, changing)


def number_of(value: str | float | bool) -> float:
    """Return a fact's value as a number; NaN for a text."""
    return np.nan if isinstance(value, str) else float(value)


def fill(values: FloatArray, stretches: Sequence[Held], times: IntArray) -> None:
    """Write what held when into one entity's values at the instants; both (times,)."""
    if not stretches:
        return
    starts, ends = (np.array(some) for some in zip(*((one.start, one.end) for one in stretches), strict=True))
    numbers = np.array([number_of(one.value) for one in stretches])
    which = np.searchsorted(starts, times, side="right") - 1
    is_held = (which >= 0) & (times < ends[which])
    values[is_held] = numbers[which[is_held]]
