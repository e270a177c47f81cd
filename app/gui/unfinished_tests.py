"""Remembers which tests windows of this user began: one that was cut off is told of at the start."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
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
from sessions.store.lock import real_path
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
        session = real_path(Path(process.request.session))
        with suppress(OSError):  # without it only the start page knows nothing of it
            self._folder.mkdir(parents=True, exist_ok=True)
            self._file_of(session).write_text(str(session), encoding="utf-8")

    def _forget_finished(self) -> None:
        path, records = self._desk.session.path, self._desk.tests.records
        if path is not None and _is_over(records.runs, records.journal):
            with suppress(OSError):
                self._file_of(real_path(path)).unlink(missing_ok=True)

    def _file_of(self, session: Path) -> Path:
        return self._folder / f"{hashlib.sha256(str(session).encode()).hexdigest()[:24]}.txt"

    def _left(self, _job: Job) -> list[_Unfinished]:
        """Return the sessions whose tests were cut off or left changes behind; files of those that are gone
        or over are removed.
        """
        found = []
        for file in sorted(self._folder.glob("*.txt"))[:_MAX_FILES]:
            with suppress(OSError, UnicodeError):
                session = Path(file.read_text(encoding="utf-8"))
                state = _state_of(session) if session.exists() else "over"
                if state in ("cut off", "changes left"):
                    found.append(_Unfinished(session, has_ended=state == "changes left"))
                elif state == "over":
                    file.unlink(missing_ok=True)
        return found

    def _say(self, sessions: list[_Unfinished]) -> None:
        if not sessions or self._desk.session.path is not None:
            return
        path = sessions[-1].session
        show = MessageAction("Show it", lambda: self._open_paths([path]))
        self._window.messages.notify(_text(sessions), "critical", action=show)


@dataclass(frozen=True, slots=True)
class _Unfinished:
    """The session of a test that was cut off, or that ``has_ended`` without putting everything back."""

    session: Path
    has_ended: bool


def _text(sessions: Sequence[_Unfinished]) -> str:
    name, count = shown(sessions[-1].session.name, 120), len(sessions)
    if all(one.has_ended for one in sessions):
        who = f"A test has ended and left changes behind: {name}." if count == 1 else (
            f"{count} tests have ended and left changes behind, among them {name}."
        )  # fmt: skip
        return f"{who} They still hold."
    if count == 1:
        return f"A test did not end by itself: {name}. What it changed may still hold."
    what = "did not end by themselves"
    if any(one.has_ended for one in sessions):
        what += " or left changes behind"
    return f"{count} tests {what}, among them {name}. What they changed may still hold."


def _state_of(session: Path) -> Literal["cut off", "changes left", "over", ""]:
    """Return whether the test of a session was cut off, has left changes behind, or is over; "" while it may
    go on.
    """
    try:
        with SessionReader.open(session) as reader:
            runs, journal = reader.test_runs(), reader.journal()
            is_live = any(one.state == "recording" for one in reader.sources())
    except HyperscopeError:
        return ""
    if _is_over(runs, journal):
        return "over"
    if not runs or is_live:
        return ""
    return "cut off" if any(one.end is None for one in runs) else "changes left"


def _is_over(runs: Sequence[TestRun], journal: Sequence[JournalEntry]) -> bool:
    """Return True if all runs have ended, and everything is put back."""
    return bool(runs) and all(one.end is not None for one in runs) and not any(one.is_open for one in journal)
