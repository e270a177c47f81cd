"""The timeline's load: how much it is at its highest, and under the mouse."""

from __future__ import annotations

import math

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from sessions.model import Event, Mark
from sessions.times import TimeRange
from viewmodels.time_labels import UTC_CLOCK
from viewmodels.timeline import Load, TimelineContent
from widgets.theme import Theme
from widgets.timeline import TimelineView
from widgets.timeline import geometry as at
from widgets.timeline.geometry import Scale
from widgets.timeline.moments import labels

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
T0 = 1_790_000_000_000
SPAN = TimeRange(T0, T0 + 3_600_000)
LOAD = Load(
    "Processor utilisation", "%", T0 + np.arange(4.0) * 1_200_000, np.array([10.0, np.nan, 43.2, 20.0])
)


def test_it_says_how_much_it_is() -> None:
    assert LOAD.top == 43.2
    assert LOAD.near(T0 + 2_500_000) == 43.2
    assert math.isnan(LOAD.near(T0 + 1_300_000))
    assert math.isnan(Load().top)
    assert math.isnan(Load().near(T0))


def test_a_tooltip_has_the_value(theme: Theme, qtbot: QtBot) -> None:
    view = TimelineView(theme, UTC_CLOCK)
    qtbot.addWidget(view)
    view.resize(900, 140)
    view.show_content(TimelineContent(SPAN, LOAD))
    x = Scale(SPAN, view.width()).x(T0 + 2_400_000)
    there = view.pointing
    assert there is not None
    assert (
        there.tooltip_at(QPointF(x, at.LOAD_TOP + 5)) == "21 Sep 14:53:20 UTC\nProcessor utilisation 43.2 %"
    )
    assert there.tooltip_at(QPointF(x, view.height() - 5)) == "21 Sep 14:53:20 UTC"


def test_words_at_the_end_stand_before_their_line() -> None:
    scale = Scale(SPAN, 900)
    middle, last = Mark(T0 + 1_800_000, "users call"), Mark(SPAN.end, "limit removed")
    near = Event(SPAN.end - 60_000, "power", "db01 was powered on")
    found = {label.of: label for label in labels([middle, last], [near], scale, lambda text: 7.0 * len(text))}
    assert found[middle].left > scale.x(middle.at)
    assert found[last].right < scale.x(last.at)
    assert near not in found  # there is no room for it on either side
    wide = Mark(T0, "w" * 40)
    assert list(labels([wide], [], scale, lambda text: 20.0 * len(text))) == []


def test_a_mark_far_outside_of_the_session_can_be_edited(theme: Theme, qtbot: QtBot) -> None:
    view = TimelineView(theme, UTC_CLOCK)
    qtbot.addWidget(view)
    view.resize(900, 140)
    view.show_content(TimelineContent(TimeRange(T0, T0 + 1_000), marks=[Mark(0, "clock was wrong")]))
    view.show_window(TimeRange(T0, T0 + 1_000))
    places: list[QPoint] = []
    view.mark_edited.connect(lambda _mark, place: places.append(place))
    QTest.keyClick(view, Qt.Key.Key_Up)
    QTest.keyClick(view, Qt.Key.Key_Return)
    (place,) = places
    assert 0 <= view.mapFromGlobal(place).x() <= view.width()


def test_a_mark_stays_chosen_when_its_note_is_changed(theme: Theme, qtbot: QtBot) -> None:
    """Del after Return and another note removes it; it did nothing."""
    view = TimelineView(theme, UTC_CLOCK)
    qtbot.addWidget(view)
    view.resize(900, 140)
    before, twin, after = Mark(T0 + 60_000, "db"), Mark(T0 + 60_000, "web"), Mark(T0 + 60_000, "db is slow")
    view.show_content(TimelineContent(SPAN, marks=[before, twin]))
    view.show_window(SPAN)
    QTest.keyClick(view, Qt.Key.Key_Down)
    assert view.chosen == before
    view.show_content(TimelineContent(SPAN, marks=[after, twin]))
    assert view.chosen == after
    view.show_content(TimelineContent(SPAN, marks=[twin]))
    assert view.chosen is None


@pytest.mark.parametrize("after_ms", [15_000, -15_000])
def test_a_mark_beyond_the_last_sample_is_seen_at_the_edge(theme: Theme, qtbot: QtBot, after_ms: int) -> None:
    """A vCenter gives samples every 20 s: what was marked after the last one was not to be seen."""
    view = TimelineView(theme, UTC_CLOCK)
    qtbot.addWidget(view)
    view.resize(900, 140)
    view.show_content(TimelineContent(SPAN))
    view.show_window(SPAN)
    without = view.grab().toImage()
    mark = Mark(SPAN.end + after_ms if after_ms > 0 else SPAN.start + after_ms, "users call")
    view.show_content(TimelineContent(SPAN, marks=[mark]))
    assert view.grab().toImage() != without
    there, scale = view.pointing, Scale(SPAN, view.width())
    assert there is not None
    edge = QPointF(scale.left + scale.pixels if after_ms > 0 else scale.left, at.EVENTS_TOP + 4)
    assert there.mark_at(edge) == mark
    assert "users call" in there.tooltip_at(edge)
