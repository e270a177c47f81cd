"""Local times as .NET writes them, and which of the numbers of a date is its day.

A short date has the order of its culture: ``21.11.2026``, ``11/21/2026``, ``2026-11-21``. Whether 3/4/2026 is
in March or April is decided by what a file holds, never by a guess.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

import numpy as np

from resources.failures import UsageError
from resources.foreign_text import shown
from resources.get_stat_forms import GetStatForms
from sessions.clock import Clock
from sessions.model import FloatArray, IntArray

Order = Literal["dmy", "mdy", "ymd"]
ORDERS: tuple[Order, ...] = ("dmy", "mdy", "ymd")
ORDER_WORDS: Mapping[Order, str] = {
    "dmy": "day first", "mdy": "month first", "ymd": "year first"
}  # fmt: skip
INVALID = np.iinfo(np.int64).min
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_AHEAD = re.compile(r"(?:z|(?P<sign>[+-])(?P<hours>\d\d):(?P<minutes>\d\d))$")
_BUDDHIST, _BUDDHIST_FROM = 543, 2400
_FIRST_YEAR, _LAST_YEAR = 1990, 2200
_LONGEST = 64
_DAY_MS = 86_400_000
_AHEAD_OF_NOW_MS = 26 * 3_600_000
"""No clock on Earth is further ahead of another one."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """A time of day (ms) with the three numbers of its date, whose order may be one of ``orders``.

    ``ahead_ms`` is how far it says that it is ahead of UTC; None if it doesn't.
    """

    date: tuple[int, int, int]
    orders: tuple[Order, ...]
    time_ms: int
    has_seconds: bool
    ahead_ms: int | None = None

    def local_ms(self, order: Order) -> int:
        """Return the ms from 1970 to this date and time as if both were UTC's; INVALID for no such date."""
        numbers = dict(zip(order if order in self.orders else self.orders[0], self.date, strict=True))
        year = numbers["y"] if numbers["y"] > 99 else 2000 + numbers["y"]
        year -= _BUDDHIST if year >= _BUDDHIST_FROM else 0
        if not _FIRST_YEAR <= year <= _LAST_YEAR:
            return INVALID
        try:
            day = datetime(year, numbers["m"], numbers["d"], tzinfo=UTC)
        except ValueError:
            return INVALID
        return round(day.timestamp()) * 1000 + self.time_ms


def parse_stamp(text: str, forms: GetStatForms) -> Stamp | None:
    """Parse a date with a time, of 12 or 24 hours, with or without seconds; None for other text.

    ``21.11.2026 13:37:40``, ``11/21/2026 1:37:40 PM``, ``2026-11-21 下午 1:37:40``,
    ``2026-11-21T13:37:40+01:00``.
    """
    text = "".join(one for one in text if unicodedata.category(one) != "Cf")[:_LONGEST]
    text = unicodedata.normalize("NFKC", text).strip().casefold()
    told = _AHEAD.search(text)
    ahead = None
    if told:
        text = text[: told.start()]
        minutes = int(told["hours"] or 0) * 60 + int(told["minutes"] or 0)
        ahead = (-minutes if told["sign"] == "-" else minutes) * 60_000
    numbers = re.findall(r"\d+", text)
    words = re.sub(r"[\d\W_]+", "", text)
    month = next((at for at, name in enumerate(_MONTHS, 1) if words.startswith(name)), 0)
    if month:
        # Two numbers and a name: 21-Nov-26. The name may be written out, and a half of the day may follow.
        words = words[
            len(words) - next((n for n in (2, 0) if words[len(words) - n :] in forms.afternoon), 0) :
        ]
        numbers.insert(1, str(month))
    afternoon = forms.afternoon.get(words)
    if not 5 <= len(numbers) <= 7 or (words and afternoon is None and words not in forms.silent):
        return None
    time_ms = _time_ms(numbers[3:], afternoon)
    if time_ms is None or any(len(number) > 4 for number in numbers[:3]):
        return None
    date = int(numbers[0]), int(numbers[1]), int(numbers[2])
    return Stamp(date, _orders(text, numbers, named=bool(month)), time_ms, len(numbers) > 5, ahead)


def _orders(text: str, numbers: Sequence[str], *, named: bool) -> tuple[Order, ...]:
    """Which orders the date may have by its form; nobody writes month.day.year with dots."""
    year_digits = 3
    if len(numbers[0]) >= year_digits:
        return ("ymd",)
    if named:
        return ("dmy",)
    has_dots = re.match(r"\d+\s?\.", text) is not None
    if len(numbers[2]) >= year_digits:
        return ("dmy",) if has_dots else ("dmy", "mdy")
    return ("dmy", "ymd") if has_dots else ("dmy", "mdy", "ymd")


def _time_ms(numbers: Sequence[str], afternoon: bool | None) -> int | None:
    hour, minute = int(numbers[0]), int(numbers[1])
    second = int(numbers[2]) if len(numbers) > 2 else 0
    fraction = int(numbers[3][:3].ljust(3, "0")) if len(numbers) > 3 else 0
    noon = 12
    if afternoon is not None and hour <= noon:
        hour = hour % noon + (noon if afternoon else 0)
    if not (hour < 24 and minute < 60 and second < 60):
        return None
    return ((hour * 60 + minute) * 60 + second) * 1000 + fraction


@dataclass(frozen=True, slots=True)
class StampRows:
    """In which order the rows of a file have their stamps: ``series`` and ``stamp`` (rows,) are numbers of
    the series and of the stamp, ``interval_ms`` (series,) is 0 where it is not told.
    """

    series: IntArray
    stamp: IntArray
    interval_ms: FloatArray


def possible_orders(stamps: Sequence[Stamp | None], rows: StampRows, now_ms: int) -> list[Order]:
    """Return the orders that the dates of a file can have: one, or those that nothing in it decides between.

    Each date must exist (there is no month 21), none may be in the future, and the samples of a series should
    follow one another in steps of their interval: at midnight only the right order does. An empty list: the
    dates contradict each other.
    """
    there = [stamp for stamp in stamps if stamp is not None]
    open_ = {stamp.orders for stamp in there if len(stamp.orders) > 1}
    if not open_:
        return [there[0].orders[0]] if there else []
    wanted = [order for order in ORDERS if all(order in orders for orders in open_)]
    local = {order: local_times(stamps, order) for order in wanted}
    fitting = [
        order
        for order in wanted
        if all(of != INVALID for of, stamp in zip(local[order].tolist(), stamps, strict=True) if stamp)
    ]
    past = [order for order in fitting if int(local[order].max()) <= now_ms + _AHEAD_OF_NOW_MS]
    left = past or fitting
    if len(left) < 2:
        return left
    scores = {order: _steps(local[order], rows) for order in left}
    best = max(scores.values())
    return [order for order in left if scores[order] == best]


def _steps(local: IntArray, rows: StampRows) -> tuple[int, int]:
    """How many steps of the rows are of their series' interval, and minus how often a series turns back."""
    by_series = np.argsort(rows.series, kind="stable")
    series, times = rows.series[by_series], local[rows.stamp[by_series]]
    known = times != INVALID
    series, times = series[known], times[known]
    steps = np.diff(times)
    same = series[1:] == series[:-1]
    regular = int(np.count_nonzero(same & (np.abs(steps) == rows.interval_ms[series[1:]])))
    turns = np.count_nonzero(same[1:] & same[:-1] & (np.sign(steps[1:]) * np.sign(steps[:-1]) < 0))
    return regular, -int(turns)


def local_times(stamps: Sequence[Stamp | None], order: Order) -> IntArray:
    """Return each stamp in this order as ms, as if it were UTC; INVALID where there is none. (n,) int64."""
    return np.array([INVALID if one is None else one.local_ms(order) for one in stamps], np.int64)


def instants(stamps: Sequence[Stamp | None], order: Order, clock: Clock) -> tuple[IntArray, IntArray]:
    """Return when each stamp was (ms since 1970; INVALID where it is none), in the zone of ``clock`` unless
    it tells its own; and when it was if clocks had been set back just before. Both (n,) int64; they differ
    only for times of day that came twice.
    """
    first = local_times(stamps, order)
    second = first.copy()
    for at, (stamp, local) in enumerate(zip(stamps, first.tolist(), strict=True)):
        if stamp is None or local == INVALID:
            continue
        if stamp.ahead_ms is not None:
            first[at] = second[at] = local - stamp.ahead_ms
            continue
        naive = datetime(1970, 1, 1) + timedelta(milliseconds=local)
        first[at] = clock.instant(naive)
        second[at] = clock.instant(naive.replace(fold=1))
    return first, np.maximum(first, second)


class UndecidedDatesError(UsageError):
    """Nothing in a file decides the order of its dates; ``orders`` are those that they can have."""

    orders: tuple[Order, ...] = ()


def require_order(possible: Sequence[Order], wanted: Order | None, name: str, example: str) -> Order:
    """Return the order of a file's dates: what it decides, else ``wanted``. Raises UndecidedDatesError if
    neither does.
    """
    if len(possible) == 1:
        return possible[0]  # the file knows better than whoever gave an option
    if wanted is not None:
        return wanted
    words = " or ".join(f"--dates {order} ({ORDER_WORDS[order]})" for order in possible or ORDERS)
    error = UndecidedDatesError(
        f"{shown(name)}: nothing in it tells which number of {shown(example)} is the day.",
        advice=f"Say it with {words}.",
    )
    error.orders = tuple(possible or ORDERS)
    raise error
