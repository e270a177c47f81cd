"""The esxtop view as values: which rows a screen has, what stands in them, and why there may be none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from resources.catalogue import load_catalogue
from resources.problem_cards import load_problems
from resources.views import load_limits, load_screens
from sessions.model import Entity, EntityRef, Fact, SeriesSpec, SourceSpec
from sessions.store import SessionWriter
from tests.viewmodels.sessions import T0, add_source, reading
from viewmodels.entity_limits import EntityLimits
from viewmodels.esxtop_moment import Knowledge, moment_of
from viewmodels.esxtop_rows import ScreenOptions, grid_of, why_no_rows


@pytest.mark.parametrize(
    ("screen", "sources", "words"),
    [
        ("interrupt", {"vcenter"}, "vCenter does not count"),
        ("interrupt", {"vcenter", "esxtop"}, "esxtop writes all with -a"),
        ("memory", {"vcenter", "esxi"}, "choose more counters"),
        ("memory", {"esxtop"}, "esxtop writes all with -a"),
    ],
)
def test_where_rows_would_come_from(screen: str, sources: set[str], words: str) -> None:
    catalogue = load_catalogue()
    [found] = [one for one in load_screens(catalogue) if one.id == screen]
    assert words in why_no_rows(found, sources, catalogue)


HOSTS = [EntityRef("host", name) for name in ("esx01", "esx02")]
VMS = [EntityRef("vm", name) for name in ("here", "there")]
LUN = EntityRef("device", "naa.1")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Two hosts, the first of them renamed, with a VM each and a LUN that both see."""
    found = tmp_path / "s.hscope"
    with SessionWriter.create(found) as writer:
        writer.add_entities([Entity(ref, ref.key) for ref in (*HOSTS, *VMS, LUN)])
        writer.add_entities([Entity(EntityRef("vcpu", "here/0"), "vCPU 0", VMS[0])])
        writer.add_facts([Fact(HOSTS[0], "name", "esx01-new", T0)])
        writer.add_facts([Fact(vm, "host", host.key, T0) for vm, host in zip(VMS, HOSTS, strict=True)])
        specs = [SeriesSpec(ref, "cpu.ready", "%") for ref in (*VMS, EntityRef("vcpu", "here/0"))]
        specs += [SeriesSpec(LUN, "disk.device_latency", "ms", host.key) for host in HOSTS]
        add_source(writer, SourceSpec("vcenter", "vc", 20), specs, np.arange(15.0).reshape(3, 5), every_s=20)
    return found


def rows_of(path: Path, screen: str, options: ScreenOptions) -> list[tuple[str, str, int]]:
    """Name, host and depth of each row."""
    catalogue = load_catalogue()
    [found] = [one for one in load_screens(catalogue) if one.id == screen]
    with reading(path) as (_, snapshot):
        grid = grid_of(found, snapshot, options, catalogue, EntityLimits(load_limits(load_problems())))
    return [(row.name, row.host, row.depth) for row in grid.rows]


def test_a_renamed_host_keeps_its_rows_when_the_scope_names_it(path: Path) -> None:
    of_first, of_second = (ScreenOptions(chosen=frozenset({host})) for host in HOSTS)
    assert rows_of(path, "cpu", ScreenOptions()) == [("here", "esx01-new", 0), ("there", "esx02", 0)]
    assert rows_of(path, "cpu", of_first) == [("here", "esx01-new", 0)]
    assert rows_of(path, "cpu", of_second) == [("there", "esx02", 0)]
    assert rows_of(path, "device", of_first) == [("naa.1", "esx01", 0)]


def test_rows_by_name_by_kind_and_expanded(path: Path) -> None:
    assert rows_of(path, "cpu", ScreenOptions(name_filter="HE re")) == [
        ("here", "esx01-new", 0),
        ("there", "esx02", 0),
    ]
    assert rows_of(path, "cpu", ScreenOptions(name_filter="nobody")) == []
    assert rows_of(path, "cpu", ScreenOptions(only_vms=True, expanded=frozenset({VMS[0]}))) == [
        ("here", "esx01-new", 0),
        ("vCPU 0", "esx01-new", 1),
        ("there", "esx02", 0),
    ]


def test_the_numbers_and_totals_of_a_moment(tmp_path: Path) -> None:
    catalogue = load_catalogue()
    [screen] = [one for one in load_screens(catalogue) if one.id == "cpu"]
    with SessionWriter.create(tmp_path / "s.hscope") as writer:
        writer.add_entities([Entity(ref, ref.key) for ref in (*HOSTS, *VMS)])
        for host, vm, rows in zip(HOSTS, VMS, ([[1.0, 10.0]] * 9, [[2.0, 30.0]] * 3), strict=True):
            specs = [SeriesSpec(vm, "cpu.ready", "%"), SeriesSpec(host, "cpu.pcpu_util", "%")]
            add_source(writer, SourceSpec("esxtop", host.key, 5), specs, np.array(rows), every_s=5)
    with reading(tmp_path / "s.hscope") as (reader, snapshot):
        limits = EntityLimits(load_limits(load_problems()))
        grid = grid_of(screen, snapshot, ScreenOptions(), catalogue, limits)
        both, late = (
            moment_of(
                reader, grid, Knowledge(screen, catalogue, limits.general), snapshot, T0 + seconds * 1000
            )
            for seconds in (10, 40)
        )
    assert both.numbers.tolist() == [[1.0], [2.0]]
    assert both.totals[:2] == ["2 hosts, 2 VMs", "PCPU UTIL(%) 20 % (max 30 % esx02)"]
    assert "not halted" in both.details
    assert late.numbers[0].tolist() == [1.0]
    assert np.isnan(late.numbers[1]).all(), "its host fell silent half a minute ago"
    silent = "◆ totals without esx02: no sample at this time"
    assert (silent in both.totals, silent in late.totals) == (False, True)


def test_a_latency_brings_its_load_along_even_if_that_column_is_hidden(path: Path) -> None:
    catalogue = load_catalogue()
    [screen] = [one for one in load_screens(catalogue) if one.id == "device"]
    with SessionWriter.open(path) as writer:
        specs = [SeriesSpec(LUN, "disk.commands", "/s", host.key) for host in HOSTS]
        add_source(writer, SourceSpec("vcenter", "vc2", 20), specs, np.full((3, 2), 7.0), every_s=20)
    with reading(path) as (_, snapshot):
        options = ScreenOptions(counters=("disk.device_latency",))
        grid = grid_of(screen, snapshot, options, catalogue, EntityLimits(load_limits(load_problems())))
        counters = {snapshot.by_id[number].counter for number in grid.series.tolist()}
    assert [column.counter for column in grid.columns] == ["disk.device_latency"]
    assert counters == {"disk.device_latency", "disk.commands"}
    assert (grid.loads["disk.commands"] > 0).all()
    assert "Judged from 20 CMDS/s on" in grid.columns[0].tooltip


def test_nfs_volumes_stand_among_the_devices_as_in_esxtop(path: Path) -> None:
    catalogue = load_catalogue()
    [screen] = [one for one in load_screens(catalogue) if one.id == "device"]
    volume = EntityRef("datastore", "nfs-vol1")
    with SessionWriter.open(path) as writer:
        writer.add_entities([Entity(volume, volume.key)])
        specs = [
            SeriesSpec(volume, f"nfs.{name}", unit) for name, unit in (("latency", "ms"), ("active", ""))
        ]
        add_source(writer, SourceSpec("esxtop", "esx01", 5), specs, np.full((3, 2), 7.0), every_s=5)
    with reading(path) as (_, snapshot):
        grid = grid_of(
            screen, snapshot, ScreenOptions(), catalogue, EntityLimits(load_limits(load_problems()))
        )
        [row] = [number for number, one in enumerate(grid.rows) if one.ref == volume]
        shown = {
            column.counter: snapshot.by_id[series].counter
            for column, series in zip(grid.columns, grid.ids[row].tolist(), strict=True)
            if series
        }
    assert shown == {"disk.guest_latency": "nfs.latency", "disk.active": "nfs.active"}


def test_a_vm_of_several_sources_has_one_row_with_the_finer_numbers(tmp_path: Path) -> None:
    """A VM that came from another recorded host: its own host's counters count, then the finer ones."""
    catalogue = load_catalogue()
    [screen] = [one for one in load_screens(catalogue) if one.id == "cpu"]
    vm, (before, now) = VMS[0], HOSTS
    ready, run = (SeriesSpec(vm, counter, "%") for counter in ("cpu.ready", "cpu.run"))
    with SessionWriter.create(tmp_path / "s.hscope") as writer:
        writer.add_entities([Entity(ref, ref.key) for ref in (*HOSTS, vm)])
        writer.add_facts([Fact(vm, "host", now.key, T0)])
        sources: list[tuple[SourceSpec, list[SeriesSpec], float, int]] = [
            (SourceSpec("vcenter", "vc", 20), [ready, run], 1.0, 20),
            (SourceSpec("esxtop", before.key, 5), [ready], 2.0, 5),
            (SourceSpec("esxtop", now.key, 5), [ready], 3.0, 5),
        ]
        for spec, specs, value, every_s in sources:
            add_source(writer, spec, specs, np.full((4, len(specs)), value), every_s=every_s)
    with reading(tmp_path / "s.hscope") as (_, snapshot):
        options = ScreenOptions(counters=("cpu.ready", "cpu.run"))
        grid = grid_of(screen, snapshot, options, catalogue, EntityLimits(load_limits(load_problems())))
        names = {source.id: source.spec.name for source in snapshot.sources}
        told = {
            (snapshot.by_id[number].counter, names[snapshot.by_id[number].source])
            for number in grid.series.tolist()
        }
    assert [(row.name, row.host) for row in grid.rows] == [("here", now.key)]
    assert told >= {("cpu.ready", now.key), ("cpu.run", "vc")}
    assert not told & {("cpu.ready", "vc"), ("cpu.ready", before.key)}
