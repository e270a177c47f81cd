"""Sweeps, caches, densities, limits and two storages: what their rounds prove, by numbers worked out by
hand.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from resources.failures import NotFoundError
from resources.study_numbers import load_studies
from tests.wizards.rounds_of_tests import Storage
from wizards.flows.measured import LostWorker, Measured, Role, Round
from wizards.flows.verdict import Verdict
from wizards.flows.verdicts.judging import VERDICTS, judge

STUDIES = load_studies()
VMS = ("vm1", "vm2")


def value(verdict: Verdict, name: str, of: str = "all") -> float:
    return next(
        one.value for one in verdict.figures if (one.name, one.of) == (name, of) and one.value is not None
    )


def condition(verdict: Verdict, name: str) -> bool | None:
    return next(one.holds for one in verdict.conditions if one.name == name)


# ---------------------------------------------------------------- sweep

DEPTHS = {1: 2000.0, 2: 3900.0, 4: 7200.0, 8: 10_000.0, 16: 10_200.0, 32: 10_300.0}


def sweep(
    rounds: int = 3,
    word: str = "depth",
    curve: dict[int, float] | None = None,
    little: float = 1.0,
    noise: float = 0.01,
) -> Measured:
    storage = Storage(noise=noise)
    found = []
    for number in range(1, rounds + 1):
        for setting, iops in (curve or DEPTHS).items():
            each = iops / 2
            found.append(
                storage.measure(
                    f"{word} {setting}",
                    number,
                    dict.fromkeys(VMS, each),
                    latency_ms=setting / each * 1000,
                    setting=float(setting),
                    outstanding=setting * little,
                    block=setting if word == "block" else 4096,
                )
            )
    return Measured(tuple(found), 2)


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


def pair(steps: tuple[str, str], levels: tuple[float, float], rounds: int = 4, **options: float) -> Measured:
    storage = Storage(seed=3)
    found: list[Round] = []
    for number in range(1, rounds + 1):
        for step in steps if number % 2 else reversed(steps):
            iops = levels[steps.index(step)]
            found.append(
                storage.measure(
                    step, number, dict.fromkeys(VMS, iops / 2), latency_ms=64_000 / iops, reads=0.7
                )
            )
    return Measured(tuple(found), 2, dict(options))


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


# ---------------------------------------------------------------- cache


def test_the_cache_pair_of_the_study() -> None:
    """S001: reads 37 times faster, writes 3.4 times slower (write-through), IOPS × 2.4; the baseline's reads
    take 4.1 times as long as its writes, which makes the weighted latency 2.9 times lower.
    """
    storage = Storage(seed=4)
    found = []
    for number in range(1, 4):
        for step in ("baseline", "accelerated") if number % 2 else ("accelerated", "baseline"):
            is_fast = step == "accelerated"
            found.append(
                storage.measure(
                    step,
                    number,
                    dict.fromkeys(VMS, 2400.0 if is_fast else 1000.0),
                    latency_ms=41.0 / 37 if is_fast else 41.0,
                    write_ms=10.0 * 3.4 if is_fast else 10.0,
                    facts={"hit_percent": 99.0} if is_fast else {},
                )
            )
    verdict = judge("cache-pair", Measured(tuple(found), 2, {"reads": 70.0}), STUDIES)
    assert value(verdict, "weighted latency, speed-up") == pytest.approx(2.9, rel=0.03)
    assert value(verdict, "read latency, speed-up") == pytest.approx(37, rel=0.03)
    assert value(verdict, "write latency, speed-up") == pytest.approx(1 / 3.4, rel=0.03)
    assert all(one.unit == "ratio" for one in verdict.figures)
    assert verdict.line.startswith("With the cache I/Os are 2.")
    assert any(note.startswith("write latency: × 0.29") and "study: × 0.29" in note for note in verdict.notes)
    assert verdict.confidence == "high"
    assert "2.4" in verdict.line or "2.3" in verdict.line
    assert any("study: × 37" in note for note in verdict.notes)
    assert condition(verdict, "Was the cache warm?") is True


def test_writes_that_got_slower_are_the_first_note() -> None:
    storage = Storage(seed=6)
    found = []
    for number in range(1, 4):
        for step in ("baseline", "accelerated"):
            fast = step == "accelerated"
            found.append(
                storage.measure(
                    step,
                    number,
                    {"vm1": 1000.0},
                    latency_ms=2.0 if fast else 20.0,
                    write_ms=8.0 if fast else 5.0,
                )
            )
    verdict = judge("cache-pair", Measured(tuple(found), 1), STUDIES)
    assert verdict.notes[0].startswith("Writes got slower: × 0.6")


@pytest.mark.parametrize("test", ["cache-pair", "vm-density"])
def test_a_cache_that_was_not_warm_has_no_verdict_and_an_unknown_one_no_high_confidence(test: str) -> None:
    """W8: a hit ratio of about 100 % is needed."""
    given = pair(("baseline", "accelerated"), (1000.0, 2000.0)) if test == "cache-pair" else density({1: 0.4})
    for hits, line, confidence in (({"hit_percent": 60.0}, "No verdict: the cache was not warm.", "none"),
                                   ({}, "", "medium"), ({"hit_percent": 99.0}, "", "high")):  # fmt: skip
        rounds = tuple(
            replace(one, facts=hits if one.step.startswith("accelerated") else {}) for one in given.rounds
        )
        found = judge(test, replace(given, rounds=rounds), STUDIES)
        assert found.line == line or not line
        assert found.confidence == confidence


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


def test_a_cache_that_changes_nothing() -> None:
    verdict = judge("cache-pair", pair(("baseline", "accelerated"), (1000.0, 1000.0)), STUDIES)
    assert verdict.line == "The cache makes no real difference (~)."


def density(latencies: dict[int, float], rounds: int = 3) -> Measured:
    storage = Storage(seed=7)
    found = []
    for number in range(1, rounds + 1):
        found.append(storage.measure("baseline 1", number, {"vm1": 360.0}, latency_ms=1.68, setting=1.0))
        for count, ms in latencies.items():
            load = {f"vm{one}": 360.0 for one in range(1, count + 1)}
            found.append(
                storage.measure(f"accelerated {count}", number, load, latency_ms=ms, setting=float(count))
            )
    return Measured(tuple(found), max(latencies))


def test_the_density_of_the_study() -> None:
    found = judge("vm-density", density({1: 0.4, 2: 0.6, 4: 1.0, 5: 1.2, 6: 1.4, 8: 1.55, 9: 2.05}), STUDIES)
    assert found.line == "The cache carries 8 VMs at the latency of one VM without it."
    assert "9 VMs: 2.0" in found.sentence
    assert any("All VMs did the 360 /s" in note for note in found.notes)


def test_the_last_number_that_was_measured_is_only_a_least_one() -> None:
    found = judge("vm-density", density({1: 0.4, 2: 0.6}), STUDIES)
    assert found.line.startswith("The cache carries at least 2 VMs")


def test_a_later_number_that_fits_again_does_not_count() -> None:
    found = judge("vm-density", density({1: 0.4, 2: 2.5, 3: 1.0}), STUDIES)
    assert found.line.startswith("The cache carries 1 VM ")


# ---------------------------------------------------------------- limits and shares on one host

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


# ---------------------------------------------------------------- deduplication

LADDER = {1: 0.12, 16: 1.51, 32: 3.06, 64: 6.07, 128: 12.08, 256: 12.68}


def dedup(asked: float, reported: float, disks: int = 5, **more: float) -> Measured:
    storage, found = Storage(seed=10), []
    for number in range(1, 4):
        facts = {"dedup_percent": more.get("at_end", reported) if number == 3 else reported}
        found.append(
            storage.measure(
                "depth 128", number, {"vm1": 40_000.0}, latency_ms=3.2, setting=128.0, facts=facts
            )
        )
        if more.get("ladder"):
            for depth, ms in LADDER.items():
                iops = min(depth, 134) / ms * 1000
                found.append(
                    storage.measure(
                        f"one block {depth}", number, {"vm1": iops}, latency_ms=ms, setting=float(depth)
                    )
                )
    return Measured(
        tuple(found), 1, {"dedupe": asked, "disks": float(disks)}, before={"dedup_percent": reported}
    )


def test_the_asked_content() -> None:
    found = judge("dedup-prep", dedup(50.0, 51.0), STUDIES)
    assert found.line == "The disks have the asked content: 51 % duplicates for 50 % asked."
    assert found.confidence == "high"


@pytest.mark.parametrize(
    ("asked", "reported", "disks", "words"),
    [
        (0.0, 80.0, 5, "all 5 disks have the same content, as equal random seeds write it (1 − 1/5 = 80 %)"),
        (0.0, 50.0, 2, "all 2 disks have the same content"),
        (50.0, 90.0, 5, "all 5 disks have the same content"),  # 1 − 0.5 / 5
        (0.0, 60.0, 5, "5 disks have only 2 contents"),  # 1 − 2/5
        (0.0, 99.8, 5, "nearly everything is one block"),
        (50.0, 25.7, 5, "the blocks are not aligned to 4 KB"),
        (50.0, 40.6, 5, "blocks other than 4 KB"),
        (0.0, 12.0, 5, "other data on the storage"),
    ],
)
def test_known_signatures_of_a_wrong_ratio(asked: float, reported: float, disks: int, words: str) -> None:
    found = judge("dedup-prep", dedup(asked, reported, disks), STUDIES)
    assert found.valid
    assert found.line.startswith("The disks have the wrong content: ")
    assert words in found.sentence


def test_the_ladder_of_one_block() -> None:
    found = judge("dedup-prep", dedup(50.0, 50.0, ladder=1.0), STUDIES)
    assert value(found, "service time of one block") == pytest.approx(0.0945, abs=0.002)
    assert value(found, "one block to whole disk", "depth 128") == pytest.approx(12.08 / 3.2, rel=0.03)
    assert any(
        note.startswith("One block is served serially: ") and "times the whole disk" in note
        for note in found.notes
    )


def test_overwriting_lets_the_ratio_decay() -> None:
    found = judge("dedup-prep", dedup(50.0, 50.0, at_end=31.0), STUDIES)
    assert (
        "Random overwriting took the ratio from 50 % to 31 %: prepare again before another run."
        in found.notes
    )


def test_a_hot_capacity_disk() -> None:
    counters = {("vsan.capacity_read_latency", f"dg1/disk{one}"): [0.12] for one in range(1, 7)}
    counters["vsan.capacity_read_latency", "dg1/disk3"] = [3.0]
    whole = dedup(50.0, 50.0)
    seen = Storage().measure("depth 128", 1, {"vm1": 1.0}, counters=counters).observed
    found = judge(
        "dedup-prep",
        replace(whole, rounds=tuple(replace(one, observed=seen) for one in whole.rounds)),
        STUDIES,
    )
    assert found.line == "The ratio is right, but dg1/disk3 is a hot disk."
    assert found.notes[0].startswith("dg1/disk3 reads at 3 ms, 25.0 times its group (limit 10)")


def test_without_a_reported_ratio_there_is_no_verdict() -> None:
    found = judge("dedup-prep", dedup(50.0, float("nan")), STUDIES)
    assert found.line == "No verdict: nobody knows the ratio."


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


def test_points_are_points_and_an_unknown_penalty_is_left_out() -> None:
    found = judge("dedup-prep", dedup(50.0, 48.0), STUDIES)
    assert found.sentence == "The ratio misses by 2 points of 5 (5 disks)."
    assert not any("nan" in one.of for one in found.figures)
