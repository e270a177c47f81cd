"""Which changes were seen around a symptom: events, settings of an inventory, settings that esxtop counts."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

import numpy as np

from diagnosis.comparison.records import Records
from diagnosis.topology import Topology
from resources.catalogue import load_catalogue
from resources.counter_schema import Counter
from resources.fact_forms import load_fact_forms
from resources.guided_flow import Flow, load_ways
from resources.problem_changes import Changes
from resources.units import format_value
from sessions.model import EntityRef, Frame, IntArray, SampleSource
from sessions.times import TimeRange
from sessions.troubleshooting import SeenChange

_PLACE = "host"
_MOST, _LEAST = 20, 3
_AT_ONCE = 256
"""Series that are read together: a day of them, every 5 s, takes 35 MB."""


@dataclass(frozen=True, slots=True)
class Around:
    """Where a change can matter: the symptom's surroundings, and who shares them (``neighbours``)."""

    surroundings: Collection[EntityRef]
    neighbours: Collection[EntityRef]

    def has(self, ref: EntityRef) -> bool:
        """Return True if a change of this entity can matter."""
        return ref in self.surroundings or ref in self.neighbours


def around(surroundings: Collection[EntityRef], topology: Topology) -> Around:
    """Return the surroundings with the VMs on the same hosts, and those with disks on the same devices."""
    found: set[EntityRef] = set()
    for ref in surroundings:
        found |= {*topology.stored_on(ref)}
        if ref.kind == "host":
            for source in topology.sources:
                found |= {topology.base(one.ref) for one in topology.below(source, ref, "vm")}
    return Around(surroundings, frozenset(found))


def changes_seen(
    session: SampleSource, where: Around, when: TimeRange, flow: Flow, kinds: Changes
) -> tuple[SeenChange, ...]:
    """Return what was changed around a symptom in a time, in order: no more than 20, the last ones."""
    records = Records(session)
    counted = list(_counted(session, where, when, flow, records))
    facts = _facts(session, where, when, flow, records)
    told = [
        *_events(session, where, when, kinds, records),
        *(one for one in facts if not any(_are_one(one, other) for other in counted)),
        *counted,
    ]
    return tuple(sorted(told, key=lambda one: one.at)[-_MOST:])


def _are_one(fact: SeenChange, counted: SeenChange) -> bool:
    """Return True if a fact and a counter of one source tell the same: esxtop's limits are both."""
    ways = load_ways().every
    return (fact.at, fact.entity) == (counted.at, counted.entity) and any(
        fact.setting in way.seen_by and counted.setting in way.seen_by for way in ways
    )


def _events(
    session: SampleSource, where: Around, when: TimeRange, kinds: Changes, records: Records
) -> Iterator[SeenChange]:
    wanted = {*kinds.own, *kinds.arriving, *kinds.storing}
    for event in session.events():
        if event.kind not in wanted or event.entity is None or not where.has(event.entity):
            continue
        if event.until >= when.start and event.at <= when.end:
            name = records.name(event.entity, when.end)  # as its settings are told
            yield SeenChange(event.until, event.text, event.entity, name, event.by)


def _facts(
    session: SampleSource, where: Around, when: TimeRange, flow: Flow, records: Records
) -> Iterator[SeenChange]:
    """Settings of an inventory that got another value, or lost theirs."""
    forms = load_fact_forms()
    for fact in session.facts():
        if not where.has(fact.entity) or not any(fnmatchcase(fact.name, one) for one in flow.setting_facts):
            continue
        name = records.name(fact.entity, when.end)
        for at, before, after in records.steps(fact, when):
            what = "moved" if fact.name == _PLACE else forms.label(fact.name)
            text = f"{what}: {forms.step(fact.name, before, after, records.name_of)}"
            yield SeenChange(at, text, fact.entity, name, setting=fact.name)


def _counted(
    session: SampleSource, where: Around, when: TimeRange, flow: Flow, records: Records
) -> Iterator[SeenChange]:
    """Steps of counters that show a setting: limits and reservations as esxtop prints them."""
    series = [one for one in session.series(flow.setting_counters) if where.has(one.entity)]
    if not series:
        return
    by_id = {one.id: one for one in series}
    ids = np.array(sorted(by_id), np.int64)
    known = session.stats(ids, when)  # settings hardly ever change: hardly one of them is read
    catalogue = load_catalogue()
    for frame in _read_in_parts(session, ids[known.minimum < known.maximum], when):
        if frame.times.size < _LEAST:
            continue
        low, high = np.fmin.reduce(frame.values, axis=0), np.fmax.reduce(frame.values, axis=0)
        for column in np.flatnonzero(low < high).tolist():
            one = by_id[int(frame.ids[column])]
            counter = catalogue.get(one.counter)
            label = counter.label if counter else one.counter
            for at, before, after in _steps(frame.times.tolist(), frame.values[:, column].tolist()):
                step = " → ".join(_value(value, counter, one.spec.unit) for value in (before, after))
                name = records.name(one.entity, at)
                yield SeenChange(at, f"{label}: {step}", one.entity, name, setting=one.counter)


def _read_in_parts(session: SampleSource, ids: IntArray, when: TimeRange) -> Iterator[Frame]:
    for begin in range(0, ids.size, _AT_ONCE):
        yield from session.read(ids[begin : begin + _AT_ONCE], when)


def _value(value: float, counter: Counter | None, unit: str) -> str:
    if counter is not None and (word := counter.value_name(value)) is not None:
        return word
    return "not set" if value < 0 else format_value(value, counter.unit if counter else unit)


def _steps(times: Sequence[int], values: Sequence[float]) -> Iterator[tuple[int, float, float]]:
    """Where a setting changes for good: between two samples that are both followed by their like."""
    for at in range(1, len(times) - 1):
        before, now, then = values[at - 1], values[at], values[at + 1]
        if _differ(before, now) and not _differ(now, then):
            yield times[at], before, now


def _differ(one: float, other: float) -> bool:
    """A sample that is missing tells of no change."""
    return not (np.isnan(one) or np.isnan(other)) and one != other
