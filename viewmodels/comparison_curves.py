"""Both sides of a comparison laid over each other: minutes from the start of each window, gaps where
samples are absent, what was left out hatched.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from diagnosis.comparison import Comparison, Pair, Row, Side
from diagnosis.comparison.distributions import minutes_from_start
from sessions.model import FloatArray


@dataclass(frozen=True, slots=True)
class OverlaidCurves:
    """A counter on both sides: ``a`` and ``b`` are minutes since each window's start, and values (NaN:
    absent).

    ``left_out`` are the parts, in minutes, that do not count, of A and of B.
    """

    unit: str
    a: tuple[FloatArray, FloatArray]
    b: tuple[FloatArray, FloatArray]
    left_out: tuple[Sequence[tuple[float, float]], Sequence[tuple[float, float]]]


def overlaid(comparison: Comparison, pair: Pair) -> OverlaidCurves:
    """Read a pair's samples in both windows, what was left out included; call this in a worker."""
    whole = [Side(side.session, side.window) for side in comparison.sides]
    a, b = (minutes_from_start(side, series) for side, series in zip(whole, (pair.a, pair.b), strict=True))
    first, second = (_left_out(side) for side in comparison.sides)
    return OverlaidCurves(pair.a.spec.unit, a, b, (first, second))


def thinned(curve: tuple[FloatArray, FloatArray], columns: int = 600) -> tuple[FloatArray, FloatArray]:
    """Return a curve with the lowest and the highest of each column's samples, in order of time.

    Samples that are absent, and times without ticks, stay breaks: a NaN between their neighbours.
    """
    minutes, values = _with_breaks(*curve)
    if minutes.size <= 4 * columns:
        return minutes, values
    span = float(minutes[-1] - minutes[0]) or 1.0
    column = np.minimum((minutes - minutes[0]) / span * columns, columns - 1).astype(np.int64)
    starts = np.flatnonzero(np.diff(column, prepend=-1))
    kept: list[int] = []
    for first, last in zip(starts.tolist(), [*starts[1:].tolist(), minutes.size], strict=True):
        part = values[first:last]
        known = np.flatnonzero(np.isfinite(part))
        if known.size:
            ends = {first + int(known[part[known].argmin()]), first + int(known[part[known].argmax()])}
            kept += sorted(ends)
        if known.size < part.size:
            kept.append(first + int(np.flatnonzero(~np.isfinite(part))[-1]))
    chosen = np.array(sorted(set(kept)), np.int64)
    return minutes[chosen], values[chosen]


_BREAK = 3.0
"""Ticks that are further apart than so many of the usual steps have a gap between them."""


def _with_breaks(minutes: FloatArray, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    if minutes.size < 3:
        return minutes, values
    steps = np.diff(minutes)
    after = np.flatnonzero(steps > _BREAK * float(np.median(steps)))
    return np.insert(minutes, after + 1, minutes[after]), np.insert(values, after + 1, np.nan)


def pair_of(comparison: Comparison, row: Row) -> Pair:
    """Return the pair of a row."""
    return comparison.pairs[int(comparison.order[row.rank - 1])]


def histograms(curves: OverlaidCurves, bins: int = 24) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return how often values occur on each side, as parts of 1, and the bins' edges; shapes (bins,),
    (bins,) and (bins + 1,). What was left out does not count; without values all is empty.
    """
    values = [_counted(curve, out) for curve, out in zip((curves.a, curves.b), curves.left_out, strict=True)]
    known = np.concatenate(values)
    if not known.size:
        return np.zeros(0), np.zeros(0), np.zeros(0)
    edges = np.histogram_bin_edges(known, bins)
    a, b = (np.histogram(one, edges)[0] / max(one.size, 1) for one in values)
    return a, b, edges


def _counted(curve: tuple[FloatArray, FloatArray], left_out: Sequence[tuple[float, float]]) -> FloatArray:
    minutes, values = curve
    counts = ~np.isnan(values)
    for begin, end in left_out:
        counts &= (minutes < begin) | (minutes > end)
    found: FloatArray = values[counts]
    return found


def _left_out(side: Side) -> list[tuple[float, float]]:
    start = side.window.start
    return [((out.start - start) / 60_000.0, (out.end - start) / 60_000.0) for out in side.left_out_inside]
