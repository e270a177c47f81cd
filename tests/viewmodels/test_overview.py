"""The overview as values: what its charts and lists hold, and what changed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from resources.catalogue import load_catalogue
from resources.problem_cards import load_problems
from resources.views import load_limits, load_overview
from sessions.model import Entity, EntityRef, Event, Mark, SeriesSpec, SourceSpec
from sessions.store import SessionWriter
from sessions.times import TimeRange
from tests.viewmodels.sessions import T0, add_source, reading
from tests.widgets.findings import finding
from viewmodels.entity_limits import EntityLimits
from viewmodels.overview import (
    OverviewContent,
    OverviewLine,
    further_findings,
    latest_changes,
    lines_in_place,
    overview_content,
    worst_findings,
)
from viewmodels.scope_filter import ScopeFilter
from viewmodels.time_labels import UTC_CLOCK

HOSTS = [EntityRef("host", name) for name in ("esx01", "esx02")]
VMS = [EntityRef("vm", f"vm{number}") for number in range(8)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Two hosts with four VMs each; a VM's ready rises with its number, and vm0 had one peak."""
    rows = np.tile([30.0, 60.0, *range(8)], (30, 1))
    rows[20, 2] = 50.0
    with SessionWriter.create(tmp_path / "s.hscope") as writer:
        writer.add_entities([Entity(ref, ref.key) for ref in HOSTS])
        writer.add_entities([Entity(ref, ref.key, HOSTS[at // 4]) for at, ref in enumerate(VMS)])
        specs = [SeriesSpec(ref, "cpu.pcpu_util", "%") for ref in HOSTS]
        specs += [SeriesSpec(ref, "cpu.ready", "%") for ref in VMS]
        add_source(writer, SourceSpec("vcenter", "vc", 20), specs, rows, every_s=20)
        writer.add_events([Event(T0 + 40_000, "vmotion", "moved", VMS[3], T0 + 100_000)])
        writer.add_mark(Mark(T0 + 60_000, "load starts"))
    return tmp_path / "s.hscope"


def content(
    path: Path, chosen: frozenset[EntityRef] = frozenset(), window: TimeRange | None = None
) -> OverviewContent:
    catalogue = load_catalogue()
    with reading(path) as (reader, snapshot):
        window = window or snapshot.span
        assert window is not None
        spec, limits = load_overview(catalogue), EntityLimits(load_limits(load_problems()))
        return overview_content(
            reader, spec, snapshot, ScopeFilter(chosen, window, snapshot), window, catalogue, limits
        )


def test_charts_show_the_highest_first_and_only_what_is_there(path: Path) -> None:
    [(spec, curves)] = content(path).charts
    assert spec.title == "CPU utilisation"
    assert [curve.name for curve in curves] == ["esx02", "esx01"]
    assert [curve.curve.y.max() for curve in curves] == [60.0, 30.0]


def test_charts_and_lists_are_of_the_chosen_entities(path: Path) -> None:
    found = content(path, frozenset({HOSTS[0]}))
    assert [spec.series for spec, _ in found.charts] == [(1,)]
    assert [line.ref for line in found.lists[0].lines] == [VMS[0], VMS[3], VMS[2], VMS[1]]


def test_a_vm_without_such_a_counter_shows_its_host(path: Path) -> None:
    found = content(path, frozenset({VMS[5]}))
    assert [(spec.title, spec.series) for spec, _ in found.charts] == [("CPU utilisation", (2,))]
    assert [line.ref for line in found.lists[0].lines] == [VMS[5]]


def test_of_a_lun_the_lists_rank_the_vms_that_use_it(path: Path) -> None:
    lun = EntityRef("device", "naa.6")
    with SessionWriter.open(path) as writer:
        writer.add_entities([Entity(lun, "naa.6")])
        specs = [SeriesSpec(VMS[2], "disk.commands", "IO/s", "naa.6")]
        add_source(writer, SourceSpec("esxtop", "esx01", 20), specs, np.ones((30, 1)), every_s=20)
    assert [line.ref for line in content(path, frozenset({lun})).lists[0].lines] == [VMS[2]]


def test_a_list_is_ranked_within_the_window(path: Path) -> None:
    [ready] = content(path).lists
    assert ready.title == "CPU ready (max)"
    assert ready.lines[0] == OverviewLine("vm0", "50 %", "critical", VMS[0], ready.lines[0].series)
    [before_the_peak] = content(path, window=TimeRange(T0, T0 + 200_000)).lists
    assert [(line.name, line.value, line.state) for line in before_the_peak.lines[:3]] == [
        ("vm7", "7 %", "warning"),
        ("vm6", "6 %", "warning"),
        ("vm5", "5 %", "none"),
    ]
    assert len(before_the_peak.lines) == 8, "more than are shown: those that are held in place need numbers"


def test_what_changed_lately_is_in_the_window_and_newest_first(path: Path) -> None:
    with reading(path) as (_, snapshot):
        everything = ScopeFilter(frozenset(), None, snapshot)
        both = latest_changes(everything, TimeRange(T0, T0 + 60_000), UTC_CLOCK)
        later = latest_changes(everything, TimeRange(T0 + 80_000, T0 + 90_000), UTC_CLOCK)
        none = latest_changes(everything, TimeRange(T0 + 200_000, T0 + 300_000), UTC_CLOCK)
    assert [(line.name, line.value) for line in both] == [
        ("⚑ load starts", UTC_CLOCK.time(T0 + 60_000)),
        ("moved (1 min)", UTC_CLOCK.time(T0 + 40_000)),
    ]
    assert [line.ref for line in later] == [VMS[3]], "it lasted into the window"
    assert none == []


@pytest.mark.parametrize("kind", ["vcenter", "esxtop"])
def test_a_host_has_the_shared_devices_as_it_saw_them(
    tmp_path: Path, kind: Literal["vcenter", "esxtop"]
) -> None:
    """vCenter names the host in the instance, a source of esxtop is one; the device is below neither."""
    path, lun, cluster = tmp_path / "s.hscope", EntityRef("device", "naa.6"), EntityRef("cluster", "c1")
    disks = [EntityRef("device", f"{host.key}/t10.ATA_0") for host in HOSTS]
    with SessionWriter.create(path) as writer:
        writer.add_entities([Entity(cluster, "c1"), Entity(lun, "naa.6")])
        writer.add_entities([Entity(host, host.key, cluster) for host in HOSTS])
        writer.add_entities([Entity(disk, disk.key, host) for disk, host in zip(disks, HOSTS, strict=True)])
        for host, disk in zip(HOSTS, disks, strict=True):
            instance, name = (host.key, "vc") if kind == "vcenter" else ("", host.key)
            specs = [
                SeriesSpec(disk, "disk.device_latency", "ms"),
                SeriesSpec(lun, "disk.device_latency", "ms", instance),
            ]
            rows = np.tile([3.0, 45.0 if host == HOSTS[1] else 20.0], (5, 1))
            add_source(writer, SourceSpec(kind, name, 20), specs, rows, every_s=20)
    highest = {
        chosen: [curve.curve.y.max() for curve in content(path, frozenset({chosen})).charts[0][1]]
        for chosen in (*HOSTS, cluster, lun)
    }
    assert highest == {HOSTS[0]: [20, 3], HOSTS[1]: [45, 3], cluster: [45, 20, 3, 3], lun: [45, 20]}


@pytest.mark.parametrize("name", ["mpx.vmhba64:C0:T0:L0", "esx01/mpx.vmhba64:C0:T0:L0"])
def test_a_cd_rom_or_usb_stick_has_no_place_beside_arrays(path: Path, name: str) -> None:
    """Its latency was drawn against the limits of arrays; a VM that uses it shows its own."""
    own, lun = EntityRef("device", f"esx01/{name}"), EntityRef("device", "naa.6")
    with SessionWriter.open(path) as writer:
        writer.add_entities([Entity(own, name, HOSTS[0]), Entity(lun, "naa.6")])
        specs = [SeriesSpec(ref, "disk.device_latency", "ms") for ref in (own, lun)]
        rows = np.tile([90.0, 3.0], (30, 1))
        add_source(writer, SourceSpec("esxtop", "esx01", 20), specs, rows, every_s=20)
    charts = {spec.title: curves for spec, curves in content(path).charts}
    assert [curve.curve.y.max() for curve in charts["Storage latency"]] == [3.0]


def test_curves_and_lines_keep_their_places_while_samples_come(path: Path) -> None:
    catalogue = load_catalogue()
    with reading(path) as (reader, snapshot):
        assert snapshot.span is not None
        everything = ScopeFilter(frozenset(), None, snapshot)
        spec, limits = load_overview(catalogue), EntityLimits(load_limits(load_problems()))
        first = overview_content(reader, spec, snapshot, everything, snapshot.span, catalogue, limits)
        [(chart, curves)] = first.charts
        turned = OverviewContent([(replace(chart, series=chart.series[::-1]), curves)])
        later = overview_content(
            reader, spec, snapshot, everything, snapshot.span, catalogue, limits, before=turned
        )
    assert [spec.series for spec, _ in later.charts] == [(1, 2)], "esx01 was above esx02"
    lines = [
        OverviewLine(name, value, ref=VMS[number]) for number, name, value in ((3, "c", "9"), (1, "a", "2"))
    ]
    shown = [
        OverviewLine("a", "7", ref=VMS[1]),
        OverviewLine("gone", "5", ref=VMS[2]),
        OverviewLine("c", "1", ref=VMS[3]),
    ]
    assert [(line.name, line.value) for line in lines_in_place(shown, lines)] == [("a", "2"), ("c", "9")]


def test_what_follows_and_what_has_no_line_is_told() -> None:
    causes = [replace(finding(f"vm{at}"), problem=f"p{at}", title=f"Problem {at}") for at in range(9)]
    follow = [finding("x", cause=causes[0]), *(finding(f"y{at}", cause=causes[5]) for at in range(54))]
    alike = [replace(causes[3], entity=EntityRef("vm", name)) for name in "uv"]
    found = [*causes[:4], *alike, *causes[4:], *follow]
    lines = [line for _, line in worst_findings(found)]
    assert [line.value for line in lines] == ["1 follows from it", "", "", "2 more like it"]
    assert further_findings(found) == (
        "Also found: Problem 4 (vm4); Problem 5 (vm5, 54 follow from it); Problem 6 (vm6); and 2 more."
    )
    assert further_findings([*causes[:4], *alike]) == ""
    assert further_findings([]) == ""
