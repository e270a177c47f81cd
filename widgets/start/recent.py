"""The list of recent sessions: worst finding, name, summary, sparkline, and when each was open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPainterPath, QPen, QPolygonF
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from resources.foreign_text import shown, tooltip_text
from widgets.eliding import NameElider
from widgets.theme import SYMBOLS, Health, Theme

_ROW = 52
_SPARK = QSize(92, 26)
_WHEN = 136
_BUTTON, _BUTTONS = 26, 56
_AWAY = 0.5
"""How strong the row of a session is drawn whose file is not there."""
_NAMES = Qt.ItemDataRole.UserRole + 1
_Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class RecentEntry:
    """A recent session. ``spark`` values are from 0 to 1; ``when`` and ``length`` are texts; ``path`` is the
    tooltip. ``missing`` says why the file can't be opened now.
    """

    path: str
    title: str
    when: str
    worst: Health = "none"
    summary: str = ""
    spark: tuple[float, ...] = ()
    length: str = ""
    pinned: bool = False
    missing: str = ""

    @property
    def below(self) -> str:
        """The text below the title."""
        return self.missing or self.summary or self.path

    def has(self, words: str) -> bool:
        """Return True if each of the words is in title, summary or path, in upper or lower case."""
        text = f"{self.title} {self.summary} {self.path}".casefold()
        return all(word in text for word in words.casefold().split())

    @property
    def accessible_text(self) -> str:
        """The row as a text for screen readers."""
        return ", ".join(
            part
            for part in ("pinned" if self.pinned else "", self.title, self.below, self.length, self.when)
            if part
        )


class RecentModel(QAbstractListModel):
    """The list model, one row for each session; the entry is under ``UserRole``.

    What shortens the texts of all rows is under the role after that.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._entries: Sequence[RecentEntry] = ()
        self._names = NameElider()

    def show_entries(self, entries: Sequence[RecentEntry]) -> None:
        """Replace the entries."""
        if list(entries) != list(self._entries):
            self.beginResetModel()
            self._entries = list(entries)
            self._names.set_names(shown(text) for one in entries for text in (one.title, one.below))
            self.endResetModel()

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008, N802 - Qt's own signature
        """Return the number of sessions."""
        return 0 if parent.isValid() else len(self._entries)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return title, tooltip, accessible text, or the entry itself."""
        if not index.isValid() or not 0 <= index.row() < len(self._entries):
            return None
        entry = self._entries[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return shown(entry.title)
        if role == Qt.ItemDataRole.ToolTipRole:
            return tooltip_text("\n".join(part for part in (entry.path, entry.missing) if part))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return shown(entry.accessible_text)
        return {Qt.ItemDataRole.UserRole: entry, _NAMES: self._names}.get(role)


class RecentDelegate(QStyledItemDelegate):
    """Draws a row."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, _option: QStyleOptionViewItem, _index: _Index) -> QSize:  # noqa: N802
        """Return the same height for all rows."""
        return QSize(320, _ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Draw symbol, title, summary, sparkline, times and, on the row in hand, the buttons."""
        entry = index.data(Qt.ItemDataRole.UserRole)
        names = index.data(_NAMES)
        if not isinstance(entry, RecentEntry) or not isinstance(names, NameElider):
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        whole = QRect(option.rect)
        self._paint_ground(painter, whole, option)
        box = whole.adjusted(12, 6, -(_BUTTONS + 8), -6)
        tokens, font = self._theme.tokens, option.font
        painter.setFont(font)
        if entry.missing:
            painter.setOpacity(_AWAY)
        painter.setPen(QColor(tokens.health(entry.worst)))
        painter.drawText(
            QRect(box.left(), box.top(), 20, 20), Qt.AlignmentFlag.AlignCenter, SYMBOLS[entry.worst]
        )
        text_box = box.adjusted(28, 0, -(_SPARK.width() + _WHEN + 32), 0)
        title = QRect(text_box.left(), text_box.top(), text_box.width(), 20)
        self._paint_line(painter, title, entry.title, tokens.text, names)
        font.setPixelSize(12)
        painter.setFont(font)
        below = QRect(text_box.left(), text_box.top() + 20, text_box.width(), 18)
        if entry.below == entry.path:
            self._paint_line(painter, below, entry.path, tokens.muted, names)
        else:  # a sentence is read from its beginning; names differ at their end
            self._paint_sentence(painter, below, entry.below, tokens.muted)
        left = box.right() - _WHEN - _SPARK.width() - 16
        self._paint_spark(painter, QRect(left, box.top() + 7, _SPARK.width(), _SPARK.height()), entry.spark)
        right = QRect(box.right() - _WHEN, box.top(), _WHEN, 20)
        painter.setPen(QColor(tokens.muted))
        middle = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(right, middle, entry.when)
        painter.drawText(right.translated(0, 20), middle, entry.length)
        painter.setOpacity(1)
        self._paint_buttons(painter, option, pinned=entry.pinned)
        painter.restore()

    def button_at(self, row: QRect, point: QPoint) -> str:
        """Return which button of a row is at a point: ``pin``, ``more``, or an empty text."""
        boxes = _button_boxes(row)
        return next((name for name, box in boxes.items() if box.contains(point)), "")

    def _paint_buttons(self, painter: QPainter, option: QStyleOptionViewItem, *, pinned: bool) -> None:
        tokens, boxes = self._theme.tokens, _button_boxes(option.rect)
        in_hand = option.state & (QStyle.StateFlag.State_MouseOver | QStyle.StateFlag.State_HasFocus)
        if pinned or in_hand:
            colour = tokens.accent if pinned else tokens.muted
            self._theme.icons.get("pin", colour).paint(painter, boxes["pin"].adjusted(4, 4, -4, -4))
        if in_hand:
            self._theme.icons.get("more", tokens.muted).paint(painter, boxes["more"].adjusted(4, 4, -4, -4))

    def _paint_ground(self, painter: QPainter, box: QRect, option: QStyleOptionViewItem) -> None:
        state = option.state
        tokens = self._theme.tokens
        colour = tokens.surface1
        if state & QStyle.StateFlag.State_MouseOver or state & QStyle.StateFlag.State_Selected:
            colour = tokens.surface2
        painter.setPen(Qt.PenStyle.NoPen)
        if state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QPen(QColor(tokens.accent), 1))
        painter.setBrush(QColor(colour))
        painter.drawRoundedRect(QRectF(box).adjusted(1.5, 1.5, -1.5, -1.5), 6, 6)

    def _paint_line(self, painter: QPainter, box: QRect, text: str, colour: str, names: NameElider) -> None:
        painter.setPen(QColor(colour))
        cut = names.elided(shown(text), box.width(), painter.fontMetrics())
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, cut)

    def _paint_sentence(self, painter: QPainter, box: QRect, text: str, colour: str) -> None:
        painter.setPen(QColor(colour))
        cut = fitted_summary(shown(text), box.width(), painter.fontMetrics())
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, cut)

    def _paint_spark(self, painter: QPainter, box: QRect, values: Sequence[float]) -> None:
        if len(values) < 2:
            return
        step = box.width() / (len(values) - 1)
        points = [
            QPointF(box.left() + number * step, box.bottom() - min(1.0, max(0.0, value)) * box.height())
            for number, value in enumerate(values)
        ]
        accent = QColor(self._theme.tokens.accent)
        area = QPainterPath()
        area.addPolygon(
            QPolygonF([QPointF(box.left(), box.bottom()), *points, QPointF(box.right(), box.bottom())])
        )
        faint = QColor(accent)
        faint.setAlphaF(0.16)
        painter.fillPath(area, faint)
        painter.setPen(QPen(accent, 1.4))
        painter.drawPolyline(QPolygonF(points))


def fitted_summary(text: str, room: int, metrics: QFontMetrics) -> str:
    """Return a summary in at most ``room`` pixels: of ``finding · judged to 02:43:20`` the finding is cut."""
    found, dot, judged = text.rpartition(" · ")
    left = room - metrics.horizontalAdvance(dot + judged)
    if metrics.horizontalAdvance(text) <= room or not dot or left < room // 3:
        return metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)
    return metrics.elidedText(found, Qt.TextElideMode.ElideRight, left) + dot + judged


def _button_boxes(row: QRect) -> dict[str, QRect]:
    """The boxes of the buttons at the right end of a row."""
    top = row.center().y() - _BUTTON // 2
    return {
        "pin": QRect(row.right() - 2 * _BUTTON - 6, top, _BUTTON, _BUTTON),
        "more": QRect(row.right() - _BUTTON - 6, top, _BUTTON, _BUTTON),
    }
