"""Which known problems only one of two compared windows has."""

from __future__ import annotations

from tests.viewmodels.test_comparison_choices import finding, minutes
from viewmodels.comparison_problems import problem_note

A, B = minutes(0, 10), minutes(10, 20)


def test_what_only_one_window_has_is_named_with_its_entity() -> None:
    found = [finding("db", minutes(12, 14)), finding("web", minutes(2, 3)), finding("mail", minutes(5, 40))]
    assert problem_note(found, A, B) == "Problems found in B only: Swapping (db); in A only: Swapping (web)."
    assert problem_note(found, minutes(20, 30), A) == "Problems found in B only: Swapping (web)."


def test_a_problem_of_both_windows_and_what_follows_from_another_are_left_out() -> None:
    assert problem_note([finding("db", minutes(2, 3), minutes(15, 16))], A, B) == ""
    assert problem_note([finding("db", minutes(12, 14), cause=False)], A, B) == ""
    assert problem_note([], A, B) == ""


def test_the_first_three_are_named_and_the_others_counted() -> None:
    found = [finding(name, minutes(12, 14)) for name in ("a", "b", "c", "d", "e")]
    assert problem_note(found, A, B).endswith("Swapping (a), Swapping (b), Swapping (c), 2 more.")


def test_only_a_has_problems() -> None:
    assert problem_note([finding("db", minutes(1, 2))], A, B) == "In A only: Swapping (db)."
