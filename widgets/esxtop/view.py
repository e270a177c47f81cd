"""The esxtop page: screen tabs with their keys, the hosts' totals, the table, and a slim time slider."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QModelIndex, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QSlider,
    QTabBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from resources.foreign_text import tip
from widgets.empty_state import EmptyState
from widgets.esxtop.model import EsxtopModel
from widgets.esxtop.table import EsxtopTable, letter
from widgets.search_field import SearchField
from widgets.theme import Theme, figures_font
from widgets.theme.tokens import SMALL_PX

_STEPS = 2_000
_LEAST_FILTER, _MOST_FILTER = 80, 170


class EsxtopView(QWidget):
    """Signals: ``screen_chosen(n)``, ``moved(part)`` of the session (1 is its end), ``filtered(text)``.

    ``toggled(what, on)`` for ``vms`` (virtual machines only) and ``sparks``; ``fields``: choose columns;
    ``cleared``: show all rows.
    """

    screen_chosen = Signal(int)
    moved = Signal(float)
    filtered = Signal(str)
    toggled = Signal(str, bool)
    fields = Signal()
    cleared = Signal()

    def __init__(
        self,
        model: EsxtopModel,
        theme: Theme,
        series_of: Callable[[Sequence[QModelIndex]], list[int]],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self.tabs = QTabBar(drawBase=False, expanding=False)
        self.tabs.setObjectName("screens")
        self.tabs.setAccessibleName("esxtop screens")
        self.tabs.currentChanged.connect(self.screen_chosen)
        self.filter = SearchField("Filter names", "Filter rows by name")
        self.filter.left.connect(lambda: self.setFocus(Qt.FocusReason.OtherFocusReason))
        self.filter.setMinimumWidth(_LEAST_FILTER)
        self.filter.setMaximumWidth(_MOST_FILTER)
        self.filter.textChanged.connect(self.filtered)
        self.only_vms = self._button("VMs only", "V: virtual machines only")
        self.only_vms.toggled.connect(lambda on: self.toggled.emit("vms", on))
        self.sparks = self._button("Sparklines", "k: the last samples of the sorted column as small curves")
        self.sparks.toggled.connect(lambda on: self.toggled.emit("sparks", on))
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
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, _STEPS)
        self.slider.setValue(_STEPS)
        self.slider.setAccessibleName("Moment of the session")
        self.slider.valueChanged.connect(lambda value: self.moved.emit(value / _STEPS))
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

    def set_screens(self, titles: Sequence[tuple[str, str]]) -> None:
        """The tabs: key and title of each screen."""
        for key, title in titles:
            self.tabs.addTab(f"{key}  {title}")

    def say_totals(self, totals: Sequence[str], details: str) -> None:
        """The hosts' totals; each stays on one line, lines break between two of them."""
        whole = [total.replace(" ", "\N{NO-BREAK SPACE}") for total in totals]
        self.head.setText(("\N{NO-BREAK SPACE}" * 3 + " ").join(whole))
        self.head.setToolTip(tip(details))
        self.head.setVisible(bool(whole))

    def say_empty(self, text: str, button: str = "") -> None:
        """Say why there is no table; an empty text shows it. ``button`` offers to clear the filters.

        The keys stay with the page: those of the next screen must not end in the filter.
        """
        had_keys = self.hasFocus()
        self.empty.say(text, button)
        self.empty.setVisible(bool(text))
        self.setFocusProxy(self.empty if text else self.table)
        self.table.setVisible(not text)
        if had_keys:
            self.setFocus(Qt.FocusReason.OtherFocusReason)

    def event(self, event: QEvent) -> bool:
        """Letters are esxtop's keys on the whole page, even where the window has a shortcut on them."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and letter(event):
            event.accept()
            return True
        return super().event(event)

    def show_moment(self, text: str, part: float) -> None:
        """``as of 14:21:35``, and the slider at that part of the session; no text where it has no moment."""
        self.when.setText(text)
        self.slider.setEnabled(bool(text))
        if not self.slider.isSliderDown():
            with QSignalBlocker(self.slider):
                self.slider.setValue(round(part * _STEPS))

    def _button(self, text: str, tip: str) -> QToolButton:
        button = QToolButton()
        button.setCheckable(True)
        button.setText(text)
        button.setToolTip(tip)
        return button
