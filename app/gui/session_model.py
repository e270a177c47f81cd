"""The open session: its snapshot, kept up while the file grows, and reads in worker threads for the views."""

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
from app.memory import give_back
from resources.failures import CancelledError, HyperscopeError
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


class Reads:
    """Readers of one session, lent to one thread at a time; ``first`` is one that has read its index."""

    def __init__(self, first: SessionReader) -> None:
        self._first = first
        self._idle: queue.LifoQueue[SessionReader] = queue.LifoQueue()
        self._idle.put(first)
        self._closed = threading.Event()  # another thread may close at any time

    @contextmanager
    def reader(self) -> Iterator[SessionReader]:
        """An idle reader, or a new one."""
        if self._closed.is_set():
            raise CancelledError("The session was closed.")
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

    def close(self) -> None:
        """Close the idle readers; lent ones close when they come back."""
        self._closed.set()
        while True:
            try:
                self._idle.get_nowait().close()
            except queue.Empty:
                return


class SessionModel(QObject):
    """One session at a time. Signals: ``opened`` (Snapshot), ``changed`` (Change; an empty one where only
    the size of the file differs), ``closed``, ``failed``.

    ``snapshot`` is what the chosen sources show of it, and what views read; ``whole`` is all there is.
    ``replacing`` while it is closed only because another one follows in the same breath.
    """

    opened = Signal(object)
    changed = Signal(object)
    closed = Signal()
    failed = Signal(object)

    def __init__(self, jobs: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._reads: Reads | None = None
        self._looks = 0
        self.replacing = False
        self.snapshot: Snapshot | None = None
        self.whole: Snapshot | None = None
        self._sources: frozenset[int] = frozenset()
        self._timer = QTimer(self, interval=_LOOK_MS)
        self._timer.timeout.connect(self.look)

    @property
    def path(self) -> Path | None:
        """The session's file."""
        return self.snapshot.path if self.snapshot else None

    def open(self, path: Path) -> None:
        """Open a session in place of the one that is open; what is open stays when that fails."""

        def work(_job: Job) -> tuple[Reads, Snapshot]:
            with ExitStack() as held:
                reader = held.enter_context(SessionReader.open(path))
                snapshot = read_snapshot(reader, path)
                held.pop_all()
            return Reads(reader), snapshot

        self._jobs.start(
            "session.open", f"Opening {path.name}", work, self._take,
            failed=self.failed.emit, dropped=lambda found: found[0].close(),
        )  # fmt: skip

    def close(self) -> None:
        """Let go of the session."""
        if self._reads is None:
            return
        self._timer.stop()
        for slot in ("session.open", "session.look", "session.sources"):
            self._jobs.cancel(slot)
        self._reads.close()
        self._reads, self.snapshot, self.whole = None, None, None
        self.closed.emit()
        self._give_memory_back()

    def choose_sources(self, sources: frozenset[int]) -> None:
        """Show what these sources say; empty for all. ``changed`` tells when it is so."""
        whole = self.whole
        if whole is None or sources == self._sources:
            return
        self._sources = sources

        def done(seen: Snapshot) -> None:
            self.snapshot = seen
            self.changed.emit(Change(samples=True, inventory=True, records=True, sources=True))
            self.look_now()  # what came meanwhile

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
        """Read samples in a worker; a newer query of the slot supersedes it. Without a session: nothing."""
        reads = self._reads
        if reads is None:
            return

        def ask(job: Job) -> Result:
            with reads.reader() as reader:
                job.check()
                return work(reader, job)

        self._jobs.start(slot, title, ask, done, failed=failed)

    def look(self) -> None:
        """See whether the file has grown; happens by itself twice a second while it is open."""
        old = self.whole
        if old is None or self._jobs.busy("session.look") or self._jobs.busy("session.sources"):
            return
        self._looks += 1
        if self._looks % _THRIFT_EVERY == 0:
            self._give_memory_back()
        if old.recording or self._looks % _IDLE_EVERY == 0:
            self.look_now()

    def look_now(self) -> None:
        """See what is new at once: the window itself has written something."""
        old, seen, sources = self.whole, self.snapshot, self._sources
        if old is None or seen is None:
            return

        def work(reader: SessionReader, _job: Job) -> tuple[Snapshot, Snapshot, Change]:
            whole, change = renewed_snapshot(reader, old)
            return whole, renewed_of_sources(whole, old, seen, sources), change

        self.query("session.look", work, self._renew, failed=self.failed.emit)

    def _give_memory_back(self) -> None:
        self._jobs.start("session.memory", "Giving memory back", lambda _job: give_back(), lambda _none: None)

    def _take(self, found: tuple[Reads, Snapshot]) -> None:
        self.replacing = True
        self.close()
        self.replacing = False
        self._reads, self.whole = found
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
    """Spare the garbage collector the session's index: 40,000 series cost 100 ms at each full collection."""
    gc.collect(0)
    gc.freeze()
