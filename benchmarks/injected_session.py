"""A recording in which some series were changed: everything else is read from the file as it is."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from sessions.model import FloatArray, Frame, IntArray, SeriesStats
from sessions.passing_on import PassingOn
from sessions.store import SessionReader
from sessions.times import TimeRange

Change = Callable[[IntArray, FloatArray], FloatArray]
"""Gives the values of a series at some instants (ms), from those that it had."""


class InjectedSession(PassingOn):
    """A SampleSource: a session's reader, with changes of some series."""

    def __init__(self, reader: SessionReader, changes: Mapping[int, Sequence[Change]]) -> None:
        super().__init__(reader)
        self._changes = changes
        self._changed = np.array(sorted(changes), dtype=np.int64)
        self.cpu_s = 0.0
        """What the changes themselves took, in CPU seconds: no part of reading a session."""

    def read(self, ids: IntArray, window: TimeRange | None = None) -> list[Frame]:
        """Samples, changed where they are to be."""
        return [self._with_changes(frame) for frame in self._source.read(ids, window)]

    def _with_changes(self, frame: Frame) -> Frame:
        columns = np.flatnonzero(np.isin(frame.ids, self._changed))
        if not columns.size:
            return frame
        begin = time.process_time()
        values = frame.values.copy()
        for column in columns.tolist():
            for change in self._changes[int(frame.ids[column])]:
                values[:, column] = np.maximum(change(frame.times, values[:, column]), 0.0)
        self.cpu_s += time.process_time() - begin
        return replace(frame, values=values)

    def stats(self, ids: IntArray, window: TimeRange | None = None) -> SeriesStats:
        """Statistics, from samples for changed series."""
        found = self._source.stats(ids, window)
        low, high, mean = found.minimum.copy(), found.maximum.copy(), found.mean.copy()
        mine = np.flatnonzero(np.isin(ids, self._changed))
        place = {int(ids[i]): i for i in mine.tolist()}
        for frame in self.read(ids[mine], window) if mine.size else ():
            for column, one in enumerate(frame.ids.tolist()):
                known = frame.values[~np.isnan(frame.values[:, column]), column]
                if known.size:
                    at = place[one]
                    low[at], high[at], mean[at] = known.min(), known.max(), known.mean()
        return SeriesStats(found.count, low, high, mean)
