"""Writing a session: the only writer, tick by tick or block by block."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

from resources.failures import HyperscopeError
from sessions.model import Entity, IntArray, SeriesSpec, SourceSpec
from sessions.store.blocks import EncodedBlock
from sessions.store.database import Database, translated
from sessions.store.inventory import Inventory, pack_entities, pack_series
from sessions.store.lock import WriterLock
from sessions.store.opening import create_file, leave_one_file, open_for_writing, remove_session
from sessions.store.records import RecordWriter
from sessions.store.registry import Registry
from sessions.store.segments import Layout, load_layouts, load_segments
from sessions.store.source_writer import SourceWriter
from sessions.store.tick_writer import Tick, TickWriter

_SYNC_FULL = 2  # what SQLite answers for PRAGMA synchronous = FULL


class SessionWriter(RecordWriter):
    """The only writer of a session; a context manager that closes it. Use it from one thread at a time.

    What a call stores is on disk when the call returns; after a failure (DiskFullError …) the file holds
    everything that was stored before, and the writer can only be closed or discarded. Leaving the context by
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
            self._sources = SourceWriter(database, self._guard)
        self._registry = Registry(inventory)
        self._ticks = TickWriter(database, self._guard, self._registry, layouts.values(), segments)

    @classmethod
    def create(
        cls, path: Path, *, title: str = "", durable: bool = True, bulk: bool = False
    ) -> SessionWriter:
        """Create a session at ``path``.

        ``durable`` syncs the disk at each tick, so that a power loss costs at most that tick; without it a
        power loss may cost the last seconds, the end of the process nothing. ``bulk`` is for a session that
        is written in one go, in blocks of many ticks. Raises AlreadyExistsError, NotFoundError (no such
        folder), AccessDeniedError, DiskFullError.
        """
        writer = _writer_of(*create_file(path, bulk=bulk), durable=durable)
        writer.set_meta("title", title)
        writer.set_meta("created", datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"))
        return writer

    @classmethod
    def open(cls, path: Path, *, durable: bool = True) -> SessionWriter:
        """Open an existing session to append to; an older one is migrated after a backup copy.

        Sources that another writer left unfinished become ``interrupted``. Raises BusyError while another
        process writes it, NotFoundError, NotASessionError, TooNewError, DamagedError, AccessDeniedError.
        """
        writer = _writer_of(*open_for_writing(path), durable=durable)
        writer._sources.end("interrupted")
        writer.take_in_waiting()
        return writer

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
        """The number of stored samples; one that was written twice counts twice."""
        return self._ticks.samples

    @property
    def is_usable(self) -> bool:
        """True if more can be stored: a refused call changes nothing, a failed one ends writing."""
        return self._guard.is_open

    @property
    def is_durable(self) -> bool:
        """True if each call returns only when what it stored is on the disk."""
        return bool(self._database.pragma("synchronous") >= _SYNC_FULL)

    def sources(self) -> dict[int, SourceSpec]:
        """The specification of each source, by id, in the order in which they were added."""
        return self._sources.specs()

    def add_source(self, spec: SourceSpec) -> int:
        """Add a source in the state ``recording``; return its id."""
        return self._sources.add(spec)

    def update_source(
        self,
        source: int,
        *,
        interval_s: float | None = None,
        clock_offset_ms: int | None = None,
        attributes: Mapping[str, str] | Iterable[tuple[str, str]] | None = None,
        state: str | None = None,
    ) -> None:
        """Change the specification or state of a source; None leaves a value as it is.

        ``state`` is ``recording``, ``importing``, ``complete`` or ``interrupted``.
        """
        self._sources.update(
            source,
            interval_s=interval_s,
            clock_offset_ms=clock_offset_ms,
            attributes=attributes,
            state=state,
        )

    def add_entities(self, entities: Iterable[Entity]) -> None:
        """Add entities; an entity whose reference is already stored stays as it was.

        Raises ValueError for a parent that was never added.
        """
        batches = list(self._registry.admit_entities(entities))
        with self._guard.transaction():
            rows = [(batch.first, *pack_entities(batch.entities, batch.parents)) for batch in batches]
            self._database.execute_many("INSERT INTO entities VALUES (?, ?, ?, ?, ?, ?)", rows)

    def add_series(self, source: int, specs: Sequence[SeriesSpec]) -> IntArray:
        """Return the id of each spec; a series with the same source, entity, counter and
        instance keeps its id.

        Raises ValueError for an entity that was not added or a scale that is not positive.
        """
        self._sources.require(source)
        ids, batches = self._registry.admit_series(source, specs)
        with self._guard.transaction():
            rows = [
                (batch.first, len(batch.specs), source, *pack_series(batch.specs, batch.entities))
                for batch in batches
            ]
            self._database.execute_many("INSERT INTO series VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
        return ids

    @property
    def ticks(self) -> TickWriter:
        """The writer of samples, for callers that compact at times of their own or resume a recording."""
        return self._ticks

    def add_layout(self, source: int, ids: IntArray) -> int:
        """Declare series of a source that arrive together, in this order; return the layout's id.

        The same series in the same order give the same layout. A layout should have up to about 50,000
        series. Raises ValueError for series of another source or repeated ones.
        """
        self._sources.require(source)
        return self._ticks.add_layout(source, ids)

    def append_ticks(self, ticks: Iterable[Tick], *, compact: bool = True) -> int:
        """Store several instants of several layouts in one transaction; return the number of samples.

        Ticks may be in any order and repeat an instant: the later ones fill in or replace values. Without
        ``compact`` the caller has to call ``ticks.compact_one`` from time to time.
        """
        return self._ticks.append_ticks(ticks, compact=compact)

    def add_block(self, layout: int, block: EncodedBlock) -> None:
        """Store a block from ``encode_block``, perhaps of another process, in one transaction."""
        self._ticks.add_block(layout, block)

    def close(self) -> None:
        """Compact, mark unfinished sources as complete and leave one file. Closing again has no effect."""
        self._close("complete")

    def discard(self) -> None:
        """Close and delete the file, with all files beside it."""
        if not self._guard.closed:
            self._guard.closed = True
            self._database.close()
            try:
                remove_session(self._database.path)
            finally:
                self._lock.release()

    def _close(self, state: str) -> None:
        if self._guard.closed:
            return
        try:
            if not self._guard.failed:
                self._sources.end(state)
                self._ticks.compact()
                self.take_in_waiting()
        finally:
            self._guard.closed = True
            _leave(self._database, self._lock)


def _writer_of(database: Database, lock: WriterLock, *, durable: bool) -> SessionWriter:
    try:
        database.pragma(f"synchronous = {'FULL' if durable else 'NORMAL'}")
        database.pragma(f"fullfsync = {int(durable)}")  # on macOS a sync stops at the drive's cache
        return SessionWriter(database, lock)
    except BaseException:
        database.close()
        lock.release()
        raise


def _leave(database: Database, lock: WriterLock) -> None:
    """One file again, unless a reader or a full disk prevents it; opening recovers from what is left."""
    try:
        with suppress(HyperscopeError):
            leave_one_file(database)
        database.close()
    finally:
        lock.release()
