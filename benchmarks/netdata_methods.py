"""Netdata's two metric correlations on our samples: the two-sample Kolmogorov–Smirnov test, and volume.

As in database/metric_correlations.c of netdata/netdata (commit 0063694): the baseline is four times the
highlighted window and just before it; both are averaged to at most 500 points a window. KS2 compares the
*differences of neighbours*; a series is the better the less likely both come from one distribution, which for
equal numbers of points is the order of the statistic D (so no rank is lost to rounding of probabilities).
Volume is the relative change of the average. Absent points count as zero there, and so they do here.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sessions.model import FloatArray, IntArray, SampleSource
from sessions.times import TimeRange

TIMES = 4
POINTS = 500
_PRECISION = 100_000
_AT_ONCE = 2048


def scores(
    session: SampleSource, ids: IntArray, window: TimeRange
) -> tuple[dict[int, float], dict[int, float]]:
    """Return each series' score by KS2 and by volume; higher is more. Series that are zero are left out."""
    by_ks: dict[int, float] = {}
    by_volume: dict[int, float] = {}
    for some, base, high in _samples(session, ids, window):
        nonzero = (base != 0).any(axis=1) | (high != 0).any(axis=1)
        chosen = some[nonzero].tolist()
        by_ks.update(zip(chosen, statistic(base[nonzero], high[nonzero]).tolist(), strict=True))
        by_volume.update(zip(chosen, volume(base[nonzero], high[nonzero]).tolist(), strict=True))
    return by_ks, by_volume


def statistic(base: FloatArray, high: FloatArray) -> FloatArray:
    """Return the Kolmogorov–Smirnov statistic D of the differences of neighbours of each row."""
    first = np.trunc(-np.diff(base, axis=1) * _PRECISION)
    second = np.trunc(-np.diff(high, axis=1) * _PRECISION)
    both = np.concatenate([first, second], axis=1)
    order = np.argsort(both, axis=1, kind="stable")
    ordered = np.take_along_axis(both, order, axis=1)
    is_first = order < first.shape[1]
    gap = np.where(is_first, 1.0 / first.shape[1], -1.0 / second.shape[1]).cumsum(axis=1)
    last_of_equal = np.ones(ordered.shape, dtype=np.bool_)
    last_of_equal[:, :-1] = ordered[:, 1:] != ordered[:, :-1]
    found: FloatArray = np.where(last_of_equal, np.abs(gap), 0.0).max(axis=1)
    return found


def volume(base: FloatArray, high: FloatArray) -> FloatArray:
    """Return the relative change of the average of each row; from zero, the average itself."""
    before, during = base.mean(axis=1), high.mean(axis=1)
    change: FloatArray = np.abs(
        np.where(before != 0, (during - before) / np.where(before != 0, before, 1), during)
    )
    return change


def _samples(
    session: SampleSource, ids: IntArray, window: TimeRange
) -> Iterator[tuple[IntArray, FloatArray, FloatArray]]:
    length = window.end - window.start
    for begin in range(0, ids.size, _AT_ONCE):
        part = ids[begin : begin + _AT_ONCE]
        before = TimeRange(window.start - TIMES * length, window.start - 1)
        frames = zip(session.read(part, before), session.read(part, window), strict=True)
        for base, high in frames:
            if min(base.times.size, high.times.size) > 2:
                group = -(-high.times.size // POINTS)
                yield base.ids, _points(base.values, group), _points(high.values, group)


def _points(values: FloatArray, group: int) -> FloatArray:
    """Means of ``group`` samples each, series first."""
    rows = np.nan_to_num(values.T)
    whole = rows.shape[1] // group * group
    means: FloatArray = rows[:, :whole].reshape(rows.shape[0], -1, group).mean(axis=2)
    return means
