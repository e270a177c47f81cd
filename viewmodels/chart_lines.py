"""Charts as a line of text: settings that never change in a window, and why a chart has nothing to draw."""

from __future__ import annotations

import math
from collections.abc import Sequence

from resources.catalogue import Catalogue
from resources.foreign_text import shown
from resources.units import format_duration, format_value
from sessions.model import Series
from sessions.times import TimeRange
from viewmodels.curve import NamedCurve
from viewmodels.time_labels import Clock


def unchanged_line(
    heading: str,
    series: Sequence[Series],
    curves: Sequence[NamedCurve],
    window: TimeRange,
    catalogue: Catalogue,
) -> str:
    """Return ``CPU limit · web03: 3.53 GHz, unchanged`` for a chart of settings that do not change in the
    window; an empty text for any other chart.
    """
    counters = {one.id: catalogue.get(one.counter) for one in series}
    if not curves or len(curves) != len(series):
        return ""
    values: list[str] = []
    for named in curves:
        counter = counters[named.series]
        if counter is None or not counter.setting:
            return ""
        low, high = named.curve.bounds(window.start, window.end)
        if low != high:  # NaN is not equal to itself
            return ""
        value = counter.value_name(low) or format_value(low, named.unit)
        values.append(value if len(curves) == 1 else f"{named.name} {value}")
    return shown(f"{heading}: {', '.join(values)}, unchanged")


def nothing_to_draw(curves: Sequence[NamedCurve], window: TimeRange, clock: Clock) -> str:
    """Return why a chart has no curve in the window, and when its last sample before it was, or the first
    one after it; an empty text if there is something to draw.
    """
    if any(not math.isnan(one.curve.last(window.start, window.end)) for one in curves):
        return ""
    before = [float(one.curve.x[at - 1]) for one in curves if (at := one.curve.x.searchsorted(window.start))]
    after = [
        float(one.curve.x[at])
        for one in curves
        if (at := one.curve.x.searchsorted(window.end, "right")) < one.curve.x.size
    ]
    reason = "No samples in this window."
    if before:
        last = max(before)
        ago = format_duration((window.start - last) / 1000)
        return f"{reason}\nThe last one was at {clock.stamp(last)}, {ago} before it."
    if after:
        first = min(after)
        later = format_duration((first - window.end) / 1000)
        return f"{reason}\nThe first one is at {clock.stamp(first)}, {later} after it."
    return reason
