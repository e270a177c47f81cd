"""The ranked list of what moved: who, which part it plays, when and how much, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from resources.foreign_text import breakable, tooltip_text
from viewmodels.correlation_rows import CorrelationRow
from viewmodels.text_table import TextTable
from widgets.context_menu import COPY, Entries, MenuEntry, table_entries
from widgets.copying import copy_table
from widgets.eliding import elided_name
from widgets.keys import KeyHandlers
from widgets.moved.keys import ROW_KEYS
from widgets.painted_list import PaintedList
from widgets.theme import Theme

Index = QModelIndex | QPersistentModelIndex
_ROLE = Qt.ItemDataRole.UserRole
_PAD, _INDENT, _BAR = 10, 30, 44
_WRAP = int(Qt.TextFlag.TextWordWrap)


class MovedRows(QAbstractListModel):
    """The rows of an answer."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows: Sequence[CorrelationRow] = ()

    def show_rows(self, rows: Sequence[CorrelationRow]) -> None:
        """Show these rows."""
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: N802, B008 - Qt's signature
        """Return the number of rows."""
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return a row's text, tip, or the row itself for the delegate."""
        if not index.isValid():
            return None
        row = self.rows[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return f"{index.row() + 1}. {row.name}: {row.part}. {row.counter} {row.because}"
        if role == Qt.ItemDataRole.ToolTipRole:
            return tooltip_text(_tip(row))
        return row if role == _ROLE else None


def _tip(row: CorrelationRow) -> str:
    return f"{row.name}: {row.part}, score {row.score:.2f}\n{row.counter} {row.because}\n{row.others}".strip()


class _Delegate(QStyledItemDelegate):
    def __init__(self, theme: Theme, parent: QListView) -> None:
        super().__init__(parent)
        self._theme, self._list = theme, parent

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: N802
        """Return the height that a row's words need in the list's width."""
        row: CorrelationRow = index.data(_ROLE)
        metrics = QFontMetrics(self._small(option.font))
        words = self._words(metrics, row).height()
        line = metrics.lineSpacing()
        lines = line * (2 if row.others else 1)
        return QSize(0, 8 + option.fontMetrics.lineSpacing() + words + lines + 12)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint number, name and part, the counter, the reason, and what else moved there."""
        row: CorrelationRow = index.data(_ROLE)
        tokens = self._theme.tokens
        painter.save()
        area = option.rect
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(area, QColor(tokens.tints()["selected"]))
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(area, QColor(tokens.surface2))
        small = self._small(option.font)
        bold = QFont(option.font)
        bold.setWeight(QFont.Weight.DemiBold)
        line = QRect(area.left() + _INDENT, area.top() + 7, area.width() - _INDENT - _PAD, 0)
        line.setHeight(option.fontMetrics.lineSpacing())
        self._paint_number(painter, area, line, small, index.row(), row)
        makes_load = row.part == "makes the load"
        painter.setFont(small)
        part = painter.fontMetrics().horizontalAdvance(row.part)
        painter.setPen(QColor(tokens.warning if makes_load else tokens.muted))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(line, int(right), row.part)
        painter.setFont(bold)
        painter.setPen(QColor(tokens.text))
        self._paint_name(painter, line.adjusted(0, 0, -part - 10, 0), row.name)
        painter.setFont(small)
        counter = QRect(line.left(), line.bottom() + 2, line.width(), painter.fontMetrics().lineSpacing())
        self._paint_name(painter, counter, row.counter)
        painter.setPen(QColor(tokens.muted))
        words = self._words(painter.fontMetrics(), row).translated(line.left(), counter.bottom() + 2)
        painter.drawText(words, _WRAP, breakable(row.because))
        if row.others:
            rest = QRect(line.left(), words.bottom() + 1, line.width(), painter.fontMetrics().lineSpacing())
            painter.setPen(QColor(tokens.faint))
            others = painter.fontMetrics().elidedText(row.others, Qt.TextElideMode.ElideRight, rest.width())
            painter.drawText(rest, int(Qt.AlignmentFlag.AlignVCenter), others)
        painter.setPen(QColor(tokens.line))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        painter.restore()

    def _paint_number(
        self, painter: QPainter, area: QRect, line: QRect, small: QFont, number: int, row: CorrelationRow
    ) -> None:
        """Paint the place, and the score as a bar at the left edge."""
        tokens = self._theme.tokens
        height = (area.height() - 12) * max(0.0, min(row.score, 1.0))
        painter.fillRect(
            QRectF(area.left() + 2, area.top() + 6, 3, area.height() - 12), QColor(tokens.surface3)
        )
        top = area.bottom() - 5 - height
        painter.fillRect(QRectF(area.left() + 2, top, 3, height), QColor(tokens.accent))
        painter.setFont(small)
        painter.setPen(QColor(tokens.muted))
        room = QRect(area.left() + 8, line.top(), _INDENT - 12, line.height())
        painter.drawText(
            room, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), str(number + 1)
        )

    def _words(self, metrics: QFontMetrics, row: CorrelationRow) -> QRect:
        width = max(self._list.viewport().width() - _INDENT - _PAD, 80)
        return metrics.boundingRect(QRect(0, 0, width, 400), _WRAP, breakable(row.because))

    @staticmethod
    def _small(font: QFont) -> QFont:
        small = QFont(font)
        small.setPixelSize(12)
        return small

    @staticmethod
    def _paint_name(painter: QPainter, room: QRect, text: str) -> None:
        """Paint a text that ends in a name: names of LUNs and VMs differ at their ends."""
        words = elided_name(text, room.width(), painter.fontMetrics())
        painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter), words)


class MovedList(PaintedList):
    """The list.

    Signals: ``opened`` with a row whose series are to be charted; ``copied``; ``save_wanted``.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self.moved = MovedRows()
        super().__init__(theme, self.moved, "What moved, the likeliest culprit first", parent)
        self.title = "What moved with it"
        self._delegate = _Delegate(theme, self)
        self.setItemDelegate(self._delegate)
        self._keys = KeyHandlers(ROW_KEYS, {"open": lambda _key: self._open()})
        self.clicked.connect(lambda _index: self._open())

    def show_rows(self, rows: Sequence[CorrelationRow]) -> None:
        """Show these rows."""
        self.moved.show_rows(rows)
        if rows:
            self.setCurrentIndex(self.moved.index(0))

    @property
    def current(self) -> CorrelationRow | None:
        """The chosen row."""
        at = self.currentIndex().row()
        return self.moved.rows[at] if 0 <= at < len(self.moved.rows) else None

    def table(self) -> TextTable:
        """Return all rows."""
        heads = ("rank", "entity", "part", "counter", "because", "others", "score")
        rows = [
            (number, one.name, one.part, one.counter, one.because, one.others, one.score)
            for number, one in enumerate(self.moved.rows, start=1)
        ]
        return TextTable(self.title, heads, tuple(rows))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Handle Enter; letters alone search in no list of reasons."""
        if not self._keys.press(event):
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Break the lines anew."""
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()

    def _open(self) -> None:
        if self.current is not None:
            self.opened.emit(self.current)

    def entries(self) -> Entries:
        """Return what can be done with the rows."""
        every = table_entries(
            self.table, self.copied.emit, self.save_wanted.emit, copy_key="", enabled=bool(self.moved.rows)
        )
        row = self.current
        if row is None:
            return every
        chosen = self.currentIndex().row()
        table = self.table()
        one = TextTable(table.title, table.heads, table.rows[chosen : chosen + 1])
        return [
            MenuEntry("Show both series in Charts", self._open, "Return"),
            None,
            MenuEntry("Copy the row", lambda: self.copied.emit(copy_table(one)), COPY),
            *every,
        ]
