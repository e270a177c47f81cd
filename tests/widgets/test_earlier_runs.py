"""The runs of a test below its steps: nothing is clipped, arrows go from run to run, the list stays."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from widgets.elided_label import ElidedLabel
from widgets.theme import Theme
from wizards.pages.earlier_runs import EarlierRun, EarlierRuns

LONG = "Storage I/O Control honours the shares; the critical VM gains 24 % beside five others on three hosts."
RUNS = [EarlierRun(str(number), f"17 Nov 15:1{number}", f"{number}: {LONG}", "ok") for number in range(6)]


def shown(theme: Theme, qtbot: QtBot) -> EarlierRuns:
    view = EarlierRuns(theme)
    qtbot.addWidget(view)
    view.resize(268, 180)
    view.show_runs(RUNS, "2")
    view.show()
    view.activateWindow()
    qtbot.waitUntil(view.isActiveWindow)
    return view


def test_a_long_verdict_is_shortened_and_not_cut(theme: Theme, qtbot: QtBot) -> None:
    view = shown(theme, qtbot)
    assert [one.isChecked() for one in view.buttons] == [False, False, True, False, False, False]
    for button in view.buttons:
        assert button.width() <= view.viewport().width()
        assert LONG in button.toolTip()
        for label in button.findChildren(QLabel):
            text = label.shown_in(label.width()) if isinstance(label, ElidedLabel) else label.text()
            assert label.fontMetrics().horizontalAdvance(text) <= label.width() + 1
            assert label.height() >= label.fontMetrics().height()
        assert button.findChildren(ElidedLabel)[1].shown_in(200).endswith("…")


def test_every_run_is_reached_by_keys_and_recalled(theme: Theme, qtbot: QtBot) -> None:
    view = shown(theme, qtbot)
    recalled: list[str] = []
    view.recalled.connect(recalled.append)
    view.buttons[0].setFocus()
    for button in view.buttons[:5]:
        qtbot.keyClick(button, Qt.Key.Key_Down)
    assert view.buttons[5].hasFocus()
    assert not view.buttons[5].visibleRegion().isEmpty(), "it was scrolled to"
    qtbot.keyClick(view.buttons[5], Qt.Key.Key_Space)
    assert recalled == ["5"]
    before = view.buttons[5]
    view.show_runs(RUNS, "5")
    assert view.buttons[5] is before, "what is the same stays, with its focus"
    assert before.isChecked()
