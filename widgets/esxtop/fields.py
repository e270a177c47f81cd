"""The dialog that chooses the columns of a screen."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QVBoxLayout,
    QWidget,
)

from viewmodels.esxtop_table import FieldChoice


class FieldsDialog(QDialog):
    """Lists the columns that a screen can have, those that it shows checked."""

    def __init__(self, screen: str, choices: Sequence[FieldChoice], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(f"Columns of {screen}")
        self._list = QListWidget()
        self._list.setAccessibleName(f"Columns of {screen}")
        for choice in choices:
            item = QListWidgetItem(choice.text)
            item.setData(Qt.ItemDataRole.UserRole, choice.counter)
            item.setCheckState(Qt.CheckState.Checked if choice.is_shown else Qt.CheckState.Unchecked)
            item.setToolTip(choice.meaning)
            self._list.addItem(item)
        kinds = QDialogButtonBox.StandardButton
        buttons = QDialogButtonBox(kinds.Ok | kinds.Cancel)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        title = QLabel(f"Columns of {screen}")
        title.setProperty("role", "display")
        hint = QLabel("Space checks a column; those without samples in this session stay hidden.")
        hint.setProperty("role", "muted")
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 16)
        column.setSpacing(12)
        for widget in (title, hint, self._list, buttons):
            column.addWidget(widget)
        self.resize(480, 520)

    def chosen(self) -> tuple[str, ...]:
        """Return the counters of the checked columns, in their order."""
        items = [self._list.item(row) for row in range(self._list.count())]
        return tuple(
            str(item.data(Qt.ItemDataRole.UserRole))
            for item in items
            if item.checkState() == Qt.CheckState.Checked
        )
