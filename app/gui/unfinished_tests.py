"""Remembers which tests windows of this user began: one that was cut off is told of at the start."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QObject

from app.gui.desk import Desk
from app.gui.jobs import Job
from app.gui.recorder_process import RecorderProcess
from app.gui.recording import Recordings
from app.gui.window import Window
from resources.failures import HyperscopeError
from resources.foreign_text import shown
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
        path, tests = self._desk.session.path, self._desk.tests
        if path is None or not tests.records.runs:
            return
        is_over = all(one.end is not None for one in tests.records.runs)
        if is_over and not any(one.is_open for one in tests.records.journal):
            with suppress(OSError):
                self._file_of(path.resolve()).unlink(missing_ok=True)

    def _file_of(self, session: Path) -> Path:
        return self._folder / f"{hashlib.sha256(str(session).encode()).hexdigest()[:24]}.txt"

    def _left(self, _job: Job) -> list[Path]:
        """Return the sessions whose runs are cut off; files of others are removed."""
        found = []
        for file in sorted(self._folder.glob("*.txt"))[:_MAX_FILES]:
            with suppress(OSError, UnicodeError):
                session = Path(file.read_text(encoding="utf-8"))
                if _is_cut_off(session):
                    found.append(session)
                elif not session.exists():
                    file.unlink(missing_ok=True)
        return found

    def _say(self, sessions: list[Path]) -> None:
        if not sessions or self._desk.session.path is not None:
            return
        count = "A test" if len(sessions) == 1 else f"{len(sessions)} tests"
        text = (
            f"{count} did not end by itself: {shown(sessions[-1].name, 120)}. What it changed may still hold."
        )
        show = MessageAction("Show it", lambda: self._open_paths([sessions[-1]]))
        self._window.messages.notify(text, "critical", action=show)


def _is_cut_off(session: Path) -> bool:
    """Return True if nobody runs the session's test any more, and it did not come to its end."""
    try:
        with SessionReader.open(session) as reader:
            runs, journal = reader.test_runs(), reader.journal()
            live = any(one.state == "recording" for one in reader.sources())
    except HyperscopeError:
        return False
    return not live and (any(one.end is None for one in runs) or any(one.is_open for one in journal))
