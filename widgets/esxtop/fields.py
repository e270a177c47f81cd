"""The dialog that chooses the columns of a screen and their order."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from viewmodels.esxtop_table import FieldChoice

_HINT = (
    "Space checks a column; drag it, or press Ctrl+Up and Ctrl+Down, to move it. "
    "Those without samples in this session stay hidden."
)


class FieldsDialog(QDialog):
    """Lists the columns that a screen can have: those that it shows checked and first, in their order.

    ``standard`` and ``classic`` are the counters of the screen's standard columns, and of esxtop's own.
    """

    def __init__(
        self,
        screen: str,
        choices: Sequence[FieldChoice],
        standard: Sequence[str],
        classic: Sequence[str],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(f"Columns of {screen}")
        self._choices = {choice.counter: choice for choice in choices}
        self._list = QListWidget()
        self._list.setAccessibleName(f"Columns of {screen}")
        self._list.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self._show([choice.counter for choice in choices if choice.is_shown])
        kinds = QDialogButtonBox.StandardButton
        buttons = QDialogButtonBox(kinds.Ok | kinds.Cancel)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        title = QLabel(f"Columns of {screen}")
        title.setProperty("role", "display")
        hint = QLabel(_HINT, wordWrap=True)
        hint.setProperty("role", "muted")
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 16)
        column.setSpacing(12)
        for widget in (title, hint, self._list):
            column.addWidget(widget)
        column.addLayout(self._tools(standard, classic))
        column.addWidget(buttons)
        self._list.setFocus()
        self.resize(520, 560)

    def chosen(self) -> tuple[str, ...]:
        """Return the counters of the checked columns, in their order."""
        items = [self._list.item(row) for row in range(self._list.count())]
        return tuple(
            str(item.data(Qt.ItemDataRole.UserRole))
            for item in items
            if item.checkState() == Qt.CheckState.Checked
        )

    def shift(self, steps: int) -> None:
        """Move the current column up (negative ``steps``) or down."""
        row = self._list.currentRow()
        to = row + steps
        if row >= 0 and 0 <= to < self._list.count():
            self._list.insertItem(to, self._list.takeItem(row))
            self._list.setCurrentRow(to)

    def _tools(self, standard: Sequence[str], classic: Sequence[str]) -> QHBoxLayout:
        tools = QHBoxLayout()
        for text, tip, key, act in (
            ("Up", "Ctrl+Up: move the column to the left in the table", "Ctrl+Up", lambda: self.shift(-1)),
            ("Down", "Ctrl+Down: move it to the right", "Ctrl+Down", lambda: self.shift(1)),
        ):
            tools.addWidget(_button(text, tip, act))
            QShortcut(QKeySequence(key), self, act)
        tools.addStretch(1)
        tip = "The columns that decide first, and those that this screen usually has"
        tools.addWidget(_button("Standard", tip, lambda: self._show(standard)))
        tools.addWidget(
            _button("As esxtop", "esxtop's own columns, in its order", lambda: self._show(classic))
        )
        return tools

    def _show(self, counters: Sequence[str]) -> None:
        """List these counters checked, then the others."""
        self._list.clear()
        for counter in dict.fromkeys((*counters, *self._choices)):
            choice = self._choices.get(counter)
            if choice is None:
                continue
            item = QListWidgetItem(choice.text)
            item.setData(Qt.ItemDataRole.UserRole, counter)
            item.setCheckState(Qt.CheckState.Checked if counter in counters else Qt.CheckState.Unchecked)
            item.setToolTip(choice.meaning)
            self._list.addItem(item)
        self._list.setCurrentRow(0)


def _button(text: str, tip: str, act: Callable[[], None]) -> QPushButton:
    button = QPushButton(text)
    button.setToolTip(tip)
    button.setAutoDefault(False)
    button.clicked.connect(act)
    return button
