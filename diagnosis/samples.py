"""Samples of many series as rows on one source's time axis, read in blocks within a memory budget."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sessions.model import FloatArray, Frame, IntArray, SampleSource, SeriesStats
from sessions.times import TimeRange

_BUDGET = 24_000_000  # samples kept in memory at once: about 200 MB


class SampleTable:
    """Reads series as float64 rows, NaN where absent; samples of another source are taken from the
    nearest instant.

    ``owner`` gives the source of each series.
    """

    def __init__(self, source: SampleSource, window: TimeRange, owner: Mapping[int, int]) -> None:
        self._source = source
        self.window = window
        self._axes: dict[int, IntArray] = {}
        self._offsets = {one.id: one.spec.clock_offset_ms for one in source.sources()}
        self._owner = owner
        self._kept: dict[int, FloatArray] = {}
        self._held = 0

    def axis(self, source: int) -> IntArray:
        """Return the sampling instants of the source in the window; shape (n,), int64, ms."""
        if source not in self._axes:
            self._axes[source] = self._source.times(source, self.window)
        return self._axes[source]

    def owners(self, ids: IntArray) -> IntArray:
        """Return the source of each series."""
        return np.array([self._owner[one] for one in ids.tolist()], dtype=np.int64)

    def reference_end(self, source: int) -> int:
        """Return the source's last sampling instant on the reference clock, in ms; it has samples."""
        return int(self.axis(source)[-1]) - self._offsets[source]

    def longest_step(self) -> float:
        """Return the usual interval of the slowest source, in ms."""
        return max((_usual_step(self.axis(one)) for one in self._offsets), default=0.0)

    def last_in(self, ids: IntArray, window: TimeRange) -> IntArray:
        """Return the time of each series' last sample in a range of the window, in ms; 0 for none."""
        last = np.zeros(ids.size, np.int64)
        counts = self._source.stats(ids, window).count
        place = {one: position for position, one in enumerate(ids.tolist())}
        some = ids[counts > 0]
        if window.start == window.end:
            last[counts > 0] = window.end
            return last
        for frame in self._source.read(some, window) if some.size else ():
            known = ~np.isnan(frame.values)
            final = frame.times.size - 1 - np.argmax(known[::-1], axis=0)
            for column, one in enumerate(frame.ids.tolist()):
                if known[:, column].any():
                    last[place[one]] = frame.times[final[column]]
        return last

    def statistics(self, ids: IntArray) -> SeriesStats:
        """Return statistics of each series over the window."""
        return self._source.stats(ids, self.window)

    def rows(self, source: int, ids: IntArray) -> FloatArray:
        """Return the samples (len(ids), len(axis)) on the source's axis; the id −1 gives a row of NaN."""
        self._load(ids)
        axis = self.axis(source)
        result = np.full((ids.size, axis.size), np.nan)
        for position, series in enumerate(ids.tolist()):
            if series < 0:
                continue
            values = self._kept[series]
            owner = self._owner[series]
            result[position] = values if owner == source else self._aligned(values, owner, source)
        return result

    def _load(self, ids: IntArray) -> None:
        wanted = np.unique(ids[ids >= 0])
        missing = np.array([one for one in wanted.tolist() if one not in self._kept], dtype=np.int64)
        if not missing.size:
            return
        if self._held > _BUDGET:
            self._kept.clear()
            self._held, missing = 0, wanted
        for frame in self._source.read(missing, self.window):
            self._keep(frame)
        for one in missing.tolist():  # a series without a sample in the window may be in no frame
            if one not in self._kept:
                self._kept[one] = np.full(self.axis(self._owner[one]).size, np.nan)

    def _keep(self, frame: Frame) -> None:
        axis = self.axis(frame.source)
        columns = np.ascontiguousarray(frame.values.T)
        if frame.times.size != axis.size:
            placed = np.full((columns.shape[0], axis.size), np.nan)
            placed[:, np.searchsorted(axis, frame.times)] = columns
            columns = placed
        for series, values in zip(frame.ids.tolist(), columns, strict=True):
            self._kept[series] = values
        self._held += columns.size

    def _aligned(self, values: FloatArray, owner: int, source: int) -> FloatArray:
        """Another source's samples at the nearest of this one's instants, both on the reference clock."""
        theirs = self.axis(owner) - self._offsets[owner]
        ours = self.axis(source) - self._offsets[source]
        if not theirs.size:
            return np.full(ours.size, np.nan)
        right = np.clip(np.searchsorted(theirs, ours), 0, theirs.size - 1)
        left = np.maximum(right - 1, 0)
        nearest = np.where(np.abs(theirs[left] - ours) <= np.abs(theirs[right] - ours), left, right)
        usual = max(_usual_step(theirs), _usual_step(ours))
        return np.where(np.abs(theirs[nearest] - ours) <= usual, values[nearest], np.nan)


def _usual_step(times: IntArray) -> float:
    return float(np.median(np.diff(times))) if times.size > 1 else 0.0
