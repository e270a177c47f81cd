"""Lines of a stream with their byte offsets, found without looking into them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from collectors.esxtop.opening import TextStream
from sessions.model import IntArray

_READ = 4 << 20
LONGEST_LINE = 64 << 20
"""200,000 columns make a header of 20 MB; a longer line is not a capture's."""
_LONG = 1 << 10


@dataclass(frozen=True, slots=True)
class Lines:
    """Some whole lines that are not blank: line i is ``data[starts[i]:ends[i]]``, without its line end.

    ``offset`` is where ``data`` lies in the text, ``numbers`` are line numbers in the file from 1.
    ``unterminated``: the last line is the end of the text and has no line end. ``overlong`` is the number of
    a line that was skipped for its length, or 0.
    """

    data: bytes
    offset: int
    starts: IntArray
    ends: IntArray
    numbers: IntArray
    unterminated: bool = False
    overlong: int = 0

    def line(self, index: int) -> bytes:
        """Return the bytes of line ``index``."""
        return self.data[self.starts[index] : self.ends[index]]


def lines_of(stream: TextStream, skip: int, chunk: int = _READ) -> Iterator[Lines]:
    """Yield all lines of a stream in batches; ``skip`` is the length of the byte order mark before it."""
    rest: list[bytes] = []
    held, offset, number = 0, skip, 1
    overlong = False
    for data in stream.chunks(chunk):
        last = data.rfind(b"\n")
        if last < 0:
            rest.append(data)
            held += len(data)
            if held > LONGEST_LINE:
                offset += held
                rest, held, overlong = [], 0, True
            continue
        after = len(data) - last - 1
        # To read the beginning of a line again is quicker than to copy all others behind it.
        again = not rest and stream.give_back(after)
        whole = data if again else b"".join((*rest, memoryview(data)[: last + 1]))
        found, count = _split(whole, offset, number, overlong=overlong)
        number += count
        offset += held + last + 1
        rest = [] if again or not after else [data[last + 1 :]]
        held, overlong = (0 if again else after), False
        yield found
    whole = b"".join(rest)
    if whole or overlong:
        yield _split(whole, offset, number, overlong=overlong, unterminated=True)[0]


def _split(
    data: bytes, offset: int, number: int, *, overlong: bool, unterminated: bool = False
) -> tuple[Lines, int]:
    """The lines of ``data`` that are not blank, and how many there are with the blank ones."""
    view = np.frombuffer(data, dtype=np.uint8)
    ends = _feeds(data)
    if unterminated:
        ends = np.append(ends, len(data))
    starts = np.concatenate(([0], ends[:-1] + 1)).astype(np.int64)
    numbers = np.arange(number, number + len(ends), dtype=np.int64)
    has_return = (ends > starts) & (view[np.maximum(ends - 1, 0)] == 13) if len(data) else ends > starts
    ends = ends - has_return
    count = len(ends)
    skipped = number if overlong else 0
    if overlong:
        starts, ends, numbers = starts[1:], ends[1:], numbers[1:]
        unterminated = unterminated and len(ends) > 0
    filled = ends > starts
    lines = Lines(data, offset, starts[filled], ends[filled], numbers[filled], unterminated, skipped)
    return lines, count


def _feeds(data: bytes) -> IntArray:
    """Where line feeds are; of long lines one by one, which is a third of the time."""
    found: list[int] = []
    at = data.find(b"\n")
    while at >= 0:
        found.append(at)
        if len(found) * _LONG > at + _LONG:
            return np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == 10).astype(np.int64)
        at = data.find(b"\n", at + 1)
    return np.array(found, dtype=np.int64)
