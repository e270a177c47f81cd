"""The server's clock: its time now, its offset from our clock, and whether somebody has set it."""

from __future__ import annotations

import time
from dataclasses import dataclass

from connections.vsphere.session import VSphere


@dataclass(frozen=True, slots=True)
class Clock:
    """One reading of the server's clock: its time when our monotonic clock showed ``at`` seconds.

    ``ahead_ms`` is the server's time minus ours. ``doubt_ms`` is the largest possible error of the reading:
    half of the round trip.
    """

    server_ms: float
    at: float
    ahead_ms: float = 0.0
    doubt_ms: float = 0.0

    def now_ms(self) -> float:
        """Return the server's time now, in ms since 1970, counted on from the reading."""
        return self.server_ms + (time.monotonic() - self.at) * 1000

    def jumped_ms(self, before: Clock, min_ms: float) -> int:
        """Return by how many ms the server's clock was set since the reading ``before``; 0 for less
        than ``min_ms``.

        A sleep of our machine, or a change of our own clock, is no jump of the server's clock: only a jump
        relative to both of our clocks (monotonic and wall) counts.
        """
        passed = self.server_ms - before.server_ms - (self.at - before.at) * 1000
        moved = self.ahead_ms - before.ahead_ms
        jump = min(passed, moved, key=abs) if passed * moved > 0 else 0.0
        return round(jump) if abs(jump) >= min_ms + self.doubt_ms + before.doubt_ms else 0


def read_clock(vsphere: VSphere) -> Clock:
    """Ask the server for its time. Raises SourceError."""
    server, took = vsphere.server_time()
    at = time.monotonic() - took / 2
    return Clock(server.timestamp() * 1000, at, float(vsphere.clock_offset_ms), took * 500)


def clock_jump_message(place: str, jump_ms: int) -> str:
    """Return the sentence that says that the clock of ``place`` was set by ``jump_ms``."""
    way = "forward" if jump_ms > 0 else "back"
    return f"The clock of {place} was set {way} by {abs(jump_ms) / 1000:.0f} s"
