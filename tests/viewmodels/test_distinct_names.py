"""What all curves of a chart share is its title, what differs their legend; no two have the same name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from resources.catalogue import load_catalogue
from resources.foreign_text import shown
from sessions.model import Entity, EntityRef, SeriesSpec, SourceSpec
from sessions.store import SessionWriter
from tests.viewmodels.sessions import add_source, reading
from viewmodels.distinct_names import SeriesNames, names_of, row_names
from viewmodels.entity_names import full_name

HOSTS = [EntityRef("host", f"esx0{number}.lab.local") for number in (3, 4)]
WEB, DB = EntityRef("vm", "esx03/vm/1"), EntityRef("vm", "esx03/vm/2")
CPU0, CPU1, DB_CPU0 = (EntityRef("vcpu", key) for key in ("w/10", "w/11", "w/20"))
NIC3, NIC4 = (EntityRef("nic", f"{host.key}/vmnic0") for host in HOSTS)
NIC3B = EntityRef("nic", f"{HOSTS[0].key}/vmnic1")
WORLD, THREAD = EntityRef("world", "g/1"), EntityRef("world", "w/99")
LUN = EntityRef("device", "naa.6")
ENTITIES = [
    *(Entity(host, host.key) for host in HOSTS),
    Entity(WEB, "web03", HOSTS[0]),
    Entity(DB, "db-prod", HOSTS[0]),
    Entity(CPU0, "vCPU 0", WEB),
    Entity(CPU1, "vCPU 1", WEB),
    Entity(DB_CPU0, "vCPU 0", DB),
    Entity(NIC3, NIC3.key, HOSTS[0]),
    Entity(NIC3B, NIC3B.key, HOSTS[0]),
    Entity(NIC4, NIC4.key, HOSTS[1]),
    Entity(WORLD, "system", HOSTS[0]),
    Entity(THREAD, "tq:NMP", WORLD),
    Entity(LUN, "naa.6"),
]
Wanted = tuple[EntityRef, str] | tuple[EntityRef, str, str]


def named(path: Path, wanted: Sequence[Wanted], entities: Sequence[Entity] = ENTITIES) -> SeriesNames:
    """The names of these series (entity, counter, and source if it matters), in a session of their own."""
    with SessionWriter.create(path / "s.hscope") as writer:
        writer.add_entities(entities)
        for source in dict.fromkeys(source_of(one) for one in wanted):
            specs = [SeriesSpec(one[0], one[1], "%") for one in wanted if source_of(one) == source]
            add_source(writer, SourceSpec("esxtop", source, 20), specs, np.ones((2, len(specs))), every_s=20)
    with reading(path / "s.hscope") as (_reader, snapshot):
        return names_of(snapshot.series, snapshot, load_catalogue())


def source_of(one: Wanted) -> str:
    return one[2] if len(one) == 3 else "esx03.lab.local"


def test_the_same_counter_of_two_sources_is_told_apart_by_source_and_interval(tmp_path: Path) -> None:
    with SessionWriter.create(tmp_path / "s.hscope") as writer:
        writer.add_entities(ENTITIES)
        for spec, every_s in (
            (SourceSpec("vcenter", "vc01", 20.0), 20),
            (SourceSpec("esxtop", "esx03 over ssh", 5.0), 5),
        ):
            add_source(writer, spec, [SeriesSpec(WEB, "cpu.ready", "%")], np.ones((2, 1)), every_s=every_s)
    with reading(tmp_path / "s.hscope") as (_reader, snapshot):
        names = names_of(snapshot.series, snapshot, load_catalogue())
    assert names.title("") == "CPU ready · web03"
    assert sorted(names.own.values()) == ["CPU ready · esx03 over ssh · 5 s", "CPU ready · vc01 · 20 s"]


@pytest.mark.parametrize(
    ("wanted", "title", "legend"),
    [
        ([(CPU0, "cpu.ready"), (CPU1, "cpu.ready")], "CPU ready · web03", ["vCPU 0", "vCPU 1"]),
        (
            [(CPU0, "cpu.ready"), (DB_CPU0, "cpu.ready")],
            "CPU ready",
            ["web03 › vCPU 0", "db-prod › vCPU 0"],
        ),
        ([(DB, "cpu.ready")], "CPU ready · db-prod", ["CPU ready"]),
        ([(WEB, "cpu.ready"), (DB, "cpu.ready")], "CPU ready", ["web03", "db-prod"]),
        (
            [(DB, "cpu.ready"), (DB, "cpu.costop")],
            "CPU ready, CPU co-stop · db-prod",
            ["CPU ready", "CPU co-stop"],
        ),
        (
            [(HOSTS[0], "disk.device_latency"), (HOSTS[1], "disk.kernel_latency")],
            "Device latency, Kernel latency",
            ["esx03 · device latency", "esx04 · kernel latency"],
        ),
        ([(CPU1, "cpu.ready")], "CPU ready · web03 › vCPU 1", ["CPU ready"]),
        ([(NIC3, "net.mbits_rx")], "Received · vmnic0 · esx03", ["Received"]),
        ([(NIC3, "net.mbits_rx"), (NIC3B, "net.mbits_rx")], "Received · esx03", ["vmnic0", "vmnic1"]),
        (
            [(NIC3, "net.mbits_rx"), (NIC4, "net.mbits_rx")],
            "Received",
            ["vmnic0 · esx03", "vmnic0 · esx04"],
        ),
        (
            [(LUN, "disk.device_latency", host.key) for host in HOSTS],
            "Device latency · naa.6",
            ["esx03", "esx04"],
        ),
        ([(WEB, "cpu.ready"), (CPU0, "cpu.ready")], "CPU ready · web03", ["web03", "vCPU 0"]),
        (
            [(WEB, "cpu.ready", "esx03.lab.local"), (WEB, "cpu.ready", "vc01")],
            "CPU ready · web03",
            ["CPU ready · esx03", "CPU ready · vc01"],
        ),
    ],
)  # fmt: skip
def test_what_all_share_is_the_title(
    tmp_path: Path, wanted: list[Wanted], title: str, legend: list[str]
) -> None:
    names = named(tmp_path, wanted)
    assert (names.title(), list(names.own.values())) == (title, legend)


def test_a_curve_alone_carries_everything(tmp_path: Path) -> None:
    names = named(tmp_path, [(CPU0, "cpu.ready"), (DB_CPU0, "cpu.costop")])
    assert list(names.whole.values()) == ["web03 › vCPU 0 · CPU ready", "db-prod › vCPU 0 · CPU co-stop"]


def test_a_title_that_names_the_place_does_not_name_it_twice(tmp_path: Path) -> None:
    names = named(tmp_path, [(DB, "cpu.ready")])
    assert names.title("Ready of db-prod") == "Ready of db-prod"
    assert names.title("Ready and co-stop") == "Ready and co-stop · db-prod"


def test_parts_are_never_without_their_vm_or_host(tmp_path: Path) -> None:
    names = {CPU1: "web03 › vCPU 1", NIC4: "vmnic0 · esx04", THREAD: "system › tq:NMP · esx03", DB: "db-prod"}
    named(tmp_path, [(DB, "cpu.ready")])
    with reading(tmp_path / "s.hscope") as (_reader, snapshot):
        assert {ref: full_name(ref, snapshot) for ref in names} == names
        assert full_name(HOSTS[0], snapshot) == "esx03.lab.local"


def test_vms_of_one_name_are_told_apart_by_host_or_key(tmp_path: Path) -> None:
    vms = [Entity(EntityRef("vm", f"{host.key}/vm/{key}"), "web", host) for host in HOSTS for key in (7, 8)]
    names = named(tmp_path, [(vm.ref, "cpu.ready") for vm in vms[:3]], [*ENTITIES, *vms])
    assert list(names.own.values()) == ["web · esx03 (7)", "web · esx03 (8)", "web · esx04"]


_HOSTILE = st.lists(
    st.text(max_size=8) | st.sampled_from(["a", "a\x00", "a\x01", "a (2)", " a", "x" * 400]), max_size=8
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None)
@given(_HOSTILE)
def test_hostile_names_are_told_apart_too(tmp_path_factory: pytest.TempPathFactory, names: list[str]) -> None:
    path = tmp_path_factory.mktemp("names")
    vms = [Entity(EntityRef("vm", f"vm{number}"), name) for number, name in enumerate(names)]
    cpus = [
        Entity(EntityRef("vcpu", f"vm{number}/c"), name[:2], vm.ref)
        for number, (name, vm) in enumerate(zip(names, vms, strict=True))
    ]
    found = named(path, [(one.ref, "cpu.ready") for one in [*vms, *cpus]], [*vms, *cpus])
    with reading(path / "s.hscope") as (_reader, snapshot):
        rows = row_names(snapshot.series, snapshot)
    for texts in (found.own, found.whole, rows):
        assert len(set(texts.values())) == len(texts) == 2 * len(names)
        assert all(text == shown(text) for text in texts.values())
