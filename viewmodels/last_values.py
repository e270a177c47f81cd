"""The values that are current at a moment: the last sample of each series, unless it is too old."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from sessions.model import Frame, Series
from sessions.store import SessionReader
from sessions.times import TimeRange
from viewmodels.possible_samples import PossibleReader
from viewmodels.snapshot import USUAL_INTERVAL_S
from viewmodels.work import UnwatchedWork, Work

CURRENT_FOR = 2.5
"""A sample is current for this many intervals of its series: one later sample may be late, not two."""

SLOWEST_INTERVAL_S = 300.0
"""The longest interval that a series is expected to have beside faster ones of its source: vCenter's
rollups.
"""
_LOOK_BACK_MS = round((CURRENT_FOR + 1) * SLOWEST_INTERVAL_S * 1000)
"""Far enough for two samples of the slowest series, the later of which is still current."""


def last_values(
    reader: SessionReader,
    series: Iterable[Series],
    moment: int,
    intervals: Mapping[int, float],
    *,
    since: int | None = None,
    work: Work | None = None,
    left_out: set[int] | None = None,
) -> dict[int, float]:
    """Read the last value of each series at or before ``moment`` (ms), by series id.

    Series whose last sample is older than 2.5 intervals are left out; a sample that no host can have is none.
    ``intervals`` are the sampling intervals in seconds by source id; a series that is sampled less often than
    its source counts by the interval of its own samples. Samples before ``since`` (ms) are ignored.
    ``left_out`` gets the ids of series that had a sample which no host can have.
    """
    work = work or UnwatchedWork()
    series = list(series)
    possible = PossibleReader(reader, series)
    found: dict[int, float] = {}
    for back_ms, ids in _by_look_back(series, intervals).items():
        for frame in _frames(possible, ids, moment, back_ms, since):
            work.check()
            found.update(_last_of(frame))
        missing = [one for one in ids if one not in found]
        if missing and back_ms < _LOOK_BACK_MS:
            for frame in _frames(possible, missing, moment, _LOOK_BACK_MS, since):
                work.check()
                found.update(_last_of_slower(frame, moment))
    if left_out is not None:
        left_out |= possible.left_out
    return found


def _frames(
    reader: PossibleReader, ids: list[int], moment: int, back_ms: int, since: int | None
) -> list[Frame]:
    """Read the samples of the last ``back_ms`` before ``moment``, but none before ``since``."""
    start = moment - back_ms if since is None else max(moment - back_ms, since)
    return reader.read(np.array(ids, np.int64), TimeRange(min(start, moment), moment))


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


def _last_of_slower(frame: Frame, moment: int) -> Iterable[tuple[int, float]]:
    """Yield the last value of each series that is current by the interval between its own samples."""
    present = np.isfinite(frame.values)
    for place in np.flatnonzero(present.sum(axis=0) > 1).tolist():
        times = frame.times[present[:, place]]
        if moment - times[-1] <= CURRENT_FOR * np.diff(times).min():
            yield int(frame.ids[place]), float(frame.values[present[:, place], place][-1])
