"""Writes events as JSON lines to stdout in a thread of its own, so that a slow reader blocks nothing."""

from __future__ import annotations

import sys
import threading
from collections import deque
from collections.abc import Callable
from typing import TextIO

from recorder.protocol import Event, StatusReport, encode
from resources.failures import HyperscopeError

MAX_LINES = 10_000
_LAST_LINES_S = 5.0


class EventLines:
    """Writes events in order. Of the status lines that are still to be written only the newest is kept."""

    def __init__(self, on_broken: Callable[[], None], stream: TextIO | None = None) -> None:
        """``on_broken`` is called once, when nobody reads any more."""
        self._stream = stream or sys.stdout
        self._on_broken = on_broken
        self._waiting: deque[Event] = deque(maxlen=MAX_LINES)
        self._changed = threading.Condition()
        self._closed = False
        self._thread = threading.Thread(target=self._write, name="events", daemon=True)
        self._thread.start()

    def send(self, event: Event) -> None:
        """Queue an event for writing; never blocks."""
        with self._changed:
            waiting = self._waiting
            if waiting and isinstance(event, StatusReport) and isinstance(waiting[-1], StatusReport):
                waiting.pop()
            waiting.append(event)
            self._changed.notify_all()

    def close(self) -> None:
        """Write what is queued, as long as the reader accepts it."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join(_LAST_LINES_S)

    def _write(self) -> None:
        while (event := self._next()) is not None:
            try:
                self._stream.write(encode(event).decode())
                self._stream.flush()
            except (OSError, ValueError, HyperscopeError):
                self._on_broken()
                return

    def _next(self) -> Event | None:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closed)
            return self._waiting.popleft() if self._waiting else None
