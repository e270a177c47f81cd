"""Ranks many series by a statistic over a window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from sessions.model import FloatArray, Series
from sessions.store import SessionReader
from sessions.times import TimeRange
from viewmodels.possible_samples import PossibleReader

RankedBy = Literal["max", "mean"]


@dataclass(frozen=True, slots=True)
class Ranked:
    """A series and the value of the statistic that it was ranked by."""

    series: Series
    value: float


def highest(
    reader: SessionReader,
    series: Sequence[Series],
    statistic: RankedBy,
    window: TimeRange,
    max_count: int,
    weights: Sequence[int] = (),
) -> list[Ranked]:
    """Return the ``max_count`` series with the highest mean or maximum over the window, highest first.

    ``weights`` are series ids, one beside each of ``series`` (0: none): the statistic is multiplied by that
    series' mean before ranking. Series without a sample in the window are left out.
    """
    if not series:
        return []
    stats = PossibleReader(reader, series).stats(np.array([one.id for one in series], np.int64), window)
    values = stats.mean if statistic == "mean" else stats.maximum
    worth = values * _means(reader, weights, window) if any(weights) else values
    order = np.argsort(-np.nan_to_num(worth, nan=-np.inf), kind="stable")
    ranked = (Ranked(series[at], float(values[at])) for at in order[:max_count].tolist())
    return [one for one in ranked if np.isfinite(one.value)]


def _means(reader: SessionReader, ids: Sequence[int], window: TimeRange) -> FloatArray:
    """Return the mean of each series over the window; 0 for id 0 and for series without a sample."""
    numbers = np.array(ids, np.int64)
    means = np.zeros(numbers.size)
    means[numbers > 0] = reader.stats(numbers[numbers > 0], window).mean
    found: FloatArray = np.nan_to_num(means)
    return found
