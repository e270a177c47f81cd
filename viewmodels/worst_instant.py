"""When a finding was at its worst: the instant of its deciding number furthest beyond the threshold."""

from __future__ import annotations

import numpy as np

from sessions.findings import Evidence, Finding
from sessions.store import SessionReader
from sessions.times import TimeRange
from viewmodels.chart_sets import evidence_series
from viewmodels.possible_samples import PossibleReader
from viewmodels.snapshot import Snapshot
from viewmodels.work import Work


def worst_instant(reader: SessionReader, finding: Finding, snapshot: Snapshot, work: Work) -> int | None:
    """Return the instant (ms) within the finding's windows at which its first evidence with a threshold was
    worst.

    Without such evidence or samples of it, that is the start of the first window; None without windows.
    """
    if not finding.windows:
        return None
    found = None
    for item in finding.evidence:
        if item.threshold is not None and found is None:
            found = _worst_of(reader, finding, item, snapshot, work)
    return min(window.start for window in finding.windows) if found is None else found


def _worst_of(
    reader: SessionReader, finding: Finding, item: Evidence, snapshot: Snapshot, work: Work
) -> int | None:
    series = evidence_series(item, finding.entity, snapshot)[:1]
    if not series or item.threshold is None:
        return None
    start = min(window.start for window in finding.windows)
    end = max(window.end for window in finding.windows)
    possible = PossibleReader(reader, series)
    for frame in possible.read(np.array([series[0].id], np.int64), TimeRange(start, end)):
        work.check()
        inside = np.zeros(frame.times.size, np.bool_)
        for window in finding.windows:
            inside |= (frame.times >= window.start) & (frame.times <= window.end)
        beyond = frame.values[:, 0] if item.value >= item.threshold else -frame.values[:, 0]
        beyond = np.where(inside & np.isfinite(beyond), beyond, -np.inf)
        if beyond.size and np.isfinite(beyond.max()):
            return int(frame.times[int(beyond.argmax())])
    return None
