"""The numbers beside names: whose they are, how old they may be, and that the worst of many is among them."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from sessions.model import Entity, EntityRef, Fact, SeriesSpec, SourceSpec
from sessions.store import SessionWriter
from tests.gui.windows import child_of, wait
from tests.viewmodels.sessions import T0, add_source
from widgets.esxtop import EsxtopView
from widgets.heatmap import HeatmapView
from widgets.inventory import InventoryView
from widgets.inventory.model import REF, VALUE

HOST, OTHER = EntityRef("host", "esx01"), EntityRef("host", "esx02")
UTIL, UNIT = "cpu.pcpu_util", "%"


def opened(program: Program, qtbot: QtBot, path: Path) -> None:
    program.workbench.open_paths([path])
    wait(qtbot, lambda: program.desk.session.path == path)


def inventory_values(program: Program) -> dict[EntityRef, str]:
    """What stands beside each entity of the inventory."""
    tree = child_of(program.window, InventoryView).tree
    index, found = tree.model().index(0, 0), {}
    while index.isValid():
        if index.data(REF) is not None:
            found[index.data(REF)] = index.data(VALUE)
        index = tree.indexBelow(index)
    return found


def test_a_hosts_number_is_the_hosts_and_not_that_of_its_first_cpu(
    live: Program, qtbot: QtBot, home: Path
) -> None:
    with SessionWriter.create(home / "s.hscope") as writer:
        writer.add_entities([Entity(HOST, "esx01")])
        specs = [SeriesSpec(HOST, UTIL, UNIT, name) for name in ("PCPU 0", "PCPU 1", "")]
        add_source(writer, SourceSpec("esxtop", "esx01", 5), specs, np.tile([97, 3, 50], (9, 1)), every_s=5)
    opened(live, qtbot, home / "s.hscope")
    wait(qtbot, lambda: any(inventory_values(live).values()))
    assert inventory_values(live)[HOST] == "50 %"


def two_sources(path: Path) -> None:
    """A host that fell silent a minute before the end, and one that tells something every 300 seconds."""
    with SessionWriter.create(path) as writer:
        writer.add_entities([Entity(HOST, "esx01"), Entity(OTHER, "esx02")])
        silent = [SeriesSpec(HOST, UTIL, UNIT)]
        add_source(writer, SourceSpec("esxtop", "esx01", 5), silent, np.full((108, 1), 70.0), every_s=5)
        slow = [SeriesSpec(OTHER, UTIL, UNIT)]
        add_source(writer, SourceSpec("vcenter", "vc", 300), slow, np.full((3, 1), 30.0), every_s=300)


def test_a_host_that_fell_silent_has_no_number_now(live: Program, qtbot: QtBot, home: Path) -> None:
    """The interval of another source says nothing about how old its samples may be."""
    two_sources(home / "s.hscope")
    opened(live, qtbot, home / "s.hscope")
    wait(qtbot, lambda: any(inventory_values(live).values()))
    assert inventory_values(live) == {HOST: "", OTHER: "30 %"}


def test_the_worst_of_five_thousand_is_on_top_of_the_heat_map(
    live: Program, qtbot: QtBot, home: Path
) -> None:
    path = home / "s.hscope"
    vms = [EntityRef("vm", f"vm{number:04d}") for number in range(5_000)]
    rows = np.full((20, len(vms)), 1.0)
    rows[7, -1] = 80.0
    with SessionWriter.create(path) as writer:
        writer.add_entities([Entity(ref, ref.key) for ref in vms])
        specs = [SeriesSpec(ref, "cpu.ready", UNIT) for ref in vms]
        add_source(writer, SourceSpec("vcenter", "vc", 20), specs, rows, every_s=20)
    opened(live, qtbot, path)
    live.window.show_panel("heatmap")
    view = child_of(live.window, HeatmapView)
    wait(qtbot, lambda: bool(view.map.heat.rows))
    assert view.map.heat.rows[0].ref == vms[-1]
    assert view.map.heat.rows[0].worst == "80 %"


@pytest.fixture
def in_tokyo(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """This computer stands where it is nine hours later than UTC."""
    if sys.platform == "win32":
        pytest.skip("Windows takes its zone from the registry")
    with monkeypatch.context() as there:
        there.setenv("TZ", "Asia/Tokyo")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("in_tokyo")
def test_the_heat_map_follows_the_clock_of_the_settings(live: Program, qtbot: QtBot, home: Path) -> None:
    path = home / "s.hscope"
    ref = EntityRef("vm", "db")
    with SessionWriter.create(path) as writer:
        writer.add_entities([Entity(ref, "db")])
        specs = [SeriesSpec(ref, "cpu.ready", UNIT)]
        add_source(writer, SourceSpec("vcenter", "vc", 20), specs, np.ones((99, 1)), every_s=20)
    live.desk.settings.set("look.times", "utc")
    opened(live, qtbot, path)
    live.window.show_panel("heatmap")
    view = child_of(live.window, HeatmapView)
    wait(qtbot, lambda: bool(view.map.heat.rows))
    before = view.map.grab().toImage()
    live.desk.settings.set("look.times", "local")
    assert view.map.grab().toImage() != before


def test_esxtop_shows_no_number_of_a_host_that_fell_silent(live: Program, qtbot: QtBot, home: Path) -> None:
    path = home / "s.hscope"
    with SessionWriter.create(path) as writer:
        vms = [EntityRef("vm", name) for name in ("silent", "slow")]
        writer.add_entities([Entity(ref, ref.key) for ref in vms])
        for ref, interval, ticks in ((vms[0], 5, 108), (vms[1], 300, 3)):
            specs = [SeriesSpec(ref, "cpu.ready", UNIT)]
            spec = SourceSpec("esxtop", ref.key, interval)
            add_source(writer, spec, specs, np.full((ticks, 1), 2.0), every_s=interval)
    opened(live, qtbot, path)
    live.window.show_panel("esxtop")
    view = child_of(live.window, EsxtopView)
    wait(qtbot, lambda: view.when.text().startswith("as of"))
    model = view.table.model()
    column = next(
        at for at in range(model.columnCount()) if model.headerData(at, Qt.Orientation.Horizontal) == "%RDY"
    )
    rows = {model.index(row, 0).data(): model.index(row, column).data() for row in range(model.rowCount())}
    assert rows == {"silent": "–", "slow": "2.00"}


def test_a_renamed_host_as_the_scope_keeps_its_vms_in_esxtop(live: Program, qtbot: QtBot, home: Path) -> None:
    path = home / "s.hscope"
    vms = [EntityRef("vm", name) for name in ("here", "elsewhere")]
    with SessionWriter.create(path) as writer:
        writer.add_entities([Entity(HOST, "esx01"), Entity(OTHER, "esx02")])
        writer.add_entities([Entity(ref, ref.key) for ref in vms])
        writer.add_facts([Fact(HOST, "name", "esx01-new", T0)])
        writer.add_facts([Fact(vms[0], "host", "esx01", T0), Fact(vms[1], "host", "esx02", T0)])
        specs = [SeriesSpec(ref, "cpu.ready", UNIT) for ref in vms]
        add_source(writer, SourceSpec("vcenter", "vc", 20), specs, np.full((9, 2), 4.0), every_s=20)
    opened(live, qtbot, path)
    live.window.show_panel("esxtop")
    model = child_of(live.window, EsxtopView).table.model()
    wait(qtbot, lambda: model.rowCount() == 2)
    live.desk.scope.set(live.desk.scope.scope.on([HOST]))
    wait(qtbot, lambda: model.rowCount() < 2)
    assert [(model.index(row, 0).data(), model.index(row, 1).data()) for row in range(model.rowCount())] == [
        ("here", "esx01-new")
    ]
