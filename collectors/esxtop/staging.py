"""Rows until they make a block: in memory while they fit, else in a temporary file.

A block of many rows is smaller and cheaper to make than several of few: what a chunk of a series costs beside
its values (measured: 17 µs and 25 bytes) is shared by more of them. At 46,000 columns memory alone would
allow 100 rows; through a file 512 rows cost half the processor time, reading and writing included.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import IO

import numpy as np

from sessions.model import FloatArray, IntArray
from sessions.store import EncodedBlock, encode_block


class Workspace:
    """What a process needs for a piece and uses again for the next: an array, and a temporary file.

    Fresh memory is slow; the operating system removes the file with the process.
    """

    def __init__(self) -> None:
        self._values = np.empty(0)
        self._file: IO[bytes] | None = None
        self._end = 0

    def close(self) -> None:
        """Remove the file."""
        if self._file is not None:
            self._file.close()

    def arrays(self, rows: int, widths: Sequence[int]) -> list[FloatArray]:
        """Arrays (rows, width) for a new piece; those of the last, and what is in the file, are given up."""
        self._end = 0
        if len(self._values) < rows * sum(widths):
            self._values = np.empty(rows * sum(widths))
        bounds = np.cumsum((0, *widths)) * rows
        return [
            self._values[begin:end].reshape(rows, width)
            for begin, end, width in zip(bounds, bounds[1:], widths, strict=False)
        ]

    def write(self, values: FloatArray) -> int:
        """Append an array; returns where it lies."""
        if self._file is None:
            self._file = tempfile.TemporaryFile(prefix="hyperscope-")  # noqa: SIM115 - closed by close()
        at = self._end
        self._file.seek(at)
        self._end += self._file.write(np.ascontiguousarray(values).data)
        return at

    def read_into(self, at: int, values: FloatArray) -> None:
        """Fill an array from the file."""
        assert self._file is not None
        self._file.seek(at)
        values[...] = np.frombuffer(self._file.read(values.nbytes)).reshape(values.shape)


class Staged:
    """The rows of one host's part of a piece, cut into the columns of its layouts."""

    def __init__(self, cuts: Sequence[int], space: Workspace) -> None:
        self._cuts = cuts
        self._space = space
        self._times: list[IntArray] = []
        self._held: FloatArray | None = None
        self._places: list[tuple[int, tuple[int, ...]]] = []

    def hold(self, times: IntArray, values: FloatArray) -> None:
        """Take the only rows; the array must stay as it is until ``blocks``."""
        self._times.append(times)
        self._held = values

    def put_by(self, times: IntArray, values: FloatArray) -> None:
        """Take some of the rows; the array may be used again."""
        if len(times):
            self._times.append(times)
            places = tuple(self._space.write(values[:, begin:end]) for begin, end in pairwise(self._cuts))
            self._places.append((len(times), places))

    def blocks(self) -> Iterator[EncodedBlock]:
        """A block for each layout, none when there is no row."""
        times = np.concatenate(self._times) if self._times else np.empty(0, dtype=np.int64)
        if not len(times):
            return
        for part, (begin, end) in enumerate(pairwise(self._cuts)):
            yield encode_block(times, self._columns(part, begin, end, len(times)))

    def _columns(self, part: int, begin: int, end: int, rows: int) -> FloatArray:
        if self._held is not None:
            return self._held[:, begin:end]
        columns = np.empty((rows, end - begin))
        first = 0
        for count, places in self._places:
            self._space.read_into(places[part], columns[first : first + count])
            first += count
        return columns
