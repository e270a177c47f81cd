"""Writes a scope as the text that means exactly this scope."""

from __future__ import annotations

import re
from collections.abc import Iterator

from resources.foreign_text import shown
from sessions.model import EntityRef
from sessions.scope import Scope
from sessions.times import TimeRange
from viewmodels.entity_words import KINDS, kind_of
from viewmodels.scope_language.counters import counter_words
from viewmodels.scope_language.names import Names
from viewmodels.scope_language.surroundings import Surroundings
from viewmodels.scope_language.times import length_text
from viewmodels.scope_language.words import quoted
from viewmodels.scope_path import ancestors
from viewmodels.time_labels import Clock

_PLAIN = re.compile(r"[A-Za-z_][\w.()/-]*", re.ASCII)
_WORDS = frozenset({"all", "everything", "on", "in", "last", "the", "whole", "to", "source", "id"})


def exact_text(scope: Scope, around: Surroundings) -> str:
    """Return the text for a scope: typing it gives the same scope again, in any zone and with any names."""
    names = Names(around.snapshot, scope.window_in(around.snapshot.span), around.names.index)
    known = [ref for ref in scope.entities if ref in around.snapshot.entities]
    entities = ", ".join(_of_names(ref, names, around) for ref in known) or "all"
    sources = [
        f"source:{quoted(shown(one.spec.name))}" for one in around.snapshot.sources if one.id in scope.sources
    ]
    return " ".join([entities, _time_text(scope, around.clock), *sources])


def entity_text(ref: EntityRef, around: Surroundings) -> str:
    """Return the text that means exactly this entity."""
    return _of_names(ref, around.names, around)


def _time_text(scope: Scope, clock: Clock) -> str:
    window = scope.window
    if window is None:
        return "whole session"
    if scope.follow:
        return f"last {length_text(window.end - window.start)}"
    return f"{_instant_text(window.start, clock)} – {_end_text(window, clock)}"


def _end_text(window: TimeRange, clock: Clock) -> str:
    text, start = _instant_text(window.end, clock), _instant_text(window.start, clock)
    day, _, time = text.partition(" ")
    return time if time and start.startswith(f"{day} ") and window.end > window.start else text


def _instant_text(t_ms: int, clock: Clock) -> str:
    """Return date and time; with its distance from UTC where the clock shows the same time twice."""
    if clock.is_repeated(t_ms):
        return clock.iso(t_ms)
    when = clock(t_ms)
    form = "%H:%M:%S" if when.second or when.microsecond else "%H:%M"
    part = f".{when.microsecond // 1000:03}" if when.microsecond else ""
    return f"{when.date().isoformat()} {when.strftime(form)}{part}"


def _of_names(ref: EntityRef, names: Names, around: Surroundings) -> str:
    """Return the first of the ways to name an entity that nothing else has."""
    for text, found in _ways(ref, names, around):
        if found == [ref]:
            return text
    return f"id:{quoted(f'{ref.kind}/{shown(ref.key)}')}"


def _ways(ref: EntityRef, names: Names, around: Surroundings) -> Iterator[tuple[str, list[EntityRef]]]:
    for name in reversed(names.spellings(ref)) if ref.kind != "host" else names.spellings(ref):
        yield _safe(name, around), names.exact(name)
        yield f"{KINDS[ref.kind][0]}:{quoted(name)}", names.called(name, ref.kind)
    above = [one for one in ancestors(ref, names.snapshot, names.window) if one.kind in {"vm", "host"}]
    steps = [names.name(one) for one in reversed(above)]
    if steps:
        own = names.spellings(ref)[-1]
        yield " › ".join(_safe(step, around) for step in [*steps, own]), names.at_path([*steps, own])


def _safe(name: str, around: Surroundings) -> str:
    """Return a name as it is if it can mean nothing else, else in quotes."""
    words = counter_words(around.catalogue, around.limits).phrases
    is_word = name.casefold() in _WORDS or kind_of(name) is not None or name.casefold() in words
    return name if _PLAIN.fullmatch(name) and not is_word else quoted(name)
