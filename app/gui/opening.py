"""Opens the files that the user chooses or drops: sessions are opened, captures imported."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog

from app.gui.asking_for_logs import ask_where
from app.gui.desk import Desk
from app.gui.importing import Importing
from app.gui.jobs import Job
from app.gui.recording import ignore_result
from app.gui.session_files import CAPTURES, LOGS, SUFFIX, OpenablePaths, classify_paths, recordings_folder
from app.gui.window import Window
from resources.foreign_text import shown
from viewmodels.snapshot import Snapshot
from widgets.dialog_opening import open_dialog

_NAMED = 3
_SESSIONS = f"Sessions (*{SUFFIX});;All files (*)"
_CAPTURES = (
    f"Captures and logs ({' '.join((*(f'*{suffix}' for suffix in CAPTURES), *LOGS))});;"
    f"Captures ({' '.join(f'*{suffix}' for suffix in CAPTURES)});;Logs of ESXi ({' '.join(LOGS)});;"
    "All files (*)"
)


class Opening(QObject):
    """Asks for files with the system's dialogs, and opens files that were chosen or dropped."""

    def __init__(self, desk: Desk, window: Window, importing: Importing, parent: QObject) -> None:
        super().__init__(parent)
        self._desk, self._window, self._importing = desk, window, importing
        self._chosen: OpenablePaths | None = None
        desk.session.opened.connect(self._opened)
        desk.session.failed.connect(lambda _error: self._go_on())
        window.dragged.connect(importing.prepare)
        window.dropped.connect(self.open_paths)

    def open_paths(self, paths: Sequence[Path]) -> None:
        """Open a session, or import captures; which of them a file is, is checked in a worker thread."""

        def work(_job: Job) -> OpenablePaths:
            return classify_paths(paths)

        self._desk.jobs.start("opening.sort", "Looking at files", work, self._take)

    def ask_session(self) -> None:
        """Ask the user for a session file and open it."""
        self._ask("Open a session", _SESSIONS, QFileDialog.FileMode.ExistingFile)

    def ask_captures(self) -> None:
        """Ask the user for captures and import them."""
        self._importing.prepare()
        self._ask("Import captures", _CAPTURES, QFileDialog.FileMode.ExistingFiles)

    def _ask(self, title: str, filters: str, mode: QFileDialog.FileMode) -> None:
        folder = recordings_folder(self._desk.settings.text("record.folder"))
        dialog = QFileDialog(self._window, title, str(folder) if folder.is_dir() else "", filters)
        dialog.setFileMode(mode)
        dialog.filesSelected.connect(lambda names: self.open_paths([Path(name) for name in names]))
        open_dialog(dialog)

    def _take(self, found: OpenablePaths) -> None:
        sessions, captures = found.sessions, found.captures
        if found.closed:
            self._desk.notify(
                f"{_names(found.closed)}: this folder can't be read. Ask its owner for access.", "warning"
            )
        if sessions:
            self._chosen = found
            self._desk.session.open(sessions[0])
        elif captures:
            self._importing.start([*captures, *found.logs])
        elif found.logs:
            self._take_logs(found.logs)
        elif not found.closed:
            self._desk.notify("There is neither a session, a capture nor a log in that folder.", "warning")

    def _take_logs(self, logs: Sequence[Path]) -> None:
        """Import logs into a session of their own; if one is open that nobody writes, ask which."""
        snapshot = self._desk.session.whole
        if snapshot is None or snapshot.recording:
            ignore_result(self._importing.start(logs))
            return

        def start(into: Path | None, host: str) -> None:
            ignore_result(self._importing.start(logs, into=into, host=host))

        ask_where(logs, snapshot, self._window, start)

    def _go_on(self) -> None:
        """Open what was chosen beside a session that can't be opened; the message about that one stays."""
        chosen, self._chosen = self._chosen, None
        if chosen is not None and (chosen.sessions[1:] or chosen.captures or chosen.logs):
            self._take(OpenablePaths(chosen.sessions[1:], chosen.captures, logs=chosen.logs))

    def _opened(self, snapshot: Snapshot) -> None:
        """Show which other files were chosen; a message shown earlier would be removed with the old
        session.
        """
        chosen, self._chosen = self._chosen, None
        if chosen is None or snapshot.path != chosen.sessions[0]:
            return
        sessions, captures = chosen.sessions, chosen.captures
        say, opened = self._window.messages.show_message, f"{shown(sessions[0].name)} was opened"
        if len(sessions) > 1:
            opened = f"One session at a time: {opened}, {_names(sessions[1:])} not"
        if captures:
            name = captures[0].name if len(captures) == 1 else f"{len(captures)} captures"
            say(
                f"{opened}; {name} can be imported into a session of its own.",
                "info",
                button="Import",
                act=lambda: ignore_result(self._importing.start(captures)),
            )
        elif len(sessions) > 1:
            say(f"{opened}.", "info")
        if chosen.logs:
            self._take_logs(chosen.logs)


def _names(paths: Sequence[Path]) -> str:
    """Return the names of some files; of many, the first ones and how many more."""
    more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
    return ", ".join(shown(path.name) for path in paths[:_NAMED]) + more
