"""Storage I/O Control: proven to act or no verdict, then due against got, the gain and its price."""

from __future__ import annotations

from dataclasses import replace

import pytest

from resources.study_numbers import load_studies
from tests.wizards.rounds_of_tests import Storage
from wizards.flows.measured import Measured, Role, Round
from wizards.flows.verdict import Verdict
from wizards.flows.verdicts.sioc_shares import judge

STUDIES = load_studies()
SHARES = {"db": 2000.0, "w2": 1000.0, "w3": 1000.0, "w4": 500.0}
HOSTS = {"db": "esx01", "w2": "esx01", "w3": "esx02", "w4": "esx02"}
ROLES: dict[str, Role] = {"db": "critical", "w2": "competing", "w3": "competing", "w4": "competing"}
OFF = {"db": 3300.0, "w2": 3000.0, "w3": 3000.0, "w4": 2900.0}
EQUAL = dict.fromkeys(OFF, 3000.0)
WEIGHTED = {"db": 5300.0, "w2": 2650.0, "w3": 2650.0, "w4": 1350.0}  # 44.4, 22.2, 22.2, 11.1 % of 11,950

PROVEN = {
    ("datastore.sioc_active", "lun-02"): [96.0],
    ("datastore.size_normalized_latency", "lun-02"): [41.0, 39.0],
    ("disk.queue_depth", "esx01"): [32.0, 36.0, 28.0],
    ("disk.queue_depth", "esx02"): [40.0, 44.0],
}
FREE = {
    ("datastore.sioc_active", "lun-02"): [0.0],
    ("datastore.size_normalized_latency", "lun-02"): [40.0],
    ("disk.queue_depth", "esx01"): [64.0],
    ("disk.queue_depth", "esx02"): [64.0],
}


def run(
    rounds: int = 3,
    weighted: dict[str, float] | None = None,
    on: dict[tuple[str, str], list[float]] | None = None,
    off: dict[tuple[str, str], list[float]] | None = None,
    hosts: dict[str, str] | None = None,
    threshold: float = 30.0,
) -> Measured:
    storage = Storage()
    found: list[Round] = []
    for number in range(1, rounds + 1):
        steps = [("off", OFF), ("equal", EQUAL), ("weighted", weighted or WEIGHTED)]
        for step, iops in steps if number % 2 else reversed(steps):
            counters = (off or FREE) if step == "off" else (on or PROVEN)
            latencies = {name: 48_000.0 / one for name, one in iops.items()}
            found.append(
                storage.measure(
                    step,
                    number,
                    iops,
                    latency_ms=latencies,
                    roles=ROLES,
                    hosts=hosts or HOSTS,
                    counters=counters,
                )
            )
    return Measured(tuple(found), 4, {"threshold_ms": threshold}, SHARES)


def figure(verdict: Verdict, name: str, of: str) -> float:
    return next(
        one.value for one in verdict.figures if (one.name, one.of) == (name, of) and one.value is not None
    )


def test_honoured_shares_with_a_gain() -> None:
    found = judge(run(), STUDIES)
    assert found.valid
    # 5,300 by 3,300 is + 60.6 %; the storage of the test scatters by half a percent.
    assert found.line.startswith("Storage I/O Control honours the shares; the critical VM gains 6")
    assert "db got 44." in found.sentence
    assert "for 44.4 % of the shares (95 % CI 4" in found.sentence
    assert found.confidence == "high"
    assert figure(found, "got by due", "w4") == pytest.approx(1350 / 11950 / (500 / 4500), rel=0.001)
    assert figure(found, "IOPS, weighted to off", "db") == pytest.approx(60.6, abs=2.5)
    assert all(one.holds for one in found.conditions)


def test_the_price_and_the_study_are_among_the_notes() -> None:
    notes = judge(run(weighted={name: one * 0.9 for name, one in WEIGHTED.items()}), STUDIES).notes
    assert notes[0].startswith("Price: all VMs together changed by −1")
    assert notes[-1].startswith("Study: up to 26 %")
    assert len(notes) <= 6


def test_a_datastore_that_was_never_full_has_no_verdict() -> None:
    calm = {**PROVEN, ("datastore.size_normalized_latency", "lun-02"): [4.0]}
    found = judge(run(on=calm, off=calm), STUDIES)
    assert not found.valid
    assert found.line == "No verdict: the datastore was never full."
    assert (
        found.why
        == "Was there congestion? 4 ms normalised; needed: > 30 ms. Raise the load or lower the threshold."
    )
    assert found.confidence == "none"


def test_a_full_datastore_on_which_nothing_moves_is_not_active_here() -> None:
    found = judge(run(on=FREE), STUDIES)
    assert not found.valid
    assert found.line == "No verdict: Storage I/O Control is not active here."
    assert "active 0 %, none of 2 queues moved from 64; needed: > 0 %" in found.why


def test_active_time_alone_proves_nothing_while_no_queue_moves() -> None:
    said = {**FREE, ("datastore.sioc_active", "lun-02"): [90.0]}
    assert judge(run(on=said), STUDIES).line == "No verdict: Storage I/O Control is not active here."


def test_moving_queues_alone_prove_nothing_without_active_time() -> None:
    full_array = {**PROVEN, ("datastore.sioc_active", "lun-02"): [0.0]}
    assert judge(run(on=full_array), STUDIES).line == "No verdict: Storage I/O Control is not active here."


def changed(given: Measured, step: str, number: int, counter: str, value: float) -> Measured:
    """The rounds in which one step's counter showed another value in one repetition."""
    rounds = []
    for one in given.rounds:
        is_it = one.step == step and one.number == number
        seen = tuple(
            replace(each, values=each.values * 0 + value) if is_it and each.counter == counter else each
            for each in one.observed
        )
        rounds.append(replace(one, observed=seen))
    return replace(given, rounds=tuple(rounds))


def test_what_was_active_with_equal_shares_only_proves_nothing_of_the_weighted() -> None:
    """modern.md §4: it must be proven to act where it is judged."""
    given = run()
    for number in (1, 2, 3):
        given = changed(given, "weighted", number, "datastore.sioc_active", 0.0)
    assert judge(given, STUDIES).line == "No verdict: Storage I/O Control is not active here."


def test_one_weighted_round_in_which_it_did_not_act_spoils_the_proof() -> None:
    given = changed(run(), "weighted", 2, "datastore.sioc_active", 0.0)
    assert judge(given, STUDIES).line == "No verdict: Storage I/O Control is not active here."


def test_each_repetition_must_be_congested() -> None:
    given = run()
    for step in ("off", "equal", "weighted"):
        given = changed(given, step, 3, "datastore.size_normalized_latency", 3.0)
    assert judge(given, STUDIES).line == "No verdict: the datastore was not full in every round."


def test_without_the_counters_nobody_knows() -> None:
    unknown = {key: one for key, one in PROVEN.items() if key[0] != "datastore.sioc_active"}
    found = judge(run(on=unknown, off=unknown), STUDIES)
    assert found.line == "No verdict: nothing proves that Storage I/O Control acted."


def test_all_workers_on_one_host_prove_nothing_of_a_datastore() -> None:
    found = judge(run(hosts=dict.fromkeys(HOSTS, "esx01")), STUDIES)
    assert found.line == "No verdict: all workers are on one host."


def test_shares_that_are_not_honoured() -> None:
    found = judge(run(weighted={"db": 3300.0, "w2": 3000.0, "w3": 3000.0, "w4": 2600.0}), STUDIES)
    assert found.valid
    assert found.line.startswith("Storage I/O Control does not honour the shares: ")
    assert "w4 got 1.97" in found.line


def test_no_gain_is_written_as_no_real_difference() -> None:
    honoured = {"db": 3300.0, "w2": 1650.0, "w3": 1650.0, "w4": 825.0}
    found = judge(run(weighted=honoured), STUDIES)
    assert found.line == "Storage I/O Control honours the shares; the critical VM gains nothing by it (~)."


def test_one_round_is_indicative_and_says_what_it_takes() -> None:
    found = judge(run(rounds=1), STUDIES)
    assert found.valid
    assert found.confidence == "indicative"
    assert "rounds, ≈ " in found.needs
    assert "tell 50 % apart" in found.needs


def test_a_disturbed_round_is_left_out_and_too_many_leave_no_verdict() -> None:
    whole = run(rounds=4)
    event = Storage().measure("off", 1, OFF, disturbed="vMotion of db").disturbances
    one = replace(whole, rounds=(replace(whole.rounds[0], disturbances=event), *whole.rounds[1:]))
    found = judge(one, STUDIES)
    assert found.valid
    undisturbed = next(each for each in found.conditions if each.name == "Undisturbed?")
    assert undisturbed.measured == "1 round of 12 left out: vMotion of db"
    every = replace(whole, rounds=tuple(replace(each, disturbances=event) for each in whole.rounds))
    assert judge(every, STUDIES).line.startswith("No verdict: ")


def test_a_worker_that_never_came_lowers_the_confidence() -> None:
    found = judge(replace(run(), worker_count=5), STUDIES)
    assert found.valid
    assert found.confidence == "medium"
    there = next(each for each in found.conditions if each.name == "Did all workers take part?")
    assert (there.measured, there.holds) == ("4 of 5", False)


def test_a_worker_that_is_lost_between_phases_leaves_no_verdict() -> None:
    rounds = tuple(
        replace(one, workers=one.workers[:-1]) if one.step == "weighted" else one for one in run().rounds
    )
    found = judge(replace(run(), rounds=rounds), STUDIES)
    assert found.line == "No verdict: workers were lost between the phases."


def test_a_worker_that_is_lost_at_the_end_leaves_the_rounds_before() -> None:
    whole = run(rounds=4)
    rounds = tuple(replace(one, workers=one.workers[:-1]) if one.number == 4 else one for one in whole.rounds)
    found = judge(replace(whole, rounds=rounds), STUDIES)
    assert found.valid
    assert found.confidence == "high"


def test_an_idle_share_is_handed_on() -> None:
    whole, storage = run(), Storage(seed=5)
    burst = storage.measure("bursts", 1, WEIGHTED, roles=ROLES, hosts=HOSTS, counters=PROVEN)
    workers = []
    for worker in burst.workers:
        samples = []
        for at, sample in enumerate(worker.samples):
            pause = at % 120 >= 60  # seconds 60 to 119 and 180 to 239
            factor = (2.0 if at % 60 >= 14 else 1.0) if worker.role == "critical" else 0.0
            samples.append(
                replace(sample, reads=sample.reads * factor, writes=sample.writes * factor)
                if pause
                else sample
            )
        workers.append(replace(worker, samples=tuple(samples)))
    found = judge(replace(whole, rounds=(*whole.rounds, replace(burst, workers=tuple(workers)))), STUDIES)
    assert "An idle share is handed on in 14 s (limit 30 s)." in found.notes
    still = judge(replace(whole, rounds=(*whole.rounds, burst)), STUDIES)
    assert not any("idle share" in note for note in still.notes)  # nobody paused
