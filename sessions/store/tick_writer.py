"""Writes samples: layouts, the ticks that arrive in them, and the compaction of ticks to blocks."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b

import numpy as np

from sessions.model import FloatArray, IntArray
from sessions.store.blocks import BLOCK_TICKS, MIN_BLOCK_TICKS, EncodedBlock, encode_block
from sessions.store.codec import pack_ints
from sessions.store.compaction import compact, insert
from sessions.store.database import Database
from sessions.store.documents import FIRST_MS, LAST_MS
from sessions.store.last_samples import last_samples
from sessions.store.pending import Pending
from sessions.store.precedence import Precedence
from sessions.store.registry import Registry
from sessions.store.schema import CHUNK_BITS
from sessions.store.segments import MAX_STRIP_VALUES, Layout, Segment
from sessions.store.write_guard import WriteGuard

Tick = tuple[int, int, FloatArray]
"""A layout, an instant in ms, and the layout's stored values in its order, NaN where absent."""


class TickWriter:
    """Writes the samples of a session; its methods raise what those of SessionWriter raise."""

    def __init__(
        self,
        database: Database,
        guard: WriteGuard,
        registry: Registry,
        layouts: Iterable[Layout],
        segments: Sequence[Segment],
    ) -> None:
        self._database, self._guard, self._registry = database, guard, registry
        self._layouts: dict[int, Pending] = {}
        self._precedence = Precedence(database)
        self._same: dict[tuple[int, bytes], int] = {}
        for layout in layouts:
            self._layouts[layout.id] = Pending(layout.ids.size)
            self._precedence.add(layout)
            self._same[_fingerprint(layout.source, layout.ids)] = layout.id
        for segment in segments:
            if not segment.is_block:
                self._layouts[segment.layout.id].add(segment.end, segment.ticks)
        self._samples = sum(segment.samples for segment in segments)
        self._numbers = itertools.count(max((segment.id for segment in segments), default=0) + 1)

    @property
    def samples(self) -> int:
        """The number of stored samples; one that was written twice counts twice."""
        return self._samples

    def last_samples(self) -> IntArray:
        """Return the time (ms) of each series' last sample by series id, 0 for none. Reads the index."""
        with self._guard.access():
            return last_samples(self._database)

    def scales(self, ids: IntArray) -> FloatArray:
        """Return the scale of each series, which is the one it was first given."""
        return self._registry.scales_of(ids)

    def add_layout(self, source: int, ids: IntArray) -> int:
        """Declare series of a source that arrive together, in this order; return the layout's id.

        The same series in the same order give the same layout. A layout should have up to about 50,000
        series. Raises ValueError for series of another source or repeated ones.
        """
        ids = np.asarray(ids, np.int64)
        if self._registry.sources_of(ids) - {source} or len(set(ids.tolist())) != ids.size:
            raise ValueError("a layout of series that do not belong together")
        if ids.size >= 1 << CHUNK_BITS:
            raise ValueError(f"a layout of {ids.size} series")
        fingerprint = _fingerprint(source, ids)
        if fingerprint in self._same:
            return self._same[fingerprint]
        with self._guard.transaction():
            layout = self._database.execute(
                "INSERT INTO layout(source, n, series) VALUES (?, ?, ?)", (source, ids.size, pack_ints(ids))
            )
        self._layouts[layout] = Pending(ids.size)
        self._precedence.add(Layout(layout, source, ids))
        self._same[fingerprint] = layout
        return layout

    def append_ticks(self, ticks: Iterable[Tick], *, compact: bool = True) -> int:
        """Store several instants of several layouts in one transaction; return the number of samples.

        Ticks may be in any order and repeat an instant: the later ones fill in or replace values. Without
        ``compact`` the caller has to call ``compact_one`` from time to time.
        """
        samples = self._add(list(_encoded(ticks)))
        while compact and self.compact_one():
            pass
        return samples

    def add_block(self, layout: int, block: EncodedBlock) -> None:
        """Store a block from ``encode_block``, perhaps of another process, in one transaction."""
        self._add([(layout, block)])
        while self.compact_one():
            pass

    def _add(self, blocks: Sequence[tuple[int, EncodedBlock]]) -> int:
        for layout, block in blocks:
            if block.series != self._layouts[layout].series:
                raise ValueError(
                    f"{block.series} values for a layout of {self._layouts[layout].series} series"
                )
            if not FIRST_MS <= block.start <= block.end <= LAST_MS:
                raise ValueError("ticks at a time that no calendar has")
            if block.rows and block.ticks * block.series > MAX_STRIP_VALUES:
                raise ValueError(f"a strip of {block.ticks} ticks of {block.series} series")
        with self._guard.transaction():
            for layout, block in blocks:
                insert(self._database, next(self._numbers), layout, block)
        for layout, block in blocks:
            if block.rows:
                self._layouts[layout].add(block.end, block.ticks)
        samples = sum(block.samples for _, block in blocks)
        self._samples += samples
        return samples

    def compact(self) -> None:
        """Compact appended ticks to blocks; also done automatically every 256 ticks and on ``close``."""
        for layout in self._layouts:
            self._compact(layout, whole=True)

    def compact_one(self, *, overdue: bool = False) -> bool:
        """Compact the layout with the most waiting ticks, if that is due (or ``overdue``);
        return True if it was.

        Takes as long as a layout of 32,768 series does: see benchmarks/RESULTS.md.
        """
        due = {
            layout: pending.rows
            for layout, pending in self._layouts.items()
            if pending.is_due and (pending.is_overdue or not overdue)
        }
        if not due:
            return False
        layout = max(due, key=due.__getitem__)
        self._compact(layout, whole=self._layouts[layout].is_in_pieces)
        return True

    def _compact(self, layout: int, *, whole: bool) -> None:
        pending = self._layouts[layout]
        if pending.rows:
            with self._guard.access():
                left = compact(self._database, layout, pending, self._numbers, self._precedence, whole=whole)
            self._layouts[layout] = left


def _fingerprint(source: int, ids: IntArray) -> tuple[int, bytes]:
    return source, blake2b(ids.tobytes(), digest_size=16).digest()


def _encoded(ticks: Iterable[Tick]) -> Iterator[tuple[int, EncodedBlock]]:
    """A strip for each tick, so that a late one can be compacted where it belongs; blocks for many."""
    by_layout: dict[int, list[tuple[int, FloatArray]]] = {}
    for layout, t_ms, stored in ticks:
        by_layout.setdefault(layout, []).append((t_ms, np.asarray(stored, np.float64)))
    for layout, rows in by_layout.items():
        size = BLOCK_TICKS if len(rows) >= MIN_BLOCK_TICKS else 1
        for begin in range(0, len(rows), size):
            times, values = zip(*rows[begin : begin + size], strict=True)
            yield layout, encode_block(np.array(times, np.int64), np.stack(values))
