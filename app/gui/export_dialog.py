"""The dialog before an export: what of the session, as which kind of files, and where."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from resources.foreign_text import shown
from resources.units import format_bytes, format_count
from viewmodels.scope_export import ExportSize
from widgets.dialog_opening import open_dialog

Kind = Literal["csv", "parquet"]
_KINDS: tuple[tuple[Kind, str, str], ...] = (
    ("csv", "CSV", "For spreadsheets and scripts: one line a sample, which gets large."),
    ("parquet", "Parquet", "For pandas, polars, DuckDB: small and fast."),
)
_WIDTH = 560


@dataclass(frozen=True, slots=True)
class ExportChoice:
    """What the user chose: the scope or the whole session, the kind of files, and the folder to make."""

    of_scope: bool
    kind: Kind
    folder: Path


class ExportDialog(QDialog):
    """Asks what to export.

    Signals: ``chosen`` with an ExportChoice; ``part_changed`` with True when the scope, False when the whole
    session is chosen: ``propose`` then gets its size and a folder.
    """

    chosen = Signal(object)
    part_changed = Signal(bool)

    def __init__(self, scope: str, session: str, parent: QWidget) -> None:
        """``scope`` and ``session`` say in words what each is."""
        super().__init__(parent)
        self.setObjectName("export")
        self.setWindowTitle("Export")
        self.whole = _radio("The whole session", session)
        self.scope = _radio("The scope", scope)
        self._parts = _group(self, self.whole, self.scope)
        has_arrow = find_spec("pyarrow") is not None
        self.kinds: dict[Kind, QRadioButton] = {}
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 16)
        column.setSpacing(6)
        column.addWidget(_heading("WHAT"))
        for radio in (self.whole, self.scope):
            column.addWidget(radio)
            column.addWidget(_note(radio.toolTip()))
        column.addSpacing(8)
        column.addWidget(_heading("AS"))
        for kind, title, note in _KINDS:
            missing = kind == "parquet" and not has_arrow
            radio = self.kinds[kind] = _radio(title, note)
            radio.setEnabled(not missing)
            column.addWidget(radio)
            column.addWidget(_note("Needs the package pyarrow, which is not installed." if missing else note))
        self._group_of_kinds = _group(self, *self.kinds.values())
        column.addSpacing(8)
        column.addWidget(_heading("INTO A NEW FOLDER"))
        column.addLayout(self._folder_row())
        self.size_note = _note("")
        column.addWidget(self.size_note)
        column.addSpacing(8)
        column.addWidget(self._buttons())
        self.setMinimumWidth(_WIDTH)
        self._parts.idToggled.connect(self._change_part)
        self._group_of_kinds.idToggled.connect(lambda _id, on: self._show_size() if on else None)
        self._size: ExportSize | None = None
        self.kinds["csv"].setChecked(True)

    def choose_part(self, *, scope: bool) -> None:
        """Choose the scope or the whole session, as if the user had done so."""
        chosen = self.scope if scope else self.whole
        chosen.setChecked(True)
        chosen.setFocus(Qt.FocusReason.OtherFocusReason)

    def propose(self, size: ExportSize, folder: Path) -> None:
        """Show how large the chosen part is, and propose a folder unless the user named one."""
        self._size = size
        if not self.line.isModified():
            self.line.setText(str(folder))
        self._show_size()

    def _show_size(self) -> None:
        size = self._size
        if size is None:
            self.size_note.setText("")
            return
        text = f"{format_count(size.series)} series, at most {format_count(size.samples)} samples"
        is_csv = self.kinds["csv"].isChecked()
        self.size_note.setText(
            f"{text}: about {format_bytes(size.csv_bytes)} of CSV." if is_csv else f"{text}."
        )
        self._export.setEnabled(size.series > 0)

    def _folder_row(self) -> QHBoxLayout:
        self.line = QLineEdit()
        self.line.setAccessibleName("New folder")
        choose = QPushButton("Choose…")
        choose.setToolTip("Choose in which folder the new one is made")
        choose.setAutoDefault(False)
        choose.clicked.connect(self._ask_folder)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.line, 1)
        row.addWidget(choose)
        return row

    def _buttons(self) -> QDialogButtonBox:
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self._export = buttons.addButton("Export", QDialogButtonBox.ButtonRole.AcceptRole)
        self._export.setDefault(True)
        buttons.accepted.connect(self._accept)
        buttons.rejected.connect(self.reject)
        return buttons

    def _change_part(self, _id: int, on: bool) -> None:
        if on:
            of_scope = self.scope.isChecked()
            self._size = None
            self._show_size()
            self.part_changed.emit(of_scope)

    def _ask_folder(self) -> None:
        now = Path(self.line.text())
        dialog = QFileDialog(self, "In which folder?", str(now.parent))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(lambda parent: self._take_folder(Path(parent) / now.name))
        open_dialog(dialog)

    def _take_folder(self, folder: Path) -> None:
        self.line.setText(str(folder))
        self.line.setModified(True)

    def _accept(self) -> None:
        text = self.line.text().strip()
        if not text:
            self.line.setFocus()
            return
        kind = next(kind for kind, radio in self.kinds.items() if radio.isChecked())
        self.chosen.emit(ExportChoice(self.scope.isChecked(), kind, Path(text).expanduser()))
        self.accept()


def _radio(title: str, about: str) -> QRadioButton:
    radio = QRadioButton(title)
    radio.setToolTip(shown(about))
    return radio


def _group(parent: QWidget, *radios: QRadioButton) -> QButtonGroup:
    group = QButtonGroup(parent)
    for radio in radios:
        group.addButton(radio)
    return group


def _heading(text: str) -> QLabel:
    label = QLabel(text)
    label.setProperty("role", "pane-title")
    return label


def _note(text: str) -> QLabel:
    label = QLabel(shown(text), textFormat=Qt.TextFormat.PlainText, wordWrap=True)
    label.setProperty("role", "muted")
    label.setContentsMargins(22, 0, 0, 0)
    label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
    return label
