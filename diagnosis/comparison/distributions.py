"""Distributions of single series, from raw samples: percentiles, and how often B is above A (Cliff's
delta).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from diagnosis.comparison.measuring import samples_of
from diagnosis.comparison.values import Pair, Side
from sessions.frames import MAX_FRAME_VALUES
from sessions.model import FloatArray, Series

PERCENTILES = (50.0, 95.0, 99.0)


def percentiles(values: FloatArray) -> tuple[float, float, float]:
    """Return median, 95th and 99th percentile as ``numpy.percentile`` does; NaN without values."""
    if not values.size:
        return float("nan"), float("nan"), float("nan")
    p50, p95, p99 = np.percentile(values, PERCENTILES).tolist()
    return p50, p95, p99


@dataclass(frozen=True, slots=True)
class Distributions:
    """Percentiles (of PERCENTILES; shape (2 sides, pairs, 3)) and effects (Cliff's delta, shape (pairs,))."""

    percentiles: FloatArray
    effect: FloatArray


def distributions(
    sides: tuple[Side, Side], pairs: Sequence[Pair], step: Callable[[float], None]
) -> Distributions:
    """Read the raw samples of pairs, some at a time, and return how they are distributed.

    ``step`` is called with the part that is done, and may raise to stop.
    """
    found = Distributions(np.full((2, len(pairs), 3), np.nan), np.full(len(pairs), np.nan))
    by_id = sorted(range(len(pairs)), key=lambda at: (pairs[at].a.source, pairs[at].b.source, pairs[at].a.id))
    ticks = max((side.ticks(one.id) for side in sides for one in side.session.sources()), default=1)
    batch = max(1, MAX_FRAME_VALUES // max(ticks, 1))
    for first in range(0, len(by_id), batch):
        step(first / len(by_id))
        some = by_id[first : first + batch]
        a = _values(sides[0], [pairs[at].a for at in some])
        b = _values(sides[1], [pairs[at].b for at in some])
        for at, of_a, of_b in zip(some, a, b, strict=True):
            found.percentiles[0, at], found.percentiles[1, at] = percentiles(of_a), percentiles(of_b)
            found.effect[at] = cliffs_delta(of_a, of_b)
    return found


def _values(side: Side, series: Sequence[Series]) -> list[FloatArray]:
    """The present samples of each series; they may be of several sources."""
    found: dict[int, FloatArray] = {}
    for source in dict.fromkeys(one.source for one in series):
        ids = np.array([one.id for one in series if one.source == source], np.int64)
        _, values = samples_of(side, ids)
        found.update({number: row[~np.isnan(row)] for number, row in zip(ids.tolist(), values, strict=True)})
    return [found[one.id] for one in series]


def cliffs_delta(a: FloatArray, b: FloatArray) -> float:
    """Return how much more often a value of B is above one of A than below it, −1 to 1; NaN without values.

    Source: Cliff, Dominance Statistics, Psychological Bulletin 114, 1993.
    """
    if not a.size or not b.size:
        return float("nan")
    ordered = np.sort(a)
    below = int(np.searchsorted(ordered, b, "left").sum())
    above = a.size * b.size - int(np.searchsorted(ordered, b, "right").sum())
    return (below - above) / (a.size * b.size)


def minutes_from_start(side: Side, series: Series) -> tuple[FloatArray, FloatArray]:
    """Return a series as it is overlaid with the other side: minutes since the window's start, and values.

    What was left out of the window is not there.
    """
    times, (values,) = samples_of(side, np.array([series.id], np.int64))
    minutes: FloatArray = (times - side.window.start) / 60_000.0
    return minutes, values
