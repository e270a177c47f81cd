"""Imports run in a child process, and their session opens as soon as its first rows are there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from app.gui.child import Child
from app.gui.desk import Desk
from app.gui.jobs import Job
from app.gui.session_files import recordings_folder, session_beside
from app.gui.window import Window
from recorder.protocol import (
    Import,
    ImportEnded,
    ImportEvent,
    ImportProgress,
    Warned,
    read_import_event,
)
from resources.failures import CancelledError
from resources.units import format_count, format_duration, format_rate

_IDLE_MS = 60_000
_ARGUMENTS = ("import", "-", "-o", "-", "--attached")


class Importing(QObject):
    """One import at a time. ``prepare`` when one is likely: the child is ready by the time it is wanted."""

    finished = Signal()

    def __init__(self, desk: Desk, window: Window, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._desk, self._window = desk, window
        self._ready: Child | None = None
        self._run: _Run | None = None
        self._idle = QTimer(self, singleShot=True, interval=_IDLE_MS)
        self._idle.timeout.connect(self._let_go)

    @property
    def is_running(self) -> bool:
        """Whether an import is at work."""
        return self._run is not None

    def prepare(self) -> None:
        """Have a child ready; it goes again when nothing comes of it."""
        if self._ready is None or not self._ready.is_running:
            self._ready = self._child()
        self._idle.start()

    def start(self, captures: Sequence[Path]) -> Path | None:
        """Import these into one new session, which is returned; None while another import runs."""
        if self._run is not None:
            self._desk.notify("An import is running. Stop it in the jobs, or wait for it.", "warning")
            return None
        self.prepare()
        self._idle.stop()
        child, self._ready = self._ready, None
        if child is None:
            return None
        session = session_beside(captures, recordings_folder(self._desk.settings.text("record.folder")))
        self._run = _Run(child, captures, session, self._desk, self._window, self)
        self._run.over.connect(self._over)
        return session

    def cancel(self) -> None:
        """Stop the import; no session is left."""
        if self._run is not None:
            self._run.cancel()

    def shutdown(self) -> None:
        """End what runs, and wait for it."""
        self._let_go()
        self._idle.stop()
        if self._run is not None:
            self._run.cancel()
            self._run.wait()
            self._run = None

    def _child(self) -> Child | None:
        try:
            return Child(_ARGUMENTS, read_import_event, self, gives_way=True)
        except OSError as error:
            self._desk.notify(f"The import can't be started: {error}.", "critical")
            return None

    def _let_go(self) -> None:
        if self._ready is not None:
            self._ready.wait()
            self._ready.deleteLater()
            self._ready = None

    def _over(self) -> None:
        if self._run is not None:
            self._run.deleteLater()
            self._run = None
        self.finished.emit()


class _Run(QObject):
    """One import: its child, its job, and its session in the window."""

    over = Signal()

    def __init__(
        self,
        child: Child,
        captures: Sequence[Path],
        session: Path,
        desk: Desk,
        window: Window,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._child, self._session, self._desk, self._window = child, session, desk, window
        child.setParent(self)
        self._is_shown = self._is_cancelled = False
        self._rows = 0
        self._last = ImportEnded()
        what = captures[0].name if len(captures) == 1 else f"{len(captures)} captures"
        self._job: Job = desk.jobs.external(f"Importing {what}", self.cancel)
        child.received.connect(self._take_event)
        child.ended.connect(self._end)
        session.parent.mkdir(parents=True, exist_ok=True)
        files = tuple(str(file.resolve()) for file in captures)
        child.send(Import(files, str(session.resolve())))

    def cancel(self) -> None:
        """Close what is shown of it, then have the child stop: it deletes the session."""
        self._is_cancelled = True
        if self._desk.session.path == self._session:
            self._desk.session.close()
        self._child.close_stdin()

    def wait(self) -> None:
        """Wait for the child's end."""
        self._child.wait()

    def _take_event(self, event: ImportEvent) -> None:
        match event:
            case ImportProgress():
                self._show_progress(event)
            case ImportEnded():
                self._last = event
            case Warned():
                self._desk.notify(event.message, "warning")

    def _show_progress(self, now: ImportProgress) -> None:
        left = f" · {format_duration(now.seconds_left)} left" if now.seconds_left is not None else ""
        part = now.bytes_done / now.bytes_total if now.bytes_total else None
        self._job.progress(part, format_rate(now.bytes_per_second, "B") + left)
        self._rows = now.rows
        if now.rows:
            self._show()

    def _show(self) -> None:
        """Open the session; what comes later is looked for as in one that is recorded."""
        if not self._is_shown and not self._is_cancelled:
            self._is_shown = True
            self._desk.session.open(self._session)

    def _end(self, code: int) -> None:
        desk, last = self._desk, self._last
        if self._is_cancelled or code == CancelledError.exit_code:
            desk.jobs.end(self._job, "cancelled")
            desk.notify("The import was stopped. No session was left.", "info")
        elif code == 0:
            notes = " ".join(f"{note.rstrip('.')}." for note in last.notes)
            desk.jobs.end(self._job, "done", f"{format_count(self._rows)} rows. {notes}".strip())
            self._show()
            self._praise()
        else:
            message = last.message or self._child.last_error or f"It ended without a word (code {code})."
            desk.jobs.end(self._job, "failed", message)
            if desk.session.path == self._session and not self._session.exists():
                desk.session.close()
            desk.notify(message, "critical")
        self.over.emit()

    def _praise(self) -> None:
        """Short in the bar; notes stay in the jobs."""
        self._desk.session.look_now()
        text = f"Imported {format_count(self._rows)} rows into {self._session.name}."
        if not self._last.notes:
            self._desk.notify(text, "ok")
            return
        self._window.messages.show_message(
            text,
            "ok",
            button=f"Notes ({len(self._last.notes)})",
            act=lambda: self._window.show_panel("jobs"),
        )
