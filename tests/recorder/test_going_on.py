"""A recording that is continued: what happened is told once, what was renamed is the same entity."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from recorder.earlier_run import EarlierRun
from sessions.model import Entity, EntityRef, Event, Fact
from sessions.server_counters import server_counters
from sessions.store import SessionReader, check_session
from tests.recorder.conftest import Record
from tests.recorder.running import Recorder
from tests.recorder.vcenters import differences, realtime, record_vcenter, rounds, stored
from tests.vcenter.conftest import start_vcenter, vcenter
from tests.vcenter.running import TestVCenter

__all__ = ["start_vcenter", "vcenter"]

VM = EntityRef("vm", "uuid-1")
HOST = EntityRef("host", "esx01")


def stop(recorder: Recorder) -> None:
    recorder.say(do="stop")
    assert recorder.end()["code"] == 0
    assert check_session(recorder.session, thorough=True) == []


@pytest.mark.slow
def test_renamed_while_nobody_recorded(record: Record, session_path: Path, vcenter: TestVCenter) -> None:
    recorder = record_vcenter(record, session_path, vcenter)
    rounds(recorder, 2)
    stop(recorder)
    with SessionReader.open(session_path) as reader:
        series = {one.id: one.spec for one in reader.series()}
        (own,) = [one.ref for one in reader.entities().values() if one.name == "vm-00001"]
    before = {key: max(samples) for key, samples in stored(session_path).items() if key[1] == "vm-00001"}
    vcenter.fault("vm_renamed", vm="vm-00001", name="db01")
    for _ in range(2):  # the second time there is nothing new to say of it
        recorder = record_vcenter(record, session_path, vcenter)
        rounds(recorder, 2)
        stop(recorder)
    with SessionReader.open(session_path) as reader:
        assert {one.id: one.spec for one in reader.series()} == series
        names = [fact for fact in reader.facts() if (fact.entity, fact.name) == (own, "name")]
        told = [event for event in reader.events() if "was called" in event.text]
        twice = [event for event, count in Counter(reader.events()).items() if count > 1]
    assert [(fact.value, fact.end) for fact in names] == [("db01", None)]
    assert [(event.kind, event.entity, event.text) for event in told] == [
        ("inventory", own, "db01 was called vm-00001 when the recording was interrupted")
    ]
    assert twice == []
    after = stored(session_path)
    assert before
    assert all(max(after[key]) > last for key, last in before.items())


@pytest.mark.slow
def test_the_servers_counters_are_stored_once(
    record: Record, session_path: Path, vcenter: TestVCenter
) -> None:
    for _ in range(2):
        recorder = record_vcenter(record, session_path, vcenter)
        rounds(recorder, 2)
        stop(recorder)
    with SessionReader.open(session_path) as reader:
        facts = [fact for fact in reader.written(Fact)[0] if fact.name.startswith("perf_counter.")]
        ((ref, counters),) = server_counters(reader.facts()).items()
    assert ref.kind == "vcenter"
    assert len(facts) == len(counters) >= 560


def test_what_happened_is_told_once(record: Record, session_path: Path, vcenter: TestVCenter) -> None:
    for ago in (3000, 600, 5):
        vcenter.fault("event", type="VmResettingEvent", vm="vm-00002", text=f"reset {ago}", ago=ago)
    keys = [
        vcenter.fault("task_started", vm="vm-00002", name="removeAllSnapshots", ago=ago)["task"]
        for ago in (900, 90)
    ]
    vcenter.fault("task_ended", task=keys[0], error="Unable to access a file")
    for number in range(2):
        recorder = record_vcenter(record, session_path, vcenter)
        rounds(recorder, 2)
        stop(recorder)
        with SessionReader.open(session_path) as reader:
            told = [(event.text, event.end is not None) for event in reader.events()]
        assert sorted(told) == sorted(
            [
                ("reset 3000", False), ("reset 600", False), ("reset 5", False),
                ("Remove all snapshots (vm-00002): error: Unable to access a file", True),
                ("Remove all snapshots (vm-00002): " + ("success" if number else "started"), number > 0),
            ]
        )  # fmt: skip
        if number == 0:
            vcenter.fault("task_ended", task=keys[1])


@pytest.mark.slow
def test_a_servers_clock_that_is_set(record: Record, session_path: Path, vcenter: TestVCenter) -> None:
    began = round(vcenter.now() * 1000)
    recorder = record_vcenter(record, session_path, vcenter)
    rounds(recorder, 2)
    vcenter.jump(20)
    rounds(recorder, 3)
    vcenter.jump(-4)
    recorder.wait_for(lambda event: "was set back" in json.dumps(event))
    last = realtime(rounds(recorder, 3))[0]["last_ms"] - 2_000
    stop(recorder)
    with SessionReader.open(session_path) as reader:
        told = [event.text.partition(" was set ")[2] for event in reader.events() if event.kind == "clock"]
        (live,) = (one.id for one in reader.sources() if not one.spec.name.endswith(" rollups"))
        lost = [gap for gap in reader.gaps() if gap.entity is None and gap.source == live]
        gaps = [gap.reason.partition(" was set ")[2] for gap in lost]
    assert sorted(text[:15] for text in told) == ["back by 4 s; it", "forward by 20 s"]
    assert gaps == ["forward by 20 s"]
    assert differences(session_path, vcenter, began - 10_000, last) == []


def test_events_of_an_earlier_run() -> None:
    known = EarlierRun({}, {}, [Event(1, "power", "off", VM), Event(2, "task", "x")])
    new = [
        Event(1, "power", "off", VM),  # the same
        Event(1, "power", "off"),  # of an object that is gone by now
        Event(1, "power", "off", HOST),
        Event(3, "power", "off", VM),
        Event(2, "task", "x"),
    ]
    assert known.new_events(new) == [new[2], new[3]]
    assert EarlierRun({}).new_events(new) == new


def test_an_event_of_an_earlier_run_that_ended_since() -> None:
    begun, moved = Event(1, "task", "started", VM, id="a"), Event(2, "vmotion", "moved", VM, 9, "b")
    known = EarlierRun({}, {}, [begun, moved])
    new = [
        begun,  # still runs
        Event(1, "task", "success", VM, 5, id="a"),
        Event(8, "vmotion", "moved", VM, id="b"),  # as its server tells it, before its task gives it a start
        Event(2, "vmotion", "moved", None, 9, id="b"),
        Event(8, "vmotion", "moved", VM, id="c"),
    ]
    assert known.new_events(new) == [new[1], new[4]]


def test_names_of_an_earlier_run() -> None:
    named = Fact(VM, "name", "b", 5)
    for now, wanted in (("a", [("a", "b")]), ("b", []), ("c", [("c", "b")])):
        known = EarlierRun({(VM, "name"): named}, {VM: "a", HOST: "esx01"})
        known.compare_names([Entity(VM, now), Entity(HOST, "esx01"), Entity(EntityRef("vm", "new"), "new")])
        facts, events = known.renamings(
            [Fact(HOST, "x", 1.0, 8), Fact(VM, "x", 1.0, 9), Fact(VM, "y", 1.0, 9)]
        )
        assert facts == [Fact(VM, "name", name, 9) for name, _ in wanted]
        assert [event.text for event in events] == [
            f"{name} was called {before} when the recording was interrupted" for name, before in wanted
        ]
        assert known.unconfirmed_facts(20) == []


def test_what_was_over_before_does_not_end_what_holds() -> None:
    holds = Fact(VM, "tools", "new", 50)
    known = EarlierRun({(VM, "tools"): holds})
    earlier, ended = (
        Fact(VM, "tools", "old", 10, 20),
        Fact(VM, "tools", "x", 50, 60),
    )
    assert known.new_facts([earlier]) == [earlier]
    assert known.new_facts([ended]) == [ended]
    assert known.unconfirmed_facts(100) == []
    known = EarlierRun({(VM, "tools"): holds})
    assert known.new_facts([earlier]) == [earlier]
    assert known.unconfirmed_facts(100) == [Fact(VM, "tools", "new", 50, 100)]
