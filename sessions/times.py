"""Times: milliseconds since 1970 in UTC inside, ISO 8601 in UTC outside."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from resources.failures import UsageError

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, order=True)
class TimeRange:
    """From ``start`` to ``end``, both included, in milliseconds since 1970 (UTC)."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if self.end < self.start:
            raise ValueError(f"a time range that ends ({self.end}) before it starts ({self.start})")

    @property
    def seconds(self) -> float:
        """Length in seconds."""
        return (self.end - self.start) / 1000

    def contains(self, t_ms: int) -> bool:
        """Whether the instant lies in the range."""
        return self.start <= t_ms <= self.end

    def intersect(self, other: TimeRange) -> TimeRange | None:
        """The part that both share, or None."""
        start, end = max(self.start, other.start), min(self.end, other.end)
        return TimeRange(start, end) if start <= end else None


def joined(ranges: Iterable[TimeRange]) -> list[TimeRange]:
    """The same instants in as few ranges as possible, ordered by time."""
    found: list[TimeRange] = []
    for one in sorted(ranges):
        if found and one.start <= found[-1].end + 1:
            found[-1] = TimeRange(found[-1].start, max(found[-1].end, one.end))
        else:
            found.append(one)
    return found


def iso(t_ms: int) -> str:
    """ISO 8601 in UTC, with milliseconds only where there are any: ``2026-11-21T14:21:35Z``."""
    text = (_EPOCH + timedelta(milliseconds=t_ms)).replace(tzinfo=None)
    return text.isoformat(timespec="milliseconds" if t_ms % 1000 else "seconds") + "Z"


def now_ms() -> int:
    """This machine's clock."""
    return time.time_ns() // 1_000_000


def parse_time(text: str) -> int:
    """Milliseconds since 1970 of an ISO 8601 time; one without a zone is UTC.

    Raises UsageError for anything else.
    """
    try:
        when = datetime.fromisoformat(text)
    except ValueError as error:
        raise UsageError(
            f"{text!r} is not a time.", advice="Write it as 2026-11-21T14:21:35Z (UTC)."
        ) from error
    when = when.replace(tzinfo=UTC) if when.tzinfo is None else when
    return (when - _EPOCH) // timedelta(milliseconds=1)
