"""The benchmark of culprits: the peer's methods are the peer's, and an injection changes what it says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from benchmarks.culprit_shapes import bursts, drift, later, pulse
from benchmarks.injected_session import InjectedSession
from benchmarks.netdata_methods import statistic, volume
from sessions.store import SessionReader
from tests.sessions.synthetic import capture

ROWS = arrays(np.float64, (2, 12), elements=st.integers(-3, 3).map(float))


@given(ROWS, arrays(np.float64, (2, 5), elements=st.integers(-3, 3).map(float)))
def test_the_statistic_is_the_largest_distance_of_both_distributions(
    base: np.ndarray, high: np.ndarray
) -> None:
    found = statistic(base, high)
    for row in range(2):
        one, other = (np.trunc(-np.diff(values[row]) * 100_000) for values in (base, high))
        points = np.concatenate([one, other])
        distance = max(abs((one <= x).mean() - (other <= x).mean()) for x in points)
        assert abs(found[row] - distance) < 1e-9


def test_volume_is_the_relative_change_and_from_zero_the_value() -> None:
    base = np.array([[2.0, 2.0], [0.0, 0.0], [4.0, 4.0]])
    high = np.array([[6.0, 6.0], [5.0, 5.0], [1.0, 1.0]])
    assert volume(base, high).tolist() == [2.0, 5.0, 0.75]


def test_shapes_are_on_when_they_say() -> None:
    times = np.array([0, 1000, 5000, 9000, 10_000, 12_000])
    assert pulse(1000, 10_000, 1)(times).tolist() == [0, 1, 1, 1, 1, 0]
    assert later(pulse(1000, 10_000, 1), 4000)(times).tolist() == [0, 0, 1, 1, 1, 1]
    assert bursts(0, 10_000, 5000, 1000)(times).tolist() == [1, 0, 1, 0, 1, 0]
    assert drift(0, 10_000)(times).tolist() == [0, 0.1, 0.5, 0.9, 1, 0]


def test_only_what_was_injected_differs_from_the_recording(tmp_path: Path) -> None:
    made = capture(ticks=60, vms=2, host="esx01")
    ids = made.write(tmp_path / "a.hscope")
    with SessionReader.open(tmp_path / "a.hscope") as reader:
        changed = InjectedSession(reader, {int(ids[0]): [lambda t, v: np.nan_to_num(v) + 1000.0]})
        (before,), (after,) = reader.read(ids), changed.read(ids)
        assert (after.values[:, 0] >= 1000).all()
        np.testing.assert_array_equal(after.values[:, 1:], before.values[:, 1:])
        assert changed.stats(ids[:1]).minimum[0] >= 1000
        np.testing.assert_array_equal(changed.stats(ids[1:]).mean, reader.stats(ids[1:]).mean)
