"""The time of each series' last sample, from which an interrupted recording is continued."""

from __future__ import annotations

import numpy as np

from sessions.model import IntArray
from sessions.store.database import Database
from sessions.store.samples import Samples
from sessions.store.segments import Segment

_SLAB_CELLS = 1 << 22


def last_samples(database: Database) -> IntArray:
    """Return the time (ms) of the last stored sample by series id, 0 for none; shape (series +
    1,), index 0 unused.
    """
    samples = Samples(database)
    with database.snapshot():
        samples.refresh()
        last = np.zeros(samples.inventory.count + 1, np.int64)
        for segment in sorted(samples.segments, key=lambda segment: segment.end, reverse=True):
            ids = segment.layout.ids
            later = np.flatnonzero(last[ids] < segment.end)
            if later.size:
                last[ids[later]] = np.maximum(last[ids[later]], _in_segment(samples, segment, later))
    return last


def _in_segment(samples: Samples, segment: Segment, positions: IntArray) -> IntArray:
    """Time of the last sample of the series at these positions; decodes only those that miss some."""
    if not segment.is_block:
        return _decoded(samples, segment, positions)
    count = samples.contents.sums(segment, positions).count
    last = np.where(count == segment.ticks, segment.end, 0)
    some = np.flatnonzero((count > 0) & (count < segment.ticks))
    slab = max(1, _SLAB_CELLS // segment.ticks)
    for begin in range(0, some.size, slab):
        part = some[begin : begin + slab]
        last[part] = _decoded(samples, segment, positions[part])
    return last


def _decoded(samples: Samples, segment: Segment, positions: IntArray) -> IntArray:
    present = ~np.isnan(samples.contents.columns(segment, positions))
    from_end = np.argmax(present[:, ::-1], axis=1)
    times = samples.contents.times(segment)
    found: IntArray = np.where(present.any(axis=1), times[segment.ticks - 1 - from_end], 0)
    return found
