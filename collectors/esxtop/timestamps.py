"""The time of a row: esxtop's own ``MM/DD/YYYY HH:MM:SS``, and what other programs made of it.

A spreadsheet drops the seconds, the padding, the century or the whole date, and writes the day before the
month where that is the custom. Which order a file has is told from all of its rows: a number above 12 can't
be a month; otherwise time must not run backwards; otherwise the order that makes the capture shorter.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sessions.model import IntArray

NO_TIME = np.iinfo(np.int64).min
"""Stands for the time of a row that has none."""

_LENGTH = 19
_DIGITS = np.array([0, 1, 3, 4, 6, 7, 8, 9, 11, 12, 14, 15, 17, 18])
_MARKS = ((2, "/"), (5, "/"), (10, " "), (13, ":"), (16, ":"))
_GENERAL = re.compile(
    rb"(?:(\d{1,4})([/.-])(\d{1,2})\2(\d{1,4})[ T]+)?"
    rb"(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d*)?)?(?:\s*([AaPp])[Mm])?Z?"
)
_DAYS = np.array([31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])


def esxtop_times(view: NDArray[np.uint8], starts: IntArray, ends: IntArray) -> IntArray:
    """Return the time in milliseconds of rows that begin with esxtop's own stamp, NO_TIME for others.

    ``view`` holds the text, row i begins at ``starts[i]``. The stamp may be quoted.
    """
    times = np.full(len(starts), NO_TIME, dtype=np.int64)
    if not len(starts) or len(view) < _LENGTH:
        return times
    begin = starts + (view[starts] == ord('"'))
    usable = begin + _LENGTH <= ends
    begin = np.where(usable, begin, 0)
    text = view[np.minimum(begin[:, None] + np.arange(_LENGTH), len(view) - 1)]
    after = np.where(begin + _LENGTH < ends, view[np.minimum(begin + _LENGTH, len(view) - 1)], ord(","))
    usable &= np.isin(after, np.frombuffer(b'",;\t', dtype=np.uint8))
    for place, mark in _MARKS:
        usable &= text[:, place] == ord(mark)
    digits = text[:, _DIGITS].astype(np.int64) - ord("0")
    usable &= ((digits >= 0) & (digits <= 9)).all(axis=1)
    pairs = digits[:, 0::2] * 10 + digits[:, 1::2]
    month, day, century, year, hour, minute, second = pairs.T
    parts = np.stack((month, day, century * 100 + year, hour, minute, second), axis=1)
    found = _milliseconds(parts[:, 2], parts[:, 0], parts[:, 1], parts[:, 3:])
    return np.where(usable, found, times)


def _milliseconds(year: IntArray, month: IntArray, day: IntArray, clock: IntArray) -> IntArray:
    """Milliseconds since 1970; NO_TIME where there is no such date or time."""
    valid = (year >= 1970) & (year < 2200) & (month >= 1) & (month <= 12) & (day >= 1)
    limit = _DAYS[np.clip(month - 1, 0, 11)] - ((month == 2) & ~_is_leap(year))
    valid &= (day <= limit) & (clock[:, 0] < 24) & (clock[:, 1] < 60) & (clock[:, 2] < 61)
    # Days of a civil date, counting years from March (Howard Hinnant, chrono-compatible date algorithms).
    shifted = year - (month <= 2)
    of_year = (153 * (month + np.where(month > 2, -3, 9)) + 2) // 5 + day - 1
    days = shifted * 365 + shifted // 4 - shifted // 100 + shifted // 400 + of_year - 719468
    seconds = days * 86400 + clock[:, 0] * 3600 + clock[:, 1] * 60 + clock[:, 2]
    return np.where(valid, seconds * 1000, NO_TIME)


def _is_leap(year: IntArray) -> NDArray[np.bool_]:
    leap: NDArray[np.bool_] = (year % 4 == 0) & ((year % 100 != 0) | (year % 400 == 0))
    return leap


@dataclass(frozen=True, slots=True)
class Timestamp:
    """A timestamp as its numbers; which of the first three is the day is still open. −1 without a date."""

    first: int
    second: int
    third: int
    hour: int
    minute: int
    seconds: int
    dotted: bool = False

    def numbers(self) -> tuple[int, int, int, int, int, int]:
        """Return the six numbers; seconds are −1 if none were written."""
        return self.first, self.second, self.third, self.hour, self.minute, self.seconds


def parse_timestamp(cell: bytes) -> Timestamp | None:
    """Parse the timestamp in a row's first field; None if there is none."""
    match = _GENERAL.fullmatch(cell.strip(b' "\t\r'))
    if match is None:
        return None
    first, mark, second, third, hour, minute, seconds, half = match.groups()
    date = (int(first), int(second), int(third)) if first else (-1, -1, -1)
    hours = int(hour)
    if half:
        hours = hours % 12 + (12 if half in b"pP" else 0)
    return Timestamp(*date, hours, int(minute), int(seconds) if seconds else -1, mark == b".")


@dataclass(frozen=True, slots=True)
class RowTimes:
    """Times of all rows (milliseconds, NO_TIME where unreadable), and what had to be decided."""

    times: IntArray
    resolution_ms: int
    notes: tuple[str, ...]


def times_of_rows(numbers: IntArray, *, dotted: bool) -> RowTimes:
    """Times of stamps that were taken apart; ``numbers`` (rows, 6), a row of −2 for one without a stamp."""
    readable = numbers[:, 3] >= 0
    known = numbers[readable]
    notes: list[str] = []
    if not len(known):
        return RowTimes(np.full(len(numbers), NO_TIME), 1000, ())
    with_seconds = bool((known[:, 5] >= 0).any())
    clock = np.maximum(known[:, 3:], 0)
    if np.count_nonzero(known[:, 0] < 0) * 2 > len(known):
        found = _dateless(known, clock)
        notes.append("The rows have a time of day but no date: they are shown as on 1970-01-01.")
    else:
        found, certain = _dated(known[:, :3], clock, dotted=dotted)
        if not certain:
            notes.append("Day and month can't be told apart: read as month/day, as esxtop writes it.")
    if not with_seconds:
        notes.append("The rows' times have no seconds: rows of one minute are spread evenly over it.")
    times = np.full(len(numbers), NO_TIME, dtype=np.int64)
    times[readable] = found
    return RowTimes(times, 1000 if with_seconds else 60_000, tuple(notes))


def _dateless(known: IntArray, clock: IntArray) -> IntArray:
    """Times of day from 1970-01-01 on; a step back by more than half a day is midnight."""
    of_day = (clock[:, 0] * 3600 + clock[:, 1] * 60 + clock[:, 2]) * 1000
    nights = np.cumsum(np.diff(of_day, prepend=of_day[:1]) < -43_200_000)
    valid = (clock[:, 0] < 24) & (clock[:, 1] < 60) & (clock[:, 2] < 61) & (known[:, 0] < 0)
    return np.where(valid, of_day + nights * 86_400_000, NO_TIME)


def _dated(date: IntArray, clock: IntArray, *, dotted: bool) -> tuple[IntArray, bool]:
    """Times under the date order that fits best, and whether any other would have fitted as well."""
    if np.count_nonzero(date[:, 0] > 31) * 2 > len(date):
        return _milliseconds(date[:, 0], date[:, 1], date[:, 2], clock), True
    year = np.where(date[:, 2] < 100, date[:, 2] + 2000, date[:, 2])
    month_first = _milliseconds(year, date[:, 0], date[:, 1], clock)
    day_first = _milliseconds(year, date[:, 1], date[:, 0], clock)
    same = np.array_equal(month_first, day_first)
    cost_month, cost_day = _implausibility(month_first), _implausibility(day_first)
    if cost_month == cost_day:
        return (day_first, True) if dotted else (month_first, same)
    return (month_first if cost_month < cost_day else day_first), True


def _implausibility(times: IntArray) -> tuple[int, int, int]:
    """Rows that have no such date, steps backwards, and the length of the whole."""
    real = times[times != NO_TIME]
    missing = len(times) - len(real)
    if not len(real):
        return missing, 0, 0
    return missing, int(np.count_nonzero(np.diff(real) < 0)), int(real.max() - real.min())


def spread(times: IntArray, resolution_ms: int, copies: NDArray[np.bool_] | None = None) -> IntArray:
    """Times in which rows of one stamp lie evenly within it, in the order of the rows.

    ``copies`` marks rows that repeat the row before: they have its time. The first
    stamp of a capture is usually cut at its beginning and the last at its end: a shorter run there keeps the
    usual distance. Rows without a time stay without.
    """
    if copies is not None and copies.any():
        originals = np.flatnonzero(~copies)
        of_row = np.cumsum(~copies) - 1
        of_originals = spread(times[originals], resolution_ms)
        return of_originals.take(of_row)
    readable = np.flatnonzero(times != NO_TIME)
    real = times[readable]
    if not len(real):
        return times
    begins = np.flatnonzero(np.diff(real, prepend=real[0] - 1) != 0)
    lengths = np.diff(begins, append=len(real))
    usual = int(np.median(lengths))
    if usual <= 1 and lengths.max() <= 1:
        return times
    order = np.arange(len(real)) - np.repeat(begins, lengths)
    per_stamp = lengths.copy()
    for edge in (0, len(lengths) - 1):
        per_stamp[edge] = max(lengths[edge], usual)
    if lengths[0] < usual and len(lengths) > 1:
        order[: lengths[0]] += usual - lengths[0]
    step = resolution_ms / np.repeat(per_stamp, lengths)
    out = times.copy()
    out[readable] = real + (order * step).astype(np.int64)
    return out
