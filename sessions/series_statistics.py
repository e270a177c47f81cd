"""Statistics of series that are measured again from some of their samples."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sessions.model import FloatArray, SeriesStats


def copied(stats: SeriesStats) -> SeriesStats:
    """Return a copy whose arrays may be changed."""
    return replace(stats, **{name: getattr(stats, name).copy() for name in SeriesStats.__slots__})


def measure(stats: SeriesStats, place: int, samples: FloatArray) -> None:
    """Set what stands at a place to the statistics of these samples, none of them NaN."""
    stats.count[place] = samples.size
    stats.minimum[place] = samples.min() if samples.size else np.nan
    stats.maximum[place] = samples.max() if samples.size else np.nan
    stats.mean[place] = samples.mean() if samples.size else np.nan
