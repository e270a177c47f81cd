"""The verdict on a session as it concerns a scope: an all-clear is said only of what was judged in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sessions.findings import Finding
from sessions.model import EntityRef
from sessions.verdicts import SeverityCounts, Verdict
from viewmodels.entity_states import PARTS, Judged
from viewmodels.scope_filter import ScopeFilter


def verdict_in_scope(judged: Judged, filtered: ScopeFilter | None, inside: Sequence[Finding]) -> Verdict:
    """Return the session's verdict with the numbers of the findings ``inside`` the scope.

    It is "judged" only if something in the scope was: one of its entities, and a part of its window.
    """
    verdict = judged.verdict
    if filtered is None or not verdict.is_judged:
        return verdict
    verdict = replace(verdict, counts=SeverityCounts.of(inside))
    time, window = verdict.judged, filtered.window
    if verdict.counts.troubles or time is None:
        return verdict
    if window is not None and window.start > time.end:
        return replace(verdict, state="not judged yet", reason="what is shown is later than what was judged")
    if window is not None and window.end < time.start:
        return replace(verdict, state="could not be judged", reason="there is no sample in what is shown")
    if filtered.chosen and not _is_any_judged(judged, filtered):
        reason = "known problems need counters that nothing in this scope has"
        return replace(verdict, state="could not be judged", reason=reason)
    return verdict


def _is_any_judged(judged: Judged, filtered: ScopeFilter) -> bool:
    chosen = {_whole(ref, filtered) for ref in filtered.chosen}
    if any(ref in judged.reach for ref in chosen):
        return True
    return any(filtered.covers(ref) for ref in judged.reach)


def _whole(ref: EntityRef, filtered: ScopeFilter) -> EntityRef:
    """Return the VM of a part of it, which is judged with it; any other entity itself."""
    entity = filtered.snapshot.entities.get(ref)
    is_part = ref.kind in PARTS and entity is not None and entity.parent is not None
    return entity.parent if is_part and entity is not None and entity.parent is not None else ref
