"""A stack of charts: what is asked of a chart that has gone meanwhile is asked of nobody."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from viewmodels.chart_spec import ChartSpec
from viewmodels.curve import Curve, NamedCurve
from viewmodels.time_labels import UTC_CLOCK
from widgets.charts.card import ChartCard
from widgets.charts.stack import ChartStack
from widgets.dragging import pack_series
from widgets.theme import Theme

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


def test_a_drop_on_a_chart_that_has_gone_is_nothing(qtbot: QtBot, theme: Theme) -> None:
    stack = ChartStack(theme, UTC_CLOCK)
    qtbot.addWidget(stack)
    curve = NamedCurve("web01", "%", Curve(np.arange(3) * 5000 + 1_700_000_000_000, np.arange(3.0)))
    both = [(ChartSpec(title, "%", (number,)), [curve]) for number, title in enumerate(("Ready", "Used"), 1)]
    stack.show_charts(both)
    cards, dropped, closed = list(stack.cards), list[int](), list[int]()
    stack.dropped.connect(lambda number, _data: dropped.append(number))
    stack.closed.connect(closed.append)
    data = bytes(pack_series([7]).data("application/x-hyperscope-series").data())
    cards[1].dropped.emit(data)
    assert dropped == [1]
    stack.show_charts(both[:1])
    cards[1].dropped.emit(data)
    cards[1].closed.emit()
    assert (dropped, closed) == ([1], [])


def test_a_summary_keeps_the_height_that_its_owner_gave_it(qtbot: QtBot, theme: Theme) -> None:
    """The overview's four charts fit one screen."""
    page = QWidget()
    qtbot.addWidget(page)
    card = ChartCard(theme, UTC_CLOCK)
    card.setFixedHeight(184)
    card.become_summary()
    QVBoxLayout(page).addWidget(card)
    page.resize(500, 900)
    page.show()
    curve = Curve(np.arange(3) * 5000 + 1_700_000_000_000, np.arange(3.0))
    card.show_chart(ChartSpec("Used", "%", (1,)), [NamedCurve(f"esx{n:02}", "%", curve) for n in range(6)])
    QApplication.processEvents()
    assert card.height() == 184
    assert card.plot.height() > 60
