"""From sample to sample: which sampling instant is nearest to a moment, or some steps before or after it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sessions.distinct import distinct
from sessions.store import SessionReader
from sessions.times import TimeRange

Times = NDArray[np.int64] | NDArray[np.float64]
"""Sampling instants in ms, strictly increasing."""

_WIDER = 8
"""In a gap the search goes on over a window so many times longer."""


def nearest_instant(series: Sequence[Times], when: float, within: float) -> int:
    """Return the instant of any series that is nearest to ``when`` (ms), at most ``within`` ms away.

    Without one, as in a gap, it is ``when`` itself.
    """
    best, distance = float(round(when)), within
    for times in series:
        at = int(np.searchsorted(times, when))
        for one in times[max(at - 1, 0) : at + 1].tolist():
            if abs(one - when) <= distance:
                best, distance = one, abs(one - when)
    return round(best)


def stepped_instant(series: Sequence[Times], when: float, steps: int) -> int | None:
    """Return the instant ``steps`` instants after ``when`` (before it, if negative); the last one if there
    are fewer.

    Instants of several series that coincide are one step. None: no series has an instant on that side.
    """
    parts = []
    for times in series:
        if steps > 0:
            at = int(np.searchsorted(times, when, "right"))
            parts.append(times[at : at + steps])
        else:
            at = int(np.searchsorted(times, when))
            parts.append(times[max(at + steps, 0) : at])
    found = distinct(np.concatenate(parts)) if parts else np.zeros(0)
    if not found.size:
        return None
    return round(float(found[min(steps, found.size) - 1] if steps > 0 else found[max(steps, -found.size)]))


def outer_instants(series: Sequence[Times], start: float, end: float) -> tuple[int, int] | None:
    """Return the first and the last instant of any series from ``start`` to ``end`` (ms); None if none."""
    found = []
    for times in series:
        inside = times[np.searchsorted(times, start) : np.searchsorted(times, end, "right")]
        if inside.size:
            found += [float(inside[0]), float(inside[-1])]
    return (round(min(found)), round(max(found))) if found else None


def session_step(
    reader: SessionReader, sources: Sequence[int], when: int, steps: int, interval_ms: float, span: TimeRange
) -> int | None:
    """Return the sampling instant of these sources ``steps`` instants after ``when`` (before, if negative).

    It is the last one if there are fewer, None if there is none on that side. ``interval_ms`` is the usual
    distance of two instants: only as much is read as the steps need, unless there are gaps.
    """
    reach = max(round(interval_ms), 1) * (abs(steps) + 1)
    while True:
        start, end = (when, when + reach) if steps > 0 else (when - reach, when)
        times = [reader.times(source, TimeRange(start, end)) for source in sources]
        beyond = [one[one > when] if steps > 0 else one[one < when] for one in times]
        is_whole = start <= span.start if steps < 0 else end >= span.end
        if is_whole or distinct(np.concatenate(beyond)).size >= abs(steps):
            return stepped_instant(times, when, steps)
        reach *= _WIDER
