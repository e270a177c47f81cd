"""Records the vCenter's own counters, inventory and events into the session of a test."""

from __future__ import annotations

import threading

from collectors.feed import Feed
from collectors.vsphere.collector import VSphereCollector
from connections.failures import ClosedError
from resources.failures import HyperscopeError

_END_S = 30.0


class Recording:
    """A collector that runs in a thread of its own until ``end``."""

    def __init__(self, collector: VSphereCollector, feed: Feed) -> None:
        self._collector = collector
        self._feed = feed
        self._stop = _Stop()
        self._failure: HyperscopeError | None = None
        self._thread = threading.Thread(target=self._run, name="vsphere-recording")

    def start(self) -> None:
        """Begin to record."""
        self._thread.start()

    def check(self) -> None:
        """Raise the error that ended the recording, if one did."""
        if self._failure is not None:
            raise self._failure

    def end(self) -> None:
        """End the recording. Never raises; may be repeated."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(_END_S)

    def _run(self) -> None:
        try:
            self._collector.run(self._feed, self._stop)
        except ClosedError:
            if not self._stop.is_set():
                raise
        except HyperscopeError as error:
            self._failure = error


class _Stop:
    """``collectors.feed.Controls`` that never pauses."""

    paused = False

    def __init__(self) -> None:
        self._event = threading.Event()

    def set(self) -> None:
        """Ask the collector to stop."""
        self._event.set()

    def is_set(self) -> bool:
        """Return True if the collector should stop."""
        return self._event.is_set()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the collector should stop, at most ``timeout`` seconds; return whether it should."""
        return self._event.wait(timeout)
