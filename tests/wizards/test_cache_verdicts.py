"""Caches and densities: what their rounds prove, by numbers worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.wizards.rounds_of_tests import Storage
from tests.wizards.storage_rounds import STUDIES, VMS, condition, density, pair, value
from wizards.flows.measured import Measured
from wizards.flows.verdicts.judging import judge


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


def test_a_cache_that_changes_nothing() -> None:
    verdict = judge("cache-pair", pair(("baseline", "accelerated"), (1000.0, 1000.0)), STUDIES)
    assert verdict.line == "The cache makes no real difference (~)."


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
