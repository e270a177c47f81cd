"""The page of a run that goes on, with real mouse: stop and pause, what each chart says, in both themes."""

from __future__ import annotations

from dataclasses import replace
from math import nan

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from resources.foreign_text import breakable
from sessions.times import TimeRange
from tests.widgets.test_result_page import HOSTILE, START, run_chart
from viewmodels.time_labels import UTC_CLOCK
from widgets.theme import Theme
from wizards.flows.plan_sheet import PhaseBlock
from wizards.flows.result_sheet import Chip, FactLine, FactList
from wizards.flows.run_sheet import RunHead, RunSheet, RunWorker
from wizards.pages.chart_frame import axis_label
from wizards.pages.run_page import RunPage

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")

HEAD = RunHead(
    "P3: Storage I/O Control on, weighted shares", "ok", "measuring 2:12 of 4:00",
    "round 2 of 3 · ends ≈ 16:44", "Pause after P3",
)  # fmt: skip


def worker(name: str, number: int) -> RunWorker:
    return RunWorker(name, "critical" if not number else "competing", "esx01.lab", "ok", "working",
                     1000.0 * number, 20.0, 18.2, 8.0, 11.7, 22.4, 0.4)  # fmt: skip


def sheet(workers: int = 3, head: RunHead = HEAD, name: str = "perf-w") -> RunSheet:
    chart = run_chart(min(workers, 8))
    phases = (PhaseBlock("P1", "off", 300, "first"), PhaseBlock("P3", "weighted", 300, "third"))
    strip = replace(chart, title="SIOC", note="active", unit="%", curves=chart.curves[:1])
    guards = FactList(
        "Guards", (FactLine("ok", "Free space", "", "stops below 10 %"),), Chip("all quiet", "ok")
    )
    journal = FactList("Journal", (FactLine("warning", f"Shares 2,000, {HOSTILE}", "↶ back to 1,000"),))
    return RunSheet(
        head, phases, 420.0, ((0.0, "15:15"), (600.0, "≈ 15:25")), (chart, chart, chart), strip,
        tuple(worker(f"{name}{number:02d}", number) for number in range(workers)), guards, journal,
    )  # fmt: skip


@pytest.fixture
def shown(theme: Theme, qtbot: QtBot) -> RunPage:
    found = RunPage(theme, lambda: UTC_CLOCK)
    qtbot.addWidget(found)
    found.resize(1156, 790)
    found.show_sheet(sheet())
    found.show()
    QApplication.processEvents()
    return found


def test_one_press_stops_and_one_pauses(shown: RunPage, qtbot: QtBot) -> None:
    said: list[str] = []
    shown.stopped.connect(lambda: said.append("stopped"))
    shown.paused.connect(lambda: said.append("paused"))
    qtbot.mouseClick(shown.head.stop, Qt.MouseButton.LeftButton)
    qtbot.mouseClick(shown.head.pause, Qt.MouseButton.LeftButton)
    assert said == ["stopped", "paused"], "no question is asked: it is always safe"
    assert "always safe" in shown.head.stop.toolTip()
    shown.show_sheet(sheet(head=replace(HEAD, pause="Go on", is_paused=True)))
    assert shown.head.pause.text() == "Go on"
    shown.show_sheet(sheet(head=replace(HEAD, pause="", can_stop=False)))
    assert not shown.head.pause.isVisible()
    assert not shown.head.stop.isEnabled()
    assert shown.head.stop.text() == "Putting back…"


def test_before_the_first_numbers_it_has_no_empty_buttons(theme: Theme, qtbot: QtBot) -> None:
    found = RunPage(theme, lambda: UTC_CLOCK)
    qtbot.addWidget(found)
    found.resize(1156, 790)
    found.show()
    QApplication.processEvents()
    head = found.head
    assert head.stop.isEnabled()
    assert not head.stop.icon().isNull()
    assert not head.pause.isVisible()
    assert not head.progress.isVisible()
    width = head.stop.width()
    found.show_sheet(sheet())
    QApplication.processEvents()
    assert (head.pause.isVisible(), head.progress.isVisible(), head.stop.width()) == (True, True, width)


def test_what_stops_it_stands_above_everything(shown: RunPage) -> None:
    assert not shown.problem.isVisible()
    shown.show_sheet(sheet(head=replace(HEAD, problem="Other VMs on lun wait 41 ms, limit 30 ms.")))
    assert shown.problem.isVisible()
    assert shown.problem.sentence.text() == breakable("Other VMs on lun wait 41 ms, limit 30 ms.")


def test_all_charts_have_one_crosshair_and_a_phase_opens_its_samples(shown: RunPage, qtbot: QtBot) -> None:
    chosen: list[TimeRange] = []
    shown.chosen.connect(chosen.append)
    area = shown.charts[1].area()
    middle = QPoint(round(area.left() + area.width() / 4), round(area.center().y()))
    before = [view.grab().toImage() for view in shown.charts]
    qtbot.mouseMove(shown.charts[1], middle)
    qtbot.mouseMove(shown.charts[1], middle + QPoint(2, 0))
    QApplication.processEvents()
    assert all(view.grab().toImage() != old for view, old in zip(shown.charts, before, strict=True))
    qtbot.mouseClick(shown.charts[1], Qt.MouseButton.LeftButton, pos=middle)
    assert chosen == [TimeRange(START, START + 300_000)]


@pytest.mark.parametrize("workers", [0, 6, 100])
def test_nothing_is_cut_in_small_and_large_windows(shown: RunPage, theme: Theme, workers: int) -> None:
    for preference in ("dark", "light"):
        theme.set_preference(preference)
        shown.show_sheet(sheet(workers, name="w" * 70))
        for size in ((1010, 620), (1156, 790), (2200, 1300)):
            shown.resize(*size)
            QApplication.processEvents()
            shown.grab()
            assert shown.head.stop.geometry().right() <= shown.width()
            for label in shown.findChildren(QLabel):
                assert "\u202e" not in label.text()


def test_a_worker_that_was_not_heard_of_has_no_numbers(shown: RunPage) -> None:
    silent = replace(
        worker("w1", 1), state="none", words="waiting", iops=nan, share=nan, due=None, heard_s=nan
    )
    shown.show_sheet(replace(sheet(), workers=(silent,)))
    row = shown.workers.table().rows[0]
    assert row[0] == "w1"
    assert row[2] == "waiting"
    assert set(row[3:6]) == {"–"}
    assert row[-1] == "–"


def test_numbers_beside_an_axis_have_room() -> None:
    """``140,000`` was cut to ``40,000``."""
    assert [axis_label(value) for value in (0.0, 0.02, 80_000.0, 140_000.0, 1_200_000.0)] == [
        "0", "0.02", "80,000", "140 k", "1.2 M",
    ]  # fmt: skip
