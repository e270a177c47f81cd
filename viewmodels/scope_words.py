"""The scope and the session in words, for the bars of the window."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from resources.units import format_bytes, format_count
from sessions.scope import Scope
from sessions.times import TimeRange
from viewmodels.foreign_text import shown
from viewmodels.snapshot import Snapshot

_NAMED = 3
_NAME = 80

Clock = Callable[[int], datetime]
"""Milliseconds since 1970 to the time that the axes show."""


def clock(which: str) -> Clock:
    """The clock of the setting ``look.times``: this computer's zone, or UTC."""
    if which == "utc":
        return lambda t_ms: datetime.fromtimestamp(t_ms / 1000, UTC)
    return lambda t_ms: datetime.fromtimestamp(t_ms / 1000, UTC).astimezone()


def window_words(window: TimeRange, at: Clock) -> str:
    """``14:05 – 14:35``, with the day where it is not one and the same."""
    start, end = at(window.start), at(window.end)
    seconds = window.seconds < 600
    form = "%H:%M:%S" if seconds else "%H:%M"
    if start.date() == end.date():
        return f"{start:%d %b} {start.strftime(form)} – {end.strftime(form)}"
    return f"{start:%d %b} {start.strftime(form)} – {end:%d %b} {end.strftime(form)}"


def scope_words(scope: Scope, snapshot: Snapshot, at: Clock) -> tuple[str, str]:
    """What the scope bar says: the entities, and the time and sources."""
    names = [shown(snapshot.name(ref), _NAME) or "(without a name)" for ref in scope.entities]
    strong = ", ".join(names[:_NAMED]) if names else "Everything"
    if len(names) > _NAMED:
        strong += f" and {len(names) - _NAMED} more"
    window = scope.window_in(snapshot.span)
    parts = ["nothing recorded yet" if window is None else window_words(window, at)]
    if scope.window is None:
        parts[0] += " (whole session)"
    if scope.follow:
        parts.append("following")
    chosen = [shown(source.spec.name, _NAME) for source in snapshot.sources if source.id in scope.sources]
    parts.append(", ".join(chosen) if chosen else "all sources")
    return strong, " · ".join(parts)


def session_words(snapshot: Snapshot) -> str:
    """``lab-friday.hscope · 38 MB · 0.7 B a sample``."""
    each = f" · {snapshot.bytes / snapshot.samples:.1f} B a sample" if snapshot.samples else ""
    series = f"{format_count(len(snapshot.series))} series"
    return f"{shown(snapshot.path.name, _NAME)} · {format_bytes(snapshot.bytes)} · {series}{each}"
