"""Writing a session: the one writer, tick by tick or block by block."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
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
from sessions.store.lock import WriterLock
from sessions.store.opening import create_file, leave_one_file, open_for_writing, remove_files
from sessions.store.records import RecordWriter
from sessions.store.registry import Registry
from sessions.store.schema import CHUNK_BITS
from sessions.store.segments import Layout, load_layouts, load_segments

_COMPACT_CELLS = 1 << 23


@dataclass(slots=True)
class _Pending:
    """A layout, and how many of its ticks await compaction."""

    series: int
    ticks: int = 0

    @property
    def is_due(self) -> bool:
        """Whether there is a block's worth of ticks, or as many as memory should take at once."""
        many = self.ticks >= MIN_BLOCK_TICKS and self.ticks * self.series >= _COMPACT_CELLS
        return self.ticks >= BLOCK_TICKS or many


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
        self._layouts = {layout.id: _Pending(layout.ids.size) for layout in layouts.values()}
        for segment in segments:
            if not segment.is_block:
                self._layouts[segment.layout.id].ticks += segment.ticks
        self._numbers = itertools.count(max((segment.id for segment in segments), default=0) + 1)

    @classmethod
    def create(cls, path: Path, *, title: str = "", durable: bool = True) -> SessionWriter:
        """A new session at ``path``.

        ``durable`` syncs the disk at each tick, so that losing power costs at most that one; without it,
        losing power may cost the last seconds, and the end of the process still nothing. Raises
        AlreadyExistsError, NotFoundError (no such folder), AccessDeniedError, DiskFullError.
        """
        writer = cls._take(*create_file(path), durable=durable)
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
        batches = self._registry.admit_entities(entities)
        rows = [(batch.first, *pack_entities(batch.entities, batch.parents)) for batch in batches]
        with self._writing():
            self._database.execute_many("INSERT INTO entities VALUES (?, ?, ?, ?, ?, ?)", rows)

    def add_series(self, source: int, specs: Sequence[SeriesSpec]) -> IntArray:
        """The id of each spec; a series of the same source, entity, counter and instance keeps its id.

        Raises ValueError for an entity that was not added or a scale that is not positive.
        """
        self._require_source(source)
        ids, batches = self._registry.admit_series(source, specs)
        rows = [
            (batch.first, len(batch.specs), source, *pack_series(batch.specs, batch.entities))
            for batch in batches
        ]
        with self._writing():
            self._database.execute_many("INSERT INTO series VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
        return ids

    def add_layout(self, source: int, ids: IntArray) -> int:
        """Declare series of a source that arrive together, in this order; returns the layout's id.

        Up to about 50,000 series make a good layout. Raises ValueError for series of another source or twice.
        """
        self._require_source(source)
        ids = np.asarray(ids, np.int64)
        if self._registry.sources_of(ids) - {source} or np.unique(ids).size != ids.size:
            raise ValueError("a layout of series that do not belong together")
        if ids.size >= 1 << CHUNK_BITS:
            raise ValueError(f"a layout of {ids.size} series")
        with self._writing():
            layout = self._database.execute(
                "INSERT INTO layout(source, n, series) VALUES (?, ?, ?)", (source, ids.size, pack_ints(ids))
            )
        self._layouts[layout] = _Pending(ids.size)
        return layout

    def append_tick(self, layout: int, t_ms: int, stored: FloatArray) -> None:
        """Store one sampling instant: the layout's stored values in its order, NaN where absent."""
        self._add(
            layout, encode_block(np.array([t_ms], np.int64), np.asarray(stored, np.float64)[np.newaxis])
        )

    def add_block(self, layout: int, block: EncodedBlock) -> None:
        """Store ticks that ``encode_block`` encoded, perhaps in another process; in one transaction."""
        self._add(layout, block)

    def _add(self, layout: int, block: EncodedBlock) -> None:
        pending = self._layouts[layout]
        if block.series != pending.series:
            raise ValueError(f"{block.series} values for a layout of {pending.series} series")
        if not FIRST_MS <= block.start <= block.end <= LAST_MS:
            raise ValueError("ticks at a time that no calendar has")
        with self._writing():
            insert(self._database, next(self._numbers), layout, block)
        if block.rows:
            pending.ticks += block.ticks
            if pending.is_due:
                self._compact(layout)

    def compact(self) -> None:
        """Turn appended ticks into blocks; happens by itself every 256 ticks and on ``close``."""
        for layout in self._layouts:
            self._compact(layout)

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

    def _compact(self, layout: int) -> None:
        pending = self._layouts[layout]
        if pending.ticks:
            with self._guarded():
                pending.ticks = compact(self._database, layout, pending.series, self._numbers)

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
