"""Sentences of what a vCenter does not count: a number that nobody knows is left out with its words."""

from __future__ import annotations

import random
import re

import pytest

from benchmarks.fuzz_judging import copied, site_of
from benchmarks.scoreboard import knowledge
from benchmarks.shown import play_both
from diagnosis import Diagnosis, diagnose_session
from tests.diagnosis.expert.scenarios import View, scenarios
from tests.diagnosis.expert.scenarios import diagnosed as diagnosed_scenario
from tests.diagnosis.recordings import Recording, diagnosed
from tests.some_of_many import one_in

_HOLE = re.compile(r"(^|[ (])–")


def holes(diagnosis: Diagnosis) -> list[str]:
    """The sentences in which a number is missing."""
    found = []
    for finding in diagnosis.findings:
        texts = [finding.conclusion, *finding.notes, *(one.because for one in finding.causes)]
        found += [text for text in texts if not text or _HOLE.search(text) or text != text.strip()]
    return found


@pytest.mark.parametrize("name", ["cpu-power-balanced", "cpu-power-capped", "mem-latency-slow-swap"])
def test_no_sentence_has_a_hole(name: str) -> None:
    problems, catalogue, of_the_lab = knowledge()
    _lab, *sessions = play_both(of_the_lab[name], 1, catalogue)
    assert [
        one for session in sessions for one in holes(diagnose_session(session, problems, catalogue))
    ] == []


def test_a_vm_that_is_alone_on_its_host_has_no_others_that_are_held_back() -> None:
    """Its host's use is not in the data either."""
    recording = Recording("esx01", source="vcenter", seconds=1200, interval=20)
    recording.vm("alone", {"cpu.ready": 9.0, "cpu.max_limited": 8.0, "cpu.run": 40.0, "cpu.used": 38.0})
    found = diagnosed(recording)
    assert "cpu.limit" in [one.problem for one in found.findings]
    assert holes(found) == []


@pytest.mark.parametrize("name", ["fourth-conflicts-constant", "fourth-vdi-nvme-three-ms"])
def test_what_is_not_known_of_a_device_is_left_out_of_its_sentence(name: str) -> None:
    """How many reservations it sent, and what is usual for it."""
    view: View = "vcenter"
    assert holes(diagnosed_scenario(scenarios()[name], view)) == []


_SPARSE = (
    "cpu-costop-oversized", "cpu-ready-low-shares", "cpu-saturated-few-heavy", "mem-balloon-vm-limit",
    "mem-compressing-overcommit", "mem-swapping-vm-limit", "mem-latency-slow-swap", "net-saturated-one-vm",
    "storage-latency-array-port", "storage-noisy-outsider", "storage-queue-adapter", "mem-state-overcommit",
)  # fmt: skip
"""Scenarios of which parts are recorded: some counters were not asked for, some settings not told."""


@pytest.mark.parametrize("part", [0.15, 0.35, 0.6])
@pytest.mark.parametrize("name", one_in(3, _SPARSE))
def test_what_was_not_recorded_leaves_no_hole(name: str, part: float) -> None:
    problems, catalogue, of_the_lab = knowledge()
    _lab, *sessions = play_both(of_the_lab[name], 1, catalogue)
    for session in sessions:
        rng, site = random.Random(f"{name} {part}"), copied(site_of(session))
        for table in site.tables:
            counters = sorted({one.counter for one in table.specs})
            gone = {one for one in counters if rng.random() < part}
            kept = [place for place, one in enumerate(table.specs) if one.counter not in gone]
            table.specs, table.values = [table.specs[at] for at in kept], table.values[:, kept]
        site.facts = [one for one in site.facts if rng.random() >= part / 2]
        assert holes(diagnose_session(site.session(), problems, catalogue)) == []
