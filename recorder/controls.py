"""What a recording asks of its collectors: to pause, to resume, to stop."""

from __future__ import annotations

import threading


class RunControls:
    """The ``Controls`` (``collectors.feed``) of all collectors of one recording."""

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._paused = threading.Event()

    @property
    def paused(self) -> bool:
        """True if the collectors should not poll their sources now."""
        return self._paused.is_set()

    def is_set(self) -> bool:
        """Return True if the collectors should stop."""
        return self._stop.is_set()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until asked to stop, at most ``timeout`` seconds; return True if the
        collectors should stop.
        """
        return self._stop.wait(timeout)

    def stop(self) -> None:
        """Ask the collectors to stop."""
        self._stop.set()

    def pause(self) -> None:
        """Ask the collectors to pause polling."""
        self._paused.set()

    def resume(self) -> None:
        """Ask the collectors to resume polling."""
        self._paused.clear()
