"""How far a diagnosis reaches: up to what time, from which sources, for which entities, and what it could
not judge.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import msgspec

from sessions.findings import Finding, Severity
from sessions.model import EntityRef, SampleSource
from sessions.problem_areas import ProblemArea, areas_without
from sessions.times import TimeRange

VerdictState = Literal["not judged yet", "judged", "could not be judged"]
Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 53)]
"""A number of things; a stored verdict, which may be forged, is refused with any other number."""
Seconds = Annotated[float, msgspec.Meta(ge=0, le=1e12)]
"""Up to more than there are between the years 1 and 9999: a host's clock may have been a century off."""


@dataclass(frozen=True, slots=True)
class SourceReach:
    """What was judged of one source: ``samples`` sampling instants in the range ``judged``.

    ``judged`` is None if nothing of the source was judged; ``reason`` then says why. For a source that was
    judged ``reason`` says what limits it (its samples stop before those of other sources), or is empty.
    """

    source: int
    name: str
    judged: TimeRange | None
    samples: Count
    reason: str = ""


CheckVerdict = Literal["problem", "suspected", "not found", "insufficient data", "not applicable"]


@dataclass(frozen=True, slots=True)
class CheckNumber:
    """The worst sample of the number that a check is told by: ``what``, of ``entity``, against its limit.

    The limit must be passed for ``hold_s`` seconds (0: in several samples) to be a problem; ``is_below`` if
    values under it are the bad ones. ``is_common``: others have the same number, so that ``entity`` is none
    to look at before them. Of a state ``word`` is the value's, ``bad`` what is a problem: "soft or worse".
    Where the check found nothing, ``passed_s`` is for how long the number was past its limit at most, within
    the time in which ``hold_s`` is asked for. A rule that counts samples asks for ``hold_samples`` instead,
    and ``passed_samples`` is how many there were; so it is of a lone sample, whose length nobody knows.
    """

    what: str
    entity: EntityRef
    entity_name: str
    value: float
    limit: float
    unit: str
    hold_s: float = 0.0
    is_below: bool = False
    is_common: bool = False
    word: str = ""
    bad: str = ""
    passed_s: Seconds = 0.0
    hold_samples: Count = 0
    passed_samples: Count = 0


@dataclass(frozen=True, slots=True)
class CheckReach:
    """One problem that was looked for: how many of its entities had all that its condition needs, and what
    came of it.

    ``entities`` 0: the session has nothing that can have the problem. ``reason`` says why entities were not
    judged, as the rest of a sentence: "no source has %CSTP; esxtop has it". ``verdict`` is empty in what an
    earlier version stored. ``found`` and ``suspected`` are numbers of entities: suspected ones were over the
    limit in every sample of a source that is too short to tell how long, or in a lone sample of a coarse one.
    A check with the verdict "suspected" and none of these has its worst number over the limit, of an entity
    that could not be judged.
    ``shown_by`` is who would show such entities, where no connected source does: "a vCenter"; empty where the
    session would have them.
    ``unseen_s`` is set where samples are no finer than the time that the check looks at: what lasted fewer
    seconds may have been averaged away, or may have passed between two looks (0: they are fine enough).
    ``finer_s`` is how far apart samples may be at most to show it.
    ``told_if_found``: the session has such entities, but the rules only find: nothing is said of the others.
    """

    problem: str
    title: str
    entities: Count
    judged: Count
    reason: str = ""
    verdict: CheckVerdict | Literal[""] = ""
    found: Count = 0
    suspected: Count = 0
    number: CheckNumber | None = None
    shown_by: str = ""
    unseen_s: Seconds = 0.0
    finer_s: Seconds = 0.0
    told_if_found: bool = False

    @property
    def is_judged(self) -> bool:
        """True if at least one entity was judged."""
        return self.judged > 0

    @property
    def is_partial(self) -> bool:
        """True if some of the entities were judged, and others were not."""
        return 0 < self.judged < self.entities

    @property
    def is_unjudged_past_limit(self) -> bool:
        """True if there was too little to judge it, but a sample was past the limit."""
        number = self.number
        passed = number is not None and bool(number.passed_s or number.passed_samples)
        return self.verdict == "insufficient data" and passed

    @property
    def applies(self) -> bool:
        """True if the session has an entity that can have the problem."""
        return self.entities > 0


@dataclass(frozen=True, slots=True)
class EntityReach:
    """What was judged of one entity: ``problems`` of the ``of`` problems that it can have, up to ``to`` (ms).

    An entity of which nothing was judged has no EntityReach.
    """

    to: int
    problems: int
    of: int


@dataclass(frozen=True, slots=True)
class SeverityCounts:
    """How many findings stand on their own, by severity; ``following`` ones are consequences of others."""

    critical: Count = 0
    warning: Count = 0
    info: Count = 0
    following: Count = 0

    @classmethod
    def of(cls, findings: Sequence[Finding]) -> SeverityCounts:
        """Count findings. What follows from something that is only worth knowing stands on its own."""
        troubles = {(one.problem, one.entity) for one in findings if one.severity != "info"}
        counts = Counter("following" if one.consequence_of in troubles else one.severity for one in findings)
        return cls(counts["critical"], counts["warning"], counts["info"], counts["following"])

    @property
    def worst(self) -> Severity | None:
        """The worst severity that there is; None without findings."""
        if self.critical:
            return "critical"
        if self.warning:
            return "warning"
        return "info" if self.info or self.following else None

    @property
    def troubles(self) -> int:
        """The number of findings that are warnings or critical: what is only worth knowing is no problem."""
        return self.critical + self.warning


@dataclass(frozen=True, slots=True)
class Verdict:
    """How far one diagnosis reaches. ``NOT_JUDGED`` is that of a session which nobody has judged.

    ``state`` is "judged" only if something was judged in time: "not judged yet" means that more samples
    will change that, "could not be judged" that nothing will, for the ``reason``. ``judged_with`` are the
    admin's own threshold sets that judged something (empty: the shipped numbers did),
    ``thresholds_trouble`` is the sentence that says why these could not be used. ``next_step`` says what to
    do where nothing could be judged: how to record again; empty where waiting helps.
    """

    state: VerdictState
    sources: tuple[SourceReach, ...] = ()
    checks: tuple[CheckReach, ...] = ()
    counts: SeverityCounts = SeverityCounts()
    reason: str = ""
    judged_with: tuple[str, ...] = ()
    thresholds_trouble: str = ""
    next_step: str = ""

    def fits(self, findings: Sequence[Finding]) -> bool:
        """Return True if this can be the verdict on exactly these findings, with something judged if it
        says so.
        """
        has_judged = any(one.judged is not None for one in self.sources)
        return self.counts == SeverityCounts.of(findings) and self.is_judged == has_judged

    @property
    def is_judged(self) -> bool:
        """True if anything was judged: only then may "no problem found" be said, of what was judged."""
        return self.state == "judged"

    @property
    def is_clear(self) -> bool:
        """True if something was judged and no warning or critical finding came of it."""
        return self.is_judged and not self.counts.troubles

    @property
    def unjudged_areas(self) -> Sequence[ProblemArea]:
        """The areas of which no main check was judged, where anything was: finding nothing clears none."""
        return areas_without({one.problem for one in self.judged_checks}) if self.is_judged else ()

    @property
    def is_partly_clear(self) -> bool:
        """True if no warning or critical finding came of what was judged, and that leaves out whole areas."""
        return self.is_clear and bool(self.unjudged_areas)

    @property
    def judged(self) -> TimeRange | None:
        """The time that the judged sources cover together; None if nothing was judged."""
        ranges = [one.judged for one in self.sources if one.judged is not None]
        if not ranges:
            return None
        return TimeRange(min(one.start for one in ranges), max(one.end for one in ranges))

    @property
    def judged_to(self) -> int | None:
        """The time of the last sample that was judged, in ms; None if nothing was judged."""
        judged = self.judged
        return None if judged is None else judged.end

    @property
    def worst(self) -> Severity | None:
        """The worst severity that was found; None without findings."""
        return self.counts.worst

    @property
    def samples(self) -> int:
        """The number of sampling instants that were judged, of all sources together."""
        return sum(one.samples for one in self.sources if one.judged is not None)

    @property
    def judged_sources(self) -> Sequence[SourceReach]:
        """The sources of which something was judged."""
        return [one for one in self.sources if one.judged is not None]

    @property
    def limited_sources(self) -> Sequence[SourceReach]:
        """The sources that were not judged, or not to the end."""
        return [one for one in self.sources if one.reason]

    @property
    def applying_checks(self) -> Sequence[CheckReach]:
        """The problems that something in the session can have."""
        return [one for one in self.checks if one.applies]

    @property
    def hidden_checks(self) -> Sequence[CheckReach]:
        """The problems that no connected source can show, but another would."""
        return [one for one in self.checks if not one.applies and one.shown_by]

    @property
    def judged_checks(self) -> Sequence[CheckReach]:
        """The problems that at least one entity was judged for."""
        return [one for one in self.checks if one.is_judged]

    @property
    def partial_checks(self) -> Sequence[CheckReach]:
        """The problems that some of the entities were judged for, but not all that can have them."""
        return [one for one in self.checks if one.is_partial]

    @property
    def unjudged_checks(self) -> Sequence[CheckReach]:
        """The problems that something in the session can have, but that nothing was judged for."""
        return [one for one in self.checks if one.applies and not one.is_judged]


NOT_JUDGED = Verdict("not judged yet")
"""The verdict of a session that nobody has judged, or whose stored findings don't say how far they reach."""


def samples_after(verdict: Verdict, session: SampleSource) -> int:
    """Return how many sampling instants came after those that the verdict judged, of all sources together.

    Those of guests are never judged by themselves, and none of them is new.
    """
    ends = {one.source: one.judged.end for one in verdict.sources if one.judged is not None}
    instants = (
        (ends.get(one.id), session.times(one.id)) for one in session.sources() if one.spec.kind != "guest"
    )
    return sum(times.size if end is None else int((times > end).sum()) for end, times in instants)
