"""A collector at work in a thread of a test."""

from __future__ import annotations

import threading

from collectors.feed import Collector
from resources.failures import HyperscopeError
from tests.vsphere.feeds import MemoryFeed, Stop


class RunningCollector:
    """Runs a collector until it is stopped; ``feed`` has what it got, ``failure`` what it raised."""

    def __init__(self, collector: Collector, feed: MemoryFeed | None = None) -> None:
        self.feed, self._stop = feed or MemoryFeed(), Stop()
        self.failure: HyperscopeError | None = None
        self._collector = collector
        self._thread = threading.Thread(target=self._run, name="recording")
        self._thread.start()

    def _run(self) -> None:
        try:
            self._collector.run(self.feed, self._stop)
        except HyperscopeError as error:
            self.failure = error
        self.feed.wake()
