"""What recording a source at fixed intervals needs: slots, sample book, gaps, clock and health."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable

import numpy as np

from collectors.axis import ClockReading
from collectors.feed import Controls, Feed, Health, State
from collectors.server_clock import read_clock
from collectors.vsphere.counters.gaps import SlotGaps, subjects
from collectors.vsphere.counters.sample_book import SampleBook
from collectors.vsphere.counters.series_index import SeriesIndex
from collectors.vsphere.counters.watermarks import Mask, Slots, Watermarks
from connections.vsphere.retry import is_transient, retry_until_stopped
from connections.vsphere.session import VSphere
from resources.failures import SourceError
from sessions.model import EntityRef

NO_SAMPLES = "no samples came"
_MAX_SAMPLES = 1 << 25
"""Samples that are held at once while a long time is caught up: 256 MB."""
_MAX_SLOTS = 256

_log = logging.getLogger(__name__)


class SampledSource:
    """One source that a server samples every ``interval_s`` seconds; a separate loop decides what
    is queried when.

    ``cursor`` is the last slot that was queried, None before the first round; ``lag_s`` is how many seconds
    after its instant a sample is queried. ``message`` says what is wrong, empty when all is well; while the
    source waits for a person, ``refusal`` is why.
    """

    def __init__(self, vsphere: VSphere, feed: Feed, source: int, interval_s: int, lag_s: float) -> None:
        self.vsphere, self.feed, self.source = vsphere, feed, source
        self.interval_s, self.lag_s = interval_s, lag_s
        self.slots = Slots(interval_s * 1000)
        self.watermarks = Watermarks()
        self.series = SeriesIndex(interval_s)
        self.book = SampleBook(feed, source, self.series, self.watermarks, self.slots)
        self.gaps = SlotGaps(source, self.slots)
        self.clock: ClockReading | None = None
        self.cursor: int | None = None
        self.message = ""
        self.refusal: SourceError | None = None

    # when

    def read_clock(self) -> tuple[ClockReading, ClockReading | None]:
        """Ask the server for its time; return this reading and the one before. Raises SourceError."""
        before, self.clock = self.clock, read_clock(self.vsphere)
        return self.clock, before

    def reached_slot(self, lag_s: float = 0.0) -> int:
        """Return the last slot that is at least ``lag_s`` seconds old on the server's clock; 0 before
        the clock was read.
        """
        if self.clock is None:
            return 0
        return self.slots.reached(self.clock.now_ms() - lag_s * 1000)

    def due_slot(self) -> int:
        """Return the last slot whose samples should have been queried by now."""
        return self.reached_slot(self.lag_s)

    def seconds_until(self, slot: int, shortest_s: float) -> float:
        """Return the seconds until the samples of ``slot`` are to be queried, at least ``shortest_s``."""
        now_ms = self.clock.now_ms() if self.clock is not None else 0.0
        due_ms = self.slots.instant(slot) + self.lag_s * 1000
        return float(np.clip((due_ms - now_ms) / 1000, shortest_s, self.interval_s))

    def slots_at_once(self, series: int = 1) -> int:
        """Return how many slots of ``series`` series (at least all known ones) are queried at once,
        to bound memory.
        """
        return max(1, min(_MAX_SLOTS, _MAX_SAMPLES // max(1, len(self.series), series)))

    # what is missing

    def add_lost(self, slot: int, lost: Mask, reason: Callable[[EntityRef | None], str]) -> None:
        """Record a gap at ``slot`` for the lost series (a mask, (n,) bool): of their objects, or of
        the whole source.

        ``reason`` gives the gap's reason for an entity (None: the source).
        """
        owners, specs = list(self.series.owners), self.series.specs
        due = self.watermarks.due_at(slot)
        for ref in subjects(lost, due, self.series.owner, owners, lambda column: specs[column].entity):
            self.gaps.add_missed(ref, slot, slot, reason(ref))

    def report_gaps(self) -> None:
        """Hand over the gaps that are new or have grown."""
        if changed := self.gaps.take_changed():
            self.feed.add_gaps(changed)

    # how it is

    def retry(
        self,
        error: SourceError,
        controls: Controls,
        *,
        first_s: float,
        refused_s: float,
        on_hold: Callable[[], None],
    ) -> None:
        """Wait after ``error`` until the server answers again or the recording is asked to stop.

        Raises as ``retry_until_stopped`` does.
        """

        def hold(failure: SourceError) -> None:
            _log.info("Counters wait: %s", failure.happened)
            self.refusal = None if is_transient(failure) else failure
            self.message = failure.happened if self.refusal is None else str(failure)
            on_hold()

        retry_until_stopped(
            error, self.vsphere, controls.wait, first_s=first_s, refused_s=refused_s, on_failure=hold
        )

    def behind_s(self) -> float:
        """Return the age of the newest sample on the server's clock in seconds; 0 before the first."""
        newest = self.book.newest_ms
        if self.clock is None or not newest:
            return 0.0
        return max(0.0, (self.clock.now_ms() - newest) / 1000)

    def report(
        self, state: State, entities: int, behind_s: float, details: Iterable[tuple[str, str]] = ()
    ) -> None:
        """Hand over the source's health to the feed."""
        self.feed.report(
            self.source,
            Health(
                state,
                float(self.interval_s),
                entities,
                len(self.series),
                self.watermarks.due,
                self.watermarks.received,
                behind_s,
                self.gaps.count,
                self.book.newest_ms or None,
                self.message,
                tuple(details),
                self.refusal.exit_code if self.refusal is not None and state == "reconnecting" else 0,
            ),
        )
