"""Stores marks: through our recorder if it writes the session, else directly in the file."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from app.gui.desk import Desk
from app.gui.recorder_process import RecorderProcess
from app.gui.recording import Recordings
from resources.failures import HyperscopeError
from sessions.model import Mark
from sessions.store import SessionWriter

_SOON_MS = 400
"""Milliseconds after which a mark that was sent to the recorder can be read from the file."""


@dataclass(frozen=True, slots=True)
class MarkChange:
    """A change of marks: ``old`` is replaced by ``new``. None for ``old``: added; None for ``new``:
    removed.
    """

    old: Mark | None
    new: Mark | None

    @property
    def reverse(self) -> MarkChange:
        """The change that undoes this one."""
        return MarkChange(self.new, self.old)


class MarkStore(QObject):
    """Makes changes of marks one after the other.

    Signals: ``failed`` with a HyperscopeError (waiting changes are dropped); ``lost`` when the mark is not in
    the session any more, because somebody else changed it.
    """

    failed = Signal(object)
    lost = Signal()

    def __init__(self, desk: Desk, recordings: Recordings, parent: QObject) -> None:
        super().__init__(parent)
        self._desk, self._recordings = desk, recordings
        self._waiting: deque[tuple[Path, MarkChange, Callable[[], None]]] = deque()
        self._is_busy = False
        self._soon = QTimer(self, singleShot=True, interval=_SOON_MS)
        self._soon.timeout.connect(desk.session.check_now)
        desk.session.closed.connect(self._soon.stop)

    def change(self, change: MarkChange, done: Callable[[], None]) -> None:
        """Make a change in the open session; calls ``done`` when it is stored, or sent to the recorder."""
        path = self._desk.session.path
        if path is not None:
            self._waiting.append((path, change, done))
            self._next()

    def _next(self) -> None:
        if self._is_busy or not self._waiting:
            return
        path, change, done = self._waiting.popleft()
        process = self._recordings.process
        if process is not None and self._recordings.is_recording(path):
            send_change(process, change)
            self._soon.start()
            done()
            self._next()
            return
        self._is_busy = True
        self._desk.jobs.start(
            "marks.store",
            "Storing the mark",
            lambda _job: write_change(path, change),
            lambda found: self._stored(found, done),
            failed=self._fail,
        )

    def _stored(self, found: bool, done: Callable[[], None]) -> None:
        self._is_busy = False
        self._desk.session.check_now()
        if found:
            done()
        else:
            self.lost.emit()
        self._next()

    def _fail(self, error: HyperscopeError) -> None:
        self._is_busy = False
        self._waiting.clear()
        self.failed.emit(error)


def send_change(process: RecorderProcess, change: MarkChange) -> None:
    """Send the change to the recorder as commands."""
    old, new = change.old, change.new
    if old is not None and new is not None and old.at == new.at:
        process.change_mark(old.text, old.at, new.text)
        return
    if old is not None:
        process.unmark(old.text, old.at)
    if new is not None:
        process.mark(new.text, new.at)


def write_change(path: Path, change: MarkChange) -> bool:
    """Write the change into a file that nobody else writes; returns False if the old mark is not in it.

    Raises BusyError if another process writes the file, and the other errors of ``SessionWriter.open``.
    """
    with SessionWriter.open(path) as writer:
        if change.old is not None:
            return writer.change_mark(change.old, change.new)
        if change.new is not None:
            writer.add_mark(change.new)
    return True
