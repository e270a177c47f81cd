"""A table of texts that can be selected, copied and saved: changes, load, guards, workers, raw numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, Signal
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

from resources.foreign_text import shown, tooltip_text
from viewmodels.health import Health
from viewmodels.text_table import TextTable
from widgets.context_menu import COPY, ContextMenu, Entries, MenuEntry, table_entries
from widgets.copying import copy_table
from widgets.theme import Theme
from wizards.pages.badge import paint_symbol
from wizards.pages.plain_rows import show_plain_rows

_ROW, _HEAD = 24, 26

_CELL = Qt.ItemDataRole.UserRole
Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell: its text; ``bold``, or ``muted``, or in the colour of the state ``ink``; ``swatch`` is the
    number of a curve's colour before the text, ``state`` the sign before it.

    A cell with a ``bar`` shows no text but a bar that is filled so far (0 to 1), with ``mark`` on it.
    """

    text: str = ""
    bold: bool = False
    muted: bool = False
    swatch: int | None = None
    bar: float | None = None
    mark: float | None = None
    state: Health | None = None
    ink: Health | None = None


@dataclass(frozen=True, slots=True)
class Heading:
    """A column's heading; numbers stand at the right. ``width`` in pixels, 0 for that of the content."""

    text: str
    right: bool = False
    stretch: bool = False
    width: int = 0


class _Model(QAbstractTableModel):
    def __init__(self) -> None:
        super().__init__()
        self.heads, self.rows = tuple[Heading, ...](), list[Sequence[Cell]]()

    def set_table(self, heads: Sequence[Heading], rows: Sequence[Sequence[Cell]]) -> None:
        """Replace all."""
        self.beginResetModel()
        self.heads, self.rows = tuple(heads), list(rows)
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
            return tooltip_text(cell.text) if cell.text else None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(self.heads[index.column()])
        return cell if role == _CELL else None

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Return the headings."""
        if orientation == Qt.Orientation.Vertical:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return shown(self.heads[section].text)
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
        cell: Cell = index.data(_CELL)
        option.font.setBold(cell.bold)
        tokens = self._theme.tokens
        if cell.muted or cell.ink is not None:
            colour = tokens.health(cell.ink) if cell.ink is not None else tokens.muted
            option.palette.setColor(QPalette.ColorRole.Text, QColor(colour))
        if cell.bar is not None:
            option.text = ""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: N802
        """Return the room of the text and of the sign before it."""
        cell: Cell = index.data(_CELL)
        has_sign = cell.state is not None or (cell.swatch is not None and cell.bar is None)
        return super().sizeHint(option, index) + QSize(16 if has_sign else 0, 0)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint text, swatch or bar."""
        cell: Cell = index.data(_CELL)
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
    """The table. It is as high as its rows, but of more than ``most`` rows the others are scrolled to.

    Its context menu and keys copy what is selected, or all, and save all. Signals: ``copied`` with a message,
    ``save_wanted`` with a FileOffer.
    """

    copied = Signal(str)
    save_wanted = Signal(object)

    def __init__(
        self,
        theme: Theme,
        title: str,
        heads: Sequence[Heading] = (),
        parent: QWidget | None = None,
        *,
        most: int | None = None,
    ) -> None:
        super().__init__(parent)
        self._title, self._most = title, most
        self._model = _Model()
        self.setModel(self._model)
        self._delegate = _Delegate(theme, self)
        self.setItemDelegate(self._delegate)
        self.setAccessibleName(title)
        show_plain_rows(self, _ROW, _HEAD)
        if most is None:
            self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.viewport().update)
        ContextMenu(self, lambda _at: self._entries())
        self.show_table(heads, ())

    def show_table(self, heads: Sequence[Heading], rows: Sequence[Sequence[Cell]]) -> None:
        """Show these rows under these headings."""
        self._model.set_table(heads, rows)
        head, mode = self.horizontalHeader(), QHeaderView.ResizeMode
        for number, one in enumerate(heads):
            head.setSectionResizeMode(number, mode.Stretch if one.stretch else mode.ResizeToContents)
            if one.width:
                head.setSectionResizeMode(number, mode.Fixed)
                head.resizeSection(number, one.width)
        self.updateGeometry()

    def show_rows(self, rows: Sequence[Sequence[Cell]]) -> None:
        """Show these rows; what is selected stays so if it is still there."""
        chosen = self.currentIndex().row()
        self._model.set_table(self._model.heads, rows)
        if 0 <= chosen < len(rows):
            self.selectRow(chosen)
        self.updateGeometry()

    def table(self) -> TextTable:
        """Return all that is shown, but bars: their numbers stand in other columns."""
        return self._text_table(self._model.rows)

    def _text_table(self, rows: Sequence[Sequence[Cell]]) -> TextTable:
        heads = self._model.heads
        kept = [n for n in range(len(heads)) if all(row[n].bar is None for row in self._model.rows)]
        cells = tuple(tuple(row[n].text for n in kept) for row in rows)
        return TextTable(self._title, tuple(heads[n].text for n in kept), cells)

    def _entries(self) -> Entries:
        """Return the entries of the context menu."""
        chosen = sorted({one.row() for one in self.selectionModel().selectedRows()})
        rows = [self._model.rows[row] for row in chosen]
        copy = MenuEntry(
            "Copy the chosen rows", lambda: self.copied.emit(copy_table(self._text_table(rows))), COPY
        )
        everything = table_entries(
            self.table, self.copied.emit, self.save_wanted.emit, copy_key="" if rows else COPY,
            enabled=bool(self._model.rows),
        )  # fmt: skip
        return [copy, *everything] if rows else everything

    def sizeHint(self) -> QSize:  # noqa: N802
        """Return the height of all rows that are shown at once."""
        rows = len(self._model.rows)
        height = _HEAD + _ROW * max(1, rows if self._most is None else min(self._most, rows)) + 2
        if self._most is not None:
            height += self.horizontalScrollBar().sizeHint().height() + 2
        return QSize(320, height)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Return the same height in a small width."""
        return QSize(160, self.sizeHint().height())
