"""The list of what can be recorded: a title and a line for each kind, and how many of it are chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from resources.source_kinds import SourceKind
from widgets.connect.values import Kind
from widgets.theme import Theme

_PADDING, _BETWEEN, _RADIUS = 8, 2, 4
_Index = QModelIndex | QPersistentModelIndex
_LINE, _COUNT = Qt.ItemDataRole.UserRole, Qt.ItemDataRole.UserRole + 1


class KindList(QListWidget):
    """The list; its current row is the kind whose fields are shown."""

    def __init__(self, theme: Theme, kinds: Sequence[SourceKind]) -> None:
        super().__init__()
        self.setAccessibleName("What to record")
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setItemDelegate(_KindPainting(theme, self))
        for kind in kinds:
            item = QListWidgetItem(kind.title)
            item.setData(_LINE, kind.line)
            self.addItem(item)
        self._kinds = [kind.id for kind in kinds]
        self.show_counts({})

    def show_counts(self, counts: Mapping[Kind, int]) -> None:
        """Show how many sources of each kind are chosen."""
        for number, kind in enumerate(self._kinds):
            item, count = self.item(number), counts.get(kind, 0)
            item.setData(_COUNT, count)
            chosen = f"{count} chosen" if count else ""
            words = ", ".join(filter(None, (item.text(), str(item.data(_LINE)), chosen)))
            item.setData(Qt.ItemDataRole.AccessibleTextRole, words)


class _KindPainting(QStyledItemDelegate):
    """Paints title and line, and on the right a check mark with the number of chosen sources."""

    def __init__(self, theme: Theme, parent: QListWidget) -> None:
        super().__init__(parent)
        self._theme, self._list = theme, parent

    def sizeHint(self, option: QStyleOptionViewItem, _index: _Index) -> QSize:  # noqa: N802
        """Return the size of two lines of text."""
        return QSize(0, 2 * option.fontMetrics.height() + _BETWEEN + 2 * _PADDING - 4)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Paint a kind."""
        tokens, metrics = self._theme.tokens, option.fontMetrics
        box = option.rect.adjusted(2, 1, -2, -1)
        painter.save()
        painter.setFont(option.font)
        current = bool(option.state & QStyle.StateFlag.State_Selected)
        if current or option.state & QStyle.StateFlag.State_MouseOver:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.surface3 if current else tokens.surface2))
            painter.drawRoundedRect(box, _RADIUS, _RADIUS)
        inside = box.adjusted(_PADDING, _PADDING - 3, -_PADDING, -_PADDING + 3)
        count = int(index.data(_COUNT) or 0)
        mark = f"✓ {count}" if count else ""
        taken = metrics.horizontalAdvance(mark) + _PADDING if mark else 0
        self._draw(painter, inside, tokens.accent, mark, Qt.AlignmentFlag.AlignRight)
        upper = QRect(inside.left(), inside.top(), inside.width() - taken, metrics.height())
        self._draw(painter, upper, tokens.text, str(index.data()))
        lower = upper.translated(0, metrics.height() + _BETWEEN)
        lower.setWidth(inside.width())
        self._draw(painter, lower, tokens.muted, str(index.data(_LINE)))
        painter.restore()

    def _draw(
        self,
        painter: QPainter,
        box: QRect,
        colour: str,
        text: str,
        align: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft,
    ) -> None:
        painter.setPen(QColor(colour))
        cut = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, box.width())
        painter.drawText(box, align | Qt.AlignmentFlag.AlignTop, cut)
