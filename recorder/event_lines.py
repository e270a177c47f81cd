"""Events as JSON lines on stdout, from a thread of their own: who does not read them holds nothing up."""

from __future__ import annotations

import json
import sys
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, TextIO

_MOST_LINES = 10_000
_LAST_WORDS_S = 5.0


class EventLines:
    """Writes events in order. Of status lines that could not be written yet only the newest is kept."""

    def __init__(self, on_broken: Callable[[], None], stream: TextIO | None = None) -> None:
        """``on_broken`` is told once when nobody reads any more."""
        self._stream = stream or sys.stdout
        self._on_broken = on_broken
        self._waiting: deque[dict[str, Any]] = deque(maxlen=_MOST_LINES)
        self._changed = threading.Condition()
        self._closed = self._broken = False
        self._thread = threading.Thread(target=self._write, name="events", daemon=True)
        self._thread.start()

    def say(self, event: str, **fields: object) -> None:
        """An event with its fields; never waits."""
        line = {"event": event, **fields}
        with self._changed:
            if self._waiting and event == "status" == self._waiting[-1]["event"]:
                self._waiting.pop()
            self._waiting.append(line)
            self._changed.notify_all()

    def close(self) -> None:
        """Write what waits, for as long as somebody reads it."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join(_LAST_WORDS_S)

    def _write(self) -> None:
        while (line := self._next()) is not None:
            try:
                self._stream.write(json.dumps(line, allow_nan=False) + "\n")
                self._stream.flush()
            except (OSError, ValueError):
                self._on_broken()
                return

    def _next(self) -> dict[str, Any] | None:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closed)
            return self._waiting.popleft() if self._waiting else None
