"""The open session: keeps its snapshot current while the file grows, and reads samples in worker threads."""

from __future__ import annotations

import gc
import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QObject, QTimer, Signal

from app.gui.jobs import Job, JobRunner
from app.memory import trim_heap
from resources.failures import CancelledError, HyperscopeError, NotFoundError
from sessions.store import SessionReader
from viewmodels.snapshot import (
    Change,
    Snapshot,
    read_snapshot,
    renewed_of_sources,
    renewed_snapshot,
    snapshot_of_sources,
)

Result = TypeVar("Result")

_LOOK_MS = 500
_IDLE_EVERY = 4  # looks: 2 s, at a session that nobody records
_THRIFT_EVERY = 40  # looks: 20 s


class ReaderPool:
    """Readers of one session, each lent to one thread at a time. ``first`` is a reader that has read its
    index.
    """

    def __init__(self, first: SessionReader) -> None:
        self._first = first
        self._idle: queue.LifoQueue[SessionReader] = queue.LifoQueue()
        self._idle.put(first)
        self._closed = threading.Event()  # another thread may close at any time
        self._lent = 0
        self._counting = threading.Lock()

    @contextmanager
    def reader(self) -> Iterator[SessionReader]:
        """Lend an idle reader, or a new one, while the block runs. Raises CancelledError after ``close``."""
        if self._closed.is_set():
            raise CancelledError("The session was closed.")
        with self._counted():
            try:
                reader = self._idle.get_nowait()
            except queue.Empty:
                reader = self._first.another()
            try:
                yield reader
            finally:
                if self._closed.is_set():
                    reader.close()
                else:
                    self._idle.put(reader)

    @contextmanager
    def _counted(self) -> Iterator[None]:
        with self._counting:
            self._lent += 1
        try:
            yield
        finally:
            with self._counting:
                self._lent -= 1

    def leave_one_file(self) -> None:
        """Close all readers, unless one is lent, if a writer's log still stands beside a session that nobody
        writes: the last one merges it into the file. Those who read next open it anew.
        """
        if not self._lent and self._first.has_left_log:
            self._close_idle()

    def close(self) -> None:
        """Close the idle readers; lent ones are closed when they are returned."""
        self._closed.set()
        self._close_idle()

    def _close_idle(self) -> None:
        while True:
            try:
                self._idle.get_nowait().close()
            except queue.Empty:
                return


class SessionModel(QObject):
    """The session that is open in the window, one at a time.

    Signals: ``opened`` (Snapshot), ``changed`` (Change; empty if only the file's size differs), ``closed``,
    ``failed``.

    ``whole`` is the snapshot of the session; ``snapshot`` is the part of the chosen sources, which the views
    show. ``replacing`` is True while a session is closed only because another one is being opened.
    """

    opened = Signal(object)
    changed = Signal(object)
    closed = Signal()
    failed = Signal(object)

    def __init__(self, jobs: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._readers: ReaderPool | None = None
        self._looks = 0
        self.replacing = False
        self._asked: Path | None = None
        self.snapshot: Snapshot | None = None
        self.whole: Snapshot | None = None
        self._sources: frozenset[int] = frozenset()
        self._timer = QTimer(self, interval=_LOOK_MS)
        self._timer.timeout.connect(self.check_growth)

    @property
    def path(self) -> Path | None:
        """The path of the session, None if none is open."""
        return self.snapshot.path if self.snapshot else None

    def open(self, path: Path) -> None:
        """Open a session in place of the current one, which stays open if that fails."""

        def work(_job: Job) -> tuple[ReaderPool, Snapshot]:
            with ExitStack() as held:
                reader = held.enter_context(SessionReader.open(path))
                snapshot = read_snapshot(reader, path)
                held.pop_all()
            return ReaderPool(reader), snapshot

        self._asked = path
        self._jobs.start(
            "session.open", f"Opening {path.name}", work, self._take,
            failed=self.failed.emit, dropped=lambda found: found[0].close(),
        )  # fmt: skip

    @property
    def opening(self) -> Path | None:
        """The path of the session that is being opened, None if none is."""
        return self._asked if self._jobs.busy("session.open") else None

    def close(self) -> None:
        """Close the session."""
        if self._readers is None:
            return
        self._timer.stop()
        for slot in ("session.open", "session.look", "session.sources"):
            self._jobs.cancel(slot)
        self._readers.close()
        self._readers, self.snapshot, self.whole = None, None, None
        self.closed.emit()
        self._give_memory_back()

    def choose_sources(self, sources: frozenset[int]) -> None:
        """Show only these sources (empty: all); ``changed`` is emitted when that is done."""
        whole = self.whole
        if whole is None or sources == self._sources:
            return
        self._sources = sources

        def done(seen: Snapshot) -> None:
            self.snapshot = seen
            self.changed.emit(Change(samples=True, inventory=True, records=True, sources=True))
            self.check_now()  # what came meanwhile

        self._jobs.cancel("session.look")
        self._jobs.start(
            "session.sources", "Choosing sources", lambda _job: snapshot_of_sources(whole, sources), done
        )

    def query(
        self,
        slot: str,
        work: Callable[[SessionReader, Job], Result],
        done: Callable[[Result], None],
        *,
        failed: Callable[[HyperscopeError], None] | None = None,
        title: str = "Reading the session",
    ) -> None:
        """Run ``work`` with a reader in a worker thread; a newer query of the same slot replaces it.

        ``done`` and ``failed`` are called on the GUI thread, unless the session was closed meanwhile: a late
        answer is never taken for one of the next session. Nothing happens if no session is open.
        """
        reads = self._readers
        if reads is None:
            return

        def ask(job: Job) -> Result:
            with reads.reader() as reader:
                job.check()
                return work(reader, job)

        def done_here(found: Result) -> None:
            if self._readers is reads:
                done(found)

        def failed_here(error: HyperscopeError) -> None:
            if self._readers is reads and failed is not None:
                failed(error)

        self._jobs.start(slot, title, ask, done_here, failed=None if failed is None else failed_here)

    def check_growth(self) -> None:
        """Check whether the file has grown; a timer calls this twice a second."""
        old = self.whole
        if old is None or self._jobs.busy("session.look") or self._jobs.busy("session.sources"):
            return
        self._looks += 1
        if self._looks % _THRIFT_EVERY == 0:
            self._give_memory_back()
        if old.recording or self._looks % _IDLE_EVERY == 0:
            self.check_now()
        if not old.recording and self._looks % _IDLE_EVERY == _IDLE_EVERY // 2:
            self._leave_one_file()

    def check_now(self) -> None:
        """Read what is new in the file at once, because the window itself has written something."""
        old, seen, sources = self.whole, self.snapshot, self._sources
        if old is None or seen is None:
            return

        def work(reader: SessionReader, _job: Job) -> tuple[Snapshot, Snapshot, Change]:
            if not old.recording:
                reader.require_same_file()
            whole, change = renewed_snapshot(reader, old)
            return whole, renewed_of_sources(whole, old, seen, sources), change

        self.query("session.look", work, self._renew, failed=self._look_failed)

    def _look_failed(self, error: HyperscopeError) -> None:
        """Close a session whose file is gone or another one: all that would be read by its path is not it."""
        if isinstance(error, NotFoundError):
            self.close()
            error = NotFoundError(f"{error.happened} So it was closed here.", advice=error.advice)
        self.failed.emit(error)

    def _leave_one_file(self) -> None:
        """Have the log of a writer that has gone (it stored a mark, or findings) merged into the file."""
        readers = self._readers
        if readers is not None:
            work = readers.leave_one_file
            self._jobs.start("session.tidy", "Merging the log", lambda _job: work(), lambda _none: None)

    def _give_memory_back(self) -> None:
        self._jobs.start("session.memory", "Giving memory back", lambda _job: trim_heap(), lambda _none: None)

    def _take(self, found: tuple[ReaderPool, Snapshot]) -> None:
        self.replacing = True
        self.close()
        self.replacing = False
        self._readers, self.whole = found
        self.snapshot, self._sources = self.whole, frozenset()
        self._looks = 0
        self._timer.start()
        _spare_collector()
        self.opened.emit(self.snapshot)

    def _renew(self, found: tuple[Snapshot, Snapshot, Change]) -> None:
        if self.snapshot is None:
            return
        before = self.whole.bytes if self.whole else 0
        self.whole, self.snapshot, change = found
        if change.inventory:
            _spare_collector()
        if change or self.whole.bytes != before:
            self.changed.emit(change)


def _spare_collector() -> None:
    """Exempt the session's index from garbage collection: 40,000 series cost 100 ms in each full
    collection.
    """
    gc.collect(0)
    gc.freeze()
