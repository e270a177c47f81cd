"""The esxtop page: tabs for the screens, totals over the hosts, the table, and a time slider."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QTabBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from resources.foreign_text import tooltip_text
from resources.views import Screen
from widgets.empty_state import EmptyState
from widgets.esxtop.keys import key_rows, portable
from widgets.esxtop.model import EsxtopModel
from widgets.esxtop.slider import TimeSlider
from widgets.esxtop.table import EsxtopTable, letter
from widgets.keys import KeyHandlers
from widgets.search_field import SearchField
from widgets.theme import Theme, figures_font
from widgets.theme.tokens import SMALL_PX

_MIN_FILTER_WIDTH, _MAX_FILTER_WIDTH = 80, 170


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
        self.tabs = QTabBar(drawBase=False, expanding=False)
        self.tabs.setObjectName("screens")
        self.tabs.setAccessibleName("esxtop screens")
        for screen in screens:
            self.tabs.addTab(f"{screen.key}  {screen.title}")
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
        self._more = QToolButton()
        self._more.setText("Fields…")
        self._more.setToolTip("f: choose columns")
        self._more.clicked.connect(self.fields)
        self.head = QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        self.head.setContentsMargins(12, 4, 12, 6)
        self.head.setProperty("role", "muted")
        self.head.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self.head.setAccessibleName("Totals of the hosts")
        self.table = EsxtopTable(model, theme, series_of)
        self.table.setAccessibleName("esxtop table")
        self.empty = EmptyState()
        self.empty.hide()
        self.empty.wanted.connect(self.cleared)
        self.when = QLabel(textFormat=Qt.TextFormat.PlainText)
        self.when.setFont(figures_font(SMALL_PX))
        self.slider = TimeSlider()
        self.slider.moved.connect(self.moved)
        self.slider.stepped.connect(self.stepped)
        self._keys = KeyHandlers(
            key_rows(screens),
            {
                "screens": self._choose_screen,
                "vms": lambda _key: self.only_vms.toggle(),
                "expand": lambda _key: self._expand(),
                "fields": lambda _key: self.fields.emit(),
                "interval": lambda _key: self.interval.emit(),
                "sparks": lambda _key: self.sparks.toggle(),
                "sort": self._sort,
                "chart": lambda _key: self._chart(),
            },
        )
        self.setFocusProxy(self.table)
        self._arrange()

    def _arrange(self) -> None:
        tools = QHBoxLayout()
        tools.setContentsMargins(10, 6, 10, 2)
        tools.setSpacing(6)
        tools.addWidget(self.filter, 2)
        for widget in (self.only_vms, self.sparks, self._more):
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
        column.addWidget(self.table, 1)
        column.addWidget(self.empty, 1)
        column.addLayout(foot)

    @property
    def chosen_screen(self) -> Screen:
        """The screen that is shown."""
        return self._screens[self.tabs.currentIndex()]

    def show_totals(self, totals: Sequence[str], details: str) -> None:
        """Show the totals over the hosts; lines break only between totals. ``details`` is the tooltip."""
        whole = [total.replace(" ", "\N{NO-BREAK SPACE}") for total in totals]
        self.head.setText(("\N{NO-BREAK SPACE}" * 3 + " ").join(whole))
        self.head.setToolTip(tooltip_text(details))
        self.head.setVisible(bool(whole))

    def show_empty(self, text: str, button: str = "") -> None:
        """Show why there are no rows; an empty text shows the table. ``button`` offers to remove filters.

        The page keeps the focus: keys that choose another screen must not end up in the filter field.
        """
        had_keys = self.hasFocus()
        self.empty.show_reason(text, button)
        self.empty.setVisible(bool(text))
        self.setFocusProxy(self.empty if text else self.table)
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

    def event(self, event: QEvent) -> bool:
        """Claim letter keys for esxtop's functions, even if the window has a shortcut on them."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and letter(event):
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
            self.table.sort_by_counter(counters[key])
            self.table.reveal(self._model.sorting[0])

    def _expand(self) -> None:
        indexes = self.table.selectedIndexes() or [self.table.currentIndex()]
        rows = [self._model.row_at(index.row())[1] for index in indexes if index.isValid()]
        self.expanded.emit(frozenset(row.ref for row in rows if row.expandable))

    def _chart(self) -> None:
        index = self.table.currentIndex()
        self.table.charted.emit(index.row(), index.column())

    def _button(self, text: str, tip: str) -> QToolButton:
        button = QToolButton()
        button.setCheckable(True)
        button.setText(text)
        button.setToolTip(tip)
        return button
