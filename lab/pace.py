"""Keeps the lab at real time, or so many times faster."""

from __future__ import annotations

import time
from typing import Protocol


class StoppableWait(Protocol):
    """Something that ends a wait when it is set: a ``threading.Event``, a collector's controls."""

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until set, at most so many seconds; whether it is set."""


class Pace:
    """Real time, ``speed`` times faster; 0 is as fast as it goes."""

    def __init__(self, speed: float, stop: StoppableWait) -> None:
        self._speed, self._stop = speed, stop
        self._began = time.monotonic()

    def wait(self, lab_seconds: float) -> float | None:
        """Wait until a moment of lab time; returns by how many seconds it has passed, None when to stop."""
        if not self._speed:
            return None if self._stop.wait(0.0) else 0.0
        due = self._began + lab_seconds / self._speed
        if self._stop.wait(max(0.0, due - time.monotonic())):
            return None
        return max(0.0, time.monotonic() - due)
