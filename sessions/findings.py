"""What diagnosis concludes, as frozen values; stored in the session as JSON documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sessions.model import EntityRef, Event
from sessions.times import TimeRange

Severity = Literal["info", "warning", "critical"]
Verdict = Literal["likely", "possible", "ruled out", "unknown"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """A number against its limit. ``statistic`` says which number: ``mean``, ``max``, ``p95``, ``last`` …

    ``threshold`` is None for a number that is shown for context only.
    """

    counter: str
    instance: str
    statistic: str
    value: float
    threshold: float | None
    unit: str


@dataclass(frozen=True, slots=True)
class CauseVerdict:
    """One cause and what the data say of it. ``because`` is a sentence with the numbers in it.

    For ``unknown`` it names the counter that would decide, and where that could come from.
    """

    cause: str
    title: str
    verdict: Verdict
    because: str


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem of an entity in some windows of time.

    ``share`` is the part of the entity's present samples that violate the condition, 0 to 1.
    ``conclusion`` is the finding as one sentence; ``notes`` what limits trust in it ("only 3 samples").
    ``consequence_of`` names an upstream finding (problem, entity) that explains this one. ``changes`` are
    what happened to the entity and around it shortly before, in order of time; ``changes_left`` more did.
    """

    problem: str
    title: str
    severity: Severity
    entity: EntityRef
    entity_name: str
    windows: tuple[TimeRange, ...]
    share: float
    conclusion: str
    evidence: tuple[Evidence, ...]
    causes: tuple[CauseVerdict, ...]
    remedies: tuple[str, ...]
    score: float = 0.0
    notes: tuple[str, ...] = ()
    consequence_of: tuple[str, EntityRef] | None = None
    changes: tuple[Event, ...] = ()
    changes_left: int = 0
