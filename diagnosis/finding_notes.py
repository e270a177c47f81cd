"""Notes that stand below a finding: what it was judged as, from how little, and whether it comes back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from diagnosis.arrays import usual_step
from diagnosis.detect import Hit
from diagnosis.sustained import spacing_ms
from diagnosis.topology import Topology
from resources.units import format_duration
from sessions.model import IntArray
from sessions.times import TimeRange


def class_note(hit: Hit, topology: Topology) -> tuple[str, ...]:
    """Return which class of storage it was judged as, why, and with whose numbers; else nothing."""
    note = topology.storage.note(hit.entity) if hit.compiled.classed else ""
    return (note,) if note else ()


def short_note(hit: Hit, times: IntArray) -> tuple[str, ...]:
    """Return that it was judged from few samples, if it was; ``times`` (n,) are its source's, in ms."""
    if not hit.short:
        return ()
    length = format_duration(float(times[-1] - times[0]) / 1000)
    few = f"Judged from {times.size} samples ({length}): few."
    return (f"{few} They show a state, not how long it has lasted.",)


def pattern_note(
    hit: Hit, windows: Sequence[TimeRange], times: IntArray, *, stands_out: bool
) -> tuple[str, ...]:
    """Return that it comes back at even intervals, if it does; ``times`` (n,) as for ``short_note``.

    Where it hardly ``stands_out`` from the time between, it is no event that returns.
    """
    note = _pattern(hit, windows, times)
    if note and not stands_out:
        return ("It comes and goes, and was hardly better in between: there is no schedule to look for.",)
    return (note,) if note else ()


def _pattern(hit: Hit, windows: Sequence[TimeRange], times: IntArray) -> str:
    pattern = hit.compiled.sustained.returning
    if hit.bursts is not None:
        every, lasts = (format_duration(one / 1000) for one in (hit.bursts.every_ms, hit.bursts.lasts_ms))
        return f"It comes back every {every}, for {lasts}: numbers are of these. Look for what does that."
    if pattern is None or len(windows) < pattern.times:
        return ""
    step = usual_step(times)
    starts = np.array([one.start for one in windows], dtype=np.int64)
    distance = spacing_ms(starts, pattern.spread, 2 * step)
    if distance is None:
        return ""
    every, lasted = format_duration(distance / 1000), max(one.seconds for one in windows)
    if lasted * 1000 >= distance:
        return ""  # it stayed: what lasts longer than the time between two beginnings is no return
    if lasted and step <= hit.compiled.sustained.clear_s * 1000:
        lasted += step / 1000  # the last sample stands for an interval, too
    longest = f", for {format_duration(lasted)} at most" if lasted else ""
    return f"It comes back every {every}: {len(windows)} times{longest}. Look for what runs that often."
