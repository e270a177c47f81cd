"""Which of many series are worst, or do most: ranked by their statistics over a window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from sessions.model import FloatArray, Series
from sessions.store import SessionReader
from sessions.times import TimeRange

RankedBy = Literal["max", "mean"]


@dataclass(frozen=True, slots=True)
class Ranked:
    """A series and the statistic that it was ranked by."""

    series: Series
    value: float


def highest(
    reader: SessionReader,
    series: Sequence[Series],
    statistic: RankedBy,
    window: TimeRange,
    most: int,
    weights: Sequence[int] = (),
) -> list[Ranked]:
    """The ``most`` series whose mean or maximum over the window is highest, highest first.

    ``weights``: the id of a series beside each of ``series`` (0 for none), by whose mean its statistic counts
    the more. Series without a sample in the window are left out.
    """
    if not series:
        return []
    stats = reader.stats(np.array([one.id for one in series], np.int64), window)
    values = stats.mean if statistic == "mean" else stats.maximum
    worth = values * _means(reader, weights, window) if any(weights) else values
    order = np.argsort(-np.nan_to_num(worth, nan=-np.inf), kind="stable")
    ranked = (Ranked(series[at], float(values[at])) for at in order[:most].tolist())
    return [one for one in ranked if np.isfinite(one.value)]


def _means(reader: SessionReader, ids: Sequence[int], window: TimeRange) -> FloatArray:
    """The mean of each series over the window, 0 for id 0 and where there is no sample."""
    numbers = np.array(ids, np.int64)
    means = np.zeros(numbers.size)
    means[numbers > 0] = reader.stats(numbers[numbers > 0], window).mean
    found: FloatArray = np.nan_to_num(means)
    return found
