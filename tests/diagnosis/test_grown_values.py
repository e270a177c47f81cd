"""Values that are kept while a session grows: only what is new is worked out."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from diagnosis import grown_values
from diagnosis.arrays import Moves, RunningSums, smoothed
from diagnosis.evaluate import Later
from diagnosis.grown_values import GrownValues, before_change, settled
from sessions.model import FloatArray, IntArray


class Asked:
    """Gives the squares of the instants, and notes from which one on it was asked."""

    def __init__(self) -> None:
        self.instants, self.starts = 0, list[int]()

    def __call__(self, part: Later) -> FloatArray:
        self.starts.append(part.start)
        return np.arange(part.start, self.instants, dtype=np.float64)[None] ** 2

    @property
    def times(self) -> IntArray:
        return 1000 * np.arange(self.instants)


def all_before(before: int) -> int:
    """Nothing new changes what was there."""
    return before


def test_only_new_instants_are_worked_out() -> None:
    grown, asked, owner = GrownValues(), Asked(), object()
    for instants in (5, 6, 6, 40):
        asked.instants = instants
        found, _ = grown.of(owner, "squares", asked.times, asked, all_before)
        assert found.tolist() == [[float(one * one) for one in range(instants)]]
        grown.end_look()
    assert asked.starts == [0, 5, 6]


def test_what_a_look_does_not_ask_for_is_forgotten() -> None:
    grown, asked, owner = GrownValues(), Asked(), object()
    asked.instants = 3
    grown.of(owner, "squares", asked.times, asked, all_before)
    grown.end_look()
    grown.end_look()
    grown.of(owner, "squares", asked.times, asked, all_before)
    assert asked.starts == [0, 0]


def test_what_is_the_same_at_all_instants_is_not_kept() -> None:
    grown, calls = GrownValues(), list[int]()

    def fact(part: Later) -> FloatArray:
        calls.append(part.start)
        return np.ones((2, 1))

    for _ in range(2):
        assert grown.of(fact, "fact", np.arange(7), fact, all_before)[0].shape == (2, 1)
    assert calls == [0, 0]


def test_what_has_no_room_is_worked_out_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grown_values, "_MOST", 12)
    grown, asked, first, second = GrownValues(), Asked(), object(), object()
    asked.instants = 8
    for _ in range(2):
        grown.of(first, "squares", asked.times, asked, all_before)
        grown.of(second, "squares", asked.times, asked, all_before)
        grown.end_look()
    assert asked.starts == [0, 0, 0]


def test_values_that_later_samples_change_are_worked_out_again() -> None:
    grown, asked, owner = GrownValues(), Asked(), object()
    for instants in (5, 6, 9):
        asked.instants = instants
        grown.of(owner, "squares", asked.times, asked, partial(settled, asked.times, after_ms=2000))
        grown.end_look()
    # An instant 2 s before the last one may still lack a sample: none came after it.
    assert asked.starts == [0, 3, 4]


@pytest.mark.parametrize("seed", range(8))
def test_running_means_are_those_of_all_samples_to_the_last_bit(seed: int) -> None:
    chance = np.random.default_rng(seed)
    times = np.cumsum(chance.integers(1, 40, 300)) * 100
    values = chance.normal(size=(3, 300)) * 10.0 ** chance.integers(-3, 6, (3, 300))
    if seed % 2:
        values[chance.random(values.shape) < 0.1] = np.nan
    values[:, : int(chance.integers(0, 200))] = 1.5  # a time in which all is known comes first
    before_s, after_s = (20.0, 0.0) if seed % 4 > 1 else (7.5, 7.5)
    moves = {1: np.array([40, 41, 160]), 2: np.array([120])} if seed > 3 else {}
    grown, owner = GrownValues(), object()
    ends = [0, *sorted(chance.choice(np.arange(1, 301), 60, replace=False).tolist())][1:]
    for end in ends:
        now, some = times[:end].copy(), values[:, :end]
        moved = {row: begun[begun < end] for row, begun in moves.items()}

        def compute(
            part: Later, some: FloatArray = some, now: IntArray = now, moved: Moves = moved
        ) -> FloatArray:
            sums = part.sums.setdefault(1, RunningSums())
            return sums.smoothed(some[:, part.start :], now, before_s, after_s, part.start, moved)

        after_ms = int(after_s * 1000)
        found, _ = grown.of(owner, "means", now, compute, partial(settled, now, after_ms=after_ms))
        grown.end_look()
        assert found.tobytes() == smoothed(some, now, before_s, after_s, moved).tobytes()


def test_another_thing_given_makes_all_of_it_anew() -> None:
    grown, asked, owner = GrownValues(), Asked(), object()
    for instants, given, same in ((5, b"1", 0), (6, b"1", 5), (7, b"2", 0), (7, b"2", 7)):
        asked.instants = instants
        found, number = grown.of(owner, "squares", asked.times, asked, all_before, given)
        assert number == same
        assert found.tolist() == [[float(one * one) for one in range(instants)]]
        assert grown.asked(owner, "squares") is not None
        grown.end_look()
        assert grown.asked(owner, "squares") is None
    assert asked.starts == [0, 5, 0]


def test_what_may_not_be_written_to_is_copied_before_it_is_changed() -> None:
    """A number that is the same at all instants is shown at each of them: there is but one in memory."""
    grown, owner, one = GrownValues(), object(), [1.0]

    def compute(part: Later) -> FloatArray:
        return np.broadcast_to(one[0], (2, 4 - part.start))

    times = np.arange(4)
    assert grown.of(owner, "one", times, compute, all_before)[0].tolist() == [[1.0] * 4] * 2
    grown.end_look()
    one[0] = 2.0
    found, _ = grown.of(owner, "one", times, compute, lambda before: before - 1)
    assert found.tolist() == [[1.0, 1.0, 1.0, 2.0]] * 2


def test_how_many_instants_stay() -> None:
    times = np.array([0, 1000, 2000, 3000, 9000])
    assert [settled(times, 4, after_ms) for after_ms in (0, 1000, 2500)] == [4, 3, 1]
    assert settled(times, 5, 2500) == 5  # nothing is new
    assert [before_change(times, 3, after_ms) for after_ms in (0, 999, 1000, 5000)] == [3, 3, 2, 0]
    assert before_change(times, 5, 1000) == 5
