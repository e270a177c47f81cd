"""The three lists below the charts: what changed most, settings and events, what is new or gone."""

from __future__ import annotations

from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from resources.units import format_count
from viewmodels.comparison_page import ComparedRow
from viewmodels.comparison_surroundings import Surroundings
from widgets.elided_label import ElidedLabel
from widgets.empty_state import EmptyState
from widgets.theme import Theme
from wizards.pages.compare_others import OtherList
from wizards.pages.compare_table import ChangesTable

_LISTS = {"changes": "Changed most", "settings": "Settings and events", "gone": "New or gone"}
_LEAST_HEIGHT = 160


class CompareLists(QWidget):
    """The lists, buttons above that choose one of them, and below what is folded."""

    def __init__(self, theme: Theme, table: ChangesTable, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.settings = OtherList(theme, _LISTS["settings"])
        self.gone = OtherList(theme, _LISTS["gone"])
        self.none = EmptyState()
        self._changes = QStackedWidget()
        self._changes.addWidget(table)
        self._changes.addWidget(self.none)
        self._lists = QStackedWidget()
        for one in (self._changes, self.settings, self.gone):
            self._lists.addWidget(one)
        self._count, self._foot = QLabel(), ElidedLabel()
        for label in (self._count, self._foot):
            label.setProperty("role", "muted")
        self._folded = self._row = ""
        self._has_more = False
        self.more = QPushButton("Show undecided")
        self.more.setProperty("role", "ghost")
        foot = QHBoxLayout()
        foot.addWidget(self._foot, 1)
        foot.addWidget(self.more)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 6, 0, 0)
        column.setSpacing(4)
        column.addLayout(self._made_tabs())
        column.addWidget(self._lists, 1)
        column.addLayout(foot)
        self.setMinimumHeight(_LEAST_HEIGHT)

    def _made_tabs(self) -> QHBoxLayout:
        self._group = QButtonGroup(self)
        self.tabs: dict[str, QPushButton] = {}
        row = QHBoxLayout()
        row.setSpacing(6)
        for number, (name, text) in enumerate(_LISTS.items()):
            button = QPushButton(text)
            button.setCheckable(True)
            button.setChecked(number == 0)
            button.setProperty("role", "toggle")
            self._group.addButton(button, number)
            self.tabs[name] = button
            row.addWidget(button)
        row.addStretch(1)
        row.addWidget(self._count)
        self._group.idClicked.connect(self._lists.setCurrentIndex)
        self._lists.currentChanged.connect(lambda _list: self._show_foot())
        return row

    def show_surroundings(self, found: Surroundings) -> None:
        """Show what else differs."""
        settings = (*found.changes, *found.events)
        self.settings.show_lines(settings)
        self.gone.show_lines(found.new_or_gone)
        for name, count in (("settings", len(settings)), ("gone", len(found.new_or_gone))):
            self.tabs[name].setText(f"{_LISTS[name]} {format_count(count)}")
            self.tabs[name].setEnabled(bool(count))
            self.tabs[name].setToolTip("" if count else "Nothing of this kind differs")
        chosen = self._group.checkedButton()
        if chosen is not None and not chosen.isEnabled():
            self.tabs["changes"].click()

    def show_counts(self, count: str, folded: str, *, has_more: bool) -> None:
        """Show how many rows there are, what is folded, and with ``has_more`` the button that unfolds it."""
        self._count.setText(count)
        self._folded = folded
        self._has_more = has_more
        self._show_foot()

    def show_row(self, row: ComparedRow | None) -> None:
        """Show the samples of the chosen row."""
        self._row = f"{row.samples} · effect: Cliff's delta" if row is not None else ""
        self._show_foot()

    def show_none(self, why: str, button: str = "") -> None:
        """Say why there are no rows; empty if there are."""
        self.none.show_reason(why, button)
        self._changes.setCurrentIndex(1 if why else 0)

    def _show_foot(self) -> None:
        """What is said of changes stands below and beside changes only."""
        of_changes = self._lists.currentIndex() == 0
        self._count.setVisible(of_changes)
        self.more.setVisible(of_changes and self._has_more)
        self._foot.show_text(" · ".join(part for part in (self._folded, self._row) if part and of_changes))
