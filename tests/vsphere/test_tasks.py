"""Tasks: with start, end and outcome, each once, whatever ran while nobody looked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace as changed

from collectors.vsphere.inventory.events import RawEvent, ReportedEvent, reported_event
from collectors.vsphere.inventory.history_reader import pieces
from collectors.vsphere.inventory.objects import VM
from collectors.vsphere.inventory.tasks import RawTask, TaskBook, read_tasks
from collectors.vsphere.inventory.watcher import InventoryWatcher
from sessions.current_records import current_events
from sessions.model import EntityRef, Event
from tests.vcenter.running import TestVCenter
from tests.vsphere.inventories import EVENTS, KeptFeed, envelope, kinds
from tests.vsphere.test_inventory_watcher import Patient, connected, named, watching

DB01 = EntityRef("vm", "uuid-1")
_REFS = {"vm-1": DB01, "host-1": EntityRef("host", "esx01")}
TASK = RawTask(
    "task-7", "VirtualMachine.removeAllSnapshots", "RemoveAllSnapshots", "vm-1", "db01", "LAB\\alice",
    100_000, 142_000, "", "77", 99_000,
)  # fmt: skip
RUNNING = replace(TASK, end=None)


def book() -> TaskBook:
    return TaskBook(EVENTS, lambda task: "Delete all snapshots")


def said(tasks: TaskBook, *given: RawTask, now: int = 150_000) -> list[Event]:
    """What is told, as if all waiting were over."""
    told = tasks.take(given, now, _REFS.get)
    return [*told.events, *tasks.due(now, _REFS.get, at_once=True)]


def of_task(text: str, end: int | None = 142_000) -> Event:
    """The event of the task above."""
    return Event(100_000, "snapshot", text, DB01, end, "task/task-7/99000", "LAB\\alice")


def event(
    type_: str = "VmMigratedEvent", chain: str = "77", at: int = 141_000, key: str = "1", moid: str = "vm-1"
) -> tuple[RawEvent, ReportedEvent]:
    raw = RawEvent(key, at, type_, "", "moved", (moid,), chain=chain)
    heard = reported_event(raw, EVENTS, {**_REFS, moid: EntityRef("vm", moid.replace("vm-1", "uuid-1"))}.get)
    assert heard is not None
    return raw, heard


def test_tasks_as_the_server_sends_them() -> None:
    body = """<returnval><key>task-7</key><task type="Task">task-7</task><name>RemoveAllSnapshots_Task</name>
      <descriptionId>VirtualMachine.removeAllSnapshots</descriptionId>
      <entity type="VirtualMachine">vm-1</entity><entityName>a%2fb</entityName><state>error</state>
      <cancelled>false</cancelled><cancelable>false</cancelable>
      <error><fault xsi:type="FileLocked"><file>x</file></fault>
        <localizedMessage>Unable to access a file.</localizedMessage></error>
      <reason xsi:type="TaskReasonUser"><userName>LAB\\svc-veeam</userName></reason>
      <queueTime>2026-01-02T03:04:05Z</queueTime><startTime>2026-01-02T03:04:06.5Z</startTime>
      <completeTime>2026-01-02T03:04:26.5Z</completeTime><eventChainId>4711</eventChainId></returnval>
      <returnval><key>task-8</key><descriptionId>HostSystem.x</descriptionId><state>queued</state>
      <reason xsi:type="TaskReasonSystem"/><queueTime>2026-01-02T03:04:05Z</queueTime>
      <eventChainId>0</eventChainId></returnval>
      <returnval><key>task-9</key><state>error</state><error><fault xsi:type="vim25:NotSupported"/></error>
      <queueTime>2026-01-02T03:04:05Z</queueTime></returnval>
      <returnval><key>task-10</key><state>running</state></returnval>"""
    failed, queued, bare = read_tasks(envelope("ReadNextTasks", body))
    assert failed == RawTask(
        "task-7", "VirtualMachine.removeAllSnapshots", "RemoveAllSnapshots", "vm-1", "a/b", "LAB\\svc-veeam",
        1767323046500, 1767323066500, "Unable to access a file.", "4711", 1767323045000,
    )  # fmt: skip
    assert (queued.start, queued.end, queued.chain, queued.moid) == (1767323045000, None, "", "")
    assert (bare.fault, bare.end) == ("NotSupported", bare.start)


def test_a_task_has_start_end_and_outcome() -> None:
    assert said(book(), TASK) == [of_task("Delete all snapshots (db01): success")]
    failed = replace(TASK, fault="Unable to\n\x00access <b>a file\u202e" + "x" * 5000)
    (one,) = said(book(), failed)
    assert one.text.startswith("Delete all snapshots (db01): error: Unable to access <b>a file x")
    assert len(one.text) == EVENTS.text.clip


def test_a_short_task_is_told_when_it_ended() -> None:
    tasks = book()
    assert said(tasks, RUNNING, now=110_000) == said(tasks, RUNNING, now=120_000) == []
    assert said(tasks, TASK) == [of_task("Delete all snapshots (db01): success")]


def test_a_long_task_is_completed_in_place() -> None:
    """It is one event, whether somebody watched or came later."""
    long = replace(TASK, end=100_000 + 3_720_000)
    watched, late = book(), book()
    seen = said(watched, RUNNING, now=100_000 + 59_999)
    seen += said(watched, RUNNING, now=100_000 + 60_000)
    seen += said(watched, RUNNING, now=100_000 + 90_000)
    assert seen == [of_task("Delete all snapshots (db01): started", None)]
    seen += said(watched, long, now=4_000_000)
    assert current_events(seen) == said(late, long, now=4_000_000)
    assert current_events(seen) == [of_task("Delete all snapshots (db01): success", 3_820_000)]


def test_what_began_before_our_time_is_told_when_it_ends() -> None:
    """A vCenter may have tasks that run for months, as far as it knows."""
    tasks = TaskBook(EVENTS, lambda task: "Delete all snapshots", since=200_000)
    assert said(tasks, RUNNING, now=10**12) == []
    long = replace(TASK, end=100_000 + 3_720_000)
    assert [(one.at, one.end) for one in said(tasks, long, now=4_000_000)] == [(100_000, 3_820_000)]


def test_its_events_speak_for_a_task() -> None:
    move = replace(TASK, id="VirtualMachine.relocate")
    tasks = book()
    raw, heard = event()
    tasks.take_events([(raw, heard)])
    assert said(tasks, move) == [replace(heard.event, at=100_000, end=142_000, by="LAB\\alice")]
    assert [one.text for one in said(tasks, replace(move, fault="No."))] == [
        "Delete all snapshots (db01): error: No."
    ]
    tasks.take_events([event("VmFailedMigrateEvent")])
    assert [one.text for one in said(tasks, replace(move, fault="No."))] == ["moved"]


def test_of_several_events_the_last_of_the_tasks_kind_speaks() -> None:
    move = replace(TASK, id="VirtualMachine.migrate")
    tasks = book()
    begun = event("VmBeingHotMigratedEvent", at=100_500, key="1")
    moved = event("VmMigratedEvent", at=141_000, key="2")
    changed_ = event("VmReconfiguredEvent", at=141_500, key="3")
    tasks.take_events([begun, moved, changed_])
    assert [one.id for one in said(tasks, move)] == [moved[1].event.id]
    assert [one.id for one in said(tasks, replace(move, id="VirtualMachine.clone"))] == [changed_[1].event.id]
    assert [one.id for one in said(tasks, replace(move, moid="group-v3"))] == [moved[1].event.id]


def test_a_task_that_was_told_speaks_for_itself() -> None:
    tasks = book()
    seen = said(tasks, RUNNING, now=160_000)
    tasks.take_events([event(at=170_000)])
    seen += said(tasks, replace(TASK, end=170_000), now=180_000)
    assert current_events(seen) == [of_task("Delete all snapshots (db01): success", 170_000)]


def test_a_chain_without_end_is_not_kept_for_ever() -> None:
    tasks = book()
    tasks.take_events([event(at=at, moid=f"vm-{at}") for at in range(2, 10_000)])
    assert len(tasks._chains["77"].last) == 100
    assert said(tasks, TASK) == [of_task("Delete all snapshots (db01): success")], "others spoke for it"


def test_events_may_come_after_their_task() -> None:
    tasks = book()
    tasks.take([TASK], 150_000, _REFS.get)
    assert tasks.due(179_999, _REFS.get) == []
    tasks.take_events([event()])
    assert [one.text for one in tasks.due(180_000, _REFS.get)] == ["moved"]
    tasks.take([replace(TASK, key="task-8", chain="78")], 150_000, _REFS.get)
    assert [one.kind for one in tasks.due(180_000, _REFS.get)] == ["snapshot"]
    assert tasks.due(10_000_000, _REFS.get) == []


def test_without_a_chain_the_nearest_event_of_its_kind_speaks() -> None:
    """Plain vcsim has no chains."""
    move = replace(TASK, id="VirtualMachine.migrate", chain="")
    for at, speaks in ((141_000, True), (142_000 + 91_000, False)):
        tasks = book()
        tasks.take_events([event(chain="", at=at), event(chain="", at=20_000, key="2")])
        (one,) = said(tasks, move)
        assert (one.id == f"event/1/{at}", one.end) == (speaks, 142_000)


def test_kinds_of_tasks() -> None:
    assert said(book(), replace(TASK, user="LAB\\svc-veeam"))[0].kind == "backup"
    assert said(book(), replace(TASK, id="VirtualMachine.exportVm"))[0].kind == "task"
    assert said(book(), replace(TASK, id="Folder.createFolder", moid="group-v3")) == []
    assert [one.entity for one in said(book(), replace(TASK, moid="vm-99"))] == [None]


def test_a_task_explains_what_the_inventory_sees() -> None:
    told = book().take([RUNNING, replace(TASK, key="b")], 150_000, _REFS.get)
    assert [(one.changed_fact, one.event.at, one.about) for one in told.reported] == [
        ("snapshots", 150_000, ""),
        ("snapshots", 142_000, "vm-1"),
    ]
    assert book().take([replace(TASK, fault="No.")], 150_000, _REFS.get).reported == ()


@given(st.integers(0, 10**7), st.integers(0, 10**7), st.integers(1000, 10**6))
def test_pieces_are_the_whole_time(begin: int, now: int, length: int) -> None:
    found = list(pieces(begin, now, length))
    assert found[0][1] is None
    assert found[-1][0] == begin
    assert [end for _, end in found[1:]] == [start for start, _ in found[:-1]]
    assert all(end is None or 0 < end - start <= length for start, end in found)


# against the test vCenter


def spans(feed: KeptFeed, ref: EntityRef) -> list[tuple[str, bool]]:
    """Kinds of what happened to an entity, and whether its end is known."""
    return [(one.kind, one.end is not None) for one in feed.events if one.entity == ref]


def look(watcher: InventoryWatcher, times: int = 1) -> None:
    """Rounds in which it is time for everything."""
    assert watcher._event_history is not None
    for _ in range(times):
        watcher._event_history._tasks._next_running = 0.0
        watcher._next_events = 0.0
        watcher.follow(0)


def test_tasks_from_beginning_to_end(vcenter: TestVCenter) -> None:
    with connected(vcenter) as vsphere:
        feed = KeptFeed()
        watcher = InventoryWatcher(vsphere, feed, 1, past_s=3600)
        watcher.load()
        own, other = list(named(watcher, VM).values())[:2]
        key = vcenter.fault("task_started", vm=own.name, name="removeAllSnapshots", ago=100)["task"]
        look(watcher, 2)
        (runs,) = feed.events
        assert (runs.text, runs.end) == (f"Remove all snapshots ({own.name}): started", None)
        vcenter.fault("task_ended", task=key, error="Unable to access file <x>")
        look(watcher, 2)
        watcher._report_due(at_once=True)
        (over,) = feed.events
        assert over.text == f"Remove all snapshots ({own.name}): error: Unable to access file <x>"
        assert (over.id, over.at, over.by) == (runs.id, runs.at, runs.by)
        assert over.by.endswith("Administrator")
        assert over.id.startswith(f"{vsphere.about.instance_uuid}/task/")
        assert over.end is not None
        assert 100_000 <= over.end - over.at < 160_000
        vcenter.fault("snapshot_created", vm=other.name)
        look(watcher, 2)
        watcher._report_due(at_once=True)
        assert kinds(feed.events, other.ref) == ["snapshot"], "the inventory said it again"
        assert watcher.notes == ()


def test_one_happening_is_one_event(vcenter: TestVCenter) -> None:
    with watching(vcenter) as (watcher, feed, _):
        own = next(iter(named(watcher, VM).values()))
        vcenter.fault("vm_power", vm=own.name, on=False)
        vcenter.fault("vm_reconfigured", vm=own.name, cpu_limit_mhz=500)
        look(watcher, 3)
        watcher._report_due(at_once=True)
        assert spans(feed, own.ref) == [("power", True), ("reconfigure", True)]


def test_what_ran_while_we_were_away(vcenter: TestVCenter) -> None:
    with watching(vcenter) as (watcher, feed, vsphere):
        own = next(iter(named(watcher, VM).values()))
        look(watcher)
        keys = [
            vcenter.fault("task_started", vm=own.name, name="exportVm", ago=ago)["task"] for ago in (5000, 30)
        ]
        vcenter.fault("expire")
        for key in keys:
            vcenter.fault("task_ended", task=key)
        vsphere.check()
        look(watcher, 2)
        watcher._report_due(at_once=True)
        assert [one.text.partition("): ")[2] for one in feed.events] == ["success", "success"]
        long, short = ((one.until - one.at) // 1000 for one in feed.events)
        assert 5000 <= long < 5060
        assert 30 <= short < 90


@pytest.mark.parametrize("method", ["CreateCollectorForTasks", "ReadNextTasks", "ReadNextEvents"])
@pytest.mark.parametrize("kind", ["lost", "half", "html", "expire"])
def test_no_task_is_lost_or_told_twice(vcenter: TestVCenter, kind: str, method: str) -> None:
    with watching(vcenter) as (watcher, feed, _):
        own = next(iter(named(watcher, VM).values()))
        key = vcenter.fault("task_started", vm=own.name, ago=10)["task"]
        look(watcher)
        vcenter.fault("task_ended", task=key)
        vcenter.fault("event", type="VmResettingEvent", vm=own.name, text="reset")
        vcenter.fault(kind, **({} if kind == "expire" else {"method": method, "count": 2}))
        patient = Patient(watcher)
        for _ in range(6):
            assert watcher._event_history is not None
            watcher._event_history._tasks._next_running = 0.0
            patient.follow(0)
        assert watcher.notes == ()
        watcher._report_due(at_once=True)
        assert sorted(spans(feed, own.ref)) == [("power", False), ("snapshot", True)]


def test_who_may_not_see_tasks_gets_their_beginnings(start_vcenter: Callable[..., TestVCenter]) -> None:
    server = start_vcenter(hosts=1, vms=1, history=2, rollup_days=0)
    with connected(server) as vsphere:
        feed, noted = KeptFeed(), [0]
        watcher = InventoryWatcher(vsphere, feed, 1, noted=lambda: noted.append(1))
        server.fault("fault", method="CreateCollectorForTasks", type="NoPermission", text="Permission denied")
        watcher.load()
        own = next(iter(named(watcher, VM).values()))
        server.fault("snapshot_created", vm=own.name)
        look(watcher, 2)
        watcher._report_due(at_once=True)
        assert [name for name, _ in watcher.notes] == ["tasks"]
        assert noted == [0, 1]
        assert [(one.text, one.end) for one in feed.events] == [
            ("Task: Create virtual machine snapshot", None)
        ]


def test_the_hour_before(start_vcenter: Callable[..., TestVCenter]) -> None:
    server = start_vcenter(hosts=1, vms=2, history=2, rollup_days=0)
    for ago in (7300, 3000, 1000, 10):
        server.fault("event", type="VmResettingEvent", vm="vm-00001", text=f"reset {ago}", ago=ago)
    key = server.fault("task_started", vm="vm-00002", name="exportVm", ago=300)["task"]
    server.fault("task_ended", task=key)
    with connected(server) as vsphere:
        feed = KeptFeed()
        watcher = InventoryWatcher(vsphere, feed, 1, past_s=3600)
        watcher.load()
        look(watcher, 3)
        watcher._report_due(at_once=True)
        assert [one.text for one in feed.events] == [
            "reset 3000", "reset 1000", "Export OVF template (vm-00002): success", "reset 10",
        ]  # fmt: skip
        made = server.stats()["requests"]["CreateCollectorForEvents"]
        assert made == 2 + 2, "an hour is one or two pieces, a look is one"


def test_too_much_is_cut_at_its_oldest(start_vcenter: Callable[..., TestVCenter]) -> None:
    server = start_vcenter(hosts=1, vms=1, history=2, rollup_days=0)
    for number in range(30):
        server.fault("event", type="VmResettingEvent", vm="vm-00001", text=str(number), ago=3000 - number)
    few = replace(EVENTS, reading=changed(EVENTS.reading, max_count=8, page=3))
    with connected(server) as vsphere:
        feed = KeptFeed()
        watcher = InventoryWatcher(vsphere, feed, 1, past_s=2 * 3600, events=few)
        watcher.load()
        look(watcher)
        (note,) = watcher.notes
        assert note[0] == "events.history"
        assert note[1].startswith("Of the events before 20")
        assert note[1].endswith(" not all were read: there are more than 8.")
        texts = [one.text for one in feed.events]
        assert len(texts) == 8
        assert texts[-1] == "29"
        assert texts == sorted(texts, key=int)
