"""Numbers, charts, the esxtop view and the heat map use the limits by which an entity was judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from diagnosis.facts import FactTable
from diagnosis.storage_table import Classed, StorageTable
from resources.catalogue import load_catalogue
from resources.problem_cards import load_problems
from resources.threshold_sets import ChosenClass, OwnSet, OwnThresholds, StorageLimits
from resources.views import load_chart_templates, load_headlines, load_limits, load_overview, load_screens
from sessions.model import Entity, EntityRef, Fact, SeriesSpec, SourceSpec
from sessions.store import SessionWriter
from sessions.times import TimeRange
from tests.viewmodels.sessions import T0, add_source, reading
from viewmodels.chart_curves import CurveLabels
from viewmodels.chart_sets import charts_of, lines_of
from viewmodels.chart_spec import ChartSpec
from viewmodels.entity_limits import EntityLimits, LimitsCache, entity_limits, limit_text
from viewmodels.esxtop_cells import CRITICAL, WARNING, WITHIN, Cells
from viewmodels.esxtop_columns import meaning_of
from viewmodels.esxtop_rows import ScreenOptions, grid_of
from viewmodels.headlines import HeadlineCache, headline_numbers
from viewmodels.heat_map import MEASURES, heat_choices, heat_map, in_place
from viewmodels.limit_check import over_limit, over_sentence
from viewmodels.overview import overview_content
from viewmodels.scope_filter import ScopeFilter
from viewmodels.snapshot import Snapshot, read_snapshot, renewed_snapshot
from viewmodels.storage_facts import tells_class

PROBLEMS, CATALOGUE = load_problems(), load_catalogue()
GENERAL = load_limits(PROBLEMS)
NVME = EntityRef("device", "eui.00d0231000b7e6a50000000000000101")
HDD, LUN = EntityRef("device", "mpx.vmhba0:C0:T0:L0"), EntityRef("device", "naa.6")
VM, DISK = EntityRef("vm", "vm-1"), EntityRef("vdisk", "vm-1/scsi0:0")
HOST = EntityRef("host", "esx01")
LATENCY = {NVME: 6.0, HDD: 12.0, LUN: 8.0}
OWN = OwnThresholds(sets=[OwnSet("NVMe, yours", "nvme", {"latency_warn": 7.0}, 2, "2026-11-22")])


def limits_of(snapshot: Snapshot, own: OwnThresholds | None = None) -> EntityLimits:
    return entity_limits(snapshot, GENERAL, StorageLimits(PROBLEMS.storage.classes, own or OwnThresholds()))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A host with an NVMe device that takes 6 ms, a hard disk that takes 12 ms, and a LUN of 8 ms."""
    return made(tmp_path / "s.hscope", LATENCY)


def made(path: Path, latency: Mapping[EntityRef, float]) -> Path:
    with SessionWriter.create(path) as writer:
        writer.add_entities([Entity(HOST, "esx01"), *(Entity(ref, ref.key, HOST) for ref in latency)])
        writer.add_entities([Entity(VM, "db"), Entity(DISK, "scsi0:0", VM)])
        writer.add_facts([Fact(HDD, f"device.{name}", value, T0) for name, value in DISK_FACTS])
        specs = [SeriesSpec(ref, "disk.device_latency", "ms") for ref in latency]
        specs += [SeriesSpec(ref, "disk.commands", "/s") for ref in latency]
        values = np.array([*latency.values(), *(500.0 for _ in latency)])
        add_source(writer, SourceSpec("esxtop", "esx01", 20), specs, np.tile(values, (5, 1)), every_s=20)
    return path


DISK_FACTS = (("local", True), ("ssd", False))


def test_each_device_has_the_limits_of_its_class(path: Path) -> None:
    with reading(path) as (_, snapshot):
        limits = limits_of(snapshot)
        found = {ref: limits.of("disk.device_latency", ref) for ref in LATENCY}
    assert {ref: one.warning.value for ref, one in found.items() if one} == {NVME: 5.0, HDD: 15.0, LUN: 10.0}
    assert {ref: one.state(LATENCY[ref]) for ref, one in found.items() if one} == {
        NVME: "warning",
        HDD: "",
        LUN: "",
    }
    assert [one.because for one in found.values() if one] == ["class NVMe", "class HDD", ""]
    assert found[LUN] is GENERAL.of("disk.device_latency", "device")


def test_a_path_has_the_limits_of_its_device_and_an_adapter_those_that_all_its_devices_have(
    path: Path,
) -> None:
    host, local = EntityRef("host", "esx01"), EntityRef("device", "esx01/mpx.vmhba0:C0:T0:L0")
    devices = {"vmhba1:C0:T0:L0": NVME.key, "vmhba1:C0:T1:L0": NVME.key, "vmhba2:C0:T0:L1": LUN.key,
               "vmhba2:C0:T0:L2": NVME.key, "vmhba0:C0:T0:L0": "mpx.vmhba0:C0:T0:L0"}  # fmt: skip
    with SessionWriter.open(path) as writer:
        writer.add_entities([Entity(host, "esx01"), Entity(local, "mpx.vmhba0:C0:T0:L0", host)])
        writer.add_facts([Fact(local, f"device.{name}", value, T0) for name, value in DISK_FACTS])
        for runtime, device in devices.items():
            ref = EntityRef("path", f"esx01/{runtime}")
            adapter = EntityRef("adapter", f"esx01/{runtime.partition(':')[0]}")
            writer.add_entities([Entity(adapter, adapter.key, host), Entity(ref, runtime, adapter)])
            writer.add_facts([Fact(ref, "path.device", device, T0)])
    with reading(path) as (_, snapshot):
        limits = limits_of(snapshot)
        found = {
            ref.key.partition("/")[2]: limits.of("disk.device_latency", ref)
            for ref in snapshot.entities
            if ref.kind in ("path", "adapter")
        }
    assert {name: one.warning.value for name, one in found.items() if one} == {
        "vmhba1:C0:T0:L0": 5.0, "vmhba1:C0:T1:L0": 5.0, "vmhba1": 5.0,
        "vmhba2:C0:T0:L1": 10.0, "vmhba2:C0:T0:L2": 5.0, "vmhba2": 10.0,
        "vmhba0:C0:T0:L0": 15.0, "vmhba0": 15.0,
    }  # fmt: skip


def test_other_counters_and_entities_keep_the_general_limits(path: Path) -> None:
    with reading(path) as (_, snapshot):
        limits = limits_of(snapshot)
        assert limits.of("cpu.ready", VM) is GENERAL.of("cpu.ready", "vm")
        assert limits.of("disk.queued", NVME) is GENERAL.of("disk.queued", "device")
        assert limits.of("cpu.ready", HOST) is None
        assert limits.depend_on_class("disk.device_latency")
        assert not limits.depend_on_class("cpu.ready")


def test_classes_that_were_found_ahead_are_not_worked_out_again(path: Path) -> None:
    asked: list[EntityRef] = []

    with reading(path) as (_, snapshot):

        def entity(ref: EntityRef) -> Entity:
            asked.append(ref)
            return snapshot.entities[ref]

        facts = FactTable(snapshot.records.storage, TimeRange(0, T0 + 1))
        table = StorageTable(StorageLimits(PROBLEMS.storage.classes), lambda ref: ref, entity, facts)
        limits = EntityLimits(GENERAL, lambda: table)
        assert not asked
        limits.find_classes(snapshot.entities)
        assert {NVME, HDD, LUN} <= set(asked)
        assert HOST not in asked
        asked.clear()
        found = limits.of("disk.device_latency", NVME)
        group, _first = limits.alike(list(LATENCY))
    assert not asked
    assert found is not None
    assert found.because == "class NVMe"
    assert len(set(group.tolist())) == 3


def test_an_admins_own_set_says_so(path: Path) -> None:
    with reading(path) as (_, snapshot):
        found = limits_of(snapshot, OWN).of("disk.device_latency", NVME)
    assert found is not None
    assert limit_text(found, "ms") == (
        "limit 7 ms: class NVMe, yours v2 of 2026-11-22 (your set NVMe, yours v2 of 2026-11-22)"
    )
    assert not found.state(6.0)
    assert found.critical is not None
    assert found.critical.source == "G41-F16: peaks over 20 ms"  # the set has no number of its own for that


def test_a_set_of_another_name_and_a_class_that_was_chosen(path: Path) -> None:
    own = OwnThresholds(
        sets=[OwnSet("Gold", "ssd", {"latency_warn": 3.0}, 1, "2026-11-20")],
        chosen=[ChosenClass("naa.*", "ssd")],
    )
    with reading(path) as (_, snapshot):
        found = limits_of(snapshot, own).of("disk.device_latency", LUN)
    assert found is not None
    assert (found.warning.value, found.because) == (3.0, "class SSD, Gold v1 of 2026-11-20")


def test_a_virtual_disk_has_the_limits_of_its_vm_that_its_card_has(tmp_path: Path) -> None:
    path = tmp_path / "s.hscope"
    store = EntityRef("datastore", "ds-1")
    with SessionWriter.create(path) as writer:
        writer.add_entities([Entity(VM, "db"), Entity(DISK, "scsi0:0", VM), Entity(store, "vsanDatastore")])
        writer.add_facts([Fact(store, "datastore.type", "vsan", T0)])
        writer.add_facts([Fact(VM, "vdisk.scsi0:0.datastore", store.key, T0)])
        specs = [SeriesSpec(ref, "vdisk.latency_read", "ms") for ref in (VM, DISK)]
        add_source(writer, SourceSpec("vcenter", "vc", 20), specs, np.ones((5, 2)), every_s=20)
    own = OwnThresholds(sets=[OwnSet("Stretched", "vsan", {"disk_warn": 30.0}, 1, "2026-11-20")])
    with reading(path) as (_, snapshot):
        shipped, changed = (
            [limits.of("vdisk.latency_read", ref) for ref in (VM, DISK)]
            for limits in (limits_of(snapshot), limits_of(snapshot, own))
        )
    of_card = PROBLEMS.storage.shipped("vsan", "disk_warn")
    assert [one.warning.value for one in shipped if one] == [of_card, of_card]
    assert [(one.warning.value, one.because) for one in changed if one] == [
        (30.0, "class vSAN, Stretched v1 of 2026-11-20")
    ] * 2


def test_every_fact_that_tells_a_class_is_kept() -> None:
    told = {name for sign in PROBLEMS.storage.classes.signs for name in sign.facts}
    assert told
    assert all(tells_class(name) for name in (*told, "device.datastore", "vdisk.scsi0:0.datastore"))
    assert not tells_class("host")


def test_the_headline_is_coloured_as_its_device_is_judged(path: Path) -> None:
    headlines = load_headlines(CATALOGUE)
    with reading(path) as (_, snapshot):
        found = HeadlineCache().of(snapshot, headlines, GENERAL)
        last = {
            one.id: LATENCY[one.entity] if one.counter == "disk.device_latency" else 500.0
            for one in snapshot.series
        }
        numbers = headline_numbers(found.chosen, found.loads, last, T0, limits_of(snapshot))
    assert set(numbers.over) == {NVME}
    assert over_sentence(numbers.over[NVME], "DAVG") == "DAVG is 6 ms, over its limit of 5 ms (class NVMe)."


@pytest.mark.parametrize(("value", "is_over"), [(6.0, True), (3_000_000.0, True), (1e15, False)])
def test_a_number_that_no_host_has_is_over_no_limit(path: Path, value: float, is_over: bool) -> None:
    with reading(path) as (_, snapshot):
        series = next(
            one for one in snapshot.series if (one.entity, one.counter) == (NVME, "disk.device_latency")
        )
        assert (over_limit(series, value, limits_of(snapshot)) is not None) == is_over


def drawn(snapshot: Snapshot, refs: list[EntityRef], limits: EntityLimits) -> list[tuple[float, str, str]]:
    series = [one for ref in refs for one in snapshot.series_of[ref] if one.counter == "disk.device_latency"]
    return [(one.value, one.label, one.severity) for one in lines_of(series, limits)]


def test_a_chart_has_one_line_for_each_distinct_limit(path: Path) -> None:
    with reading(path) as (_, snapshot):
        limits = limits_of(snapshot)
        assert drawn(snapshot, [LUN], limits) == [(10, "10 ms", "warning"), (20, "20 ms", "critical")]
        assert drawn(snapshot, [NVME], limits) == [
            (5, "5 ms NVMe", "warning"),
            (20, "20 ms NVMe", "critical"),
        ]
        assert drawn(snapshot, [NVME, HDD, LUN], limits) == [
            (5, "5 ms NVMe", "warning"),
            (15, "15 ms HDD", "warning"),
            (10, "10 ms others", "warning"),
            (20, "20 ms NVMe, others", "critical"),
            (25, "25 ms HDD", "critical"),
        ]
        reversed_ = [label for _, label, _ in drawn(snapshot, [LUN, HDD, NVME], limits)]
        assert "20 ms NVMe, others" in reversed_, "those without a class come last"


def test_charts_are_drawn_with_the_limits_of_now_and_say_whose_they_are(path: Path) -> None:
    """A set that was saved while a chart stands is in the chart at once."""
    with reading(path) as (_, snapshot):
        templates = load_chart_templates(CATALOGUE)
        chart = charts_of([NVME], snapshot, templates, limits_of(snapshot))[0]
        labels = CurveLabels(CATALOGUE, limits_of(snapshot, OWN))
        now, _curves = labels.drawn(chart, {}, snapshot)
        of_finding, _curves = labels.drawn(replace(chart, keeps_limits=True), {}, snapshot)
        [series] = [one for one in snapshot.series_of[NVME] if one.counter == "disk.device_latency"]
        described = labels.description(series)
        added, _curves = labels.drawn(ChartSpec("", "ms", (series.id,)), {}, snapshot)
    assert [one.label for one in chart.limits] == ["5 ms NVMe", "20 ms NVMe"]
    assert [one.label for one in now.limits] == ["7 ms NVMe", "20 ms NVMe"]
    assert of_finding.limits == chart.limits
    assert added.limits == now.limits
    assert "limit 7 ms: class NVMe, yours v2 of 2026-11-22" in described


def test_cells_of_the_esxtop_view_are_judged_by_the_class_of_their_row(path: Path) -> None:
    [screen] = [one for one in load_screens(CATALOGUE) if one.id == "device"]
    with reading(path) as (_, snapshot):
        grid = grid_of(screen, snapshot, ScreenOptions(), CATALOGUE, limits_of(snapshot))
        [at] = [n for n, one in enumerate(grid.columns) if one.counter == "disk.device_latency"]
    numbers = np.zeros(grid.ids.shape)
    numbers[:, at] = [LATENCY[row.ref] for row in grid.rows]
    loads = {"disk.commands": np.full(len(grid.rows), 500.0)}
    cells = Cells.of(grid.rows, grid.columns, numbers, loads, grid.limits)
    states = {row.ref: int(cells.states[n, at]) for n, row in enumerate(grid.rows)}
    assert states == {NVME: WARNING, HDD: WITHIN, LUN: WITHIN}
    numbers[:, at] = 21.0
    cells = Cells.of(grid.rows, grid.columns, numbers, loads, grid.limits)
    states = {row.ref: int(cells.states[n, at]) for n, row in enumerate(grid.rows)}
    assert states == {NVME: CRITICAL, HDD: WARNING, LUN: CRITICAL}
    told = grid.columns[at].tooltip.splitlines()
    assert "Limit of 5 ms: class NVMe" in " ".join(told)
    assert "Limit of 15 ms: class HDD (MON67: over 15 ms there is probably a problem with the array)" in told
    _title, paragraphs = meaning_of(grid.columns[at], CATALOGUE, {})
    assert any("class HDD" in one for one in paragraphs)


def test_a_screen_without_classes_has_no_limits_of_rows(path: Path) -> None:
    [screen] = [one for one in load_screens(CATALOGUE) if one.id == "device"]
    with reading(made(path.with_name("lun.hscope"), {LUN: 8.0})) as (_, snapshot):
        grid = grid_of(screen, snapshot, ScreenOptions(), CATALOGUE, limits_of(snapshot))
        general = grid_of(screen, snapshot, ScreenOptions(), CATALOGUE, EntityLimits(GENERAL))
    assert not grid.limits
    assert repr(grid.columns) == repr(general.columns)  # a NaN is no NaN's equal


@pytest.mark.parametrize("measure", MEASURES)
def test_rows_of_the_heat_map_have_the_limits_of_their_class(path: Path, measure: str) -> None:
    [chosen] = [one for one in MEASURES if one == measure]
    with reading(path) as (reader, snapshot):
        limits = limits_of(snapshot)
        [choice] = [
            one for one in heat_choices(snapshot, GENERAL, CATALOGUE) if one.counter == "disk.device_latency"
        ]
        everything = ScopeFilter(frozenset(), None, snapshot)
        assert snapshot.span is not None
        heat = heat_map(reader, choice, everything, snapshot.span, chosen, limits)
    assert {row.ref: row.state for row in heat.rows} == {NVME: "warning", HDD: "ok", LUN: "ok"}
    if chosen == "Highest value":
        assert [row.ref for row in heat.rows] == [HDD, LUN, NVME]
        assert heat.limits.tolist() == [15.0, 10.0, 5.0]
        assert heat.limit_text == "limits 5 ms, 10 ms, 15 ms by class of storage"
        turned = in_place(heat, replace(heat, rows=list(reversed(heat.rows))))
        assert turned.limits.tolist() == [5.0, 10.0, 15.0]
    else:
        assert heat.rows[0].ref == NVME
        assert heat.rows[0].worst == "100 %"
        assert heat.limit_text == ""


def test_charts_of_the_overview_have_the_limits_of_their_devices(path: Path) -> None:
    with reading(path) as (reader, snapshot):
        assert snapshot.span is not None
        everything = ScopeFilter(frozenset({NVME}), None, snapshot)
        content = overview_content(
            reader, load_overview(CATALOGUE), snapshot, everything, snapshot.span, CATALOGUE,
            limits_of(snapshot, OWN),
        )  # fmt: skip
    [labels] = [[one.label for one in spec.limits] for spec, _ in content.charts if spec.unit == "ms"]
    assert labels == ["7 ms NVMe", "20 ms NVMe"]


def test_limits_are_worked_out_anew_when_a_fact_or_a_set_is_new(path: Path) -> None:
    cache, shipped = LimitsCache(), StorageLimits(PROBLEMS.storage.classes)
    with reading(path) as (reader, before):
        first = cache.of(before, GENERAL, shipped)
        found = first.of("disk.device_latency", LUN)
        assert found is not None
        assert found.warning.value == 10.0
        with SessionWriter.open(path) as writer:
            writer.add_facts([Fact(VM, "tools", "running", T0)])
        same, _change = renewed_snapshot(reader, before)
        assert cache.of(same, GENERAL, shipped) is first
        with SessionWriter.open(path) as writer:
            writer.add_facts([Fact(LUN, "device.protocol", "NVMe", T0)])
        after, change = renewed_snapshot(reader, same)
        assert change.inventory
        found = cache.of(after, GENERAL, shipped).of("disk.device_latency", LUN)
        assert found is not None
        assert found.because == "class NVMe"
        assert cache.of(after, GENERAL, StorageLimits(PROBLEMS.storage.classes, OWN)) is not first
        assert read_snapshot(reader, path).records.storage == after.records.storage


def test_other_numbers_do_not_find_the_classes_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A set that was saved had the window find the classes of all devices of a table anew."""
    cache, classes, asked = LimitsCache(), PROBLEMS.storage.classes, list[EntityRef]()
    found = StorageTable.of

    def of(table: StorageTable, ref: EntityRef) -> Classed:
        asked.append(ref)
        return found(table, ref)

    monkeypatch.setattr(StorageTable, "of", of)
    with reading(path) as (_, snapshot):
        cache.of(snapshot, GENERAL, StorageLimits(classes)).find_classes(snapshot.entities)
        assert set(LATENCY) <= set(asked)
        asked.clear()
        own = cache.of(snapshot, GENERAL, StorageLimits(classes, OWN)).of("disk.device_latency", NVME)
        assert own is not None
        assert (own.warning.value, asked) == (7.0, [])
        chosen = StorageLimits(classes, OwnThresholds(chosen=[ChosenClass("eui.*", "hdd")]))
        other = cache.of(snapshot, GENERAL, chosen).of("disk.device_latency", NVME)
        assert other is not None
        assert (other.warning.value, asked) == (15.0, [NVME])
