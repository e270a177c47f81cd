"""The laws that the lab's subsystems share."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from lab.queueing import falling_root, wait_ratio, water_fill
from sessions.model import FloatArray

AMOUNTS = st.floats(0.0, 50.0)
WEIGHTS = st.floats(0.01, 20.0)


def tables(elements: st.SearchStrategy[float]) -> st.SearchStrategy[FloatArray]:
    return arrays.arrays(np.float64, (3, 5), elements=elements)


@given(tables(AMOUNTS), tables(WEIGHTS), tables(AMOUNTS), arrays.arrays(np.float64, 3, elements=AMOUNTS))
def test_water_fill_conserves(
    need: FloatArray, weight: FloatArray, floor: FloatArray, capacity: FloatArray
) -> None:
    given_out = water_fill(capacity, need, weight, floor)
    total = given_out.sum(axis=1)
    assert (total <= capacity + 1e-6).all()
    assert (given_out <= need + 1e-6).all()
    assert (given_out >= -1e-9).all()
    np.testing.assert_allclose(total, np.minimum(capacity, need.sum(axis=1)), atol=1e-6)


@given(tables(AMOUNTS), tables(WEIGHTS), arrays.arrays(np.float64, 3, elements=AMOUNTS))
def test_whoever_is_cut_gets_its_share_by_weight(
    need: FloatArray, weight: FloatArray, capacity: FloatArray
) -> None:
    given_out = water_fill(capacity, need, weight, np.zeros_like(need))
    for row in range(3):
        cut = given_out[row] < need[row] - 1e-6
        levels = given_out[row][cut] / weight[row][cut]
        assert levels.size == 0 or np.ptp(levels) < 1e-6 * max(1.0, levels.max())


def test_a_reservation_is_met_before_shares_count() -> None:
    need, weight = np.array([[4.0, 4.0, 4.0]]), np.array([[1.0, 10.0, 10.0]])
    given_out = water_fill(np.array([6.0]), need, weight, np.array([[3.0, 0.0, 0.0]]))
    np.testing.assert_allclose(given_out, [[3.0, 1.5, 1.5]])


@given(st.floats(0.05, 0.95))
def test_wait_ratio_is_exact_for_one_server(rho: float) -> None:
    ratio = wait_ratio(np.array([rho]), np.array([1.0]), np.ones(1))
    np.testing.assert_allclose(ratio, [rho / (1 - rho)])


@given(st.floats(0.05, 0.9), st.floats(0.0, 0.08), st.integers(1, 40))
def test_waiting_grows_with_load_and_shrinks_with_servers(rho: float, more: float, servers: int) -> None:
    def ratio(load: float, count: int) -> float:
        return float(wait_ratio(np.array([load]), np.array([float(count)]), np.ones(1))[0])

    assert ratio(rho + more, servers) >= ratio(rho, servers)
    assert ratio(rho, servers + 1) <= ratio(rho, servers)


@given(
    arrays.arrays(np.float64, 6, elements=st.floats(-9.0, 9.0)),
    arrays.arrays(np.float64, 6, elements=st.floats(0.05, 30.0)),
    arrays.arrays(np.float64, 6, elements=st.floats(-9.0, 9.0)),
)
def test_falling_root_finds_where_curves_cross_zero(
    roots: FloatArray, steepness: FloatArray, start: FloatArray
) -> None:
    """Steep, flat and bent curves at once, from any guess, with a slope that is only roughly right."""

    def excess(x: FloatArray) -> FloatArray:
        away = roots - x
        result: FloatArray = np.where(away > 0, np.minimum(steepness * away, 2.0), away)
        return result

    found = falling_root(excess, start, np.full(6, -1.0), (-10.0, 10.0), 1e-3)
    assert (np.abs(excess(found)) <= 0.02).all()


def test_falling_root_ends_at_the_span_when_there_is_none() -> None:
    found = falling_root(lambda x: x * 0.0 + 1.0, np.zeros(2), np.full(2, -1.0), (-14.0, 14.0), 1e-4)
    assert (found > 13.9).all()
