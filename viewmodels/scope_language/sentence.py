"""Understands a text of the scope bar: the scope to set, the moment to pin, the series to chart."""

from __future__ import annotations

from collections.abc import Sequence

from resources.foreign_text import shown
from sessions.model import EntityRef, Series
from sessions.scope import Scope
from sessions.times import TimeRange
from viewmodels.entity_words import counted
from viewmodels.scope_language.counters import series_of
from viewmodels.scope_language.misunderstanding import Misunderstood, UnclearError
from viewmodels.scope_language.reading import Reading
from viewmodels.scope_language.surroundings import Surroundings, Understood
from viewmodels.scope_language.times import length_text
from viewmodels.scope_path import path_text
from viewmodels.snapshot import Snapshot

_MAX_TYPED = 2_000
_MAX_CURVES = 24


def understand(text: str, around: Surroundings) -> Understood | Misunderstood:
    """Return what a text means, or why it is not understood; it changes nothing."""
    reading = Reading(text[:_MAX_TYPED], around)
    try:
        reading.read()
        return _result(reading, around)
    except UnclearError as unclear:
        return unclear.what


def _result(reading: Reading, around: Surroundings) -> Understood:
    scope = _scope(reading, around)
    series, labels = _series(reading, scope.entities, around.snapshot)
    moment = reading.times.moment if reading.times is not None else None
    return Understood(scope, _meaning(reading, scope, labels, around), moment, series)


def _scope(reading: Reading, around: Surroundings) -> Scope:
    present, times = around.present, reading.times
    refs = tuple(dict.fromkeys(reading.refs))
    scope = present if not refs and not reading.is_all else present.on(refs)
    if reading.sources is not None:
        scope = scope.of_sources(reading.sources)
    if times is None:
        return scope.during(None) if reading.is_all and not refs else scope
    if times.moment is not None:
        return scope.during(_window_around(times.moment, present, around.snapshot.span))
    return scope.during(times.window, follow=times.follow)


def _window_around(moment: int, present: Scope, span: TimeRange | None) -> TimeRange | None:
    """Return the window that shows a moment: the present one if it does, else as long a one around it."""
    window = present.window_in(span)
    if window is None or span is None or window.contains(moment):
        return window if present.follow else present.window
    length = window.end - window.start
    start = max(span.start, min(moment - length // 2, span.end - length))
    return TimeRange(start, start + length)


def _series(
    reading: Reading, entities: Sequence[EntityRef], snapshot: Snapshot
) -> tuple[tuple[Series, ...], list[str]]:
    refs = entities or [ref for ref in snapshot.entities if ref.kind in {"vm", "host"}]
    found: list[Series] = []
    labels: list[str] = []
    for phrase, candidates in reading.counters:
        best = series_of(candidates, refs, snapshot)
        if best is None:
            whose = _named(entities, reading) if entities else "This session"
            raise UnclearError(f"{whose} has no counter called “{phrase}”.")
        if len(best[1]) > _MAX_CURVES:
            raise UnclearError(
                f"{best[0].label} of all these would be {len(best[1])} curves in one chart; "
                f"{_MAX_CURVES} can be told apart. Name whose: {best[0].short or best[0].key} web03."
            )
        labels.append(best[0].label)
        found += best[1]
    return tuple(found), labels


def _meaning(reading: Reading, scope: Scope, labels: Sequence[str], around: Surroundings) -> str:
    clock, times = around.clock, reading.times
    window = scope.window_in(around.snapshot.span)
    parts = [_named(scope.entities, reading) if scope.entities else "everything"]
    if times is not None and times.moment is not None:
        parts.append(f"{clock.day(times.moment)} {clock.moment(times.moment)} pinned")
    elif scope.follow and scope.window is not None:
        parts.append(f"the newest {length_text(scope.window.end - scope.window.start)}")
    elif scope.window is None:
        parts.append("whole session")
    elif window is not None:
        parts.append(clock.window(window))
    parts += labels
    if reading.sources is not None:
        known = {one.id: shown(one.spec.name, 60) for one in around.snapshot.sources}
        parts.append(", ".join(known[one] for one in sorted(reading.sources)) or "all sources")
    return " · ".join(parts)


def _named(refs: Sequence[EntityRef], reading: Reading) -> str:
    return (
        path_text(refs[0], reading.names.snapshot, reading.names.window) if len(refs) == 1 else counted(refs)
    )
