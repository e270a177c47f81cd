"""What a recording asks of its collectors: to pause, to go on, to stop."""

from __future__ import annotations

import threading


class RunControls:
    """The ``Controls`` (``collectors.feed``) of all collectors of one recording."""

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._paused = threading.Event()

    @property
    def paused(self) -> bool:
        """Whether to leave the sources alone for now."""
        return self._paused.is_set()

    def is_set(self) -> bool:
        """Whether to stop."""
        return self._stop.is_set()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until asked to stop, at most so many seconds; returns whether to stop."""
        return self._stop.wait(timeout)

    def stop(self) -> None:
        """Ask to stop."""
        self._stop.set()

    def pause(self) -> None:
        """Ask to leave the sources alone."""
        self._paused.set()

    def resume(self) -> None:
        """Ask to go on."""
        self._paused.clear()
