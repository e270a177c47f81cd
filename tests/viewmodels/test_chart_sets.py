"""Charts that suit an entity: whose curves they have."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from resources.catalogue import load_catalogue
from resources.problem_cards import load_problems
from resources.views import load_chart_templates, load_limits
from sessions.findings import Evidence, Finding
from sessions.model import Entity, EntityRef, Fact, SeriesSpec, SourceSpec
from sessions.store import SessionWriter
from tests.viewmodels.sessions import add_source, reading
from viewmodels.chart_choice import ChartChoice
from viewmodels.chart_curves import CurveLabels
from viewmodels.chart_samples import ChartSamples, read_samples
from viewmodels.chart_sets import charts_of, charts_of_finding, evidence_series
from viewmodels.chart_spec import ChartSpec
from viewmodels.curve import NamedCurve
from viewmodels.distinct_names import names_of
from viewmodels.entity_limits import EntityLimits

LUN, VM = EntityRef("device", "naa.6"), EntityRef("vm", "vm1")


def names(path: Path, ref: EntityRef) -> list[str]:
    """The curves of the first chart of an entity."""
    catalogue = load_catalogue()
    with reading(path) as (_reader, snapshot):
        templates, limits = load_chart_templates(catalogue), EntityLimits(load_limits(load_problems()))
        series = [snapshot.by_id[one] for one in charts_of([ref], snapshot, templates, limits)[0].series]
        return list(names_of(series, snapshot, catalogue).own.values())


@pytest.mark.parametrize("kind", ["vcenter", "esxtop"])
def test_a_shared_device_has_a_curve_of_each_host(tmp_path: Path, kind: Literal["vcenter", "esxtop"]) -> None:
    """Else the host on which a LUN is slow is left out, and the chart contradicts the finding."""
    path = tmp_path / "s.hscope"
    with SessionWriter.create(path) as writer:
        writer.add_entities([Entity(LUN, "naa.6")])
        for host in ("esx01", "esx02"):
            instance, name = (host, "vc") if kind == "vcenter" else ("", host)
            specs = [SeriesSpec(LUN, "disk.device_latency", "ms", instance)]
            add_source(writer, SourceSpec(kind, name, 20), specs, np.ones((5, 1)), every_s=20)
    assert names(path, LUN) == ["esx01", "esx02"]


def two_sources(path: Path, vms: int = 1, how: str = "the ids of its worlds") -> list[EntityRef]:
    """VMs whose ready a vCenter has every 20 s and esxtop every 5 s; they are joined so."""
    refs = [EntityRef("vm", f"vm{number}") for number in range(vms)]
    with SessionWriter.create(path) as writer:
        writer.add_entities([Entity(ref, ref.key) for ref in refs])
        writer.add_facts([Fact(ref, "joined_by", how, 0) for ref in refs])
        for kind, every_s in (("vcenter", 20), ("esxtop", 5)):
            source = SourceSpec("vcenter" if kind == "vcenter" else "esxtop", kind, every_s)
            specs = [SeriesSpec(ref, "cpu.ready", "%") for ref in refs]
            values = np.ones((100 // every_s, vms)) * (10 if kind == "vcenter" else 12)
            add_source(writer, source, specs, values, every_s=every_s)
    return refs


def first_chart(path: Path, refs: list[EntityRef]) -> tuple[ChartSpec, list[NamedCurve]]:
    catalogue = load_catalogue()
    with reading(path) as (reader, snapshot):
        limits = EntityLimits(load_limits(load_problems()))
        chart = charts_of(refs, snapshot, load_chart_templates(catalogue), limits)[0]
        assert snapshot.span is not None
        samples = read_samples(reader, chart.series, snapshot.span, ChartSamples(), lambda: None)
        return CurveLabels(catalogue, limits).drawn(chart, samples.curves, snapshot, snapshot.span)


def test_what_two_sources_count_of_a_vm_is_overlaid_and_says_how_far_it_is_apart(tmp_path: Path) -> None:
    path = tmp_path / "s.hscope"
    _spec, curves = first_chart(path, two_sources(path))
    assert [one.name for one in curves] == ["CPU ready · esxtop · 5 s", "CPU ready · vcenter · 20 s"]
    assert curves[0].apart == ()
    (apart,) = curves[1].apart
    assert apart.sentence == (
        "vCenter 10 %, esxtop 12 % at the same times: 20.0 % apart (4 intervals of 20 s)"
    )
    assert apart.compared.finer.tolist() == [12.0] * 4


def test_a_shared_device_is_compared_host_by_host(tmp_path: Path) -> None:
    """A vCenter's series of it have the host as their instance, esxtop's are those of their source."""
    path = tmp_path / "s.hscope"
    with SessionWriter.create(path) as writer:
        writer.add_entities([Entity(LUN, "naa.6")])
        hosts = [SeriesSpec(LUN, "disk.device_latency", "ms", host) for host in ("esx01", "esx02")]
        add_source(writer, SourceSpec("vcenter", "vc", 20), hosts, np.full((5, 2), 8.0), every_s=20)
        own = [SeriesSpec(LUN, "disk.device_latency", "ms")]
        add_source(writer, SourceSpec("esxtop", "esx02", 5), own, np.full((20, 1), 10.0), every_s=5)
    _spec, curves = first_chart(path, [LUN])
    apart = {one.series: one.apart for one in curves}
    assert [len(apart[number]) for number in sorted(apart)] == [0, 1, 0]
    assert "25.0 % apart" in apart[2][0].sentence


def test_beside_a_vm_stands_what_its_guest_says(tmp_path: Path) -> None:
    path, guest = tmp_path / "s.hscope", EntityRef("guest", "app01")
    uuid = "564d1234-0000-1111-2222-333344445555"
    with SessionWriter.create(path) as writer:
        writer.add_entities([Entity(VM, "db"), Entity(guest, "app01")])
        writer.add_facts([Fact(VM, "bios_uuid", uuid, 0), Fact(guest, "smbios_uuid", uuid, 0)])
        for kind, ref, counters in (
            ("esxtop", VM, ("cpu.ready", "cpu.costop")),
            ("guest", guest, ("guest.cpu_steal", "guest.cpu_used")),
        ):
            specs = [SeriesSpec(ref, counter, "%") for counter in counters]
            spec = SourceSpec("guest" if kind == "guest" else "esxtop", kind, 5)
            add_source(writer, spec, specs, np.ones((5, 2)), every_s=5)
    catalogue = load_catalogue()
    with reading(path) as (_reader, snapshot):
        templates, limits = load_chart_templates(catalogue), EntityLimits(load_limits(load_problems()))
        charts = charts_of([VM], snapshot, templates, limits)
        assert [chart.title for chart in charts] == ["Ready, co-stop and max limited", "The guest's own CPU"]
        steal = Evidence("guest.cpu_steal", "", "mean", 40.0, None, "%")
        (series,) = evidence_series(steal, VM, snapshot)
        assert series.entity == guest


def test_numbers_of_a_part_or_of_another_vm_are_drawn_from_what_they_name(tmp_path: Path) -> None:
    """A finding of a VM's disk showed everything but its disk."""
    path, host = tmp_path / "s.hscope", EntityRef("host", "esx01")
    disks = [EntityRef("vdisk", f"vm1/scsi0:{number}") for number in (0, 1)]
    port = EntityRef("port", "vm1/4000")
    with SessionWriter.create(path) as writer:
        writer.add_entities([
            Entity(host, "esx01"), Entity(VM, "db", host), Entity(port, "4000", VM),
            *(Entity(ref, f"scsi0:{number}", VM) for number, ref in enumerate(disks)),
        ])  # fmt: skip
        specs = [
            *(SeriesSpec(ref, "vdisk.latency_write", "ms") for ref in disks),
            *(SeriesSpec(ref, "vdisk.reads", "/s") for ref in disks),
            SeriesSpec(port, "net.drop_rx", "%"), SeriesSpec(VM, "cpu.ready", "%"),
        ]  # fmt: skip
        add_source(writer, SourceSpec("vcenter", "vc", 20), specs, np.ones((5, 6)), every_s=20)

    def drawn(counter: str, instance: str, of: EntityRef = VM) -> list[EntityRef]:
        item = Evidence(counter, instance, "mean", 40.0, None, "ms", "words of the card")
        return [one.entity for one in evidence_series(item, of, snapshot)]

    with reading(path) as (_reader, snapshot):
        assert drawn("vdisk.latency_write", "scsi0:1") == [disks[1]]
        assert drawn("vdisk.reads", "") == disks
        assert drawn("net.drop_rx", "db") == [port]
        assert drawn("cpu.ready", "db", host) == [VM]
        assert drawn("cpu.ready", "nobody", host) == []
        templates, limits = load_chart_templates(load_catalogue()), EntityLimits(load_limits(load_problems()))
        evidence = (
            Evidence("vdisk.latency_write", "scsi0:1", "mean", 40.0, 10.0, "ms", "Latency"),
            Evidence("vdisk.reads", "", "mean", 400.0, None, "/s", "Reads and writes"),
            Evidence("vdisk.reads", "", "mean", 1.0, 0.95, "ratio", "I/Os, of its limit"),
        )
        finding = Finding("svmotion.impact", "Slow", "info", VM, "db", (), 1.0, "", evidence, (), ())
        charts = charts_of_finding(finding, snapshot, templates, limits)
        assert [[snapshot.by_id[one].counter for one in chart.series] for chart in charts[:2]] == [
            ["vdisk.latency_write"],
            ["vdisk.reads", "vdisk.reads"],
        ]
        assert all(snapshot.by_id[chart.series[0]].counter != "vdisk.reads" for chart in charts[2:])


def test_a_vm_that_is_joined_by_its_name_is_called_a_guess(tmp_path: Path) -> None:
    path = tmp_path / "s.hscope"
    _spec, curves = first_chart(path, two_sources(path, how="its name alone: a guess"))
    (apart,) = curves[1].apart
    assert apart.sentence.endswith("; that they mean one VM is known by its name alone: a guess")


def test_of_many_the_finest_source_is_drawn(tmp_path: Path) -> None:
    path = tmp_path / "s.hscope"
    _spec, curves = first_chart(path, two_sources(path, vms=7))
    assert len(curves) == 7
    assert not any(one.apart for one in curves)


def specs_of(path: Path, first: set[tuple[EntityRef, str]]) -> list[ChartSpec]:
    """The charts of a VM with four counters."""
    catalogue = load_catalogue()
    counters = (
        ("cpu.used", "%"),
        ("cpu.ready", "%"),
        ("vdisk.latency_read", "ms"),
        ("mem.swap_read", "MB/s"),
    )
    with SessionWriter.create(path) as writer:
        writer.add_entities([Entity(VM, "db")])
        specs = [SeriesSpec(VM, *counter) for counter in counters]
        add_source(writer, SourceSpec("esxtop", "esx01", 20), specs, np.ones((5, 4)), every_s=20)
    with reading(path) as (_reader, snapshot):
        templates, limits = load_chart_templates(catalogue), EntityLimits(load_limits(load_problems()))
        return charts_of([VM], snapshot, templates, limits, first)


def test_what_decides_comes_first_and_before_it_what_a_finding_names(tmp_path: Path) -> None:
    usual = [chart.title for chart in specs_of(tmp_path / "a.hscope", set())]
    assert usual == ["Ready, co-stop and max limited", "Virtual disk latency", "Swapping", "CPU used"]
    found = [chart.title for chart in specs_of(tmp_path / "b.hscope", {(VM, "mem.swap_read")})]
    assert found == ["Swapping", "Ready, co-stop and max limited", "Virtual disk latency", "CPU used"]


def test_what_arrives_does_not_rearrange_the_charts(tmp_path: Path) -> None:
    charts = specs_of(tmp_path / "a.hscope", set())
    shown = ChartChoice().following(charts[1:], [VM])
    later = shown.following([charts[3], charts[0], charts[2], charts[1]], [VM])
    assert [chart.title for chart in later.charts] == [chart.title for chart in (*charts[1:], charts[0])]
    other = later.following([charts[3], charts[0]], [LUN])
    assert other.charts == (charts[3], charts[0])


def test_charts_of_another_entity_come_in_their_own_order() -> None:
    """Of everything, hosts are charted until a VM is the worst: what decides comes first then, too."""
    swapping, ready = (ChartSpec(title, "%", (1,)) for title in ("Swapping", "Ready"))
    hosts = ChartChoice().following([swapping], [])
    worst = [replace(ready, series=(7,)), replace(swapping, series=(8,))]
    assert hosts.following(worst, []).charts == tuple(worst)


def test_of_many_vms_the_counter_that_decides_is_drawn_of_each(tmp_path: Path) -> None:
    catalogue, vms = load_catalogue(), [EntityRef("vm", f"vm{number:02}") for number in range(10)]
    with SessionWriter.create(tmp_path / "s.hscope") as writer:
        writer.add_entities([Entity(vm, vm.key) for vm in vms])
        specs = [SeriesSpec(vm, counter, "%") for vm in vms for counter in ("cpu.costop", "cpu.ready")]
        add_source(writer, SourceSpec("esxtop", "esx01", 20), specs, np.ones((5, 20)), every_s=20)
    with reading(tmp_path / "s.hscope") as (_reader, snapshot):
        templates, limits = load_chart_templates(catalogue), EntityLimits(load_limits(load_problems()))
        series = [snapshot.by_id[one] for one in charts_of(vms, snapshot, templates, limits)[0].series]
    assert [(one.entity, one.counter) for one in series[:10]] == [(vm, "cpu.ready") for vm in vms]
    assert len(series) == 12


def test_a_chart_that_got_another_counter_is_not_called_after_the_first(tmp_path: Path) -> None:
    catalogue = load_catalogue()
    with SessionWriter.create(tmp_path / "s.hscope") as writer:
        writer.add_entities([Entity(VM, "db")])
        specs = [SeriesSpec(VM, counter, "%") for counter in ("cpu.used", "cpu.idle")]
        add_source(writer, SourceSpec("esxtop", "esx01", 20), specs, np.ones((5, 2)), every_s=20)
    with reading(tmp_path / "s.hscope") as (_reader, snapshot):
        used, idle = snapshot.series
        before = ChartChoice((ChartSpec("CPU used", "%", (used.id,), "per vCPU"),))
        labels = CurveLabels(catalogue, EntityLimits(load_limits(load_problems())))
        titles = [
            labels.drawn(before.with_series([one], 0).charts[0], {}, snapshot)[0].shown_title
            for one in (used, idle)
        ]
    assert titles == ["CPU used · db", "CPU used, CPU idle · db"]


def test_a_moved_chart_stays_where_it_was_put_until_the_scope_names_others() -> None:
    charts = [ChartSpec(title, "%", (number,)) for number, title in enumerate(("Ready", "Used", "Swapping"))]
    moved = ChartChoice().following(charts, [VM]).with_moved(2, 0)
    assert [chart.title for chart in moved.charts] == ["Swapping", "Ready", "Used"]
    assert not moved.pinned
    assert moved.following(charts, [VM]) == moved
    assert moved.following(charts, [LUN]).charts == tuple(charts)
    own = ChartChoice(tuple(charts), chosen=True).with_moved(0, 2)
    assert [chart.title for chart in own.charts] == ["Used", "Swapping", "Ready"]
    assert own.pinned
    assert own.with_moved(1, 1) == own
