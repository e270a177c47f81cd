"""Facts of entities at the end of a window: number of vCPUs, resource pool, datastore of each disk."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from re import Pattern

import numpy as np

from sessions.model import EntityRef, Fact
from sessions.times import TimeRange

OF_AN_INVENTORY = {
    "vm": "power_state", "host": "connection_state", "device": "device.local", "nic": "nic.driver",
    "path": "path.state",
}  # fmt: skip
"""What a vCenter's inventory always tells of an entity of which esxtop tells other facts, too."""


def facts_until(facts: Sequence[Fact], end: int) -> list[Fact]:
    """Return the facts that had begun by ``end`` (ms), and each entity's first value even if it began later.

    The first known value is taken to have held before, too: a recorder that back-fills an hour reads the
    inventory after the samples. So is an inventory's first reading where esxtop, recorded beside it, has told
    of the entity before. ``facts`` are ordered by start, and so is the result.
    """
    first: dict[EntityRef, int] = {}
    inventory: dict[EntityRef, int] = {}
    for fact in facts:
        first.setdefault(fact.entity, fact.start)
        if fact.name == OF_AN_INVENTORY.get(fact.entity.kind):
            inventory.setdefault(fact.entity, fact.start)
    return [
        fact
        for fact in facts
        if fact.start <= max(end, first[fact.entity]) or fact.start == inventory.get(fact.entity)
    ]


class FactTable:
    """The facts of a session by name, with their values at the end of a window."""

    def __init__(self, facts: Sequence[Fact], window: TimeRange) -> None:
        """``facts`` are ordered by start."""
        self._window = window
        self._by_name: dict[str, list[Fact]] = {}
        for fact in facts_until(facts, window.end):
            self._by_name.setdefault(fact.name, []).append(fact)
        self._latest: dict[str, dict[EntityRef, str | float | bool]] = {}

    def named(self, name: str) -> Sequence[Fact]:
        """Return all facts of this name that had begun by the end of the window, ordered by start."""
        return self._by_name.get(name, ())

    def latest(self, name: str) -> dict[EntityRef, str | float | bool]:
        """Return the latest value for each entity that has the fact."""
        if name not in self._latest:
            self._latest[name] = {fact.entity: fact.value for fact in self.named(name)}
        return self._latest[name]

    def numbers(self, name: str, refs: Iterable[EntityRef]) -> list[float]:
        """Return the latest value for each of the entities; NaN where it is missing or a text."""
        known = self.latest(name)
        values = (known.get(ref, "") for ref in refs)
        return [np.nan if isinstance(value, str) else float(value) for value in values]

    def holding(self, names: Pattern[str]) -> Iterable[Fact]:
        """Return the facts whose names match and that held at some time of the window."""
        for name, facts in self._by_name.items():
            if names.fullmatch(name):
                yield from (one for one in facts if one.end is None or one.end > self._window.start)
