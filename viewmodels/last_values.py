"""The values that hold at a moment: the last sample of each series, unless it is too old to be current."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from sessions.model import Frame, Series
from sessions.store import SessionReader
from sessions.times import TimeRange
from viewmodels.snapshot import USUAL_INTERVAL_S
from viewmodels.work import UnwatchedWork, Work

CURRENT_FOR = 2.5
"""For so many intervals of its own source a sample is current: one may be late, a second one is missing."""


def last_values(
    reader: SessionReader,
    series: Iterable[Series],
    moment: int,
    intervals: Mapping[int, float],
    *,
    since: int | None = None,
    work: Work | None = None,
) -> dict[int, float]:
    """The last value of each series at or before ``moment``, by series id; series without a current one lack.

    ``intervals``: seconds between two samples of each source, by source id. Samples before ``since`` (ms)
    are not looked at.
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
    """Ids of series by how far to look back in ms: what is read of one source is as short as it can be."""
    found: dict[int, list[int]] = {}
    for one in series:
        back_ms = round(intervals.get(one.source, USUAL_INTERVAL_S) * 1000 * CURRENT_FOR)
        found.setdefault(back_ms, []).append(one.id)
    return found


def _last_of(frame: Frame) -> Iterable[tuple[int, float]]:
    there = np.isfinite(frame.values)
    if not there.size:
        return ()
    newest = frame.values.shape[0] - 1 - np.argmax(there[::-1], axis=0)
    values = frame.values[newest, np.arange(frame.ids.size)]
    some = there.any(axis=0)
    return zip(frame.ids[some].tolist(), values[some].tolist(), strict=True)
