"""What else differs, as a list: settings, moves, names, what is new or gone, and what happened."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent
from PySide6.QtWidgets import QHeaderView, QTableView, QWidget

from resources.foreign_text import tooltip_text
from viewmodels.comparison_surroundings import OtherLine
from viewmodels.text_table import TextTable
from widgets.context_menu import ContextMenu, Entries, MenuEntry, table_entries
from widgets.theme import Theme
from wizards.pages.plain_rows import show_plain_rows

Index = QModelIndex | QPersistentModelIndex
_ROW, _HEAD = 24, 26


class OthersModel(QAbstractTableModel):
    """Lines: what it is, and the text."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.lines: Sequence[OtherLine] = ()

    def show_lines(self, lines: Sequence[OtherLine]) -> None:
        """Show these lines."""
        self.beginResetModel()
        self.lines = lines
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: N802, B008 - Qt's signature
        """Return the number of lines."""
        return 0 if parent.isValid() else len(self.lines)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: N802, B008 - Qt's signature
        """Return the number of columns."""
        return 0 if parent.isValid() else 2

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return a cell's text, or the muted colour of what it is."""
        if not index.isValid():
            return None
        line = self.lines[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return (line.what, line.text)[index.column()]
        if role == Qt.ItemDataRole.ToolTipRole:
            return tooltip_text(f"{line.what}: {line.text}")
        if role == Qt.ItemDataRole.ForegroundRole and index.column() == 0:
            return QColor(self._theme.tokens.muted)
        return None


class OtherList(QTableView):
    """The list. Signals: ``opened`` with a line that has a time; ``copied``; ``save_wanted``."""

    opened = Signal(object)
    copied = Signal(str)
    save_wanted = Signal(object)

    def __init__(self, theme: Theme, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = title
        self.others = OthersModel(theme, self)
        self.setModel(self.others)
        self.setAccessibleName(title)
        show_plain_rows(self, _ROW, _HEAD)
        self.setWordWrap(False)
        self.horizontalHeader().hide()
        self.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        self.horizontalHeader().setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        self.doubleClicked.connect(lambda _index: self._open())
        theme.changed.connect(self.viewport().update)
        ContextMenu(self, lambda _at: self._entries())

    def show_lines(self, lines: Sequence[OtherLine]) -> None:
        """Show these lines."""
        self.others.show_lines(lines)

    def table(self) -> TextTable:
        """Return all lines."""
        return TextTable(
            self._title, ("what", "text"), tuple((one.what, one.text) for one in self.others.lines)
        )

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Enter opens a line; letters go on to the page."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._open()
        elif event.text().strip() and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            event.ignore()
        else:
            super().keyPressEvent(event)

    def _open(self) -> None:
        at = self.currentIndex().row()
        if 0 <= at < len(self.others.lines) and self.others.lines[at].at is not None:
            self.opened.emit(self.others.lines[at])

    def _entries(self) -> Entries:
        at = self.currentIndex().row()
        line = self.others.lines[at] if 0 <= at < len(self.others.lines) else None
        show = MenuEntry(
            "Show this time in Charts", self._open, "Return", enabled=line is not None and line.at is not None
        )
        every = table_entries(
            self.table, self.copied.emit, self.save_wanted.emit, enabled=bool(self.others.lines)
        )
        return [show, None, *every]
