"""The time slider of the esxtop page: its track, its handle, wheel and keys."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from widgets.esxtop.slider import TimeSlider
from widgets.theme import Theme

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


class Hand:
    """A slider, and what it asked for."""

    def __init__(self, slider: TimeSlider) -> None:
        self.slider = slider
        self.moved: list[float] = []
        self.stepped: list[int] = []
        slider.moved.connect(self.moved.append)
        slider.stepped.connect(self.stepped.append)

    def place(self, part: float) -> QPoint:
        return QPoint(round(self.slider.width() * part), self.slider.height() // 2)

    def wheel(self, up: int, across: int = 0) -> None:
        at = QPointF(self.place(0.5))
        event = QWheelEvent(
            at, self.slider.mapToGlobal(at), QPoint(), QPoint(across, up), Qt.MouseButton.NoButton, NONE,
            Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QApplication.sendEvent(self.slider, event)


@pytest.fixture
def hand(qtbot: QtBot, theme: Theme) -> Hand:
    slider = TimeSlider()
    qtbot.addWidget(slider)
    slider.resize(800, 24)
    slider.show()
    return Hand(slider)


@pytest.mark.parametrize("part", [0.1, 0.25, 0.5, 0.9])
def test_a_click_on_the_track_jumps_there(hand: Hand, part: float) -> None:
    QTest.mouseClick(hand.slider, LEFT, NONE, hand.place(part))
    assert hand.moved[-1] == pytest.approx(part, abs=0.02)
    assert hand.slider.value() / hand.slider.maximum() == hand.moved[-1]


def test_from_where_it_was_clicked_it_can_be_dragged_on(hand: Hand) -> None:
    QTest.mousePress(hand.slider, LEFT, NONE, hand.place(0.2))
    QTest.mouseMove(hand.slider, hand.place(0.6))
    hand.slider.show_part(0.9)  # the session grew: the handle stays in the hand
    QTest.mouseRelease(hand.slider, LEFT, NONE, hand.place(0.6))
    assert hand.moved[0] == pytest.approx(0.2, abs=0.02)
    assert hand.moved[-1] == pytest.approx(0.6, abs=0.02)
    assert hand.slider.value() / hand.slider.maximum() == pytest.approx(0.6, abs=0.02)


def test_wheel_and_keys_go_sample_by_sample(hand: Hand) -> None:
    hand.wheel(120)
    hand.wheel(-240)
    hand.wheel(60)  # half a notch of a fine wheel
    hand.wheel(60)
    hand.wheel(0, across=-120)
    assert hand.stepped == [1, -2, 1, 1]
    hand.stepped.clear()
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_PageDown, Qt.Key.Key_PageUp):
        QTest.keyClick(hand.slider, key)
    assert hand.stepped == [-1, 1, -10, 10]
    assert hand.moved == []
    QTest.keyClick(hand.slider, Qt.Key.Key_Home)
    QTest.keyClick(hand.slider, Qt.Key.Key_End)
    assert hand.moved == [0.0, 1.0]


def test_what_is_shown_asks_for_nothing(hand: Hand) -> None:
    hand.slider.show_part(0.3)
    assert hand.slider.value() == round(0.3 * hand.slider.maximum())
    assert hand.moved == []
