"""Turns replies into ticks: samples into columns, columns into layouts; each sample is stored only once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import pairwise

import numpy as np

from collectors.feed import Feed, Tick
from collectors.vsphere.counters.naming import Subject
from collectors.vsphere.counters.reply import Reply
from collectors.vsphere.counters.series_index import SeriesIndex
from collectors.vsphere.counters.watermarks import Slots, Watermarks
from sessions.model import FloatArray, IntArray

LAYOUT_SERIES = 32_768
"""Series in a layout at most: the store keeps a strip for each layout and tick, and many series pack well."""

NEVER = 1 << 62


class SampleBook:
    """Buffers samples: ``take`` collects replies, ``store`` hands over the samples that are new.

    ``since`` and ``latest`` (n,): the slots of the first and newest sample of each series, ``NEVER`` and
    ``-NEVER`` before the first. ``stored`` counts samples of this run, ``refused`` the series that could not
    be read; ``resumed`` is the time (ms) of the last sample that an earlier run of the session stored, 0 for
    none.
    """

    def __init__(
        self, feed: Feed, source: int, columns: SeriesIndex, watermarks: Watermarks, slots: Slots
    ) -> None:
        self._feed, self._source = feed, source
        self._series, self._watermarks, self._slots = columns, watermarks, slots
        self._rows: dict[int, FloatArray] = {}
        self._layouts: list[int] = []
        self._starts: list[int] = [0]
        self._last = np.zeros(0, np.int64)
        self.since = np.zeros(0, np.int64)
        self.latest = np.zeros(0, np.int64)
        self.newest_ms = 0
        self.stored = 0
        self.refused = 0
        self.resumed = 0

    def take(self, reply: Reply, subject_of: Callable[[str], Subject | None]) -> None:
        """Put the samples of a reply into their columns; samples of unknown objects are left out."""
        self.refused += reply.refused
        for block in reply.blocks:
            rows, columns = [], []
            for entity in block.entities:
                subject = subject_of(entity.moid)
                if subject is not None:
                    rows.append(np.arange(entity.first, entity.last))
                    columns.append(self._series.columns_of(subject, entity))
            if columns:
                self._lay(block.times, block.values, np.concatenate(rows), np.concatenate(columns))

    def _lay(self, times: IntArray, values: FloatArray, rows: IntArray, columns: IntArray) -> None:
        known = columns >= 0
        rows, columns = rows[known], columns[known]
        whole = rows.size == len(values)
        for at, t_ms in enumerate(times.tolist()):
            row = self._row(t_ms)
            come = values[:, at] if whole else values[rows, at]
            have = ~np.isnan(come)
            if have.all():
                row[columns] = come
            else:
                row[columns[have]] = come[have]

    def _row(self, t_ms: int) -> FloatArray:
        size = len(self._series)
        row = self._rows.get(t_ms)
        if row is None or row.size < size:
            wider = np.full(size + size // 8, np.nan)
            if row is not None:
                wider[: row.size] = row
            row = self._rows[t_ms] = wider
        return row

    def phase_ms(self, interval_ms: int) -> int:
        """Return the most frequent offset (ms) of the taken samples within the interval."""
        phases = Counter[int]()
        for t_ms, row in self._rows.items():
            phases[t_ms % interval_ms] += int(np.count_nonzero(~np.isnan(row)))
        return phases.most_common(1)[0][0] if phases else 0

    def store(self) -> int:
        """Hand over the new samples of all layouts in one call; return how many samples these were."""
        self._open_layouts()
        ticks: list[Tick] = []
        stored = 0
        for t_ms in sorted(self._rows):
            stored += self._tick(t_ms, self._rows[t_ms][: len(self._series)], ticks)
        self._rows.clear()
        if ticks:
            self._feed.add_ticks(ticks)
        self.stored += stored
        return stored

    def _tick(self, t_ms: int, row: FloatArray, ticks: list[Tick]) -> int:
        slot = self._slots.of(t_ms)
        row = np.pad(row, (0, len(self._series) - row.size), constant_values=np.nan)
        come = ~np.isnan(row) & (self._last < t_ms)
        fresh = self._watermarks.accept_new(slot, come)
        count = int(np.count_nonzero(fresh))
        if not count:
            return 0
        self.newest_ms = max(self.newest_ms, t_ms)
        np.minimum(self.since, np.where(fresh, slot, NEVER), out=self.since)
        np.maximum(self.latest, np.where(fresh, slot, -NEVER), out=self.latest)
        self._series.translate_states(row)
        stored = np.where(fresh, row * self._series.factor, np.nan)
        for layout, (start, end) in zip(self._layouts, pairwise(self._starts), strict=True):
            if fresh[start:end].any():
                ticks.append(Tick(layout, t_ms, stored[start:end]))
        return count

    def _open_layouts(self) -> None:
        """Layouts for the columns that came since: all of one round together."""
        size, start = len(self._series), self._starts[-1]
        if start == size:
            return
        unlisted = self._series.unlisted
        if unlisted:
            self._feed.add_entities(list(unlisted.values()))
            unlisted.clear()
        last = [self._last]
        while start < size:
            end = min(size, start + LAYOUT_SERIES)
            layout = self._feed.add_layout(self._source, self._series.specs[start:end])
            self._series.rescale(start, layout.scale)
            self._layouts.append(layout.id)
            self._starts.append(end)
            last.append(np.asarray(layout.last, np.int64))
            start = end
        self._last = np.concatenate(last)
        self.resumed = max(self.resumed, int(self._last.max(initial=0)))
        self._watermarks.grow(size)
        new = slice(self.since.size, size)
        slots = self.last_slots()[new]
        self.since = np.concatenate((self.since, np.where(slots > -NEVER, slots + 1, NEVER)))
        self.latest = np.concatenate((self.latest, slots))

    def last_slots(self) -> IntArray:
        """Return the slot of each column's last sample of an earlier run, ``-NEVER`` for none;
        shape (n,), int64.
        """
        slots = (self._last - self._slots.phase_ms + self._slots.interval_ms // 2) // self._slots.interval_ms
        return np.where(self._last > 0, slots, -NEVER)
