"""What coarse and plain recordings are asked for, and that what they can't show is no all-clear."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.asked import Hidden, shows_in_time
from benchmarks.coarse_boards import every_view, table
from benchmarks.judging import judge
from benchmarks.scoreboard import play
from benchmarks.scores import Score
from benchmarks.shown import Shown
from lab import GroundTruth, Truth
from sessions.findings import CauseVerdict, Finding, Verdict
from sessions.model import EntityRef
from sessions.times import TimeRange
from sessions.verdicts import CheckReach, CheckVerdict

HOUR = 3600.0


def truth(start: float, end: float, *, spell: float | None = None, returns: bool = False) -> Truth:
    return Truth("cpu.limit", "vm", "a", "x", start, end, "warning", spell_s=spell, returns=returns)


def shows(one: Truth, interval: float, hold: float = 60.0) -> bool:
    return shows_in_time(one, np.arange(0, HOUR, interval), interval, [hold])


@pytest.mark.parametrize(
    ("interval", "lasts", "is_asked"),
    [
        (5, 90, True),
        (20, 90, True),
        (60, 40, False),
        (300, 90, False),
        (60, 150, True),
        (300, 700, False),
        (300, 900, True),
    ],
)
def test_a_problem_is_asked_of_samples_that_stand_for_nothing_else(
    interval: float, lasts: float, is_asked: bool
) -> None:
    assert shows(truth(1234, 1234 + lasts), interval) == is_asked


def test_a_rule_that_asks_for_long_needs_as_many_whole_samples() -> None:
    assert shows(truth(600, 1210), 300, hold=600)
    assert not shows(truth(700, 1400), 300, hold=600)


def test_the_ramp_of_what_was_injected_does_not_count() -> None:
    assert not shows(truth(600, 1000, spell=100), 60, hold=120)


@pytest.mark.parametrize(("interval", "is_asked"), [(5, True), (20, False), (60, False)])
def test_bursts_are_asked_of_samples_that_are_much_shorter(interval: float, is_asked: bool) -> None:
    assert shows(truth(0, HOUR, spell=40, returns=True), interval) == is_asked


def check(verdict: CheckVerdict, reason: str = "", unseen_s: float = 0.0, shown_by: str = "") -> CheckReach:
    return CheckReach("cpu.limit", "", 1, 0, reason, verdict, shown_by=shown_by, unseen_s=unseen_s)


def test_what_is_not_asked_for_is_no_all_clear() -> None:
    short, unseen = Hidden(truth(0, 90), "short"), Hidden(truth(0, 90), "counters")
    assert not short.is_said(check("not found"))
    assert not short.is_said(check("not found", unseen_s=60))
    assert short.is_said(check("not found", unseen_s=120))
    assert short.is_said(check("insufficient data"))
    assert not unseen.is_said(check("not found"))
    assert not unseen.is_said(check("insufficient data", "too few samples"))
    assert unseen.is_said(check("insufficient data", "no source has %CSTP; esxtop -b -a records it"))
    assert unseen.is_said(check("not applicable", shown_by="a vCenter"))
    assert not unseen.is_said(check("not applicable"))


def found(*causes: tuple[str, Verdict]) -> Score:
    one = Finding(
        problem="cpu.limit", title="", severity="warning", entity=EntityRef("vm", "a"), entity_name="a",
        windows=(TimeRange(0, 600_000),), share=1.0, conclusion="", evidence=(), remedies=(),
        causes=tuple(CauseVerdict(name, "", verdict, "") for name, verdict in causes),
    )  # fmt: skip
    return judge(GroundTruth((truth(0, 600),), ()), [one], 0, "here", lacks_counters=True)["cpu.limit"]


def test_a_cause_whose_counters_lack_may_be_unknown_but_no_other_one_likely() -> None:
    assert found(("y", "possible"), ("x", "unknown")).misses == []
    assert found(("y", "likely"), ("x", "unknown")).misses == ["here: cpu.limit of a: y instead of x"]
    assert found(("y", "possible"), ("x", "ruled out")).misses == ["here: cpu.limit of a: y instead of x"]


def right(scenario: str, shown: Shown, seed: int = 4_001) -> Score:
    total = Score()
    for score in play((scenario, seed), shown)[1].values():
        total.add(score)
    assert not total.misses
    return total


def test_aborts_are_not_asked_of_a_plain_capture_which_says_who_records_them() -> None:
    score = right("storage-aborts-guest-timeout", Shown("esxtop", 5, "plain"))
    assert (score.found, score.unasked) == (0, 1)


def test_what_plain_captures_count_of_hosts_alone_may_be_told_of_the_host() -> None:
    score = right("mem-balloon-vm-limit", Shown("esxtop", 5, "plain"))
    assert (score.unasked, score.alarms) == (1, 0)


def test_a_limit_is_found_in_samples_of_a_minute() -> None:
    score = right("cpu-limit-vm", Shown("esxtop", 60))
    assert (score.found, score.unasked, score.cause_right) == (1, 0, 1)


def test_ten_minutes_of_ready_are_no_all_clear_in_a_vcenter_s_rollups() -> None:
    score = right("cpu-ready-low-shares", Shown("vcenter", 300))
    assert (score.found, score.unasked) == (0, 1)


@pytest.mark.parametrize("shown", [Shown("esxtop", 300), Shown("esxtop", 20, "plain"), Shown("vcenter", 300)])
def test_a_healthy_site_is_healthy_however_it_is_recorded(shown: Shown) -> None:
    right("healthy-normal", shown)


def test_the_table_has_a_line_for_each_way_to_show_the_lab() -> None:
    views = list(every_view())
    lines = table([(one, Score(truths=3, found=3, unasked=1)) for one in views]).splitlines()
    assert len(lines) == len(views) + 2 == len({one.label for one in views}) + 2
    assert lines[-1] == "| vCenter, 5 min at level 1 | 4 | 1 | 1.000 | 1.000 | 0 | 0.000 | 1.0000 |"
