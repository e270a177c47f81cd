"""Mouse, wheel, pinch and keys: what they do in a chart, and Escape wherever something can be left."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QNativeGestureEvent, QPointingDevice, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QPushButton, QToolButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from viewmodels.chart_spec import ChartSpec
from viewmodels.curve import Curve, Line, NamedCurve
from viewmodels.file_offer import FileOffer
from viewmodels.time_labels import UTC_CLOCK
from widgets.charts.card import ChartCard
from widgets.charts.curves_item import Drawn
from widgets.charts.plot import Plot
from widgets.messages import Messages
from widgets.search_field import SearchField
from widgets.theme import Theme

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
T0, HOUR = 1_700_000_000_000, 3_600_000
NONE = Qt.KeyboardModifier.NoModifier
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
Gesture = Qt.NativeGestureType


class Hand:
    """A plot of an hour, and what it asked for."""

    def __init__(self, plot: Plot) -> None:
        self.plot = plot
        self.asked: list[tuple[float, float, bool]] = []
        plot.windowed.connect(lambda start, end, passing: self.asked.append((start, end, passing)))

    def place(self, part: float) -> QPointF:
        """A point of the plot, so much of its width from the left."""
        area = self.plot.drawing.area
        return QPointF(area.left() + part * area.width(), area.center().y())

    def wheel(
        self,
        up: int,
        at: QPointF,
        keys: Qt.KeyboardModifier = NONE,
        across: int = 0,
        pixels: QPoint = QPoint(),  # noqa: B008 - a value that nobody changes
    ) -> bool:
        """Turn the wheel; True if the plot took it."""
        view = self.plot.viewport()
        event = QWheelEvent(
            at, view.mapToGlobal(at), pixels, QPoint(across, up), Qt.MouseButton.NoButton, keys,
            Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QApplication.sendEvent(view, event)
        return event.isAccepted()

    def pinch(self, value: float, at: QPointF, kind: Gesture = Gesture.ZoomNativeGesture) -> bool:
        view = self.plot.viewport()
        device = QPointingDevice.primaryPointingDevice()
        event = QNativeGestureEvent(kind, device, 2, at, at, view.mapToGlobal(at), value, QPointF())
        return QApplication.sendEvent(view, event)

    def zoomed(self) -> tuple[float, float]:
        """How long the last window that was asked for is beside the hour, and where its middle is."""
        start, end, _ = self.asked[-1]
        return (end - start) / HOUR, ((start + end) / 2 - T0) / HOUR


@pytest.fixture
def hand(qtbot: QtBot, theme: Theme) -> Hand:
    plot = Plot(theme, UTC_CLOCK)
    qtbot.addWidget(plot)
    plot.resize(800, 240)
    plot.show()
    times = T0 + np.arange(720, dtype=np.int64) * 5_000
    plot.set_curves([Drawn(Curve(times, np.sin(np.arange(720.0))), "#56b4e9")], (), ())
    plot.set_window(T0, T0 + HOUR)
    qtbot.waitUntil(lambda: plot.drawing.area.width() > 600)
    return Hand(plot)


def test_the_wheel_is_left_to_what_scrolls(hand: Hand) -> None:
    assert not hand.wheel(120, hand.place(0.5))
    assert hand.asked == []


def test_with_ctrl_the_wheel_zooms_around_the_cursor(hand: Hand) -> None:
    assert hand.wheel(120, hand.place(0.5), CTRL)
    assert hand.zoomed() == pytest.approx((0.8, 0.5), abs=0.01)
    hand.wheel(-120, hand.place(0.5), CTRL)
    assert hand.zoomed() == pytest.approx((1.25, 0.5), abs=0.01)
    hand.wheel(120, hand.place(0.0), CTRL)
    start, end, _ = hand.asked[-1]
    assert start == pytest.approx(T0, abs=HOUR * 0.01)
    assert end == pytest.approx(T0 + 0.8 * HOUR, abs=HOUR * 0.01)


def test_with_ctrl_it_zooms_beside_the_curves_too(hand: Hand) -> None:
    beside = QPointF(hand.place(0.0).x() - 10, hand.place(0.0).y())
    hand.wheel(120, beside, CTRL)
    assert hand.zoomed()[0] == pytest.approx(0.8, abs=0.01)
    assert hand.asked[-1][0] == pytest.approx(T0, abs=1)


def test_sideways_it_moves(hand: Hand) -> None:
    hand.wheel(0, hand.place(0.5), across=120)
    assert hand.zoomed() == pytest.approx((1.0, 0.4), abs=0.01)


def test_two_fingers_drag_what_they_touch(hand: Hand) -> None:
    """A touchpad tells pixels: the curves move with the fingers."""
    width = hand.plot.drawing.area.width()
    hand.wheel(0, hand.place(0.5), across=30, pixels=QPoint(round(width / 4), 3))
    assert hand.zoomed() == pytest.approx((1.0, 0.25), abs=0.01)


@pytest.mark.parametrize("across", [False, True])
def test_with_shift_it_zooms_the_values_of_this_chart(hand: Hand, across: bool) -> None:
    """macOS turns a wheel with Shift sideways."""
    drawing = hand.plot.drawing
    scaled: list[bool] = []
    hand.plot.scaled.connect(lambda: scaled.append(drawing.scale.is_zoomed))
    (low, high), at = drawing.scale.values, hand.place(0.5)
    value = drawing.scale.value_at(at)
    hand.wheel(0 if across else 120, at, SHIFT, across=120 if across else 0)
    assert drawing.scale.values[1] - drawing.scale.values[0] == pytest.approx(0.8 * (high - low))
    assert drawing.scale.value_at(at) == pytest.approx(value)
    assert (hand.asked, scaled) == ([], [True])
    hand.plot.set_window(T0 + 60_000, T0 + HOUR)
    assert drawing.scale.values[1] - drawing.scale.values[0] == pytest.approx(0.8 * (high - low)), (
        "it stays as it was set"
    )


@pytest.mark.parametrize("how", ["axis", "Y", "0", "button"])
def test_zoomed_values_are_shown_as_such_and_fitted_again(hand: Hand, qtbot: QtBot, how: str) -> None:
    plot, view = hand.plot, hand.plot.viewport()
    before = plot.drawing.scale.values
    qtbot.keyClick(plot, Qt.Key.Key_Up, SHIFT)
    qtbot.keyClick(plot, Qt.Key.Key_Up, SHIFT)
    assert plot.drawing.scale.values == pytest.approx((before[0], before[0] + 0.64 * (before[1] - before[0])))
    fit = plot.findChild(QToolButton, "values-expand")
    assert fit is not None
    assert fit.isVisible()
    if how == "axis":
        beside = QPoint(10, round(hand.place(0).y()))
        QTest.mouseDClick(view, Qt.MouseButton.LeftButton, pos=beside)
    elif how == "button":
        qtbot.mouseClick(fit, Qt.MouseButton.LeftButton)
    else:
        qtbot.keyClick(plot, Qt.Key.Key_Y if how == "Y" else Qt.Key.Key_0)
    assert plot.drawing.scale.values == before
    assert not plot.drawing.scale.is_zoomed


def test_absurd_zooms_of_values_do_no_harm(hand: Hand) -> None:
    for up in (120 * 400, -120 * 400, 120 * 400):
        hand.wheel(up, hand.place(0.3), SHIFT)
        low, high = hand.plot.drawing.scale.values
        assert low < high


def test_buttons_zoom_as_the_keys_do_and_show_while_they_may_be_wanted(hand: Hand, qtbot: QtBot) -> None:
    plot = hand.plot
    whole: list[bool] = []
    plot.unzoomed.connect(lambda: whole.append(True))
    names = [f"{axis}-{what}" for axis in ("time", "values") for what in ("add", "remove", "expand")]
    buttons = {name: plot.findChild(QToolButton, name) for name in names}
    plot.clearFocus()
    QApplication.sendEvent(plot, QEvent(QEvent.Type.Leave))
    qtbot.waitUntil(lambda: not any(one is None or one.isVisible() for one in buttons.values()))
    QApplication.sendEvent(plot, QEvent(QEvent.Type.Enter))
    qtbot.waitUntil(lambda: all(one is not None and one.isVisible() for one in buttons.values()))
    assert all(one is not None and one.toolTip() for one in buttons.values())
    inside = plot.drawing.area.toAlignedRect()
    for name, length in (("time-add", 0.8), ("time-remove", 1.25)):
        button = buttons[name]
        assert button is not None
        assert inside.contains(button.mapTo(plot, button.rect().center()))
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        assert hand.zoomed()[0] == pytest.approx(length, abs=0.01)
    fit = buttons["time-expand"]
    assert fit is not None
    qtbot.mouseClick(fit, Qt.MouseButton.LeftButton)
    assert whole == [True]


def test_a_pinch_zooms_around_the_fingers(hand: Hand) -> None:
    hand.pinch(0.0, hand.place(0.25), Gesture.BeginNativeGesture)
    assert hand.asked == []
    assert hand.pinch(0.25, hand.place(0.25))  # fingers go apart: what they span gets larger
    length, _ = hand.zoomed()
    assert length == pytest.approx(0.8, abs=0.01)
    start, end, _ = hand.asked[-1]
    assert (T0 + 0.25 * HOUR - start) / (end - start) == pytest.approx(0.25, abs=0.01)
    hand.pinch(-0.2, hand.place(0.25))
    assert hand.zoomed()[0] == pytest.approx(1.25, abs=0.01)
    hand.pinch(0.0, hand.place(0.25), Gesture.EndNativeGesture)


@pytest.mark.parametrize("how", ["pinch", "wheel"])
def test_it_is_one_step_of_the_history(qtbot: QtBot, hand: Hand, how: str) -> None:
    hand.plot.windowed.connect(lambda start, end, _passing: hand.plot.set_window(start, end))
    for _ in range(20):
        if how == "pinch":
            hand.pinch(0.05, hand.place(0.5))
        else:
            hand.wheel(30, hand.place(0.5), CTRL)  # so do touchpads on Windows
    assert all(passing for _, _, passing in hand.asked)
    qtbot.waitUntil(lambda: not hand.asked[-1][2])
    assert hand.asked[-1][:2] == pytest.approx(hand.asked[-2][:2])
    assert hand.zoomed()[0] == pytest.approx(1.05**-20 if how == "pinch" else 1.25**-5, rel=0.02)
    assert [passing for _, _, passing in hand.asked].count(False) == 1


def test_a_wild_pinch_does_no_harm(hand: Hand) -> None:
    for value in (-1.0, -5.0, 1e9, 0.0):
        hand.pinch(value, hand.place(0.5))
    assert all(end > start for start, end, _ in hand.asked)


def test_other_gestures_do_nothing(hand: Hand) -> None:
    for kind in (Gesture.RotateNativeGesture, Gesture.SmartZoomNativeGesture, Gesture.PanNativeGesture):
        hand.pinch(1.0, hand.place(0.5), kind)
    assert hand.asked == []


def test_keys(qtbot: QtBot, hand: Hand) -> None:
    for key, expected in (
        (Qt.Key.Key_Plus, (0.8, 0.5)),
        (Qt.Key.Key_Minus, (1.25, 0.5)),
        (Qt.Key.Key_Left, (1.0, 0.3)),
        (Qt.Key.Key_Right, (1.0, 0.7)),
    ):
        qtbot.keyClick(hand.plot, key)
        assert hand.zoomed() == pytest.approx(expected, abs=0.01)


def test_the_right_button_draws_a_box_or_asks_for_the_menu(hand: Hand, qtbot: QtBot) -> None:
    """As the system sends it: some ask for the menu already when the button goes down."""
    menus: list[QPoint] = []
    hand.plot.menu_wanted.connect(menus.append)
    view, right = hand.plot.viewport(), Qt.MouseButton.RightButton
    begin, end = hand.place(0.25).toPoint(), hand.place(0.75).toPoint()
    qtbot.mousePress(view, right, pos=begin)
    by_mouse = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, begin, view.mapToGlobal(begin))
    QApplication.sendEvent(view, by_mouse)
    assert by_mouse.isAccepted()
    QTest.mouseMove(view, end)
    qtbot.mouseRelease(view, right, pos=end)
    assert hand.zoomed() == pytest.approx((0.5, 0.5), abs=0.02)
    assert not menus
    qtbot.mouseClick(view, right, pos=begin)
    assert menus == [view.mapToGlobal(begin)]


def test_the_crosshair_says_when_under_the_mouse_alone(hand: Hand, qtbot: QtBot) -> None:
    plot = hand.plot
    moments: list[float] = []
    plot.hovered.connect(moments.append)
    plot.hovered.connect(plot.show_cross)
    QTest.mouseMove(plot.viewport(), hand.place(0.5).toPoint())
    assert moments[-1] == pytest.approx(T0 + HOUR / 2, abs=6_000)
    assert plot.moment.text() == f"{datetime.fromtimestamp(round(moments[-1]) / 1000, UTC):%H:%M:%S}"
    centre = plot.moment.geometry().center().x()
    assert centre == pytest.approx(hand.place(0.5).x(), abs=2)
    plot.set_window(T0, T0 + 2 * HOUR)
    assert moments[-1] == pytest.approx(T0 + HOUR, abs=12_000)
    assert plot.moment.geometry().center().x() == pytest.approx(centre, abs=2)
    QTest.mouseMove(plot.viewport(), hand.place(1.0).toPoint())
    assert plot.moment.geometry().right() <= hand.place(1.0).x() + 1
    QApplication.sendEvent(plot, QEvent(QEvent.Type.Leave))
    assert plot.moment.isHidden()
    plot.show_cross(T0 + 60_000)  # as the mouse over another chart does
    assert plot.moment.isHidden()


def test_a_summary_opens_leaves_and_does_nothing_else(theme: Theme, qtbot: QtBot) -> None:
    card = ChartCard(theme, UTC_CLOCK)
    qtbot.addWidget(card)
    card.become_summary()
    times = T0 + np.arange(3, dtype=np.int64) * 5_000
    card.plot.set_window(T0 + 5_000, T0 + 10_000)
    curve = Curve(times, np.array([1.0, np.nan, 3.0]))
    card.show_chart(ChartSpec("Load", "%", (1,)), [NamedCurve("a", "%", curve)])
    card.resize(400, 200)
    card.show()
    opened: list[bool] = []
    said: list[str] = []
    offers: list[FileOffer] = []
    card.opened.connect(lambda: opened.append(True))
    asked: list[bool] = []
    card.explain_wanted.connect(lambda: asked.append(True))
    card.copied.connect(said.append)
    card.saved.connect(offers.append)
    card.menu.open_at(QPoint(0, 0))
    menu = card.findChild(QMenu)
    assert menu is not None
    entries = {action.text(): action for action in menu.actions() if not action.isSeparator()}
    assert list(entries) == [
        "Open in the charts",
        "What does it show?",
        "Copy picture",
        "Save picture…",
        "Copy data (CSV)",
        "Save data as CSV…",
    ]
    for action in entries.values():
        action.trigger()
    menu.close()
    card.plot.setFocus()
    qtbot.keyClick(card.plot, Qt.Key.Key_Return)
    assert opened == [True, True]
    assert asked == [True]
    assert said == ["Load: copied as a picture.", "Load: 2 rows copied as CSV."]
    text = QApplication.clipboard().text()
    assert text == "time,a (%)\n2023-11-14T22:13:25Z,\n2023-11-14T22:13:30Z,3.0\n"
    assert [form.suffix for form in offers[0].forms] == [".png", ".svg", ".png", ".svg"]
    assert offers[1].forms[0].content().decode() == text


def test_escape_clears_a_search_then_leaves_it_and_closes_a_message(theme: Theme, qtbot: QtBot) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    field, bar = SearchField("Search", "Search"), Messages(theme, page)
    column = QVBoxLayout(page)
    column.addWidget(field)
    other = QPushButton("other")
    column.addWidget(other)
    left: list[bool] = []
    field.left.connect(lambda: left.append(True))
    page.show()
    page.activateWindow()
    qtbot.waitUntil(page.isActiveWindow)
    bar.notify("Something went wrong.", "critical")
    qtbot.waitUntil(bar.isVisible)
    field.setFocus()
    field.setText("esx02")
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert (field.text(), left, bar.isVisible()) == ("", [], True)
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert left == [True]
    other.setFocus()
    qtbot.keyClick(other, Qt.Key.Key_Escape)
    assert not bar.isVisible()


def test_a_window_is_painted_once(hand: Hand, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    painted: list[float] = []
    line = Curve.line

    def counted(curve: Curve, start: float, end: float, points: int) -> Line:
        painted.append(start)
        return line(curve, start, end, points)

    monkeypatch.setattr(Curve, "line", counted)
    qtbot.wait(50)
    painted.clear()
    for step in range(1, 6):
        hand.plot.set_window(T0 + step * 60_000, T0 + HOUR)
        qtbot.wait(30)
    assert painted == [T0 + step * 60_000 for step in range(1, 6)]
