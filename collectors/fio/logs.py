"""Reads fio's logs of a job: ``PREFIX_iops.1.log`` and its siblings, one line for each interval or I/O.

A line is ``time, value, direction, block size[, offset[, priority]]``: the time in ms since the job's start
(since 1970 with ``log_unix_epoch``), the value in KiB/s (bw), I/Os a second (iops) or ns (lat, clat, slat),
the direction 0 read, 1 write, 2 trim. With ``log_avg_msec`` a line is the mean of an interval that ends at
its time.

Source: fio's HOWTO, "Log File Formats", version 3.42. Before fio 3.0 (2017) latencies were in µs, which
nothing in a log tells.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from resources.failures import BadInputError
from sessions.model import FloatArray, IntArray

DIRECTIONS = ("read", "write", "trim")

MAX_BYTES = 512 << 20
"""A longer log is refused: it is read as a whole. It has 20 million I/Os, or 200 days of seconds."""

_EPOCH_FROM = 1 << 40
"""A time from here on is in ms since 1970 (it would be a run of 34 years)."""
TIME_LIMIT = 253_402_300_799_999
"""The last time that a calendar has, ms since 1970."""
_COLUMNS = (4, 5, 6)
_PART = 1 << 20


@dataclass(frozen=True, slots=True)
class LogLines:
    """The lines of a log in their order: int64 ``times`` in ms, float64 ``values``, int64 ``directions``.

    ``is_absolute``: the times are ms since 1970, else since the job's start. ``skipped`` is the number of
    lines that could not be read, as the last one of a run that was cut off.
    """

    times: IntArray
    values: FloatArray
    directions: IntArray
    is_absolute: bool
    skipped: int

    def of(self, direction: str) -> tuple[IntArray, FloatArray]:
        """Return times and values of one direction (``read``, ``write``, ``trim``)."""
        chosen = self.directions == DIRECTIONS.index(direction)
        return self.times[chosen], self.values[chosen]


def read_log(text: str, name: str) -> LogLines:
    """Return the lines of a log called ``name``; none for an empty one, which fio leaves where nothing was
    measured.

    Raises BadInputError if it has lines, of which none can be read.
    """
    pieces, lines = [np.zeros((0, 3))], 0
    for part in _parts(text):
        rows, count = _rows(part)
        pieces.append(rows)
        lines += count
    rows = np.concatenate(pieces)
    if lines and not rows.size:
        raise BadInputError(
            f"{name} is called like a log of fio, but has no line of one.",
            meaning="A line is: time in ms, value, direction (0 read, 1 write, 2 trim), block size.",
        )
    times = rows[:, 0].astype(np.int64)
    return LogLines(
        times,
        rows[:, 1],
        rows[:, 2].astype(np.int64),
        bool(times.size and times[0] >= _EPOCH_FROM),
        lines - len(rows),
    )


def _parts(text: str) -> Iterator[str]:
    """Yield whole lines, some thousands at a time: the cells of all lines of a long log fill no memory."""
    begin = 0
    while begin < len(text):
        end = text.find("\n", begin + _PART) + 1 or len(text)
        yield text[begin:end]
        begin = end


def _rows(text: str) -> tuple[FloatArray, int]:
    """Return time, value and direction of each line that can be read, and how many lines there are."""
    lines = [line for line in text.splitlines() if line.strip()]
    cells = [line.split(",", _COLUMNS[-1]) for line in lines]
    rows = np.array([_numbers(cell) for cell in cells if len(cell) in _COLUMNS], np.float64).reshape(-1, 3)
    with np.errstate(invalid="ignore"):
        fits = np.isfinite(rows).all(axis=1) & (rows >= 0).all(axis=1)
        fits &= (rows[:, 0] < TIME_LIMIT) & (rows[:, 2] < len(DIRECTIONS))
    return rows[fits], len(lines)


def _numbers(cells: list[str]) -> tuple[float, float, float]:
    """Time, value and direction of a line; NaN where a cell is no number, so that the line is skipped."""
    try:
        return float(cells[0]), float(cells[1]), float(cells[2])
    except ValueError:
        return np.nan, np.nan, np.nan
