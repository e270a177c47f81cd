"""From what esxtop would print to what a session keeps: absent where it means nothing, counts as rates.

The same rules as for a capture that is imported: no I/O counters in the first sample, nothing of a group
that was filled with zeros, counts since boot as rates; and what the header and constant columns state
becomes facts.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from collectors.esxtop_names import HostLayout
from sessions.model import Fact, FloatArray, Gap, IntArray

_ZERO_FILLED = "its set of worlds changed: esxtop wrote zeros instead of values"
_NOT_SAMPLED = "no sample was taken"


class HostSamples:
    """One host's samples, taken a few at a time in order of time; gaps and facts are known at the end."""

    def __init__(self, layout: HostLayout, tick_ms: int) -> None:
        self.layout = layout
        self._tick_ms = tick_ms
        self._last_ms: int | None = None
        self._start_ms = 0
        self._counts: FloatArray = np.full(len(layout.cumulative), np.nan)
        self._facts = np.array([at for at, _ in layout.fact_columns], dtype=np.int64)
        self._low: FloatArray = np.full(len(self._facts), np.inf)
        self._high: FloatArray = np.full(len(self._facts), -np.inf)
        self._signs = np.array([fill.signs for fill in layout.zero_fills], dtype=np.int64).reshape(-1, 3)
        self._open: dict[int, tuple[int, int, int]] = {}
        self._fills: list[tuple[int, int, int, int]] = []
        self._holes: list[tuple[int, int, int]] = []

    def take(self, times: IntArray, rows: FloatArray) -> FloatArray:
        """Stored values (times, series) of the next printed rows (times, columns); NaN is absent."""
        values = rows[:, self.layout.columns]
        if self._last_ms is None and len(times):
            self._start_ms = int(times[0])
            self._drop_first_io(values)
        facts = values[:, self._facts]
        self._low = np.fmin(self._low, facts.min(axis=0, initial=np.inf))
        self._high = np.fmax(self._high, facts.max(axis=0, initial=-np.inf))
        self._note_holes(times)
        self._take_out_fills(times, values)
        self._rates(times, values)
        if len(times):
            self._last_ms = int(times[-1])
        return values

    def gaps(self, source: int) -> Iterator[Gap]:
        """What is missing: entities that were filled with zeros, instants that were not sampled."""
        runs = [*self._fills, *((fill, *run) for fill, run in self._open.items())]
        for fill, start, end, ticks in sorted(runs):
            yield Gap(source, start, end, _ZERO_FILLED, self.layout.zero_fills[fill].entity, ticks)
        for start, end, ticks in self._holes:
            yield Gap(source, start, end, _NOT_SAMPLED, None, ticks)

    def facts(self) -> list[Fact]:
        """What the header states, and the columns that never changed."""
        constant = [
            Fact(self.layout.specs[at].entity, name, float(low), self._start_ms)
            for (at, name), low, high in zip(self.layout.fact_columns, self._low, self._high, strict=True)
            if low == high and low > 0
        ]
        return [*self.layout.facts(self._start_ms), *constant]

    def _drop_first_io(self, values: FloatArray) -> None:
        if not values[0, self.layout.io].any():
            values[0, self.layout.io] = np.nan

    def _note_holes(self, times: IntArray) -> None:
        before = times[:1] - self._tick_ms if self._last_ms is None else np.array([self._last_ms])
        steps = np.diff(times, prepend=before[:1])
        for at in np.flatnonzero(steps >= 2 * self._tick_ms).tolist():
            missing = int(steps[at]) // self._tick_ms - 1
            end = int(times[at]) - self._tick_ms
            self._holes.append((end - (missing - 1) * self._tick_ms, end, missing))

    def _take_out_fills(self, times: IntArray, values: FloatArray) -> None:
        filled = (values[:, self._signs] == 0.0).all(axis=2)
        for row in np.flatnonzero(filled.any(axis=1) | bool(self._open)).tolist():
            now = set(np.flatnonzero(filled[row]).tolist())
            self._follow_runs(now, int(times[row]))
            for one in now:
                fill = self.layout.zero_fills[one]
                values[row, fill.absent] = np.nan
                if not values[row, fill.doubtful].any():
                    values[row, fill.doubtful] = np.nan

    def _follow_runs(self, now: set[int], t_ms: int) -> None:
        """Extend, begin and end runs of zero-filled samples; a world has none where its group has one."""
        told = {one for one in now if self.layout.zero_fills[one].within not in now}
        for one in self._open.keys() - told:
            self._fills.append((one, *self._open.pop(one)))
        for one in told:
            start, _, ticks = self._open.get(one, (t_ms, t_ms, 0))
            self._open[one] = (start, t_ms, ticks + 1)

    def _rates(self, times: IntArray, values: FloatArray) -> None:
        cumulative = self.layout.cumulative
        if not len(cumulative) or not len(times):
            return
        counts = np.vstack([self._counts, values[:, cumulative]])
        last = self._last_ms if self._last_ms is not None else int(times[0]) - self._tick_ms
        seconds = np.diff(times, prepend=last)[:, None] / 1000.0
        grown = np.diff(counts, axis=0)
        values[:, cumulative] = np.where(grown >= 0, grown / seconds, np.nan)
        self._counts = counts[-1]
