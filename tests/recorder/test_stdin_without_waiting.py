"""Stdin where a waiting read would block others: only what is there is read.

Here a pipe of Linux stands in for one of Windows: it says how much is there, and a read that would have to
wait raises an error instead.
"""

from __future__ import annotations

import array
import os
import sys
import threading
from collections.abc import Iterator
from functools import partial

import pytest

from recorder.stdin_lines import chunks_without_waiting

if sys.platform == "win32":
    pytest.skip("asks a pipe of Linux or macOS how much is in it", allow_module_level=True)
import fcntl
import termios


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    """The reading end, which never waits, and the writing end."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    yield reading, writing
    os.close(reading)


def test_lines_come_as_they_are_written_and_end_with_the_writer(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    ended = threading.Event()
    found: list[bytes] = []

    def there() -> int | None:
        count = array.array("i", [0])
        fcntl.ioctl(reading, termios.FIONREAD, count)
        return None if ended.is_set() and not count[0] else count[0]

    def read() -> None:
        found.extend(chunks_without_waiting(partial(os.read, reading), there))

    thread = threading.Thread(target=read)
    thread.start()
    for text in (b"mark one\n", b"stop", b"\n" * 200_000):
        left = memoryview(text)
        while left:
            left = left[os.write(writing, left) :]
    os.close(writing)
    ended.set()
    thread.join(30)

    assert not thread.is_alive()
    assert b"".join(found) == b"mark one\nstop" + b"\n" * 200_000
    assert max(map(len, found)) <= 1 << 16
