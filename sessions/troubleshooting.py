"""A run of the guided troubleshooting and its verification, as values that are kept in the session.

A symptom of an entity is looked into by checks. Each check is one problem that was looked for; checks of one
question of the guide are one row. A verification judges the same checks again, in a later window.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import msgspec

from sessions.findings import CauseVerdict, Evidence, Severity
from sessions.model import EntityRef, Event
from sessions.times import TimeRange
from sessions.verdicts import CheckNumber, CheckVerdict, Seconds

CheckGroup = Literal["first", "definite", "probable", "later"]
"""First (can the rest be trusted), definitely hurts, probably hurts, may hurt later."""

Outcome = Literal["fixed", "better", "unchanged", "worse", "can't tell"]
VerifyState = Literal["waiting for the change", "too early", "done"]
Confidence = Literal["high", "medium", "indicative", "none"]

CheckOutcome = Literal[
    "fixed", "better", "unchanged", "worse", "can't tell", "ended by itself", "new", "not found"
]
"""``new``: found only after the change; ``not found``: neither before nor after."""

VERDICT_SYMBOLS: dict[CheckVerdict, str] = {
    "problem": "▲",
    "suspected": "◆",
    "not found": "●",
    "insufficient data": "○",
    "not applicable": "–",
}
"""How a verdict is drawn, everywhere."""

Count = Annotated[int, msgspec.Meta(ge=1, le=1 << 53)]
"""The number of a run; a stored one, which may be forged, is refused with any other number."""


@dataclass(frozen=True, slots=True)
class Symptom:
    """What somebody noticed: of which entity, what (an id of the flow: ``slow``), from when to when (ms).

    ``normal`` is a time when all was well, None where none is known.
    """

    entity: EntityRef
    name: str
    noticed: str
    window: TimeRange
    normal: TimeRange | None = None


@dataclass(frozen=True, slots=True)
class RuleLine:
    """One line of a check's rule: what was measured against which limit, and whether the line holds.

    ``holds`` is None for a number without a limit, which is shown only as context. ``is_below``: values under
    the limit are the bad ones. ``source`` is where the limit comes from.
    """

    what: str
    value: float
    limit: float | None
    unit: str
    holds: bool | None
    is_below: bool = False
    source: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to do about a problem.

    ``if_so`` is the title of a cause that is only possible: the step is for the case that it is the one.
    ``client`` is the path in the vSphere Client, ``powercli`` and ``esxcli`` are lines to copy; each is empty
    where there is none. ``seen`` tells of an event or a setting by which it was done already, at ``seen_at``
    (ms).
    """

    text: str
    cause: str
    if_so: str = ""
    client: str = ""
    powercli: str = ""
    esxcli: str = ""
    source: str = ""
    seen: str = ""
    seen_at: int | None = None


@dataclass(frozen=True, slots=True)
class FoundOn:
    """Another entity of the scope with the same problem."""

    entity: EntityRef
    name: str
    severity: Severity
    conclusion: str


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What came of looking for one problem.

    ``because`` is a sentence with the number and its limit, or with why it could not be judged. ``entity`` is
    the one that the numbers are of; None where there is none. ``evidence`` are the numbers as findings have
    them, ``rule`` is the same as lines to read. ``follows_from`` names the problem, its title and its entity
    that explain this one; ``share`` is the part of the time that the condition held. ``lasted_s`` is how long
    it held within the symptom's window. ``get`` says how to get the data that are missing, ``earlier`` is
    when it was a problem only outside of the symptom's window. ``fits``: what was noticed points to its row.
    """

    problem: str
    title: str
    row: str
    group: CheckGroup
    verdict: CheckVerdict
    because: str
    looked_at: str
    entity: EntityRef | None = None
    name: str = ""
    severity: Severity | None = None
    number: CheckNumber | None = None
    rule: tuple[RuleLine, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    windows: tuple[TimeRange, ...] = ()
    lasted_s: float = 0.0
    share: float = 0.0
    score: float = 0.0
    causes: tuple[CauseVerdict, ...] = ()
    steps: tuple[Step, ...] = ()
    follows_from: tuple[str, str, EntityRef, str] | None = None
    changes: tuple[Event, ...] = ()
    notes: tuple[str, ...] = ()
    also: tuple[FoundOn, ...] = ()
    earlier: tuple[TimeRange, ...] = ()
    get: str = ""
    fits: bool = False

    @property
    def is_found(self) -> bool:
        """True for a problem, and for what is suspected."""
        return self.verdict in ("problem", "suspected")


@dataclass(frozen=True, slots=True)
class RowResult:
    """A row of the guide: the verdict over its checks, and the problem that it is told by.

    ``measured`` is the short text beside its title: "33.8 of 10 %", "in no pool", "follows from the next".
    ``problems`` are those of its checks, in order.
    """

    id: str
    title: str
    group: CheckGroup
    guide: str
    verdict: CheckVerdict
    measured: str
    leading: str
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Note:
    """What the admin wrote down, when (ms), and who."""

    at: int
    text: str
    by: str = ""


@dataclass(frozen=True, slots=True)
class SeenChange:
    """A change that was seen, or that the admin told of (``told``).

    ``setting`` is the fact or the counter that shows it; empty for an event.
    """

    at: int
    what: str
    entity: EntityRef | None
    name: str
    by: str = ""
    told: bool = False
    setting: str = ""


@dataclass(frozen=True, slots=True)
class VerifiedNumber:
    """A number before and after. ``interval`` is that of the difference, None with too few samples.

    ``judged`` is "better" or "worse" where the direction has a meaning, "~" for no real difference, else
    "to know".
    """

    what: str
    name: str
    unit: str
    before: float
    after: float
    difference: float
    interval: tuple[float, float] | None
    judged: Literal["better", "worse", "~", "to know", "undecided"]


@dataclass(frozen=True, slots=True)
class CheckedAgain:
    """One check before and after the change. ``at`` (ms) is when a problem ended, None if it did not."""

    problem: str
    title: str
    row: str
    before: CheckVerdict
    after: CheckVerdict
    outcome: CheckOutcome
    because: str
    value_before: float | None = None
    value_after: float | None = None
    limit: float | None = None
    unit: str = ""
    ended_at: int | None = None
    number: VerifiedNumber | None = None


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A problem of something outside the scope that is there only after the change."""

    problem: str
    title: str
    severity: Severity
    entity: EntityRef
    name: str
    conclusion: str


@dataclass(frozen=True, slots=True)
class AwaitedSamples:
    """How many samples there are after a change of what decides, of how many: of the number ``what`` of the
    entity ``name``, which ``source`` gives every ``interval_s`` seconds.

    ``last`` (ms) is the source's newest sample; they count from ``since`` (ms) on. ``is_late``: others have
    gone on without it. ``is_growing``: more of them will come.
    """

    what: str
    name: str
    source: str
    has: Count
    needs: Count
    interval_s: Seconds
    last: int
    since: int
    is_late: bool = False
    is_growing: bool = True

    @property
    def is_enough(self) -> bool:
        """True if the checks can be judged."""
        return self.has >= self.needs

    @property
    def lacks_s(self) -> float:
        """How many seconds of samples are lacking."""
        return max(0, self.needs - self.has) * self.interval_s

    @property
    def due(self) -> int:
        """When (ms) there are enough, if the source goes on."""
        return max(self.last, self.since) + round(self.lacks_s * 1000)


@dataclass(frozen=True, slots=True)
class Verification:
    """Did the fix work? The same checks in a later window.

    ``outcome`` is None until ``state`` is "done". ``because`` is the sentence, ``same_load`` None where it is
    undecided or nothing measured the load. ``checks`` are those of the run, ``checked`` those as they are
    now. ``session`` is the name of the other session, if the window is of another one. ``has_s`` of
    ``needs_s`` seconds have been recorded after the change. ``samples`` are those of the check that waits the
    longest, until it is done.
    """

    at: int
    state: VerifyState
    before: TimeRange
    after: TimeRange | None
    outcome: Outcome | None
    confidence: Confidence
    because: str
    load: str
    same_load: bool | None
    has_s: float
    needs_s: float
    changes: tuple[SeenChange, ...] = ()
    checks: tuple[CheckedAgain, ...] = ()
    checked: tuple[CheckResult, ...] = ()
    numbers: tuple[VerifiedNumber, ...] = ()
    elsewhere: tuple[Elsewhere, ...] = ()
    session: str = ""
    samples: AwaitedSamples | None = None


@dataclass(frozen=True, slots=True)
class TroubleshootingRun:
    """One guided run. ``number`` counts the runs of a session from 1; a run with the same number replaces the
    earlier one. ``judged_to`` (ms) is the time of the last sample that was judged, None if none was.

    ``limits`` say what was not judged and why, a sentence each. ``changes`` are those that were seen around
    it since the first problem began. ``took_s`` is how long the checks took.
    """

    number: Count
    at: int
    symptom: Symptom
    judged_to: int | None
    rows: tuple[RowResult, ...]
    checks: tuple[CheckResult, ...]
    limits: tuple[str, ...] = ()
    changes: tuple[SeenChange, ...] = ()
    notes: tuple[Note, ...] = ()
    verifications: tuple[Verification, ...] = ()
    took_s: float = 0.0

    def check(self, problem: str) -> CheckResult | None:
        """Return the check for a problem; None if the run has none."""
        return next((one for one in self.checks if one.problem == problem), None)

    def times(self) -> list[int]:
        """Return all times (ms) that it tells."""
        ranges = [self.symptom.window, *([self.symptom.normal] if self.symptom.normal else ())]
        found = [self.at, *([] if self.judged_to is None else [self.judged_to])]
        found += [note.at for note in self.notes] + [change.at for change in self.changes]
        checks = list(self.checks)
        for one in self.verifications:
            ranges += [one.before, *([one.after] if one.after else ())]
            found += [one.at, *(change.at for change in one.changes)]
            found += [again.ended_at for again in one.checks if again.ended_at is not None]
            samples = one.samples
            found += [samples.last, samples.since, samples.due] if samples is not None else []
            checks += one.checked
        for check in checks:
            ranges += [*check.windows, *check.earlier]
            found += [at for event in check.changes for at in (event.at, event.until)]
            found += [step.seen_at for step in check.steps if step.seen_at is not None]
        return found + [at for one in ranges for at in (one.start, one.end)]

    @property
    def worst(self) -> CheckResult | None:
        """The check that the page opens on: cause before symptom; None if nothing was found."""
        return next(iter(ranked(self.checks)), None)


_SEVERITY = {"critical": 0, "warning": 1, "info": 2, None: 3}


def ranked(checks: Iterable[CheckResult]) -> Sequence[CheckResult]:
    """Return what was found or is suspected, worst first; what follows from something else comes after."""
    found = [one for one in checks if one.is_found]
    return sorted(
        found,
        key=lambda one: (
            one.verdict != "problem",
            one.follows_from is not None,
            _SEVERITY[one.severity],
            not one.fits,
            -one.score,
        ),
    )


def current_runs_of(written: Iterable[TroubleshootingRun]) -> list[TroubleshootingRun]:
    """Return the last version of each run, in the order of their numbers."""
    runs = {one.number: one for one in written}
    return [runs[number] for number in sorted(runs)]
