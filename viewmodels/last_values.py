"""The values that are current at a moment: the last sample of each series, unless it is too old."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from sessions.model import Frame, Series
from sessions.store import SessionReader
from sessions.times import TimeRange
from viewmodels.snapshot import USUAL_INTERVAL_S
from viewmodels.work import UnwatchedWork, Work

CURRENT_FOR = 2.5
"""A sample is current for this many intervals of its source: one later sample may be late, not two."""


def last_values(
    reader: SessionReader,
    series: Iterable[Series],
    moment: int,
    intervals: Mapping[int, float],
    *,
    since: int | None = None,
    work: Work | None = None,
) -> dict[int, float]:
    """Read the last value of each series at or before ``moment`` (ms), by series id.

    Series whose last sample is older than 2.5 intervals of its source are left out. ``intervals`` are the
    sampling intervals in seconds by source id. Samples before ``since`` (ms) are ignored.
    """
    work = work or UnwatchedWork()
    found: dict[int, float] = {}
    for back_ms, ids in _by_look_back(series, intervals).items():
        start = max(moment - back_ms, since if since is not None else moment - back_ms)
        for frame in reader.read(np.array(ids, np.int64), TimeRange(min(start, moment), moment)):
            work.check()
            found.update(_last_of(frame))
    return found


def _by_look_back(series: Iterable[Series], intervals: Mapping[int, float]) -> dict[int, list[int]]:
    """Group series ids by how far to look back (ms): 2.5 intervals of their source."""
    found: dict[int, list[int]] = {}
    for one in series:
        back_ms = round(intervals.get(one.source, USUAL_INTERVAL_S) * 1000 * CURRENT_FOR)
        found.setdefault(back_ms, []).append(one.id)
    return found


def _last_of(frame: Frame) -> Iterable[tuple[int, float]]:
    present = np.isfinite(frame.values)
    if not present.size:
        return ()
    newest = frame.values.shape[0] - 1 - np.argmax(present[::-1], axis=0)
    values = frame.values[newest, np.arange(frame.ids.size)]
    some = present.any(axis=0)
    return zip(frame.ids[some].tolist(), values[some].tolist(), strict=True)
