"""Deduplication: what its rounds prove, by numbers worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.wizards.rounds_of_tests import Storage
from tests.wizards.storage_rounds import STUDIES, value
from wizards.flows.measured import Measured
from wizards.flows.verdicts.judging import judge

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
    assert found.notes[0].startswith("dg1/disk3 reads at 3 ms, 25 times its group (limit 10)")


def test_without_a_reported_ratio_there_is_no_verdict() -> None:
    found = judge("dedup-prep", dedup(50.0, float("nan")), STUDIES)
    assert found.line == "No verdict: nobody knows the ratio."


def test_points_are_points_and_an_unknown_penalty_is_left_out() -> None:
    found = judge("dedup-prep", dedup(50.0, 48.0), STUDIES)
    assert found.sentence == "The ratio misses by 2 points of 5 (5 disks)."
    assert not any("nan" in one.of for one in found.figures)
