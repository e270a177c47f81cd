"""The verdict on a session as it concerns a scope: an all-clear is said only of what was judged in it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from resources.foreign_text import shown
from resources.units import format_count
from sessions.findings import Finding
from sessions.model import EntityRef
from sessions.times import TimeRange
from sessions.verdicts import SeverityCounts, SourceReach, Verdict
from viewmodels.entity_states import PARTS, Judged
from viewmodels.scope_filter import ScopeFilter
from viewmodels.snapshot import Snapshot

OF_THE_SESSION = "Each check below says the worst number of the whole session, whatever is chosen here."
"""A check keeps one number: it may be that of another entity, or of another time, than a scope's."""

_LATER = "what is shown is later than what was judged"
_NAMED = 3
_STOPPED = 2.5
"""Usual intervals without a sample after which a scope's samples have stopped."""


def verdict_in_scope(judged: Judged, filtered: ScopeFilter | None, inside: Sequence[Finding]) -> Verdict:
    """Return the session's verdict with the numbers of the findings ``inside`` the scope.

    It is "judged" only if something in the scope was: one of its entities, in a part of its window. It
    reaches as far as the scope's entities were judged, and is about the sources that measured them.
    """
    verdict = judged.verdict
    if filtered is None or not verdict.is_judged:
        return verdict
    verdict = replace(verdict, counts=SeverityCounts.of(inside))
    refs = _judged_of(judged, filtered) if filtered.chosen else ()
    to = max((judged.reach[ref].to for ref in refs), default=None)
    found = _of_sources(verdict, _sources_of(verdict, refs, filtered.snapshot), to)
    if verdict.counts.troubles or verdict.judged is None:
        return found if found.judged is not None else verdict
    reason = _why_not(verdict.judged, found, filtered, to)
    if reason == _LATER:
        return replace(verdict, state="not judged yet", reason=reason)
    return replace(verdict, state="could not be judged", reason=reason) if reason else found


def covered_in_scope(judged: Judged, filtered: ScopeFilter, verdict: Verdict) -> str:
    """Return what was judged of a scope that is one entity: "looked for 8 of the 9 known problems
    that db can have, in esx01".

    Empty for any other scope: what the verdict on it covers is said as of a session.
    """
    chosen = {_whole(ref, filtered) for ref in filtered.chosen}
    reach = judged.reach.get(next(iter(chosen))) if len(chosen) == 1 else None
    if (
        reach is None
        or not verdict.is_judged
        or any(ref not in chosen and filtered.covers(ref) for ref in judged.reach)
    ):
        return ""
    name = shown(filtered.snapshot.name(next(iter(chosen))), 80)
    where = ", ".join(one.name for one in verdict.judged_sources[:_NAMED])
    problems = f"{format_count(reach.problems)} of the {format_count(reach.of)} known problems"
    return f"looked for {problems} that {name} can have, in {where}"


def _why_not(time: TimeRange, found: Verdict, filtered: ScopeFilter, to: int | None) -> str:
    """Return why nothing of the scope was judged, empty if something was; ``time`` is what was judged at
    all, ``to`` the last time (ms) of which the scope's entities were judged.
    """
    window, end = filtered.window, found.judged_to
    if window is not None and window.start > time.end:
        return _LATER
    if window is not None and window.end < time.start:
        return "there is no sample in what is shown"
    if filtered.chosen and to is None:
        return "known problems need counters that nothing in this scope has"
    if end is None or (window is not None and window.start > end):
        return "nothing in this scope has samples in what is shown"
    return ""


def _judged_of(judged: Judged, filtered: ScopeFilter) -> Collection[EntityRef]:
    """Return the entities of the scope of which something was judged."""
    chosen = {_whole(ref, filtered) for ref in filtered.chosen} & judged.reach.keys()
    return chosen | {ref for ref in judged.reach if filtered.covers(ref)}


def _sources_of(verdict: Verdict, refs: Collection[EntityRef], snapshot: Snapshot) -> Collection[int]:
    """Return the sources that have series of the entities; without any: those that the user looks at, and
    those that gave nothing.
    """
    found = {series.source for ref in refs for series in snapshot.series_of.get(ref, ())}
    silent = {one.source for one in verdict.sources if not one.samples}
    return found or {*snapshot.series_index.count_by_source, *silent}


def _of_sources(verdict: Verdict, sources: Collection[int], to: int | None) -> Verdict:
    """Return the verdict on these sources alone, and up to ``to`` (ms) at most."""
    kept = [_up_to(one, to) for one in verdict.sources if one.source in sources]
    return replace(verdict, sources=tuple(kept))


def _up_to(source: SourceReach, to: int | None) -> SourceReach:
    judged = source.judged
    if to is None or judged is None or judged.end <= to or to < judged.start:
        return source
    usual = (judged.end - judged.start) / max(1, source.samples - 1)
    has_stopped = judged.end - to > _STOPPED * usual
    reason = source.reason or ("nothing in this scope has samples after that" if has_stopped else "")
    return replace(source, judged=TimeRange(judged.start, to), reason=reason)


def _whole(ref: EntityRef, filtered: ScopeFilter) -> EntityRef:
    """Return the VM of a part of it, which is judged with it; any other entity itself."""
    entity = filtered.snapshot.entities.get(ref)
    is_part = ref.kind in PARTS and entity is not None and entity.parent is not None
    return entity.parent if is_part and entity is not None and entity.parent is not None else ref
