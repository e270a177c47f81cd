"""Arguments and options that several commands share, each with its help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.commands.json_option import AsJson
from resources.failures import UsageError
from sessions.store import SessionReader
from sessions.times import TimeRange, parse_time

__all__ = ["AsJson", "From", "SessionPath", "To", "window_of"]

SessionPath = Annotated[
    Path, typer.Argument(metavar="S.hscope", help="A session file.", show_default=False, readable=False)
]
"""Whether it may be read shows when it is opened: that has an exit code of its own."""
From = Annotated[
    str, typer.Option("--from", metavar="TIME", help="Only from this time on: 2026-11-21T14:20 (UTC).")
]
To = Annotated[str, typer.Option("--to", metavar="TIME", help="Only up to this time.")]


def window_of(reader: SessionReader, start: str, end: str) -> TimeRange | None:
    """Return the window that --from and --to give; None is the whole session.

    Raises UsageError if the end is before the start, or the window is outside the session.
    """
    span = reader.span()
    if span is None or not (start or end):
        return None
    first = parse_time(start) if start else min(span.start, parse_time(end))
    last = parse_time(end) if end else max(span.end, first)
    if last < first:
        raise UsageError("--to is earlier than --from.")
    window = TimeRange(first, last)
    if window.intersect(span) is None:
        raise UsageError(
            "The session has nothing in that window.", advice="'hyperscope info' says what time it covers."
        )
    return window
