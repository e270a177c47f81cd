"""Removes values that esxtop prints without having measured them; for captures, the lab and live hosts.

Three things: the first sample has zeros for I/O, having no interval to divide by; an entity whose set of
worlds changed has zeros in every column; counts since boot become rates per second. Rows come in order of
time, in batches of any size: one by one from a live host, thousands from a file. The batches make no
difference.

Values are numbers (float64, NaN is absent) or hundredths (int32, NOTHING is absent).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sessions.model import FloatArray, IntArray
from sessions.store import NOTHING, Int32Array, numbers_of

if TYPE_CHECKING:
    from collectors.esxtop_names.zero_fill import ZeroFill

BoolArray = NDArray[np.bool_]

ZERO_FILLED = "its set of worlds changed: esxtop wrote zeros instead of values"
"""The reason of a gap where an entity was filled with zeros."""


@dataclass(frozen=True, slots=True)
class RepairRules:
    """Which values of a host's row are to be repaired; all indices are positions of series in the row.

    ``io`` holds I/O counters and ``cumulative`` counts since boot. Zero fill i is recognised by ``signs[i]``
    (of shape (n, 3)) being all zero; then ``absent[i]`` hold no data, and ``doubtful[i]`` none if they are
    all zero, too. ``within[i]`` is the fill of the group that a world belongs to, or −1.
    """

    io: IntArray
    cumulative: IntArray
    signs: IntArray
    absent: tuple[IntArray, ...]
    doubtful: tuple[IntArray, ...]
    within: IntArray

    @classmethod
    def of(cls, io: IntArray, cumulative: IntArray, fills: Sequence[ZeroFill]) -> RepairRules:
        """Return the rules for a host with these I/O counters, counts since boot and zero fills."""
        return cls(
            io=io,
            cumulative=cumulative,
            signs=np.array([fill.signs for fill in fills], dtype=np.int64).reshape(len(fills), 3),
            absent=tuple(fill.absent for fill in fills),
            doubtful=tuple(fill.doubtful for fill in fills),
            within=np.array([fill.within for fill in fills], dtype=np.int64),
        )


@dataclass(frozen=True, slots=True)
class Repaired:
    """What a repair found: ``filled`` (rows, zero fills) where zeros stood for no data; ``rates`` (rows,
    cumulative counters) per second, NaN where there is none; whether the first sample had no I/O counters.
    """

    filled: BoolArray
    rates: FloatArray
    without_io: bool


class EsxtopRepairs:
    """Repairs the rows of one host, in order of time."""

    def __init__(self, rules: RepairRules) -> None:
        self._rules = rules
        self._time_before: int | None = None
        self._counts_before: FloatArray = np.full((1, len(rules.cumulative)), np.nan)

    def repair(
        self, times: IntArray, values: FloatArray | Int32Array, *, first: int | None = None
    ) -> Repaired:
        """Repair the next rows in place; ``times`` (rows,) in milliseconds, ``values`` (rows, series).

        ``first`` is the row that is the source's first sample, None when it is not among these. Rates are
        put into numbers; they are no hundredths, so that such rows have nothing there.
        """
        absent = np.nan if values.dtype.kind == "f" else NOTHING
        without_io = first is not None and self._drop_first_io(values[first], absent)
        filled = self._take_out_zero_fills(values, absent)
        rates = self._rates(times, values)
        if len(self._rules.cumulative):
            values[:, self._rules.cumulative] = rates if values.dtype.kind == "f" else absent
        return Repaired(filled, rates, without_io)

    def _drop_first_io(self, row: FloatArray | Int32Array, absent: float | np.int32) -> bool:
        """Take out I/O counters that are all zero: a capture whose beginning was cut off keeps its first."""
        counters = row[self._rules.io]
        present = ~np.isnan(counters) if counters.dtype.kind == "f" else counters != NOTHING
        if not len(counters) or np.any(counters != 0, where=present):
            return False
        row[self._rules.io] = absent
        return True

    def _take_out_zero_fills(self, values: FloatArray | Int32Array, absent: float | np.int32) -> BoolArray:
        rules = self._rules
        if not len(rules.signs):
            return np.zeros((len(values), 0), dtype=np.bool_)
        filled: BoolArray = values[:, rules.signs[:, 0]] == 0
        for sign in (1, 2):
            # Zeros are rare: nearly always the first look settles it.
            maybe = np.flatnonzero(filled.any(axis=0))
            filled[:, maybe] &= values[:, rules.signs[maybe, sign]] == 0
        for fill in np.flatnonzero(filled.any(axis=0)).tolist():
            rows = np.flatnonzero(filled[:, fill])
            values[np.ix_(rows, rules.absent[fill])] = absent
            doubtful = np.ix_(rows, rules.doubtful[fill])
            part = values[doubtful]
            part[~np.any(part != 0, axis=1)] = absent
            values[doubtful] = part
        return filled

    def _rates(self, times: IntArray, values: FloatArray | Int32Array) -> FloatArray:
        """Growth per second against the row before; the first row has none, nor does a count that fell."""
        counts = numbers_of(values[:, self._rules.cumulative])
        rates = np.full(counts.shape, np.nan)
        if counts.size:
            before = self._time_before if self._time_before is not None else int(times[0])
            seconds = np.diff(times, prepend=before)[:, None] / 1000.0
            grown = np.diff(counts, axis=0, prepend=self._counts_before)
            np.divide(grown, seconds, out=rates, where=(seconds > 0) & (grown >= 0))
            self._time_before, self._counts_before = int(times[-1]), counts[-1:]
        return rates


@dataclass(frozen=True, slots=True)
class FillRun:
    """Consecutive rows in which zero fill ``fill`` held no data: their numbers, and times in milliseconds."""

    fill: int
    first_row: int
    last_row: int
    start: int
    end: int

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.last_row - self.first_row + 1


class ZeroFillRuns:
    """Follows which entities are filled with zeros, row after row; ``first_row`` numbers the first."""

    def __init__(self, rules: RepairRules, first_row: int = 0) -> None:
        self._within = rules.within
        self._row = first_row
        self._runs: list[FillRun] = []

    def add(self, times: IntArray, filled: BoolArray) -> None:
        """Add the next rows. A world gets no run of its own while its whole group is filled."""
        inside = self._within >= 0
        if inside.any():
            filled = filled & ~(filled[:, np.maximum(self._within, 0)] & inside)
        found: list[FillRun] = []
        for fill in np.flatnonzero(filled.any(axis=0)).tolist():
            edges = np.diff(filled[:, fill].astype(np.int8), prepend=0, append=0)
            begins, ends = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1) - 1
            for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
                rows = self._row + begin, self._row + end
                found.append(FillRun(fill, *rows, int(times[begin]), int(times[end])))
        self._row += len(times)
        if found:
            self._runs = join_runs([*self._runs, *found])

    def runs(self) -> list[FillRun]:
        """Return all runs so far, in order; those that end with the last row may continue."""
        return self._runs


def join_runs(runs: Iterable[FillRun]) -> list[FillRun]:
    """Return the runs sorted, with runs that continue each other joined."""
    joined: list[FillRun] = []
    for run in sorted(runs, key=lambda one: (one.fill, one.first_row)):
        before = joined[-1] if joined else None
        if before and before.fill == run.fill and before.last_row + 1 == run.first_row:
            joined[-1] = replace(before, last_row=run.last_row, end=max(before.start, run.end))
        else:
            joined.append(replace(run, end=max(run.start, run.end)))
    return joined
