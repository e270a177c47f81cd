"""Measures a guest's clock by asking it several times: the shortest round trip tells most (Cristian)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workloads.guests.transport import ClockReading

_NS_PER_MS = 1e6
_SECONDS_BELOW = 100_000_000_000
"""A clock below this tells seconds since 1970, above it nanoseconds."""


@dataclass(frozen=True, slots=True)
class Round:
    """One question: our clock before and after it (ns since 1970), and what the guest said between.

    ``said`` is in ns since 1970, or in whole seconds where the guest knows no more.
    """

    before: int
    after: int
    said: int


def best_of(rounds: Sequence[Round]) -> ClockReading:
    """Return what the rounds tell: the guest answered somewhere between ``before`` and ``after``."""
    best = min(rounds, key=lambda one: one.after - one.before)
    half = (best.after - best.before) / 2
    if best.said < _SECONDS_BELOW:  # somewhere in that second
        offset = best.said * 1e9 + 5e8 - (best.before + half)
        return ClockReading(offset / _NS_PER_MS, (half + 5e8) / _NS_PER_MS)
    return ClockReading((best.said - (best.before + half)) / _NS_PER_MS, half / _NS_PER_MS)
