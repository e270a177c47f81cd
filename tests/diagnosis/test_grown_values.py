"""Values that are kept while a session grows: only what is new is worked out."""

from __future__ import annotations

import numpy as np
import pytest

from diagnosis import grown_values
from diagnosis.arrays import RunningSums, smoothed
from diagnosis.evaluate import Later
from diagnosis.grown_values import GrownValues
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


def test_only_new_instants_are_worked_out() -> None:
    grown, asked, owner = GrownValues(), Asked(), object()
    for instants in (5, 6, 6, 40):
        asked.instants = instants
        found = grown.of(owner, "squares", asked.times, asked, 0)
        assert found.tolist() == [[float(one * one) for one in range(instants)]]
        grown.end_look()
    assert asked.starts == [0, 5, 6]


def test_what_a_look_does_not_ask_for_is_forgotten() -> None:
    grown, asked, owner = GrownValues(), Asked(), object()
    asked.instants = 3
    grown.of(owner, "squares", asked.times, asked, 0)
    grown.end_look()
    grown.end_look()
    grown.of(owner, "squares", asked.times, asked, 0)
    assert asked.starts == [0, 0]


def test_what_is_the_same_at_all_instants_is_not_kept() -> None:
    grown, calls = GrownValues(), list[int]()

    def fact(part: Later) -> FloatArray:
        calls.append(part.start)
        return np.ones((2, 1))

    for _ in range(2):
        assert grown.of(fact, "fact", np.arange(7), fact, 0).shape == (2, 1)
    assert calls == [0, 0]


def test_what_has_no_room_is_worked_out_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grown_values, "_MOST", 12)
    grown, asked, first, second = GrownValues(), Asked(), object(), object()
    asked.instants = 8
    for _ in range(2):
        grown.of(first, "squares", asked.times, asked, 0)
        grown.of(second, "squares", asked.times, asked, 0)
        grown.end_look()
    assert asked.starts == [0, 0, 0]


def test_values_that_later_samples_change_are_worked_out_again() -> None:
    grown, asked, owner = GrownValues(), Asked(), object()
    for instants in (5, 6, 9):
        asked.instants = instants
        grown.of(owner, "squares", asked.times, asked, 2000)
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
    grown, owner = GrownValues(), object()
    ends = [0, *sorted(chance.choice(np.arange(1, 301), 60, replace=False).tolist())][1:]
    for end in ends:
        now, some = times[:end].copy(), values[:, :end]

        def compute(part: Later, some: FloatArray = some, now: IntArray = now) -> FloatArray:
            sums = part.sums.setdefault(1, RunningSums())
            return sums.smoothed(some[:, part.start :], now, before_s, after_s, part.start)

        found = grown.of(owner, "means", now, compute, int(after_s * 1000))
        assert found.tobytes() == smoothed(some, now, before_s, after_s).tobytes()
