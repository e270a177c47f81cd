"""What happened shortly before a problem began: of the entity, of what it lies in, and of who came."""

from __future__ import annotations

import io

import numpy as np
import pytest
from rich.console import Console

from diagnosis import findings_json
from diagnosis.report import render_report
from diagnosis.session_events import SessionEvents, describe_change
from diagnosis.topology import Topology
from resources.log_lines import load_log_lines
from resources.problem_changes import Changes
from resources.vcenter_events import load_events
from sessions.model import EntityRef, Event, Fact
from sessions.times import TimeRange
from tests.diagnosis.recordings import START, Recording, diagnosed, problems, session

HOST, OTHER = EntityRef("host", "esx01"), EntityRef("host", "esx02")
VM, LUN = EntityRef("vm", "db01"), EntityRef("device", "naa.1")
CHANGES = Changes(
    before_s=600,
    after_s=60,
    inventory_delay_s=90,
    max_count=2,
    own=["power", "snapshot"],
    arriving=["vmotion"],
    storing=["snapshot"],
)


def event(kind: str, at_s: float, entity: EntityRef | None = VM, end_s: float | None = None) -> Event:
    end = None if end_s is None else round(end_s * 1000)
    return Event(round(at_s * 1000), kind, f"{kind} {at_s:g}", entity, end)


def events_of(*events: Event, places: tuple[tuple[float, str], ...] = ((0, "esx01"),)) -> SessionEvents:
    facts = [Fact(VM, "host", name, round(at * 1000)) for at, name in places]
    return SessionEvents(events, facts, CHANGES, are_reported=True)


def texts(found: tuple[tuple[Event, ...], int]) -> list[str]:
    return [one.text for one in found[0]]


def test_only_what_is_near_and_of_the_kinds_counts() -> None:
    told = events_of(
        *(event("power", at) for at in (100, 399.9, 400, 1060, 1061)),
        event("snapshot", 10, end_s=500),
        event("guest", 990),
        event("power", 900, OTHER),
        event("power", 950, None),
    )
    found = told.before(1_000_000, {VM}, None, ())
    assert texts(found) == ["power 400", "power 1060"]  # the nearest two, in order of time
    assert found[1] == 1  # the snapshot that was still at it
    assert told.before(1_000_000, {HOST}, None, ()) == ((), 0)


def test_who_comes_to_the_host_and_who_lies_on_the_lun() -> None:
    told = events_of(event("vmotion", 900), event("snapshot", 950), places=((0, "esx02"), (960, "esx01")))
    assert texts(told.before(1_000_000, {HOST}, HOST, ())) == ["vmotion 900"]
    assert texts(told.before(1_000_000, {OTHER}, OTHER, ())) == []
    assert texts(told.before(1_000_000, {LUN}, None, {VM})) == ["snapshot 950"]
    assert texts(told.before(1_000_000, {VM}, HOST, {VM})) == ["vmotion 900", "snapshot 950"]


def test_what_happened_at_one_instant_comes_in_the_same_order_in_every_process() -> None:
    """Sets of entities are in another order each time that Python starts."""
    vms = [EntityRef("vm", f"vm{number:02}") for number in range(20)]
    told = events_of(*(Event(1_000_000, "snapshot", one.key, one) for one in reversed(vms)))
    assert texts(told.before(1_000_000, {LUN}, None, {*vms})) == ["vm00", "vm01"]
    assert [one.text for one in told.at_end(1_000_000, {*vms})] == [one.key for one in vms]
    assert [one.text for one in told.naming("vm07", ["snapshot"], {*vms})] == ["vm07"]
    same = events_of(*(Event(1_000_000, "snapshot", "of db01", one) for one in reversed(vms)))
    assert [one.entity for one in same.naming("db01", ["snapshot"], {*vms})] == vms


def test_the_vms_on_a_lun_come_in_the_same_order_in_every_process() -> None:
    """Which VM a slow device was said to follow from was another one each time."""
    recording = Recording(seconds=100)
    recording.shared(LUN.key, {"disk.device_latency": 1.0})
    names = [f"db{number:02}" for number in range(20)]
    vms = [recording.vm(name, {"cpu.ready": 0.5}) for name in names]
    for vm in reversed(vms):
        recording.has(vm, {"disk.commands": 1.0}, LUN.key)
    window = TimeRange(START, START + 100_000)
    topology = Topology(session(recording), ["disk.commands", "disk.device_latency"], window)
    assert topology.stored_on(LUN) == sorted(vms)


@pytest.mark.parametrize(
    ("places", "at_s", "host"),
    [
        (((0, "esx02"), (150, "esx01")), 100, HOST),  # the inventory tells within inventory_delay_s
        (((0, "esx02"), (300, "esx01")), 100, OTHER),
        (((500, "esx01"),), 100, HOST),  # before anybody knew: where it was first seen
    ],
)
def test_where_a_vm_is_after_an_event(
    places: tuple[tuple[float, str], ...], at_s: float, host: EntityRef
) -> None:
    came = events_of(event("ha", at_s), places=places).arrivals(
        [HOST, OTHER], ["ha"], 60, np.array([at_s * 1000], dtype=np.int64)
    )
    assert came[:, 0].tolist() == [float(host == HOST), float(host == OTHER)]


def test_arrivals_are_vms_and_count_for_a_while() -> None:
    told = events_of(event("ha", 100), event("ha", 130), event("drs", 140))
    times = np.arange(90_000, 200_000, 10_000, dtype=np.int64)
    came = told.arrivals([HOST], ["ha"], 50, times)[0]
    assert came.tolist() == [0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0]
    assert told.arrivals([HOST], ["drs", "ha"], 50, times)[0].max() == 1


def test_nobody_tells() -> None:
    times = np.array([0, 1000], dtype=np.int64)
    for told in (
        SessionEvents([], [], CHANGES, are_reported=True),
        SessionEvents([event("ha", 0)], [], CHANGES, are_reported=False),
    ):
        assert np.isnan(told.arrivals([HOST], ["ha"], 50, times)).all()


def test_words() -> None:
    assert describe_change(event("power", 820), 1_000_000) == ("3 min before", "power 820")
    assert describe_change(event("power", 1000.4), 1_000_000)[0] == "as it began"
    assert describe_change(event("power", 1040), 1_000_000)[0] == "40 s after"
    long = Event(940_000, "snapshot", "Create snapshot: success", VM, 982_000, by="LAB\\backup")
    assert describe_change(long, 1_000_000)[1] == "Create snapshot: success, by LAB\\backup (took 42 s)"


def test_a_finding_says_so_everywhere() -> None:
    recording = Recording(source="vcenter")
    recording.on_host({"cpu.pcpu_util": 40.0, "cpu.pcpu_used": 35.0})
    ref = recording.vm("db01", {"cpu.ready": 12.0, "cpu.used": 20.0, "cpu.run": 20.0})
    recording.event(ref, "reconfigure", "db01 was given 16 vCPUs", -120.0)
    recording.event(ref, "task", "db01 was looked at", -60.0)
    diagnosis = diagnosed(recording)
    [found] = [one for one in diagnosis.findings if one.problem == "cpu.ready_high"]
    assert [one.text for one in found.changes] == ["db01 was given 16 vCPUs"]
    [document] = [one for one in findings_json(diagnosis)["findings"] if one["problem"] == found.problem]  # type: ignore[attr-defined]
    assert [one["text"] for one in document["changes"]] == ["db01 was given 16 vCPUs"]
    page = io.StringIO()
    render_report(diagnosis, Console(file=page, width=120))
    assert "Before it  2 min before: db01 was given 16 vCPUs" in page.getvalue()
    assert found.changes[0].at == START - 120_000


def test_the_knowledge_that_ships_names_kinds_that_are_recorded() -> None:
    told = load_events()
    known = {one.kind for some in (told.events, told.tasks) for one in some.values()}
    lines = load_log_lines()
    known |= {row.kind for row in lines.rows} | {row.kind for row in lines.told.values()}
    known |= {"backup"} if told.backups else set()  # a snapshot that a backup made
    changes = problems().changes
    assert set(changes.own + changes.arriving + changes.storing) <= known
