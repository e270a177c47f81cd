"""The gaps of a source whose samples come one after another: exact, whatever was thought meanwhile."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collectors.feed import PAUSED, Health
from collectors.gap_book import GapBook
from recorder.earlier_gaps import EarlierGaps
from sessions.model import Gap, SourceSpec
from tests.vsphere.feeds import MemoryFeed

USUAL = 5000


class Book:
    """A book of a source with a sample of ten values every five seconds; times are seconds."""

    def __init__(self) -> None:
        self.feed = MemoryFeed()
        self.book = GapBook(self.feed, self.feed.add_source(SourceSpec("guest", "app01")), "it was late")

    def take(self, *seconds: float, since: float | None = None) -> None:
        for at in seconds:
            since_ms = None if since is None else since * 1000
            self.book.take(round(at * 1000), 10, USUAL, since_ms=since_ms)

    def miss(self, at: float, reason: str = "it is gone") -> None:
        self.book.miss(at * 1000, reason, USUAL)

    @property
    def gaps(self) -> list[tuple[float, float, int, str]]:
        """Start and end (s), missed instants and reason of each gap."""
        found = sorted(self.feed.gaps, key=lambda gap: gap.start)
        return [(gap.start / 1000, gap.end / 1000, gap.ticks or 0, gap.reason) for gap in found]

    @property
    def counted(self) -> tuple[int, int, int]:
        health = self.book.counted(Health("recording"))
        return health.expected, health.received, health.gaps


@pytest.fixture
def book() -> Book:
    return Book()


def test_nothing_is_missed_before_the_first_sample(book: Book) -> None:
    book.miss(100)
    book.take(200)
    assert book.gaps == []
    assert book.counted == (10, 10, 0)


def test_a_gap_grows_and_ends_one_interval_before_the_next_sample(book: Book) -> None:
    book.take(100)
    book.miss(104)
    assert book.gaps == []
    book.miss(111)
    assert book.gaps == [(105, 110, 2, "it is gone")]
    assert book.book.missed == 2
    book.miss(121, "it refuses now")
    book.take(132)
    assert book.gaps == [(105, 127, 5, "it is gone")]
    assert book.counted == (70, 20, 1)


def test_what_was_only_late_is_no_gap(book: Book) -> None:
    book.take(100)
    book.miss(111)
    book.take(107, 112)
    assert book.gaps == []
    assert book.counted == (30, 30, 0)


def test_a_sample_that_counts_since_the_last_one_covers_what_was_missed(book: Book) -> None:
    """A service is asked again after a broken reply: rates are those of the whole time."""
    book.take(100)
    book.miss(106)
    book.take(110, since=100)
    assert book.gaps == []
    book.miss(125)
    book.take(130, since=124)
    assert book.gaps == [(115, 124, 3, "it is gone")]


def test_late_without_a_word_has_the_usual_reason(book: Book) -> None:
    book.take(100, 107.4)
    assert book.gaps == []
    book.take(115)
    assert book.gaps == [(112.4, 112.4, 1, "it was late")]


def test_a_reason_that_is_known_before_the_sample_that_ends_the_gap(book: Book) -> None:
    book.take(100)
    book.book.blame("its clock was set")
    book.take(120)
    book.take(140)
    assert [(start, reason) for start, _, _, reason in book.gaps] == [
        (105, "its clock was set"),
        (125, "it was late"),
    ]


def test_a_pause_and_an_outage_are_two_gaps(book: Book) -> None:
    book.take(100)
    book.miss(111, PAUSED)
    book.miss(117, "it refuses")
    book.miss(123, "it does not answer")
    book.take(130)
    assert book.gaps == [(105, 110, 2, PAUSED), (115, 125, 3, "it refuses")]
    assert book.counted == (70, 20, 2)


def test_samples_that_were_kept_meanwhile_set_both_right(book: Book) -> None:
    """VMware Tools fetch what a guest's loop kept during an outage."""
    book.take(100)
    book.miss(121, "it does not answer")
    book.miss(131, PAUSED)
    book.take(105, 110)
    assert book.gaps == []
    book.miss(131, PAUSED)
    book.take(140)
    assert book.gaps == [(115, 135, 5, PAUSED)]


def test_the_end_of_the_recording_ends_a_gap_that_is_open(book: Book) -> None:
    book.take(100)
    book.book.finish(121_000, USUAL)
    assert book.gaps == []
    book.miss(106)
    book.book.finish(121_000, USUAL)
    assert book.gaps == [(105, 120, 4, "it is gone")]


def test_a_recording_that_is_continued_has_a_gap_between_its_runs(book: Book) -> None:
    book.book.resume_after(100_000)
    book.take(120)
    assert book.gaps == [(105, 115, 3, "the recording was interrupted")]
    assert book.counted == (10, 10, 1), "what nobody wanted then is not expected of this run"


@given(
    st.lists(
        st.tuples(st.integers(1, 90_000), st.sampled_from(["sample", "gone", "refused", PAUSED])), max_size=60
    )
)
def test_gaps_never_overlap_each_other_nor_samples(steps: list[tuple[int, str]]) -> None:
    feed, now, times = MemoryFeed(), 1_000_000, list[int]()
    book = GapBook(feed, feed.add_source(SourceSpec("guest", "app01")), "it was late")
    for step_ms, what in steps:
        now += step_ms
        if what == "sample":
            book.take(now, 10, USUAL)
            times.append(now)
        else:
            book.miss(now, what, USUAL)
    gaps = sorted(feed.gaps, key=lambda gap: gap.start)
    assert all(gap.start <= gap.end <= now for gap in gaps)
    assert all(before.end < after.start for before, after in pairwise(gaps))
    assert not [gap for gap in gaps for t_ms in times if gap.start <= t_ms <= gap.end]
    assert book.gaps == len(gaps)
    assert book.expected - book.received == 10 * sum(gap.ticks or 0 for gap in gaps)


def test_what_an_earlier_run_stored_as_a_gap_is_not_counted_again() -> None:
    """Ends are where samples begin to count, which need not be an instant of the gap's own steps."""
    earlier = EarlierGaps([Gap(1, 105_000, 110_000, "it is gone", None, 2)])
    assert earlier.beyond(Gap(1, 105_000, 111_000, "the recording was interrupted", None, 2)) is None
    assert earlier.beyond(Gap(1, 105_000, 107_000, "the recording was interrupted", None, 1)) is None
    assert earlier.beyond(Gap(1, 105_000, 130_000, "the recording was interrupted", None, 6)) == Gap(
        1, 115_000, 130_000, "the recording was interrupted", None, 4
    )
    assert (
        EarlierGaps([Gap(1, 105_000, 105_000, "it is gone", None, 1)]).beyond(
            Gap(1, 105_000, 107_000, "the recording was interrupted", None, 1)
        )
        is None
    )
