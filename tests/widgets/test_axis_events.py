"""Events and marks on a time axis: where they are, what is near, and what is said of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QPoint
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from sessions.model import Event, Mark
from sessions.times import TimeRange
from viewmodels.axis_events import Track, event_label
from viewmodels.time_labels import UTC_CLOCK
from viewmodels.timeline import TimelineContent
from widgets.charts.plot import Plot
from widgets.theme import Theme
from widgets.timeline import TimelineView
from widgets.timeline import geometry as at
from widgets.timeline.geometry import Scale

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
T0 = 1_790_000_000_000  # 14:13:20 UTC
HOUR = TimeRange(T0, T0 + 3_600_000)
MINUTE = 60_000


def task(start: float, minutes: float, text: str = "backup", by: str = "") -> Event:
    begin = T0 + round(start * MINUTE)
    return Event(begin, "backup", text, None, begin + round(minutes * MINUTE), "", by)


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (Event(T0, "vmotion", "moved"), "14:13:20 UTC · moved"),
        (Event(T0, "vmotion", "moved", by="LAB\\alice"), "14:13:20 UTC · moved, by LAB\\alice"),
        (task(0, 0), "14:13:20 UTC · backup"),
        (task(0, 0.7, by="a\u202eb"), "14:13:20 – 14:14:02 UTC (42 s) · backup, by a\ufffdb"),
        (task(0, 600), "21 Sep 14:13:20 – 22 Sep 00:13:20 UTC (10 h) · backup"),
        (Mark(T0, "I did\nit"), "14:13:20 UTC · I did it"),
    ],
)
def test_words(one: Event | Mark, said: str) -> None:
    assert event_label(one, UTC_CLOCK) == said


def test_where_they_are() -> None:
    track = Track([task(30, 6), Event(T0, "a", "x"), task(-20, 30), task(33, 9), task(50, 0.01), task(90, 5)])
    assert [(x, one.at - T0) for x, one in track.ticks(HOUR, 100, 700)] == [
        (100, 0),
        (400, 30 * MINUTE),
        (430, 33 * MINUTE),
        (600, 50 * MINUTE),
    ]
    assert track.bars(HOUR, 100, 700, 3) == [(100, 200), (400, 520), (600, 603)]
    assert Track[Event]().bars(HOUR, 100, 700, 3) == []
    assert Track[Event]().ticks(HOUR, 100, 700) == []


def test_what_is_near_the_shortest_first() -> None:
    long, short, moment = task(-60, 600), task(20, 2), Event(T0 + 21 * MINUTE, "a", "x")
    track = Track([long, short, moment])
    near = TimeRange(T0 + 21 * MINUTE, T0 + 21 * MINUTE + 1)
    assert track.near(near, 8) == [moment, short, long]
    assert track.near(near, 2) == [moment, short]
    assert track.near(TimeRange(T0, T0), 8) == [long]


@given(st.lists(st.tuples(st.integers(-100, 100), st.integers(0, 50)), max_size=30))
def test_bars_cover_what_lasts(spans: list[tuple[int, int]]) -> None:
    track = Track([Event(start, "a", "x", None, start + length) for start, length in spans])
    bars = track.bars(TimeRange(0, 60), 0, 60, 0.5)
    assert all(end >= begin + 0.5 - 1e-9 for begin, end in bars)
    assert all(left[1] < right[0] for left, right in pairwise(bars))
    for t in range(61):
        lasts = any(length and start <= t <= start + length for start, length in spans)
        assert lasts <= any(begin - 1e-9 <= t <= end + 1e-9 for begin, end in bars)


def tip_at(qtbot: QtBot, widget: QWidget, place: QPoint) -> str:
    QToolTip.hideText()
    qtbot.waitUntil(lambda: not QToolTip.isVisible())
    event = QHelpEvent(QEvent.Type.ToolTip, place, widget.mapToGlobal(place))
    QApplication.sendEvent(widget, event)
    return QToolTip.text()


def strip(
    qtbot: QtBot, theme: Theme, events: Sequence[Event], marks: Sequence[Mark] = ()
) -> tuple[TimelineView, Scale]:
    view = TimelineView(theme, UTC_CLOCK)
    qtbot.addWidget(view)
    view.resize(900, view.sizeHint().height())
    view.show_content(TimelineContent(span=HOUR, events=events, marks=marks))
    view.show_window(HOUR)
    view.show()
    qtbot.waitExposed(view)
    view.grab()
    return view, Scale(HOUR, view.width())


def test_the_timeline_draws_spans_as_long_as_they_lasted(qtbot: QtBot, theme: Theme) -> None:
    view, scale = strip(qtbot, theme, [task(20, 20), task(50, 0.01)])
    row = at.SPANS_TOP + 1
    image = view.grab().toImage()
    shade = theme.tokens.muted.lower()
    drawn = [x for x in range(at.GUTTER, view.width()) if image.pixelColor(x, row).name() == shade]
    begin, end = scale.x(T0 + 20 * MINUTE), scale.x(T0 + 40 * MINUTE)
    assert sum(begin + 2 <= x < end - 1 for x in drawn) >= end - begin - 4
    assert len([x for x in drawn if x > end + 5]) in (2, 3)  # as wide as can be seen
    assert not [x for x in drawn if x < begin - 1]


def test_the_timelines_tooltip(qtbot: QtBot, theme: Theme) -> None:
    events = [task(20, 20, "Backup of <b>db01", "svc"), *(task(30, 0, f"{n}") for n in range(20))]
    view, scale = strip(qtbot, theme, events, [Mark(T0 + 10 * MINUTE, "here")])
    middle = at.EVENTS_TOP + 8

    def tip(minute: float) -> str:
        return tip_at(qtbot, view, QPoint(round(scale.x(T0 + minute * MINUTE)), at.SPANS_TOP))

    assert "14:33:20 – 14:53:20 UTC (20 min) · Backup of &lt;b&gt;db01, by svc" in tip(36)
    assert tip(30).count("<br>") == 7
    assert "here" in tip(10)
    assert tip(45) == "" or "backup" not in tip(45).lower()
    words_of = QPoint(round(scale.x(T0 + 20 * MINUTE)) + 30, middle)
    assert "Backup of" in tip_at(qtbot, view, words_of)


def test_a_hundred_thousand_events_on_the_timeline(qtbot: QtBot, theme: Theme) -> None:
    events = [Event(T0 + n * 36, "task", f"task {n}", None, T0 + n * 36 + n % 5000) for n in range(100_000)]
    view, scale = strip(qtbot, theme, events)
    assert "task" in tip_at(qtbot, view, QPoint(round(scale.x(T0 + 30 * MINUTE)), at.SPANS_TOP))


def test_the_charts_tooltip(qtbot: QtBot, theme: Theme) -> None:
    plot = Plot(theme, UTC_CLOCK)
    qtbot.addWidget(plot)
    plot.resize(700, 200)
    plot.set_window(HOUR.start, HOUR.end)
    plot.set_events(
        Track([task(20, 20, "Backup", "svc"), Event(T0 + 10 * MINUTE, "vmotion", "moved")]),
        Track([Mark(T0 + 50 * MINUTE, "here")]),
    )
    plot.show()
    qtbot.waitExposed(plot)
    area = plot.drawing.area

    def tip(minute: float, row: float) -> str:
        place = QPoint(round(area.left() + minute / 60 * area.width()), round(area.top() + row))
        return tip_at(qtbot, plot.viewport(), place)

    assert "14:23:20 UTC · moved" in tip(10, 60)
    assert "14:33:20 – 14:53:20 UTC (20 min) · Backup, by svc" in tip(20, 60)
    assert "Backup" in tip(35, 1), "its bar at the top"
    assert "here" in tip(50, 60)
    tip(35, 60)
    qtbot.waitUntil(lambda: QToolTip.text() == "")  # Qt hides the last one after a while
