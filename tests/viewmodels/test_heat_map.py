"""The heat map as values: which rows it has, in which order, and what stands in its cells."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from resources.catalogue import load_catalogue
from resources.problem_cards import load_problems
from resources.views import load_limits
from sessions.model import Entity, EntityRef, SeriesSpec, SourceSpec
from sessions.store import SessionWriter
from sessions.times import TimeRange
from tests.viewmodels.sessions import T0, add_source, reading
from viewmodels.entity_limits import EntityLimits
from viewmodels.heat_map import MEASURES, Heat, Measure, heat_choices, heat_map, in_place, is_sorted
from viewmodels.scope_filter import ScopeFilter
from viewmodels.snapshot import Snapshot

VMS = [EntityRef("vm", f"vm{number}") for number in range(6)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Six VMs' ready over twenty samples; the limit is 5 %. The last one has no sample."""
    rows = np.ones((20, 6))
    rows[3, 1] = 30.0  # one peak
    rows[10:, 2] = 12.0  # high for long
    rows[:, 3] = 4.0  # never over the limit
    rows[:, 5] = np.nan
    with SessionWriter.create(tmp_path / "s.hscope") as writer:
        writer.add_entities([Entity(ref, ref.key) for ref in VMS])
        specs = [SeriesSpec(ref, "cpu.ready", "%") for ref in VMS]
        add_source(writer, SourceSpec("vcenter", "vc", 20), specs, rows, every_s=20)
    return tmp_path / "s.hscope"


def everything(snapshot: Snapshot) -> ScopeFilter:
    return ScopeFilter(frozenset(), None, snapshot)


def row_names_of(path: Path) -> list[str]:
    catalogue = load_catalogue()
    with reading(path) as (reader, snapshot):
        limits = EntityLimits(load_limits(load_problems()))
        [choice] = heat_choices(snapshot, limits.general, catalogue)
        assert snapshot.span is not None
        heat = heat_map(reader, choice, everything(snapshot), snapshot.span, MEASURES[0], limits)
        return sorted(row.name for row in heat.rows)


def test_a_vcpu_is_named_with_its_vm(tmp_path: Path) -> None:
    """Else 132 rows have six names."""
    vcpus = [EntityRef("vcpu", f"{vm.key}/{number}") for vm in VMS[:2] for number in range(2)]
    with SessionWriter.create(tmp_path / "s.hscope") as writer:
        writer.add_entities([Entity(ref, ref.key) for ref in VMS[:2]])
        writer.add_entities(
            [Entity(ref, f"vCPU {ref.key[-1]}", EntityRef("vm", ref.key[:3])) for ref in vcpus]
        )
        specs = [SeriesSpec(ref, "cpu.ready", "%") for ref in vcpus]
        add_source(writer, SourceSpec("vcenter", "vc", 20), specs, np.ones((5, 4)), every_s=20)
    assert row_names_of(tmp_path / "s.hscope") == [
        "vm0 › vCPU 0",
        "vm0 › vCPU 1",
        "vm1 › vCPU 0",
        "vm1 › vCPU 1",
    ]


def test_a_device_that_hosts_share_is_named_with_each(tmp_path: Path) -> None:
    lun = EntityRef("device", "naa.6")
    with SessionWriter.create(tmp_path / "s.hscope") as writer:
        writer.add_entities([Entity(lun, "naa.6")])
        for host in ("esx01.lab.local", "esx02.lab.local"):
            specs = [SeriesSpec(lun, "disk.device_latency", "ms")]
            add_source(writer, SourceSpec("esxtop", host, 20), specs, np.ones((5, 1)), every_s=20)
    assert row_names_of(tmp_path / "s.hscope") == ["naa.6 · esx01", "naa.6 · esx02"]


def test_only_what_would_be_called_alike_is_named_with_its_host(tmp_path: Path) -> None:
    vms = [("a", "web"), ("b", "web"), ("c", "db"), ("d", "")]
    with SessionWriter.create(tmp_path / "s.hscope") as writer:
        writer.add_entities([Entity(EntityRef("vm", key), name) for key, name in vms])
        for host, keys in (("esx01", "acd"), ("esx02", "b")):
            specs = [SeriesSpec(EntityRef("vm", key), "cpu.ready", "%") for key in keys]
            add_source(writer, SourceSpec("esxtop", host, 20), specs, np.ones((5, len(keys))), every_s=20)
    assert row_names_of(tmp_path / "s.hscope") == ["(without a name)", "db", "web · esx01", "web · esx02"]


def map_of(path: Path, measure: Measure, max_rows: int, window: TimeRange | None = None) -> Heat:
    catalogue = load_catalogue()
    with reading(path) as (reader, snapshot):
        limits = EntityLimits(load_limits(load_problems()))
        [choice] = heat_choices(snapshot, limits.general, catalogue)
        assert choice.label == "CPU ready of each VM"
        assert snapshot.span is not None
        return heat_map(
            reader, choice, everything(snapshot), window or snapshot.span, measure, limits, max_rows=max_rows
        )


def test_rows_are_ranked_before_they_are_cut(path: Path) -> None:
    heat = map_of(path, "Highest value", 2)
    assert [(row.name, row.worst, row.state) for row in heat.rows] == [
        ("vm1", "30 %", "critical"),
        ("vm2", "12 %", "critical"),
    ]
    assert heat.left_out == ""
    assert heat.values.shape == (2, 240)
    assert np.nanmax(heat.values, axis=1).tolist() == [30.0, 12.0]


def test_what_has_no_sample_has_no_row(path: Path) -> None:
    assert {row.name for row in map_of(path, "Highest value", 99).rows} == {"vm0", "vm1", "vm2", "vm3", "vm4"}


def test_it_says_of_how_many_rows_impossible_numbers_are_left_out(tmp_path: Path) -> None:
    rows = np.ones((20, 3))
    rows[:, 0], rows[3, 1] = -5.0, 1e15
    with SessionWriter.create(tmp_path / "s.hscope") as writer:
        writer.add_entities([Entity(ref, ref.key) for ref in VMS[:3]])
        specs = [SeriesSpec(ref, "cpu.ready", "%") for ref in VMS[:3]]
        add_source(writer, SourceSpec("vcenter", "vc", 20), specs, rows, every_s=20)
    heat = map_of(tmp_path / "s.hscope", "Highest value", 99)
    assert sorted(row.name for row in heat.rows) == ["vm1", "vm2"]
    assert heat.left_out == "numbers that no host can have are left out of 2"


def test_only_the_window_counts(path: Path) -> None:
    heat = map_of(path, "Highest value", 1, TimeRange(T0 + 80_000, T0 + 380_000))
    assert [row.name for row in heat.rows] == ["vm2"]


def test_the_share_over_the_limit_ranks_and_fills_the_cells(path: Path) -> None:
    """Buckets are shorter than the interval: a sample over the limit is 100 % of its bucket."""
    heat = map_of(path, "Share over the limit", 3)
    assert [(row.name, row.worst, row.state) for row in heat.rows] == [
        ("vm1", "100 %", "warning"),
        ("vm2", "100 %", "warning"),
        ("vm3", "0 %", "ok"),
    ]
    over = (heat.values == 100.0).sum(axis=1)
    assert over[1] > 4 * over[0] > 0
    assert np.isnan(heat.limit)


def test_the_rows_are_those_of_the_scope(path: Path) -> None:
    catalogue = load_catalogue()
    with reading(path) as (reader, snapshot):
        limits = EntityLimits(load_limits(load_problems()))
        [choice] = heat_choices(snapshot, limits.general, catalogue)
        assert snapshot.span is not None
        two = ScopeFilter(frozenset(VMS[1:3]), None, snapshot)
        heat = heat_map(reader, choice, two, snapshot.span, MEASURES[0], limits)
    assert [row.name for row in heat.rows] == ["vm1", "vm2"]


def test_rows_keep_their_places_while_samples_come(path: Path) -> None:
    before = map_of(path, "Highest value", 10, TimeRange(T0 + 200_000, T0 + 400_000))
    assert [row.name for row in before.rows][:2] == ["vm2", "vm3"]
    now = map_of(path, "Highest value", 10)
    assert [row.name for row in now.rows][:2] == ["vm1", "vm2"]
    held = in_place(now, before)
    assert [row.name for row in held.rows] == [row.name for row in before.rows]
    assert [np.nanmax(row) for row in held.values][:2] == [12.0, 4.0]
    assert (is_sorted(now), is_sorted(held)) == (True, False)
    assert in_place(now, Heat()).rows == now.rows
