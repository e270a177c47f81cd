"""What arrives live rearranges nothing that somebody looks at, and charts of the user's own choice stay."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from sessions.model import Entity, EntityRef, SeriesSpec, SourceSpec
from sessions.scope import Scope
from sessions.store import SessionWriter, encode_block
from tests.gui.windows import WAIT, child_of, running, wait
from tests.viewmodels.sessions import T0
from widgets.charts.page import ChartsPage
from widgets.heatmap import HeatmapView
from widgets.overview import OverviewView
from widgets.overview.section import Section

HOSTS = [EntityRef("host", name) for name in ("esx01", "esx02")]
VMS = [EntityRef("vm", f"vm{number}") for number in range(6)]
SPECS = [
    *(SeriesSpec(ref, "cpu.pcpu_util", "%") for ref in HOSTS),
    *(SeriesSpec(ref, "cpu.ready", "%") for ref in VMS),
]
Grow = Callable[[int, float], None]
"""Writes a minute of samples in which the VM of this number waits this much."""


@pytest.fixture
def growing(
    qapp: QApplication, home: Path, nothing_left_behind: None, qtbot: QtBot
) -> Iterator[tuple[Program, Grow]]:
    """A window on a session to which a test adds; the ready of a VM is its number."""
    path = home / "growing.hscope"
    writer = SessionWriter.create(path)
    writer.add_entities([Entity(ref, ref.key) for ref in HOSTS])
    writer.add_entities([Entity(ref, ref.key, HOSTS[0]) for ref in VMS])
    source = writer.add_source(SourceSpec("esxtop", "esx01", 5))
    layout = writer.add_layout(source, writer.add_series(source, SPECS))
    minutes = [0]

    def write(number: int, ready: float) -> None:
        rows = np.tile([30.0, 60.0, *map(float, range(6))], (12, 1))
        rows[:, 2 + number] = ready
        times = T0 + minutes[0] * 60_000 + 5_000 * np.arange(12, dtype=np.int64)
        writer.add_block(layout, encode_block(times, rows))
        minutes[0] += 1

    with writer, running(qapp, home) as program:
        for _ in range(5):
            write(5, 5.0)
        program.desk.session.open(path)
        wait(qtbot, lambda: program.desk.session.snapshot)

        def grow(number: int, ready: float) -> None:
            write(number, ready)
            with qtbot.waitSignal(program.desk.session.changed, timeout=WAIT):
                program.desk.session.check_now()

        yield program, grow
        program.desk.session.close()


def talkers(program: Program) -> list[tuple[str, str]]:
    """The lines of the list of VMs that wait."""
    for section in child_of(program.window, OverviewView).findChildren(Section):
        lines = [(row.line.name, row.line.value) for row in section.rows if row.line.series]
        if lines:
            return lines
    return []


def test_a_list_holds_still_under_the_pointer_and_counts_on(
    growing: tuple[Program, Grow], qtbot: QtBot
) -> None:
    program, grow = growing
    program.window.show_panel("overview")
    wait(
        qtbot,
        lambda: [name for name, _ in talkers(program)] == [f"vm{number}" for number in range(5, -1, -1)],
    )
    overview = child_of(program.window, OverviewView)
    [section] = [one for one in overview.findChildren(Section) if any(row.line.series for row in one.rows)]
    section.rows[0].setFocus()
    grow(1, 50.0)
    wait(qtbot, lambda: ("vm1", "50 %") in talkers(program))
    assert [name for name, _ in talkers(program)][:2] == ["vm5", "vm4"], "its place stays"
    program.window.pages.tabBar().setFocus()
    grow(1, 51.0)
    wait(qtbot, lambda: talkers(program)[0] == ("vm1", "51 %"))


def test_rows_of_the_heat_map_hold_until_they_are_sorted_again(
    growing: tuple[Program, Grow], qtbot: QtBot
) -> None:
    program, grow = growing
    program.window.show_panel("heatmap")
    view = child_of(program.window, HeatmapView)
    wait(qtbot, lambda: len(view.map.heat.rows) == 6)
    before = [row.name for row in view.map.heat.rows]
    grow(1, 50.0)
    wait(qtbot, lambda: any(row.worst == "50 %" for row in view.map.heat.rows))
    assert [row.name for row in view.map.heat.rows] == before
    assert view.sort.isVisible()
    qtbot.mouseClick(view.sort, Qt.MouseButton.LeftButton)
    wait(qtbot, lambda: view.map.heat.rows[0].name == "vm1")
    assert not view.sort.isVisible()


def test_a_finding_that_arrives_does_not_change_the_charts(
    growing: tuple[Program, Grow], qtbot: QtBot
) -> None:
    program, grow = growing
    program.window.show_panel("charts")
    wait(qtbot, lambda: program.desk.charts.charts)
    wait(qtbot, lambda: program.desk.findings.judged is not None)
    before = program.desk.charts.charts
    for _ in range(4):
        grow(1, 70.0)
    program.desk.findings.changed.emit()
    QTest.qWait(200)
    assert program.desk.charts.charts == before


def test_charts_of_the_users_own_choice_stay_until_released(
    growing: tuple[Program, Grow], qtbot: QtBot
) -> None:
    program, _ = growing
    desk = program.desk
    overview = child_of(program.window, OverviewView)
    program.window.show_panel("overview")
    wait(qtbot, lambda: talkers(program))
    desk.charts.choose([desk.charts.charts[0]])
    own = desk.charts.charts
    desk.scope.set(Scope((VMS[2],)))
    assert desk.charts.charts == own
    page = child_of(program.window, ChartsPage)
    assert page.pinned_note.isVisible()
    qtbot.mouseClick(page.follow, Qt.MouseButton.LeftButton)
    assert desk.charts.charts != own
    assert not page.pinned_note.isVisible()
    assert overview is not None
