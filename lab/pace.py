"""Makes the lab run in real time, or ``speed`` times faster."""

from __future__ import annotations

import time
from typing import Protocol


class StoppableWait(Protocol):
    """A wait that can be ended from outside: a ``threading.Event``, a collector's controls."""

    def wait(self, timeout: float | None = None) -> bool:
        """Wait at most ``timeout`` seconds; return True if it was ended by being set."""


class Pace:
    """The clock of a lab: real time, ``speed`` times faster; 0 is as fast as possible."""

    def __init__(self, speed: float, stop: StoppableWait) -> None:
        self._speed, self._stop = speed, stop
        self._began = time.monotonic()

    def wait(self, lab_seconds: float) -> float | None:
        """Wait until a moment of lab time; return by how many seconds it has passed, None
        if asked to stop.
        """
        if not self._speed:
            return None if self._stop.wait(0.0) else 0.0
        due = self._began + lab_seconds / self._speed
        if self._stop.wait(max(0.0, due - time.monotonic())):
            return None
        return max(0.0, time.monotonic() - due)
