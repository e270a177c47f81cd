"""Times: milliseconds since 1970 (UTC) in the program, ISO 8601 in UTC in text."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from resources.failures import UsageError

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, order=True)
class TimeRange:
    """The time from ``start`` to ``end``, both included, in milliseconds since 1970 (UTC)."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if self.end < self.start:
            raise ValueError(f"a time range that ends ({self.end}) before it starts ({self.start})")

    @property
    def seconds(self) -> float:
        """The length in seconds."""
        return (self.end - self.start) / 1000

    def contains(self, t_ms: int) -> bool:
        """Return True if the instant lies in the range."""
        return self.start <= t_ms <= self.end

    def intersect(self, other: TimeRange) -> TimeRange | None:
        """Return the intersection with another range; None if it is empty."""
        start, end = max(self.start, other.start), min(self.end, other.end)
        return TimeRange(start, end) if start <= end else None


def joined(ranges: Iterable[TimeRange]) -> list[TimeRange]:
    """Return the union of the ranges as few ranges that don't overlap, ordered by time."""
    found: list[TimeRange] = []
    for one in sorted(ranges):
        if found and one.start <= found[-1].end + 1:
            found[-1] = TimeRange(found[-1].start, max(found[-1].end, one.end))
        else:
            found.append(one)
    return found


def longest_pause(ranges: Iterable[TimeRange]) -> int:
    """Return the longest time between two of the ranges, ms; 0 for fewer than two, or if they all meet."""
    return max((two.start - one.end for one, two in pairwise(joined(ranges))), default=0)


def iso(t_ms: int) -> str:
    """Format a time as ISO 8601 in UTC, with milliseconds only if they are not zero:
    ``2026-11-21T14:21:35Z``.
    """
    text = (_EPOCH + timedelta(milliseconds=t_ms)).replace(tzinfo=None)
    return text.isoformat(timespec="milliseconds" if t_ms % 1000 else "seconds") + "Z"


def now_ms() -> int:
    """Return the time of this machine's clock in ms since 1970."""
    return time.time_ns() // 1_000_000


def parse_time(text: str) -> int:
    """Parse an ISO 8601 time to ms since 1970; without a time zone it is UTC.

    Raises UsageError for any other text.
    """
    try:
        when = datetime.fromisoformat(text)
    except ValueError as error:
        raise UsageError(
            f"{text!r} is not a time.", advice="Write it as 2026-11-21T14:21:35Z (UTC)."
        ) from error
    when = when.replace(tzinfo=UTC) if when.tzinfo is None else when
    return (when - _EPOCH) // timedelta(milliseconds=1)
