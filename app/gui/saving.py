"""Saves what views offer as files: asks where, writes in a worker, and says where the file is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog

from app.gui.jobs import Job, JobRunner
from app.gui.revealing import reveal
from app.gui.session_files import free_path
from app.gui.window import Window
from resources.files import replace_file, write_failures
from resources.foreign_text import shown
from resources.user_folders import files_folder
from viewmodels.file_offer import FileForm, FileOffer
from widgets.dialog_opening import open_dialog

_LONGEST_NAME = 100


class Saving(QObject):
    """Asks for a path with the system's dialog, and writes the file as a whole or not at all."""

    def __init__(self, jobs: JobRunner, window: Window, parent: QObject) -> None:
        super().__init__(parent)
        self._jobs, self._window = jobs, window
        self._folder: Path | None = None

    def ask(self, offer: FileOffer) -> None:
        """Ask where to save, with the first form chosen; then write the file."""
        filters = [f"{form.label} (*{form.suffix})" for form in offer.forms]
        dialog = QFileDialog(self._window, "Save as", str(self.folder), ";;".join(filters))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(offer.forms[0].suffix.removeprefix("."))
        dialog.filterSelected.connect(
            lambda chosen: dialog.setDefaultSuffix(
                offer.forms[filters.index(chosen)].suffix.removeprefix(".")
            )
        )
        proposed = free_path(self.folder / f"{file_stem(offer.name)}{offer.forms[0].suffix}")
        dialog.selectFile(proposed.name)
        dialog.fileSelected.connect(
            lambda name: self.write(Path(name), form_of(Path(name), offer.forms, dialog.selectedNameFilter()))
        )
        open_dialog(dialog)

    @property
    def folder(self) -> Path:
        """The folder in which something was saved last; before that, the user's documents."""
        if self._folder is not None and self._folder.is_dir():
            return self._folder
        return files_folder()

    def write(self, path: Path, form: FileForm) -> None:
        """Write the file in a worker, then say where it is."""
        self._folder = path.parent

        def work(_job: Job) -> None:
            with write_failures(path):
                replace_file(path, form.content())

        self._jobs.start(f"saving.{path}", f"Saving {shown(path.name)}", work, lambda _none: self.tell(path))

    def tell(self, path: Path, text: str = "") -> None:
        """Show the message that ``path`` was written, with a button that shows it in its folder."""
        self._window.messages.show_message(
            text or f"Saved as {shown(str(path))}",
            "ok",
            button="Show in folder",
            act=lambda: self.reveal(path),
        )

    def reveal(self, path: Path) -> None:
        """Show a file or folder in the system's file manager."""

        def done(worked: bool) -> None:
            if not worked:
                text = f"No file manager of this computer answers. It is here: {shown(str(path), 1000)}"
                self._window.messages.show_message(text, "warning")

        self._jobs.start("saving.reveal", "Opening the folder", lambda _job: reveal(path), done)


def file_stem(name: str) -> str:
    """Return a file name without suffix that every system accepts, made of a title."""
    safe = "".join(sign if sign.isalnum() or sign in " .-_()+" else "-" for sign in shown(name))
    return " ".join(safe.split())[:_LONGEST_NAME].strip(" .-") or "hyperscope"


def form_of(path: Path, forms: Sequence[FileForm], chosen: str) -> FileForm:
    """Return the form that fits the name's suffix, else the one of the ``chosen`` filter, else the first.

    Of several forms with that suffix, the filter's is taken.
    """
    by_suffix = [form for form in forms if path.name.lower().endswith(form.suffix)]
    by_filter = [form for form in forms if chosen.startswith(f"{form.label} (")]
    both = [form for form in by_suffix if form in by_filter]
    return [*both, *by_suffix, *by_filter, *forms][0]
