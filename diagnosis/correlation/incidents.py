"""Events and changes of configuration about a window: candidates, each with how long before it came."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from diagnosis.comparison.records import Records
from diagnosis.correlation.meeting import Meeting
from diagnosis.facts import READ_WITHIN_MS
from resources.fact_forms import load_fact_forms
from resources.problem_changes import Changes
from sessions.model import EntityRef, SampleSource
from sessions.times import TimeRange

_SETTINGS = ("cpu.", "mem.", "pool", "vcpus", "vdisk.", "tools", "nic.", "device.queue_depth", "sioc", "drs")
_MOST = 20


@dataclass(frozen=True, slots=True)
class Incident:
    """Something that happened: an event, or a setting that changed. ``lead_s`` > 0: so long before the
    window began; ``entity`` is what it concerns. ``is_near``: it shares a host with the reference, or is it.
    """

    at: int
    kind: str
    text: str
    by: str
    entity: EntityRef | None
    lead_s: float
    is_near: bool


def incidents(
    session: SampleSource, window: TimeRange, around: frozenset[EntityRef], meeting: Meeting, changes: Changes
) -> tuple[Incident, ...]:
    """Return what happened from shortly before the window to its end, the nearest to its beginning first.

    ``around``: the reference's entity, its VM, its places, and the entities that are suspected.
    """
    times = TimeRange(window.start - round(changes.before_s * 1000), window.end)
    found = list(_events(session, times, window, around, meeting))
    found += _settings(session, times, window, around, meeting)
    found.sort(key=lambda one: (not one.is_near, abs(one.lead_s), one.text))
    return tuple(found[:_MOST])


def _events(
    session: SampleSource, times: TimeRange, window: TimeRange, around: frozenset[EntityRef], meeting: Meeting
) -> Iterator[Incident]:
    for event in session.events():
        if event.at <= times.end and event.until >= times.start:
            near = event.entity is not None and _is_near(event.entity, around, meeting)
            lead = (window.start - event.at) / 1000
            yield Incident(event.at, event.kind, event.text, event.by, event.entity, lead, near)


def _is_near(ref: EntityRef, around: frozenset[EntityRef], meeting: Meeting) -> bool:
    owner = meeting.owner(ref)
    return owner in around or meeting.runs_on(owner) in around


def _settings(
    session: SampleSource, times: TimeRange, window: TimeRange, around: frozenset[EntityRef], meeting: Meeting
) -> Iterator[Incident]:
    """Settings that were changed, first set or removed in that time."""
    forms, records = load_fact_forms(), Records(session)
    for fact in session.facts():
        if not fact.name.startswith(_SETTINGS) or forms.is_reading(fact.name):
            continue
        for at, old, new in records.steps(fact, times, READ_WITHIN_MS):
            text = forms.change(fact.name, old, new, meeting.name_of)
            near = _is_near(fact.entity, around, meeting)
            yield Incident(at, "setting", text, "", fact.entity, (window.start - at) / 1000, near)
