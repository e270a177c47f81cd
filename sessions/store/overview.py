"""A series at the width of a chart: one bucket per pixel column, computed from its samples.

A chunk decodes in about 6 µs for 256 samples, less than looking up its statistics among those of thousands
of series would take; so an overview is always exact, and a series without a chunk (it kept one value) is not
decoded at all.
"""

from __future__ import annotations

import numpy as np

from sessions.model import FloatArray, IntArray, Overview
from sessions.times import TimeRange


def overview(times: IntArray, values: FloatArray, window: TimeRange, width: int) -> Overview:
    """Buckets of equal length over the window, at most ``width``; those without a sample are left out.

    ``times`` strictly increasing and within the window; ``values`` NaN where absent. Raises ValueError for a
    width below 1.
    """
    if width < 1:
        raise ValueError(f"an overview {width} wide")
    present = ~np.isnan(values)
    times, values = times[present], values[present]
    length = (window.end - window.start + 1) / width
    bucket = ((times - window.start) / length).astype(np.int64)
    first = np.flatnonzero(np.diff(bucket, prepend=-1))
    last = np.append(first[1:], times.size) - 1
    count = last - first + 1
    if not times.size:
        none = np.zeros(0)
        return Overview(times, times, count[:0], none, none, none)
    low, high = np.minimum.reduceat(values, first), np.maximum.reduceat(values, first)
    mean = np.clip(np.add.reduceat(values, first) / count, low, high)
    return Overview(times[first], times[last], count, low, high, mean)
