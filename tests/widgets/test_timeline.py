"""The timeline's load: how much it is at its highest, and under the mouse."""

from __future__ import annotations

import math

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from sessions.findings import Finding
from sessions.model import EntityRef, Event, Mark
from sessions.times import TimeRange
from sessions.verdicts import NOT_JUDGED, SourceReach, Verdict
from tests.widgets.axis_ink import columns_of, cut_labels, labels_in
from viewmodels.time_labels import UTC_CLOCK
from viewmodels.timeline import GapBar, Load, SourceLane, TimelineContent
from viewmodels.timeline_content import finding_bars, unjudged_range
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


def test_what_nobody_judged_is_hatched_and_says_so(theme: Theme, qtbot: QtBot) -> None:
    """An empty lane of findings looked like "no problem" while the verdict was minutes behind."""
    view = TimelineView(theme, UTC_CLOCK)
    qtbot.addWidget(view)
    view.resize(900, 140)
    unjudged = TimeRange(T0 + 2_400_000, SPAN.end)
    x, y = round(Scale(SPAN, view.width()).x(T0 + 3_000_000)), at.FINDINGS_TOP + at.FINDINGS_HEIGHT // 2
    lane = (x - 20, at.FINDINGS_TOP + 2, 40, at.FINDINGS_HEIGHT - 4)
    shown = {}
    for part in (None, unjudged):
        view.show_content(TimelineContent(SPAN, LOAD, unjudged=part))
        there = view.pointing
        assert there is not None
        shown[part] = there.tooltip_at(QPointF(x, y)), view.grab().toImage().copy(*lane)
    assert shown[None][0].startswith("21 Sep 15:03:")
    assert shown[unjudged][0] == "Not judged yet: 21 Sep 14:53 – 15:13 UTC"
    assert shown[None][1] != shown[unjudged][1]
    there = view.pointing
    assert there is not None
    assert "Not judged" not in there.tooltip_at(QPointF(x, at.LOAD_TOP + 5))


def test_how_far_a_verdict_is_behind() -> None:
    source = SourceReach(1, "esx01", TimeRange(T0, T0 + 600_000), 120)
    verdict = Verdict("judged", (source,))
    assert unjudged_range(verdict, SPAN, 40_000) == TimeRange(T0 + 600_000, SPAN.end)
    assert unjudged_range(verdict, TimeRange(T0, T0 + 640_000), 40_000) is None
    assert unjudged_range(NOT_JUDGED, SPAN, 40_000) == SPAN
    assert unjudged_range(NOT_JUDGED, None, 40_000) is None


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


def test_an_event_that_lasts_is_named_before_instants_beside_it() -> None:
    scale = Scale(SPAN, 900)
    slow = Event(T0 + 600_000, "storage", "It became slow")
    lost = Event(T0 + 660_000, "storage", "All Paths Down", end=T0 + 900_000)
    short = Event(T0 + 1_500_000, "task", "A task of a second", end=T0 + 1_501_000)
    later = Event(T0 + 1_505_000, "storage", "All Paths Down again", end=T0 + 1_700_000)
    found = [one.of for one in labels([], [slow, lost, short, later], scale, lambda text: 7.0 * len(text))]
    assert found == [lost, later]
    assert [one.of for one in labels([], [slow, short], scale, lambda text: 7.0 * len(text))] == [slow, short]


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


def pinning(theme: Theme, qtbot: QtBot, content: TimelineContent) -> tuple[TimelineView, list[int | None]]:
    """A timeline that shows what it asks to pin, and what it asked for."""
    view = TimelineView(theme, UTC_CLOCK)
    qtbot.addWidget(view)
    view.resize(900, 140)
    view.show()
    view.show_content(content)
    view.show_window(TimeRange(T0 + 900_000, T0 + 1_800_000))
    asked: list[int | None] = []
    view.pin.wanted.connect(asked.append)
    view.pin.wanted.connect(view.pin.show_moment)
    return view, asked


def place(view: TimelineView, t_ms: int, y: int) -> QPoint:
    return QPoint(round(Scale(SPAN, view.width()).x(t_ms)), y)


def click(view: TimelineView, t_ms: int, y: int) -> None:
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=place(view, t_ms, y))


def test_a_click_pins_and_a_drag_does_not(theme: Theme, qtbot: QtBot) -> None:
    view, asked = pinning(theme, qtbot, TimelineContent(SPAN, LOAD))
    windows: list[TimeRange] = []
    view.windowed.connect(lambda window, _passing: windows.append(window))
    click(view, T0 + 1_200_000, at.LOAD_TOP + 5)
    assert asked == [pytest.approx(T0 + 1_200_000, abs=5_000)]
    assert windows == []
    left = Qt.MouseButton.LeftButton
    QTest.mousePress(view, left, pos=place(view, T0 + 2_400_000, 10))
    QTest.mouseMove(view, place(view, T0 + 3_000_000, 10))
    QTest.mouseRelease(view, left, pos=place(view, T0 + 3_000_000, 10))
    assert len(asked) == 1
    assert windows
    QTest.mouseClick(view, left, pos=QPoint(10, 10))  # the names of the lanes are no time
    assert len(asked) == 1


def test_a_double_click_shows_all_and_pins_nothing(theme: Theme, qtbot: QtBot) -> None:
    view, asked = pinning(theme, qtbot, TimelineContent(SPAN, LOAD))
    unzoomed: list[bool] = []
    view.unzoomed.connect(lambda: unzoomed.append(True))
    click(view, T0 + 1_200_000, 10)
    QTest.mouseDClick(view, Qt.MouseButton.LeftButton, pos=place(view, T0 + 1_200_000, 10))
    assert (asked[-1], unzoomed) == (None, [True])


def test_a_click_on_what_is_there_tells_its_words_and_pins_its_time(theme: Theme, qtbot: QtBot) -> None:
    finding = Finding(
        "cpu.limit", "CPU limit holds it back", "critical", EntityRef("vm", "a"), "db-prod",
        (TimeRange(T0 + 600_000, T0 + 1_500_000),), 0.2, "", (), (), (),
    )  # fmt: skip
    event, mark = Event(T0 + 2_000_000, "power", "web01 was powered on"), Mark(T0 + 3_000_000, "users call")
    gap = TimeRange(T0 + 2_400_000, T0 + 2_700_000)
    content = TimelineContent(
        SPAN,
        LOAD,
        finding_bars([finding]),
        [event],
        [mark],
        [SourceLane("esx01", SPAN, [GapBar(gap, "no reply")])],
    )
    view, asked = pinning(theme, qtbot, content)
    shown_findings: list[Finding] = []
    view.wanted.connect(shown_findings.append)
    view.grab()
    click(view, T0 + 1_000_000, at.FINDINGS_TOP + 8)
    assert (asked[-1], shown_findings) == (T0 + 600_000, [finding])
    assert view.pin.words == "CPU limit holds it back: db-prod\n21 Sep 14:23 – 14:38 UTC"
    click(view, event.at, at.EVENTS_TOP + 8)
    assert (asked[-1], view.pin.words) == (event.at, "14:46:40 UTC · web01 was powered on")
    click(view, mark.at, at.EVENTS_TOP + 8)
    assert (asked[-1], view.pin.words, view.chosen) == (mark.at, "15:03:20 UTC · users call", mark)
    click(view, T0 + 2_500_000, at.SOURCES_TOP + 1)
    assert view.pin.words.startswith("esx01: gap ")
    assert view.pin.words.endswith("no reply")
    with_words = view.grab().toImage()
    click(view, T0 + 2_500_000, 10)
    assert view.pin.words == ""
    assert view.grab().toImage() != with_words
    view.pin.show_moment(None)
    assert view.chosen is None


def test_the_line_runs_through_all_lanes(theme: Theme, qtbot: QtBot) -> None:
    view, _asked = pinning(theme, qtbot, TimelineContent(SPAN, LOAD, sources=[SourceLane("esx01", SPAN)]))
    view.pin.show_moment(T0 + 1_200_000)
    image = view.grab().toImage()
    x = round(Scale(SPAN, view.width()).x(T0 + 1_200_000))
    light = [
        max(QColor(image.pixel(x + by, y)).lightness() for by in (-1, 0))
        for y in range(4, view.height() - at.AXIS_HEIGHT - 1)
    ]
    assert min(light) > 130


def test_keys_move_the_pinned_moment_and_without_one_the_window(theme: Theme, qtbot: QtBot) -> None:
    view, asked = pinning(
        theme, qtbot, TimelineContent(SPAN, LOAD, marks=[Mark(T0 + 3_000_000, "users call")])
    )
    windows: list[TimeRange] = []
    steps: list[int] = []
    view.windowed.connect(lambda window, _passing: windows.append(window))
    view.pin.stepped.connect(steps.append)
    shift, ctrl = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
    QTest.keyClick(view, Qt.Key.Key_Right)
    assert (len(windows), asked) == (1, [])
    QTest.keyClick(view, Qt.Key.Key_Space)
    assert asked[-1] == T0 + 1_350_000
    for key, keys in (
        (Qt.Key.Key_Right, Qt.KeyboardModifier.NoModifier),
        (Qt.Key.Key_Left, shift),
        (Qt.Key.Key_Left, Qt.KeyboardModifier.NoModifier),
    ):
        QTest.keyClick(view, key, keys)
    assert (steps, len(windows)) == ([1, -10, -1], 1)
    QTest.keyClick(view, Qt.Key.Key_Right, ctrl)
    assert len(windows) == 2
    QTest.keyClick(view, Qt.Key.Key_End)
    QTest.keyClick(view, Qt.Key.Key_Home)
    QTest.keyClick(view, Qt.Key.Key_Down)  # to the first mark
    assert asked[-3:] == [SPAN.end, SPAN.start, T0 + 3_000_000]
    assert view.pin.words == "15:03:20 UTC · users call"
    QTest.keyClick(view, Qt.Key.Key_Space)
    assert asked[-1] is None


@pytest.mark.parametrize("part", [0.0, 0.24, 0.26, 0.5, 1.0])
def test_its_flag_leaves_no_part_of_a_label_of_the_axis(theme: Theme, qtbot: QtBot, part: float) -> None:
    view, _asked = pinning(theme, qtbot, TimelineContent(SPAN, LOAD))
    scale = Scale(SPAN, view.width())
    strip = QRect(scale.left, view.height() - at.AXIS_HEIGHT + 2, scale.pixels, at.AXIS_HEIGHT - 4)
    before = view.grab().toImage()
    view.pin.show_moment(SPAN.start + round(part * (SPAN.end - SPAN.start)))
    after = view.grab().toImage()
    flag = columns_of(after, strip, theme.tokens.accent)
    assert cut_labels(before, after, strip, flag) == []
    assert len(labels_in(after, strip)) >= 3
