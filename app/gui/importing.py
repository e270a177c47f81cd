"""Imports captures in a child process, and opens their session as soon as it has rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from app.gui.child import Child
from app.gui.desk import Desk
from app.gui.jobs import Job
from app.gui.session_files import os_error_text, recordings_folder, session_beside
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
from sessions.store.lock import real_path
from widgets.messages import Level, MessageAction

_IDLE_MS = 60_000
_NAMED = 3
"""Files that were left out are named up to this number; the jobs pane has all."""
_DATES = {"dmy": "Day first", "mdy": "Month first", "ymd": "Year first"}
_ARGUMENTS = ("import", "-", "-o", "-", "--attached")


class Importing(QObject):
    """Runs one import at a time. ``prepare`` starts the child in advance, when an import is likely.

    Signals: ``finished``; ``discarded`` with the path of a session that an import did not leave.
    """

    finished = Signal()
    discarded = Signal(object)

    def __init__(self, desk: Desk, window: Window, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._desk, self._window = desk, window
        self._ready: Child | None = None
        self._run: _Run | None = None
        self._idle = QTimer(self, singleShot=True, interval=_IDLE_MS)
        self._idle.timeout.connect(self._drop_ready_child)

    @property
    def is_running(self) -> bool:
        """True while an import runs."""
        return self._run is not None

    def prepare(self) -> None:
        """Start a child in advance; it ends after a minute if no import follows."""
        if self._ready is None or not self._ready.is_running:
            self._ready = self._child()
        self._idle.start()

    def start(
        self, captures: Sequence[Path], *, into: Path | None = None, host: str = "", dates: str = ""
    ) -> Path | None:
        """Import captures and logs into one new session, or add logs to the session ``into``; returns its
        path, None if another import runs. ``host`` wrote the logs; empty: they say so.
        ``dates`` is the order of dates in tables of Get-Stat; empty: they decide it.
        """
        if self._run is not None:
            self._desk.notify("An import is running. Stop it in the jobs, or wait for it.", "warning")
            return None
        folder = recordings_folder(self._desk.settings.text("record.folder"))
        session = into or session_beside(captures, folder)
        try:
            session.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            self._complain(error)
            return None
        self.prepare()
        self._idle.stop()
        child, self._ready = self._ready, None
        if child is None:
            return None
        files = tuple(str(real_path(file)) for file in captures)
        wanted = Import(files, str(real_path(session)), into=into is not None, host=host, dates=dates)
        run = _Run(child, wanted, session, self._desk, self._window, self)
        run.with_dates = partial(self._with_dates, captures)
        self._run = run
        self._run.over.connect(self._over)
        return session

    def _with_dates(self, captures: Sequence[Path], dates: str) -> None:
        self.start(captures, dates=dates)

    def cancel(self) -> None:
        """Stop the import and delete its session."""
        if self._run is not None:
            self._run.cancel()

    def shutdown(self) -> None:
        """Stop the import and wait until its process has ended."""
        self._drop_ready_child()
        self._idle.stop()
        if self._run is not None:
            self._run.cancel()
            self._run.wait()
            self._run.deleteLater()
            self._run = None

    def _child(self) -> Child | None:
        try:
            return Child(_ARGUMENTS, read_import_event, self, low_priority=True)
        except OSError as error:
            self._complain(error)
            return None

    def _complain(self, error: OSError) -> None:
        self._desk.notify(f"The import can't be started: {os_error_text(error)}", "critical")

    def _drop_ready_child(self) -> None:
        if self._ready is not None:
            self._ready.wait()
            self._ready.deleteLater()
            self._ready = None

    def _over(self) -> None:
        if self._run is not None:
            session = self._run.session
            self._run.deleteLater()
            self._run = None
            if not session.exists():
                self.discarded.emit(session)
        self.finished.emit()


class _Run(QObject):
    """One running import: its child process, its row in the jobs panel, and its session."""

    over = Signal()

    def __init__(
        self,
        child: Child,
        wanted: Import,
        session: Path,
        desk: Desk,
        window: Window,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._child, self.session, self._desk, self._window = child, session, desk, window
        child.setParent(self)
        self._is_shown = self._is_cancelled = False
        self.with_dates: Callable[[str], None] = lambda _order: None
        """Imports the same files once more, by this order of dates."""
        self._rows = 0
        self._wanted = wanted
        self._last = ImportEnded()
        names = [Path(file).name for file in wanted.files]
        what = names[0] if len(names) == 1 else f"{len(names)} files"
        self._job: Job = desk.jobs.add_external(f"Importing {what}", self.cancel)
        child.received.connect(self._take_event)
        child.ended.connect(self._end)
        child.send(wanted)

    def cancel(self) -> None:
        """Close the session in the window, then make the child stop, which deletes the file."""
        self._is_cancelled = True
        if self._desk.session.path == self.session and not self._wanted.into:
            self._desk.session.close()
        self._child.close_stdin()

    def wait(self) -> None:
        """Wait until the child has ended, for a window that closes: nothing of it is heard any more."""
        self._child.wait()
        self._child.blockSignals(True)

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
        """Open the session; as for a recording, new rows are then read while it grows."""
        if not self._is_shown and not self._is_cancelled:
            self._is_shown = True
            if self._desk.session.path != self.session:
                self._desk.session.open(self.session)

    def _end(self, code: int) -> None:
        desk, last = self._desk, self._last
        if self._is_cancelled or code == CancelledError.exit_code:
            desk.jobs.end(self._job, "cancelled")
            desk.notify(f"The import was stopped. {self._what_is_left()}", "info")
        elif code == 0:
            notes = " ".join(f"{note.rstrip('.')}." for note in (*last.left_out, *last.notes))
            desk.jobs.end(self._job, "done", f"{self._counted()}. {notes}".strip())
            self._show()
            self._report_success()
        else:
            message = (
                last.message or self._child.last_error or f"The import ended without a message (code {code})."
            )
            desk.jobs.end(self._job, "failed", message)
            if desk.session.path == self.session and not self._wanted.into and not self.session.exists():
                desk.session.close()
            self._report_failure(message)
        self.over.emit()

    def _what_is_left(self) -> str:
        if self._wanted.into:
            return "Nothing was added."
        return f"{self.session} was complete by then." if self.session.exists() else "No session was left."

    def _report_failure(self, message: str) -> None:
        """Show why; where only the order of dates is not known, with a button for each."""
        choose = [
            MessageAction(_DATES[order], partial(self.with_dates, order))
            for order in self._last.dates
            if order in _DATES
        ]
        level: Level = "warning" if choose else "critical"
        self._window.messages.notify(message, level, action=next(iter(choose), None), more=choose[1:])

    def _counted(self) -> str:
        """What was imported: ``12 rows``, ``3 events``, or both."""
        events = self._last.events
        of_logs = [] if events is None else [f"{format_count(events)} event{'' if events == 1 else 's'}"]
        of_captures = [f"{format_count(self._rows)} rows"] if self._rows or events is None else []
        return " and ".join([*of_captures, *of_logs])

    def _is_there_before(self) -> bool:
        """True if the session was judged before its events came."""
        return self._wanted.into or bool(self._rows)

    def _report_success(self) -> None:
        """Show one message, which names what was left out; the import's notes stay in the jobs panel."""
        self._desk.session.check_now()
        if self._last.events and self._desk.session.path == self.session and self._is_there_before():
            self._desk.judging.judge_anew()  # events are evidence
        notes, left_out = self._last.notes, self._last.left_out
        done = "Added" if self._wanted.into else "Imported"
        target = f"{'to' if self._wanted.into else 'into'} {self.session.name}"
        parts = [f"{done} {self._counted()} {target}.", *left_out[:_NAMED]]
        if len(left_out) > _NAMED:
            parts.append(f"So were {len(left_out) - _NAMED} more files.")
        action = MessageAction(f"Notes ({len(notes)})", lambda: self._window.show_panel("jobs"))
        level: Level = "warning" if left_out else "ok"
        self._desk.notify(" ".join(parts), level, action=action if notes else None)
