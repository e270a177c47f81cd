"""Which samples are due and which have come, of every series of a source: an hour of slots, one bit each.

A slot is a sampling instant on the source's grid. A sample that has come is never accepted twice; one that is
due and has not come is polled again until it is given up as missing.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]
_Bits = NDArray[np.uint8]


class Slots:
    """The source's grid of sampling instants: slots numbered by the interval, at the phase of its samples."""

    def __init__(self, interval_ms: int, phase_ms: int = 0) -> None:
        self.interval_ms = interval_ms
        self.phase_ms = phase_ms % interval_ms

    def of(self, t_ms: int) -> int:
        """Return the slot whose instant is nearest to ``t_ms``."""
        return (t_ms - self.phase_ms + self.interval_ms // 2) // self.interval_ms

    def reached(self, t_ms: float) -> int:
        """Return the last slot whose instant is not after ``t_ms``."""
        return int((t_ms - self.phase_ms) // self.interval_ms)

    def instant(self, slot: int) -> int:
        """Return the instant of a slot in ms since 1970."""
        return slot * self.interval_ms + self.phase_ms


class Watermarks:
    """Which samples are due and which were received, by slot and series (numbered from 0;
    ``grow`` adds series).

    ``due`` and ``received`` count samples over the whole run; a sample that was given up no longer counts as
    missing. ``received`` never exceeds ``due``: a sample that comes unexpectedly (the last one of a VM that
    was powered off) counts as due, too.
    """

    def __init__(self) -> None:
        self.size = 0
        self.due = 0
        self.received = 0
        self._due: dict[int, _Bits] = {}
        self._received: dict[int, _Bits] = {}
        self._lost: dict[int, _Bits] = {}
        self._floor = -(1 << 62)
        self._closed: set[int] = set()

    @property
    def slots(self) -> list[int]:
        """The slots that are still kept, ascending."""
        return sorted(self._due.keys() | self._received.keys())

    def grow(self, size: int) -> None:
        """Make room for series with numbers below ``size``."""
        self.size = max(self.size, size)

    def expect(self, slot: int, due: Mask) -> None:
        """Mark samples of the series ``due`` (mask, (n,) bool) as due at ``slot``."""
        if self._is_open(slot):
            before = self._unpacked(self._due, slot)
            self.due += int(np.count_nonzero(due & ~before))
            self._due[slot] = np.packbits(before | due)

    def accept_new(self, slot: int, come: Mask) -> Mask:
        """Mark samples of the series ``come`` (mask) as received at ``slot``; return the mask
        of the new ones.
        """
        if not self._is_open(slot):
            return np.zeros(self.size, np.bool_)
        before = self._unpacked(self._received, slot)
        fresh = come & ~before
        count = int(np.count_nonzero(fresh))
        if count:
            self.received += count
            self._received[slot] = np.packbits(before | fresh)
            self.expect(slot, fresh)
        return fresh

    def missing(self, slot: int) -> Mask | None:
        """Return the mask of series that are due at ``slot`` and have not come; None if there are none."""
        due = self._due.get(slot)
        if due is None:
            return None
        lacking = due.copy()
        for gone in (self._received.get(slot, due[:0]), self._lost.get(slot, due[:0])):
            common = min(due.size, gone.size)
            lacking[:common] &= ~gone[:common]
        if not lacking.any():
            return None
        mask = np.unpackbits(lacking, count=min(lacking.size * 8, self.size)).view(np.bool_)
        return mask if mask.size == self.size else np.pad(mask, (0, self.size - mask.size))

    def due_at(self, slot: int) -> Mask:
        """Return the mask of series that are due at ``slot``."""
        return self._unpacked(self._due, slot)

    def give_up(self, slot: int, lost: Mask) -> None:
        """Stop counting these series as missing at ``slot``. A sample that comes later is still accepted."""
        self._lost[slot] = np.packbits(self._unpacked(self._lost, slot) | lost)

    def withdraw(self, slot: int, series: Mask) -> None:
        """Make samples of these series no longer due at ``slot``, except those that have come."""
        due = self._unpacked(self._due, slot)
        excused = due & series & ~self._unpacked(self._received, slot)
        self.due -= int(np.count_nonzero(excused))
        self._due[slot] = np.packbits(due & ~excused)

    def count_dropped(self, samples: int) -> None:
        """Count ``samples`` more as due, which the server dropped before they were read."""
        self.due += samples

    def forget_until(self, slot: int) -> None:
        """Forget all slots up to ``slot``; no sample is accepted there any more."""
        self._floor = max(self._floor, slot)
        for known in (self._due, self._received, self._lost):
            for old in [at for at in known if at <= slot]:
                del known[old]
        self._closed = {at for at in self._closed if at > slot}

    def exclude_slots(self, slots: Iterable[int]) -> None:
        """Accept no samples at these slots, because the recording was paused."""
        self._closed.update(at for at in slots if at > self._floor)

    def _is_open(self, slot: int) -> bool:
        return slot > self._floor and slot not in self._closed

    def _unpacked(self, known: dict[int, _Bits], slot: int) -> Mask:
        bits = known.get(slot)
        if bits is None:
            return np.zeros(self.size, np.bool_)
        mask = np.unpackbits(bits, count=min(bits.size * 8, self.size)).view(np.bool_)
        return mask if mask.size == self.size else np.pad(mask, (0, self.size - mask.size))
