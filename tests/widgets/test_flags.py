"""Marks and events say their words in the chart: within its edges, whole under the pointer."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from pytestqt.qtbot import QtBot

from sessions.model import Event, Mark
from viewmodels.axis_events import Track
from viewmodels.curve import Curve
from viewmodels.time_labels import UTC_CLOCK
from widgets.charts.curves_item import Drawn
from widgets.charts.flags import FLAGS_PX
from widgets.charts.plot import Plot
from widgets.theme import Theme

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
T0, HOUR = 1_700_000_000_000, 3_600_000
LONG = "the accounting department says that everything has been slow since the backup began to run"


@pytest.fixture
def plot(qtbot: QtBot, theme: Theme) -> Plot:
    """An hour of a curve whose highest value is 1."""
    plot = Plot(theme, UTC_CLOCK)
    qtbot.addWidget(plot)
    plot.resize(800, 240)
    plot.show()
    times = T0 + np.arange(720, dtype=np.int64) * 5_000
    plot.set_curves([Drawn(Curve(times, np.sin(np.arange(720.0))), "#56b4e9")], (), ())
    plot.set_window(T0, T0 + HOUR)
    qtbot.waitUntil(lambda: plot.drawing.area.width() > 600)
    return plot


def label(plot: Plot, part: float, beside: float) -> str:
    """What is said at the top of the plot, so much of its width from the left and so many pixels beside."""
    area = plot.drawing.area
    return plot.drawing.label_at(QPointF(area.left() + part * area.width() + beside, area.top() + 10))


@pytest.mark.parametrize(("part", "beside"), [(0.5, 40), (0.0, 40), (1.0, -40)])
def test_the_words_beside_a_line_are_whole_under_the_pointer(
    plot: Plot, qtbot: QtBot, part: float, beside: float
) -> None:
    at = T0 + round(part * HOUR)
    plot.set_events(Track([Event(at, "task", LONG)]), Track())
    plot.grab()
    assert LONG in label(plot, part, beside)
    assert label(plot, part, beside * 6) == ""
    plot.set_events(Track(), Track([Mark(at, "users call")]))
    plot.grab()
    assert label(plot, part, beside).endswith("users call")


def test_the_curve_leaves_room_for_the_words(plot: Plot, qtbot: QtBot) -> None:
    """In a small chart that is a large part of its height."""
    plot.resize(800, 120)
    qtbot.waitUntil(lambda: plot.drawing.area.height() < 100)
    plot.set_events(Track(), Track([Mark(T0 + 60_000, "users call")]))
    drawing = plot.drawing
    low, high = drawing.scale.values
    top_of_curve = drawing.area.top() + (high - 1.0) / (high - low) * drawing.area.height()
    assert top_of_curve >= drawing.area.top() + FLAGS_PX - 1
    plot.set_window(T0 + 120_000, T0 + HOUR)  # no words there
    assert drawing.scale.values[1] < high


def test_ten_thousand_events_are_drawn_and_some_say_what_they_are(plot: Plot) -> None:
    events = [Event(T0 + number * 360, "task", f"task {number}") for number in range(10_000)]
    plot.set_events(Track(events), Track())
    plot.grab()
    said = {label(plot, part / 40, 3) for part in range(40)}
    assert len(said - {""}) > 3
