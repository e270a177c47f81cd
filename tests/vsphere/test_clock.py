"""A server's clock that is set, told apart from a machine of ours that sleeps or has its clock set."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from collectors.axis import ClockReading as Clock
from collectors.axis import clock_jump_message

BEFORE = Clock(1_000_000, 50.0, 300.0, 5.0)


def later(passed_s: float, *, server_ms: float = 0.0, ours_ms: float = 0.0, slept_s: float = 0.0) -> Clock:
    """After so long; by how much the clocks were set, and how long our monotonic clock stood still."""
    return Clock(
        BEFORE.server_ms + passed_s * 1000 + server_ms,
        BEFORE.at + passed_s - slept_s,
        BEFORE.ahead_ms + server_ms - ours_ms,
        5.0,
    )


def test_who_set_which_clock() -> None:
    assert later(20).jumped_ms(BEFORE, 2000) == 0
    assert later(20, server_ms=-100_000).jumped_ms(BEFORE, 2000) == -100_000
    assert later(20, server_ms=2_011).jumped_ms(BEFORE, 2000) == 2_011
    assert later(20, server_ms=2_009).jumped_ms(BEFORE, 2000) == 0, "as well asking took long"
    assert later(20, ours_ms=100_000).jumped_ms(BEFORE, 2000) == 0
    assert later(9_000, slept_s=8_000).jumped_ms(BEFORE, 2000) == 0
    assert later(9_000, slept_s=8_000, server_ms=-60_000).jumped_ms(BEFORE, 2000) == 0


@given(st.floats(0, 10**6), st.integers(-(10**9), 10**9))
def test_the_size_of_a_jump(passed_s: float, jump_ms: int) -> None:
    found = later(passed_s, server_ms=jump_ms).jumped_ms(BEFORE, 2000)
    assert abs(found - (jump_ms if abs(jump_ms) >= 2010 else 0)) <= (
        0 if abs(abs(jump_ms) - 2010) > 1 else 2011
    )


def test_words() -> None:
    assert clock_jump_message("vc01.lab", -100_400) == "The clock of vc01.lab was set back by 1 min 40 s"
    assert clock_jump_message("vc01.lab", 2_600) == "The clock of vc01.lab was set forward by 3 s"
