"""One host over all files of an import: its times, what is known of them already, its gaps and facts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from collectors.esxtop.plan import BoolArray, RepeatedRows
from sessions.model import EntityRef, Fact, Gap, IntArray

_UNREADABLE = "the rows could not be read"
_NOT_SAMPLED = "no sample was taken"


@dataclass(slots=True)
class _Seen:
    """The rows that one layout of the host has so far."""

    ids: IntArray
    parts: list[IntArray] = field(default_factory=list)
    lowest: int = 0
    highest: int = -1

    def already(self, times: IntArray) -> BoolArray:
        """Which of ``times`` the layout has."""
        if self.highest < self.lowest or times.min() > self.highest or times.max() < self.lowest:
            return np.zeros(len(times), dtype=np.bool_)
        self.parts = [np.concatenate(self.parts)]
        return np.isin(times, self.parts[0])

    def add(self, times: IntArray) -> None:
        """Remember rows."""
        if len(times):
            empty = self.highest < self.lowest
            self.parts.append(times)
            self.lowest = int(times.min()) if empty else min(self.lowest, int(times.min()))
            self.highest = int(times.max()) if empty else max(self.highest, int(times.max()))

    def times(self) -> IntArray:
        """All of its times."""
        return np.concatenate(self.parts) if self.parts else np.empty(0, dtype=np.int64)


class HostHistory:
    """Collects what all files say of a host.

    ``repeated`` counts rows that were left out as known; ``layouts`` the stored layouts by their series.
    """

    def __init__(self, name: str, source: int) -> None:
        self.name = name
        self.source = source
        self.gaps: list[Gap] = []
        self.notes: dict[str, None] = {}
        self.repeated = 0
        self.layouts: dict[bytes, tuple[int, ...]] = {}
        self._seen: dict[tuple[int, ...], _Seen] = {}
        self._lost: list[IntArray] = []
        self._facts: dict[tuple[EntityRef, str, str | float], int] = {}

    def known(self, layouts: tuple[int, ...], ids: IntArray, times: IntArray) -> tuple[RepeatedRows, ...]:
        """What the host has at ``times`` already; the rest counts as known from now on."""
        own = self._seen.setdefault(layouts, _Seen(ids))
        again = np.ones(len(times), dtype=np.bool_)
        again[np.unique(times, return_index=True)[1]] = False
        found: list[RepeatedRows] = []
        for seen in self._seen.values():
            already = seen.already(times)
            if not already.any():
                continue
            positions = np.flatnonzero(np.isin(ids, seen.ids))
            if len(positions) == len(ids):
                again |= already
            elif len(positions):
                found.append(RepeatedRows(already, positions))
        if again.any():
            self.repeated += int(np.count_nonzero(again))
            found.append(RepeatedRows(again, None))
        own.add(times[~again])
        return tuple(found)

    def lose(self, times: IntArray) -> None:
        """Rows of which nothing could be read."""
        if len(times):
            self._lost.append(times)

    def state(self, entity: EntityRef, name: str, value: str | float, start: int) -> None:
        """A fact that held at ``start``."""
        key = (entity, name, value)
        self._facts[key] = min(start, self._facts.get(key, start))

    def facts(self) -> Iterator[Fact]:
        """All facts; one that another of its name follows holds until then."""
        by_name: dict[tuple[EntityRef, str], list[Fact]] = {}
        for (entity, name, value), start in self._facts.items():
            by_name.setdefault((entity, name), []).append(Fact(entity, name, value, start))
        for facts in by_name.values():
            facts.sort(key=lambda fact: fact.start)
            for fact, after in pairwise(facts):
                yield replace(fact, end=after.start)
            yield facts[-1]

    def times(self) -> IntArray:
        """Every sampling instant once, in order."""
        parts = [seen.times() for seen in self._seen.values()]
        every = np.unique(np.concatenate(parts)) if parts else np.empty(0, dtype=np.int64)
        return every[~np.isin(every, self._all_lost())] if self._lost else every

    def interval_s(self) -> float | None:
        """The usual distance of two samples."""
        times = self.times()
        return float(np.median(np.diff(times))) / 1000 if len(times) > 1 else None

    def holes(self) -> Iterator[Gap]:
        """Gaps of at least one missing sample; how often a host is sampled is its own layout's matter."""
        times = self.times()
        if len(times) < 3:
            return
        usual = np.zeros(len(times))
        for seen in self._seen.values():
            own = np.unique(seen.times())
            if len(own) > 1:
                usual[np.searchsorted(times, own[np.isin(own, times)])] = np.median(np.diff(own))
        steps = np.diff(times)
        lost = np.sort(self._all_lost())
        for at in np.flatnonzero((usual[:-1] > 0) & (steps >= 2 * usual[:-1])).tolist():
            before, after, step = int(times[at]), int(times[at + 1]), usual[at]
            reason = (
                _UNREADABLE if np.searchsorted(lost, before) < np.searchsorted(lost, after) else _NOT_SAMPLED
            )
            start, missing = int(before + step), int((after - before) // step) - 1
            yield Gap(self.source, start, max(start, int(after - step)), reason, None, missing)

    def _all_lost(self) -> IntArray:
        return np.concatenate(self._lost) if self._lost else np.empty(0, dtype=np.int64)
