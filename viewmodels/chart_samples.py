"""Reads the samples that charts show for a window, and later only what is new or was outside the window."""

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
from viewmodels.possible_samples import LeftOut, Limits, without_impossible

_MAX_KEPT_CELLS = 1 << 23
"""Above this number of values in memory (64 MB), those far from the window are dropped."""


_SPARE = 8
"""When a table is copied, 1/8 of its columns are added as spare room."""


class _Table:
    """A (series, times) array with spare room at its end, so that appending need not copy all values.

    The values of a table never change; a table made from it by appending shares its memory. Any other change
    copies.
    """

    def __init__(self, values: FloatArray) -> None:
        self.values = values
        self._room = values
        self._filled = [values.shape[1]]  # shared by the tables that use the room
        self._lock = threading.Lock()

    def replaced(self, first: int, last: int, values: FloatArray) -> _Table:
        """Return a table in which ``values`` replace the columns from ``first`` up to ``last`` (excluded)."""
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
        """Reserve the spare columns from ``first`` to ``end``; False if another table has them already."""
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
    """The curves that were read, by series id, over the time ``window`` (None: nothing was read yet), without
    the samples ``left_out`` that no host can have.
    """

    ids: frozenset[int] = frozenset()
    window: TimeRange | None = None
    newest: int = 0
    curves: Mapping[int, Curve] = field(default_factory=dict)
    left_out: LeftOut = field(default_factory=LeftOut)
    _sources: Mapping[int, _SourceSamples] = field(default_factory=dict)

    def cover(self, ids: Collection[int], window: TimeRange) -> bool:
        """True if all these series were read over the whole of ``window``."""
        mine = self.window
        return (
            self.ids.issuperset(ids)
            and mine is not None
            and mine.start <= window.start
            and window.end <= mine.end
        )

    @property
    def cells(self) -> int:
        """How many values (series × times) are held in memory."""
        return sum(source.table.values.size for source in self._sources.values())


def read_samples(
    reader: SessionReader,
    ids: Collection[int],
    window: TimeRange,
    known: ChartSamples,
    check: Callable[[], None],
    limits: Limits | None = None,
) -> ChartSamples:
    """Read the samples of some series over a window; reuses ``known`` and reads only what it lacks.

    Samples that were read before are kept, beyond the window too, up to 64 MB. What is missing is the parts
    of the window outside ``known``, and samples written since, at the end or late in the midst of the
    session. ``check`` is called between reads and may raise to cancel. Samples outside of ``limits`` are
    absent, and listed.
    """
    known = known if _can_go_on(known, ids, window) else ChartSamples(frozenset(ids))
    numbers = np.array(sorted(known.ids), np.int64)
    with reader.one_state():
        written, newest = reader.written_since(numbers, known.newest)
        whole, parts = _parts_to_read(known.window, window, written)
        sources, left_out = known._sources, known.left_out
        for part in parts:
            check()
            pairs = [without_impossible(frame, limits or {}) for frame in reader.read(numbers, part)]
            sources = {
                frame.source: _with_part(sources.get(frame.source), frame, part) for frame, _left in pairs
            }
            left_out = left_out.beside(part)
            for _frame, left in pairs:
                left_out = left_out.added(left)
    curves = {
        number: curve
        for source in sources.values()
        for number, curve in zip(source.ids.tolist(), source.curves, strict=True)
    }
    return ChartSamples(known.ids, whole, newest, curves, left_out, sources)


def _can_go_on(known: ChartSamples, ids: Collection[int], window: TimeRange) -> bool:
    """True if ``known`` has these series, overlaps the window, and does not hold far too much beside it."""
    window_read = known.window
    if window_read is None or not known.ids.issuperset(ids) or window_read.intersect(window) is None:
        return False
    return known.cells <= _MAX_KEPT_CELLS or window.seconds >= window_read.seconds / 2


def _parts_to_read(
    known: TimeRange | None, window: TimeRange, written: Sequence[TimeRange]
) -> tuple[TimeRange, list[TimeRange]]:
    """Return the window that is known after reading, and the parts to read: missing ends and new samples."""
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
    """Return a source's samples in which the part of time ``part`` is replaced by what ``frame`` has."""
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
        curve.updated(instants, row, first).prepare()
        for curve, row in zip(known.curves, table.values, strict=True)
    ]
    return _SourceSamples(known.ids, instants, table, curves)
