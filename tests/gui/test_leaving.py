"""What leaves the window by context menus and two keys: findings, lists, heat map, timeline, sources."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QLabel, QWidget
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from sessions.model import Mark
from tests.gui.recordings import record
from tests.gui.windows import child_of, wait
from widgets.context_menu import MenuEntry, context_menu_of
from widgets.findings import FindingsView
from widgets.heatmap.map import HeatMap
from widgets.jobs import JobsView
from widgets.overview import OverviewView
from widgets.overview.section import Section
from widgets.timeline import TimelineView

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
Shown = TypeVar("Shown", bound=QWidget)
CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return record(tmp_path_factory.mktemp("leaving") / "demo.hscope", seconds=900)


@pytest.fixture
def opened(live: Program, session: Path, qtbot: QtBot) -> Program:
    """A window on a judged session."""
    live.workbench.open_paths([session])
    wait(qtbot, lambda: live.desk.findings.findings)
    return live


def clipboard() -> str:
    return QGuiApplication.clipboard().text()


def choose(widget: QWidget, text: str) -> None:
    """Choose an entry of the context menu of a widget's current item."""
    menu = context_menu_of(widget)
    assert menu is not None
    entries = [one for one in menu.entries() if isinstance(one, MenuEntry)]
    [entry] = [one for one in entries if one.text == text]
    entry.act()


def saved(program: Program, qtbot: QtBot, path: Path) -> str:
    """Save what a dialog asks for as ``path``; returns the text of the file."""
    dialog = child_of(program.window, QFileDialog)
    dialog.fileSelected.emit(str(path))
    dialog.reject()
    wait(qtbot, path.exists)
    return path.read_text(encoding="utf-8-sig")


def test_a_finding_is_copied_as_text_and_as_json(opened: Program, qtbot: QtBot) -> None:
    view = child_of(opened.window, FindingsView)
    wait(qtbot, lambda: view.cards)
    card = view.cards[0]
    card.setFocus()
    qtbot.keyClick(card, Qt.Key.Key_C, CTRL)
    assert clipboard().startswith(f"1. ‼ {card.finding.severity.upper()}  {card.finding.title}")
    assert "What to do" in clipboard()
    choose(card, "Copy as JSON")
    document = json.loads(clipboard())
    assert (document["problem"], document["entity"]["name"]) == (
        card.finding.problem,
        card.finding.entity_name,
    )


@pytest.mark.parametrize("suffix", [".txt", ".md", ".json"])
def test_all_findings_are_saved(opened: Program, qtbot: QtBot, tmp_path: Path, suffix: str) -> None:
    view = child_of(opened.window, FindingsView)
    wait(qtbot, lambda: view.cards)
    choose(view.cards[0], "Save all findings…")
    text = saved(opened, qtbot, tmp_path / f"findings{suffix}")
    starts = {".txt": "Findings: ", ".md": "# Findings: ", ".json": "{\n"}
    assert text.startswith(starts[suffix])
    for finding in opened.desk.findings.findings[:3]:
        assert finding.entity_name.split(" ")[0] in text


def page(
    program: Program, qtbot: QtBot, name: str, kind: type[Shown], ready: Callable[[Shown], object]
) -> Shown:
    """Show a page and wait until it is filled."""
    program.window.show_panel(name)
    view = child_of(program.window, kind)
    wait(qtbot, lambda: ready(view))
    return view


def test_the_heat_map_leaves_as_values_and_as_a_picture(
    opened: Program, qtbot: QtBot, tmp_path: Path
) -> None:
    area = page(opened, qtbot, "heatmap", HeatMap, lambda one: one.heat.rows)
    scope = opened.desk.scope.scope
    qtbot.keyClick(area, Qt.Key.Key_C, CTRL)
    head, first, *rest = clipboard().splitlines()
    columns = area.heat.values.shape[1]
    assert head.split("\t")[:2] == ["name", "worst"]
    assert head.count("\t") == first.count("\t") == columns + 1
    assert first.split("\t")[0] == area.heat.rows[0].name
    assert len(rest) == len(area.heat.rows) - 1
    choose(area, "Copy as picture")
    assert QGuiApplication.clipboard().image().width() > 300
    choose(area, "Save as picture…")
    dialog = child_of(opened.window, QFileDialog)
    dialog.fileSelected.emit(str(tmp_path / "heat.png"))
    dialog.reject()
    wait(qtbot, (tmp_path / "heat.png").exists)
    assert (tmp_path / "heat.png").read_bytes().startswith(b"\x89PNG")
    assert opened.desk.scope.scope == scope, "nothing of this changes the scope"


def test_lists_of_the_overview_leave(opened: Program, qtbot: QtBot, tmp_path: Path) -> None:
    sections = [
        one
        for one in page(opened, qtbot, "overview", OverviewView, lists_of).findChildren(Section)
        if one.rows
    ]
    worst = sections[0]
    worst.rows[1].setFocus()
    qtbot.keyClick(worst.rows[1], Qt.Key.Key_C, CTRL)
    lines = clipboard().splitlines()
    assert lines[0] == "name\tvalue\tstate"
    assert len(lines) == 1 + len(worst.rows)
    choose(worst.rows[1], "Copy the line")
    assert clipboard().startswith(worst.rows[1].line.name[:20])
    choose(worst.rows[1], "Save as CSV…")
    assert saved(opened, qtbot, tmp_path / "worst.csv").splitlines()[0] == "name,value,state"


def lists_of(view: OverviewView) -> bool:
    return sum(bool(one.rows) for one in view.findChildren(Section)) > 2


def test_events_and_marks_leave_in_order_of_time(opened: Program, qtbot: QtBot) -> None:
    timeline = child_of(opened.window, TimelineView)
    snapshot = opened.desk.session.snapshot
    assert snapshot is not None
    assert snapshot.span is not None
    marks = [Mark(snapshot.span.start + 60_000, "users call"), Mark(snapshot.span.start, "=begin")]
    timeline.show_content(replace(timeline.content, marks=tuple(marks)))
    qtbot.keyClick(timeline, Qt.Key.Key_C, CTRL)
    lines = clipboard().splitlines()
    assert lines[0] == "time\tend\twhat\tentity\ttext\tby\tlog"
    rows = [line.split("\t") for line in lines[1:] if "\tmark\t" in line]
    assert [row[4] for row in rows] == ["'=begin", "users call"]
    assert rows[0][0] == opened.desk.times.clock.iso(snapshot.span.start)
    assert [row[0] for row in rows] == sorted(row[0] for row in rows)


def test_sources_and_jobs_leave(opened: Program, qtbot: QtBot) -> None:
    sources = child_of(opened.window, QLabel, "sources")
    wait(qtbot, lambda: "esx01" in sources.text())
    choose(sources, "Copy the sources")
    assert [line.split("\t")[0] for line in clipboard().splitlines()][:2] == ["source", "esx01.lab.local"]
    choose(sources, "Show only esx02.lab.local")
    assert len(opened.desk.scope.scope.sources) == 1
    opened.window.show_panel("jobs")
    jobs = child_of(opened.window, JobsView)
    job = opened.desk.jobs.add_external("Importing x.csv", lambda: None)
    wait(qtbot, lambda: jobs.cards)
    choose(jobs, "Copy the table")
    opened.desk.jobs.end(job, "done")
    assert clipboard().splitlines()[1].startswith("Importing x.csv\trunning")
