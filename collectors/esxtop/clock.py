"""When each row was taken: as it is read for esxtop's own files, after a look at all rows for others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from collectors.esxtop.header import Header, looks_like_header
from collectors.esxtop.lines import Lines, lines_of
from collectors.esxtop.opening import Capture, text_of
from collectors.esxtop.plan import BoolArray
from collectors.esxtop.timestamps import NO_TIME, esxtop_times, parse_timestamp, spread, times_of_rows
from sessions.model import IntArray

_REPEAT_MS = 100
_SECOND_MS = 1000
_MAX_REPEATS = 9
_TAIL = 1 << 20
_LAST_ROWS = 4
_NO_STAMP = (-2,) * 6


class RowClock(Protocol):
    """Computes when each line of a file was sampled; called for all lines of the file, in order."""

    notes: tuple[str, ...]

    def times(self, lines: Lines) -> IntArray:
        """Return each line's time in milliseconds of the file's local time; NO_TIME where it has none."""


class EsxtopClock:
    """esxtop's own stamps, one row at a time.

    Different rows of one second lie 100 ms apart; a row that repeats the one before has its time.
    """

    def __init__(self) -> None:
        self.notes: tuple[str, ...] = ()
        self._last = NO_TIME
        self._last_line = b""
        self._repeats = 0

    def times(self, lines: Lines) -> IntArray:
        """Return each line's time in milliseconds of the file's local time; NO_TIME where it has none."""
        view = np.frombuffer(lines.data, dtype=np.uint8)
        times = esxtop_times(view, lines.starts, lines.ends)
        real = np.flatnonzero(times != NO_TIME)
        if not len(real):
            return times
        if times[real[0]] == self._last or not np.diff(times[real]).all():
            self._part_repeats(lines, times, real.tolist())
        else:
            self._last, self._repeats = int(times[real[-1]]), 0
        self._last_line = lines.line(int(real[-1]))
        return times

    def _part_repeats(self, lines: Lines, times: IntArray, rows: list[int]) -> None:
        for row in rows:
            stamp, line = int(times[row]), lines.line(row)
            if stamp != self._last:
                self._repeats = 0
            elif line != self._last_line:
                self._repeats += 1
            self._last, self._last_line = stamp, line
            times[row] += min(self._repeats, _MAX_REPEATS) * _REPEAT_MS


class SurveyedClock:
    """Times of a file that another program rewrote: the date format is found by reading all rows first."""

    def __init__(self, capture: Capture) -> None:
        surveyed = _survey(capture)
        found = times_of_rows(surveyed.numbers, dotted=surveyed.dotted)
        self.notes = found.notes
        copies = surveyed.copies if found.resolution_ms == _SECOND_MS else None
        self._times = spread(found.times, found.resolution_ms, copies)
        self._at = 0

    def times(self, lines: Lines) -> IntArray:
        """Return each line's time in milliseconds of the file's local time; NO_TIME where it has none."""
        times = self._times[self._at : self._at + len(lines.starts)]
        self._at += len(lines.starts)
        return times


def clock_for(capture: Capture, header: Header, beginning: Lines | None) -> RowClock:
    """Return EsxtopClock if the first and last rows are as esxtop writes them, else SurveyedClock."""
    if not header.has_time or beginning is None or _is_genuine(capture, beginning):
        return EsxtopClock()
    return SurveyedClock(capture)


def _is_genuine(capture: Capture, beginning: Lines) -> bool:
    """Whether rows are quoted and stamped as by esxtop, time runs forward, and the last rows agree."""
    view = np.frombuffer(beginning.data, dtype=np.uint8)
    rows = [at for at in range(len(beginning.starts)) if not looks_like_header(beginning.line(at))]
    starts, ends = beginning.starts[rows], beginning.ends[rows]
    if not len(starts):
        return True
    times = esxtop_times(view, starts, ends)
    if (view[starts] != ord('"')).any() or (times == NO_TIME).any() or (np.diff(times) <= 0).any():
        return False
    return not capture.direct or _last_rows_agree(capture, int(times[0]))


def _last_rows_agree(capture: Capture, first: int) -> bool:
    with capture.path.open("rb") as file:
        file.seek(max(0, capture.size - _TAIL))
        data = file.read()
    begins = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == 10).astype(np.int64) + 1
    begins = begins[begins < len(data)]
    if not len(begins):
        return True
    ends = np.append(begins[1:] - 1, len(data))
    times = esxtop_times(np.frombuffer(data, dtype=np.uint8), begins, ends)
    # The very last row may be cut anywhere, even in its stamp; a short file's header is among these lines.
    whole = times[-1 - _LAST_ROWS : -1]
    headers = [looks_like_header(data[begin : begin + 64]) for begin in begins[-1 - _LAST_ROWS : -1].tolist()]
    return bool(((whole >= first) | np.array(headers, dtype=np.bool_)).all())


@dataclass(frozen=True, slots=True)
class _Surveyed:
    """All lines of a file: the six numbers of each stamp, in order, whether dates are written with dots, and
    which lines say the same as the line before, to the last character.
    """

    numbers: IntArray
    dotted: bool
    copies: BoolArray


def _survey(capture: Capture) -> _Surveyed:
    seen: dict[bytes, tuple[int, ...]] = {}
    numbers: list[tuple[int, ...]] = []
    copies: list[bool] = []
    dotted = False
    before = b""
    with text_of(capture) as stream:
        for lines in lines_of(stream, capture.skip):
            for at, cell in enumerate(_first_cells(lines)):
                found = seen.get(cell)
                if found is None:
                    stamp = parse_timestamp(cell)
                    dotted |= stamp is not None and stamp.dotted
                    found = stamp.numbers() if stamp else _NO_STAMP
                    if len(seen) < 1 << 16:
                        seen[cell] = found
                line = lines.line(at)
                numbers.append(found)
                copies.append(line == before)
                before = line
    return _Surveyed(
        np.array(numbers, dtype=np.int64).reshape(-1, 6), dotted, np.array(copies, dtype=np.bool_)
    )


def _first_cells(lines: Lines) -> Iterator[bytes]:
    for start, end in zip(lines.starts.tolist(), lines.ends.tolist(), strict=True):
        cell = lines.data[start : min(end, start + 64)]
        for mark in b",;\t":
            cell = cell.partition(bytes((mark,)))[0]
        yield cell
