"""The results of diagnosis as frozen values, stored in the session as JSON documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sessions.model import EntityRef, Event
from sessions.times import TimeRange

Severity = Literal["info", "warning", "critical"]
Verdict = Literal["likely", "possible", "ruled out", "unknown"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """A number compared with its threshold.

    ``statistic`` names the number: ``mean``, ``max``, ``p95``, ``last`` …

    ``threshold`` is None for a number that is shown only as context. ``what`` names a number that is not
    the counter's own, but made of it and others.
    """

    counter: str
    instance: str
    statistic: str
    value: float
    threshold: float | None
    unit: str
    what: str = ""


@dataclass(frozen=True, slots=True)
class CauseVerdict:
    """One cause with its verdict. ``because`` is a sentence with the numbers that decided.

    For ``unknown`` the sentence names the counter that would decide, and which source has that counter.
    """

    cause: str
    title: str
    verdict: Verdict
    because: str


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem of an entity in some time windows.

    ``share`` is the fraction of the entity's samples that violate the condition, 0 to 1. ``conclusion`` is
    the finding as one sentence; ``notes`` say what limits its reliability ("only 3 samples").
    ``consequence_of`` names another finding (problem, entity) that explains this one. ``changes`` are events
    of the entity and around it shortly before, in order of time; ``changes_left`` is the number of further
    ones.
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
