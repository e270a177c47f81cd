"""Values that esxtop prints but that mean nothing: taken out, or turned into what they stand for.

All functions change ``values`` (rows, series) of one host in place; NaN is absent.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from collectors.esxtop.plan import BoolArray, FillRun, HostPlan
from sessions.model import FloatArray, IntArray


def drop_first_io(values: FloatArray, plan: HostPlan, first: int) -> bool:
    """Take out the I/O counters of a capture's first row when all of them are zero; says whether it did.

    esxtop's first sample has no interval to divide by: every rate, latency and count of a disk is 0 in it. A
    capture whose beginning somebody cut off starts with a sound row, and keeps it.
    """
    row = values[first, plan.io]
    if not len(plan.io) or np.any(row != 0.0, where=~np.isnan(row)):
        return False
    values[first, plan.io] = np.nan
    return True


def take_out_zero_fills(values: FloatArray, plan: HostPlan) -> BoolArray:
    """Take out what esxtop filled with zeros; returns which fill did so, as (rows, fills)."""
    if not len(plan.signs):
        return np.zeros((len(values), 0), dtype=np.bool_)
    filled: BoolArray = (
        (values[:, plan.signs[:, 0]] == 0.0)
        & (values[:, plan.signs[:, 1]] == 0.0)
        & (values[:, plan.signs[:, 2]] == 0.0)
    )
    for fill in np.flatnonzero(filled.any(axis=0)):
        rows = np.flatnonzero(filled[:, fill])
        values[np.ix_(rows, plan.absent[fill])] = np.nan
        doubtful = np.ix_(rows, plan.doubtful[fill])
        part = values[doubtful]
        part[~np.any(part != 0.0, axis=1)] = np.nan
        values[doubtful] = part
    return filled


def fill_runs(filled: BoolArray, plan: HostPlan, times: IntArray, base: int) -> Iterator[FillRun]:
    """Runs of filled rows, without those that the fill of the whole group already tells."""
    inside = plan.within >= 0
    if inside.any():
        told = filled[:, np.maximum(plan.within, 0)] & inside
        filled = filled & ~told
    for fill in np.flatnonzero(filled.any(axis=0)).tolist():
        edges = np.diff(filled[:, fill].astype(np.int8), prepend=0, append=0)
        begins, ends = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1) - 1
        for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
            yield FillRun(fill, base + begin, base + end, int(times[begin]), int(times[end]))


class CountsToRates:
    """Turns counts since boot into rates per second against the row before; the first row has none.

    A count that fell was reset: its rate is absent.
    """

    def __init__(self, plan: HostPlan) -> None:
        self._columns = plan.cumulative
        self._before: tuple[IntArray, FloatArray] | None = None

    def turn(self, values: FloatArray, times: IntArray) -> None:
        """Change the counts of some rows into rates; the rows follow those of the last call."""
        if not len(self._columns) or not len(values):
            return
        counts = values[:, self._columns]
        earlier = self._before or (times[:1], np.full((1, counts.shape[1]), np.nan))
        self._before = (times[-1:], counts[-1:])
        seconds = np.diff(times, prepend=earlier[0])[:, None] / 1000.0
        grown = np.diff(counts, axis=0, prepend=earlier[1])
        rates = np.full_like(counts, np.nan)
        np.divide(grown, seconds, out=rates, where=(seconds > 0) & (grown >= 0))
        values[:, self._columns] = rates
