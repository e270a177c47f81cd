"""When VMs that were moved ran elsewhere: what they used there was no load on the host in question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from diagnosis.correlation.meeting import Meeting
from resources.correlation_roles import CorrelationKnowledge
from sessions.model import EntityRef, Fact, SampleSource, Series
from sessions.times import TimeRange

_OF_A_HOST = ("cpu", "memory")
"""Resources that a VM takes from the host on which it runs; LUNs and networks are there on all of them."""
Away = Mapping[int, tuple[TimeRange, ...]]
"""By series of a VM that came to a host or left it: when it was not there (reference clock)."""


def times_away(
    session: SampleSource,
    reference: Series | None,
    series: Sequence[Series],
    meeting: Meeting,
    known: CorrelationKnowledge,
    whole: TimeRange,
) -> Away:
    """Return when the VMs that make load on the reference's host for a part of a time only were elsewhere."""
    host = meeting.host(reference) if reference is not None else None
    if reference is None or host is None:
        return {}
    away = _away_from(host, session.facts(), whole)
    away.pop(meeting.owner(reference.entity), None)
    if not away:
        return {}
    found: dict[int, tuple[TimeRange, ...]] = {}
    for one in series:
        role, resource = known.role(one.counter)
        if role == "load" and resource in _OF_A_HOST:
            periods = away.get(meeting.owner(one.entity))
            if periods:
                found[one.id] = periods
    return found


def _away_from(
    host: EntityRef, facts: Sequence[Fact], whole: TimeRange
) -> dict[EntityRef, tuple[TimeRange, ...]]:
    """When each VM that is on the host for a part of the time was on another one."""
    there: set[EntityRef] = set()
    away: dict[EntityRef, list[TimeRange]] = {}
    for fact in facts:
        if fact.name != "host" or fact.entity.kind != "vm":
            continue
        end = whole.end if fact.end is None else fact.end - 1
        period = TimeRange(fact.start, max(fact.start, end)).intersect(whole)
        if period is None:
            continue
        if fact.value == host.key:
            there.add(fact.entity)
        else:
            away.setdefault(fact.entity, []).append(period)
    return {ref: tuple(periods) for ref, periods in away.items() if ref in there}
