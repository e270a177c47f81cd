"""The overview page: worst findings, four small charts, top lists, latest changes."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from sessions.findings import Finding
from sessions.model import EntityRef
from sessions.times import TimeRange
from viewmodels.chart_spec import ChartSpec
from viewmodels.curve import NamedCurve
from viewmodels.overview import (
    MAX_LINES,
    OverviewLine,
    TopList,
    further_findings,
    lines_in_place,
    worst_findings,
)
from viewmodels.time_labels import Clock
from viewmodels.verdict_words import VerdictWords
from widgets.charts.card import ChartCard
from widgets.charts.crosshair import Crosshair
from widgets.context_menu import NO_MORE, Entries
from widgets.overview.section import Section
from widgets.theme import Theme

_CHART_HEIGHT = 184
_TWO_COLUMNS = 590


class OverviewView(QScrollArea):
    """The page.

    Signals: ``wanted(Finding)``; ``chosen(EntityRef)``; from charts ``windowed(TimeRange, passing)``,
    ``pinned`` with the moment to pin (None: let go), ``unzoomed``, ``opened(ChartSpec)``,
    ``explain_wanted`` with ids of series, ``copied`` with a message; ``appeared`` when the page becomes
    visible. ``crosshair`` shows hover and pinned moment.
    """

    wanted = Signal(object)
    chosen = Signal(object)
    windowed = Signal(object, bool)
    pinned = Signal(object)
    unzoomed = Signal()
    opened = Signal(object)
    copied = Signal(str)
    explain_wanted = Signal(object)
    saved = Signal(object)
    appeared = Signal()

    def __init__(self, theme: Theme, clock: Clock, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._clock = theme, clock
        self.more = NO_MORE
        self._cards: list[ChartCard] = []
        self._talkers: list[Section] = []
        self.crosshair = Crosshair(lambda: self._cards, self)
        self.crosshair.pinned.connect(self.pinned)
        self._across = 2
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("Overview")
        body = QWidget()
        self._column = QVBoxLayout(body)
        self._column.setContentsMargins(10, 8, 10, 10)
        self._column.setSpacing(8)
        self._findings = Section(theme, "WORST FINDINGS", wrapped=True)
        self._let_leave(self._findings)
        self._findings.picked.connect(lambda number: self.wanted.emit(self._shown_findings[number]))
        self._shown_findings: Sequence[Finding] = ()
        self._charts = QGridLayout()
        self._charts.setSpacing(8)
        self._lists = QGridLayout()
        self._lists.setSpacing(8)
        self._changes = Section(theme, _lately(clock, None))
        self._changes.hide()  # until the charts above it are there, or it would jump down
        self._let_leave(self._changes)
        self._changes.picked.connect(lambda number: self._choose(self._changes, number))
        self._column.addWidget(self._findings)
        self._column.addLayout(self._charts)
        self._column.addLayout(self._lists)
        self._column.addWidget(self._changes)
        self._column.addStretch(1)
        self.setWidget(body)

    def _let_leave(self, section: Section) -> None:
        section.more = self._more_of
        section.copied.connect(self.copied)
        section.save_wanted.connect(self.saved)

    def _more_of(self, refs: Sequence[EntityRef]) -> Entries:
        return self.more(refs)

    def set_clock(self, clock: Clock) -> None:
        """Show times in another time zone."""
        self._clock = clock
        for card in self._cards:
            card.set_clock(clock)

    def clear(self) -> None:
        """Remove all charts and lists; what happened lately is hidden until it is shown again."""
        self.show_charts((), TimeRange(0, 1))
        self.show_lists(())
        self.show_changes(())
        self._changes.hide()

    def show_findings(self, findings: Sequence[Finding], words: VerdictWords | None) -> None:
        """Show the worst findings, each a line that can be clicked, and below them what was judged."""
        worst = worst_findings(findings)
        self._shown_findings = [finding for finding, _ in worst]
        self._findings.show_lines([line for _, line in worst], "")
        self._findings.show_verdict(words, further_findings(findings))
        self._order_focus()

    @property
    def verdict_text(self) -> str:
        """What the page says of what was judged."""
        return self._findings.verdict_text

    def show_charts(
        self, charts: Sequence[tuple[ChartSpec, Sequence[NamedCurve]]], window: TimeRange
    ) -> None:
        """Show the charts, two in a row, over ``window``."""
        while len(self._cards) > len(charts):
            gone = self._cards.pop()
            self._charts.removeWidget(gone)
            gone.hide()
            gone.deleteLater()
        while len(self._cards) < len(charts):
            number = len(self._cards)
            card = ChartCard(self._theme, self._clock)
            card.setFixedHeight(_CHART_HEIGHT)
            card.become_summary()
            card.opened.connect(lambda card=card: self.opened.emit(card.spec))
            card.copied.connect(self.copied)
            card.explain_wanted.connect(lambda card=card: self.explain_wanted.emit(card.spec.series))
            card.saved.connect(self.saved)
            card.plot.unzoomed.connect(self.unzoomed)
            card.plot.windowed.connect(self._ask)
            self.crosshair.join(card)
            self._cards.append(card)
            self._place(self._charts, card, number)
        for card, (spec, curves) in zip(self._cards, charts, strict=True):
            card.plot.set_window(window.start, window.end)
            card.show_chart(spec, curves)
            self.crosshair.renew(card)
        self._order_focus()

    def show_window(self, window: TimeRange) -> None:
        """Show another window of time in the charts."""
        for card in self._cards:
            card.plot.set_window(window.start, window.end)
            self.crosshair.renew(card)

    def show_lists(self, lists: Sequence[TopList]) -> None:
        """Show the top lists side by side."""
        while len(self._talkers) > len(lists):
            gone = self._talkers.pop()
            self._lists.removeWidget(gone)
            gone.hide()
            gone.deleteLater()
        while len(self._talkers) < len(lists):
            number = len(self._talkers)
            section = Section(self._theme)
            self._let_leave(section)
            section.picked.connect(lambda number, section=section: self._choose(section, number))
            self._talkers.append(section)
            self._place(self._lists, section, number)
        for section, one in zip(self._talkers, lists, strict=True):
            section.set_title(one.title.upper())
            held = (
                lines_in_place([row.line for row in section.rows], one.lines)
                if _is_looked_at(section)
                else ()
            )
            section.show_lines(held or one.lines[:MAX_LINES], "No numbers.")
        self._order_focus()

    def show_changes(self, lines: Sequence[OverviewLine], window: TimeRange | None = None) -> None:
        """Show events and marks of a window, the newest first."""
        self._changes.set_title(_lately(self._clock, window))
        self._changes.show_lines(lines[:MAX_LINES], "No event was recorded in this window.")
        self._changes.show()
        self._order_focus()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """Emit ``appeared``."""
        super().showEvent(event)
        self.appeared.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Put charts and lists below each other if two do not fit side by side."""
        super().resizeEvent(event)
        across = 2 if self.viewport().width() >= _TWO_COLUMNS else 1
        if across == self._across:
            return
        self._across = across
        for grid, widgets in ((self._charts, self._cards), (self._lists, self._talkers)):
            for number, widget in enumerate(widgets):
                grid.removeWidget(widget)
                self._place(grid, widget, number)

    def _place(self, grid: QGridLayout, widget: QWidget, number: int) -> None:
        grid.addWidget(widget, number // self._across, number % self._across)

    def _order_focus(self) -> None:
        """Set the Tab order from top to bottom, independent of when widgets were created."""
        last: QWidget = self
        for section in (self._findings, None, *self._talkers, self._changes):
            if section is None:
                for card in self._cards:
                    last = card.focus_after(last)
                continue
            for row in section.rows:
                self.setTabOrder(last, row)
                last = row

    def _choose(self, section: Section, number: int) -> None:
        ref = section.rows[number].line.ref
        if ref is not None:
            self.chosen.emit(ref)

    def _ask(self, start: float, end: float, passing: bool) -> None:
        self.windowed.emit(TimeRange(round(start), max(round(end), round(start) + 1000)), passing)


def _lately(clock: Clock, window: TimeRange | None) -> str:
    """Return the title of the list of changes, which tells the zone of its times."""
    return f"LATELY · TIMES IN {clock.zone_of(window)}" if window is not None else "LATELY"


def _is_looked_at(section: Section) -> bool:
    """True if the pointer is over the list, or the keyboard focus in it: its rows must not move."""
    return section.underMouse() or any(row.hasFocus() for row in section.rows)
