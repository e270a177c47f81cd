"""The vCenter's clock against this machine's: one steady offset, by which all workers start."""

from __future__ import annotations

import contextlib
import threading
import time

from connections.vsphere.session import VSphere
from resources.failures import SourceError
from resources.vcenter_acting import Waits


class ServerClock:
    """Measures a vCenter's clock. Thread-safe.

    The offset changes only when the clock is seen to differ by more than both measurements allow: it was set,
    or has drifted. Noise of the network moves nothing.
    """

    def __init__(self, vsphere: VSphere, waits: Waits) -> None:
        self._vsphere, self._waits = vsphere, waits
        self._offset_ms = 0.0
        self._error_ms = float("inf")
        self._at = 0.0
        self._lock = threading.Lock()

    @property
    def offset_ms(self) -> float:
        """The server's clock minus ours, in ms."""
        return self._offset_ms

    def measure(self) -> None:
        """Ask the server for its time a few times; the shortest round trip counts. Raises SourceError."""
        rounds = []
        for _ in range(self._waits.clock_rounds):
            before = time.time()
            there, took_s = self._vsphere.server_time()
            middle = before + (time.time() - before) / 2
            rounds.append((took_s / 2 * 1000, (there.timestamp() - middle) * 1000))
        error, offset = min(rounds)
        with self._lock:
            self._at = time.monotonic()
            if abs(offset - self._offset_ms) > error + self._error_ms or error < self._error_ms / 2:
                self._offset_ms, self._error_ms = offset, error

    def now_ms(self) -> int:
        """Return the server's time, ms since 1970; measured anew from time to time."""
        if time.monotonic() - self._at >= self._waits.clock_s:
            with contextlib.suppress(SourceError):  # clocks drift by ms in a minute: the old offset will do
                self.measure()
        return round(time.time() * 1000 + self._offset_ms)
