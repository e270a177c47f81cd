"""The layouts of a recording, numbered for collectors, and the last sample of each series."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from collectors.feed import Layout, Tick
from recorder.earlier_run import EarlierRun
from recorder.recorded_sources import RecordedSources
from sessions.model import IntArray, SeriesSpec
from sessions.store import SessionWriter


@dataclass(slots=True)
class _StoredLayout:
    source: int
    id: int
    series: IntArray


class RecordedLayouts:
    """The layouts of this run, numbered from 1 in the order in which collectors added them."""

    def __init__(
        self, writer: SessionWriter, sources: RecordedSources, earlier: EarlierRun, last: IntArray
    ) -> None:
        """``last``: time of each series' last sample in ms by series id, 0 for none."""
        self._writer, self._sources, self._earlier, self._last = writer, sources, earlier, last
        self._layouts: list[_StoredLayout] = []

    def add(self, source: int, specs: Sequence[SeriesSpec]) -> Layout:
        """Add series that arrive together; return the layout with the times of their last samples."""
        layout = self._declare(source, specs)
        self._layouts.append(layout)
        return Layout(len(self._layouts), self._last[layout.series], self._writer.ticks.scales(layout.series))

    def add_ticks(self, ticks: Sequence[Tick]) -> None:
        """Store ticks in one transaction."""
        layouts = [self._layouts[tick.layout - 1] for tick in ticks]
        self._writer.append_ticks(
            ((layout.id, tick.t_ms, tick.stored) for layout, tick in zip(layouts, ticks, strict=True)),
            compact=False,
        )
        for layout, tick in zip(layouts, ticks, strict=True):
            given = layout.series[~np.isnan(tick.stored)]
            self._last[given] = np.maximum(self._last[given], tick.t_ms)
            self._recover(layout.source, tick.t_ms, given.size)

    def continue_in(self, writer: SessionWriter, specs: Mapping[int, SeriesSpec]) -> None:
        """Continue in another file, which already has the sources; ``specs`` are the series of the
        file before, by id.
        """
        before = [([specs[i] for i in one.series.tolist()], self._last[one.series]) for one in self._layouts]
        self._writer = writer
        self._last = np.zeros(1, np.int64)
        for layout, (own, last) in zip(self._layouts, before, strict=True):
            renewed = self._declare(layout.source, own)
            layout.id, layout.series = renewed.id, renewed.series
            self._last[layout.series] = last

    def _recover(self, source: int, t_ms: int, samples: int) -> None:
        """Samples have come after all that an earlier run may have counted as lost."""
        stored_source, gaps = self._sources.stored_id(source), self._earlier.gaps
        if not samples or not gaps.was_lost(stored_source, t_ms):
            return
        self._sources.recover(source, samples)
        if left := gaps.shortened(stored_source, t_ms):
            self._writer.add_gaps([left])

    def _declare(self, source: int, specs: Sequence[SeriesSpec]) -> _StoredLayout:
        stored_source = self._sources.stored_id(source)
        series = self._writer.add_series(stored_source, specs)
        layout = self._writer.add_layout(stored_source, series)
        short = int(series.max(initial=0)) + 1 - self._last.size
        if short > 0:
            self._last = np.concatenate([self._last, np.zeros(short, np.int64)])
        return _StoredLayout(source, layout, series)
