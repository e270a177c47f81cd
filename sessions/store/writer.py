"""Writing a session: the one writer, tick by tick or block by block."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from types import TracebackType

import numpy as np

from resources.failures import HyperscopeError
from sessions.model import Entity, FloatArray, IntArray, SeriesSpec, SourceSpec
from sessions.store import sources
from sessions.store.blocks import BLOCK_TICKS, MIN_BLOCK_TICKS, EncodedBlock, encode_block
from sessions.store.codec import pack_ints
from sessions.store.compaction import compact, insert
from sessions.store.database import Database, translated
from sessions.store.documents import FIRST_MS, LAST_MS
from sessions.store.inventory import Inventory, pack_entities, pack_series
from sessions.store.last_samples import last_samples
from sessions.store.lock import WriterLock
from sessions.store.opening import create_file, leave_one_file, open_for_writing, remove_files
from sessions.store.pending import Pending
from sessions.store.precedence import Precedence
from sessions.store.records import RecordWriter
from sessions.store.registry import Registry
from sessions.store.schema import CHUNK_BITS
from sessions.store.segments import MAX_STRIP_VALUES, Layout, load_layouts, load_segments

_SYNC_FULL = 2  # what SQLite answers for PRAGMA synchronous = FULL

Tick = tuple[int, int, FloatArray]
"""A layout, an instant in ms, and the layout's stored values in its order, NaN where absent."""


class SessionWriter(RecordWriter):
    """The one writer of a session; a context manager that closes it. Use it from one thread at a time.

    Everything that it stores is on disk when the call returns; after a failure (DiskFullError …) the file
    holds all that was stored before, and the writer can only be closed or discarded. Leaving the context by
    an exception marks the sources as interrupted.
    """

    def __init__(self, database: Database, lock: WriterLock) -> None:
        super().__init__(database)
        self._lock = lock
        with translated(database.path):
            inventory = Inventory()
            inventory.load(database)
            layouts: dict[int, Layout] = {}
            load_layouts(database, layouts, inventory.source)
            segments = load_segments(database, layouts)
            self._sources = sources.load(database)
        self._registry = Registry(inventory)
        self._layouts = {layout.id: Pending(layout.ids.size) for layout in layouts.values()}
        self._precedence = Precedence(database)
        for layout in layouts.values():
            self._precedence.add(layout)
        self._same = {_fingerprint(layout.source, layout.ids): layout.id for layout in layouts.values()}
        for segment in segments:
            if not segment.is_block:
                self._layouts[segment.layout.id].add(segment.end, segment.ticks)
        self._samples = sum(segment.samples for segment in segments)
        self._numbers = itertools.count(max((segment.id for segment in segments), default=0) + 1)

    @classmethod
    def create(
        cls, path: Path, *, title: str = "", durable: bool = True, bulk: bool = False
    ) -> SessionWriter:
        """A new session at ``path``.

        ``durable`` syncs the disk at each tick, so that losing power costs at most that one; without it,
        losing power may cost the last seconds, and the end of the process still nothing. ``bulk`` is for
        a session that is made in one go, of blocks of many ticks. Raises AlreadyExistsError, NotFoundError
        (no such folder), AccessDeniedError, DiskFullError.
        """
        writer = cls._take(*create_file(path, bulk=bulk), durable=durable)
        writer.set_meta("title", title)
        writer.set_meta("created", datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"))
        return writer

    @classmethod
    def open(cls, path: Path, *, durable: bool = True) -> SessionWriter:
        """An existing session, to append to; an older one is migrated after a backup copy.

        Sources that another writer left unfinished become ``interrupted``. Raises BusyError while somebody
        else writes it, NotFoundError, NotASessionError, TooNewError, DamagedError, AccessDeniedError.
        """
        writer = cls._take(*open_for_writing(path), durable=durable)
        writer._end_sources("interrupted")
        return writer

    @classmethod
    def _take(cls, database: Database, lock: WriterLock, *, durable: bool) -> SessionWriter:
        try:
            database.pragma(f"synchronous = {'FULL' if durable else 'NORMAL'}")
            database.pragma(f"fullfsync = {int(durable)}")  # on macOS a sync stops at the drive's cache
            return cls(database, lock)
        except BaseException:
            database.close()
            lock.release()
            raise

    def __enter__(self) -> SessionWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
            return
        with suppress(HyperscopeError):  # the one on its way says more
            self._close("interrupted")

    @property
    def samples(self) -> int:
        """How many samples were stored; one that came twice counts twice."""
        return self._samples

    @property
    def is_usable(self) -> bool:
        """Whether more can be stored: a call that was refused changes nothing, one that failed ends it."""
        return not (self._failed or self._closed)

    @property
    def is_durable(self) -> bool:
        """Whether each call returns when what it stored has reached the disk."""
        return bool(self._database.pragma("synchronous") >= _SYNC_FULL)

    def sources(self) -> dict[int, SourceSpec]:
        """What is said of each source, by id, in the order in which they were added."""
        return {source: spec for source, (spec, _) in self._sources.items()}

    def last_samples(self) -> IntArray:
        """Time of each series' last sample in ms, by series id; 0 where there is none. Reads the index."""
        with self._guarded():
            return last_samples(self._database)

    def scales(self, ids: IntArray) -> FloatArray:
        """The scale that each series was first given and keeps."""
        return self._registry.scales_of(ids)

    def add_source(self, spec: SourceSpec) -> int:
        """Add a source, in the state ``recording``; returns its id."""
        sources.require(spec, "recording")
        with self._writing():
            source = sources.insert(self._database, spec, "recording")
        self._sources[source] = (spec, "recording")
        return source

    def update_source(
        self,
        source: int,
        *,
        interval_s: float | None = None,
        clock_offset_ms: int | None = None,
        attributes: Mapping[str, str] | Iterable[tuple[str, str]] | None = None,
        state: str | None = None,
    ) -> None:
        """Change what is said of a source; None leaves it as it is.

        ``state`` is ``recording``, ``importing``, ``complete`` or ``interrupted``.
        """
        spec, state = self._sources[source][0], state or self._sources[source][1]
        if attributes is not None:
            pairs = attributes.items() if isinstance(attributes, Mapping) else attributes
            spec = replace(spec, attributes=tuple((str(name), str(text)) for name, text in pairs))
        spec = replace(
            spec,
            interval_s=spec.interval_s if interval_s is None else interval_s,
            clock_offset_ms=spec.clock_offset_ms if clock_offset_ms is None else clock_offset_ms,
        )
        sources.require(spec, state)
        with self._writing():
            sources.update(self._database, source, spec, state)
        self._sources[source] = (spec, state)

    def add_entities(self, entities: Iterable[Entity]) -> None:
        """Add entities; one whose ref is known already stays as it was first given.

        Raises ValueError for a parent that was never added.
        """
        batches = list(self._registry.admit_entities(entities))
        with self._writing():
            rows = [(batch.first, *pack_entities(batch.entities, batch.parents)) for batch in batches]
            self._database.execute_many("INSERT INTO entities VALUES (?, ?, ?, ?, ?, ?)", rows)

    def add_series(self, source: int, specs: Sequence[SeriesSpec]) -> IntArray:
        """The id of each spec; a series of the same source, entity, counter and instance keeps its id.

        Raises ValueError for an entity that was not added or a scale that is not positive.
        """
        self._require_source(source)
        ids, batches = self._registry.admit_series(source, specs)
        with self._writing():
            rows = [
                (batch.first, len(batch.specs), source, *pack_series(batch.specs, batch.entities))
                for batch in batches
            ]
            self._database.execute_many("INSERT INTO series VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
        return ids

    def add_layout(self, source: int, ids: IntArray) -> int:
        """Declare series of a source that arrive together, in this order; returns the layout's id.

        The same series in the same order are the same layout. Up to about 50,000 series make a good one.
        Raises ValueError for series of another source or twice.
        """
        self._require_source(source)
        ids = np.asarray(ids, np.int64)
        if self._registry.sources_of(ids) - {source} or np.unique(ids).size != ids.size:
            raise ValueError("a layout of series that do not belong together")
        if ids.size >= 1 << CHUNK_BITS:
            raise ValueError(f"a layout of {ids.size} series")
        fingerprint = _fingerprint(source, ids)
        if fingerprint in self._same:
            return self._same[fingerprint]
        with self._writing():
            layout = self._database.execute(
                "INSERT INTO layout(source, n, series) VALUES (?, ?, ?)", (source, ids.size, pack_ints(ids))
            )
        self._layouts[layout] = Pending(ids.size)
        self._precedence.add(Layout(layout, source, ids))
        self._same[fingerprint] = layout
        return layout

    def append_tick(self, layout: int, t_ms: int, stored: FloatArray) -> None:
        """Store one sampling instant: the layout's stored values in its order, NaN where absent."""
        self.append_ticks([(layout, t_ms, stored)])

    def append_ticks(self, ticks: Iterable[Tick], *, compact: bool = True) -> int:
        """Store several instants of several layouts in one transaction; returns how many samples they are.

        They may come in any order and again: what comes later fills in, or replaces. Without ``compact`` it
        is for the caller to call ``compact_one`` from time to time.
        """
        samples = self._add(list(_encoded(ticks)))
        while compact and self.compact_one():
            pass
        return samples

    def add_block(self, layout: int, block: EncodedBlock) -> None:
        """Store ticks that ``encode_block`` encoded, perhaps in another process; in one transaction."""
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
        with self._writing():
            for layout, block in blocks:
                insert(self._database, next(self._numbers), layout, block)
        for layout, block in blocks:
            if block.rows:
                self._layouts[layout].add(block.end, block.ticks)
        samples = sum(block.samples for _, block in blocks)
        self._samples += samples
        return samples

    def compact(self) -> None:
        """Turn appended ticks into blocks; happens by itself every 256 ticks and on ``close``."""
        for layout in self._layouts:
            self._compact(layout, whole=True)

    def compact_one(self, *, overdue: bool = False) -> bool:
        """Make blocks of the layout of which most ticks wait, if that is due (or ``overdue``); was there one?

        Takes about as long as one layout of 32,768 series does: see benchmarks/RESULTS.md.
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

    def close(self) -> None:
        """Compact, mark unfinished sources as complete and leave one file. Closing again does nothing."""
        self._close("complete")

    def discard(self) -> None:
        """Close and delete the file, with all that stands beside it."""
        if not self._closed:
            self._closed = True
            self._database.close()
            try:
                remove_files(self._database.path)
            finally:
                self._lock.release()

    def _require_source(self, source: int) -> None:
        if source not in self._sources:
            raise ValueError(f"source {source} was not added")

    def _compact(self, layout: int, *, whole: bool) -> None:
        pending = self._layouts[layout]
        if pending.rows:
            with self._guarded():
                left = compact(self._database, layout, pending, self._numbers, self._precedence, whole=whole)
            self._layouts[layout] = left

    def _end_sources(self, state: str) -> None:
        for source, (_, old_state) in list(self._sources.items()):
            if old_state in ("recording", "importing"):
                self.update_source(source, state=state)

    def _close(self, state: str) -> None:
        if self._closed:
            return
        try:
            if not self._failed:
                self._end_sources(state)
                self.compact()
        finally:
            self._closed = True
            self._let_go()

    def _let_go(self) -> None:
        """One file again, unless a reader or a full disk prevents it; opening recovers from what is left."""
        try:
            with suppress(HyperscopeError):
                leave_one_file(self._database)
            self._database.close()
        finally:
            self._lock.release()


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
