"""The time axis of a recording: whose clock it is, which reading of a clock counts, what moves a source."""

from __future__ import annotations

from collectors.axis import Axis, ClockReading, Placement, Rank, SourceClock, ahead_sentence


def reading(ahead_ms: float, doubt_ms: float, at: float = 0.0) -> ClockReading:
    """After ``at`` seconds of a clock of ours that nobody set."""
    return ClockReading(1_000_000 + at * 1000 + ahead_ms, at, ahead_ms, doubt_ms)


def test_the_smallest_round_trip_of_the_recent_readings_counts() -> None:
    clock = SourceClock(2000)
    found = []
    for number, (ahead, doubt) in enumerate([(300, 200), (120, 10), (20, 250), (100, 40), (130, 5)]):
        assert clock.add(reading(ahead, doubt, number * 20.0)) == 0
        assert clock.best is not None
        found.append(clock.best.ahead_ms)
    assert found == [300, 120, 120, 120, 130]
    for number in range(8):
        clock.add(reading(150, 30, 100 + number * 20.0))
    assert clock.best is not None
    assert clock.best.ahead_ms == 150, "the others are old"


def test_a_clock_that_was_set_counts_from_its_new_reading() -> None:
    clock = SourceClock(2000)
    clock.add(reading(0, 1))
    assert clock.add(reading(60_000, 500, 20.0)) == 60_000
    assert clock.best is not None
    assert clock.best.ahead_ms == 60_000


def test_our_own_clock_that_was_set_is_no_jump_of_another() -> None:
    clock = SourceClock(2000)
    clock.add(reading(0, 1))
    ours_set = ClockReading(1_000_000 + 20_000, 20.0, -60_000, 1)
    assert clock.add(ours_set) == 0
    assert clock.best == ours_set


def test_a_vcenter_is_the_axis_whenever_it_comes_and_a_second_one_is_not() -> None:
    axis = Axis()
    assert axis.reference.place == ""
    axis.refer(Rank.BEHIND_SERVICE, "vc02", reading(5000, 20))
    assert axis.reference.place == "vc02"
    axis.refer(Rank.VCENTER, "vc01", reading(-3000, 20))
    axis.refer(Rank.VCENTER, "vc02", reading(5000, 20))
    axis.refer(Rank.BEHIND_SERVICE, "vc01", reading(-2990, 900))
    assert (axis.reference.place, axis.reference.ahead_ms) == ("vc01", -3000)
    axis.refer(Rank.VCENTER, "vc01", reading(-2000, 10), was_set=True)
    assert (axis.reference.ahead_ms, axis.reference.jumps) == (-2000, 1)


def test_a_source_moves_only_by_what_can_be_told_apart_or_was_set() -> None:
    axis = Axis()
    axis.refer(Rank.VCENTER, "vc01", reading(1000, 50))
    place = Placement(axis)
    shifts = []
    steps = [
        (1400, 100, False),  # as equal as can be told
        (1800, 100, False),  # 0.8 s ahead of the vCenter: followed
        (2100, 100, False),  # the network jitters
        (61_000, 100, False),  # nobody set it: our own clock was
        (61_000, 100, True),
        (61_400, 2000, False),
        (1200, 100, True),
    ]
    for ahead, doubt, was_set in steps:
        place.place(ahead, doubt, 2000, was_set=was_set)
        shifts.append(place.shift_ms)
    assert shifts == [0, 800, 800, 800, 60_000, 60_000, 0]
    axis.refer(Rank.VCENTER, "vc01", reading(-9000, 50), was_set=True)
    place.place(1200, 100, 2000, was_set=False)
    assert place.shift_ms == 10_200, "the axis was set"


def test_without_an_axis_times_stay() -> None:
    place = Placement(None)
    assert not place.place(60_000, 1, 2000, was_set=True)
    assert place.shift_ms == 0


def test_words() -> None:
    assert ahead_sentence(3200, 100, "vc01") == "3.2 s ahead of vc01's, ± 100 ms"
