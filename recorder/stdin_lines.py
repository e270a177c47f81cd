"""Reads lines of stdin (commands, passwords) in a thread, without Python's buffer, whose lock
would block the exit.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
from collections.abc import Callable, Iterator

from connections.core_dumps import forbid_core_dumps

_CHUNK = 1 << 16
MAX_LINE_BYTES = 1 << 20


class StdinLines:
    """The lines of stdin: the first ones on request, all others through a callback.

    One object for the process.
    """

    def __init__(self) -> None:
        forbid_core_dumps()  # before a password is among the lines
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._read, name="stdin", daemon=True)
        self._thread.start()

    def next_line(self) -> bytes | None:
        """Wait for the next line and return it without its end; None when stdin has ended."""
        line = self._lines.get()
        if line is None:
            self._lines.put(None)
        return line

    def hand_over(self, on_line: Callable[[bytes], None], on_end: Callable[[], None]) -> None:
        """Call ``on_line`` with every further line, and ``on_end`` after the last."""

        def serve() -> None:
            while (line := self.next_line()) is not None:
                if line.strip():
                    on_line(line)
            on_end()

        threading.Thread(target=serve, name="commands", daemon=True).start()

    def _read(self) -> None:
        try:
            for line in _lines_of(sys.stdin.fileno()):
                self._lines.put(line)
        except (OSError, ValueError):  # no stdin at all, as in a windowed program
            pass
        self._lines.put(None)


def _lines_of(descriptor: int) -> Iterator[bytes]:
    rest = b""
    while chunk := os.read(descriptor, _CHUNK):
        *lines, rest = (rest + chunk).split(b"\n")
        yield from (line.rstrip(b"\r") for line in lines)
        if len(rest) > MAX_LINE_BYTES:
            raise ValueError("a line without an end")
    if rest:
        yield rest.rstrip(b"\r")
