"""The inventory pane: a search field and the tree, with health and headline number in each row."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QColor, QMouseEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from sessions.model import EntityRef
from viewmodels.health import PASSED_ON
from viewmodels.inventory_search import search_tree
from viewmodels.inventory_tree import Node
from widgets.carets import draw_caret
from widgets.eliding import NameElider
from widgets.empty_state import EmptyState
from widgets.focus_passing import FocusPassing
from widgets.inventory.menu import InventoryMenu
from widgets.inventory.model import HEALTH, IS_BELOW, KIND, REF, VALUE, InventoryModel
from widgets.inventory.place import Place, place_of, return_to
from widgets.pane import Pane
from widgets.search_field import SearchField
from widgets.theme import SYMBOLS, Theme
from widgets.theme.tokens import ROW_PX, SMALL_PX

SEARCH_FIELD = "inventory-search"
"""The object name of the search field."""

_SEARCH_MS = 120
_SYMBOL_WIDTH = 17
_SYMBOL_PX, _SYMBOL_BELOW_PX = 10, 7
_CONTAINERS = frozenset({"cluster", "vcenter", "pool"})
_EDGE = 2
_SELECTED, _HOVERED = 0.18, 0.05
_EXPAND_UP_TO = 200


class _Row(QStyledItemDelegate):
    """Draws a row: health symbol, name, and value on the right; headings in bold.

    ``names`` are those of the whole tree: a shortened one is like no other, whatever its indentation.
    """

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.names = NameElider()

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:  # noqa: ARG002, N802
        """Return the same height for all rows."""
        return QSize(80, ROW_PX)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw the row."""
        tokens = self._theme.tokens
        state = option.state
        area: QRect = option.rect
        painter.save()
        row = QRect(0, area.top(), area.right() + 1, area.height())
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(row, _thin(tokens.accent, _SELECTED))
            painter.fillRect(QRect(0, row.top(), _EDGE, row.height()), QColor(tokens.accent))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(row, _thin(tokens.text, _HOVERED))
        if state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QColor(tokens.accent))
            painter.drawRect(row.adjusted(0, 0, -1, -1))
        font = painter.font()
        middle = Qt.AlignmentFlag.AlignVCenter
        text = area.adjusted(2, 0, -8, 0)
        if index.data(REF) is not None or index.data(HEALTH) != "none":
            self._paint_symbol(painter, text, index)
            text.setLeft(text.left() + _SYMBOL_WIDTH)
        value = index.data(VALUE)
        if value:
            font.setPixelSize(SMALL_PX)
            painter.setFont(font)
            painter.setPen(QColor(tokens.muted))
            width = painter.fontMetrics().horizontalAdvance(value)
            painter.drawText(text, middle | Qt.AlignmentFlag.AlignRight, value)
            text.setRight(text.right() - width - 6)
        font.setPixelSize(13)
        font.setBold(index.data(REF) is None or index.data(KIND) == "cluster")
        painter.setFont(font)
        painter.setPen(QColor(tokens.text))
        name = self.names.elided(str(index.data()), text.width(), painter.fontMetrics())
        painter.drawText(text, middle | Qt.AlignmentFlag.AlignLeft, name)
        painter.restore()

    def _paint_symbol(
        self, painter: QPainter, text: QRect, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw the symbol; that of something below the row is smaller. A container has one only for
        a trouble: its own, or that of something in it.
        """
        font = painter.font()
        is_trouble = index.data(IS_BELOW) or index.data(HEALTH) in PASSED_ON
        if index.data(KIND) in _CONTAINERS and not is_trouble:
            return
        font.setPixelSize(_SYMBOL_BELOW_PX if index.data(IS_BELOW) else _SYMBOL_PX)
        painter.setFont(font)
        painter.setPen(QColor(self._theme.tokens.health(index.data(HEALTH))))
        box = QRect(text.left(), text.top(), _SYMBOL_PX, text.height())
        painter.drawText(
            box, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextDontClip, SYMBOLS[index.data(HEALTH)]
        )


def _thin(colour: str, alpha: float) -> QColor:
    thin = QColor(colour)
    thin.setAlphaF(alpha)
    return thin


class Tree(QTreeView):
    """A tree view whose branches are plain carets in the theme's colour."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(headerHidden=True, uniformRowHeights=True, indentation=14)
        self._theme = theme

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Leave the selection as it is on a right click, which opens the menu of the row under it."""
        if event.button() == Qt.MouseButton.RightButton:
            index = self.indexAt(event.position().toPoint())
            self.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.NoUpdate)
        else:
            super().mousePressEvent(event)

    def drawBranches(  # noqa: N802
        self, painter: QPainter, rect: QRect, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw a caret before rows that can be expanded."""
        draw_caret(self, painter, rect, index, self._theme)


class InventoryView(Pane):
    """The inventory pane.

    Signals: ``chosen`` with the selected entities; ``opened`` with an entity that was double-clicked.
    ``menu`` has further ones.
    """

    chosen = Signal(object)
    opened = Signal(object)

    def __init__(self, model: InventoryModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._quiet = False
        self._chosen: Sequence[EntityRef] = ()
        self._whole: Node | None = None
        self._before = Place()
        self.search = SearchField("Search names, devices", "Search the inventory")
        self.search.setObjectName(SEARCH_FIELD)
        self.search.setToolTip(
            "Search names, addresses and devices (Ctrl+F); Enter selects the first, Esc returns to what was"
        )
        self.tree = Tree(theme)
        self.tree.setObjectName("inventory")
        self.tree.setModel(model)
        rows = _Row(theme, self.tree)
        self.tree.setItemDelegate(rows)
        theme.changed.connect(self.tree.viewport().update)
        model.modelReset.connect(lambda: rows.names.set_names(model.titles))
        self.tree.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.tree.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.tree.setAccessibleName("Inventory")
        self.tree.setExpandsOnDoubleClick(False)
        self.menu = InventoryMenu(self.tree, self.selected)
        self._none = EmptyState()
        self._none.show_reason("Nothing has that name, address or identifier.", "Show everything")
        self._none.wanted.connect(self.search.clear)
        self._none.hide()
        box = QVBoxLayout()
        box.setContentsMargins(10, 0, 10, 6)
        box.addWidget(self.search)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(box)
        column.addWidget(self._none, 1)
        column.addWidget(self.tree, 1)
        FocusPassing(self, lambda: self.tree)
        self._wait = QTimer(self, singleShot=True, interval=_SEARCH_MS)
        self._wait.timeout.connect(self._search)
        self.search.textChanged.connect(lambda _text: self._wait.start())
        self.search.returnPressed.connect(self._take_first)
        self.search.left.connect(self._leave_search)
        self.tree.selectionModel().selectionChanged.connect(self._select)
        self.tree.doubleClicked.connect(lambda index: self.opened.emit(index.data(REF)))
        model.modelReset.connect(self._unfold)

    def show_tree(self, root: Node) -> None:
        """Show the inventory, or what the search finds in it; open rows and the scroll position stay."""
        place = place_of(self.tree)
        if self._whole is not None:
            self._whole = root
            root = search_tree(root, self.search.text())
        self._model.set_tree(root)
        return_to(place, self.tree, self._model.index_of)

    def choose(self, refs: Sequence[EntityRef], *, scroll: bool = True) -> None:
        """Select these entities without emitting ``chosen``; ``scroll`` brings them into sight."""
        self._chosen = tuple(refs)
        if [ref for ref in self.selected() if ref in set(refs)] == list(refs) == list(self.selected()):
            return
        self._quiet = True
        selection = QItemSelection()
        last = QModelIndex()
        for ref in refs:
            index = self._model.index_of(ref)
            if index.isValid():
                selection.select(index, index)
                last = index
        select = self.tree.selectionModel().SelectionFlag
        self.tree.selectionModel().select(selection, select.ClearAndSelect)
        if last.isValid() and scroll:
            self.tree.scrollTo(last)
        self._quiet = False

    def selected(self) -> list[EntityRef]:
        """Return the selected entities, without headings."""
        found = [index.data(REF) for index in self.tree.selectionModel().selectedIndexes()]
        return [ref for ref in found if ref is not None]

    def _select(self) -> None:
        if not self._quiet:
            self._chosen = self.selected()
            self.chosen.emit(self._chosen)

    def _search(self) -> None:
        """Show what is found; the scope and what is selected stay until a row is chosen."""
        query = self.search.text().strip()
        if query:
            if self._whole is None:
                self._whole, self._before = self._model.root, place_of(self.tree)
            self._model.set_tree(search_tree(self._whole, query))
        elif self._whole is not None:
            whole, self._whole = self._whole, None
            self._model.set_tree(whole)
            return_to(self._before, self.tree, self._model.index_of)
        self.choose(self._chosen, scroll=False)
        empty = bool(query) and self._model.rowCount() == 0
        self._none.setVisible(empty)
        self.tree.setVisible(not empty)

    def _leave_search(self) -> None:
        self._wait.stop()
        self._search()
        self.tree.setFocus(Qt.FocusReason.OtherFocusReason)

    def _take_first(self) -> None:
        """Select the first row that was found."""
        self._wait.stop()
        self._search()
        first = self._model.index(0, 0, self._model.index(0, 0))
        if self._whole is not None and first.isValid():
            self.tree.setCurrentIndex(first)
            self.tree.setFocus(Qt.FocusReason.OtherFocusReason)

    def _unfold(self) -> None:
        """Expand headings and hosts, as long as the tree stays readable."""
        for row in range(self._model.rowCount()):
            index = self._model.index(row, 0)
            self.tree.expand(index)
            for child in range(self._model.rowCount(index)):
                below = self._model.index(child, 0, index)
                if 0 < self._model.rowCount(below) <= _EXPAND_UP_TO and below.data(KIND) in {
                    "host",
                    "cluster",
                }:
                    self.tree.expand(below)
