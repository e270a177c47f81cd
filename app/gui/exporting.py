"""Exports the session or the scope: asks what and where, writes in a worker, and says where it is."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject

from app.gui.desk import Desk
from app.gui.export_dialog import ExportChoice, ExportDialog
from app.gui.jobs import Job
from app.gui.saving import Saving, file_stem
from app.gui.session_files import free_path, takes_files
from app.gui.window import Window
from resources.foreign_text import shown
from resources.units import format_bytes, format_count
from resources.user_folders import documents_folder
from sessions.export import ExportedFile, ExportPart, export_session
from sessions.scope import Scope
from sessions.store import SessionReader
from viewmodels.scope_export import ExportSize, export_size, part_of_scope
from viewmodels.scope_labels import scope_labels
from viewmodels.snapshot import Snapshot

_NAMED = 2


class Exporting(QObject):
    """Owns the dialog and the jobs of exports; several may run at a time."""

    def __init__(self, desk: Desk, window: Window, saving: Saving, parent: QObject) -> None:
        super().__init__(parent)
        self._desk, self._window, self._saving = desk, window, saving
        self._count = 0

    def ask(self, scope: Scope | None) -> None:
        """Ask what to export, with this scope chosen (None: the whole session)."""
        snapshot = self._desk.session.whole
        if snapshot is None:
            return
        wanted = scope or self._desk.scope.scope
        at = self._desk.times.clock
        words = " · ".join(scope_labels(wanted, snapshot, at))
        whole = " · ".join(scope_labels(Scope(), snapshot, at))
        dialog = ExportDialog(words, whole, self._window)
        dialog.part_changed.connect(lambda part: self._measure(snapshot, wanted if part else None, dialog))
        dialog.chosen.connect(lambda choice: self.start(snapshot, wanted, choice))
        dialog.finished.connect(lambda _result: self._desk.jobs.cancel("export.size"))
        dialog.finished.connect(dialog.deleteLater)
        dialog.choose_part(scope=scope is not None)
        dialog.open()

    def start(self, snapshot: Snapshot, scope: Scope, choice: ExportChoice) -> None:
        """Write the export in a worker; the jobs pane shows it and can stop it."""
        self._count += 1
        path, folder, clock = snapshot.path, choice.folder, self._desk.times.clock

        def work(job: Job) -> list[ExportedFile]:
            part = part_of_scope(scope, snapshot) if choice.of_scope else ExportPart()
            with SessionReader.open(path) as reader:
                return export_session(
                    reader,
                    folder,
                    kind=choice.kind,
                    part=part,
                    clock=clock,
                    progress=lambda done: job.progress(done, shown(str(folder))),
                    cancel=job,
                )

        what = "the scope" if choice.of_scope else "the session"
        title = f"Exporting {what} of {shown(snapshot.title)}"
        self._desk.jobs.start(
            f"export.{self._count}", title, work, lambda files: self._tell(folder, files), visible=True
        )

    def _tell(self, folder: Path, files: list[ExportedFile]) -> None:
        rows, size = format_count(files[-1].rows), format_bytes(sum(file.bytes for file in files))
        text = f"Exported {rows} samples and their records, {size}, to {shown(str(folder))}"
        self._saving.tell(folder, text)

    def _measure(self, snapshot: Snapshot, scope: Scope | None, dialog: ExportDialog) -> None:
        def work(reader: SessionReader, _job: Job) -> tuple[ExportSize, Path]:
            part = part_of_scope(scope, snapshot) if scope is not None else ExportPart()
            return export_size(reader, part), proposed_folder(snapshot, scope)

        self._desk.session.query("export.size", work, lambda found: dialog.propose(*found))


def proposed_folder(snapshot: Snapshot, scope: Scope | None) -> Path:
    """Return a folder that is not there yet: beside the session, else in the user's documents."""
    entities = scope.entities if scope is not None else ()
    about = [snapshot.name(ref) for ref in entities[:_NAMED]]
    if len(entities) > _NAMED:
        about.append(f"{len(entities) - _NAMED} more")
    if scope is not None and not about:
        about.append("part")
    beside = snapshot.path.parent
    parent = beside if takes_files(beside) else documents_folder()
    return free_path(parent / file_stem(" ".join([snapshot.path.stem, *about, "export"])))
