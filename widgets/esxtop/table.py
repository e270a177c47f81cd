"""The table widget of the esxtop view: dense rows, frozen name column, tinted cells, sparklines."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import (
    QModelIndex,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from widgets.dragging import drag
from widgets.esxtop.cells import Cells
from widgets.esxtop.header import EsxtopHeader
from widgets.esxtop.model import EsxtopModel
from widgets.esxtop.ordering import ColumnOrder
from widgets.esxtop.widths import ColumnWidths
from widgets.theme import Theme, figures_font
from widgets.theme.tokens import DENSE_ROW_PX, SMALL_PX


class _Names(QTableView):
    """The frozen name column, drawn over the table; keys act on the table itself."""

    def __init__(self, table: QTableView, model: EsxtopModel, theme: Theme) -> None:
        super().__init__(table)
        self._table = table
        self.cells = Cells(self, model, theme)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """Paint all visible names at once."""
        self.cells.paint(event.rect(), self._table.currentIndex(), keys=self._table.hasFocus())


class EsxtopTable(QTableView):
    """The table of the esxtop view.

    Signals: ``charted`` with the cell of a double click; ``sorted`` when column or order of sorting changed.
    ``series_of`` returns the series ids of cells that are dragged. ``widths`` keeps the columns as wide as
    needed, ``order`` moves them; ``names`` is the frozen column over the first one.
    """

    charted = Signal(QModelIndex)
    sorted = Signal()

    def __init__(
        self, model: EsxtopModel, theme: Theme, series_of: Callable[[Sequence[QModelIndex]], list[int]]
    ) -> None:
        super().__init__()
        self._theme, self._series_of, self._model = theme, series_of, model
        self.setModel(model)
        header = _prepare(self, model, theme)
        header.sectionClicked.connect(self._sort_by_click)
        self.order = ColumnOrder(header, model)
        self._cells = Cells(self, model, theme)
        self.setDragEnabled(True)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.doubleClicked.connect(self.charted)
        self.widths = ColumnWidths(self, header, model)
        self.names = self._make_names(theme)
        header.sectionResized.connect(self._resized)
        model.modelReset.connect(self._fit)
        model.dataChanged.connect(self.widths.widen)
        model.layoutChanged.connect(self.widths.widen)
        model.layoutChanged.connect(self.names.viewport().update)
        theme.changed.connect(self._repaint)
        self.selectionModel().currentRowChanged.connect(lambda _now, _before: self._repaint())
        self._fit()

    def _make_names(self, theme: Theme) -> _Names:
        """Return the frozen column over the first one of the table."""
        names = _Names(self, self._model, theme)
        names.setModel(self._model)
        names.setSelectionModel(self.selectionModel())
        header = _prepare(names, self._model, theme)
        header.sectionClicked.connect(self._sort_by_click)
        header.sectionResized.connect(lambda section, _old, width: self._names_resized(section, width))
        header.sectionHandleDoubleClicked.connect(self.widths.fit)
        header.released.connect(self.widths.keep)
        names.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        names.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        names.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        names.setObjectName("frozen-names")
        names.doubleClicked.connect(self.charted)
        self.verticalScrollBar().valueChanged.connect(names.verticalScrollBar().setValue)
        names.verticalScrollBar().valueChanged.connect(self.verticalScrollBar().setValue)
        return names

    def sort_by(self, column: int, order: Qt.SortOrder) -> None:
        """Sort by a column and show the arrow."""
        self._model.sort(column, order)
        self._repaint()
        self.sorted.emit()

    def sort_by_id(self, column: str, *, descending: bool) -> None:
        """Sort by the column with this id; by name if the screen does not show it."""
        at = self._model.column_of(column)
        down = descending and at >= 0
        self._model.sort(max(at, 0), Qt.SortOrder.DescendingOrder if down else Qt.SortOrder.AscendingOrder)
        self._repaint()
        if at >= 0:
            self.sorted.emit()

    @property
    def sorting(self) -> tuple[str, bool]:
        """The id of the column by which the table is sorted, and True if the largest is on top."""
        column, order = self._model.sorting
        return self._model.id_at(column), order == Qt.SortOrder.DescendingOrder

    def highlight(self, rows: frozenset[int]) -> None:
        """Highlight the names of rows, by number as given to the model."""
        for cells in (self._cells, self.names.cells):
            cells.highlighted = rows
        self._repaint()

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

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """Paint all visible cells at once."""
        self._cells.paint(event.rect(), self.currentIndex(), keys=self.hasFocus())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Give the frozen column the height of the table, and the names the width that is left."""
        super().resizeEvent(event)
        self.widths.fit_names()
        self._place()

    def startDrag(self, _actions: Qt.DropAction) -> None:  # noqa: N802
        """Drag the series of the selected cells."""
        ids = self._series_of(self.selectedIndexes())
        drag(self, ids, "1 counter" if len(ids) == 1 else f"{len(ids)} counters")

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Leave letters, digits and Enter to the page around the table; other keys move the cursor."""
        digit = Qt.Key.Key_0 <= event.key() <= Qt.Key.Key_9
        if letter(event) or digit or event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            event.ignore()
        else:
            super().keyPressEvent(event)

    def _sort_by_click(self, column: int) -> None:
        """Sort by the clicked column: counters descending, names ascending; again reverses the order."""
        before, order = self._model.sorting
        down, up = Qt.SortOrder.DescendingOrder, Qt.SortOrder.AscendingOrder
        if column != before:
            order = up if column < EsxtopModel.FIXED else down
        else:
            order = up if order == down else down
        self.sort_by(column, order)

    def _fit(self) -> None:
        for column in range(1, self._model.columnCount()):
            self.names.setColumnHidden(column, True)
        self.widths.refit()
        self.names.setColumnWidth(0, self.columnWidth(0))
        self._place()

    def _resized(self, section: int, _old: int, new: int) -> None:
        if section == 0:
            self.names.setColumnWidth(0, new)
            self._place()

    def _names_resized(self, section: int, width: int) -> None:
        if section == 0 and width != self.columnWidth(0):
            self.setColumnWidth(0, width)

    def _place(self) -> None:
        frame = self.frameWidth()
        height = self.viewport().height() + self.horizontalHeader().height()
        self.names.setGeometry(frame, frame, self.columnWidth(0), height)
        self.names.horizontalHeader().setFixedHeight(self.horizontalHeader().height())

    def _repaint(self) -> None:
        for table in (self, self.names):
            table.viewport().update()
            table.horizontalHeader().viewport().update()


def letter(event: QKeyEvent) -> str:
    """Return the letter of a key, upper case with Shift; empty for other keys and with Ctrl, Alt or Meta."""
    plain = event.modifiers() & ~Qt.KeyboardModifier.ShiftModifier == Qt.KeyboardModifier.NoModifier
    if not plain or not Qt.Key.Key_A <= event.key() <= Qt.Key.Key_Z:
        return ""
    shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
    return chr(event.key()) if shift else chr(event.key()).lower()


def _prepare(table: QTableView, model: EsxtopModel, theme: Theme) -> EsxtopHeader:
    header = EsxtopHeader(table, model, theme)
    table.setHorizontalHeader(header)
    for chooses_column in (header.sectionPressed, header.sectionEntered):
        chooses_column.disconnect()  # a heading sorts and moves; it leaves the selection alone
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
