"""The direct route: which entity, key, instance, counter and scale each of vCenter's series becomes."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from lab import Lab, load_scenarios, vcenter_document
from resources.catalogue import load_catalogue
from sessions.model import EntityRef, Series
from tests.lab.in_memory import lab_session
from tests.sessions.memory_session import MemorySession
from tests.vcenter_lab.vcenter_session import vcenter_session


@cache
def session(scenario: str = "cpu-limit-vm", seed: int = 6) -> MemorySession:
    lab = Lab(load_scenarios()[scenario], seed=seed)
    return vcenter_session(vcenter_document(lab, duration_s=300), load_catalogue())


def labelled(found: MemorySession, label: str) -> list[Series]:
    return [series for series in found.series() if series.spec.label == label]


def test_one_source_a_vcenter() -> None:
    (source,) = session().sources()
    assert (source.spec.kind, source.spec.interval_s, source.ticks) == ("vcenter", 20.0, 15)
    kinds = {ref.kind for ref in session().entities()}
    assert kinds == {
        "vcenter", "cluster", "pool", "host", "vm", "vcpu", "vdisk", "port", "datastore", "device",
        "adapter", "path", "nic",
    }  # fmt: skip


def test_a_shared_device_has_a_series_a_host_and_no_parent() -> None:
    hosts = {ref.key for ref in session().entities() if ref.kind == "host"}
    by_device: dict[EntityRef, set[str]] = {}
    for series in session().series(["disk.device_latency"]):
        by_device.setdefault(series.entity, set()).add(series.spec.instance)
    shared = {ref for ref in by_device if ref.key.startswith("naa.")}
    assert len(shared) == 7
    for ref, seen_by in by_device.items():
        parent = session().entities()[ref].parent
        if ref in shared:
            assert (parent, seen_by) == (None, hosts)
        else:
            assert parent
            assert ref.key.startswith(f"{parent.key}/")
            assert seen_by == {""}


def test_what_is_stored_is_vcenter_s_number_and_its_scale_makes_it_canonical() -> None:
    vcpus = {fact.entity: fact.value for fact in session().facts() if fact.name == "vcpus"}
    for series in labelled(session(), "cpu.ready.summation[]"):
        assert series.spec.scale == pytest.approx(1 / 200 / float(vcpus[series.entity]))
        assert series.spec.unit == "%"
    (usage,) = {series.spec.scale for series in labelled(session(), "cpu.usage.average[]")}
    assert usage == 0.01


def test_both_routes_show_the_same_ready() -> None:
    lab = Lab(load_scenarios()["cpu-limit-vm"], seed=6)
    captured = lab_session(lab, 300.0)
    victim = lab.cluster.vms[lab.cluster.cast["victim"].members[0]].name
    levels = []
    for found in (captured, session()):
        (ref,) = [ref for ref, one in found.entities().items() if ref.kind == "vm" and one.name == victim]
        (series,) = [
            one for one in found.series(["cpu.max_limited"]) if one.entity == ref and not one.spec.instance
        ]
        (frame,) = found.read(np.array([series.id]))
        levels.append(float(np.nanmean(frame.values)))
    assert levels[0] == pytest.approx(levels[1], rel=0.02)


def test_what_can_t_be_converted_is_kept_raw() -> None:
    raw = {series.counter for series in session().series() if series.counter.startswith("raw/")}
    assert "raw/vcenter/cpu.demand.average" in raw
    assert "raw/vcenter/mem.entitlement.average" in raw
    assert not {name for name in raw if "dropped" in name}


def test_facts_are_those_of_an_inventory() -> None:
    (victim,) = [
        fact.entity for fact in session().facts() if fact.name == "cpu.limit_mhz" and fact.entity.kind == "vm"
    ]
    said = {fact.name: fact.value for fact in session().facts() if fact.entity == victim}
    assert said["tools"] == "guestToolsRunning"
    assert EntityRef("host", str(said["host"])) in session().entities()
    assert EntityRef("pool", str(said["pool"])) in session().entities()
    assert EntityRef("datastore", str(said["vdisk.scsi0:0.datastore"])) in session().entities()
    assert "cpu.affinity" not in said
    assert "mem.limit_mb" not in said
