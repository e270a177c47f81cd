"""Looks up what facts of entities were at each instant, at least and at most, and in words."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

import numpy as np

from diagnosis.facts import FactTable, Held, fill, number_of
from diagnosis.placement import overlap_ms
from sessions.model import EntityRef, FloatArray, IntArray
from sessions.times import TimeRange


class FactLookup:
    """The facts of a window, asked for by the entities that are judged.

    ``base`` gives the session's entity for a host's view of what hosts share, and a vCenter's VM for a
    capture's. Where facts ``are_told_twice``, a capture's count for what its vCenter does not tell.
    """

    def __init__(
        self, table: FactTable, base: Callable[[EntityRef], EntityRef], *, are_told_twice: bool
    ) -> None:
        self._table, self._base, self._are_told_twice = table, base, are_told_twice

    def over_time(self, name: str, refs: Iterable[EntityRef], times: IntArray) -> FloatArray:
        """Return a fact's value for each entity at each instant, NaN where there is none: shape (entities,
        times), or (entities, 1) where no fact of theirs changed in the window.
        """
        steady, changed = self._found(name, refs)
        values = steady[:, None]
        if changed:
            values = np.repeat(values, times.size, axis=1)
            for row, stretches in changed.items():
                fill(values[row], stretches, times)
        return values

    def ends(self, name: str, refs: Iterable[EntityRef]) -> tuple[FloatArray, FloatArray]:
        """Return the lowest and the highest value of a fact in the window for each entity; (entities,) both,
        NaN where there is none.
        """
        low, changed = self._found(name, refs)
        if not changed:
            return low, low
        high = low.copy()
        for row, stretches in changed.items():
            values = [number_of(one.value) for one in stretches]
            low[row], high[row] = np.fmin.reduce(values), np.fmax.reduce(values)
        return low, high

    def words(self, name: str, ref: EntityRef, windows: Collection[TimeRange]) -> str:
        """Return the text of a fact that held for most of the windows; "" where none did, or a number."""
        base = self._base(ref)
        found = self._table.steady(name).get(base)
        if found is None:
            held_ms: dict[str | float | bool, int] = {}
            for one in self._table.changing(name).get(base, ()):
                held_ms[one.value] = held_ms.get(one.value, 0) + overlap_ms(one.start, one.end, windows)
            found = max(held_ms, key=held_ms.__getitem__) if any(held_ms.values()) else ""
        return found if isinstance(found, str) else ""

    def _found(self, name: str, refs: Iterable[EntityRef]) -> tuple[FloatArray, Mapping[int, Sequence[Held]]]:
        """The values of entities for which they never changed, NaN for others; by their places, what held
        when of those.
        """
        steady, changing = self._table.steady(name), self._table.changing(name)
        told = [self._told_of(name, ref) for ref in refs]
        values = np.array([number_of(steady.get(ref, "")) for ref in told], dtype=np.float64)
        changed = ((row, ref) for row, ref in enumerate(told) if ref in changing)
        return values, {row: changing[ref] for row, ref in changed} if changing else {}

    def _told_of(self, name: str, ref: EntityRef) -> EntityRef:
        """Whose fact it is: that of a vCenter's VM, or where it has no such number, of the capture's."""
        base = self._base(ref)
        if not self._are_told_twice or base == ref or base in self._table.changing(name):
            return base
        return ref if math.isnan(number_of(self._table.steady(name).get(base, ""))) else base
