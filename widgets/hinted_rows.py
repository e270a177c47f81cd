"""Rows of a list that stands over the window: an icon, a text, and a hint in grey on the right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPainter
from PySide6.QtWidgets import (
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from resources.foreign_text import shown
from widgets.eliding import NameElider
from widgets.theme import Theme

ROW_HEIGHT = 28
_ICON, _GAP = 16, 8
_RADIUS = 4
_Index = QModelIndex | QPersistentModelIndex
_HINT = Qt.ItemDataRole.UserRole


@dataclass(frozen=True, slots=True)
class HintedRow:
    """A row: its text, and a hint such as a shortcut or a kind."""

    text: str
    hint: str
    icon: QIcon | None = None


class HintedList(QListWidget):
    """The list. It never has the keyboard: keys stay in the field above it, which moves the current row."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._painting = _RowPainting(theme, self)
        self.setItemDelegate(self._painting)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)

    def show_rows(self, rows: Sequence[HintedRow]) -> None:
        """Show these rows; none is current."""
        self.clear()
        self._painting.names.set_names(shown(row.text) for row in rows)
        for row in rows:
            item = QListWidgetItem(shown(row.text))
            item.setData(_HINT, shown(row.hint))
            if row.icon is not None:
                item.setIcon(row.icon)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{row.text}, {row.hint}".rstrip(", "))
            self.addItem(item)


class _RowPainting(QStyledItemDelegate):
    """Draws a row; a text without room is shortened so that it is told apart from those of the other rows."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.names = NameElider()

    def sizeHint(self, _option: QStyleOptionViewItem, _index: _Index) -> QSize:  # noqa: N802
        """Return the same height for all rows."""
        return QSize(120, ROW_HEIGHT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Draw the row."""
        tokens = self._theme.tokens
        box: QRect = option.rect
        painter.save()
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
        if is_selected or option.state & QStyle.StateFlag.State_MouseOver:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.tints()["selected"] if is_selected else tokens.surface3))
            painter.drawRoundedRect(box, _RADIUS, _RADIUS)
        inner = box.adjusted(_GAP, 0, -_GAP, 0)
        icon: QIcon | None = index.data(Qt.ItemDataRole.DecorationRole)
        if icon is not None:
            icon.paint(painter, QRect(inner.left(), box.center().y() - _ICON // 2 + 1, _ICON, _ICON))
        inner.setLeft(inner.left() + _ICON + _GAP)
        metrics, middle = painter.fontMetrics(), Qt.AlignmentFlag.AlignVCenter
        hint = str(index.data(_HINT))
        hint_room = min(metrics.horizontalAdvance(hint) + 1, inner.width() // 3)
        text = self.names.elided(str(index.data()), inner.width() - hint_room - 2 * _GAP, metrics)
        painter.setPen(QColor(tokens.text))
        painter.drawText(inner, middle | Qt.AlignmentFlag.AlignLeft, text)
        hint_room = inner.width() - metrics.horizontalAdvance(text) - 2 * _GAP
        painter.setPen(QColor(tokens.muted))
        hint = metrics.elidedText(hint, Qt.TextElideMode.ElideMiddle, hint_room)
        painter.drawText(inner, middle | Qt.AlignmentFlag.AlignRight, hint)
        painter.restore()
