"""Runs the guided troubleshooting over a session: a pure function of the reader and the symptom's times.

It works on a session that is still being written as on a finished one: called again with a later end it gives
what holds then.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from diagnosis.check_curves import CheckCurve, check_curves
from diagnosis.engine import Diagnosis, Focus, Run
from diagnosis.prepared import Prepared, prepare
from resources.catalogue import load_catalogue
from resources.failures import NotFoundError
from resources.guided_flow import Flow, Row, load_flow, load_ways
from resources.problem_cards import Problems, load_problems
from resources.stopping import StopSignal
from resources.units import format_duration
from sessions.model import EntityRef, SampleSource
from sessions.times import TimeRange, now_ms
from sessions.troubleshooting import (
    CheckResult,
    RowResult,
    SeenChange,
    Symptom,
    TroubleshootingRun,
    ranked,
)
from sessions.verdict_wording import source_limits, thresholds_of
from sessions.verdicts import Verdict
from viewmodels.snapshot import Snapshot
from wizards.flows.troubleshooting.changes import around, changes_seen
from wizards.flows.troubleshooting.check_results import Judged, Knowledge, check_results
from wizards.flows.troubleshooting.measured_words import measured_text
from wizards.flows.troubleshooting.steps import ticked
from wizards.flows.troubleshooting.surroundings import surroundings_of

_FIRST = 1

PreparedLook = tuple[Prepared, frozenset[EntityRef]]
"""What the checks of a symptom are computed from, and the entities around it."""


@dataclass(frozen=True, slots=True)
class Look:
    """A run with what it was computed from, so that its curves can be read. Use it in the thread that made
    it, while the session's reader is open.
    """

    run: TroubleshootingRun
    diagnosis: Diagnosis
    prepared: Prepared
    surroundings: frozenset[EntityRef]

    def curves(self, problem: str, ref: EntityRef | None = None) -> list[CheckCurve]:
        """Return the numbers of a check over time, the one that it is told by first: of the entity that the
        run names, or of another one of its surroundings.
        """
        check = self.run.check(problem)
        of = ref or (check.entity if check is not None else None)
        return [] if of is None else check_curves(self.prepared, load_catalogue(), problem, of)


def knowledge_of(problems: Problems | None = None) -> Knowledge:
    """Return the shipped knowledge, with these problem cards (an admin's own limits) instead of the shipped
    ones.
    """
    return Knowledge(load_flow(), load_ways(), problems or load_problems(), load_catalogue())


def symptom_of(
    snapshot: Snapshot,
    ref: EntityRef,
    *,
    since: int | None = None,
    until: int | None = None,
    noticed: str = "slow",
    normal: TimeRange | None = None,
) -> Symptom:
    """Return the symptom with the sensible answers for what was not said: the whole session, and as normal
    the time before. Times are ms. Raises NotFoundError if the session has nothing in that time.
    """
    span = snapshot.span
    if span is None:
        raise NotFoundError("The session has no samples.", meaning="There is nothing to look at.")
    first, last = since if since is not None else span.start, until if until is not None else span.end
    window = TimeRange(min(first, last), max(first, last)).intersect(span)
    if window is None:
        raise NotFoundError(
            "The session has nothing in that time.", advice="'hyperscope info' says what time it covers."
        )
    if normal is None and window.start > span.start:
        length = round(load_flow().numbers.normal_s.value * 1000)
        normal = TimeRange(max(span.start, window.start - length), window.start - _FIRST)
    return Symptom(ref, snapshot.name(ref), noticed, window, normal)


def prepared_for(
    session: SampleSource, snapshot: Snapshot, symptom: Symptom, knowledge: Knowledge
) -> PreparedLook:
    """Return what the checks of a symptom are computed from, which is enough for their curves, and the
    entities around it.
    """
    only = surroundings_of(snapshot, symptom.entity, symptom.window)
    context = context_of(symptom, knowledge.flow, snapshot.span)
    return prepare(session, knowledge.problems, context, only), only


def look_into(
    session: SampleSource,
    snapshot: Snapshot,
    symptom: Symptom,
    knowledge: Knowledge | None = None,
    cancel: StopSignal | None = None,
    prepared_look: PreparedLook | None = None,
) -> Look:
    """Run all checks on a symptom. Raises CancelledError when ``cancel`` is set.

    ``prepared_look`` is what ``prepared_for`` gives for it, if somebody has that already.
    """
    begun = time.perf_counter()
    known = knowledge or knowledge_of()
    prepared, only = prepared_look or prepared_for(session, snapshot, symptom, known)
    focus = Focus(symptom.window, known.flow.numbers.least_overlap_s.value)
    judging = Run(prepared, known.catalogue, cancel=cancel, focus=focus)
    diagnosis = judging.run()
    gaps = _gaps(snapshot, symptom.window, prepared, only)
    judged = Judged(diagnosis, judging.outside, prepared.topology, only, gaps)
    checks = check_results(judged, symptom, known)
    changes = _changes(session, prepared, only, symptom, checks, known)
    checks = tuple(ticked(one, changes, known.ways) for one in checks)
    rows = tuple(_row(row, checks, known.flow) for row in known.flow.rows)
    verdict = diagnosis.verdict
    run = TroubleshootingRun(
        number=_FIRST,
        at=now_ms(),
        symptom=symptom,
        judged_to=None if verdict.judged_to is None else min(verdict.judged_to, symptom.window.end),
        rows=rows,
        checks=checks,
        limits=_limits(verdict, prepared, only),
        changes=changes,
        took_s=round(time.perf_counter() - begun, 3),
    )
    return Look(run, diagnosis, prepared, only)


def _limits(verdict: Verdict, prepared: Prepared, only: frozenset[EntityRef]) -> tuple[str, ...]:
    """What limits the checks besides what each of them says: sources of the surroundings that were not judged
    to the end, checks that were judged for a part of the entities, and whose numbers judged.
    """
    here = {one.id for one in prepared.sources if not only.isdisjoint(prepared.topology.entities_in(one.id))}
    sources = tuple(one for one in verdict.sources if one.source in here)
    partial = [f"Judged in part: {one.title}: {one.reason}." for one in verdict.partial_checks]
    return (*partial, *source_limits(replace(verdict, sources=sources)), *thresholds_of(verdict))


def _gaps(snapshot: Snapshot, window: TimeRange, prepared: Prepared, only: frozenset[EntityRef]) -> str:
    """Return which sources of the surroundings have gaps in a window, and how long they are together."""
    lost: dict[int, float] = {}
    for gap in snapshot.gaps:
        part = TimeRange(gap.start, gap.end).intersect(window)
        if part is not None and (gap.entity is None or gap.entity in only):
            lost[gap.source] = max(lost.get(gap.source, 0.0), part.seconds)
    names = {one.id: one.spec.name for one in prepared.sources}
    here = {number for number in lost if not only.isdisjoint(prepared.topology.entities_in(number))}
    return ", ".join(f"{names[one]}: {format_duration(lost[one])} gap" for one in sorted(here & names.keys()))


def _changes(
    session: SampleSource,
    prepared: Prepared,
    only: frozenset[EntityRef],
    symptom: Symptom,
    checks: Sequence[CheckResult],
    known: Knowledge,
) -> tuple[SeenChange, ...]:
    """What was changed around the symptom since the first problem began."""
    begun = min((window.start for one in checks if one.is_found for window in one.windows), default=None)
    if begun is None or begun >= symptom.window.end:
        return ()
    since = TimeRange(begun, symptom.window.end)
    where = around(only, prepared.topology)
    return changes_seen(session, where, since, known.flow, known.problems.changes)


def context_of(symptom: Symptom, flow: Flow, span: TimeRange | None) -> TimeRange:
    """Return the time that is read for a symptom: its own, what was normal, and some before it."""
    first = symptom.window.start - round(flow.numbers.context_s.value * 1000)
    if symptom.normal is not None:
        first = min(first, symptom.normal.start)
    whole = TimeRange(min(first, symptom.window.start), symptom.window.end)
    return (whole.intersect(span) or symptom.window) if span else symptom.window


def _row(row: Row, checks: Sequence[CheckResult], flow: Flow) -> RowResult:
    own = [one for one in checks if one.row == row.id]
    applying = [one for one in own if one.verdict != "not applicable"]
    # Where nothing was found the row is told by its own question, the first one that something here can have:
    # another one that was judged would hide that this one was not.
    leading = next(iter([*ranked(own), *applying, *own]))
    return RowResult(
        row.id,
        row.title,
        row.group,
        row.guide,
        leading.verdict,
        _measured(leading, checks, flow),
        leading.problem,
        tuple(row.problems),
    )


def _measured(check: CheckResult, checks: Sequence[CheckResult], flow: Flow) -> str:
    if check.follows_from is not None:
        above = next((one for one in checks if one.problem == check.follows_from[0]), None)
        return f"follows from: {above.title if above else check.follows_from[1]}"
    return measured_text(check, flow)
