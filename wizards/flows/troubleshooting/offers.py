"""Which symptoms are offered when nothing was said: that of a finding, and those of the worst findings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from resources.failures import HyperscopeError
from resources.guided_flow import load_flow
from sessions.findings import Finding
from sessions.model import EntityRef
from sessions.troubleshooting import Symptom
from viewmodels.carriers import owners_during
from viewmodels.snapshot import Snapshot
from wizards.flows.troubleshooting.judging import symptom_of

_WEIGHT = {"critical": 0, "warning": 1, "info": 2}
_MOST_OFFERS = 5


def symptom_of_finding(snapshot: Snapshot, finding: Finding) -> Symptom | None:
    """Return the symptom that a finding shows: of its entity, or of the host of an uplink, from when it
    began; None where no symptom can be of such an entity.
    """
    ref = entity_of_symptom(snapshot, finding.entity)
    if ref is None:
        return None
    since = min((one.start for one in finding.windows), default=None)
    try:
        return symptom_of(snapshot, ref, since=since)
    except HyperscopeError:  # the finding is of a time that the session does not have any more
        return None


def entity_of_symptom(snapshot: Snapshot, ref: EntityRef) -> EntityRef | None:
    """Return the entity itself if a symptom can be of it, else the nearest above it that one can be of."""
    kinds = load_flow().kinds
    seen: set[EntityRef] = set()
    waiting = [ref]
    while waiting:
        one = waiting.pop(0)
        if one.kind in kinds:
            return one
        if one not in seen:  # a session is untrusted and may hold a cycle
            seen.add(one)
            waiting.extend(owners_during(one, snapshot, None))
    return None


def worst_symptoms(snapshot: Snapshot, findings: Iterable[Finding]) -> Sequence[Symptom]:
    """Return the symptoms of the worst findings, each entity once, no more than five; those that nothing else
    explains come first.
    """
    ordered = sorted(
        findings, key=lambda one: (one.consequence_of is not None, _WEIGHT[one.severity], -one.score)
    )
    found: dict[EntityRef, Symptom] = {}
    for one in ordered:
        symptom = symptom_of_finding(snapshot, one)
        if symptom is not None:
            found.setdefault(symptom.entity, symptom)
    return list(found.values())[:_MOST_OFFERS]
