"""The raw numbers of a result as a table that can be selected, copied and scrolled."""

from __future__ import annotations

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QKeyEvent, QKeySequence, QPainter, QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from resources.foreign_text import shown
from viewmodels.text_table import TextTable
from widgets.copying import copy_table
from widgets.theme import Theme
from wizards.flows.result_sheet import RawCell, RawTable

_ROW, _HEAD, _MAX_SHOWN = 23, 26, 12
_CELL = Qt.ItemDataRole.UserRole
Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()


class _Model(QAbstractTableModel):
    def __init__(self) -> None:
        super().__init__()
        self.table = RawTable((), ())

    def show(self, table: RawTable) -> None:
        """Replace all."""
        self.beginResetModel()
        self.table = table
        self.endResetModel()

    def rowCount(self, parent: Index = _NOWHERE) -> int:  # noqa: N802
        """Return the number of rows."""
        return 0 if parent.isValid() else len(self.table.rows)

    def columnCount(self, parent: Index = _NOWHERE) -> int:  # noqa: N802
        """Return the number of columns."""
        return 0 if parent.isValid() else len(self.table.heads)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return text, alignment, or the cell for the delegate."""
        cell = self.table.rows[index.row()][index.column()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return shown(cell.text)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._side(index.column())
        return cell if role == _CELL else None

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Return the headings."""
        if orientation == Qt.Orientation.Vertical:
            return None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return shown(self.table.heads[section][0])
        return self._side(section) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def _side(self, column: int) -> Qt.AlignmentFlag:
        is_number = self.table.heads[column][1]
        side = Qt.AlignmentFlag.AlignRight if is_number else Qt.AlignmentFlag.AlignLeft
        return side | Qt.AlignmentFlag.AlignVCenter


class _Delegate(QStyledItemDelegate):
    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:  # noqa: N802
        """Set weight and colour of a cell."""
        super().initStyleOption(option, index)
        cell: RawCell = index.data(_CELL)
        option.font.setBold(cell.is_bold)
        tokens = self._theme.tokens
        colour = tokens.text if cell.is_bold else tokens.muted
        if cell.state not in ("part", "none"):
            colour = tokens.health(cell.state)
        option.palette.setColor(QPalette.ColorRole.Text, QColor(colour))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint the text, after the swatch of its curve."""
        cell: RawCell = index.data(_CELL)
        area = QRectF(option.rect)
        if cell.colour is not None:
            option.rect = option.rect.adjusted(16, 0, 0, 0)
        super().paint(painter, option, index)
        if cell.colour is not None:
            painter.save()
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(self._theme.tokens.curve(cell.colour)))
            painter.drawRoundedRect(QRectF(area.left() + 6, area.center().y() - 4, 8, 8), 2, 2)
            painter.restore()


class RawTableView(QTableView):
    """The table. Ctrl+C copies what is selected, or all."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = _Model()
        self.setModel(self._model)
        self._delegate = _Delegate(theme, self)
        self.setItemDelegate(self._delegate)
        self.setShowGrid(False)
        self.setAccessibleName("Raw numbers")
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setTabKeyNavigation(False)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(_ROW)
        self.verticalHeader().setMinimumSectionSize(_ROW)
        head = self.horizontalHeader()
        head.setFixedHeight(_HEAD)
        head.setHighlightSections(False)
        head.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        head.setStretchLastSection(False)
        theme.changed.connect(self.viewport().update)

    def show_table(self, table: RawTable) -> None:
        """Show these numbers."""
        self._model.show(table)
        self.updateGeometry()

    def table(self) -> TextTable:
        """Return what is selected, or everything, for copying."""
        chosen = sorted({one.row() for one in self.selectionModel().selectedRows()})
        rows = [self._model.table.rows[row] for row in chosen] if chosen else self._model.table.rows
        heads = tuple(name for name, _ in self._model.table.heads)
        return TextTable("Raw numbers", heads, tuple(tuple(cell.text for cell in row) for row in rows))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Copy as text and as a table."""
        if event.matches(QKeySequence.StandardKey.Copy):
            copy_table(self.table())
        else:
            super().keyPressEvent(event)

    def sizeHint(self) -> QSize:  # noqa: N802
        """Return the height of all rows, of up to ten."""
        bar = self.horizontalScrollBar().sizeHint().height()
        return QSize(600, _HEAD + _ROW * min(_MAX_SHOWN, max(1, len(self._model.table.rows))) + 4 + bar)
