"""Coverage: which objects should have samples, which are polled again, and which samples are
given up as lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from collectors.vsphere.counters.naming import Subject
from collectors.vsphere.counters.sample_book import NEVER, SampleBook
from collectors.vsphere.counters.series_index import SeriesIndex
from collectors.vsphere.counters.watermarks import Mask, Watermarks
from sessions.distinct import distinct
from sessions.model import IntArray

_AT_ONCE = 3
"""Slots that are asked again each round: most late samples are one or two rounds late (telegraf)."""
_EVERY = 4
"""Older slots are asked again every so many rounds."""
_WAKING = 3
"""Slots that a VM may take to its first sample after it was switched on."""


class Coverage:
    """The recorded objects: since when each is recorded, whether it runs, and its last sample.

    A VM should have samples while it is powered on, a host from its first connection until it is powered off.
    Samples of a host that was disconnected meanwhile arrive when it is back, or become its gap. ``look_back``
    and ``hour`` are numbers of slots: for how long a late sample is polled again, and how long the host keeps
    samples.
    """

    def __init__(
        self,
        columns: SeriesIndex,
        book: SampleBook,
        watermarks: Watermarks,
        *,
        look_back: int,
        hour: int,
        backfill: bool,
    ) -> None:
        self._series, self._book, self._watermarks = columns, book, watermarks
        self._look_back, self._hour, self._backfill = look_back, hour, backfill
        self._active = np.zeros(0, np.bool_)
        self._joined = np.zeros(0, np.int64)
        self._due_from = np.zeros(0, np.int64)
        self._woken = np.zeros(0, np.int64)
        self._last = np.zeros(0, np.int64)
        self._answering = np.zeros(0, np.int64)
        self._again: dict[int, int] = {}
        self._ended: dict[int, int] = {}

    def update(self, subjects: Iterable[Subject], slot: int) -> None:
        """Take over ``subjects`` as the objects that exist at time slot ``slot``."""
        running: list[int] = []
        for subject in subjects:
            number = self._series.number(subject.ref)
            if subject.type not in ("VirtualMachine", "HostSystem"):
                continue
            if self._runs(subject, number):
                running.append(number)
        self._grow(slot)
        active = np.zeros(self._active.size, np.bool_)
        active[running] = True
        woken = active & ~self._active
        self._due_from[woken] = slot + _WAKING
        self._woken[woken] = slot
        self._ended = {number: at for number, at in self._ended.items() if slot - at < self._look_back}
        self._ended.update(dict.fromkeys(np.flatnonzero(self._active & ~active).tolist(), slot))
        self._active = active

    def _runs(self, subject: Subject, number: int) -> bool:
        """Whether it should have samples: a host also while it does not respond, for it still samples."""
        if not subject.powered_on or subject.type == "VirtualMachine":
            return subject.powered_on
        return subject.connected or self._is_active(number)

    def _is_active(self, number: int) -> bool:
        return number < self._active.size and bool(self._active[number])

    def _grow(self, slot: int) -> None:
        more = len(self._series.owners) - self._active.size
        if more > 0:
            self._active = np.concatenate((self._active, np.zeros(more, np.bool_)))
            self._joined = np.concatenate((self._joined, np.full(more, slot, np.int64)))
            self._due_from = np.concatenate((self._due_from, np.full(more, slot, np.int64)))
            self._woken = np.concatenate((self._woken, np.full(more, -NEVER, np.int64)))
            self._last = np.concatenate((self._last, np.full(more, -NEVER, np.int64)))
            self._answering = np.concatenate((self._answering, np.full(more, slot, np.int64)))

    @property
    def active(self) -> int:
        """The number of objects that should have samples now."""
        return int(np.count_nonzero(self._active))

    def start(self, subject: Subject, low: int, until: int) -> int:
        """Return the slot after which an object is polled in a round from ``low`` to ``until``.

        The slot is before ``low`` for a new object (back-fill), for one that runs again (until it has
        answered: it may have run for a while before that was noticed), and for one with missing samples that
        are polled again.
        """
        number = self._series.number(subject.ref)
        if number >= self._last.size:
            return low
        if self._last[number] == -NEVER:
            first = int(self._joined[number]) - (self._hour if self._backfill else 1)
            return min(low, max(first, until - self._hour))
        if number in self._ended or self._last[number] < self._woken[number]:
            return min(low, max(int(self._last[number]), until - self._hour))
        return min(low, self._again.get(number, low))

    def is_polled(self, subject: Subject) -> bool:
        """Return True if an object is polled: also for a while after it was powered off, for
        its last samples.
        """
        number = self._series.number(subject.ref)
        return self._is_active(number) or number in self._ended

    def expect(self, first: int, last: int) -> None:
        """Expect samples in the slots ``first`` to ``last`` of every series whose first sample came
        before the slot.
        """
        owner = self._series.owner
        if owner.size == 0:
            return
        running = (self._active & (self._due_from <= last))[owner]
        taken_up = self._book.last_slots() > -NEVER
        for slot in range(first, last + 1):
            known = taken_up | (self._joined[owner] < slot)
            awake = (self._due_from <= slot)[owner]
            self._watermarks.expect(slot, running & awake & known & (self._book.since <= slot))

    def note_answers(self, until: int) -> None:
        """Update which objects have answered, after the round up to slot ``until``."""
        owner = self._series.owner
        self._grow(until)
        latest = np.full(self._last.size, -NEVER, np.int64)
        np.maximum.at(latest, owner, self._book.latest[: owner.size])
        back = (latest > self._last + _AT_ONCE) & (self._last > -NEVER)
        self._answering[back] = until
        waking = (latest >= self._due_from - _WAKING) & (latest < self._due_from)
        self._due_from[waking] = latest[waking]
        self._last = np.maximum(self._last, latest)

    def review(self, until: int) -> Iterator[tuple[int, Mask]]:
        """Yield the samples given up as lost after the round up to ``until``: each slot with a mask of
        series, (n,) bool.

        All other missing samples are polled again. For an object that sends nothing at all now, samples are
        given up only when they are older than its host keeps samples.
        """
        self._again.clear()
        owner = self._series.owner
        silent = self._active & (self._last < until - _AT_ONCE)
        for slot in self._watermarks.slots:
            missing = self._present(slot)
            if missing is None:
                continue
            over = ~silent & (until - np.maximum(slot, self._answering) >= self._look_back)
            lost = missing & (over[owner] | (until - slot >= self._hour))
            if lost.any():
                self._watermarks.give_up(slot, lost)
                yield slot, lost
            self._poll_again(slot, until - slot, owner[missing & ~lost])
        self._watermarks.forget_until(until - self._hour - 1)

    def _present(self, slot: int) -> Mask | None:
        """What is missing at ``slot``, but for VMs that ended before: they were not due."""
        missing = self._watermarks.missing(slot)
        if missing is None:
            return None
        ended = missing & (~self._active & (self._last < slot))[self._series.owner]
        if ended.any():
            self._watermarks.withdraw(slot, ended)
            missing &= ~ended
        return missing if missing.any() else None

    def _poll_again(self, slot: int, age: int, owners: IntArray) -> None:
        if owners.size and (age <= _AT_ONCE or age % _EVERY == 0):
            for number in distinct(owners).tolist():
                self._again.setdefault(number, slot - 1)

    def close(self) -> Iterator[tuple[int, Mask]]:
        """Give up every sample that is still missing; yield each slot with a mask of the lost
        series, (n,) bool.
        """
        for slot in self._watermarks.slots:
            missing = self._present(slot)
            if missing is not None:
                self._watermarks.give_up(slot, missing)
                yield slot, missing

    @property
    def has_missing_samples(self) -> bool:
        """True if samples are missing that the next round polls again."""
        return bool(self._again)

    def due_series(self) -> int:
        """Return how many series should have a sample in each slot now."""
        running = self._active[self._series.owner]
        return int(np.count_nonzero(running & (self._book.since < NEVER)))
