"""Rows that a worker parses before it is told what they mean, while its parent still reads the header.

Hundredths depend on a row's bytes and on the number of its values alone. When the piece comes that has these
bytes, they are there; rows that no piece has are forgotten.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from collectors.esxtop.fixed_point import read_hundredths
from collectors.esxtop.lines import Lines, lines_of
from collectors.esxtop.opening import recognise, text_of
from collectors.esxtop.peek import header_index
from collectors.esxtop.plan import Piece
from resources.failures import HyperscopeError
from sessions.model import IntArray
from sessions.store import Int32Array

_TOGETHER = 3 << 17


@dataclass(frozen=True, slots=True)
class _Batch:
    """Rows of a file: row i is bytes ``starts[i]`` to ``ends[i]``, its hundredths are ``values[i]``."""

    starts: IntArray
    ends: IntArray
    values: Int32Array


class RowsAhead:
    """The first rows of one file as hundredths, in the order of the file."""

    def __init__(self) -> None:
        self._path: Path | None = None
        self._batches: deque[_Batch] = deque()

    def read(self, path: Path, is_wanted: Callable[[], bool], max_bytes: int) -> None:
        """Parse rows while ``is_wanted`` says so, until they take ``max_bytes``.

        A file that can't be read or is written in another way has none.
        """
        self._path = path
        size = 0
        try:
            capture = recognise(path)
            if not capture.direct:
                return
            with text_of(capture) as stream:
                seen_header = False
                for lines in lines_of(stream, capture.skip, _TOGETHER):
                    at = None if seen_header else header_index(lines)
                    begin = 0 if at is None else at + 1
                    seen_header |= at is not None
                    if not is_wanted() or size >= max_bytes:
                        return
                    if not seen_header or begin == len(lines.starts):
                        continue
                    batch = _parsed(lines, begin)
                    if batch is None:
                        return
                    self._batches.append(batch)
                    size += batch.values.nbytes
        except (HyperscopeError, OSError):
            return  # the parent meets the same, and says so

    def take(self, piece: Piece, begin: int, width: int) -> Int32Array | None:
        """Return hundredths of some rows of ``piece`` from row ``begin`` on, None if it is not here.

        Rows before that one are forgotten.
        """
        if piece.path != self._path:
            self._batches.clear()  # files come one after another
            return None
        start = int(piece.starts[begin])
        while self._batches and int(self._batches[0].starts[-1]) < start:
            self._batches.popleft()
        if not self._batches:
            return None
        batch = self._batches[0]
        first = int(np.searchsorted(batch.starts, start))
        most = min(len(batch.starts) - first, len(piece.starts) - begin)
        is_same = batch.starts[first : first + most] == piece.starts[begin : begin + most]
        is_same &= batch.ends[first : first + most] == piece.ends[begin : begin + most]
        count = most if is_same.all() else int(np.argmin(is_same))
        return batch.values[first : first + count] if count and batch.values.shape[1] == width else None


def _parsed(lines: Lines, begin: int) -> _Batch | None:
    """The lines from ``begin`` on as hundredths; None when any of them is not written as esxtop does."""
    starts, ends = lines.starts[begin:], lines.ends[begin:]
    row = lines.line(begin)
    width = row.count(b",") - row.endswith(b",")
    if width < 1:
        return None
    values = read_hundredths(lines.data, starts.tolist(), ends.tolist(), width)
    return None if values is None else _Batch(starts + lines.offset, ends + lines.offset, values)
