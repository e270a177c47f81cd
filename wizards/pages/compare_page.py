"""The Compare page: the answer, charts of both windows, the table of changes, and what else differs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from resources.units import format_count
from viewmodels.comparison_charts import OverlayChart
from viewmodels.comparison_page import ComparedRow, ComparisonPage, PageHead, RowFilter, charted
from viewmodels.file_offer import table_file
from viewmodels.text_table import rows_label
from widgets.empty_state import EmptyState
from widgets.keys import KeyHandlers
from widgets.scrolling import scrolling
from widgets.theme import Theme
from wizards.pages.compare_charts import PLACES, CompareCharts
from wizards.pages.compare_head import CompareHead
from wizards.pages.compare_keys import PAGE_KEYS
from wizards.pages.compare_lists import CompareLists
from wizards.pages.compare_table import ChangesTable

_COMING = "Charts of both windows come with the first rows."
_CHOOSE = "Choose a row of the table: its chart of both windows is drawn here."
"""What stands in the place of the charts while there is none."""
_MORE = "Tick more there, or empty the search."
_OTHER_TIMES = "Choose a longer or another time for A or B on the left."
_UNDECIDED = "Show undecided"
"""What can be done where there is no row."""


def _nothing_differs(head: PageHead) -> str:
    """Why there is no change; what is undecided is never said to be the same."""
    if head.state == "ok":
        return "Nothing differs beyond the noise."
    if head.same > head.undecided:
        return "No difference is seen in so few samples."
    return "No difference is known; most is undecided." if head.same else "All is undecided."


class ComparePage(QWidget):
    """The page. ``table``, ``charts``, ``head`` and ``lists`` are joined by whoever makes it.

    Signals: ``charts_wanted`` with the rows whose charts are to be read; ``others_wanted`` with a verdict
    whose rows are to be read (``undecided``, ``same``); ``ticked`` with one that the page itself shows from
    now on; ``swapped``; ``again``; ``search_wanted``; ``act_wanted`` when the button of the empty page is
    pressed; ``appeared`` when the page is shown; ``copied`` with a message; ``save_wanted`` with a FileOffer.
    """

    charts_wanted = Signal(object)
    others_wanted = Signal(str)
    swapped = Signal()
    again = Signal()
    search_wanted = Signal()
    ticked = Signal(str)
    act_wanted = Signal()
    appeared = Signal()
    copied = Signal(str)
    save_wanted = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._page: ComparisonPage | None = None
        self._others: dict[str, Sequence[ComparedRow]] = {}
        self._asked: set[str] = set()
        self._filter = RowFilter()
        self._pinned: list[ComparedRow] = []
        self._drawn: Sequence[OverlayChart] = ()
        self.head = CompareHead(theme)
        self.charts = CompareCharts(theme)
        self.table = ChangesTable(theme)
        self.lists = CompareLists(theme, self.table)
        self.empty = EmptyState()
        self._keys = KeyHandlers(
            PAGE_KEYS,
            {
                "swap": lambda _key: self.swapped.emit(),
                "again": lambda _key: self.again.emit(),
                "search": lambda _key: self.search_wanted.emit(),
            },
        )
        self.setAccessibleName("Compare")
        self._arrange()
        self._connect()

    def _arrange(self) -> None:
        self._split = QSplitter(Qt.Orientation.Vertical)
        self._split.setChildrenCollapsible(False)
        self._split.addWidget(self.charts)
        self._split.addWidget(self.lists)
        self._split.setSizes([430, 570])
        self._split.setStretchFactor(0, 43)
        self._split.setStretchFactor(1, 57)
        body = QWidget()
        inner = QVBoxLayout(body)
        inner.setContentsMargins(16, 0, 16, 6)
        inner.addWidget(self._split)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.empty)
        self._stack.addWidget(body)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self.head)
        whole.addWidget(scrolling(self._stack), 1)
        self.setFocusProxy(self.table)

    def _connect(self) -> None:
        self.table.chosen.connect(lambda _row: self._ask_charts())
        self.table.pinned.connect(self.pin)
        self.charts.chosen.connect(self._choose)
        self.charts.pinned.connect(self.pin)
        self.charts.places_changed.connect(self._ask_charts)
        self.lists.more.clicked.connect(self._show_undecided)
        self.lists.none.wanted.connect(self._show_undecided)
        self.empty.wanted.connect(self.act_wanted)
        self.head.saved.connect(lambda: self.save_wanted.emit(table_file(self.table.table())))
        for one in (self.table, self.lists.settings, self.lists.gone):
            one.copied.connect(self.copied)
            one.save_wanted.connect(self.save_wanted)

    def show_nothing(self, reason: str, button: str = "") -> None:
        """Show why there is no comparison, and what helps."""
        self._page = None
        self.head.hide()
        self.empty.show_reason(reason, button)
        self._stack.setCurrentIndex(0)

    def show_progress(self, part: float, text: str) -> None:
        """Show how far the comparison is."""
        self.head.show()
        self.head.show_progress(part, text)
        if self._page is not None:
            self._page = None
            self._drawn = ()
            self.table.show_rows((), new=True)
        self.charts.show()
        self.charts.show_charts((), None, (), _COMING)
        self.lists.show_counts("", "", has_more=False)
        self._stack.setCurrentIndex(1)

    def show_failure(self, line: str, advice: str, button: str = "") -> None:
        """Show why two windows cannot be compared, and what helps: a button, or to compare them again."""
        self._page = None
        self.head.show()
        self.head.show_words(line, "", renew=not button)
        self.empty.show_reason(advice, button)
        self._stack.setCurrentIndex(0)

    def show_page(self, page: ComparisonPage, title: str, *, has_grown: bool) -> None:
        """Show a result."""
        self._page, self._others, self._asked = page, {}, set()
        self._pinned, self._drawn = _still_there(self._pinned, page.rows), ()
        self.table.title = title
        self.table.changes.mark_pinned(frozenset(one.rank for one in self._pinned))
        self.head.show()
        self.head.show_head(page.head, has_grown=has_grown)
        self._stack.setCurrentIndex(1)
        self._renew(new=True)

    def show_grown(self, *, on: bool) -> None:
        """Say that the session has grown since, or not."""
        if self._page is not None:
            self.head.show_head(self._page.head, has_grown=on)

    def show_others(self, verdict: str, rows: Sequence[ComparedRow]) -> None:
        """Take rows that are undecided or the same."""
        self._others[verdict] = rows
        self._renew()

    def show_charts(self, charts: Sequence[OverlayChart]) -> None:
        """Draw charts."""
        self._drawn = charts
        current = self.table.current
        pinned = {one.rank for one in self._pinned}
        self.charts.show_charts(charts, current.rank if current is not None else None, pinned)

    def set_filter(self, wanted: RowFilter) -> None:
        """Show these rows only."""
        self._filter = wanted
        for verdict in ("undecided", "same"):
            if verdict in wanted.judged and verdict not in self._asked and self._page is not None:
                self._asked.add(verdict)
                self.others_wanted.emit(verdict)
        self._renew()

    def _show_undecided(self) -> None:
        self.set_filter(replace(self._filter, judged=self._filter.judged | {"undecided"}))
        self.ticked.emit("undecided")

    def pin(self, row: ComparedRow) -> None:
        """Pin the chart of a row, or let it go; of four that are pinned the first one goes."""
        if any(one.rank == row.rank for one in self._pinned):
            self._pinned = [one for one in self._pinned if one.rank != row.rank]
        else:
            self._pinned = [*self._pinned, row][-PLACES:]
        self.table.changes.mark_pinned(frozenset(one.rank for one in self._pinned))
        self._ask_charts()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """Tell that the page is seen."""
        super().showEvent(event)
        self.appeared.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Handle the keys of the page."""
        if not self._keys.press(event):
            super().keyPressEvent(event)

    def _choose(self, row: ComparedRow) -> None:
        rows = [one.rank for one in self.table.changes.rows]
        if row.rank in rows:
            self.table.selectRow(rows.index(row.rank))

    def _rows(self) -> list[ComparedRow]:
        if self._page is None:
            return []
        every = [*self._page.rows, *self._others.get("undecided", ()), *self._others.get("same", ())]
        return [one for one in every if self._filter.has(one)]

    def _renew(self, *, new: bool = False) -> None:
        if self._page is None:
            return
        rows, head, changed = self._rows(), self._page.head, self._page.total
        self.table.show_rows(rows, new=new)
        nothing = "No row fits what is chosen on the left." if changed else _nothing_differs(head)
        has_more = "undecided" not in self._filter.judged and head.undecided > 0
        advice = _MORE if changed else _OTHER_TIMES
        self.lists.show_none("" if rows else f"{nothing} {advice}", _UNDECIDED if has_more else "")
        self.charts.setVisible(bool(rows))
        alike = changed - len(self._page.rows)
        parts = [f"{format_count(alike)} more with the very same numbers"] * bool(alike > 0)
        parts += [f"{format_count(head.undecided)} undecided", f"~ {format_count(head.same)} the same"]
        count = rows_label(len(rows))
        self.lists.show_counts(count, " · ".join(parts), has_more=has_more and bool(rows))
        self._ask_charts()

    def _ask_charts(self) -> None:
        if self._page is None:
            return
        self.lists.show_row(self.table.current)
        wanted = charted(self._page.rows, self.table.current, self._pinned, self.charts.places)
        wanted = wanted[:PLACES]
        if wanted and [one.row.rank for one in self._drawn] == [one.rank for one in wanted]:
            self.show_charts(self._drawn)
        elif wanted:
            if not self._drawn:
                self.charts.show_charts((), None, (), _COMING)
            self.charts_wanted.emit(wanted)
        else:
            self._drawn = ()
            self.charts.show_charts((), None, (), _CHOOSE)


def _still_there(pinned: Sequence[ComparedRow], rows: Sequence[ComparedRow]) -> list[ComparedRow]:
    """The rows of another result that are of what was pinned."""
    if not pinned:
        return []
    found = {(one.entity, one.counter_key, one.name): one for one in reversed(rows)}
    wanted = [found.get((one.entity, one.counter_key, one.name)) for one in pinned]
    return [one for one in wanted if one is not None]
