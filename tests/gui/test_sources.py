"""The scope's sources: what one of several shows, in every view; chosen in the status bar or the palette."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.gui import navigation
from app.gui.application import Program
from sessions.model import Entity, EntityRef, Gap
from sessions.store import SessionReader, SessionWriter
from tests.gui.recordings import record
from tests.gui.windows import child_of, wait
from viewmodels.snapshot import read_snapshot, renewed_of_sources, snapshot_of_sources
from widgets.charts.card import ChartCard
from widgets.charts.page import ChartsPage
from widgets.esxtop import EsxtopView
from widgets.heatmap import HeatmapView
from widgets.inventory import InventoryView
from widgets.overview import OverviewView
from widgets.timeline import TimelineView
from widgets.timeline import geometry as at
from widgets.timeline.geometry import Scale

HOSTS = [EntityRef("host", f"esx0{number}.lab.local") for number in range(1, 5)]


def sources_of(program: Program, ids: list[int]) -> set[int]:
    whole = program.desk.session.whole
    assert whole is not None
    return {whole.by_id[one].source for one in ids}


@pytest.fixture
def shown(live: Program, qtbot: QtBot, home: Path) -> Program:
    return opened(live, qtbot, record(home / "a.hscope", seconds=300))


def opened(program: Program, qtbot: QtBot, path: Path) -> Program:
    program.workbench.open_paths([path])
    wait(qtbot, lambda: program.desk.session.snapshot is not None)
    return program


def choose(program: Program, qtbot: QtBot, source: int) -> None:
    """Click on a source in the status bar."""
    label = child_of(program.window, QLabel, "sources")
    assert f'href="source:{source}"' in label.text()
    label.linkActivated.emit(f"source:{source}")
    chosen = program.desk.scope.scope.sources
    whole = program.desk.session.whole
    assert whole is not None
    size = sum(not chosen or one.source in chosen for one in whole.series)
    wait(qtbot, lambda: len(program.desk.session.snapshot.series) == size)  # type: ignore[union-attr]


def shown_series(program: Program, page: str) -> list[int]:
    """What series a page draws."""
    window = program.window
    if page == "charts":
        cards = child_of(window, ChartsPage).stack.cards
    elif page == "overview":
        cards = child_of(window, OverviewView).findChildren(ChartCard)
    else:
        return [row.series for row in child_of(window, HeatmapView).map.heat.rows]
    return [curve.series for card in cards for curve in card.curves]


@pytest.mark.parametrize("page", ["charts", "overview", "heatmap"])
def test_a_page_shows_the_chosen_source(shown: Program, qtbot: QtBot, page: str) -> None:
    shown.window.show_panel(page)
    wait(qtbot, lambda: len(sources_of(shown, shown_series(shown, page))) > 1)
    choose(shown, qtbot, 2)
    wait(qtbot, lambda: sources_of(shown, shown_series(shown, page)) == {2})
    choose(shown, qtbot, 2)  # once more: all
    wait(qtbot, lambda: len(sources_of(shown, shown_series(shown, page))) > 1)
    assert shown.desk.scope.scope.sources == frozenset()


def test_the_timeline_shows_the_gaps_of_all(live: Program, qtbot: QtBot, home: Path) -> None:
    path = record(home / "a.hscope", seconds=300)
    with SessionReader.open(path) as reader:
        start = reader.times(1)[0].item()
    with SessionWriter.open(path) as writer:
        writer.add_gaps([Gap(1, start + 60_000, start + 90_000, "lost")])
    opened(live, qtbot, path)
    timeline = child_of(live.window, TimelineView)
    lanes = timeline.content.sources
    assert [len(lane.gaps) for lane in lanes] == [1, 0, 0, 0]
    choose(live, qtbot, 2)
    assert timeline.content.sources == lanes


def test_a_gap_in_the_status_bar_is_a_hole_in_the_lane_and_leads_there(
    live: Program, qtbot: QtBot, home: Path
) -> None:
    path = record(home / "a.hscope", seconds=300)
    with SessionReader.open(path) as reader:
        start = reader.times(1)[0].item()
        vm = next(entity for entity in reader.entities().values() if entity.ref.kind == "vm")
    lost, part = Gap(1, start + 60_000, start + 90_000, "no reply", None, 6), start + 200_000
    with SessionWriter.open(path) as writer:
        writer.add_gaps([lost, Gap(1, part, part, "its worlds changed", vm.ref, 1)])
    opened(live, qtbot, path)
    label = child_of(live.window, QLabel, "sources")
    assert "1 gap and 1 partial" in label.text()
    view = child_of(live.window, TimelineView)
    span = view.content.span
    assert span is not None
    scale = Scale(span, view.width())
    middle, left, right = (scale.x(t) for t in (lost.start + 15_000, lost.start, lost.end))
    picture = view.grab().toImage()
    ratio = picture.devicePixelRatio()
    row = round((at.SOURCES_TOP + 2) * ratio)
    surface, ok = (QColor(colour) for colour in (live.desk.theme.tokens.surface1, live.desk.theme.tokens.ok))
    assert picture.pixelColor(round(middle * ratio), row) != ok, "a hole"
    for x in (left - 5, right + 5):
        assert picture.pixelColor(round(x * ratio), row) == ok, "none beside it"
    assert surface != ok
    label.linkActivated.emit("gap:1")
    window = live.desk.scope.scope.window
    assert window is not None
    assert window.contains(lost.start)
    assert window.contains(lost.end)
    assert live.desk.moment.at == lost.start
    assert "Gap 1 of 2 of esx01.lab.local: " in live.window.messages.text
    assert "6 missed: no reply." in live.window.messages.text
    label.linkActivated.emit("gap:1")
    assert live.desk.moment.at == part
    assert f"only of {vm.name} (vm), its worlds changed" in live.window.messages.text
    live.window.actions_by_id["go.back"].trigger()
    assert live.desk.scope.scope.window == window


def test_the_inventory_and_esxtops_table_do(shown: Program, qtbot: QtBot) -> None:
    desk, window = shown.desk, shown.window
    window.show_panel("esxtop")
    table = child_of(window, EsxtopView).table

    def hosts() -> set[str]:
        model = table.model()
        return {str(model.index(row, 1).data()) for row in range(model.rowCount())}

    wait(qtbot, lambda: hosts() == {ref.key.partition(".")[0] for ref in HOSTS})
    choose(shown, qtbot, 2)
    snapshot = desk.session.snapshot
    assert snapshot is not None
    assert [ref for ref in snapshot.entities if ref.kind == "host"] == HOSTS[1:2]
    assert "esx02" in window.top.scope.text
    assert not any(" 0 series" in entry.text for entry in window.status._entries)
    wait(qtbot, lambda: hosts() <= {HOSTS[1].key, "esx02", ""})
    model = child_of(window, InventoryView)._model
    assert model.index_of(HOSTS[1]).isValid()
    assert not model.index_of(HOSTS[0]).isValid()
    desk.scope.back()
    wait(qtbot, lambda: model.index_of(HOSTS[0]).isValid())


def test_the_palette_offers_them(shown: Program) -> None:
    desk = shown.desk
    offered = {one.text: one for one in navigation.palette_entries(desk, {})}
    assert "All sources" not in offered
    offered["Only what esx03.lab.local shows"].run()
    assert desk.scope.scope.sources == {3}
    offered = {one.text: one for one in navigation.palette_entries(desk, {})}
    offered["All sources"].run()
    assert desk.scope.scope.sources == frozenset()


def test_charts_are_of_the_worst_that_the_source_shows(live: Program, qtbot: QtBot, home: Path) -> None:
    opened(live, qtbot, record(home / "a.hscope", "cpu-limit-vm", seconds=900))
    wait(qtbot, lambda: live.desk.findings.findings)
    live.window.show_panel("charts")
    [worst, *_] = live.desk.findings.findings
    wait(qtbot, lambda: len(sources_of(live, shown_series(live, "charts"))) == 1)
    [own] = sources_of(live, shown_series(live, "charts"))
    other = 1 + own % 4
    choose(live, qtbot, other)
    wait(qtbot, lambda: sources_of(live, shown_series(live, "charts")) == {other})
    live.desk.show_finding(worst)  # its evidence needs all
    assert live.desk.scope.scope.sources == frozenset()
    wait(qtbot, lambda: sources_of(live, shown_series(live, "charts")) == {own})


def test_a_recording_goes_on_behind_the_choice(live: Program, qtbot: QtBot) -> None:
    live.window.actions_by_id["file.lab"].trigger()
    wait(qtbot, lambda: live.desk.session.snapshot is not None and live.window.status._entries[0].source)
    choose(live, qtbot, 1)
    before = live.desk.session.snapshot
    assert before is not None
    wait(qtbot, lambda: live.desk.session.snapshot.span.end > before.span.end)  # type: ignore[union-attr]
    after = live.desk.session.snapshot
    assert after is not None
    assert {one.source for one in after.series} == {1}
    assert len(after.sources) == 4
    live.window.actions_by_id["record.stop"].trigger()
    wait(qtbot, lambda: live.workbench.recordings.process is None)


def test_what_is_the_same_stays_the_same(home: Path) -> None:
    path = record(home / "a.hscope", seconds=60)
    with SessionReader.open(path) as reader:
        whole = read_snapshot(reader, path)
    assert snapshot_of_sources(whole, frozenset()) is whole
    seen = snapshot_of_sources(whole, {2})
    again = renewed_of_sources(whole, whole, seen, {2})
    assert again.series_index is seen.series_index
    assert again.entity_index is seen.entity_index
    assert snapshot_of_sources(whole, {99}).series == []


def test_a_circle_of_parents_ends(home: Path) -> None:
    path = record(home / "a.hscope", seconds=60)
    with SessionReader.open(path) as reader:
        whole = read_snapshot(reader, path)
    for ref in HOSTS[:1]:
        whole.entities[ref] = Entity(ref, "x", HOSTS[1])  # type: ignore[index]
        whole.entities[HOSTS[1]] = Entity(HOSTS[1], "y", ref)  # type: ignore[index]
    assert set(HOSTS[:2]) <= snapshot_of_sources(whole, {1}).entities.keys()
