"""What is due, what came, what is missing: against a plain set of (slot, series)."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from collectors.vsphere.counters.watermarks import Slots, Watermarks

SIZE = 11
masks = st.sets(st.integers(0, SIZE - 1))
steps = st.lists(
    st.one_of(
        st.tuples(st.just("expect"), st.integers(0, 6), masks),
        st.tuples(st.just("admit"), st.integers(0, 6), masks),
        st.tuples(st.just("settle"), st.integers(0, 6), masks),
        st.tuples(st.just("close"), st.integers(0, 6), masks),
    ),
    max_size=30,
)


def mask(members: set[int], size: int = SIZE) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    found = np.zeros(size, np.bool_)
    found[list(members)] = True
    return found


@given(steps)
def test_as_a_set_would(walk: list[tuple[str, int, set[int]]]) -> None:
    watermarks, due, come = Watermarks(), set[tuple[int, int]](), set[tuple[int, int]]()
    shut, floor = set[int](), -1
    watermarks.grow(SIZE)
    for what, slot, members in walk:
        is_open = slot > floor and slot not in shut
        cells = {(slot, series) for series in members}
        if what == "expect":
            watermarks.expect(slot, mask(members))
            due |= cells if is_open else set()
        elif what == "admit":
            fresh = cells - come if is_open else set()
            assert set(np.flatnonzero(watermarks.accept_new(slot, mask(members)))) == {s for _, s in fresh}
            come |= fresh
            due |= fresh
        elif what == "close":
            watermarks.exclude_slots([slot])
            shut.add(slot)
        else:
            watermarks.forget_until(slot)
            floor = max(floor, slot)
        assert (watermarks.due, watermarks.received) == (len(due), len(come))
        for at in range(7):
            if at > floor:
                lacking = watermarks.missing(at)
                wanted = {s for slot, s in due - come if slot == at}
                assert (set(np.flatnonzero(lacking)) if lacking is not None else set()) == wanted


def test_series_that_join_later() -> None:
    watermarks = Watermarks()
    watermarks.grow(3)
    assert watermarks.accept_new(1, mask({0, 2}, 3)).tolist() == [True, False, True]
    watermarks.grow(20)
    watermarks.expect(1, mask({19}, 20))
    lacking = watermarks.missing(1)
    assert lacking is not None
    assert np.flatnonzero(lacking).tolist() == [19]
    assert np.flatnonzero(watermarks.accept_new(1, mask({0, 19}, 20))).tolist() == [19]


@given(st.integers(0, 2**42), st.integers(0, 40_000), st.integers(1, 60_000))
def test_slots(t_ms: int, phase: int, interval: int) -> None:
    slots = Slots(interval, phase)
    slot = slots.of(t_ms)
    assert abs(slots.instant(slot) - t_ms) <= interval / 2
    assert slots.of(slots.instant(slot)) == slot
    assert slots.instant(slots.reached(t_ms)) <= t_ms < slots.instant(slots.reached(t_ms) + 1)
