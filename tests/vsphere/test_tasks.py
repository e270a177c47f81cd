"""Tasks: with start, end and outcome, each once, whatever ran while nobody looked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace as changed

from collectors.vsphere.inventory.happenings import Heard, RawEvent, hear
from collectors.vsphere.inventory.objects import VM
from collectors.vsphere.inventory.past import pieces
from collectors.vsphere.inventory.tasks import RawTask, TaskBook, read_tasks
from collectors.vsphere.inventory.watcher import InventoryWatcher
from sessions.model import EntityRef, Event, Fact
from tests.vcenter.running import TestVCenter
from tests.vsphere.inventories import EVENTS, KeptFeed, envelope, kinds
from tests.vsphere.test_inventory_watcher import Patient, connected, named, watching

DB01 = EntityRef("vm", "uuid-1")
_REFS = {"vm-1": DB01, "host-1": EntityRef("host", "esx01")}
TASK = RawTask(
    "task-7", "VirtualMachine.removeAllSnapshots", "RemoveAllSnapshots", "vm-1", "db01", "LAB\\alice",
    100_000, 142_000, "", "77",
)  # fmt: skip
RUNNING = replace(TASK, end=None)


def book() -> TaskBook:
    return TaskBook(EVENTS, lambda task: "Delete all snapshots")


def said(tasks: TaskBook, *given: RawTask, now: int = 150_000) -> tuple[list[Fact], list[Event]]:
    """Facts and events, as if all waiting were over."""
    told = tasks.take(given, now, _REFS.get)
    return list(told.facts), [*told.events, *tasks.due(now, _REFS.get, at_once=True)]


def event(type_: str = "VmMigratedEvent", chain: str = "77", at: int = 141_000) -> tuple[RawEvent, Heard]:
    raw = RawEvent("1", at, type_, "", "moved", ("vm-1",), chain=chain)
    heard = hear(raw, EVENTS, _REFS.get)
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
        1767323046500, 1767323066500, "Unable to access a file.", "4711",
    )  # fmt: skip
    assert (queued.start, queued.end, queued.chain, queued.moid) == (1767323045000, None, "", "")
    assert (bare.fault, bare.end) == ("NotSupported", bare.start)


def test_a_task_has_start_end_and_outcome() -> None:
    facts, events = said(book(), TASK)
    assert facts == [Fact(DB01, "task.snapshot", "Delete all snapshots: success", 100_000, 142_000)]
    assert events == [Event(100_000, "snapshot", "Delete all snapshots (db01): success after 42 s", DB01)]
    failed = replace(TASK, fault="Unable to\n\x00access <b>a file\u202e" + "x" * 5000)
    facts, (one,) = said(book(), failed)
    assert str(facts[0].value).startswith("Delete all snapshots: error: Unable to access <b>a file x")
    assert len(str(facts[0].value)) == len(one.text) == EVENTS.text.clip
    assert one.text.startswith("Delete all snapshots (db01): error after 42 s: Unable to access <b>a file x")


def test_a_task_that_runs_is_a_fact_without_an_end() -> None:
    tasks = book()
    facts, events = said(tasks, RUNNING, now=110_000)
    assert facts == [Fact(DB01, "task.snapshot", "Delete all snapshots", 100_000)]
    assert events == []
    assert said(tasks, RUNNING, now=120_000) == ([], [])
    facts, events = said(tasks, TASK)
    assert [(fact.start, fact.end) for fact in facts] == [(100_000, 142_000)]
    assert len(events) == 1


def test_a_long_task_begins_and_ends() -> None:
    """Told the same whether somebody watched or came later: who resumes tells nothing anew."""
    long = replace(TASK, end=100_000 + 3_720_000)
    watched, late = book(), book()
    seen = said(watched, RUNNING, now=100_000 + 59_999)[1]
    seen += said(watched, RUNNING, now=100_000 + 60_000)[1]
    seen += said(watched, RUNNING, now=100_000 + 90_000)[1]
    seen += said(watched, long, now=4_000_000)[1]
    assert seen == said(late, long, now=4_000_000)[1]
    assert seen == [
        Event(100_000, "snapshot", "Delete all snapshots (db01): started", DB01),
        Event(3_820_000, "snapshot", "Delete all snapshots (db01): success after 1 h 2 min", DB01),
    ]


def test_what_began_before_our_time_is_told_by_its_end() -> None:
    """A vCenter may have tasks that run for months, as far as it knows."""
    tasks = TaskBook(EVENTS, lambda task: "Delete all snapshots", since=200_000)
    facts, events = said(tasks, RUNNING, now=10**12)
    assert [(fact.start, fact.end) for fact in facts] == [(100_000, None)]
    assert events == []
    long = replace(TASK, end=100_000 + 3_720_000)
    assert [one.at for one in said(tasks, long, now=4_000_000)[1]] == [3_820_000]


def test_its_events_speak_for_a_task() -> None:
    move = replace(TASK, id="VirtualMachine.relocate")
    tasks = book()
    tasks.hear([event()])
    facts, events = said(tasks, move)
    assert [fact.name for fact in facts] == ["task.storage_vmotion"]
    assert events == []
    facts, events = said(tasks, replace(move, fault="No."))
    assert [one.text for one in events] == ["Delete all snapshots (db01): error after 42 s: No."]
    tasks.hear([event("VmFailedMigrateEvent")])
    assert said(tasks, replace(move, fault="No."))[1] == []


def test_events_may_come_after_their_task() -> None:
    tasks = book()
    tasks.take([TASK], 150_000, _REFS.get)
    assert tasks.due(179_999, _REFS.get) == []
    tasks.hear([event()])
    assert tasks.due(180_000, _REFS.get) == []
    tasks.take([replace(TASK, key="task-8", chain="78")], 150_000, _REFS.get)
    assert len(tasks.due(180_000, _REFS.get)) == 1
    assert tasks.due(10_000_000, _REFS.get) == []


def test_without_a_chain_the_nearest_event_of_its_kind_speaks() -> None:
    """Plain vcsim has no chains."""
    move = replace(TASK, id="VirtualMachine.migrate", chain="")
    for at, spoken in ((141_000, 0), (142_000 + 91_000, 1)):
        tasks = book()
        tasks.hear([event(chain="", at=at)])
        assert len(said(tasks, move)[1]) == spoken


def test_kinds_of_tasks() -> None:
    assert said(book(), replace(TASK, user="LAB\\svc-veeam"))[1][0].kind == "backup"
    assert said(book(), replace(TASK, id="VirtualMachine.exportVm"))[1][0].kind == "task"
    assert said(book(), replace(TASK, id="Folder.createFolder", moid="group-v3")) == ([], [])
    assert [one.entity for one in said(book(), replace(TASK, moid="vm-99"))[1]] == [None]


def test_a_task_explains_what_the_inventory_sees() -> None:
    told = book().take([RUNNING, replace(TASK, key="b")], 150_000, _REFS.get)
    assert [(one.tells, one.event.at, one.about) for one in told.heard] == [
        ("snapshots", 150_000, ""),
        ("snapshots", 142_000, "vm-1"),
    ]
    assert book().take([replace(TASK, fault="No.")], 150_000, _REFS.get).heard == ()


@given(st.integers(0, 10**7), st.integers(0, 10**7), st.integers(1000, 10**6))
def test_pieces_are_the_whole_time(begin: int, now: int, length: int) -> None:
    found = list(pieces(begin, now, length))
    assert found[0][1] is None
    assert found[-1][0] == begin
    assert [end for _, end in found[1:]] == [start for start, _ in found[:-1]]
    assert all(end is None or 0 < end - start <= length for start, end in found)


# against the test vCenter


def tasks_of(feed: KeptFeed, ref: EntityRef) -> list[tuple[str, str, bool]]:
    return [
        (fact.name, str(fact.value), fact.end is not None)
        for fact in feed.written
        if fact.entity == ref and fact.name.startswith("task.")
    ]


def look(watcher: InventoryWatcher, times: int = 1) -> None:
    """Rounds in which it is time for everything."""
    assert watcher._chronicle is not None
    for _ in range(times):
        watcher._chronicle._tasks._next_running = 0.0
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
        assert tasks_of(feed, own.ref) == [("task.snapshot", "Remove all snapshots", False)]
        assert [one.text for one in feed.events] == [f"Remove all snapshots ({own.name}): started"]
        vcenter.fault("task_ended", task=key, error="Unable to access file <x>")
        look(watcher, 2)
        watcher._say_due(at_once=True)
        assert tasks_of(feed, own.ref)[1:] == [
            ("task.snapshot", "Remove all snapshots: error: Unable to access file <x>", True)
        ]
        begin, end = feed.events
        assert end.text.startswith(f"Remove all snapshots ({own.name}): error after 1 min 4")
        assert 100_000 <= end.at - begin.at < 160_000
        vcenter.fault("snapshot_created", vm=other.name)
        look(watcher, 2)
        watcher._say_due(at_once=True)
        assert kinds(feed.events, other.ref) == ["snapshot"], "the inventory said it again"
        assert watcher.notes == ()


def test_one_happening_is_one_event(vcenter: TestVCenter) -> None:
    with watching(vcenter) as (watcher, feed, _):
        own = next(iter(named(watcher, VM).values()))
        vcenter.fault("vm_power", vm=own.name, on=False)
        vcenter.fault("vm_reconfigured", vm=own.name, cpu_limit_mhz=500)
        look(watcher, 3)
        watcher._say_due(at_once=True)
        assert kinds(feed.events, own.ref) == ["power", "reconfigure"]
        assert [name for name, _, is_over in tasks_of(feed, own.ref) if is_over] == [
            "task.power", "task.reconfigure",
        ]  # fmt: skip


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
        watcher._say_due(at_once=True)
        texts = sorted(one.text.partition("): ")[2] for one in feed.events)
        assert [text[:15] for text in texts] == ["success after 1", "success after 3"]


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
            assert watcher._chronicle is not None
            watcher._chronicle._tasks._next_running = 0.0
            patient.follow(0)
        assert watcher.notes == ()
        watcher._say_due(at_once=True)
        assert sorted(kinds(feed.events, own.ref)) == ["power", "snapshot"]
        assert [is_over for _, _, is_over in tasks_of(feed, own.ref)] == [False, True]


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
        watcher._say_due(at_once=True)
        assert [name for name, _ in watcher.notes] == ["tasks"]
        assert noted == [0, 1]
        assert [one.text for one in feed.events] == ["Task: Create virtual machine snapshot"]
        assert tasks_of(feed, own.ref) == []


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
        watcher._say_due(at_once=True)
        texts = [one.text.replace(" (vm-00002)", "") for one in sorted(feed.events, key=lambda one: one.at)]
        assert texts[:2] == ["reset 3000", "reset 1000"]
        assert texts[-1] == "reset 10" or texts[-2] == "reset 10"
        assert len(texts) == 5
        made = server.stats()["requests"]["CreateCollectorForEvents"]
        assert made == 2 + 2, "an hour is one or two pieces, a look is one"


def test_too_much_is_cut_at_its_oldest(start_vcenter: Callable[..., TestVCenter]) -> None:
    server = start_vcenter(hosts=1, vms=1, history=2, rollup_days=0)
    for number in range(30):
        server.fault("event", type="VmResettingEvent", vm="vm-00001", text=str(number), ago=3000 - number)
    few = replace(EVENTS, reading=changed(EVENTS.reading, most=8, page=3))
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
