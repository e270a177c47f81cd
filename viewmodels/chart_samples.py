"""The samples that charts show: read for a window, completed when the window moves or the session grows."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field

import numpy as np

from sessions.model import FloatArray, Frame, IntArray
from sessions.store import SessionReader
from sessions.times import TimeRange, joined
from viewmodels.curve import Curve, Instants

_MAX_KEPT_CELLS = 1 << 23
"""With more samples in memory (64 MB) what is not near the window is dropped."""


_SPARE = 8
"""A table that was copied has room for one in so many times more."""


class _Table:
    """Values (series, times) with room for more: what is appended is not copied with what was there.

    A table is never changed, only written behind its end, and by one that follows it; others get a copy.
    """

    def __init__(self, values: FloatArray) -> None:
        self.values = values
        self._room = values
        self._filled = [values.shape[1]]  # shared by the tables that use the room
        self._lock = threading.Lock()

    def replaced(self, first: int, last: int, values: FloatArray) -> _Table:
        """A table in which ``values`` are in the place of the times from ``first`` to ``last``."""
        end = first + values.shape[1]
        if first == last == self.values.shape[1] and self._take_room(first, end):
            following = copy(self)
            self._room[:, first:end] = values
            following.values = self._room[:, :end]
            return following
        whole = end + self.values.shape[1] - last
        room = np.empty((len(values), whole + whole // _SPARE))
        room[:, :first], room[:, first:end] = self.values[:, :first], values
        room[:, end:whole] = self.values[:, last:]
        table = _Table(room[:, :whole])
        table._room = room
        return table

    def _take_room(self, first: int, end: int) -> bool:
        """Whether there is room from ``first`` to ``end`` that nobody else has filled."""
        with self._lock:
            if self._filled[0] != first or end > self._room.shape[1]:
                return False
            self._filled[0] = end
            return True


@dataclass(frozen=True)
class _SourceSamples:
    """The samples of one source's series in the order of ``ids``."""

    ids: IntArray
    instants: Instants
    table: _Table
    curves: Sequence[Curve]


@dataclass(frozen=True)
class ChartSamples:
    """Curves by the ids of their series, over the stretch of time ``window`` (None: nothing was read)."""

    ids: frozenset[int] = frozenset()
    window: TimeRange | None = None
    newest: int = 0
    curves: Mapping[int, Curve] = field(default_factory=dict)
    _sources: Mapping[int, _SourceSamples] = field(default_factory=dict)

    def cover(self, ids: Collection[int], window: TimeRange) -> bool:
        """Whether these series were read over all of a window, as far as there were samples then."""
        mine = self.window
        return (
            self.ids.issuperset(ids)
            and mine is not None
            and mine.start <= window.start
            and window.end <= mine.end
        )

    @property
    def cells(self) -> int:
        """How many values are in memory."""
        return sum(source.table.values.size for source in self._sources.values())


def read_samples(
    reader: SessionReader,
    ids: Collection[int],
    window: TimeRange,
    before: ChartSamples,
    check: Callable[[], None],
) -> ChartSamples:
    """The samples of some series over a window; of what was read ``before`` only what is new is read.

    What was read stays, beyond the window too, while it is not too much. New is what was written since: at
    the end of the session, or late, in the midst of it. ``check`` is called between pieces; it may raise.
    """
    before = before if _can_go_on(before, ids, window) else ChartSamples(frozenset(ids))
    numbers = np.array(sorted(before.ids), np.int64)
    with reader.one_state():
        written, newest = reader.written_since(numbers, before.newest)
        whole, parts = _parts_to_read(before.window, window, written)
        sources = before._sources
        for part in parts:
            check()
            sources = {
                frame.source: _with_part(sources.get(frame.source), frame, part)
                for frame in reader.read(numbers, part)
            }
    curves = {
        number: curve
        for source in sources.values()
        for number, curve in zip(source.ids.tolist(), source.curves, strict=True)
    }
    return ChartSamples(before.ids, whole, newest, curves, sources)


def _can_go_on(before: ChartSamples, ids: Collection[int], window: TimeRange) -> bool:
    """Whether what was read has these series, touches the window, and is not far too much for it."""
    known = before.window
    if known is None or not before.ids.issuperset(ids) or known.intersect(window) is None:
        return False
    return before.cells <= _MAX_KEPT_CELLS or window.seconds >= known.seconds / 2


def _parts_to_read(
    known: TimeRange | None, window: TimeRange, written: Sequence[TimeRange]
) -> tuple[TimeRange, list[TimeRange]]:
    """What is known after reading, and what to read for that: what is missing at the ends, what is new."""
    if known is None:
        return window, [window]
    whole = TimeRange(min(known.start, window.start), max(known.end, window.end))
    parts = [part for one in written if (part := one.intersect(whole)) is not None]
    if window.start < known.start:
        parts.append(TimeRange(window.start, known.start - 1))
    if window.end > known.end:
        parts.append(TimeRange(known.end + 1, window.end))
    return whole, joined(parts)


def _with_part(known: _SourceSamples | None, frame: Frame, part: TimeRange) -> _SourceSamples:
    """A source's samples with those of a stretch of time replaced by what a frame has there."""
    values = np.ascontiguousarray(frame.values.T)
    if known is None:
        instants, table = Instants(frame.times), _Table(values)
        return _SourceSamples(frame.ids, instants, table, [Curve(instants, row).prepare() for row in values])
    instants, table = known.instants, known.table
    times = instants.times
    first, last = int(np.searchsorted(times, part.start)), int(np.searchsorted(times, part.end, "right"))
    if not np.array_equal(times[first:last], frame.times):
        instants = Instants(np.concatenate([times[:first], frame.times, times[last:]]))
    elif np.array_equal(table.values[:, first:last], values, equal_nan=True):
        return known
    table = table.replaced(first, last, values)
    curves = [
        curve.renewed(instants, row, first).prepare()
        for curve, row in zip(known.curves, table.values, strict=True)
    ]
    return _SourceSamples(known.ids, instants, table, curves)
