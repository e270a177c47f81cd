"""A check that could not have found anything clears nothing, whatever the card and the source."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest

from benchmarks.shown import Shown
from diagnosis import Diagnosis, diagnose_session
from lab import load_scenarios
from resources.problem_cards import Card
from sessions.model import EntityRef, Event, SourceSpec
from sessions.verdict_wording import check_because
from sessions.verdicts import CheckReach
from tests.diagnosis.recordings import START, Recording, catalogue, diagnosed, problems
from tests.sessions.memory_session import MemorySession

SOURCES = {
    "esxtop -b": Shown("esxtop", 5, "plain"),
    "esxtop -b -a": Shown("esxtop", 5, "all"),
    "vCenter": Shown("vcenter", 20),
    "vCenter, rollups": Shown("vcenter", 300),
}
NO_EVENTS = ("esxtop -b", "esxtop -b -a")
CARDS = [card for card in problems().cards if card.rules]


@cache
def of_source(name: str) -> Diagnosis:
    scenario = next(one for one in load_scenarios().values() if one.id == "healthy-two-hosts")
    _, session = SOURCES[name].play(scenario, 1, catalogue())
    return diagnose_session(session, problems(), catalogue())


def check(found: Diagnosis, card: str) -> CheckReach:
    return next(one for one in found.verdict.checks if one.problem == card)


def needs_events(card: Card) -> bool:
    """True if none of the rules that clear anything can be met without an event, as their text has it."""

    def asks(condition: str, names: list[str]) -> bool:
        bare = re.sub(r"coalesce\([^()]*(\([^()]*\)[^()]*)*\)", "", condition)
        sides = re.split(r"\bor\b", bare)
        return all(any(re.search(rf"\b{name}\b", side) for name in names) for side in sides)

    rules = [rule for rule in card.rules if not rule.finds_only]
    told = {rule.entity: [n for n, s in card.signals_for(rule).items() if s.told] for rule in rules}
    return bool(rules) and all(asks(rule.condition, told[rule.entity]) for rule in rules)


def test_some_cards_need_events() -> None:
    assert {card.id for card in CARDS if needs_events(card)} >= {"svmotion.impact", "vmotion.slow"}


@pytest.mark.parametrize("source", NO_EVENTS)
@pytest.mark.parametrize("card", [card for card in CARDS if needs_events(card)], ids=lambda card: card.id)
def test_what_only_events_tell_is_not_cleared_without_them(card: Card, source: str) -> None:
    found = check(of_source(source), card.id)
    assert found.verdict == "insufficient data"
    assert "vCenter" in check_because(found)


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.id)
def test_a_check_is_cleared_by_a_number_or_by_a_state_that_was_looked_at(card: Card, source: str) -> None:
    found = check(of_source(source), card.id)
    if found.verdict == "not found" and found.number is None:
        assert card.id in CLEARED_BY_A_STATE
    if found.verdict == "insufficient data":
        assert check_because(found)


CLEARED_BY_A_STATE = {"svmotion.impact", "cpu.host_saturated", "cpu.power_management", "storage.nfs_latency"}
"""Cards that look only at a state which nothing was in: a disk that is moved, a host under load."""


def test_logs_clear_nothing() -> None:
    made = MemorySession()
    host = EntityRef("host", "esx01")
    event = Event(START, "storage", "All Paths Down of naa.1", host, log="vmkernel.log")
    made.add_source(SourceSpec("log", "esx01"), np.zeros(0, np.int64), [], np.zeros((0, 0)), events=[event])
    found = diagnose_session(made, problems(), catalogue())
    assert not found.verdict.is_judged
    assert not [one for one in found.verdict.checks if one.verdict == "not found"]


def test_a_move_that_nobody_can_tell_of_is_no_all_clear() -> None:
    """The disk is quick: but whether one was moved meanwhile nobody says."""

    def moved(source: str) -> CheckReach:
        recording = Recording(source=source, interval=20.0)  # type: ignore[arg-type]
        recording.on_host({"cpu.pcpu_util": 40.0})
        vm = recording.vm("db01", {"cpu.run": 10.0})
        quick = {
            "vdisk.latency_read": 1.0,
            "vdisk.latency_write": 1.0,
            "vdisk.reads": 50.0,
            "vdisk.writes": 50.0,
        }
        recording.add("vdisk", "db01/scsi0:0", quick, parent=vm)
        return check(diagnosed(recording), "svmotion.impact")

    assert moved("vcenter").verdict == "not found"
    without = moved("esxtop")
    assert (without.verdict, without.judged) == ("insufficient data", 0)
    assert check_because(without) == "no source tells of tasks and events; vCenter does"
