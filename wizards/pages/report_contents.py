"""The contents of a report: sections to tick and to drag into another order."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QDropEvent, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from resources.foreign_text import shown, tooltip_text
from widgets.keys import KeyHandlers
from widgets.theme import Theme
from wizards.pages.report_keys import LIST_KEYS

_KEY, _NOTE = Qt.ItemDataRole.UserRole, Qt.ItemDataRole.UserRole + 1
_HEIGHT, _PAD, _MOST_NOTE, _LEAST_NOTE = 26, 10, 0.5, 36
_FIXED = "summary"
"""Page 1 stays page 1."""


class ContentsList(QListWidget):
    """Signals: ``ticked`` with a section's key and whether it is in; ``ordered`` with all keys; ``wanted``
    with the key of the section that is to come in sight.
    """

    ticked = Signal(str, bool)
    ordered = Signal(object)
    wanted = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_filling = False
        self.setAccessibleName("Contents of the report")
        self.setItemDelegate(_RowPainting(theme, self))
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.setDefaultDropAction(Qt.DropAction.MoveAction)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFrameShape(QListWidget.Shape.NoFrame)
        self.itemChanged.connect(self._tick)
        self.currentItemChanged.connect(lambda now, _before: self._want(now))
        self.itemClicked.connect(self._want)
        self._keys = KeyHandlers(
            LIST_KEYS, {"up": lambda _key: self._move(-1), "down": lambda _key: self._move(1)}
        )
        theme.changed.connect(self.viewport().update)

    def show_rows(self, rows: Sequence[tuple[str, str, str, bool]]) -> None:
        """Show sections: key, title, note, and whether it is in. The chosen one stays chosen."""
        chosen = self.currentItem()
        key = chosen.data(_KEY) if chosen is not None else ""
        self._is_filling = True
        if [self.item(at).data(_KEY) for at in range(self.count())] != [row[0] for row in rows]:
            self.clear()
            for row in rows:
                item = QListWidgetItem(self)
                item.setData(_KEY, row[0])
        for at, (own, title, note, is_in) in enumerate(rows):
            item = self.item(at)
            fixed = Qt.ItemFlag.NoItemFlags if own == _FIXED else Qt.ItemFlag.ItemIsDragEnabled
            base = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsUserCheckable
            item.setFlags(base | fixed)
            item.setText(shown(title, 120))
            item.setData(_NOTE, shown(note, 60))
            item.setToolTip(tooltip_text(f"{title}\n{note}" if note else title))
            item.setCheckState(Qt.CheckState.Checked if is_in else Qt.CheckState.Unchecked)
            if own == key:
                self.setCurrentItem(item)
        self._is_filling = False
        self.setFixedHeight(max(1, len(rows)) * _HEIGHT + 4)

    def mark(self, key: str) -> None:
        """Choose the section that is in sight."""
        if self.hasFocus():
            return  # whoever goes through the list is not sent elsewhere
        self._is_filling = True
        for at in range(self.count()):
            if self.item(at).data(_KEY) == key:
                self.setCurrentRow(at)
        self._is_filling = False

    def keys(self) -> tuple[str, ...]:
        """Return the keys of the sections in their order."""
        return tuple(self.item(at).data(_KEY) for at in range(self.count()))

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802
        """Take the order in which a section was dropped."""
        self._is_filling = True
        super().dropEvent(event)
        self._is_filling = False
        self._tell_order()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Move the chosen section with Alt and the arrows."""
        if not self._keys.press(event):
            super().keyPressEvent(event)

    def _move(self, by: int) -> None:
        at = self.currentRow()
        item = self.item(at)
        to = at + by
        if item is None or item.data(_KEY) == _FIXED or not 0 <= to < self.count():
            return
        if self.item(to).data(_KEY) == _FIXED:
            return
        self._is_filling = True
        self.insertItem(to, self.takeItem(at))
        self.setCurrentRow(to)
        self._is_filling = False
        self._tell_order()

    def _tell_order(self) -> None:
        keys = self.keys()
        self.ordered.emit(tuple(sorted(keys, key=lambda key: key != _FIXED)))

    def _tick(self, item: QListWidgetItem) -> None:
        if not self._is_filling:
            self.ticked.emit(item.data(_KEY), item.checkState() == Qt.CheckState.Checked)

    def _want(self, item: QListWidgetItem | None) -> None:
        if item is not None and not self._is_filling:
            self.wanted.emit(item.data(_KEY))


class _RowPainting(QStyledItemDelegate):
    """Paints the note at the right, and cuts the title where the two would meet."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(  # noqa: N802
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        """Return the height of a row."""
        return QSize(super().sizeHint(option, index).width(), _HEIGHT)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Paint a row: tick, title, note."""
        one = QStyleOptionViewItem(option)
        self.initStyleOption(one, index)
        metrics, room = one.fontMetrics, one.rect.width()
        style = one.widget.style()
        text = style.subElementRect(QStyle.SubElement.SE_ItemViewItemText, one, one.widget)
        left = text.width() - metrics.horizontalAdvance(one.text) - 3 * _PAD  # the title comes first
        most = min(left, round(room * _MOST_NOTE))
        note = metrics.elidedText(index.data(_NOTE) or "", Qt.TextElideMode.ElideRight, most)
        if most < _LEAST_NOTE:
            note = ""
        taken = metrics.horizontalAdvance(note) + 2 * _PAD if note else _PAD
        one.text = metrics.elidedText(one.text, Qt.TextElideMode.ElideRight, max(text.width() - taken, 20))
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, one, painter, one.widget)
        painter.save()
        painter.setPen(QColor(self._theme.tokens.muted))
        place = QRect(one.rect.right() - taken + _PAD - 4, one.rect.top(), taken, one.rect.height())
        painter.drawText(place, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), note)
        painter.restore()
