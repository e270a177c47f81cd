"""Done, verify: the same checks in a later window, or in another session; before against after.

Like ``judging`` a pure function of readers and windows: on a session that is still written it says how much
is there of what it needs, until there is enough.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property

from diagnosis.comparison import Choice, Side, compare
from diagnosis.comparison.joining import Joining
from diagnosis.comparison.records import Records
from diagnosis.comparison.values import Load
from diagnosis.engine import Focus, Run
from diagnosis.prepared import prepare
from resources.comparison_rules import ComparisonRules, load_comparison_rules
from resources.failures import NotFoundError, UsageError
from resources.foreign_text import shown
from resources.guided_flow import Numbers
from resources.stopping import StopSignal
from sessions.findings import Finding
from sessions.model import EntityRef, SampleSource
from sessions.times import TimeRange, now_ms
from sessions.troubleshooting import (
    AwaitedSamples,
    CheckResult,
    Elsewhere,
    SeenChange,
    Symptom,
    TroubleshootingRun,
    Verification,
    VerifiedNumber,
    VerifyState,
)
from viewmodels.snapshot import Snapshot
from wizards.flows.troubleshooting.changes import around, changes_seen
from wizards.flows.troubleshooting.check_results import Knowledge
from wizards.flows.troubleshooting.enough import awaited_samples, lacking_text
from wizards.flows.troubleshooting.judging import (
    Look,
    PreparedLook,
    context_of,
    knowledge_of,
    look_into,
    prepared_for,
)
from wizards.flows.troubleshooting.outcomes import (
    Circumstances,
    Conclusion,
    checked_again,
    conclusion,
    confidence_of,
)
from wizards.flows.troubleshooting.steps import ticked
from wizards.flows.troubleshooting.surroundings import surroundings_of
from wizards.flows.troubleshooting.verified_numbers import judged_load, measured_again

_MOST_ELSEWHERE = 10


@dataclass(frozen=True, slots=True)
class Session:
    """A session to look into: its samples, and everything else in it. ``name`` is its file's."""

    samples: SampleSource
    snapshot: Snapshot
    name: str = ""


@dataclass(frozen=True, slots=True)
class Told:
    """A change that the admin tells of: what was done, when (ms; None: before the later window)."""

    what: str
    at: int | None = None
    by: str = ""


def verify(
    session: Session,
    run: TroubleshootingRun,
    after: TimeRange | None = None,
    *,
    other: Session | None = None,
    told: Told | None = None,
    knowledge: Knowledge | None = None,
    elsewhere: bool = True,
    cancel: StopSignal | None = None,
) -> Verification:
    """Judge a run's checks again, in ``after`` (default: what was recorded since the change, or the whole
    ``other`` session).

    Raises UsageError if the windows overlap, NotFoundError if the other session has no such entity.
    """
    return _Verifying(session, run, other, told, knowledge or knowledge_of(), cancel).result(after, elsewhere)


class _Verifying:
    """One verification in the making."""

    def __init__(
        self,
        session: Session,
        run: TroubleshootingRun,
        other: Session | None,
        told: Told | None,
        knowledge: Knowledge,
        cancel: StopSignal | None,
    ) -> None:
        self._session, self._run, self._other, self._told = session, run, other, told
        self._knowledge, self._cancel = knowledge, cancel
        self._later = other or session
        self._symptom = run.symptom
        self._numbers = knowledge.flow.numbers

    def result(self, after: TimeRange | None, elsewhere: bool) -> Verification:
        span = self._later.snapshot.span
        if span is None:
            raise NotFoundError("The later session has no samples.", meaning="There is nothing to compare.")
        before = _look(self._session, self._symptom, self._knowledge, self._cancel)
        problem = self._problem_time(before.run)
        changes = self._changes(before, TimeRange(problem.start, max(span.end, problem.start)))
        before = self._up_to_the_change(before, changes)
        problem = self._problem_time(before.run)
        window = self._after(after, problem, changes, span)
        needs = self._numbers.verify_s.value
        has = 0.0 if window is None else _recorded_s(self._later, self._entity_later(), window)
        is_awaited = after is None and self._is_growing
        prepared = self._prepared_later(window, problem, span)
        begins = _begins(self._symptom, problem, changes, self._numbers)
        samples = awaited_samples(
            prepared[0], before.run.checks, window, self._knowledge,
            since=begins if window is None else window.start,
            partners=self._partners, is_growing=is_awaited,
        )  # fmt: skip
        least = needs if is_awaited else self._numbers.verify_least_s.value
        is_enough = has >= least if samples is None else samples.is_enough
        # Of a change that was made just now the recording may not tell yet: without one nothing is judged.
        is_made = not is_awaited or changes or self._other is not None
        if window is None or not is_enough or not is_made:
            return self._early(problem, window, changes, samples)
        later = self._look_later(window, prepared)
        load = judged_load(
            self._load(before.run, problem, window, changes), *_not_load(before.run, self._knowledge)
        )
        where = Circumstances(
            changes,
            load,
            window,
            round(self._numbers.change_before_s.value * 1000),
            round(self._numbers.settle_s.value * 1000),
            round(self._numbers.verify_least_s.value * 1000),
            self._other is not None,
            _undone(before.run, changes, self._knowledge),
        )
        partners = self._partners
        found_before = [one for one in before.run.checks if one.is_found]
        looks, windows = (before, later), (problem, window)
        numbers = {
            one.problem: measured_again(one, looks, windows, partners, self._knowledge)
            for one in found_before
        }
        at_load = {
            one.problem: measured_again(one, looks, windows, partners, self._knowledge, load.no_more)
            for one in found_before
            if load.no_more
        }
        again = tuple(
            checked_again(
                one, now, next(iter(numbers.get(one.problem, ())), None), where,
                _following(one, before.run, later.run), next(iter(at_load.get(one.problem, ())), None),
            )
            for one in before.run.checks
            if (now := later.run.check(one.problem)) is not None
        )  # fmt: skip
        found = conclusion(before.run.checks, again)
        return Verification(
            at=now_ms(),
            state="done",
            before=problem,
            after=window,
            outcome=found.outcome,
            confidence=confidence_of(found, where, has, needs, problem),
            because=found.because,
            load=load.text,
            same_load=load.same,
            has_s=has,
            needs_s=needs,
            changes=changes,
            checks=again,
            checked=later.run.checks,
            numbers=(*_numbers_of(found, numbers), *load.numbers),
            elsewhere=self._worse_elsewhere(later, problem, window) if elsewhere else (),
            session=self._other.name if self._other else "",
        )

    def _look_before(self, symptom: Symptom) -> Look:
        return look_into(
            self._session.samples, self._session.snapshot, symptom, self._knowledge, self._cancel
        )

    def _up_to_the_change(self, before: Look, changes: tuple[SeenChange, ...]) -> Look:
        """The look before the change: of a symptom that goes on until now, without the time since the change.

        That time is judged as the later one. A change that leaves nothing before it parts nothing.
        """
        window = self._symptom.window
        if self._other is not None or not changes or changes[-1].at >= window.end:
            return before
        if changes[-1].at <= window.start:
            return before
        symptom = replace(self._symptom, window=TimeRange(window.start, changes[-1].at))
        cut = _look(self._session, symptom, self._knowledge, self._cancel)
        return cut if cut.run.worst is not None else before

    @property
    def _is_growing(self) -> bool:
        return self._later.snapshot.recording

    @property
    def _rules(self) -> ComparisonRules:
        return load_comparison_rules(self._knowledge.catalogue)

    def _problem_time(self, run: TroubleshootingRun) -> TimeRange:
        """When the worst problem was there, within the symptom's window."""
        whole, worst = self._symptom.window, run.worst
        parts = [part for one in (worst.windows if worst else ()) if (part := one.intersect(whole))]
        if not parts:
            return whole
        return TimeRange(min(one.start for one in parts), max(one.end for one in parts))

    def _changes(self, before: Look, when: TimeRange) -> tuple[SeenChange, ...]:
        """What was changed after the problem had begun; a change that began it did not end it."""
        where = around(before.surroundings, before.prepared.topology)
        begun = when.start + round(self._numbers.least_overlap_s.value * 1000)
        found: tuple[SeenChange, ...] = ()
        if begun <= when.end:
            flow, kinds = self._knowledge.flow, self._knowledge.problems.changes
            since = TimeRange(begun, when.end)
            found = changes_seen(self._session.samples, where, since, flow, kinds)
        if self._other is not None:
            found += self._other_settings()
        if self._told is not None:
            at = self._told.at if self._told.at is not None else self._symptom.window.end
            what = self._told.what or "the change that was told of"
            found += (SeenChange(at, what, None, "", self._told.by, told=True),)
        return tuple(sorted(found, key=lambda one: one.at))

    def _other_settings(self) -> tuple[SeenChange, ...]:
        """Settings of the symptom's entity that differ in the other session."""
        assert self._other is not None
        mine, others = Records(self._session.samples), Records(self._other.samples)
        ref, partner = self._symptom.entity, self._entity_later()
        span = self._other.snapshot.span
        at = span.start if span else 0
        found = []
        for name in sorted({*mine.fact_names(ref)} & {*others.fact_names(partner)}):
            old, new = mine.fact(ref, name, self._symptom.window.end), others.fact(partner, name, at)
            if old != new and name not in self._knowledge.flow.identity_facts:
                found.append(
                    SeenChange(at, f"{name.replace('_', ' ')}: {old} → {new}", partner, self._symptom.name)
                )
        return tuple(found)

    def _after(
        self,
        asked: TimeRange | None,
        problem: TimeRange,
        changes: tuple[SeenChange, ...],
        span: TimeRange,
    ) -> TimeRange | None:
        """The later window; None while there is none yet."""
        if asked is not None:
            if self._other is None and asked.start <= problem.end and asked.end >= problem.start:
                raise UsageError(
                    "The window after the change overlaps the time of the problem.",
                    advice="Choose one that begins when the change was made.",
                )
            inside = asked.intersect(span)
            if inside is None:
                raise NotFoundError(
                    "The session has nothing in the window after the change.",
                    advice="'hyperscope info' says what time it covers.",
                )
            return inside
        if self._other is not None:
            return span
        begin = _begins(self._symptom, problem, changes, self._numbers)
        return TimeRange(begin, span.end) if begin < span.end else None

    def _early(
        self,
        problem: TimeRange,
        window: TimeRange | None,
        changes: tuple[SeenChange, ...],
        samples: AwaitedSamples | None,
    ) -> Verification:
        needs = self._numbers.verify_s.value
        state: VerifyState = "too early" if changes or self._other is not None else "waiting for the change"
        if state == "too early":
            text = lacking_text(samples, needs, is_growing=self._is_growing)
        elif self._is_growing:
            text = "No change was seen yet. Make it, then the checks run again; or say that it was made."
        else:
            text = (
                "No change was seen after the problem began, and the recording has ended. Say that it was "
                "made, choose the time after it, or give another session."
            )
        return Verification(
            now_ms(), state, problem, window, None, "none", text, "", None,
            0.0 if window is None else window.seconds, needs, changes, samples=samples,
        )  # fmt: skip

    def _entity_later(self) -> EntityRef:
        """The symptom's entity in the later session."""
        ref = self._symptom.entity
        if self._other is None:
            return ref
        found = (self._partners or {}).get(ref)
        if found is None:
            raise NotFoundError(
                f"The other session has no {shown(self._symptom.name)}.",
                meaning="The sessions are of different hosts, or it has another name and identity there.",
            )
        return found

    @cached_property
    def _partners(self) -> dict[EntityRef, EntityRef] | None:
        """Which entity of the other session is which; None within one session."""
        if self._other is None:
            return None
        sides = [Records(one.samples) for one in (self._session, self._other)]
        joining = Joining(
            sides[0], sides[1], [*sides[0].entities], [*sides[1].entities], is_one_session=False
        )
        return {a: partner.ref for a, partner in joining.partners.items()}

    def _symptom_later(self, window: TimeRange) -> Symptom:
        normal = self._symptom.normal if self._other is None else None
        return replace(self._symptom, entity=self._entity_later(), window=window, normal=normal)

    def _prepared_later(self, window: TimeRange | None, problem: TimeRange, span: TimeRange) -> PreparedLook:
        """What the later time is judged from; without such a time yet, what is there until now."""
        at = window or TimeRange(min(problem.end, span.end), span.end)
        later = self._later
        return prepared_for(later.samples, later.snapshot, self._symptom_later(at), self._knowledge)

    def _look_later(self, window: TimeRange, prepared: PreparedLook) -> Look:
        return look_into(
            self._later.samples, self._later.snapshot, self._symptom_later(window), self._knowledge,
            self._cancel, prepared,
        )  # fmt: skip

    def _load(
        self, run: TroubleshootingRun, before: TimeRange, after: TimeRange, changes: tuple[SeenChange, ...]
    ) -> Load:
        """The load of the symptom's entity: of a host or datastore that of its VMs, without those that were
        changed.
        """
        later = self._entity_later()
        entities = {self._symptom.entity}, {later}
        if self._symptom.entity.kind != "vm":
            changed = {one.entity for one in changes if one.entity is not None}
            vms = {
                ref
                for ref in surroundings_of(self._session.snapshot, self._symptom.entity, before)
                if ref.kind == "vm" and ref not in changed
            }
            partners = self._partners
            if vms:
                entities = vms, vms if partners is None else {partners[one] for one in vms if one in partners}
        counters = self._rules.load_counters
        found = compare(
            Side(self._session.samples, before, _between_bursts(run, before, self._knowledge)),
            Side(self._later.samples, after),
            Choice(entities, lambda key: key in counters),
            (self._knowledge.catalogue, self._knowledge.problems, self._rules),
            cancel=self._cancel,
        )
        return found.load

    def _worse_elsewhere(self, later: Look, problem: TimeRange, window: TimeRange) -> tuple[Elsewhere, ...]:
        """Problems of others that are there only in the later window."""
        partners = self._partners
        if partners is None:
            findings = self._all(self._session, TimeRange(problem.start, window.end))
            had = {(one.problem, one.entity) for one in findings if self._reaches(one, problem)}
            now = [one for one in findings if self._reaches(one, window)]
        else:
            earlier = self._all(self._session, problem)
            had = {(one.problem, partners.get(one.entity, one.entity)) for one in earlier}
            now = self._all(self._later, window)
        found = [
            one
            for one in now
            if one.severity != "info"
            and one.consequence_of is None
            and one.entity not in later.surroundings
            and (one.problem, one.entity) not in had
        ]
        return tuple(
            Elsewhere(one.problem, one.title, one.severity, one.entity, one.entity_name, one.conclusion)
            for one in found[:_MOST_ELSEWHERE]
        )

    def _reaches(self, finding: Finding, window: TimeRange) -> bool:
        return Focus(window, self._numbers.least_overlap_s.value).has(finding)

    def _all(self, session: Session, window: TimeRange) -> list[Finding]:
        """Findings of everything in the session, in a window."""
        symptom = Symptom(self._symptom.entity, "", "", window)
        context = context_of(symptom, self._knowledge.flow, session.snapshot.span)
        prepared = prepare(session.samples, self._knowledge.problems, context)
        focus = Focus(window, self._numbers.least_overlap_s.value)
        run = Run(prepared, self._knowledge.catalogue, cancel=self._cancel, focus=focus)
        return list(run.run().findings)


def _begins(symptom: Symptom, problem: TimeRange, changes: tuple[SeenChange, ...], numbers: Numbers) -> int:
    """When the time after the change begins: what follows it at once is not judged."""
    changed = max((one.at for one in changes), default=max(symptom.window.end, problem.end))
    return changed + round(numbers.settle_s.value * 1000)


def _look(session: Session, symptom: Symptom, knowledge: Knowledge, cancel: StopSignal | None) -> Look:
    return look_into(session.samples, session.snapshot, symptom, knowledge, cancel)


def _not_load(run: TroubleshootingRun, knowledge: Knowledge) -> tuple[Collection[str], bool]:
    """The parts of the load that the worst problem changes itself, and whether it only takes them away."""
    worst = run.worst
    row = knowledge.flow.row_of.get(worst.problem) if worst else None
    if row is None or worst is None:
        return (), False
    return row.not_load, worst.problem in row.takes_away


def _undone(run: TroubleshootingRun, changes: tuple[SeenChange, ...], knowledge: Knowledge) -> frozenset[str]:
    """The problems for which the setting that a step is about was seen to change."""
    checks = (ticked(one, changes, knowledge.ways) for one in run.checks if one.is_found)
    return frozenset(one.problem for one in checks if any(step.seen for step in one.steps))


def _between_bursts(
    run: TroubleshootingRun, problem: TimeRange, knowledge: Knowledge
) -> tuple[TimeRange, ...]:
    """Return the bursts of a problem that comes and goes: they are no load that is compared."""
    worst, numbers = run.worst, knowledge.flow.numbers
    bursts = [] if worst is None else [p for one in worst.windows if (p := one.intersect(problem))]
    calm = problem.seconds - sum(one.seconds for one in bursts)
    if len(bursts) < numbers.bursts_least.value or calm < numbers.calm_part.value * problem.seconds:
        return ()
    return tuple(bursts)


def _following(
    check: CheckResult, before: TroubleshootingRun, later: TroubleshootingRun
) -> list[tuple[CheckResult, CheckResult]]:
    """The checks that follow from one, before and after."""
    own = [
        one for one in before.checks if one.follows_from is not None and one.follows_from[0] == check.problem
    ]
    return [(one, now) for one in own if (now := later.check(one.problem)) is not None]


def _numbers_of(found: Conclusion, numbers: dict[str, list[VerifiedNumber]]) -> list[VerifiedNumber]:
    return numbers.get(found.main.problem, []) if found.main is not None else []


def _recorded_s(session: Session, ref: EntityRef, window: TimeRange) -> float:
    """How much of a window was recorded of an entity, by the source that has most of it."""
    of_it = {one.source for one in session.samples.series() if one.entity == ref}
    covered = [
        session.samples.times(one.id, window).size * one.spec.interval_s
        for one in session.snapshot.sources
        if one.id in of_it and one.spec.interval_s
    ]
    return min(window.seconds, max(covered, default=window.seconds))
