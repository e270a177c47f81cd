"""What is offered to be compared: phases of a test, marks, the worst problem, yesterday, or halves."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from sessions.findings import Finding
from sessions.journal import Phase, TestRun
from sessions.model import EntityRef, Mark
from sessions.times import TimeRange
from viewmodels.comparison_choices import (
    ChosenSide,
    Known,
    PairOffer,
    before_offers,
    pair_offers,
    side_offers,
)
from viewmodels.comparison_command import comparison_command

MINUTE, HOUR = 60_000, 3_600_000
SPAN = TimeRange(0, HOUR - 1)


def minutes(first: int, last: int) -> TimeRange:
    return TimeRange(first * MINUTE, last * MINUTE - 1)


def finding(name: str, *windows: TimeRange, severity: str = "critical", cause: bool = True) -> Finding:
    return Finding(
        "mem.swapping", "Swapping", severity, EntityRef("vm", name), name, windows, 0.5, "", (), (), (),  # type: ignore[arg-type]
        consequence_of=None if cause else ("mem.host_state", EntityRef("host", "esx01")),
    )  # fmt: skip


def told(known: Known) -> list[str]:
    def side(one: ChosenSide) -> str:
        return f"{one.title} {one.window.start // MINUTE}–{(one.window.end + 1) // MINUTE}"

    return [f"{one.why}: {side(one.a)}, {side(one.b)}" for one in pair_offers(known)]


def test_nothing_known_offers_the_halves() -> None:
    assert told(Known(SPAN)) == ["first half against second half: first half 0–30, second half 30–60"]


def test_the_worst_problem_is_compared_with_the_longest_time_without_it() -> None:
    known = Known(SPAN, [finding("db", minutes(10, 12), minutes(40, 60))])
    assert told(known)[0] == "normal against worst: Swapping, db: normal 12–40, worst 40–60"


def test_of_several_problems_the_one_with_a_normal_of_like_length_comes_first() -> None:
    almost_always, half = finding("limited", minutes(8, 60)), finding("db", minutes(30, 60))
    always = finding("always", SPAN)
    follows = finding("follower", minutes(30, 59), cause=False)
    warned = finding("web", minutes(30, 60), severity="warning")
    offered = told(Known(SPAN, [warned, almost_always, always, follows, half]))
    assert offered == [
        "normal against worst: Swapping, db: normal 0–30, worst 30–60",
        "normal against worst: Swapping, limited: normal 0–8, worst 8–60",
    ], "others have the windows of db, too, and what follows is not offered by itself"


def test_marks_part_the_session() -> None:
    one = Known(SPAN, marks=[Mark(20 * MINUTE, "limit raised")])
    assert told(one)[0] == "before and after “limit raised”: before 0–20, after 20–60"
    two = replace(one, marks=[Mark(40 * MINUTE, "checked"), *one.marks])
    assert told(two)[:2] == [
        "before “limit raised” and after “checked”: before 0–20, after 40–60",
        "from “limit raised” on, and after “checked”: between the marks 20–40, after 40–60",
    ]


def test_the_phases_of_a_test_come_before_all_else() -> None:
    phases = (
        Phase("fill", "done", 0, 5 * MINUTE),
        Phase("P1 off", "done", 5 * MINUTE, 20 * MINUTE),
        Phase("P3 weighted", "done", 20 * MINUTE, 40 * MINUTE),
        Phase("P4", "skipped"),
    )
    known = Known(SPAN, marks=[Mark(MINUTE, "x")], runs=[TestRun("1", "sioc-shares", "", 0, phases=phases)])
    assert told(known)[0] == "fill against P3 weighted: fill 0–5, P3 weighted 20–40"
    assert "P1 off" in [one.title for one in side_offers(known)]


def test_the_same_hour_yesterday_needs_a_day() -> None:
    long = TimeRange(0, 26 * HOUR - 1)
    (offer,) = [one for one in pair_offers(Known(long)) if one.why == "same time yesterday"]
    assert offer.b.window.start - offer.a.window.start == 24 * HOUR
    assert "same time yesterday" not in [one.why for one in pair_offers(Known(SPAN))]


def test_a_chosen_time_is_compared_with_right_before() -> None:
    (first, *_) = before_offers(Known(SPAN), minutes(30, 40))
    assert (first.why, first.a.window, first.b.window) == ("right before", minutes(20, 30), minutes(30, 40))
    assert before_offers(Known(SPAN), minutes(0, 50)) == []


def test_an_offer_for_what_is_shown_says_what_is_compared() -> None:
    offered = [one.why for one in pair_offers(Known(SPAN, shown=minutes(40, 50)))]
    assert offered[:2] == ["what is shown against right before", "what is shown against all before"]


def test_a_side_can_be_what_is_shown_worst_normal_and_halves() -> None:
    known = Known(SPAN, [finding("db", minutes(40, 60))], shown=minutes(5, 10))
    assert [one.title for one in side_offers(known)] == [
        "shown", "worst", "normal", "first half", "second half", "all",
    ]  # fmt: skip


def test_names_of_a_session_are_shown_as_text() -> None:
    known = Known(SPAN, [finding("evil\u202e\n", minutes(40, 60))], marks=[Mark(MINUTE, "a\u202eb")])
    assert not any("\u202e" in one or "\n" in one for one in told(known))


def test_the_command_makes_the_same_comparison() -> None:
    pair = PairOffer("", ChosenSide("", minutes(0, 10)), ChosenSide("", minutes(20, 30)))
    window = "1970-01-01T00:00:00Z..1970-01-01T00:09:59.999Z"
    path, first, second = (Path("/some", name).absolute() for name in ("friday night.hscope", "a", "b"))
    command = comparison_command(pair, path, [minutes(0, 10)], on_windows=False)
    assert command == (
        f"hyperscope compare {shlex.quote(str(path))} --a {window} "
        f"--b 1970-01-01T00:20:00Z..1970-01-01T00:29:59.999Z --leave-out {window}"
    )
    other = replace(pair, b=replace(pair.b, session=second))
    assert comparison_command(other, first, [], on_windows=False).startswith(
        f"hyperscope compare {shlex.quote(str(first))} {shlex.quote(str(second))} --a"
    )


def test_the_command_works_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pair = PairOffer("", ChosenSide("", minutes(0, 10)), ChosenSide("", minutes(20, 30)))
    monkeypatch.chdir(tmp_path)
    assert shlex.split(comparison_command(pair, Path("own.hscope"), [], on_windows=False))[2] == str(
        tmp_path / "own.hscope"
    )
