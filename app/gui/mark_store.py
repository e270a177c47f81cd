"""Where marks are kept: our recorder stores them while it writes the session, else the file itself does."""

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
"""The recorder stores a mark within its writer's next turn; then it can be read."""


@dataclass(frozen=True, slots=True)
class MarkChange:
    """``new`` in the place of ``old``; None is no mark, before or after."""

    old: Mark | None
    new: Mark | None

    @property
    def reverse(self) -> MarkChange:
        """What takes it back."""
        return MarkChange(self.new, self.old)


class MarkStore(QObject):
    """One change after the other. ``failed`` with a HyperscopeError; the changes that wait are dropped then.

    ``lost`` when the session has no such mark any more: somebody else has changed it.
    """

    failed = Signal(object)
    lost = Signal()

    def __init__(self, desk: Desk, recordings: Recordings, parent: QObject) -> None:
        super().__init__(parent)
        self._desk, self._recordings = desk, recordings
        self._waiting: deque[tuple[Path, MarkChange, Callable[[], None]]] = deque()
        self._is_busy = False
        self._soon = QTimer(self, singleShot=True, interval=_SOON_MS)
        self._soon.timeout.connect(desk.session.look_now)
        desk.session.closed.connect(self._soon.stop)

    def change(self, change: MarkChange, done: Callable[[], None]) -> None:
        """Make a change in the open session; ``done`` when it is made or on its way to the recorder."""
        path = self._desk.session.path
        if path is not None:
            self._waiting.append((path, change, done))
            self._next()

    def _next(self) -> None:
        if self._is_busy or not self._waiting:
            return
        path, change, done = self._waiting.popleft()
        process = self._recordings.process
        if process is not None and self._recordings.records(path):
            tell(process, change)
            self._soon.start()
            done()
            self._next()
            return
        self._is_busy = True
        self._desk.jobs.start(
            "marks.store",
            "Storing the mark",
            lambda _job: store(path, change),
            lambda found: self._stored(found, done),
            failed=self._fail,
        )

    def _stored(self, found: bool, done: Callable[[], None]) -> None:
        self._is_busy = False
        self._desk.session.look_now()
        if found:
            done()
        else:
            self.lost.emit()
        self._next()

    def _fail(self, error: HyperscopeError) -> None:
        self._is_busy = False
        self._waiting.clear()
        self.failed.emit(error)


def tell(process: RecorderProcess, change: MarkChange) -> None:
    """The change as the recorder's commands."""
    old, new = change.old, change.new
    if old is not None and new is not None and old.at == new.at:
        process.change_mark(old.text, old.at, new.text)
        return
    if old is not None:
        process.unmark(old.text, old.at)
    if new is not None:
        process.mark(new.text, new.at)


def store(path: Path, change: MarkChange) -> bool:
    """Make the change in a file that nobody writes; whether the mark was there. Raises BusyError …"""
    with SessionWriter.open(path) as writer:
        if change.old is not None:
            return writer.change_mark(change.old, change.new)
        if change.new is not None:
            writer.add_mark(change.new)
    return True
