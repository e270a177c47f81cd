"""The threshold sets: chosen from a list, looked at, duplicated, edited, and made to judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtGui import QHideEvent, QStandardItemModel
from PySide6.QtWidgets import (
    QComboBox,
    QFormLayout,
    QGridLayout,
    QLineEdit,
    QMenu,
    QVBoxLayout,
    QWidget,
)

from resources.threshold_sets import MAX_NAME, MAX_NOTE
from viewmodels.threshold_sets import NumberRow, SetRow, VersionRow
from widgets.thresholds.number_row import NumberRowWidgets
from widgets.thresholds.parts import PageNote, button, muted, row, show_step

_SHIPPED = "It ships with Hyperscope and stays as it is: duplicate it to have numbers of your own."
_JUDGE = "Judge all devices of its class with this set"
_JUDGES = "All devices of its class are judged with this set already"
_DELETE = "Delete this set of yours; it can be undone"
_KEPT = "A set that ships with Hyperscope cannot be deleted"


@dataclass(frozen=True, slots=True)
class Draft:
    """A set as it stands in the fields."""

    name: str
    note: str
    numbers: tuple[tuple[str, float], ...]


class ThresholdSetsView(QWidget):
    """A list of sets, and the one that is chosen.

    Signals: ``chosen`` with a row of the list; ``duplicate_wanted``; ``use_wanted``; ``save_wanted`` with a
    Draft; ``remove_wanted``; ``import_wanted``; ``export_wanted``; ``undo_wanted``; ``redo_wanted``;
    ``left`` when the page is hidden: behind another tab, or with its dialog.
    """

    chosen = Signal(int)
    duplicate_wanted = Signal()
    use_wanted = Signal()
    save_wanted = Signal(object)
    remove_wanted = Signal()
    import_wanted = Signal()
    export_wanted = Signal()
    undo_wanted = Signal()
    redo_wanted = Signal()
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: list[NumberRowWidgets] = []
        self._stored: Draft | None = None
        self._is_own = False
        self.list = QComboBox()
        self.list.setAccessibleName("Threshold set")
        self.list.activated.connect(self.chosen)
        self.about = muted("")
        self.name = QLineEdit(maxLength=MAX_NAME)
        self.name.setAccessibleName("Name of the set")
        self.note = QLineEdit(maxLength=MAX_NOTE, placeholderText="What it is for, or why it differs")
        self.note.setAccessibleName("Note")
        self._numbers = QWidget()
        self.trouble = PageNote()
        self.duplicate = button(
            "Duplicate", "Make a set of your own from this one", self.duplicate_wanted.emit
        )
        self.use = button("Judge with it", _JUDGE, self.use_wanted.emit)
        self.remove = button("Delete", _DELETE, self.remove_wanted.emit)
        self.save = button("Save", "Save as a new version, and judge again at once", self._save)
        self.save.setProperty("role", "primary")
        self.discard = button("Discard", "Back to what is saved", self._discard)
        self.reset = button("Reset all", "Put the shipped numbers into all fields", self._reset)
        self.versions = button("Versions", "", lambda: None)
        self._version_menu = QMenu(self)
        self.versions.setMenu(self._version_menu)
        self.undo = button("Undo", "Nothing to undo", self.undo_wanted.emit)
        self.redo = button("Redo", "Nothing to redo", self.redo_wanted.emit)
        self.take = button("Import…", "Add the sets of a TOML file", self.import_wanted.emit)
        self.give = button("Export…", "Write your own sets to a TOML file", self.export_wanted.emit)
        for field in (self.name, self.note):
            field.textEdited.connect(lambda _text: self._enable())
        self._lay_out()

    def show_sets(self, rows: Sequence[SetRow], at: int) -> None:
        """Fill the list, and choose one of them."""
        self.list.clear()
        for one in rows:
            self.list.addItem(f"{'    ' if one.name else ''}{one.title} – {one.state}")
        model = self.list.model()
        if isinstance(model, QStandardItemModel):
            for number, one in enumerate(rows):
                item = model.item(number)
                font = item.font()
                font.setBold(one.judges)
                item.setFont(font)
        self.list.setCurrentIndex(at)

    def show_set(self, shown: SetRow, about: str, note: str, numbers: Sequence[NumberRow]) -> None:
        """Show one set in the fields; a shipped one can't be edited."""
        self._is_own = bool(shown.name)
        self.about.setText(about if self._is_own else f"{about} {_SHIPPED}")
        self.name.setText(shown.name or shown.title)
        self.note.setText(note)
        for field in (self.name, self.note):
            field.setReadOnly(not self._is_own)
            field.setEnabled(self._is_own)
        self._show_numbers(numbers)
        self._stored = self.draft()
        if self.use.hasFocus() and shown.judges:
            self.list.setFocus()  # or the focus goes on to the button that deletes
        self.use.setEnabled(not shown.judges)
        self.use.setText("In use" if shown.judges else "Judge with it")
        self.use.setToolTip(_JUDGES if shown.judges else _JUDGE)
        self.remove.setEnabled(self._is_own)
        self.remove.setToolTip(_DELETE if self._is_own else _KEPT)
        self._enable()

    def show_draft(self, draft: Draft) -> None:
        """Show what was typed into this set before, and not saved."""
        self.name.setText(draft.name)
        self.note.setText(draft.note)
        numbers = dict(draft.numbers)
        for one in self._rows:
            one.show_value(numbers.get(one.name, one.value))
        self._enable()

    def show_versions(self, versions: Sequence[VersionRow]) -> None:
        """Offer the earlier versions of the set that is shown; choosing one puts it into the fields."""
        self._version_menu.clear()
        for one in versions:
            act = self._version_menu.addAction(one.label.replace("&", "&&"))
            act.triggered.connect(lambda _checked=False, one=one: self._bring_back(one))
        self.versions.setEnabled(bool(versions))
        tip = "Put an earlier version into the fields; Save makes it the newest"
        self.versions.setToolTip(tip if versions else "No earlier version is kept of this set")

    def _bring_back(self, version: VersionRow) -> None:
        self.show_draft(Draft(self.name.text(), version.note, version.numbers))

    def show_trouble(self, text: str) -> None:
        """Say what could not be done; empty: nothing is wrong."""
        self.trouble.say(text, is_trouble=True)

    def show_note(self, text: str) -> None:
        """Say what was done."""
        self.trouble.say(text)

    def show_steps(self, undo: str, redo: str) -> None:
        """Say what can be undone, and done again."""
        show_step(self.undo, undo)
        show_step(self.redo, redo)

    def draft(self) -> Draft:
        """Return what stands in the fields."""
        numbers = tuple((one.name, one.value) for one in self._rows)
        return Draft(self.name.text(), self.note.text(), numbers)

    @property
    def is_edited(self) -> bool:
        """True if the fields differ from what is saved."""
        return self._stored is not None and self.draft() != self._stored

    def _show_numbers(self, numbers: Sequence[NumberRow]) -> None:
        old, self._numbers = self._numbers, QWidget()
        grid = QGridLayout(self._numbers)
        grid.setContentsMargins(0, 4, 0, 0)
        grid.setVerticalSpacing(2)
        grid.setHorizontalSpacing(12)
        grid.setColumnStretch(0, 1)
        self._rows = [
            NumberRowWidgets(one, grid, at, is_editable=self._is_own) for at, one in enumerate(numbers)
        ]
        for one in self._rows:
            one.changed.connect(self._enable)
        self._column.replaceWidget(old, self._numbers)
        old.setParent(None)
        old.deleteLater()

    def _enable(self) -> None:
        edited = self._is_own and self.is_edited
        self.save.setEnabled(edited)
        self.discard.setEnabled(edited)
        self.reset.setEnabled(self._is_own and any(one.reset.isEnabled() for one in self._rows))

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802
        """Emit ``left``."""
        super().hideEvent(event)
        self.left.emit()

    def _save(self) -> None:
        self.name.setText(self.name.text().strip())
        self.save_wanted.emit(self.draft())

    def _discard(self) -> None:
        if self._stored is not None:
            self.show_draft(self._stored)
        self.chosen.emit(self.list.currentIndex())

    def _reset(self) -> None:
        for one in self._rows:
            one.to_shipped()

    def _lay_out(self) -> None:
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(12, 16, 4, 8)
        self._column.setSpacing(8)
        self._column.addWidget(self.list)
        self._column.addLayout(row(self.duplicate, self.use, self.remove, None, self.undo, self.redo))
        self._column.addWidget(self.about)
        form = QFormLayout()
        form.setVerticalSpacing(6)
        form.addRow("Name", self.name)
        form.addRow("Note", self.note)
        self._column.addLayout(form)
        edits = (self.save, self.discard, self.reset, self.versions)
        self._column.addLayout(row(*edits, None, self.take, self.give))
        self._column.addWidget(self.trouble)
        self._column.addWidget(self._numbers)
        self._column.addStretch(1)
        self.show_trouble("")
