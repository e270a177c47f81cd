"""What the JSON documents of several commands have alike: times in ISO 8601, numbers that JSON has."""

from __future__ import annotations

import math

from sessions.model import Event
from sessions.times import TimeRange, iso

Json = dict[str, object]


def window_json(window: TimeRange) -> list[str]:
    """Return start and end of a window."""
    return [iso(window.start), iso(window.end)]


def number_json(value: float | None) -> float | None:
    """Return a number to six decimals; null where it is absent or not finite."""
    return round(value, 6) if value is not None and math.isfinite(value) else None


def event_json(event: Event) -> Json:
    """Return an event."""
    return {
        "at": iso(event.at),
        "end": None if event.end is None else iso(event.end),
        "kind": event.kind,
        "text": event.text,
        "by": event.by,
        "log": event.log,
    }
