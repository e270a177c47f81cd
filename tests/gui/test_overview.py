"""The overview page: what its small charts are of."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from app.gui.panels import overview
from sessions.clock import UTC_CLOCK
from sessions.model import Entity, EntityRef, Event, SeriesSpec, SourceSpec
from sessions.store import SessionWriter, encode_block
from tests.gui.windows import WAIT, child_of, wait
from tests.widgets.findings import finding
from viewmodels.overview import OverviewContent, overview_content
from viewmodels.snapshot import Change
from viewmodels.verdict_words import VerdictWords
from widgets.charts.card import ChartCard
from widgets.charts.stack import ChartStack
from widgets.overview import OverviewView
from widgets.overview.section import Row
from widgets.theme import Theme

HOST = EntityRef("host", "esx01")
BUSY = EntityRef("device", "naa.6005")
IDLE = [EntityRef("device", f"t10.idle{number}") for number in range(6)]


def storage(path: Path) -> None:
    """Six idle local disks of 30 ms and an array of 20 ms; vCenter has the host that sees it as instance."""
    with SessionWriter.create(path) as writer:
        source = writer.add_source(SourceSpec("vcenter", "vc01", 20))
        writer.add_entities([Entity(HOST, "esx01"), *(Entity(ref, ref.key) for ref in (*IDLE, BUSY))])
        of_idle = [
            SeriesSpec(ref, counter, unit)
            for ref in IDLE
            for counter, unit in (("disk.device_latency", "ms"), ("disk.commands", "/s"))
        ]
        of_busy = [
            SeriesSpec(BUSY, "disk.device_latency", "ms", "esx01"),
            SeriesSpec(BUSY, "disk.commands", "/s", "esx01"),
        ]
        layout = writer.add_layout(source, writer.add_series(source, [*of_idle, *of_busy]))
        writer.add_events([Event(1_700_000_060_000, "storage", "The path jumped", BUSY)])
        row = [30.0, 0.1] * len(IDLE) + [20.0, 500.0]
        times = 1_700_000_000_000 + 20_000 * np.arange(60, dtype=np.int64)
        writer.add_block(layout, encode_block(times, np.tile(row, (60, 1))))


def test_an_idle_disk_does_not_stand_before_the_array(live: Program, qtbot: QtBot, home: Path) -> None:
    storage(home / "s.hscope")
    live.workbench.open_paths([home / "s.hscope"])
    panel = live.window.findChild(OverviewView)
    assert panel is not None
    live.window.show_panel("overview")

    def of_latency() -> list[ChartCard]:
        return [card for card in panel.findChildren(ChartCard) if card.spec.title == "Storage latency"]

    wait(qtbot, lambda: bool(of_latency()) and bool(of_latency()[0].curves))
    snapshot = live.desk.session.snapshot
    assert snapshot is not None
    entities = [snapshot.by_id[named.series].entity for named in of_latency()[0].curves]
    assert entities[0] == BUSY
    assert len(entities) == 4


def test_a_device_that_hosts_share_has_charts(live: Program, qtbot: QtBot, home: Path) -> None:
    """vCenter names the host that sees it: each host's view is a curve of the device."""
    storage(home / "s.hscope")
    live.workbench.open_paths([home / "s.hscope"])
    wait(qtbot, lambda: live.desk.session.snapshot is not None)
    live.desk.scope.set(live.desk.scope.scope.on([BUSY]))
    live.window.show_panel("charts")
    stack = child_of(live.window, ChartStack)
    wait(qtbot, lambda: [card.head.title for card in stack.cards] == [
        "Latency · naa.6005", "Commands · naa.6005",
    ])  # fmt: skip


def test_a_slow_machine_shows_what_it_has_read_before_it_reads_again(
    live: Program, qtbot: QtBot, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every growth of the session began to read anew: where that took long, the charts stayed empty."""
    go_on, begun = threading.Event(), list[object]()

    def slow(*arguments: Any) -> OverviewContent:
        begun.append(arguments)
        go_on.wait(WAIT / 1000)
        return overview_content(*arguments)

    monkeypatch.setattr(overview, "_LIVE_MS", 20)
    monkeypatch.setattr(overview, "overview_content", slow)
    storage(home / "s.hscope")
    live.window.show_panel("overview")
    live.workbench.open_paths([home / "s.hscope"])
    wait(qtbot, lambda: begun)
    qtbot.wait(300)
    before = len(begun)
    for _ in range(5):
        live.desk.session.changed.emit(Change(samples=True))
        qtbot.wait(60)
    assert len(begun) == before
    go_on.set()
    page = child_of(live.window, OverviewView)
    wait(qtbot, lambda: any(card.curves for card in page.findChildren(ChartCard)))
    wait(qtbot, lambda: len(begun) > before)  # what came meanwhile is read then


def test_what_happened_lately_comes_with_the_charts_above_it(
    live: Program, qtbot: QtBot, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It stood at the top for as long as the charts were read, and then it jumped down."""
    go_on, begun = threading.Event(), list[object]()

    def slow(*arguments: Any) -> OverviewContent:
        begun.append(arguments)
        go_on.wait(WAIT / 1000)
        return overview_content(*arguments)

    monkeypatch.setattr(overview, "overview_content", slow)
    storage(home / "s.hscope")
    live.window.show_panel("overview")
    live.workbench.open_paths([home / "s.hscope"])
    page = child_of(live.window, OverviewView)

    def lately() -> list[QLabel]:
        titles = [one for one in page.findChildren(QLabel) if one.text().startswith("LATELY")]
        return [one for one in titles if one.isVisibleTo(page)]

    wait(qtbot, lambda: begun)
    qtbot.wait(100)
    assert not lately()
    go_on.set()
    wait(qtbot, lambda: len(lately()) == 1)
    assert any(card.curves for card in page.findChildren(ChartCard))


def test_rows_of_lists_are_as_high_as_their_letters(live: Program, qtbot: QtBot, home: Path) -> None:
    """The style of all buttons made them lower: what hangs below the line, as of a p, was cut off."""
    storage(home / "s.hscope")
    page = child_of(live.window, OverviewView)
    live.window.show_panel("overview")
    live.workbench.open_paths([home / "s.hscope"])

    def rows() -> list[Row]:
        return [one for one in page.findChildren(Row) if one.isVisible()]

    wait(qtbot, lambda: bool(rows()))
    qtbot.wait(300)
    assert {one.height() >= 26 for one in rows()} == {True}


def test_another_theme_takes_no_finding_away(theme: Theme, qtbot: QtBot) -> None:
    view = OverviewView(theme, UTC_CLOCK)
    qtbot.addWidget(view)
    found = [replace(finding(f"vm{at}"), problem=f"p{at}", title=f"Problem {at}") for at in range(6)]
    view.show_findings(found, VerdictWords("critical", "6 critical", "Judged to 02:00"))
    said = view.verdict_text
    assert "Also found: Problem 4 (vm4); Problem 5 (vm5)." in said
    theme.set_preference("light")
    assert view.verdict_text == said
