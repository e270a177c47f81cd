"""The texts of scope bar and status bar: which entities, time and sources are shown, and of which session."""

from __future__ import annotations

from resources.foreign_text import shown
from resources.units import format_bytes, format_count
from sessions.scope import Scope
from sessions.times import TimeRange
from viewmodels.entity_names import full_name
from viewmodels.snapshot import Snapshot
from viewmodels.time_labels import Clock

_NAMED = 3
_LISTED = 20
_NAME = 80


def window_label(window: TimeRange, at: Clock) -> str:
    """Return a window with its zone: ``21 Nov 14:05 – 14:35 CET``; the end gets a day, too, if it is another
    one.
    """
    return at.window(window)


def scope_labels(scope: Scope, snapshot: Snapshot, at: Clock) -> tuple[str, str]:
    """Return the two texts of the scope bar: its entities; and its time with its sources."""
    names = [shown(full_name(ref, snapshot), _NAME) for ref in scope.entities]
    entities = ", ".join(names[:_NAMED]) if names else "Everything"
    if len(names) > _NAMED:
        entities += f" and {len(names) - _NAMED} more"
    window = scope.window_in(snapshot.span)
    nothing = "nothing recorded yet" if snapshot.recording else "no samples"
    parts = [nothing if window is None else window_label(window, at)]
    if scope.window is None:
        parts[0] += " (whole session)"
    if scope.follow and snapshot.recording:
        parts.append("following")
    chosen = [shown(source.spec.name, _NAME) for source in snapshot.sources if source.id in scope.sources]
    parts.append(", ".join(chosen) if chosen else "all sources")
    return entities, " · ".join(parts)


_MOST_B = 10.0
"""More bytes for each value than a plain file of numbers takes tell of names, not of values."""


def time_label(scope: Scope, snapshot: Snapshot, at: Clock) -> str:
    """Return time and sources of a scope: ``21 Nov 02:40 – 02:55 CET · following · all sources``."""
    return scope_labels(scope, snapshot, at)[1]


def scope_details(scope: Scope, snapshot: Snapshot, at: Clock) -> str:
    """Return the whole scope, with the names of its entities: one in a line."""
    names = [shown(full_name(ref, snapshot), _NAME) for ref in scope.entities[:_LISTED]]
    more = len(scope.entities) - len(names)
    lines = [
        *(names or ["Everything"]),
        *([f"and {more} more"] if more else []),
        time_label(scope, snapshot, at),
    ]
    return "\n".join([*lines, "Click to type names, times or counters."])


def session_label(snapshot: Snapshot) -> str:
    """Return ``lab-friday.hscope · 38 MB · 1,204 series · 0.7 bytes a value``; of a few values in a file that
    is mostly names it says nothing.
    """
    each_b = snapshot.bytes / snapshot.samples if snapshot.samples else _MOST_B
    each = f" · {each_b:.1f} bytes a value" if each_b < _MOST_B else ""
    series = f"{format_count(len(snapshot.series))} series"
    return f"{shown(snapshot.path.name, _NAME)} · {format_bytes(snapshot.bytes)} · {series}{each}"
