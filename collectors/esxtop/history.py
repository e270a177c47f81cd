"""One host over all files of an import: sample times, rows that came twice, gaps and facts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from collectors.esxtop.plan import BoolArray, RepeatedRows
from sessions.model import EntityRef, Fact, FloatArray, Gap, IntArray

_UNREADABLE = "the rows could not be read"
_NOT_SAMPLED = "no sample was taken"
_NEIGHBOURS = 9
"""Steps on each side of an instant that tell how often the host was sampled then."""
_FEWEST_STEPS = 3
"""Fewer than these tell nothing: two holes in a row would pass for the interval."""


@dataclass(slots=True)
class _Seen:
    """The sample times that were imported so far for one layout of the host."""

    ids: IntArray
    parts: list[IntArray] = field(default_factory=list)
    lowest: int = 0
    highest: int = -1

    def already(self, times: IntArray) -> BoolArray:
        """Return which of ``times`` were imported before, as a mask."""
        if self.highest < self.lowest or times.min() > self.highest or times.max() < self.lowest:
            return np.zeros(len(times), dtype=np.bool_)
        self.parts = [np.concatenate(self.parts)]
        return np.isin(times, self.parts[0])

    def add(self, times: IntArray) -> None:
        """Add the times of newly imported rows."""
        if len(times):
            empty = self.highest < self.lowest
            self.parts.append(times)
            self.lowest = int(times.min()) if empty else min(self.lowest, int(times.min()))
            self.highest = int(times.max()) if empty else max(self.highest, int(times.max()))

    def times(self) -> IntArray:
        """Return all times of the layout, in the order of import."""
        return np.concatenate(self.parts) if self.parts else np.empty(0, dtype=np.int64)


NAME = "name"
"""The fact that keeps what an entity was called later than when the session met it."""


class HostHistory:
    """Collects sample times, gaps, facts and notes of one host from all files.

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

    def find_repeated(
        self, layouts: tuple[int, ...], ids: IntArray, times: IntArray
    ) -> tuple[RepeatedRows, ...]:
        """Return which rows repeat samples that were imported before; remember the others as imported."""
        own = self._seen.setdefault(layouts, _Seen(ids))
        again = np.ones(len(times), dtype=np.bool_)
        again[_first_of_each(times)] = False
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

    def add_lost_rows(self, times: IntArray) -> None:
        """Add the times of rows that could not be read at all."""
        if len(times):
            self._lost.append(times)

    def add_fact(self, entity: EntityRef, name: str, value: str | float, start: int) -> None:
        """Add a fact that held at ``start`` (milliseconds)."""
        key = (entity, name, value)
        self._facts[key] = min(start, self._facts.get(key, start))

    def facts(self) -> Iterator[Fact]:
        """Yield all facts; each ends when the next fact of the same entity and name begins."""
        by_name: dict[tuple[EntityRef, str], list[Fact]] = {}
        for (entity, name, value), start in self._facts.items():
            by_name.setdefault((entity, name), []).append(Fact(entity, name, value, start))
        for (_, name), facts in by_name.items():
            if name == NAME and len(facts) == 1:
                continue  # the entity's own
            facts.sort(key=lambda fact: fact.start)
            for fact, after in pairwise(facts):
                yield replace(fact, end=after.start)
            yield facts[-1]

    def times(self) -> IntArray:
        """Return all sample times of the host, sorted and without duplicates."""
        parts = [seen.times() for seen in self._seen.values()]
        every = np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)
        every = every[_first_of_each(every)]
        return every[~np.isin(every, self._all_lost())] if self._lost else every

    def interval_s(self) -> float | None:
        """Return the median time between two samples in seconds; None for fewer than two."""
        times = self.times()
        return float(_median(np.diff(times).astype(np.float64))) / 1000 if len(times) > 1 else None

    def holes(self) -> Iterator[Gap]:
        """Gaps of at least one missing sample; how often a host is sampled may differ by layout and time."""
        times = self.times()
        if len(times) < 3:
            return
        before, after = np.zeros(len(times)), np.zeros(len(times))
        for seen in self._seen.values():
            own = seen.times()
            own = own[_first_of_each(own)]
            if len(own) > 1:
                places = np.minimum(np.searchsorted(times, own), len(times) - 1)
                here = times[places] == own
                places = places[here]
                before[places], after[places] = (steps[here] for steps in steps_around(own))
        lost = np.sort(self._all_lost())
        usual = np.maximum(before, after)[:-1]
        for at in np.flatnonzero((usual > 0) & (np.diff(times) >= 2 * usual)).tolist():
            last, following = int(times[at]), int(times[at + 1])
            reason = (
                _UNREADABLE
                if np.searchsorted(lost, last) < np.searchsorted(lost, following)
                else _NOT_SAMPLED
            )
            start, missing = int(last + before[at]), int((following - last) // before[at]) - 1
            yield Gap(self.source, start, max(start, int(following - after[at])), reason, None, missing)

    def _all_lost(self) -> IntArray:
        return np.concatenate(self._lost) if self._lost else np.empty(0, dtype=np.int64)


def _first_of_each(times: IntArray) -> IntArray:
    """Where each time comes first, in ascending order of times."""
    order = np.argsort(times, kind="stable")
    ordered = times[order]
    is_first = np.ones(len(times), dtype=np.bool_)
    is_first[1:] = ordered[1:] != ordered[:-1]
    return order[is_first]


def _median(values: FloatArray) -> FloatArray:
    """Medians along the last axis; numpy's own, like its ``unique``, loads masked arrays for 15 ms."""
    ordered = np.sort(values, axis=-1)
    length = ordered.shape[-1]
    medians: FloatArray = (ordered[..., (length - 1) // 2] + ordered[..., length // 2]) / 2
    return medians


def steps_around(times: IntArray) -> tuple[FloatArray, FloatArray]:
    """The usual step (milliseconds) before and after each of ``times``, which ascend; both of shape (n,).

    Captures of one host may have been taken at several intervals, one after the other. The step that begins
    at the instant itself counts for neither: it may be a hole. Where one side has too few steps to tell, it
    is given the other's, or else the median of all.
    """
    steps = np.diff(times).astype(np.float64)
    count = len(steps)
    of_all = float(_median(steps))
    before, after = np.full(count + 1, np.nan), np.full(count + 1, np.nan)
    if count >= _NEIGHBOURS:
        medians = _median(sliding_window_view(steps, _NEIGHBOURS))
        before[_NEIGHBOURS:] = medians
        after[: count - _NEIGHBOURS] = medians[1:]
    for place in range(_FEWEST_STEPS, min(_NEIGHBOURS, count + 1)):
        before[place] = _median(steps[:place])
    for place in range(max(0, count - _NEIGHBOURS), count - _FEWEST_STEPS):
        after[place] = _median(steps[place + 1 :])
    before = np.where(np.isnan(before), after, before)
    after = np.where(np.isnan(after), before, after)
    return np.where(np.isnan(before), of_all, before), np.where(np.isnan(after), of_all, after)
