"""From esxtop's printed values to what a session stores: invalid values are absent, counts become rates.

The same rules as for an imported capture: no I/O counters in the first sample, no values of a group that was
filled with zeros, counts since boot as rates; what the header and constant columns say becomes facts.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from collectors.esxtop_names import ZERO_FILLED, EsxtopRepairs, HostColumns, ZeroFillRuns
from sessions.model import Fact, FloatArray, Gap, IntArray

_NOT_SAMPLED = "no sample was taken"


class HostSamples:
    """One host's samples, converted in pieces in order of time; gaps and facts are complete at the end."""

    def __init__(self, host_columns: HostColumns, tick_ms: int) -> None:
        self.host_columns = host_columns
        self._tick_ms = tick_ms
        self._last_ms: int | None = None
        self._start_ms = 0
        self._repairs = EsxtopRepairs(host_columns.repairs)
        self._runs = ZeroFillRuns(host_columns.repairs)
        self._facts = np.array([at for at, _ in host_columns.fact_columns], dtype=np.int64)
        self._low: FloatArray = np.full(len(self._facts), np.inf)
        self._high: FloatArray = np.full(len(self._facts), -np.inf)
        self._holes: list[tuple[int, int, int]] = []

    def take(self, times: IntArray, rows: FloatArray) -> FloatArray:
        """Convert the next printed rows (times, columns) to stored values (times, series); NaN is absent."""
        values = rows[:, self.host_columns.columns]
        if not len(times):
            return values
        is_first = self._last_ms is None
        if is_first:
            self._start_ms = int(times[0])
        repaired = self._repairs.repair(times, values, first=0 if is_first else None)
        self._runs.add(times, repaired.filled)
        facts = values[:, self._facts]
        self._low = np.fmin(self._low, facts.min(axis=0, initial=np.inf))
        self._high = np.fmax(self._high, facts.max(axis=0, initial=-np.inf))
        self._note_holes(times)
        self._last_ms = int(times[-1])
        return values

    def gaps(self, source: int) -> Iterator[Gap]:
        """Yield the gaps: entities whose columns were filled with zeros, instants that were not sampled."""
        for run in self._runs.runs():
            entity = self.host_columns.zero_fills[run.fill].entity
            yield Gap(source, run.start, run.end, ZERO_FILLED, entity, run.rows)
        for start, end, ticks in self._holes:
            yield Gap(source, start, end, _NOT_SAMPLED, None, ticks)

    def facts(self) -> list[Fact]:
        """Return the facts of the header, and of the columns that never changed."""
        constant = [
            Fact(self.host_columns.specs[at].entity, name, float(low), self._start_ms)
            for (at, name), low, high in zip(
                self.host_columns.fact_columns, self._low, self._high, strict=True
            )
            if low == high and low > 0
        ]
        return [*self.host_columns.facts(self._start_ms), *constant]

    def _note_holes(self, times: IntArray) -> None:
        before = times[:1] - self._tick_ms if self._last_ms is None else np.array([self._last_ms])
        steps = np.diff(times, prepend=before[:1])
        for at in np.flatnonzero(steps >= 2 * self._tick_ms).tolist():
            missing = int(steps[at]) // self._tick_ms - 1
            end = int(times[at]) - self._tick_ms
            self._holes.append((end - (missing - 1) * self._tick_ms, end, missing))
