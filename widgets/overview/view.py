"""The overview page: worst findings, four small charts, who does most, what changed lately."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from sessions.findings import Finding
from sessions.model import EntityRef
from sessions.times import TimeRange
from widgets.charts.card import ChartCard, NamedCurve
from widgets.charts.spec import ChartSpec
from widgets.foreign_text import shown
from widgets.theme import SYMBOLS, Health, Theme

Clock = Callable[[int], datetime]
_FINDINGS = 4
_LINES = 6
_CHART_HEIGHT = 184


@dataclass(frozen=True, slots=True)
class Line:
    """An entity and its number, or a moment and what happened."""

    name: str
    value: str
    state: Health = "none"
    ref: EntityRef | None = None


@dataclass(frozen=True, slots=True)
class TalkerList:
    """A titled list of lines."""

    title: str
    lines: Sequence[Line] = field(default=())


class OverviewView(QScrollArea):
    """Signals: ``wanted(Finding)``, ``chosen(EntityRef)``, from charts ``windowed(TimeRange, passing)``."""

    wanted = Signal(object)
    chosen = Signal(object)
    windowed = Signal(object, bool)

    def __init__(self, theme: Theme, clock: Clock, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._clock = theme, clock
        self._cards: list[ChartCard] = []
        self._talkers: list[QFrame] = []
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("Overview")
        body = QWidget()
        self._column = QVBoxLayout(body)
        self._column.setContentsMargins(10, 8, 10, 10)
        self._column.setSpacing(8)
        self._findings = _section("WORST FINDINGS")
        self._charts = QGridLayout()
        self._charts.setSpacing(8)
        self._lists = QGridLayout()
        self._lists.setSpacing(8)
        self._changes = _section("LATELY")
        self._column.addWidget(self._findings)
        self._column.addLayout(self._charts)
        self._column.addLayout(self._lists)
        self._column.addWidget(self._changes)
        self._column.addStretch(1)
        self.setWidget(body)

    def set_clock(self, clock: Clock) -> None:
        """Show another clock."""
        self._clock = clock
        for card in self._cards:
            card.plot.time_axis.set_clock(clock)

    def show_findings(self, findings: Sequence[Finding], note: str) -> None:
        """The worst causes, each a line that can be clicked; ``note`` where there is none."""
        roots = [finding for finding in findings if finding.consequence_of is None][:_FINDINGS]
        rows: list[QWidget] = []
        for finding in roots:
            row = _Clickable()
            symbol = QLabel(SYMBOLS[finding.severity])
            symbol.setStyleSheet(f"color: {self._theme.tokens.health(finding.severity)}")
            words = QLabel(shown(finding.conclusion, 400), textFormat=Qt.TextFormat.PlainText, wordWrap=True)
            words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
            row.add(symbol, 0)
            row.add(words, 1)
            row.setAccessibleName(shown(finding.conclusion))
            row.clicked.connect(lambda finding=finding: self.wanted.emit(finding))
            rows.append(row)
        if not rows:
            rows.append(_muted(note))
        _fill(self._findings, rows)
        self._order_focus()

    def show_charts(
        self, charts: Sequence[tuple[ChartSpec, Sequence[NamedCurve]]], window: TimeRange
    ) -> None:
        """Two charts in a row."""
        while len(self._cards) > len(charts):
            gone = self._cards.pop()
            self._charts.removeWidget(gone)
            gone.hide()
            gone.deleteLater()
        while len(self._cards) < len(charts):
            number = len(self._cards)
            card = ChartCard(self._theme, self._clock)
            card.setFixedHeight(_CHART_HEIGHT)
            card.can_close(on=False)
            card.plot.windowed.connect(self._ask)
            card.plot.hovered.connect(self._cross)
            self._charts.addWidget(card, number // 2, number % 2)
            self._cards.append(card)
        for card, (spec, curves) in zip(self._cards, charts, strict=True):
            card.plot.set_window(window.start, window.end)
            card.show_chart(spec, curves)
        self._order_focus()

    def show_lists(self, lists: Sequence[TalkerList]) -> None:
        """Who has most, four lists side by side."""
        self._talkers.clear()
        while self._lists.count():
            item = self._lists.takeAt(0)
            widget = item.widget() if item is not None else None
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        for number, one in enumerate(lists):
            section = _section(one.title.upper())
            _fill(section, [self._line(line) for line in one.lines[:_LINES]] or [_muted("No numbers.")])
            self._lists.addWidget(section, number // 2, number % 2)
            self._talkers.append(section)
        self._order_focus()

    def show_changes(self, lines: Sequence[Line]) -> None:
        """Events and marks, the newest first."""
        rows = [self._line(line) for line in lines[:_LINES]]
        _fill(self._changes, rows or [_muted("No event was recorded in this window.")])
        self._order_focus()

    def _order_focus(self) -> None:
        """Tab goes from top to bottom, whatever was made when."""
        last: QWidget = self
        for section in (self._findings, None, *self._talkers, self._changes):
            if section is None:
                for card in self._cards:
                    last = card.focus_after(last)
                continue
            for row in section.findChildren(_Clickable):
                self.setTabOrder(last, row)
                last = row

    def _line(self, line: Line) -> QWidget:
        row = _Clickable()
        if line.state != "none":
            symbol = QLabel(SYMBOLS[line.state])
            symbol.setStyleSheet(f"color: {self._theme.tokens.health(line.state)}; font-size: 10px")
            row.add(symbol, 0)
        name = QLabel(shown(line.name), textFormat=Qt.TextFormat.PlainText)
        name.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        value = QLabel(shown(line.value), textFormat=Qt.TextFormat.PlainText)
        value.setProperty("role", "muted")
        row.add(name, 1)
        row.add(value, 0)
        row.setAccessibleName(f"{shown(line.name)} {shown(line.value)}")
        if line.ref is not None:
            row.clicked.connect(lambda: self.chosen.emit(line.ref))
        return row

    def _ask(self, start: float, end: float, passing: bool) -> None:
        self.windowed.emit(TimeRange(round(start), max(round(end), round(start) + 1000)), passing)

    def _cross(self, when: float) -> None:
        for card in self._cards:
            card.plot.show_cross(when)
            card.show_values(when)


class _Clickable(QPushButton):
    """A row that is a flat button: mouse, keyboard and screen readers know it."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "row")
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(6, 3, 6, 3)
        self._row.setSpacing(8)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self.setMinimumHeight(26)

    def add(self, widget: QWidget, stretch: int) -> None:
        """Put something on the row; clicks go through it to the row."""
        widget.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._row.addWidget(widget, stretch)


def _section(title: str) -> QFrame:
    frame = QFrame()
    frame.setProperty("role", "chart")
    column = QVBoxLayout(frame)
    column.setContentsMargins(8, 8, 8, 8)
    column.setSpacing(0)
    head = QLabel(title)
    head.setProperty("role", "pane-title")
    head.setContentsMargins(6, 0, 0, 4)
    column.addWidget(head)
    return frame


def _fill(section: QFrame, rows: Sequence[QWidget]) -> None:
    column = section.layout()
    assert column is not None
    while column.count() > 1:
        item = column.takeAt(1)
        widget = item.widget() if item is not None else None
        if widget is not None:
            widget.hide()
            widget.deleteLater()
    for row in rows:
        column.addWidget(row)


def _muted(text: str) -> QLabel:
    label = QLabel(text, wordWrap=True)
    label.setProperty("role", "muted")
    label.setContentsMargins(6, 2, 6, 2)
    return label
