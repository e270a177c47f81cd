"""A small table of texts that is as high as its rows: changes, load, guards, raw numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QSizePolicy,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from resources.foreign_text import shown
from viewmodels.health import Health
from viewmodels.text_table import TextTable
from widgets.theme import Theme
from wizards.pages.badge import paint_symbol

_ROW, _HEAD = 24, 26
_BAR = Qt.ItemDataRole.UserRole
Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell: its text; ``bold``, or ``muted``; ``swatch`` is the number of a curve's colour before the text,
    ``state`` the sign before it.

    A cell with a ``bar`` shows no text but a bar that is filled so far (0 to 1), with ``mark`` on it.
    """

    text: str = ""
    bold: bool = False
    muted: bool = False
    swatch: int | None = None
    bar: float | None = None
    mark: float | None = None
    state: Health | None = None


@dataclass(frozen=True, slots=True)
class Heading:
    """A column's heading; numbers stand at the right. ``width`` in pixels, 0 for that of the content."""

    text: str
    right: bool = False
    stretch: bool = False
    width: int = 0


class _Model(QAbstractTableModel):
    def __init__(self, heads: Sequence[Heading]) -> None:
        super().__init__()
        self.heads, self.rows = tuple(heads), list[Sequence[Cell]]()

    def set_rows(self, rows: Sequence[Sequence[Cell]]) -> None:
        """Replace all rows."""
        self.beginResetModel()
        self.rows = list(rows)
        self.endResetModel()

    def rowCount(self, parent: Index = _NOWHERE) -> int:  # noqa: N802
        """Return the number of rows."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = _NOWHERE) -> int:  # noqa: N802
        """Return the number of columns."""
        return 0 if parent.isValid() else len(self.heads)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return text, alignment, or the cell itself for the delegate."""
        cell = self.rows[index.row()][index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return shown(cell.text)
        if role == Qt.ItemDataRole.ToolTipRole:
            return shown(cell.text) or None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(self.heads[index.column()])
        return cell if role == _BAR else None

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Return the headings."""
        if orientation == Qt.Orientation.Vertical:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.heads[section].text
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(self.heads[section])
        return None


class _Delegate(QStyledItemDelegate):
    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:  # noqa: N802
        """Set weight and colour of a cell's text."""
        super().initStyleOption(option, index)
        cell: Cell = index.data(_BAR)
        option.font.setBold(cell.bold)
        if cell.muted:
            muted = QColor(self._theme.tokens.muted)
            option.palette.setColor(QPalette.ColorRole.Text, muted)
        if cell.bar is not None:
            option.text = ""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: N802
        """Return the room of the text and of the sign before it."""
        cell: Cell = index.data(_BAR)
        has_sign = cell.state is not None or (cell.swatch is not None and cell.bar is None)
        return super().sizeHint(option, index) + QSize(16 if has_sign else 0, 0)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint text, swatch or bar."""
        cell: Cell = index.data(_BAR)
        tokens = self._theme.tokens
        area = QRectF(option.rect)
        if (cell.swatch is not None and cell.bar is None) or cell.state is not None:
            option.rect = option.rect.adjusted(16, 0, 0, 0)
        super().paint(painter, option, index)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        if cell.swatch is not None and cell.bar is None:
            painter.setBrush(QColor(tokens.curve(cell.swatch)))
            painter.drawRoundedRect(QRectF(area.left() + 6, area.center().y() - 4, 8, 8), 2, 2)
        if cell.state is not None:
            sign = QRectF(area.left() + 6, area.center().y() - 4, 8, 8)
            paint_symbol(painter, sign, cell.state, QColor(tokens.health(cell.state)))
            painter.setPen(Qt.PenStyle.NoPen)
        if cell.bar is not None:
            self._paint_bar(painter, area.adjusted(4, 0, -8, 0), cell)
        painter.restore()

    def _paint_bar(self, painter: QPainter, area: QRectF, cell: Cell) -> None:
        tokens = self._theme.tokens
        line = QRectF(area.left(), area.center().y() - 3, area.width(), 6)
        painter.setBrush(QColor(tokens.surface3))
        painter.drawRoundedRect(line, 3, 3)
        share = min(1.0, max(0.0, cell.bar or 0.0))
        painter.setBrush(QColor(tokens.curve(cell.swatch or 0) if cell.swatch is not None else tokens.accent))
        painter.drawRoundedRect(QRectF(line.left(), line.top(), line.width() * share, 6), 3, 3)
        if cell.mark is not None:
            at = line.left() + line.width() * min(1.0, max(0.0, cell.mark))
            painter.setBrush(QColor(tokens.text))
            painter.drawRect(QRectF(at - 1, line.top() - 4, 2, 14))


def _alignment(head: Heading) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if head.right else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter


class SheetTable(QTableView):
    """The table; it has no scroll bar of its own and its rows can be selected and copied."""

    def __init__(
        self, theme: Theme, title: str, heads: Sequence[Heading], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._title = title
        self._model = _Model(heads)
        self.setModel(self._model)
        self._delegate = _Delegate(theme, self)
        self.setItemDelegate(self._delegate)
        self.setAccessibleName(title)
        self.setShowGrid(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setTabKeyNavigation(False)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(_ROW)
        self.verticalHeader().setMinimumSectionSize(_ROW)
        head = self.horizontalHeader()
        head.setFixedHeight(_HEAD)
        head.setHighlightSections(False)
        head.setSectionsClickable(False)
        mode = QHeaderView.ResizeMode
        for number, one in enumerate(heads):
            head.setSectionResizeMode(number, mode.Stretch if one.stretch else mode.ResizeToContents)
            if one.width:
                head.setSectionResizeMode(number, mode.Fixed)
                head.resizeSection(number, one.width)
        theme.changed.connect(self.viewport().update)

    def show_rows(self, rows: Sequence[Sequence[Cell]]) -> None:
        """Show these rows; what is selected stays so if it is still there."""
        chosen = self.currentIndex().row()
        self._model.set_rows(rows)
        if 0 <= chosen < len(rows):
            self.selectRow(chosen)
        self.updateGeometry()

    def table(self) -> TextTable:
        """Return what is shown, for copying."""
        heads = [one.text for one in self._model.heads]
        rows = tuple(tuple(one.text for one in row) for row in self._model.rows)
        return TextTable(self._title, tuple(heads), rows)

    def sizeHint(self) -> QSize:  # noqa: N802
        """Return the height of all rows."""
        return QSize(320, _HEAD + _ROW * max(1, len(self._model.rows)) + 2)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Return the same height in a small width."""
        return QSize(160, self.sizeHint().height())
