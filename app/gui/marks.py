"""Dropping a mark: through our recorder while it writes the session, into the file otherwise."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer

from app.gui.desk import Desk
from app.gui.jobs import Job
from app.gui.recording import Recordings
from app.gui.window import Window
from app.gui.words import clock
from resources.failures import BusyError, HyperscopeError
from sessions.model import Mark
from sessions.store import SessionWriter
from widgets.marks import MarkNote

_SOON_MS = 400


class Marking(QObject):
    """Asks for the note and stores the mark at the moment for which it was asked."""

    def __init__(self, desk: Desk, window: Window, recordings: Recordings, parent: QObject) -> None:
        super().__init__(parent)
        self._desk, self._window, self._recordings = desk, window, recordings

    def drop(self, at: int | None) -> None:
        """Ask for a note; ``at`` None is now, or the end of what is looked at in a session of the past."""
        snapshot = self._desk.session.snapshot
        if snapshot is None:
            return
        when = self._now() if at is None else at
        if when is None:
            self._desk.notify("There is nothing recorded yet on which a mark could stand.", "info")
            return
        local = clock(self._desk.settings.text("look.times"))(when)
        note = MarkNote(self._desk.theme, f"{local:%H:%M:%S}", self._window)
        note.noted.connect(lambda text: self._store(when, text))
        note.show_under(self._window.top.mark)

    def _now(self) -> int | None:
        snapshot = self._desk.session.snapshot
        if snapshot is None:
            return None
        if self._recordings.records(snapshot.path):
            return self._recordings.mark_time()
        window = self._desk.scope.scope.window_in(snapshot.span)
        return window.end if window else None

    def _store(self, at: int, text: str) -> None:
        desk, process = self._desk, self._recordings.process
        path = desk.session.path
        if path is None:
            return
        if process is not None and self._recordings.records(path):
            process.mark(text, at)
            QTimer.singleShot(_SOON_MS, self, desk.session.look_at_records)
            return

        def work(_job: Job) -> None:
            with SessionWriter.open(path) as writer:
                writer.add_mark(Mark(at, text))

        desk.jobs.start(
            "marks.store",
            "Storing the mark",
            work,
            lambda _none: desk.session.look_at_records(),
            failed=self._complain,
        )

    def _complain(self, error: HyperscopeError) -> None:
        if isinstance(error, BusyError):
            self._desk.notify(
                "The mark was not stored: another program is writing this session. "
                "Drop it in the window that records.",
                "warning",
            )
        else:
            self._desk.notify(str(error), "critical")
