"""The samples that are compared: every series of a source beside the reference, on one grid of time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from diagnosis.arrays import BoolArray, usual_step
from diagnosis.correlation.question import Span, offset_of, samples_of, step_of
from diagnosis.correlation.stays import Away
from resources.correlation_roles import CorrelationNumbers
from sessions.model import EntityRef, FloatArray, IntArray, SampleSource, Series, Source
from sessions.times import TimeRange

_AT_ONCE = 4096  # series
_MIN_BLOCKS = 12


@runtime_checkable
class BlockSource(Protocol):
    """A session that knows over which times its statistics need no samples."""

    def whole_blocks(self, source: int, window: TimeRange) -> list[TimeRange]:
        """Return the times of the source's blocks within the window, ascending; they don't overlap."""


@dataclass(frozen=True, slots=True)
class Table:
    """The series of one source that vary: ``values[i, j]`` of series ``ids[i]`` in bin j, NaN where absent.

    ``reference`` is the mean of the reference in the same bins (empty without one). Bins are ``step`` ms
    long; ``in_window`` says which are in the window. ``constant`` and ``sparse`` series were left out.
    ``came`` are loads of entities that were not there before the window, powered on or moved here: before it
    they made none.
    """

    ids: IntArray
    values: FloatArray
    reference: FloatArray
    in_window: BoolArray
    step: int
    constant: int
    sparse: int
    came: BoolArray


class _Varying(NamedTuple):
    """The series that vary and have enough samples: places, rows; how many are still, and sparse; and which
    are loads that came.
    """

    here: IntArray
    rows: FloatArray
    still: int
    few: int
    came: BoolArray


class Tables:
    """Reads the tables of a session for one span. ``loads`` are the ids of the series that are loads,
    ``away`` those of VMs that were moved, with the times in which they were no load here.
    """

    def __init__(
        self,
        session: SampleSource,
        span: Span,
        reference: Series | None,
        numbers: CorrelationNumbers,
        loads: Mapping[int, EntityRef] | None = None,
        away: Away | None = None,
    ) -> None:
        self._session, self._span, self._numbers = session, span, numbers
        self._loads, self._away = loads or {}, away or {}
        self._reference_source = reference.source if reference else None
        self._reference = samples_of(session, reference, span.whole) if reference else None

    def each(self, series: Sequence[Series], check: Callable[[float], None]) -> Iterator[Table]:
        """Yield a table for each source; ``check`` is told the part done, and may raise to stop."""
        by_source: dict[int, list[int]] = {}
        for one in series:
            by_source.setdefault(one.source, []).append(one.id)
        done = 0
        for source in self._session.sources():
            ids = np.array(by_source.get(source.id, ()), dtype=np.int64)
            if ids.size:
                found = self._table(source, ids, partial(_share_done, check, done, ids.size, len(series)))
                done += ids.size
                if found is not None:
                    yield found

    def _table(self, source: Source, ids: IntArray, check: Callable[[float], None]) -> Table | None:
        offset = offset_of(self._session, source.id)
        whole = TimeRange(self._span.whole.start + offset, self._span.whole.end + offset)
        times = self._session.times(source.id, whole)
        if times.size < self._numbers.min_samples.value:
            return None
        if times.size > self._numbers.max_samples.value and isinstance(self._session, BlockSource):
            blocks = self._session.whole_blocks(source.id, whole)
            if len(blocks) >= _MIN_BLOCKS:
                return self._of_blocks(ids, blocks, offset, check)
        return self._of_samples(ids, whole, times, self._step(source, times), offset, check)

    def _step(self, source: Source, times: IntArray) -> int:
        """The coarser of both intervals: what is finer is averaged, nothing is made up between samples."""
        own = step_of(source, times)
        if self._reference is not None and self._reference_source != source.id:
            own = max(own, int(usual_step(self._reference[0])))
        most = -(-(int(times[-1]) - int(times[0]) + 1) // int(self._numbers.max_samples.value))
        return own * max(1, -(-most // own))

    def _of_samples(
        self,
        ids: IntArray,
        whole: TimeRange,
        times: IntArray,
        step: int,
        offset: int,
        check: Callable[[float], None],
    ) -> Table:
        first = int(times[0])
        bins = (int(times[-1]) - first) // step + 1
        place = (times - first + step // 2) // step if step <= usual_step(times) else (times - first) // step
        place = np.minimum(place, bins - 1)
        middle = first - offset + np.arange(bins) * step
        inside = (middle >= self._span.window.start) & (middle <= self._span.window.end)
        kept: list[tuple[IntArray, FloatArray, BoolArray]] = []
        constant = sparse = 0
        for begin in range(0, ids.size, _AT_ONCE):
            check(begin / ids.size)
            for frame in self._session.read(ids[begin : begin + _AT_ONCE], whole):
                at = place if frame.times.size == times.size else place[np.searchsorted(times, frame.times)]
                part = self._varying(*self._here(frame.ids, frame.values, frame.times - offset), inside[at])
                constant, sparse = constant + part.still, sparse + part.few
                kept.append((frame.ids[part.here], _binned(part.rows, at, bins), part.came))
        values = np.concatenate([rows for _, rows, _ in kept]) if kept else np.zeros((0, bins))
        chosen = np.concatenate([one for one, _, _ in kept]) if kept else np.zeros(0, np.int64)
        came = np.concatenate([one for _, _, one in kept]) if kept else np.zeros(0, bool)
        came |= self._arrived(chosen)
        return Table(chosen, values, self._reference_in(middle, step), inside, step, constant, sparse, came)

    def _here(self, ids: IntArray, values: FloatArray, times: IntArray) -> tuple[IntArray, FloatArray]:
        """The values (times, series) without what VMs did while they were elsewhere: no load is 0 here."""
        moved = [column for column, one in enumerate(ids.tolist()) if one in self._away]
        if not moved:
            return ids, values
        values = values.copy()
        for column in moved:
            for period in self._away[int(ids[column])]:
                elsewhere = (times >= period.start) & (times <= period.end)
                values[elsewhere & ~np.isnan(values[:, column]), column] = 0.0
        return ids, values

    def _arrived(self, ids: IntArray) -> BoolArray:
        """Which series are of VMs that were moved here after the beginning, before the window's end."""
        begin, end = self._span.whole.start, self._span.window.end
        return np.array(
            [
                any(one.start <= begin for one in periods) and not any(one.end >= end for one in periods)
                for periods in (self._away.get(one, ()) for one in ids.tolist())
            ],
            dtype=bool,
        )

    def _varying(self, ids: IntArray, values: FloatArray, inside: BoolArray) -> _Varying:
        first = values[0]
        differs = (values != first).any(axis=0)  # NaN differs from itself
        known_some = np.flatnonzero(differs)
        rows = np.ascontiguousarray(values.T[known_some])  # a reader's values lie series by series
        absent = np.isnan(rows)
        if not absent.any():
            came = np.zeros(known_some.size, bool)
            return _Varying(known_some, rows, values.shape[1] - known_some.size, 0, came)
        came = self._came(ids, values, known_some, absent, inside)
        rows[came] = np.where(absent[came] & ~inside, 0.0, rows[came])
        known = ~np.isnan(rows)
        enough = known.sum(axis=1) >= self._numbers.min_samples.value
        enough &= known[:, inside].any(axis=1) & known[:, ~inside].any(axis=1) if (~inside).any() else True
        low = np.where(known, rows, np.inf).min(axis=1)
        high = np.where(known, rows, -np.inf).max(axis=1)
        moving = enough & (high > low)
        few = int(np.count_nonzero(~enough))
        still = values.shape[1] - known_some.size + int(np.count_nonzero(enough & (high <= low)))
        return _Varying(known_some[moving], rows[moving], still, few, came[moving])

    def _came(
        self, ids: IntArray, values: FloatArray, some: IntArray, absent: BoolArray, inside: BoolArray
    ) -> BoolArray:
        """Which of ``some`` are loads with enough samples in the window whose entity has none before it."""
        new = absent[:, ~inside].all(axis=1) & (~inside).any()
        new &= (~absent[:, inside]).sum(axis=1) >= self._numbers.min_samples.value
        if not self._loads or not new.any():
            return np.zeros(some.size, bool)
        there = ~np.isnan(values[~inside]).all(axis=0)
        known = {self._loads[one] for one in ids[there].tolist() if one in self._loads}
        return np.array(
            [
                bool(is_new) and (entity := self._loads.get(one)) is not None and entity not in known
                for one, is_new in zip(ids[some].tolist(), new, strict=True)
            ]
        )

    def _of_blocks(
        self, ids: IntArray, blocks: Sequence[TimeRange], offset: int, check: Callable[[float], None]
    ) -> Table:
        means = np.empty((len(blocks), ids.size))
        for number, block in enumerate(blocks):
            check(number / len(blocks))
            means[number] = self._session.stats(ids, block).mean
        middle = np.array([(block.start + block.end) // 2 - offset for block in blocks])
        inside = (middle >= self._span.window.start) & (middle <= self._span.window.end)
        step = int(np.median([block.end - block.start for block in blocks]))
        part = self._varying(*self._here(ids, means, middle), inside)
        reference = self._reference_in(middle, step)
        came = part.came | self._arrived(ids[part.here])
        return Table(ids[part.here], part.rows, reference, inside, step, part.still, part.few, came)

    def _reference_in(self, middle: IntArray, step: int) -> FloatArray:
        """The reference's means in bins with these middles."""
        if self._reference is None:
            return np.zeros(0)
        times, values = self._reference
        edges = np.append(middle - step // 2, middle[-1] + step - step // 2)
        place = np.searchsorted(edges, times, side="right") - 1
        good = (place >= 0) & (place < middle.size)
        count = np.bincount(place[good], minlength=middle.size)
        total = np.bincount(place[good], weights=values[good], minlength=middle.size)
        return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def _share_done(check: Callable[[float], None], done: int, mine: int, of: int, part: float) -> None:
    check((done + part * mine) / of)


def _binned(rows: FloatArray, place: IntArray, bins: int) -> FloatArray:
    """Means of rows (n, times) in bins, NaN for a bin without samples."""
    if place.size == bins and (np.diff(place) == 1).all():
        return rows
    if (np.diff(place) > 0).all():
        result = np.full((rows.shape[0], bins), np.nan)
        result[:, place] = rows
        return result
    first = np.flatnonzero(np.diff(place, prepend=-1))
    known = ~np.isnan(rows)
    count = np.add.reduceat(known.astype(np.float64), first, axis=1)
    total = np.add.reduceat(np.where(known, rows, 0.0), first, axis=1)
    result = np.full((rows.shape[0], bins), np.nan)
    result[:, place[first]] = np.where(count > 0, total / np.maximum(count, 1.0), np.nan)
    return result
