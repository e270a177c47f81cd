"""Facts, events and gaps that a live source corrects: the last word counts, in a file and in memory alike."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sessions.current_records import with_current_names
from sessions.model import Entity, EntityRef, Event, Fact, Gap, SourceSpec
from sessions.store import SessionReader, SessionWriter
from tests.sessions.memory_session import MemorySession
from tests.sessions.synthetic import HOST, T0

VM = EntityRef("vm", "4210")

FACTS = {
    "a later start ends an open fact": (
        [Fact(VM, "host", "esx01", T0), Fact(VM, "host", "esx02", T0 + 9)],
        [Fact(VM, "host", "esx01", T0, T0 + 9), Fact(VM, "host", "esx02", T0 + 9)],
    ),
    "written later, started earlier": (
        [Fact(VM, "host", "esx02", T0 + 9), Fact(VM, "host", "esx01", T0)],
        [Fact(VM, "host", "esx01", T0, T0 + 9), Fact(VM, "host", "esx02", T0 + 9)],
    ),
    "the same start replaces": (
        [Fact(VM, "cpu.limit_mhz", 500.0, T0), Fact(VM, "cpu.limit_mhz", 500.0, T0, T0 + 60)],
        [Fact(VM, "cpu.limit_mhz", 500.0, T0, T0 + 60)],
    ),
    "an end that was said stays": (
        [Fact(VM, "tools", "running", T0, T0 + 5), Fact(VM, "tools", "notRunning", T0 + 9)],
        [Fact(VM, "tools", "running", T0, T0 + 5), Fact(VM, "tools", "notRunning", T0 + 9)],
    ),
    "others are not touched": (
        [Fact(VM, "vcpus", 4.0, T0), Fact(HOST, "vcpus", 8.0, T0 + 1), Fact(VM, "cpu.shares", 4e3, T0 + 2)],
        [Fact(VM, "vcpus", 4.0, T0), Fact(HOST, "vcpus", 8.0, T0 + 1), Fact(VM, "cpu.shares", 4e3, T0 + 2)],
    ),
}  # fmt: skip

BEGUN = Event(T0, "snapshot", "Remove: started", VM, None, "task-7", "alice")
OVER = Event(T0, "snapshot", "Remove: success", VM, T0 + 42, "task-7", "alice")
EVENTS = {
    "what runs is completed in place": ([BEGUN, OVER], [OVER]),
    "an end that was said stays": ([OVER, BEGUN], [OVER]),
    "told twice": ([OVER, OVER, BEGUN, BEGUN], [OVER]),
    "the entity and who asked stay": (
        [BEGUN, Event(T0, "snapshot", "Remove: success", None, T0 + 42, "task-7")],
        [OVER],
    ),
    "its start is known better": (
        [Event(T0 + 40, "vmotion", "moved", VM, None, "7"), Event(T0, "vmotion", "moved", VM, T0 + 41, "7")],
        [Event(T0, "vmotion", "moved", VM, T0 + 41, "7")],
    ),
    "without an id each is one": (
        [Event(T0 + 1, "power", "on", VM), Event(T0, "power", "on", VM), Event(T0, "power", "on", VM)],
        [Event(T0, "power", "on", VM), Event(T0, "power", "on", VM), Event(T0 + 1, "power", "on", VM)],
    ),
}

GAPS = {
    "an outage grows": (
        [Gap(1, T0, T0, "no answer", None, 1), Gap(1, T0, T0 + 40, "no answer", None, 3)],
        [Gap(1, T0, T0 + 40, "no answer", None, 3)],
    ),
    "late samples take it back": ([Gap(1, T0, T0, "no answer", VM, 1), Gap(1, T0, T0, "", VM, 0)], []),
    "of another entity": (
        [Gap(1, T0, T0, "no answer", VM, 1), Gap(1, T0, T0, "", None, 0)],
        [Gap(1, T0, T0, "no answer", VM, 1)],
    ),
    "taken back and found again": (
        [Gap(1, T0, T0, "a", VM, 1), Gap(1, T0, T0, "a", VM, 0), Gap(1, T0, T0 + 5, "b", VM)],
        [Gap(1, T0, T0 + 5, "b", VM)],
    ),
    "one that ends before it starts is none": ([Gap(1, T0, T0 - 5, "a clock that went back", VM, 1)], []),
}


@pytest.mark.parametrize("name", FACTS)
def test_facts(session_path: Path, name: str) -> None:
    written, wanted = FACTS[name]
    with SessionWriter.create(session_path, durable=False) as writer:
        for fact in written:
            writer.add_facts([fact])
    with SessionReader.open(session_path) as reader:
        assert reader.facts() == wanted
    memory = MemorySession()
    memory.add_source(SourceSpec("lab", "x"), np.zeros(0, np.int64), [], np.zeros((0, 0)), facts=written)
    assert memory.facts() == wanted


@pytest.mark.parametrize("name", EVENTS)
def test_events(session_path: Path, name: str) -> None:
    written, wanted = EVENTS[name]
    with SessionWriter.create(session_path, durable=False) as writer:
        for event in written:
            writer.add_events([event])
    with SessionReader.open(session_path) as reader:
        assert reader.events() == wanted
    memory = MemorySession()
    memory.add_source(SourceSpec("lab", "x"), np.zeros(0, np.int64), [], np.zeros((0, 0)), events=written)
    assert memory.events() == wanted


@pytest.mark.parametrize("name", GAPS)
def test_gaps(session_path: Path, name: str) -> None:
    written, wanted = GAPS[name]
    with SessionWriter.create(session_path, durable=False) as writer:
        writer.add_entities([Entity(VM, "SQL03")])
        writer.add_source(SourceSpec("lab", "x"))
        for gap in written:
            writer.add_gaps([gap])
    with SessionReader.open(session_path) as reader:
        assert reader.gaps() == wanted
        assert reader.info().gaps == tuple(wanted)
    memory = MemorySession()
    memory.add_source(SourceSpec("lab", "x"), np.zeros(0, np.int64), [], np.zeros((0, 0)), gaps=written)
    assert memory.gaps() == wanted


@pytest.mark.parametrize(
    ("first", "later", "now"),
    [
        ("SQL03", [], "SQL03"),
        ("SQL03", ["SQL04"], "SQL04"),
        ("", [], "4210"),
        ("  ", [], "4210"),
        ("SQL03", [" "], "SQL03"),
        ("", ["SQL04"], "SQL04"),
    ],
)
def test_what_has_no_name_is_called_by_its_key(first: str, later: list[str], now: str) -> None:
    """Else a sentence has no subject: " was ready to run but not run for 30 % of the time"."""
    facts = [Fact(VM, "name", name, T0) for name in later]
    assert with_current_names({VM: Entity(VM, first)}, facts)[VM] == Entity(VM, now)
