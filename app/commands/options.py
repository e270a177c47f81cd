"""Arguments and options that several commands share, each with its help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.commands.json_option import AsJson
from resources.failures import UsageError
from sessions.clock import HOST, UTC_CLOCK, Clock, clock_named
from sessions.store import SessionReader
from sessions.times import TimeRange
from viewmodels.time_labels import host_clock

__all__ = [
    "AsJson", "From", "SessionPath", "Thresholds", "Times", "To", "clock_of", "named_window", "window_of",
]  # fmt: skip

SessionPath = Annotated[
    Path, typer.Argument(metavar="S.hscope", help="A session file.", show_default=False, readable=False)
]
"""Whether it may be read shows when it is opened: that has an exit code of its own."""
From = Annotated[
    str,
    typer.Option("--from", metavar="TIME", help="Only from this time on: 2026-11-21T14:20 (--times)."),
]
To = Annotated[str, typer.Option("--to", metavar="TIME", help="Only up to this time.")]

Times = Annotated[
    str,
    typer.Option(
        "--times",
        metavar="ZONE",
        help="The zone of times typed and printed: utc, local, host (as its capture tells it) or a zone "
        "like Europe/Berlin. JSON stays in UTC.",
    ),
]

Thresholds = Annotated[
    str,
    typer.Option(
        "--thresholds",
        metavar="FILE",
        help="Judge storage with the threshold sets of this TOML file, or with the 'shipped' ones; else with "
        "those of your preferences.",
    ),
]


def clock_of(reader: SessionReader, times: str) -> Clock:
    """Return the clock that --times names.

    Raises UsageError for what is no zone, and for ``host`` if no source tells the zone of its host.
    """
    host = host_clock(reader.sources())
    if times == HOST and host is None:
        raise UsageError(
            "No source of this session tells the zone of its host, or they tell different ones.",
            advice="Choose another zone: utc, local, or one like Europe/Berlin.",
        )
    return clock_named(times, host)


def window_of(reader: SessionReader, start: str, end: str, clock: Clock = UTC_CLOCK) -> TimeRange | None:
    """Return the window that --from and --to give in the zone of ``clock``; None is the whole session.

    Raises UsageError if the end is before the start, or the window is outside the session.
    """
    span = reader.span()
    if span is None or not (start or end):
        return None
    first = clock.parse(start) if start else min(span.start, clock.parse(end))
    last = clock.parse(end) if end else max(span.end, first)
    if last < first:
        raise UsageError("--to is earlier than --from.")
    window = TimeRange(first, last)
    if window.intersect(span) is None:
        raise UsageError(
            "The session has nothing in that window.", advice="'hyperscope info' says what time it covers."
        )
    return window


def named_window(text: str, clock: Clock, option: str) -> TimeRange:
    """Return the window that ``from..to`` names, as ``option`` was given it. Raises UsageError."""
    start, dots, end = text.partition("..")
    if not dots or not start or not end:
        raise UsageError(
            f"{option} {text!r} is no window.",
            advice="Write it as from..to: 2026-11-21T14:09..2026-11-21T14:39.",
        )
    first, last = clock.parse(start), clock.parse(end)
    if last < first:
        raise UsageError(f"{option} {text!r} ends before it begins.")
    return TimeRange(first, last)
