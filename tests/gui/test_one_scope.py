"""One scope that all views obey: findings, overview, timeline, heat map and esxtop view."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from sessions.model import EntityRef
from tests.gui.recordings import record
from tests.gui.windows import child_of, running, wait
from widgets.esxtop import EsxtopModel
from widgets.findings import FindingsView
from widgets.heatmap import HeatmapView
from widgets.overview import OverviewView
from widgets.overview.section import Section
from widgets.timeline import TimelineView

LIMITED = "JBOSS 11 (billing)"


@pytest.fixture
def opened(qapp: QApplication, home: Path, nothing_left_behind: None, qtbot: QtBot) -> Iterator[Program]:
    """A window with half an hour of the demo, judged."""
    path = record(home / "demo.hscope", seconds=1800)
    with running(qapp, home) as program:
        program.desk.session.open(path)
        wait(qtbot, lambda: program.desk.findings.findings)
        yield program


def entity(program: Program, name: str) -> EntityRef:
    """The VM or host with this name."""
    snapshot = program.desk.session.snapshot
    assert snapshot is not None
    return next(ref for ref in snapshot.entities if snapshot.name(ref) == name)


def look_at(program: Program, *names: str) -> None:
    """Set the scope to these entities."""
    scope = program.desk.scope
    scope.set(scope.scope.on([entity(program, name) for name in names]))


def listed(program: Program) -> list[str]:
    """The entities of the findings in the pane."""
    return [card.finding.entity_name for card in child_of(program.window, FindingsView).cards]


def talkers(overview: OverviewView) -> set[str]:
    """The entities in the top lists of the overview."""
    sections = overview.findChildren(Section)
    return {row.line.name for section in sections for row in section.rows if row.line.series}


def test_findings_of_others_are_counted_and_one_click_away(opened: Program, qtbot: QtBot) -> None:
    view = child_of(opened.window, FindingsView)
    everything = listed(opened)
    assert view.outside.text == ""
    look_at(opened, LIMITED)
    assert set(listed(opened)) == {LIMITED, "naa.600508b4000603860001287dbba3"}
    left = len(everything) - len(listed(opened))
    assert view.outside.text == f"{left} more outside this scope"
    qtbot.mouseClick(view.outside.button, Qt.MouseButton.LeftButton)
    assert listed(opened) == everything
    assert opened.desk.scope.scope.entities == ()
    opened.desk.scope.back()
    assert view.outside.text == f"{left} more outside this scope"


def test_the_list_stays_while_one_goes_through_it(opened: Program, qtbot: QtBot) -> None:
    view = child_of(opened.window, FindingsView)
    before = listed(opened)
    view.wanted.emit(view.cards[0].finding)
    assert opened.desk.scope.scope.entities == (view.cards[0].finding.entity,)
    assert listed(opened) == before
    assert view.outside.text.endswith("of these are outside this scope")
    qtbot.mouseClick(view.outside.button, Qt.MouseButton.LeftButton)
    assert len(listed(opened)) < len(before)
    assert view.outside.text.endswith("more outside this scope")


def test_every_view_shows_the_scope(opened: Program, qtbot: QtBot) -> None:
    window, desk = opened.window, opened.desk
    look_at(opened, LIMITED)
    vm = entity(opened, LIMITED)
    lane = child_of(window, TimelineView).content
    assert {bar.finding.entity_name for bar in lane.bars} == set(listed(opened))
    window.show_panel("overview")
    overview = child_of(window, OverviewView)
    wait(qtbot, lambda: talkers(overview) == {LIMITED})
    window.show_panel("heatmap")
    heat = child_of(window, HeatmapView)
    wait(qtbot, lambda: [row.ref for row in heat.map.heat.rows] == [vm])
    window.show_panel("esxtop")
    model = child_of(window, EsxtopModel)
    wait(qtbot, lambda: [model.row_at(row)[1].ref for row in range(model.rowCount())] == [vm])
    assert desk.scope.scope.entities == (vm,)
