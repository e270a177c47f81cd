"""A button that is off recedes: it is never brighter than one that is on, and has no rim of its own."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication, QHBoxLayout, QPushButton, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from widgets.theme import Theme
from widgets.theme.theme import Preference

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


def ground_of(button: QWidget) -> QColor:
    """The colour inside its rim, left of its text."""
    picture = button.grab().toImage()
    return picture.pixelColor(round(4 * picture.devicePixelRatio()), picture.height() // 2)


@pytest.mark.parametrize("mode", ["dark", "light"])
@pytest.mark.parametrize("kind", [QPushButton, QToolButton])
def test_a_button_that_is_off_is_no_brighter_than_one_that_is_on(
    qapp: QApplication, qtbot: QtBot, mode: Preference, kind: type[QPushButton] | type[QToolButton]
) -> None:
    Theme(qapp, mode)
    bar = QWidget()
    qtbot.addWidget(bar)
    row = QHBoxLayout(bar)
    on, off = kind(bar), kind(bar)
    for one in (on, off):
        one.setText("Start test…")
        row.addWidget(one)
    off.setEnabled(False)
    bar.show()
    assert ground_of(off).lightnessF() <= ground_of(on).lightnessF()
    rim = off.grab().toImage().pixelColor(0, off.height() // 2)
    assert rim == ground_of(off), "what can't be pressed has no rim"
