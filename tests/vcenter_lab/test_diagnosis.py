"""Diagnosis of vCenter sessions finds what the lab's truth names, first cause and all, and nothing else."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from benchmarks.scoreboard import play
from benchmarks.shown import VCENTER
from diagnosis import Diagnosis, diagnose_session
from lab import Lab, load_scenarios, vcenter_document
from resources.catalogue import Catalogue, load_catalogue
from resources.problem_cards import Problems, load_problems
from sessions.findings import Finding
from tests.some_of_many import one_in
from tests.vcenter_lab.vcenter_session import vcenter_session

SCENARIOS = {name: one for name, one in load_scenarios().items() if one.written_from == "cards"}
"""The scenarios of the cards' author; those of a stranger have tests/lab/test_strangers.py."""
SEED = 4_003


@cache
def knowledge() -> tuple[Problems, Catalogue]:
    return load_problems(), load_catalogue()


@cache
def diagnosed(scenario: str, seed: int = 2) -> tuple[Lab, Diagnosis]:
    problems, catalogue = knowledge()
    lab = Lab(SCENARIOS[scenario], seed=seed)
    session = vcenter_session(vcenter_document(lab, catalogue=catalogue), catalogue)
    return lab, diagnose_session(session, problems, catalogue)


def finding(scenario: str, problem: str, seed: int = 2) -> Finding:
    lab, found = diagnosed(scenario, seed)
    names = {truth.name for truth in lab.truth().truth if truth.problem == problem}
    return next(one for one in found.findings if one.problem == problem and one.entity_name in names)


@pytest.mark.parametrize(
    "scenario", one_in(3, (name for name, one in SCENARIOS.items() if one.kind == "problem"))
)
def test_what_is_wrong_is_found_with_its_first_cause(scenario: str) -> None:
    _, scores = play((scenario, SEED), VCENTER)
    misses = [line for score in scores.values() for line in score.misses]
    assert not misses


@pytest.mark.parametrize(
    "scenario",
    one_in(3, (name for name, one in SCENARIOS.items() if one.kind in ("healthy", "lookalike"))),
)
def test_what_only_looks_wrong_is_left_alone(scenario: str) -> None:
    _, scores = play((scenario, SEED), VCENTER)
    assert not [line for score in scores.values() for line in score.misses]


def test_a_vm_s_limit_is_named() -> None:
    first = finding("cpu-limit-vm", "cpu.limit").causes[0]
    lab, _ = diagnosed("cpu-limit-vm")
    (victim,) = lab.cluster.cast["victim"].members
    assert (first.cause, first.verdict) == ("vm_limit", "likely")
    assert lab.cluster.vms[victim].limit_share < 1


def test_a_pool_s_limit_names_the_pool_and_its_limit() -> None:
    first = finding("cpu-limit-pool", "cpu.limit").causes[0]
    assert (first.cause, first.verdict) == ("pool_limit", "likely")
    assert "pool Test" in first.because
    assert "Hz" in first.because


def test_affinity_is_said_by_the_inventory() -> None:
    first = finding("cpu-ready-affinity", "cpu.ready_high").causes[0]
    assert (first.cause, first.verdict) == ("affinity", "likely")
    assert "affinity allows it 3 of" in first.because


def test_a_snapshot_is_named_where_vcpus_are_blocked() -> None:
    first = finding("cpu-costop-snapshot", "cpu.costop").causes[0]
    assert (first.cause, first.verdict) == ("io_blocked", "likely")
    assert "1 snapshot" in first.because
    assert "1 snapshots" not in first.because


def test_missing_tools_are_named() -> None:
    first = finding("mem-swapping-tools-missing", "mem.swapping").causes[0]
    assert (first.cause, first.verdict) == ("tools_missing", "likely")
    assert "Tools" in first.because


def test_who_loads_a_lun_is_named_across_hosts() -> None:
    found = finding("storage-latency-noisy-neighbour", "storage.device_latency")
    lab, _ = diagnosed("storage-latency-noisy-neighbour")
    names = {vm.name for vm in lab.cluster.vms}
    assert found.entity.key.startswith("naa.")
    assert any(name in found.causes[0].because for name in names)


def test_a_device_that_hosts_share_is_one_finding() -> None:
    _, found = diagnosed("storage-latency-array-rebuild")
    keys = [(one.problem, one.entity) for one in found.findings]
    assert len(keys) == len(set(keys))
    assert all("\n" not in one.entity.key for one in found.findings)


def test_what_vcenter_can_t_show_is_said_to_need_esxtop() -> None:
    """Every cause that its card says to need esxtop is unknown in a vCenter's session, and says so."""
    cards = {card.id: card for card in knowledge()[0].cards}
    needing = {
        (card.id, cause.id) for card in cards.values() for cause in card.causes if cause.needs == "esxtop"
    }
    assert ("storage.aborts", "guest_timeout") in needing
    for scenario, one in SCENARIOS.items():
        if {(expect.problem, expect.cause) for expect in one.truth} & needing:
            (problem,) = {expect.problem for expect in one.truth}
            first = finding(scenario, problem).causes[0]
            assert (problem, first.cause) in needing
            assert first.verdict == "unknown"
            assert "esxtop" in first.because


def test_a_scenario_that_vcenter_does_not_show_says_why() -> None:
    unseen = {name: one.not_in_vcenter for name, one in SCENARIOS.items() if one.not_in_vcenter}
    assert set(unseen) == {"data-gaps"}
    assert all(len(why) > 40 for why in unseen.values())


def test_a_short_session_is_the_vcenter_s() -> None:
    _, found = diagnosed("data-few-samples")
    (one,) = [one for one in found.findings if one.problem == "data.insufficient"]
    assert one.entity.kind == "vcenter"
    assert not found.notes


def test_a_vm_that_came_in_the_middle_is_judged_from_its_first_sample_on() -> None:
    """Its first half never was: the same finding, of the second half, and nothing about missing samples."""
    problems, catalogue = knowledge()
    lab = Lab(SCENARIOS["cpu-limit-vm"], seed=2)
    (victim,) = {truth.name for truth in lab.truth().truth if truth.problem == "cpu.limit"}
    document: dict[str, Any] = dict(vcenter_document(lab, catalogue=catalogue))
    middle = document["ticks"] // 2
    document["series"] = [
        {**one, "values": [-1] * middle + list(one["values"])[middle:]}
        if one["object"] == f"vm:{victim}"
        else one
        for one in document["series"]
    ]
    session = vcenter_session(document, catalogue)
    found = diagnose_session(session, problems, catalogue).findings
    first = document["start_ms"] + 1000 * document["interval_s"] * middle
    (own,) = [one for one in found if one.problem == "cpu.limit" and one.entity_name == victim]
    assert own.causes[0].cause == "vm_limit"
    assert all(window.start >= first for window in own.windows)
    assert not [one for one in found if one.problem == "data.insufficient"]
