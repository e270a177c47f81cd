"""The page of a result, with real mouse and keys: what is shown, clicked and copied, in both themes."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from sessions.times import TimeRange
from tests.wizards import test_drs_verdict, test_sioc_verdict
from tests.wizards.test_result_sheet import CALM, change, page, source
from viewmodels.time_labels import UTC_CLOCK
from widgets.theme import Theme
from wizards.flows.chart_values import Band, TimeChart, TimeCurve
from wizards.flows.result_sheet import ResultSheet
from wizards.flows.results import result_sheet
from wizards.pages.result_page import ResultPage

START = 1_790_000_000_000
HOSTILE = "<b>evil</b> \u202e" + "x" * 90


def run_chart(workers: int = 3) -> TimeChart:
    times = START + 1000 * np.arange(600, dtype=np.int64)
    curves = []
    for number in range(workers):
        values = np.full(600, 1000.0 * (number + 1))
        values[300:320] = np.nan
        curves.append(TimeCurve(f"w{number + 1}", values, number, "1,000"))
    bands = (
        Band(TimeRange(START, START + 300_000), "off", "first"),
        Band(TimeRange(START + 320_000, START + 600_000), "weighted", "third"),
    )
    return TimeChart("IOPS per VM, whole run", "stacked", "/s", times, tuple(curves), bands, is_stacked=True)


@pytest.fixture
def shown(theme: Theme, qtbot: QtBot) -> ResultPage:
    found = ResultPage(theme, lambda: UTC_CLOCK)
    qtbot.addWidget(found)
    found.resize(1156, 790)
    found.show()
    return found


SHEETS = {
    "shares": lambda: replace(page(test_sioc_verdict.run()), run=run_chart()),
    "no verdict": lambda: page(test_sioc_verdict.run(on=CALM, off=CALM)),
    "indicative": lambda: page(test_sioc_verdict.run(rounds=1)),
    "not put back": lambda: page(test_sioc_verdict.run(), journal=[change(1, "failed", HOSTILE)]),
    "placements": lambda: page(test_drs_verdict.run({"1": 43.0, "0": 0.0}), "drs-balance"),
}


@cache
def sheet(name: str) -> ResultSheet:
    return SHEETS[name]()


@pytest.mark.parametrize("name", SHEETS)
def test_nothing_is_cut_and_everything_has_a_name(shown: ResultPage, theme: Theme, name: str) -> None:
    for preference in ("dark", "light"):
        theme.set_preference(preference)
        shown.show_sheet(sheet(name))
        for width in (724, 1010, 1156, 2200):
            shown.resize(width, 700)
            QApplication.processEvents()
            shown.grab()
            check(shown)


def check(page: ResultPage) -> None:
    body = page.widget()
    assert body is not None
    assert body.width() <= page.viewport().width(), "nothing sticks out at the right"
    for label in body.findChildren(QLabel):
        assert label.wordWrap() or label.minimumWidth() == 0 or label.width() >= label.sizeHint().width()
        assert "\u202e" not in label.text()
    for view in body.findChildren(QWidget):
        if view.isVisible() and type(view).__module__.startswith("wizards.pages"):
            assert view.accessibleName() or type(view).__name__ in ("_Lines", "ChipsView"), view


@pytest.mark.parametrize("name", SHEETS)
def test_its_buttons_end_in_one_line(shown: ResultPage, name: str) -> None:
    shown.show_sheet(sheet(name))
    QApplication.processEvents()
    rows: dict[int, int] = {}
    for button in shown.head.buttons.values():
        rows[button.y()] = max(rows.get(button.y(), 0), button.geometry().right())
    assert len(set(rows.values())) == 1, rows


def test_its_buttons_say_what_is_to_be_done(shown: ResultPage, qtbot: QtBot) -> None:
    said: list[str] = []
    shown.acted.connect(said.append)
    for name in ("shares", "not put back"):
        shown.show_sheet(sheet(name))
        for button in list(shown.head.buttons.values()):
            qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    expected = ["report", "export", "again", "restore", "again"]
    assert said == expected, "the steps are copied by the page itself"
    assert (
        QApplication.clipboard().text().startswith("Storage I/O Control of perf-lun-02 (datastore-1): is on")
    )


def test_a_late_click_on_stop_starts_no_load(shown: ResultPage, qtbot: QtBot) -> None:
    shown.show_sheet(sheet("shares"))
    first = next(iter(shown.head.buttons))
    assert first not in ("again", "resume"), "it stands where Stop and restore stood"
    shown.head.hold_load()
    for name in ("not put back", "shares"):
        shown.show_sheet(sheet(name))
        held = shown.head.buttons["again"]
        assert not held.isEnabled()
        assert "late click" in held.toolTip()
        assert all(one.isEnabled() for act, one in shown.head.buttons.items() if act != "again")
    qtbot.waitUntil(held.isEnabled)
    assert not held.toolTip()


def test_a_click_on_a_phase_shows_its_samples(shown: ResultPage, qtbot: QtBot) -> None:
    shown.show_sheet(sheet("shares"))
    QApplication.processEvents()
    chosen: list[TimeRange] = []
    shown.chosen.connect(chosen.append)
    area = shown.run.area()
    for share in (0.2, 0.52, 0.8):  # in the first phase, between the phases, in the second one
        at = QPoint(round(area.left() + share * area.width()), round(area.center().y()))
        qtbot.mouseClick(shown.run, Qt.MouseButton.LeftButton, pos=at)
    assert chosen == [TimeRange(START, START + 300_000), TimeRange(START + 320_000, START + 600_000)]


def test_the_raw_numbers_are_copied_as_a_table(shown: ResultPage, qtbot: QtBot) -> None:
    shown.show_sheet(sheet("shares"))
    qtbot.keyClick(shown.raw, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = QApplication.clipboard().text().splitlines()
    assert lines[0].startswith("Raw numbers\thost\tshares\tIOPS off")
    assert [line.split("\t")[0] for line in lines[1:]] == ["db", "w2", "w3", "w4", "all"]
    shown.raw.selectRow(1)
    qtbot.keyClick(shown.raw, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert [line.split("\t")[0] for line in QApplication.clipboard().text().splitlines()] == [
        "Raw numbers",
        "w2",
    ]


def test_a_point_of_a_placement_chooses_it(shown: ResultPage, qtbot: QtBot) -> None:
    shown.show_sheet(sheet("placements"))
    QApplication.processEvents()
    chart = shown.points[0]
    chosen: list[str] = []
    shown.placement_chosen.connect(chosen.append)
    for x in range(0, chart.width(), 5):
        for y in range(30, chart.height() - 30, 5):
            if chart.tip(QPoint(x, y).toPointF()).startswith("1,") and not chosen:
                qtbot.mouseClick(chart, Qt.MouseButton.LeftButton, pos=QPoint(x, y))
    assert chosen == ["1"]


def test_hostile_names_are_text(shown: ResultPage) -> None:
    of = source(test_sioc_verdict.run(), journal=[change(1, "failed", HOSTILE)])
    shown.show_sheet(result_sheet(of))
    assert "<b>" in shown.head.sentence.text()
    assert shown.head.sentence.textFormat() == Qt.TextFormat.PlainText
    assert "\u202e" not in shown.put_back.accessibleDescription()
