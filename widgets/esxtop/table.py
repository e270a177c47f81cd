"""The table widget of the esxtop view: dense rows, frozen name column, tinted cells, sparklines."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from PySide6.QtCore import (
    QModelIndex,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyleOptionHeader,
    QTableView,
)

from widgets.dragging import drag
from widgets.esxtop.cells import NUMBER_WIDTH, SIDE, Cells
from widgets.esxtop.model import EsxtopModel
from widgets.theme import Theme, figures_font
from widgets.theme.tokens import DENSE_ROW_PX, SMALL_PX

_NAME_WIDTH, _MAX_NAME_WIDTH = 168, 214
_MEASURED_NAMES = 500
_HOST_WIDTH = 128
_MIN_COLUMN_WIDTH = 40
_MARKED_WIDTH = 74  # with room for the symbol of a state
_ARROW = 8
_WHOLE_NAMES_SHARE = 0.9  # the longest tenth may be elided
_SPARK_WIDTH = 168


class _Header(QHeaderView):
    """A header whose sort arrow is drawn left of the title, so that titles and numbers align on the right."""

    def __init__(self, parent: QTableView) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.sorted_by: tuple[int, Qt.SortOrder] = (-1, Qt.SortOrder.AscendingOrder)

    def initStyleOptionForIndex(self, option: QStyleOptionHeader, section: int) -> None:  # noqa: N802
        """Set what a section of the header shows (called by Qt)."""
        super().initStyleOptionForIndex(option, section)
        sorted_section, order = self.sorted_by
        if section == sorted_section:
            arrow = "▾" if order == Qt.SortOrder.DescendingOrder else "▴"
            option.text = f"{arrow} {option.text}"


class _Names(QTableView):
    """The frozen name column, drawn over the table; keys act on the table itself."""

    def __init__(self, table: QTableView, model: EsxtopModel, theme: Theme) -> None:
        super().__init__(table)
        self._table = table
        self._cells = Cells(self, model, theme)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """Paint all visible names at once."""
        self._cells.paint(event.rect(), self._table.currentIndex(), keys=self._table.hasFocus())


class EsxtopTable(QTableView):
    """The table of the esxtop view.

    Signals: ``charted(row, column)`` on a double click; ``sorted`` when column or order of sorting changed.
    ``series_of`` returns the series ids of cells that are dragged.
    """

    charted = Signal(int, int)
    sorted = Signal()

    def __init__(
        self, model: EsxtopModel, theme: Theme, series_of: Callable[[Sequence[QModelIndex]], list[int]]
    ) -> None:
        super().__init__()
        self._theme, self._series_of = theme, series_of
        self.setModel(model)
        self._headers = [_prepare(self)]
        self._cells = Cells(self, model, theme)
        self.setDragEnabled(True)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.horizontalHeader().setSectionsClickable(True)
        self.horizontalHeader().sectionClicked.connect(self._sort_by_click)
        self.doubleClicked.connect(lambda index: self.charted.emit(index.row(), index.column()))
        self._frozen = _Names(self, model, theme)
        self._frozen.setModel(model)
        self._frozen.setSelectionModel(self.selectionModel())
        self._headers.append(_prepare(self._frozen))
        self._frozen.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._frozen.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._frozen.setObjectName("frozen-names")
        self._frozen.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self._frozen.doubleClicked.connect(lambda index: self.charted.emit(index.row(), index.column()))
        self.verticalScrollBar().valueChanged.connect(self._frozen.verticalScrollBar().setValue)
        self._frozen.verticalScrollBar().valueChanged.connect(self.verticalScrollBar().setValue)
        self.horizontalHeader().sectionResized.connect(self._resized)
        model.modelReset.connect(self._fit)
        model.dataChanged.connect(self._widen)
        model.layoutChanged.connect(self._widen)
        model.layoutChanged.connect(self._frozen.viewport().update)
        theme.changed.connect(self._repaint)
        self.selectionModel().currentRowChanged.connect(lambda _now, _before: self._repaint())
        self.setColumnWidth(0, _NAME_WIDTH)
        self._fit()

    def sort_by(self, column: int, order: Qt.SortOrder) -> None:
        """Sort by a column and show the arrow."""
        for header in self._headers:
            header.sorted_by = (column, order)
            header.viewport().update()
        self.model().sort(column, order)
        self.sorted.emit()

    def sort_by_counter(self, counter: str) -> None:
        """Sort by a counter's column, largest on top; nothing happens if it is not shown."""
        model = self.model()
        assert isinstance(model, EsxtopModel)
        column = model.column_of(counter)
        if column >= 0:
            self.sort_by(column, Qt.SortOrder.DescendingOrder)

    def scroll_to_start(self) -> None:
        """Scroll to the first row and column."""
        for bar in (self.horizontalScrollBar(), self.verticalScrollBar()):
            bar.setValue(0)

    def reveal(self, column: int) -> None:
        """Scroll to the top of a column."""
        self.scrollTo(self.model().index(0, column))

    def scrollTo(  # noqa: N802
        self,
        index: QModelIndex | QPersistentModelIndex,
        hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible,
    ) -> None:
        """Scroll to a cell as Qt does, and further if the frozen names would cover the cell."""
        self.updateGeometries()  # columns may have just grown: the scroll bar must know how far it can go
        super().scrollTo(index, hint)
        hidden = self.columnWidth(0) - self.columnViewportPosition(index.column())
        if index.column() > 0 and hidden > 0:
            bar = self.horizontalScrollBar()
            bar.setValue(bar.value() - hidden)

    def make_room_for_curves(self, column: int) -> None:
        """Widen the column that shows sparklines beside its numbers."""
        if column >= EsxtopModel.FIXED and self.columnWidth(column) < _SPARK_WIDTH:
            self.setColumnWidth(column, _SPARK_WIDTH)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """Paint all visible cells at once."""
        self._cells.paint(event.rect(), self.currentIndex(), keys=self.hasFocus())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Give the frozen column the height of the table."""
        super().resizeEvent(event)
        self._place()

    def startDrag(self, _actions: Qt.DropAction) -> None:  # noqa: N802
        """Drag the series of the selected cells."""
        ids = self._series_of(self.selectedIndexes())
        drag(self, ids, "1 counter" if len(ids) == 1 else f"{len(ids)} counters")

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Leave letters and Enter to the page around the table; other keys move the cursor."""
        if letter(event) or event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            event.ignore()
        else:
            super().keyPressEvent(event)

    def _sort_by_click(self, column: int) -> None:
        """Sort by the clicked column: counters descending, names ascending; again reverses the order."""
        model = self.model()
        assert isinstance(model, EsxtopModel)
        before, order = model.sorting
        down, up = Qt.SortOrder.DescendingOrder, Qt.SortOrder.AscendingOrder
        if column != before:
            order = up if column < EsxtopModel.FIXED else down
        else:
            order = up if order == down else down
        self.sort_by(column, order)

    def _fit(self) -> None:
        model = self.model()
        header = self.horizontalHeader().fontMetrics()
        assert isinstance(model, EsxtopModel)
        for column in range(EsxtopModel.FIXED, model.columnCount()):
            spec = model.column_at(column)
            marked = spec is not None and np.isfinite(spec.warning)
            min_width = _MARKED_WIDTH if marked else NUMBER_WIDTH
            title = str(model.headerData(column, Qt.Orientation.Horizontal))
            self.setColumnWidth(column, max(header.horizontalAdvance(title) + _ARROW + 2 * SIDE, min_width))
        for column in range(1, model.columnCount()):
            self._frozen.setColumnHidden(column, True)
        self.setColumnWidth(0, self._name_width(model))
        self.setColumnHidden(1, not model.several_hosts)
        self.setColumnWidth(1, _HOST_WIDTH)
        self._frozen.setColumnWidth(0, self.columnWidth(0))
        self._place()

    def _widen(self) -> None:
        """Widen columns to their longest number; they do not become narrower when it gets shorter."""
        model, metrics = self.model(), self.fontMetrics()
        assert isinstance(model, EsxtopModel)
        for column in range(EsxtopModel.FIXED, model.columnCount()):
            needed = metrics.horizontalAdvance(model.widest(column)) + 2 * SIDE
            if needed > self.columnWidth(column):
                self.setColumnWidth(column, needed)

    def _name_width(self, model: EsxtopModel) -> int:
        """Return the width that most of the first names need, within limits."""
        names = (str(model.index(row, 0).data()) for row in range(min(model.rowCount(), _MEASURED_NAMES)))
        lengths = sorted(len(name) for name in names)
        length = lengths[int((len(lengths) - 1) * _WHOLE_NAMES_SHARE)] if lengths else 0
        wanted = round(length * self.fontMetrics().averageCharWidth()) + 24
        return min(max(wanted, _NAME_WIDTH), _MAX_NAME_WIDTH)

    def _resized(self, section: int, _old: int, new: int) -> None:
        if section == 0:
            self._frozen.setColumnWidth(0, new)
            self._place()

    def _place(self) -> None:
        frame = self.frameWidth()
        height = self.viewport().height() + self.horizontalHeader().height()
        self._frozen.setGeometry(frame, frame, self.columnWidth(0), height)
        self._frozen.horizontalHeader().setFixedHeight(self.horizontalHeader().height())

    def _repaint(self) -> None:
        for table in (self, self._frozen):
            table.viewport().update()


def letter(event: QKeyEvent) -> str:
    """Return the letter of a key, upper case with Shift; empty for other keys and with Ctrl, Alt or Meta."""
    plain = event.modifiers() & ~Qt.KeyboardModifier.ShiftModifier == Qt.KeyboardModifier.NoModifier
    if not plain or not Qt.Key.Key_A <= event.key() <= Qt.Key.Key_Z:
        return ""
    shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
    return chr(event.key()) if shift else chr(event.key()).lower()


def _prepare(table: QTableView) -> _Header:
    header = _Header(table)
    header.setHighlightSections(False)
    header.setMinimumSectionSize(_MIN_COLUMN_WIDTH)
    table.setHorizontalHeader(header)
    table.setFont(figures_font(SMALL_PX))
    table.setShowGrid(False)
    table.setWordWrap(False)
    table.verticalHeader().hide()
    table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    table.verticalHeader().setDefaultSectionSize(DENSE_ROW_PX)
    table.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    table.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    table.setTabKeyNavigation(False)
    return header
