"""Values that are kept while a session grows: only what is new is worked out."""

from __future__ import annotations

import numpy as np

from diagnosis.grown_values import GrownValues
from sessions.model import FloatArray


class Asked:
    """Gives the squares of the instants, and notes from which one on it was asked."""

    def __init__(self) -> None:
        self.instants, self.starts = 0, list[int]()

    def __call__(self, start: int) -> FloatArray:
        self.starts.append(start)
        return np.arange(start, self.instants, dtype=np.float64)[None] ** 2


def test_only_new_instants_are_worked_out() -> None:
    grown, asked, owner = GrownValues(), Asked(), object()
    for instants in (5, 6, 6, 40):
        asked.instants = instants
        found = grown.of(owner, "squares", instants, asked)
        assert found.tolist() == [[float(one * one) for one in range(instants)]]
        grown.end_look()
    assert asked.starts == [0, 5, 6]


def test_what_a_look_does_not_ask_for_is_forgotten() -> None:
    grown, asked, owner = GrownValues(), Asked(), object()
    asked.instants = 3
    grown.of(owner, "squares", 3, asked)
    grown.end_look()
    grown.end_look()
    grown.of(owner, "squares", 3, asked)
    assert asked.starts == [0, 0]


def test_what_is_the_same_at_all_instants_is_not_kept() -> None:
    grown, calls = GrownValues(), list[int]()

    def fact(start: int) -> FloatArray:
        calls.append(start)
        return np.ones((2, 1))

    for _ in range(2):
        assert grown.of(fact, "fact", 7, fact).shape == (2, 1)
    assert calls == [0, 0]
