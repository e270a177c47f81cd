"""Remembers which tests windows of this user began: one that was cut off is told of at the start."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QObject

from app.gui.desk import Desk
from app.gui.jobs import Job
from app.gui.recorder_process import RecorderProcess
from app.gui.recording import Recordings
from app.gui.window import Window
from resources.failures import HyperscopeError
from resources.foreign_text import shown
from sessions.journal import JournalEntry, TestRun
from sessions.store import SessionReader
from widgets.messages import MessageAction

_MAX_FILES = 50


class UnfinishedTests(QObject):
    """Keeps a small file for each test from its start until everything of it is put back. When the window
    opens without a session, it says which of them are left.
    """

    def __init__(
        self,
        desk: Desk,
        window: Window,
        recordings: Recordings,
        open_paths: Callable[[Sequence[Path]], None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._desk, self._window, self._open_paths = desk, window, open_paths
        self._folder = desk.settings.folder / "unfinished-tests"
        recordings.began.connect(self._remember)
        desk.tests.changed.connect(self._forget_finished)
        if self._folder.is_dir():
            desk.jobs.start("unfinished-tests", "Looking for interrupted tests", self._left, self._say)

    def _remember(self, process: RecorderProcess) -> None:
        if not process.is_test:
            return
        session = Path(process.request.session).resolve()
        with suppress(OSError):  # without it only the start page knows nothing of it
            self._folder.mkdir(parents=True, exist_ok=True)
            self._file_of(session).write_text(str(session), encoding="utf-8")

    def _forget_finished(self) -> None:
        path, records = self._desk.session.path, self._desk.tests.records
        if path is not None and _is_over(records.runs, records.journal):
            with suppress(OSError):
                self._file_of(path.resolve()).unlink(missing_ok=True)

    def _file_of(self, session: Path) -> Path:
        return self._folder / f"{hashlib.sha256(str(session).encode()).hexdigest()[:24]}.txt"

    def _left(self, _job: Job) -> list[Path]:
        """Return the sessions whose tests were cut off; files of those that are gone or over are removed."""
        found = []
        for file in sorted(self._folder.glob("*.txt"))[:_MAX_FILES]:
            with suppress(OSError, UnicodeError):
                session = Path(file.read_text(encoding="utf-8"))
                state = _state_of(session) if session.exists() else "over"
                if state == "cut off":
                    found.append(session)
                elif state == "over":
                    file.unlink(missing_ok=True)
        return found

    def _say(self, sessions: list[Path]) -> None:
        if not sessions or self._desk.session.path is not None:
            return
        name = shown(sessions[-1].name, 120)
        text = (
            f"A test did not end by itself: {name}. What it changed may still hold."
            if len(sessions) == 1
            else f"{len(sessions)} tests did not end by themselves, among them {name}. What they changed "
            "may still hold."
        )
        show = MessageAction("Show it", lambda: self._open_paths([sessions[-1]]))
        self._window.messages.notify(text, "critical", action=show)


def _state_of(session: Path) -> Literal["cut off", "over", ""]:
    """Return whether the test of a session was cut off, or is over; "" while it may go on."""
    try:
        with SessionReader.open(session) as reader:
            runs, journal = reader.test_runs(), reader.journal()
            is_live = any(one.state == "recording" for one in reader.sources())
    except HyperscopeError:
        return ""
    if _is_over(runs, journal):
        return "over"
    return "cut off" if runs and not is_live else ""


def _is_over(runs: Sequence[TestRun], journal: Sequence[JournalEntry]) -> bool:
    """Return True if all runs have ended, and everything is put back."""
    return bool(runs) and all(one.end is not None for one in runs) and not any(one.is_open for one in journal)
