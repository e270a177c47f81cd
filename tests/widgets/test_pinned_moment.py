"""A click pins a moment in all charts: their lines, flags and legends; keys move it from sample to sample."""

from __future__ import annotations

import math

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMenu
from pytestqt.qtbot import QtBot

from sessions.times import TimeRange
from tests.widgets.axis_ink import columns_of, cut_labels, labels_in
from viewmodels.chart_spec import ChartSpec
from viewmodels.curve import Curve, NamedCurve
from viewmodels.time_labels import UTC_CLOCK
from widgets.charts.card import ChartCard
from widgets.charts.figures import CurveFigures
from widgets.charts.pin_item import tag_tops
from widgets.charts.plot import Plot
from widgets.charts.stack import ChartStack
from widgets.theme import Theme

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
T0, HOUR, STEP = 1_700_000_000_000, 3_600_000, 5_000
LEFT, SHIFT, NONE = (
    Qt.MouseButton.LeftButton,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.NoModifier,
)


def curve(name: str, level: float) -> NamedCurve:
    """A curve whose value at sample n is ``level`` + n, with a gap in its last tenth."""
    numbers = np.array([n for n in range(720) if not 648 <= n < 710])
    return NamedCurve(name, "%", Curve(T0 + numbers * STEP, level + numbers.astype(float)))


class Page:
    """Two charts, and what they asked for."""

    def __init__(self, stack: ChartStack) -> None:
        self.stack = stack
        self.asked: list[int | None] = []
        self.windows: list[TimeRange] = []
        stack.pinned.connect(self.asked.append)
        stack.pinned.connect(stack.crosshair.show_moment)
        stack.windowed.connect(lambda window, _passing: self.windows.append(window))

    @property
    def plot(self) -> Plot:
        return self.stack.cards[0].plot

    def place(self, part: float) -> QPoint:
        """A point of the first plot, so much of its width from the left."""
        area = self.plot.drawing.area
        return QPoint(round(area.left() + part * area.width()), round(area.center().y()))

    def click(self, part: float) -> None:
        QTest.mouseClick(self.plot.viewport(), LEFT, NONE, self.place(part))

    def flags(self) -> list[str]:
        """The texts of the flags of the pinned moment that are visible, chart by chart."""
        labels = [label for card in self.stack.cards for label in card.plot.findChildren(QLabel)]
        return [one.text() for one in labels if one.property("role") == "pinned" and one.isVisible()]

    def captions(self) -> list[QLabel]:
        """What the legends say of which moment their values are, chart by chart."""
        return [card.head.legend.caption for card in self.stack.cards]

    def values(self) -> list[str]:
        """The first value in each chart's legend."""
        return [value_of(card) for card in self.stack.cards]


def value_of(card: ChartCard) -> str:
    return card.head.legend.entries[0].value


@pytest.fixture
def page(qtbot: QtBot, theme: Theme) -> Page:
    stack = ChartStack(theme, UTC_CLOCK)
    qtbot.addWidget(stack)
    stack.resize(900, 640)
    stack.show()
    stack.show_window(TimeRange(T0, T0 + HOUR))
    stack.show_charts(
        [
            (ChartSpec("Ready", "%", (1,)), [curve("web01", 0.0)]),
            (ChartSpec("Used", "%", (2,)), [curve("db01", 1000.0)]),
        ]
    )
    found = Page(stack)
    qtbot.waitUntil(lambda: found.plot.drawing.area.width() > 600)
    return found


def test_a_click_pins_the_nearest_sample_in_all_charts(page: Page, qtbot: QtBot) -> None:
    page.click(0.5)
    [at] = page.asked
    assert at is not None
    assert abs(at - (T0 + HOUR // 2)) < 10_000
    number = (at - T0) / STEP
    assert number == int(number)
    assert page.flags() == [UTC_CLOCK.time(at)] * 2
    assert page.values() == [f"{number:.0f} %", f"{number + 1000:,.0f} %"]
    assert page.windows == []


def test_hovering_shows_its_own_values_until_the_pointer_leaves(page: Page, qtbot: QtBot) -> None:
    page.stack.crosshair.show_moment(T0 + 100 * STEP)
    QTest.mouseMove(page.plot.viewport(), page.place(0.25))
    qtbot.waitUntil(lambda: page.values()[0] == "180 %")
    assert page.flags() == [UTC_CLOCK.time(T0 + 100 * STEP)] * 2
    page.plot.hovered.emit(math.nan)
    qtbot.waitUntil(lambda: page.values()[0] == "100 %")
    time = UTC_CLOCK.moment(T0 + 100 * STEP)
    assert page.plot.accessibleDescription() == f"Pinned at {time}: web01 100 %"


def test_the_line_is_solid_and_each_curve_has_a_dot(page: Page, theme: Theme) -> None:
    page.stack.crosshair.show_moment(T0 + 360 * STEP)
    for card in page.stack.cards:
        image, area = card.plot.grab().toImage(), card.plot.drawing.area
        x = round(area.center().x())
        white = [
            QColor(image.pixel(x + by, y)).lightness()
            for y in range(round(area.top()) + 2, round(area.bottom()) - 2)
            for by in (-1, 0)
        ]
        lines = [max(pair) for pair in zip(white[::2], white[1::2], strict=True)]
        assert sum(one > 150 for one in lines) > 0.8 * len(lines)  # a dashed line has gaps
    page.stack.crosshair.show_moment(None)
    assert page.flags() == []


def test_a_drag_a_zoom_box_and_the_axes_pin_nothing(page: Page) -> None:
    view = page.plot.viewport()
    for keys in (NONE, SHIFT):
        QTest.mousePress(view, LEFT, keys, page.place(0.3))
        QTest.mouseMove(view, page.place(0.5))
        QTest.mouseMove(view, page.place(0.3))  # back to where it began: still a drag
        QTest.mouseRelease(view, LEFT, keys, page.place(0.3))
    QTest.mouseClick(view, LEFT, NONE, QPoint(5, page.place(0.5).y()))
    QTest.mouseClick(view, Qt.MouseButton.RightButton, NONE, page.place(0.5))
    for menu in page.stack.findChildren(QMenu):
        menu.close()
    assert page.asked == []


@pytest.mark.parametrize("before", [None, T0 + 50 * STEP])
def test_a_double_click_leaves_the_moment_as_it_was(page: Page, before: int | None) -> None:
    page.stack.crosshair.show_moment(before)
    unzoomed: list[bool] = []
    page.stack.unzoomed.connect(lambda: unzoomed.append(True))
    page.click(0.5)
    QTest.mouseDClick(page.plot.viewport(), LEFT, NONE, page.place(0.5))
    assert page.asked[-1] == before
    assert unzoomed == [True]


def test_keys_move_it_from_sample_to_sample(page: Page, qtbot: QtBot) -> None:
    for key, keys, number in (
        (Qt.Key.Key_Space, NONE, 360),
        (Qt.Key.Key_Right, NONE, 361),
        (Qt.Key.Key_Left, NONE, 360),
        (Qt.Key.Key_Left, SHIFT, 350),
        (Qt.Key.Key_Right, SHIFT, 360),
        (Qt.Key.Key_Home, NONE, 0),
        (Qt.Key.Key_End, NONE, 719),
        (Qt.Key.Key_Left, SHIFT, 647),  # ten samples before, over the gap
        (Qt.Key.Key_Right, NONE, 710),
    ):
        QTest.keyClick(page.plot, key, keys)
        assert page.asked[-1] == T0 + number * STEP, (key, keys)
    QTest.keyClick(page.plot, Qt.Key.Key_Space)
    assert page.asked[-1] is None
    assert page.windows == []


def test_without_a_pinned_moment_the_arrows_move_the_window(page: Page) -> None:
    QTest.keyClick(page.plot, Qt.Key.Key_Right)
    assert page.windows[-1].start > T0
    page.stack.crosshair.show_moment(T0)
    QTest.keyClick(page.plot, Qt.Key.Key_Left, Qt.KeyboardModifier.ControlModifier)
    assert page.windows[-1].start < T0
    assert page.asked == []


def test_a_click_in_a_gap_pins_that_time_and_shows_no_value(page: Page) -> None:
    page.click(0.95)
    [at] = page.asked
    assert at is not None
    assert T0 + 648 * STEP < at < T0 + 709 * STEP
    page.stack.crosshair.show_hover(math.nan)
    page.stack.crosshair.show_moment(at)
    assert page.values() == ["–", "–"]


def test_out_of_sight_it_has_no_flag_and_legends_show_the_last_values(page: Page, qtbot: QtBot) -> None:
    page.stack.crosshair.show_moment(T0 + 100 * STEP)
    page.stack.show_window(TimeRange(T0 + HOUR // 2, T0 + HOUR))
    qtbot.waitUntil(lambda: page.values()[0] == "719 %")
    assert page.flags() == []
    page.stack.show_window(TimeRange(T0, T0 + HOUR // 2))
    qtbot.waitUntil(lambda: page.values()[0] == "100 %")
    assert len(page.flags()) == 2


def test_values_at_the_moment_are_copied_and_told_in_tooltips(page: Page) -> None:
    page.stack.crosshair.show_moment(T0 + 100 * STEP)
    card = page.stack.cards[0]
    said: list[str] = []
    card.copied.connect(said.append)
    card.plot.menu_wanted.emit(QPoint(5, 5))
    [menu] = [one for one in card.findChildren(QMenu) if one.isVisible()]
    time = UTC_CLOCK.time(T0 + 100 * STEP)
    [action] = [one for one in menu.actions() if one.text() == f"Copy values at {time}"]
    action.trigger()
    menu.close()
    assert said == [f"Ready: values at {time} UTC copied."]
    head, row = QApplication.clipboard().text().splitlines()
    assert (head, row) == (f"Ready\tvalue at 2023-11-14 {time} UTC\tunit", "web01\t100.0\t%")


def test_a_new_chart_shows_the_pinned_moment(page: Page, qtbot: QtBot) -> None:
    page.stack.crosshair.show_moment(T0 + 100 * STEP)
    spec = ChartSpec("Third", "%", (3,))
    charts = [(card.spec, list(card.curves)) for card in page.stack.cards]
    page.stack.show_charts([*charts, (spec, [curve("app01", 5.0)])])
    qtbot.waitUntil(lambda: page.values()[2] == "105 %")
    assert page.stack.cards[2].plot.pin.at == T0 + 100 * STEP


def test_tags_do_not_overlap_and_stay_in_the_plot() -> None:
    area = QRectF(0, 0, 100, 60)
    assert tag_tops([10.0, 12.0, 50.0], area) == [2.5, 17.5, 42.5]
    assert tag_tops([58.0, 58.0, 58.0], area) == [15.0, 30.0, 45.0]
    assert tag_tops([], area) == []


@pytest.mark.parametrize("part", [0.02, 0.21, 0.5, 0.55, 0.98])
def test_its_flag_leaves_no_part_of_a_label_of_the_axis(page: Page, theme: Theme, part: float) -> None:
    area = page.plot.drawing.area
    strip = QRect(round(area.left()), round(area.bottom()) + 4, round(area.width()), 14)
    page.stack.crosshair.show_moment(None)
    QApplication.processEvents()
    before = page.plot.grab().toImage()
    page.stack.crosshair.show_moment(T0 + round(part * HOUR))
    QApplication.processEvents()
    after = page.plot.grab().toImage()
    flag = columns_of(after, strip, theme.tokens.accent)
    assert cut_labels(before, after, strip, flag) == []
    assert len(labels_in(after, strip)) >= 3
    page.stack.crosshair.show_moment(None)
    QApplication.processEvents()
    assert labels_in(page.plot.grab().toImage(), strip) == labels_in(before, strip)


def test_the_legend_says_of_which_moment_its_values_are(page: Page, qtbot: QtBot) -> None:
    def captions() -> list[tuple[str, str]]:
        return [(one.text(), one.property("of")) for one in page.captions()]

    assert captions() == [("last", "last")] * 2
    pinned, hovered = UTC_CLOCK.time(T0 + 100 * STEP), UTC_CLOCK.time(T0 + 180 * STEP)
    page.stack.crosshair.show_moment(T0 + 100 * STEP)
    assert captions() == [(pinned, "pinned")] * 2
    width = page.stack.cards[0].head.legend.width()
    for caption in page.captions():
        assert caption.width() >= caption.fontMetrics().horizontalAdvance(caption.text()) + 12
    page.stack.crosshair.show_hover(T0 + 180 * STEP)
    qtbot.waitUntil(lambda: captions() == [(hovered, "moment")] * 2)
    page.stack.crosshair.show_hover(math.nan)
    qtbot.waitUntil(lambda: captions() == [(pinned, "pinned")] * 2)
    assert page.stack.cards[0].head.legend.width() == width
    page.stack.show_window(TimeRange(T0 + HOUR // 2, T0 + HOUR))  # the moment is out of sight
    qtbot.waitUntil(lambda: captions() == [("last", "last")] * 2)


def test_of_many_curves_the_legend_tells_the_pinned_value_beside_that_at_the_pointer(
    page: Page, qtbot: QtBot
) -> None:
    """Tags on the plot tell it where there are few curves."""
    many = [curve(f"web{number:02}", 1000.0 * number) for number in range(8)]
    page.stack.show_charts([(ChartSpec("Ready", "%", tuple(range(8))), many)])
    page.stack.crosshair.show_moment(T0 + 100 * STEP)
    page.stack.crosshair.show_hover(T0 + 180 * STEP)
    entries = page.stack.cards[0].head.legend.entries
    qtbot.waitUntil(lambda: entries[1].value == "1,180 %")
    assert entries[1].pinned_value == "1,100 %"
    page.stack.crosshair.show_hover(math.nan)
    qtbot.waitUntil(lambda: entries[1].value == "1,100 %")
    assert entries[1].pinned_value == ""
    page.stack.show_charts([(ChartSpec("Ready", "%", tuple(range(2))), many[:2])])
    page.stack.crosshair.show_hover(T0 + 180 * STEP)
    qtbot.waitUntil(lambda: entries[1].value == "1,180 %")
    assert entries[1].pinned_value == ""


def test_the_table_of_statistics_has_a_column_for_the_pinned_moment(page: Page, qtbot: QtBot) -> None:
    page.stack.show_statistics(on=True)
    [table, _other] = page.stack.findChildren(CurveFigures)
    assert table.accessibleName().startswith("web01: last ")
    page.stack.crosshair.show_moment(T0 + 100 * STEP)
    pinned, hovered = UTC_CLOCK.time(T0 + 100 * STEP), UTC_CLOCK.time(T0 + 180 * STEP)
    assert f", pinned {pinned} 100 %," in table.accessibleName()
    page.stack.crosshair.show_hover(T0 + 180 * STEP)
    qtbot.waitUntil(lambda: f"web01: {hovered} 180 %, pinned {pinned} 100 %," in table.accessibleName())
