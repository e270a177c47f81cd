"""Reads lines of stdin (commands, passwords) in a thread, without Python's buffer, whose lock
would block the exit.

Windows lets one operation at a time use a pipe. While a thread waits in a read of stdin, a worker process
that inherits it hangs in its first question about it (``GetFileType``, asked by the C library when it
starts), until a line comes. There the thread asks how much there is and reads only that: no read ever waits.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial

from connections.core_dumps import forbid_core_dumps

_CHUNK = 1 << 16
MAX_LINE_BYTES = 1 << 20
_POLL_S = 0.02


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


class PasswordLines:
    """The first lines of stdin: passwords, each read once and given again to every login that needs it.

    ``others`` has the lines behind them.
    """

    def __init__(self, others: StdinLines) -> None:
        self.others = others
        self._read: list[bytes] = []

    def read(self, count: int) -> None:
        """Wait until ``count`` lines were read, or stdin has ended."""
        while len(self._read) < count and (line := self.others.next_line()) is not None:
            self._read.append(line)

    def beginning_at(self, place: int) -> Callable[[], bytes | None]:
        """Return what gives the lines from number ``place`` (0 is the first) on, None after the last.

        Where there are fewer lines, it begins with the last one.
        """
        return partial(next, self._lines_from(place), None)

    def _lines_from(self, place: int) -> Iterator[bytes]:
        self.read(place + 1)
        place = max(0, min(place, len(self._read) - 1))
        while place < len(self._read):
            yield self._read[place]
            place += 1
            self.read(place + 1)


def _lines_of(descriptor: int) -> Iterator[bytes]:
    rest = b""
    for chunk in _chunks_of(descriptor):
        *lines, rest = (rest + chunk).split(b"\n")
        yield from (line.rstrip(b"\r") for line in lines)
        if len(rest) > MAX_LINE_BYTES:
            raise ValueError("a line without an end")
    if rest:
        yield rest.rstrip(b"\r")


def _chunks_of(descriptor: int) -> Iterator[bytes]:
    """The bytes of stdin as they come, until its end."""
    if sys.platform == "win32" and (there := _bytes_in_pipe(descriptor)) is not None:
        return chunks_without_waiting(partial(os.read, descriptor), there)
    return iter(partial(os.read, descriptor, _CHUNK), b"")


def chunks_without_waiting(read: Callable[[int], bytes], there: Callable[[], int | None]) -> Iterator[bytes]:
    """Read what ``there`` says is there (bytes; None after the end), and nothing before it is there."""
    while (count := there()) is not None:
        if count:
            yield read(min(count, _CHUNK))
        else:
            time.sleep(_POLL_S)


if sys.platform == "win32":
    import _winapi
    import msvcrt

    def _bytes_in_pipe(descriptor: int) -> Callable[[], int | None] | None:
        """What says how many bytes wait in the pipe; None if it is no pipe (a console, a file)."""
        handle = msvcrt.get_osfhandle(descriptor)

        def there() -> int | None:
            try:
                return int(_winapi.PeekNamedPipe(handle, 0)[0])
            except BrokenPipeError:
                return None

        try:
            there()
        except OSError:
            return None
        return there
