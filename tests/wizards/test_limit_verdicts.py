"""Limits and shares on one host: what their rounds prove, by numbers worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.wizards.rounds_of_tests import Storage
from tests.wizards.storage_rounds import STUDIES, condition, pair, value
from wizards.flows.measured import Measured, Role
from wizards.flows.verdicts.judging import judge

ROLES: dict[str, Role] = {"db": "critical", "batch": "competing"}


def limited(free: float, held: float, block: int = 8192) -> Measured:
    storage = Storage(seed=8)
    found = []
    for number in range(1, 4):
        for step, iops, ms in (("unlimited", free, 20.0), ("limited", held, 8.0)):
            load = {"db": 2000.0, "batch": iops}
            found.append(storage.measure(step, number, load, latency_ms=ms, roles=ROLES, block=block))
    return Measured(tuple(found), 2, {"limit": 1000.0})


def test_a_limit_that_holds() -> None:
    found = judge("iops-limit", limited(4000.0, 990.0), STUDIES)
    assert found.line == "The limit holds: the limited VMs stay flat at it."
    assert value(found, "got by limit", "batch") == pytest.approx(0.99, abs=0.01)
    assert found.notes[0].startswith("Latency of the others: −6")
    assert found.confidence == "high"


def test_a_line_never_says_flat_of_what_is_not() -> None:
    """DESIGN: a flat top varies by at most 5 % in 10 s means."""
    given = limited(4000.0, 990.0)
    rounds = []
    for one in given.rounds:
        workers = tuple(
            replace(
                worker,
                samples=tuple(
                    replace(each, reads=each.reads * (1.3 if at // 20 % 2 else 0.7))
                    for at, each in enumerate(worker.samples)
                ),
            )
            for worker in one.workers
        )
        rounds.append(replace(one, workers=workers))
    found = judge("iops-limit", replace(given, rounds=tuple(rounds)), STUDIES)
    assert condition(found, "A flat top?") is False
    assert found.line == "The limit holds on average, but the limited VMs are not flat at it."


def test_a_queue_that_was_not_deep_shows_the_limit_that_it_breaks() -> None:
    """fio.md §6.2: the depth is reached at least 80 % of the time."""
    given = pair(("a", "b"), (1000.0, 1000.0))
    rounds = tuple(
        replace(one, workers=tuple(replace(worker, depth_reached=0.6) for worker in one.workers))
        for one in given.rounds
    )
    full = next(
        one
        for one in judge("storage-ab", replace(given, rounds=rounds), STUDIES).conditions
        if one.name == "Were the queues full?"
    )
    assert full.holds is False
    assert full.measured.endswith("depth reached 60 % of the time")
    assert full.limit == "≤ 10 %, depth ≥ 80 %"


def test_a_limit_that_does_not_hold_or_not_bind() -> None:
    assert judge("iops-limit", limited(4000.0, 1500.0), STUDIES).line.startswith(
        "The limit does not hold: batch did 1.5"
    )
    found = judge("iops-limit", limited(1010.0, 990.0), STUDIES)
    assert found.line == "No verdict: the limit does not bind."


def test_large_ios_count_as_several() -> None:
    found = judge("iops-limit", limited(4000.0, 250.0, block=131072), STUDIES)
    assert found.line.startswith("The limit holds")
    assert "Each I/O counts as 4: the limit is in units of 32 KB." in found.notes


def test_shares_inside_one_host() -> None:
    storage, found = Storage(seed=9), []
    for number in range(1, 4):
        for step, load in (
            ("equal", {"db": 3000.0, "batch": 3000.0}),
            ("weighted", {"db": 4800.0, "batch": 1200.0}),
        ):
            hosts = dict.fromkeys(load, "esx01")
            found.append(storage.measure(step, number, load, roles=ROLES, hosts=hosts))
    shares = {"db": 2000.0, "batch": 500.0}
    verdict = judge("host-shares", Measured(tuple(found), 2, shares=shares), STUDIES)
    assert verdict.line.startswith("The host honours the shares; the critical VM gains ")
    assert value(verdict, "got by due", "db") == pytest.approx(1.0, abs=0.01)
    apart = tuple(
        replace(one, workers=tuple(replace(each, host=each.worker) for each in one.workers)) for one in found
    )
    assert judge("host-shares", Measured(apart, 2, shares=shares), STUDIES).line == (
        "No verdict: the workers are on several hosts."
    )
