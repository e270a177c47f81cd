"""The list below the field: what is understood so far, and how the text can go on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from resources.foreign_text import shown
from widgets.eliding import elided_name
from widgets.theme import SYMBOLS, Theme

_ROW, _ICON, _GAP = 28, 16, 8
_RADIUS = 4
_MAX_ROWS = 12
_MAX_WIDTH = 760
_Index = QModelIndex | QPersistentModelIndex
_HINT = Qt.ItemDataRole.UserRole


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A row: ``text`` is what the field says when it is taken; ``icon`` is the theme's name of its icon.

    ``is_whole`` False: the text wants more words, such as a counter its entity.
    """

    text: str
    title: str
    hint: str
    icon: str = ""
    is_whole: bool = True


class Suggestions(QFrame):
    """A card over the window; ``taken`` carries the number of a row that was clicked."""

    taken = Signal(int)

    def __init__(self, theme: Theme, window: QWidget) -> None:
        super().__init__(window)
        self._theme = theme
        self.rows: Sequence[Suggestion] = ()
        self.setProperty("role", "card")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._meaning = QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        self._meaning.setContentsMargins(8, 4, 8, 4)
        self._list = QListWidget()
        self._list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._list.setItemDelegate(_Row(theme, self._list))
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.setUniformItemSizes(True)
        self._list.setFrameShape(QFrame.Shape.NoFrame)
        self._list.setObjectName("suggestions")
        self._list.setAccessibleName("Suggestions")
        self._list.itemClicked.connect(lambda _item: self.taken.emit(self._list.currentRow()))
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 6, 6, 6)
        column.setSpacing(4)
        column.addWidget(self._meaning)
        column.addWidget(self._list)
        self.hide()

    @property
    def meaning(self) -> str:
        """What is understood, or why not."""
        return self._meaning.text()

    @property
    def current(self) -> int:
        """The number of the selected row, −1 if none is."""
        return self._list.currentRow()

    def show_meaning(self, text: str, *, is_understood: bool | None) -> None:
        """Show what is understood, or in the warning's colour why not; None: a hint."""
        tokens = self._theme.tokens
        sign = {True: "→  ", False: f"{SYMBOLS['warning']}  ", None: ""}[is_understood]
        self._meaning.setText(f"{sign}{text}")
        self._meaning.setStyleSheet(f"color: {tokens.warning if is_understood is False else tokens.text}")
        self._fit()

    def show_rows(self, rows: Sequence[Suggestion]) -> None:
        """Show these rows; none is selected."""
        self.rows = rows
        self._list.clear()
        for row in rows:
            item = QListWidgetItem(row.title)
            item.setData(_HINT, row.hint)
            if row.icon:
                item.setIcon(self._theme.icons.get(row.icon))
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{row.title}, {row.hint}".rstrip(", "))
            self._list.addItem(item)
        self._list.setVisible(bool(rows))
        self._fit()

    def move_by(self, step: int) -> None:
        """Select another row; before the first one none is selected."""
        row = max(-1, min(len(self.rows) - 1, self._list.currentRow() + step))
        self._list.setCurrentRow(row)
        if row < 0:
            self._list.clearSelection()

    def show_under(self, field: QWidget) -> None:
        """Show the card below ``field``, not wider than it."""
        place = field.mapTo(self.window(), QPoint(0, field.height() + 2))
        self.setGeometry(QRect(place, QSize(min(field.width(), _MAX_WIDTH), self.height())))
        self._fit()
        self.show()
        self.raise_()

    def _fit(self) -> None:
        count = min(len(self.rows), _MAX_ROWS)
        self._list.setFixedHeight(count * _ROW + 2)
        room = self.width() - 28
        words = self._meaning.fontMetrics().boundingRect(
            QRect(0, 0, max(room, 100), 400), int(Qt.TextFlag.TextWordWrap), self._meaning.text()
        )
        height = words.height() + 8 + (count * _ROW + 6 if count else 0) + 14
        self._meaning.setFixedHeight(words.height() + 8)
        self.resize(self.width(), height)


class _Row(QStyledItemDelegate):
    """Draws a suggestion: icon, title, and the hint in grey on the right."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, _option: QStyleOptionViewItem, _index: _Index) -> QSize:  # noqa: N802
        """Return the same height for all rows."""
        return QSize(120, _ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Draw the row."""
        tokens = self._theme.tokens
        box: QRect = option.rect
        painter.save()
        if option.state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
            painter.setBrush(QColor(tokens.tints()["selected"] if is_selected else tokens.surface3))
            painter.drawRoundedRect(box, _RADIUS, _RADIUS)
        inner = box.adjusted(_GAP, 0, -_GAP, 0)
        icon = index.data(Qt.ItemDataRole.DecorationRole)
        if icon is not None:
            icon.paint(painter, QRect(inner.left(), box.center().y() - _ICON // 2 + 1, _ICON, _ICON))
        inner.setLeft(inner.left() + _ICON + _GAP)
        metrics, middle = painter.fontMetrics(), Qt.AlignmentFlag.AlignVCenter
        title = elided_name(shown(str(index.data())), inner.width() * 2 // 3, metrics)
        painter.setPen(QColor(tokens.text))
        painter.drawText(inner, middle | Qt.AlignmentFlag.AlignLeft, title)
        room = inner.width() - metrics.horizontalAdvance(title) - 2 * _GAP
        hint = metrics.elidedText(shown(str(index.data(_HINT) or "")), Qt.TextElideMode.ElideMiddle, room)
        painter.setPen(QColor(tokens.muted))
        painter.drawText(inner, middle | Qt.AlignmentFlag.AlignRight, hint)
        painter.restore()
