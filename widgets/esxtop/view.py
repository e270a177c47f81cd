"""The esxtop page: tabs for the screens, totals over the hosts, the table, and a time slider."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from resources.views import Screen
from viewmodels.text_table import TextTable
from widgets.context_menu import MenuEntry, make_menu
from widgets.empty_state import EmptyState
from widgets.esxtop.copied_part import part_as_text
from widgets.esxtop.find import FindBar
from widgets.esxtop.keys import key_rows, portable
from widgets.esxtop.menu import TableMenu
from widgets.esxtop.model import EsxtopModel
from widgets.esxtop.selection import chosen_rows
from widgets.esxtop.slider import TimeSlider
from widgets.esxtop.table import EsxtopTable, letter
from widgets.esxtop.tabs import ScreenTabs
from widgets.esxtop.totals import TotalsLine
from widgets.focus_passing import FocusPassing
from widgets.keys import KeyHandlers
from widgets.search_field import SearchField
from widgets.theme import Theme, figures_font
from widgets.theme.tokens import SMALL_PX

_TOTALS_LINE_PER_PX = 140
_MIN_FILTER_WIDTH, _MAX_FILTER_WIDTH = 64, 170


class EsxtopView(QWidget):
    """The page of the esxtop view.

    Signals: ``screen_chosen(n)``; ``moved(part)`` with a part of the session from 0 to 1 (its end);
    ``stepped(n)``: go n samples on;
    ``filtered(text)``; ``vms_toggled(on)``: show VMs only; ``sparks_toggled(on)``; ``expanded`` with the
    entities whose rows are to be expanded or folded; ``fields``: choose columns; ``interval``: choose how
    often to update; ``cleared``: remove all filters; ``appeared`` when the page becomes visible.
    """

    screen_chosen = Signal(int)
    moved = Signal(float)
    stepped = Signal(int)
    filtered = Signal(str)
    vms_toggled = Signal(bool)
    sparks_toggled = Signal(bool)
    expanded = Signal(object)
    fields = Signal()
    interval = Signal()
    cleared = Signal()
    appeared = Signal()

    def __init__(
        self,
        model: EsxtopModel,
        theme: Theme,
        screens: Sequence[Screen],
        series_of: Callable[[Sequence[QModelIndex]], list[int]],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._model, self._screens = model, screens
        self.tabs = ScreenTabs(screens)
        self.tabs.currentChanged.connect(self.screen_chosen)
        self.filter = SearchField("Filter names", "Filter rows by name")
        self.filter.left.connect(lambda: self.setFocus(Qt.FocusReason.OtherFocusReason))
        self.filter.setMinimumWidth(_MIN_FILTER_WIDTH)
        self.filter.setMaximumWidth(_MAX_FILTER_WIDTH)
        self.filter.textChanged.connect(self.filtered)
        self.only_vms = self._button("VMs only", "V: virtual machines only")
        self.only_vms.toggled.connect(self.vms_toggled)
        self.sparks = self._button("Sparklines", "k: the last samples of the sorted column as small curves")
        self.sparks.toggled.connect(self.sparks_toggled)
        self._columns = QToolButton()
        self._columns.setText("Fields…")
        self._columns.setToolTip("f: choose columns and their order")
        self._columns.clicked.connect(self.fields)
        self.more = QToolButton()
        self.more.setText("⋯")
        self.more.setAccessibleName("More")
        self.more.setToolTip("Find, copy, save, fit the columns")
        self.more.clicked.connect(self._open_more)
        self.head = TotalsLine(theme)
        self.table = EsxtopTable(model, theme, series_of)
        self.table.setAccessibleName("esxtop table")
        self.menu = TableMenu(self.table, model, self._as_text)
        self.menu.expanded.connect(self._expand)
        self.menu.fields.connect(self.fields)
        self.find_bar = FindBar(self.table, model)
        self.find_bar.closed.connect(lambda: self.setFocus(Qt.FocusReason.OtherFocusReason))
        self.empty = EmptyState()
        self.empty.hide()
        self.empty.wanted.connect(self.cleared)
        self.when = QLabel(textFormat=Qt.TextFormat.PlainText)
        self.when.setFont(figures_font(SMALL_PX))
        self.slider = TimeSlider()
        self.slider.moved.connect(self.moved)
        self.slider.stepped.connect(self.stepped)
        self.several = self._chart_button()
        self._keys = KeyHandlers(key_rows(screens), self._handlers())
        FocusPassing(self, lambda: self.table if self.empty.isHidden() else self.empty)
        self._arrange()

    def _handlers(self) -> dict[str, Callable[[str], object]]:
        """Return what the keys do, by row id."""
        return {
            "screens": self._choose_screen,
            "vms": lambda _key: self.only_vms.toggle(),
            "expand": lambda _key: self._expand(),
            "fields": lambda _key: self.fields.emit(),
            "interval": lambda _key: self.interval.emit(),
            "sparks": lambda _key: self.sparks.toggle(),
            "sort": self._sort,
            "name": lambda _key: self.table.sort_by(0, Qt.SortOrder.AscendingOrder),
            "chart": lambda _key: self._chart(),
            "rows": lambda key: self._step(1 if key == "2" else -1),
            "names": lambda _key: self.table.widths.toggle_names(),
            "columns": self.menu.press,
            "find": lambda _key: self.find_bar.open_bar(),
            "next": lambda key: self.find_bar.step(1 if key == "F3" else -1),
            "copy": self.menu.press,
            "copy_rows": self.menu.press,
            "save": self.menu.press,
            "meaning": lambda _key: self.menu.explain(),
            "menu": lambda _key: self.menu.open(),
        }

    def _arrange(self) -> None:
        tools = QHBoxLayout()
        tools.setContentsMargins(10, 6, 10, 2)
        tools.setSpacing(6)
        tools.addWidget(self.filter, 2)
        for widget in (self.only_vms, self.sparks, self._columns, self.more, self.several):
            tools.addWidget(widget)
        tools.addStretch(1)
        foot = QHBoxLayout()
        foot.setContentsMargins(12, 4, 12, 6)
        foot.setSpacing(12)
        foot.addWidget(self.when)
        foot.addWidget(self.slider, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.tabs)
        column.addLayout(tools)
        column.addWidget(self.head)
        column.addWidget(self.find_bar)
        column.addWidget(self.table, 1)
        column.addWidget(self.empty, 1)
        column.addLayout(foot)

    @property
    def chosen_screen(self) -> Screen:
        """The screen that is shown."""
        return self._screens[self.tabs.currentIndex()]

    def show_empty(self, text: str, button: str = "") -> None:
        """Show why there are no rows; an empty text shows the table. ``button`` offers to remove filters.

        The page keeps the focus: keys that choose another screen must not end up in the filter field.
        """
        had_keys = self.hasFocus() or self.table.hasFocus() or self.empty.hasFocus()
        self.empty.show_reason(text, button)
        self.empty.setVisible(bool(text))
        self.table.setVisible(not text)
        if had_keys:
            self.setFocus(Qt.FocusReason.OtherFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Handle esxtop's own keys."""
        if not self._keys.press(event):
            super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """Take the keyboard focus and emit ``appeared``."""
        super().showEvent(event)
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self.appeared.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Leave a low page to the table: the totals take a line of each 140 pixels."""
        super().resizeEvent(event)
        self.head.limit_lines(max(self.height() // _TOTALS_LINE_PER_PX, 1))

    def event(self, event: QEvent) -> bool:
        """Claim letters and the keys of the page, even if the window has a shortcut on them."""
        override = event.type() == QEvent.Type.ShortcutOverride
        if override and isinstance(event, QKeyEvent) and (letter(event) or self._keys.has(event)):
            event.accept()
            return True
        return super().event(event)

    def show_moment(self, text: str, part: float) -> None:
        """Show the time (``as of 14:21:35``) and move the slider to ``part`` (0 to 1); empty: no time."""
        self.when.setText(text)
        self.slider.setEnabled(bool(text))
        self.slider.show_part(part)

    def _choose_screen(self, key: str) -> None:
        keys = [portable(screen.key) for screen in self._screens]
        self.tabs.setCurrentIndex(keys.index(key))

    def _sort(self, key: str) -> None:
        counters = {portable(letter): counter for letter, counter in self.chosen_screen.sort.items()}
        if key in counters:
            column = self._model.column_of(counters[key])
            if column >= 0:
                self.table.sort_by(column, Qt.SortOrder.DescendingOrder)
                self.table.reveal(column)

    def _expand(self) -> None:
        indexes = self.table.selectedIndexes() or [self.table.currentIndex()]
        rows = [self._model.row_at(index.row())[1] for index in indexes if index.isValid()]
        self.expanded.emit(frozenset(row.ref for row in rows if row.expandable))

    def _chart(self) -> None:
        """Chart the selected rows, or the current cell; on one name, look at its entity."""
        if len(chosen_rows(self.table)) > 1:
            self.menu.chart_selection()
        elif self.table.currentIndex().isValid():
            self.table.charted.emit(self.table.currentIndex())

    def _step(self, rows: int) -> None:
        """Move the current cell by some rows."""
        now = self.table.currentIndex()
        row = min(max(now.row() + rows, 0), self._model.rowCount() - 1)
        self.table.setCurrentIndex(self._model.index(row, max(now.column(), 0)))

    def _open_more(self) -> None:
        """Open the menu of what concerns the table as a whole, below its button."""
        find = MenuEntry("Find in the table", self.find_bar.open_bar, "Ctrl+F")
        menu = make_menu([find, None, *self.menu.of_table()], self)
        menu.popup(self.more.mapToGlobal(self.more.rect().bottomLeft()))

    def _chart_button(self) -> QToolButton:
        """Return the button that charts the selected rows, shown while there are several."""
        button = QToolButton()
        button.setToolTip("Enter: the current column of the selected rows in one chart")
        button.clicked.connect(self.menu.chart_selection)
        button.hide()
        selection = self.table.selectionModel()
        selection.selectionChanged.connect(self._offer_chart)
        selection.currentColumnChanged.connect(self._offer_chart)
        return button

    def _offer_chart(self) -> None:
        """Offer to chart the selected rows, if there are several."""
        text = self.menu.chart_text()
        self.several.setText(text)
        self.several.setVisible(bool(text))

    def _as_text(self, rows: Sequence[int], columns: Sequence[int]) -> TextTable:
        title = " ".join(filter(None, ("esxtop", self.chosen_screen.title, self.when.text())))
        return part_as_text(self._model, title, rows, columns)

    def _button(self, text: str, tip: str) -> QToolButton:
        button = QToolButton()
        button.setCheckable(True)
        button.setText(text)
        button.setToolTip(tip)
        return button
