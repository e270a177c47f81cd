"""Sweeps and two storages: what their rounds prove, by numbers worked out by hand; and what holds of every
test's verdict.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from resources.failures import NotFoundError
from tests.wizards.rounds_of_tests import Storage
from tests.wizards.storage_rounds import STUDIES, VMS, condition, pair, sweep, value
from wizards.flows.measured import LostWorker, Measured
from wizards.flows.verdicts.judging import VERDICTS, judge

# ---------------------------------------------------------------- sweep


def test_the_knee_of_a_sweep() -> None:
    found = judge("io-sweep", sweep(), STUDIES)
    assert found.valid
    assert found.line.startswith("The knee is at 8 outstanding I/Os a disk: 1")
    assert found.line.endswith("ms.")
    assert found.notes[0].startswith("Beyond it, at 32 outstanding I/Os a disk: +")
    assert "3.8" in found.notes[0] or "3.9" in found.notes[0]  # 32/10,300 by 8/10,000 is 3.88
    assert any(note.startswith("R1: ") for note in found.notes)
    assert value(found, "IOPS", "depth 8") == pytest.approx(10_000, rel=0.02)
    assert found.confidence == "high"


def test_a_sweep_that_still_rises_has_no_knee() -> None:
    found = judge("io-sweep", sweep(curve={1: 2000.0, 2: 3900.0, 4: 7200.0}), STUDIES)
    assert found.line == "IOPS still rise at 4 outstanding I/Os a disk: there is no knee up to there."
    assert not any(note.startswith("R1: ") for note in found.notes)


def test_a_queue_that_was_not_full_lowers_the_confidence() -> None:
    found = judge("io-sweep", sweep(little=1.4), STUDIES)
    assert found.valid
    assert condition(found, "Were the queues full?") is False
    assert found.confidence == "medium"


def test_a_single_round_of_a_sweep_is_indicative() -> None:
    found = judge("io-sweep", sweep(rounds=1), STUDIES)
    assert found.confidence == "indicative"
    assert found.needs.startswith("3 rounds, ≈ ")


def test_bandwidth_is_flat_from_some_size_on() -> None:
    # 8 KB 100, 16 KB 190, 32 KB 300, 64 KB 303, 128 KB 305 MB/s
    rates = {8192: 100.0, 16384: 190.0, 32768: 300.0, 65536: 303.0, 131072: 305.0}
    curve = {size: mb * (1 << 20) / size for size, mb in rates.items()}
    found = judge("io-sweep", sweep(word="block", curve=curve), STUDIES)
    assert found.line.startswith("Bandwidth is flat from 32 KB on: 30")
    assert not any(note.startswith("R2") for note in found.notes)


def test_rules_speak_of_what_the_environment_said() -> None:
    known = replace(sweep(), before={"cache_percent_of_capacity": 6.0, "failures_to_tolerate": 1.0})
    notes = judge("io-sweep", known, STUDIES).notes
    assert "R3: Give the cache at least 10 % of the capacity." in notes
    assert not any(note.startswith("R6") for note in notes)


def test_a_storage_that_changed_meanwhile_says_so() -> None:
    whole = sweep(rounds=1)
    again = Storage(clock=whole.rounds[-1].window.end + 60_000).measure(
        "depth 1", 2, dict.fromkeys(VMS, 800.0), latency_ms=1.25, setting=1.0, outstanding=1.0
    )
    found = judge("io-sweep", replace(whole, rounds=(*whole.rounds, again)), STUDIES)
    assert any(note.startswith("The storage changed meanwhile: ") and "−2" in note for note in found.notes)


def test_one_point_is_no_sweep() -> None:
    assert judge("io-sweep", sweep(curve={4: 7200.0}), STUDIES).line == "No verdict: nothing was varied."
    assert judge("io-sweep", Measured(()), STUDIES).line == "No verdict: nothing was measured."


# ---------------------------------------------------------------- storage A and B


def test_storages_that_are_the_same() -> None:
    found = judge("storage-ab", pair(("a", "b"), (10_000.0, 10_050.0)), STUDIES)
    assert found.line == "The storages are the same within 5 %."
    assert found.confidence == "high"
    assert "IOPS +" in found.sentence
    assert "p95 latency" in found.sentence
    assert "90 % CI" in found.sentence


def test_storages_that_differ() -> None:
    found = judge("storage-ab", pair(("a", "b"), (10_000.0, 8_000.0)), STUDIES)
    assert found.line.startswith("The storages differ: B has ")
    assert "less IOPS, beyond the margin of 5 %." in found.line
    assert value(found, "IOPS, B to A") == pytest.approx(-20, abs=2)


def test_storages_of_which_too_little_is_known() -> None:
    found = judge("storage-ab", pair(("a", "b"), (10_000.0, 10_300.0), rounds=1), STUDIES)
    assert found.line.startswith("Undecided: ")
    assert found.confidence == "indicative"
    assert "one round, no interval" in found.sentence


def drifting(percent: float, noise: float) -> Measured:
    """A sweep whose rounds of four minutes drift by so much in five minutes."""
    given = sweep(curve={1: 1000.0, 4: 2000.0}, noise=noise)
    rounds = []
    for one in given.rounds:
        start, workers = one.window.start, []
        for worker in one.workers:
            samples = tuple(
                replace(each, reads=each.reads * factor, writes=each.writes * factor)
                for each in worker.samples
                for factor in [1 + percent / 100 * (each.at - start) / 300_000]
            )
            workers.append(replace(worker, samples=samples))
        rounds.append(replace(one, workers=tuple(workers)))
    return replace(given, rounds=tuple(rounds))


@pytest.mark.parametrize(
    ("percent", "noise", "holds"),
    [(0.0, 0.002, True), (20.0, 0.002, False), (0.0, 0.3, False), (0.4, 0.05, None)],
)
def test_a_tick_never_contradicts_its_limit(percent: float, noise: float, holds: bool | None) -> None:
    """tests.md §0.2: slope ≤ 1 % a window, CoV ≤ 5 %: ticked only if drift and uncertainty are within it."""
    found = judge("io-sweep", drifting(percent, noise), STUDIES)
    steady = next(one for one in found.conditions if one.name == "Steady?")
    drift, error, variation = (float(one) for one in re.findall(r"\d+(?:\.\d+)?", steady.measured)[:3])
    assert steady.holds is holds, steady
    assert steady.limit == "drift ≤ 1 % in 5 min, CoV ≤ 5 %"
    if holds:
        assert drift + error <= 1
        assert variation <= 5
    if holds is None:
        assert drift - error <= 1 < drift + error
        assert "too short to tell" in steady.measured


# ---------------------------------------------------------------- all of them


@pytest.mark.parametrize("test", sorted(VERDICTS))
def test_nothing_measured_is_no_verdict_and_no_crash(test: str) -> None:
    found = judge(test, Measured((), 2), STUDIES)
    assert not found.valid
    assert found.line.startswith("No verdict: ")
    assert found.why


@pytest.mark.parametrize("test", sorted(VERDICTS))
def test_idle_workers_are_judged_without_a_crash(test: str) -> None:
    words: dict[str, tuple[str, ...]] = {
        "io-sweep": ("depth 1", "depth 2"),
        "drs-balance": ("hand own", "drs own"),
    }
    words |= {"vm-density": ("baseline 1", "accelerated 1"), "dedup-prep": ("depth 1", "depth 2")}
    words |= {"sioc-shares": ("off", "equal", "weighted"), "host-shares": ("equal", "weighted")}
    words |= {"iops-limit": ("unlimited", "limited"), "cache-pair": ("baseline", "accelerated")}
    steps = words.get(test, ("a", "b"))
    storage = Storage()
    rounds = [storage.measure(step, number, {"vm1": 0.0}, setting=1.0) for number in (1, 2) for step in steps]
    found = judge(test, Measured(tuple(rounds), 1), STUDIES)
    assert found.line
    assert all(one.value is None or np.isfinite(one.value) for one in found.figures)


def test_lost_workers_are_named_with_when_and_why() -> None:
    first = LostWorker("perf-w02", "4 outstanding I/Os a disk", 1, 12.0, "It refuses connections.")
    others = [LostWorker(f"perf-w{number}", "Fill", 2, 3.0, "It hangs.") for number in range(3, 7)]
    notes = judge("io-sweep", Measured((), 6, lost=(first, *others)), STUDIES).notes
    assert notes[0] == (
        "perf-w02 was lost 12 s after “4 outstanding I/Os a disk” began: It refuses connections. "
        "The round in which it failed is left out."
    )
    assert notes[1].startswith("perf-w3 was lost 3 s after “Fill” began: It hangs.")
    assert notes[2] == "3 more workers were lost."
    notes = judge("io-sweep", Measured((), 6, lost=(first, *others[:2])), STUDIES).notes
    assert notes[2] == "1 more worker was lost."


def test_a_test_without_a_verdict() -> None:
    with pytest.raises(NotFoundError, match="There is no verdict for a test nothing"):
        judge("nothing", Measured(()), STUDIES)
