"""What a recording asks of its collectors: to pause, to resume, to stop."""

from __future__ import annotations

import threading


class RunControls:
    """What is asked of all collectors of one recording; each has ``Controls`` of its own."""

    def __init__(self) -> None:
        self._stopped = threading.Event()
        self._paused = threading.Event()
        self._own: list[threading.Event] = []
        self._lock = threading.Lock()

    @property
    def paused(self) -> bool:
        """True if the collectors should not poll their sources now."""
        return self._paused.is_set()

    def is_set(self) -> bool:
        """Return True if all collectors should stop."""
        return self._stopped.is_set()

    def for_one(self) -> CollectorControls:
        """Return the controls of one more collector."""
        stop = threading.Event()
        with self._lock:
            self._own.append(stop)
            if self._stopped.is_set():
                stop.set()
        return CollectorControls(stop, self._paused)

    def stop(self) -> None:
        """Ask all collectors to stop."""
        with self._lock:
            self._stopped.set()
            for one in self._own:
                one.set()

    def pause(self) -> None:
        """Ask the collectors to pause polling."""
        self._paused.set()

    def resume(self) -> None:
        """Ask the collectors to resume polling."""
        self._paused.clear()


class CollectorControls:
    """The ``Controls`` (``collectors.feed``) of one collector: it can be stopped while others go on."""

    def __init__(self, stop: threading.Event, paused: threading.Event) -> None:
        self._stop, self._paused = stop, paused

    @property
    def paused(self) -> bool:
        """True if the collector should not poll its source now."""
        return self._paused.is_set()

    def is_set(self) -> bool:
        """Return True if the collector should stop."""
        return self._stop.is_set()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until asked to stop, at most ``timeout`` seconds; return True if the
        collector should stop.
        """
        return self._stop.wait(timeout)

    def stop(self) -> None:
        """Ask this collector to stop."""
        self._stop.set()
