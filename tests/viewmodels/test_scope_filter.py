"""What a scope covers: entities below the chosen ones, and findings on what carries them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sessions.findings import Finding, Severity
from sessions.model import Entity, EntityRef, Event, Fact, SeriesSpec, SourceSpec
from sessions.scope import Scope
from sessions.store import SessionWriter
from sessions.times import TimeRange
from tests.viewmodels.sessions import T0, add_source, reading
from viewmodels.findings_in_scope import findings_in_scope
from viewmodels.scope_filter import ScopeFilter, scope_filter
from viewmodels.snapshot import EntityIndex, Snapshot

CLUSTER = EntityRef("cluster", "c1")
ESX1, ESX2 = EntityRef("host", "esx01"), EntityRef("host", "esx02")
DB, WEB, MOVED = EntityRef("vm", "db"), EntityRef("vm", "web"), EntityRef("vm", "moved")
VCPU, DISK, PORT = EntityRef("vcpu", "db/0"), EntityRef("vdisk", "db/scsi0:0"), EntityRef("port", "db/p")
OTHER_DISK = EntityRef("vdisk", "db/scsi0:1")
LUN, OTHER_LUN, STORE = (
    EntityRef("device", "naa.6"),
    EntityRef("device", "naa.7"),
    EntityRef("datastore", "ds"),
)
NIC, OTHER_NIC = EntityRef("nic", "esx01/vmnic0"), EntityRef("nic", "esx01/vmnic1")
MINUTE = 60_000
MOVE = T0 + 5 * MINUTE


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Snapshot]:
    """Ten minutes of two hosts: a database on esx01 and its LUN, and a VM that moves to esx02 in between."""
    path: Path = tmp_path_factory.mktemp("scope") / "s.hscope"
    with SessionWriter.create(path) as writer:
        writer.add_entities(
            [
                Entity(CLUSTER, "lab"),
                Entity(ESX1, "esx01", CLUSTER),
                Entity(ESX2, "esx02", CLUSTER),
                *(Entity(ref, ref.key, CLUSTER) for ref in (DB, WEB, MOVED)),
                Entity(VCPU, "vCPU 0", DB),
                Entity(DISK, "scsi0:0", DB),
                Entity(OTHER_DISK, "scsi0:1", DB),
                Entity(PORT, "vSwitch1:50", DB),
                Entity(LUN, "naa.6"),
                Entity(OTHER_LUN, "naa.7"),
                Entity(STORE, "SAN-01"),
                Entity(NIC, "esx01/vmnic0", ESX1),
                Entity(OTHER_NIC, "esx01/vmnic1", ESX1),
            ]
        )
        writer.add_facts(
            [
                Fact(DB, "host", "esx01", T0),
                Fact(WEB, "host", "esx01", T0),
                Fact(MOVED, "host", "esx01", T0 + MINUTE),
                Fact(MOVED, "host", "esx02", MOVE),
                Fact(DB, "vdisk.scsi0:0.datastore", "ds", T0),
                Fact(LUN, "device.datastore", "ds", T0),
                Fact(NIC, "nic.switch", "vSwitch1", T0),
                Fact(OTHER_NIC, "nic.switch", "vSwitch0", T0),
            ]
        )
        specs = [SeriesSpec(ref, "cpu.ready", "%") for ref in (DB, WEB, MOVED, VCPU)]
        specs += [SeriesSpec(WEB, "disk.commands", "IO/s", "naa.7")]
        specs += [
            SeriesSpec(ref, "disk.device_latency", "ms", host)
            for ref in (LUN, OTHER_LUN)
            for host in ("esx01", "esx02")
        ]
        add_source(writer, SourceSpec("vcenter", "vc", 20), specs, np.ones((31, len(specs))), every_s=20)
    with reading(path) as (_reader, found):
        yield found


def of(snapshot: Snapshot, *refs: EntityRef, window: TimeRange | None = None) -> ScopeFilter:
    """The filter of a scope of these entities."""
    return scope_filter(Scope(refs, window), snapshot)


def finding(
    ref: EntityRef,
    window: TimeRange | None = None,
    cause: tuple[str, EntityRef] | None = None,
    severity: Severity = "warning",
) -> Finding:
    """A finding of an entity."""
    windows = (window or TimeRange(T0, T0 + 10 * MINUTE),)
    return Finding(
        f"p-{ref.kind}", "A problem", severity, ref, ref.key, windows, 1.0, "It is slow.", (), (), (),
        consequence_of=cause,
    )  # fmt: skip


def test_everything_covers_everything(snapshot: Snapshot) -> None:
    everything = of(snapshot)
    assert all(everything.covers(ref) for ref in snapshot.entities)
    assert len(everything.series(snapshot.series)) == len(snapshot.series)


def test_what_is_below_is_covered_and_neighbours_are_not(snapshot: Snapshot) -> None:
    assert {ref for ref in snapshot.entities if of(snapshot, DB).covers(ref)} == {
        DB, VCPU, DISK, OTHER_DISK, PORT,
    }  # fmt: skip
    assert {ref for ref in snapshot.entities if of(snapshot, ESX1).covers(ref)} == {
        ESX1, DB, WEB, MOVED, VCPU, DISK, OTHER_DISK, PORT, NIC, OTHER_NIC,
    }  # fmt: skip
    assert {ref for ref in snapshot.entities if of(snapshot, CLUSTER).covers(ref)} == {*snapshot.entities} - {
        LUN,
        OTHER_LUN,
        STORE,
    }


def test_a_vm_is_below_the_host_where_it_was_in_the_window(snapshot: Snapshot) -> None:
    before, after = TimeRange(T0, MOVE - 1), TimeRange(MOVE, T0 + 10 * MINUTE)
    assert of(snapshot, ESX1, window=before).covers(MOVED)
    assert not of(snapshot, ESX2, window=before).covers(MOVED)
    assert not of(snapshot, ESX1, window=after).covers(MOVED)
    assert of(snapshot, ESX2, window=after).covers(MOVED)
    assert of(snapshot, ESX1).covers(MOVED)
    assert of(snapshot, ESX2).covers(MOVED)


def test_a_database_depends_on_its_host_datastore_lun_and_uplink(snapshot: Snapshot) -> None:
    needed = {ref for ref in snapshot.entities if of(snapshot, DB).depends_on(ref)}
    assert needed == {ESX1, STORE, LUN, NIC}
    assert {ref for ref in snapshot.entities if of(snapshot, WEB).depends_on(ref)} == {ESX1, OTHER_LUN}


def test_a_part_depends_only_on_what_carries_that_part(snapshot: Snapshot) -> None:
    def needs(ref: EntityRef) -> set[EntityRef]:
        return {one for one in snapshot.entities if of(snapshot, ref).depends_on(one)}

    assert needs(VCPU) == {ESX1}
    assert needs(DISK) == {ESX1, STORE, LUN}
    assert needs(OTHER_DISK) == {ESX1}
    assert needs(PORT) == {ESX1, NIC}


def test_a_db_admin_sees_the_finding_on_the_lun_and_on_the_hosts_cpu(snapshot: Snapshot) -> None:
    findings = [finding(DB), finding(LUN), finding(ESX1), finding(WEB), finding(OTHER_LUN), finding(ESX2)]
    divided = findings_in_scope(findings, of(snapshot, DB))
    assert [one.entity for one in divided.inside] == [DB, LUN, ESX1]
    assert [one.entity for one in divided.of_others] == [WEB, OTHER_LUN, ESX2]
    assert divided.label == "3 more outside this scope"
    assert divided.explanation == "3 of other entities"


@pytest.mark.parametrize("part", [VCPU, DISK, PORT])
def test_what_a_vm_suffers_its_parts_suffer(snapshot: Snapshot, part: EntityRef) -> None:
    """A vCPU of a critical VM is no place for "no problem found"."""
    assert of(snapshot, part).concerns_finding(finding(DB, severity="critical"))
    assert not of(snapshot, part).concerns_finding(finding(WEB))


def test_a_host_matters_only_while_the_vm_was_on_it(snapshot: Snapshot) -> None:
    before, after = TimeRange(T0, MOVE - MINUTE), TimeRange(MOVE + MINUTE, T0 + 10 * MINUTE)
    findings = [finding(ESX1, before), finding(ESX1, after), finding(ESX2, before), finding(ESX2, after)]
    assert findings_in_scope(findings, of(snapshot, MOVED)).inside == [findings[0], findings[3]]


def test_what_lies_at_another_time_is_outside_too(snapshot: Snapshot) -> None:
    early, late = TimeRange(T0, T0 + MINUTE), TimeRange(T0 + 8 * MINUTE, T0 + 9 * MINUTE)
    window = TimeRange(T0, T0 + 2 * MINUTE)
    findings = [finding(DB, early), finding(VCPU, late, severity="critical"), finding(ESX2, early)]
    divided = findings_in_scope(findings, of(snapshot, DB, window=window))
    assert [one.entity for one in divided.inside] == [DB]
    assert divided.label == "2 more outside this scope"
    assert divided.explanation == "1 of other entities, 1 at other times"
    assert divided.worst_outside == "critical"
    assert findings_in_scope(findings, of(snapshot, window=window)).outside == 1
    assert findings_in_scope(findings, of(snapshot)).label == ""


def test_consequences_go_where_their_covered_cause_is(snapshot: Snapshot) -> None:
    cause, victim = finding(OTHER_LUN), finding(WEB, cause=("p-device", OTHER_LUN))
    assert findings_in_scope([cause, victim], of(snapshot, OTHER_LUN)).inside == [cause, victim]
    at_db = findings_in_scope([cause, victim], of(snapshot, DB))
    assert (list(at_db.inside), at_db.outside) == ([], 1)
    own, neighbour = finding(ESX1), finding(WEB, cause=("p-host", ESX1))
    assert findings_in_scope([own, neighbour], of(snapshot, DB)).inside == [own]


def test_what_explains_a_finding_inside_is_inside(snapshot: Snapshot) -> None:
    noisy, slow = finding(WEB), finding(DB, cause=("p-vm", WEB))
    assert findings_in_scope([noisy, slow], of(snapshot, DB)).inside == [noisy, slow]


def test_of_a_shared_lun_the_scope_has_its_hosts_own_series(snapshot: Snapshot) -> None:
    latencies = [one for one in snapshot.series if one.counter == "disk.device_latency"]
    covered = of(snapshot, ESX1).series(latencies)
    assert [(one.entity, one.spec.instance) for one in covered] == [(LUN, "esx01"), (OTHER_LUN, "esx01")]
    assert of(snapshot, DB).series(latencies) == []
    needed = of(snapshot, DB).needed_series(latencies)
    assert [(one.entity, one.spec.instance) for one in needed] == [(LUN, "esx01")]


def test_events_of_the_scope_are_those_of_what_it_concerns_and_of_nobody(snapshot: Snapshot) -> None:
    events = [
        Event(T0 + MINUTE, "task", "reconfigured", DB),
        Event(T0 + MINUTE, "task", "cloned", WEB),
        Event(T0 + MINUTE, "alarm", "lost a path", ESX1),
        Event(MOVE + MINUTE, "alarm", "host in maintenance", ESX1),
        Event(T0 + MINUTE, "login", "somebody logged in"),
    ]
    assert [one.text for one in of(snapshot, DB).events(events)] == [
        "reconfigured", "lost a path", "host in maintenance", "somebody logged in",
    ]  # fmt: skip
    assert [one.text for one in of(snapshot, MOVED).events(events)] == ["lost a path", "somebody logged in"]
    assert len(of(snapshot).events(events)) == 5


def test_parents_in_a_circle_end(snapshot: Snapshot) -> None:
    circle = [Entity(DB, "db", WEB), Entity(WEB, "web", DB), Entity(ESX2, "esx02")]
    forged = replace(snapshot, entity_index=EntityIndex({one.ref: one for one in circle}))
    assert not of(forged, ESX2).covers(DB)
    assert of(forged, WEB).covers(DB)
    assert of(forged, WEB).depends_on(ESX1)
