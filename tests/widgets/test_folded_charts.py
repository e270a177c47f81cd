"""A chart of settings that do not change is a line that unfolds; one without samples says why."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from sessions.times import TimeRange
from viewmodels.chart_spec import ChartSpec
from viewmodels.curve import Curve, NamedCurve
from viewmodels.time_labels import UTC_CLOCK
from widgets.charts.card import ChartCard
from widgets.charts.stack import ChartStack
from widgets.overview.view import OverviewView
from widgets.theme import Theme

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
TIMES = np.arange(10, dtype=np.int64) * 1_000
LINE = "Configured memory · web: 16 GB, unchanged"
SIZE = ChartSpec("Configured memory", "MB", (1,), line=LINE)
READY = ChartSpec("CPU ready", "%", (2,))


def curve(number: int) -> list[NamedCurve]:
    return [NamedCurve("a", "MB", Curve(TIMES, np.ones(10)), series=number)]


@pytest.fixture
def stack(qtbot: QtBot, theme: Theme) -> ChartStack:
    """A chart that is a line, above another one."""
    stack = ChartStack(theme, UTC_CLOCK)
    qtbot.addWidget(stack)
    stack.show_window(TimeRange(0, 9_000))
    stack.show_charts([(SIZE, curve(1)), (READY, curve(2))])
    stack.resize(600, 500)
    stack.show()
    qtbot.waitUntil(stack.cards[1].plot.isVisible)
    return stack


def entry(card: ChartCard, text: str) -> None:
    [found] = [one for one in card.menu.entries() if one is not None and one.text == text]
    found.act()


def test_a_line_unfolds_to_its_chart_and_stays_so(stack: ChartStack, qtbot: QtBot) -> None:
    card = stack.cards[0]
    assert card.line.isVisible()
    assert LINE in card.line.accessibleName()
    assert not card.plot.isVisible()
    assert card.height() < 40
    card.line.setFocus()
    qtbot.keyClick(card.line, Qt.Key.Key_Space)
    assert card.plot.isVisible()
    assert card.plot.hasFocus()
    assert not card.line.isVisible()
    qtbot.waitUntil(lambda: card.height() >= 160)
    stack.show_charts([(SIZE, curve(1)), (READY, curve(2))])
    assert card.plot.isVisible(), "what arrives does not fold it"
    entry(card, "Show as a line")
    assert card.line.isVisible()
    qtbot.waitUntil(lambda: card.height() < 40)
    entry(card, "Show as a chart")
    assert card.plot.isVisible()


def test_it_becomes_a_chart_when_the_value_changes(stack: ChartStack) -> None:
    card = stack.cards[0]
    stack.show_charts([(ChartSpec("Configured memory", "MB", (1,)), curve(1)), (READY, curve(2))])
    assert card.plot.isVisible()
    assert not card.line.isVisible()
    stack.show_charts([(READY, curve(2)), (SIZE, curve(1))])
    assert not stack.cards[0].is_folded
    assert stack.cards[1].is_folded


def test_a_window_without_samples_says_so_in_the_plot(stack: ChartStack) -> None:
    stack.show_window(TimeRange(20_000, 30_000))
    stack.show_charts([(READY, curve(2))])
    card = stack.cards[0]
    said = [label.text() for label in card.plot.findChildren(QLabel) if label.isVisible() and label.text()]
    assert said == [
        "No samples in this window.\nThe last one was at 1970-01-01 00:00:09 UTC, 11 s before it."
    ]


def test_the_charts_of_the_overview_stay_small_on_a_high_page(qtbot: QtBot, theme: Theme) -> None:
    view = OverviewView(theme, UTC_CLOCK)
    qtbot.addWidget(view)
    view.resize(760, 3_000)
    view.show()
    view.show_charts([(READY, curve(2))] * 4, TimeRange(0, 9_000))
    qtbot.waitUntil(lambda: len(view.findChildren(ChartCard)) == 4)
    view.show_charts([(READY, curve(2))] * 4, TimeRange(0, 9_000))
    qtbot.wait(50)
    assert {card.height() for card in view.findChildren(ChartCard)} == {184}
