"""What else differs between two windows: entities renamed, moved, added and gone, settings, and events."""

from __future__ import annotations

from collections.abc import Iterable, Set
from typing import Literal

from diagnosis.comparison.joining import NAMELESS_PARTS, Joining
from diagnosis.comparison.records import HOST, NAME, Records
from diagnosis.comparison.values import Change, Side
from resources.fact_forms import load_fact_forms
from sessions.identities import MOID, UUID
from sessions.model import EntityRef, Event
from sessions.times import TimeRange

_NO_SETTING = frozenset({NAME, HOST, UUID, MOID})
_MAX_EVENTS = 500


def entity_changes(
    sides: tuple[Side, Side], records: tuple[Records, Records], joining: Joining
) -> list[Change]:
    """Return which entities were renamed, moved, joined by name only, added or gone, and which settings
    changed. Placements and settings are those in the middle of each window.

    Of what is added or gone only the topmost is told, not its parts.
    """
    found: list[Change] = []
    for ref, partner in joining.partners.items():
        found += _of_pair(sides, records, joining, (ref, partner.ref))
        if partner.joined_by == "name" and ref.kind not in NAMELESS_PARTS:
            found.append(Change("by name", ref, records[0].name(ref, sides[0].window.end)))
    found += _lone("gone", joining.only_a, records[0], sides[0])
    found += _lone("added", joining.only_b, records[1], sides[1])
    return found


def _of_pair(
    sides: tuple[Side, Side],
    records: tuple[Records, Records],
    joining: Joining,
    refs: tuple[EntityRef, EntityRef],
) -> Iterable[Change]:
    names = [records[at].name(refs[at], sides[at].window.end) for at in (0, 1)]
    if names[0] != names[1]:
        yield Change("renamed", refs[1], names[1], names[0], names[1])
    middles = [(side.window.start + side.window.end) // 2 for side in sides]
    if refs[0].kind == "vm":
        hosts = [records[at].host(refs[at], middles[at]) for at in (0, 1)]
        if hosts[0] is not None and hosts[1] is not None:
            known = joining.partners.get(hosts[0])
            if (known.ref if known else hosts[0]) != hosts[1]:
                texts = [
                    records[at].name(host, middles[at]) for at, host in enumerate(hosts) if host is not None
                ]
                yield Change("moved", refs[1], names[1], texts[0], texts[1])
    since = [records[at].known_since(refs[at]) for at in (0, 1)]
    told = [first for first, side in zip(since, sides, strict=True) if first and first <= side.window.end]
    if len(told) < len(sides):
        return  # samples reach back further than the inventory: nobody told then what was set
    middles = [max(pair) for pair in zip(middles, told, strict=True)]
    forms = load_fact_forms()
    for setting in sorted({*records[0].fact_names(refs[0]), *records[1].fact_names(refs[1])} - _NO_SETTING):
        values = [records[at].fact(refs[at], setting, middles[at]) for at in (0, 1)]
        if forms.is_reading(setting) or values[0] == values[1]:
            continue
        if _is_told_by_both(records, refs, setting):
            before, after = (
                forms.text(setting, value, records[at].name_of) for at, value in enumerate(values)
            )
            yield Change("setting", refs[1], names[1], before, after, setting)


def _is_told_by_both(
    records: tuple[Records, Records], refs: tuple[EntityRef, EntityRef], setting: str
) -> bool:
    """Whether a setting that one side lacks is surely not set there: a capture doesn't tell what a vCenter
    does.
    """
    if records[0] is records[1] or (records[0].vcenters and records[1].vcenters):
        return True
    return all(setting in records[at].fact_names(refs[at]) for at in (0, 1))


def _lone(
    what: Literal["gone", "added"], refs: Set[EntityRef], records: Records, side: Side
) -> Iterable[Change]:
    for ref in refs:
        if ref.kind not in NAMELESS_PARTS and refs.isdisjoint(records.ancestors(ref)):
            name = records.name(ref, side.window.end)
            yield Change(what, ref, name)


def events_between(sides: tuple[Side, Side]) -> list[Event]:
    """Return what happened from the beginning of the earlier window to the end of the later one, by time.

    Across two sessions these are the events in each window. At most the last 500.
    """
    a, b = sides
    if a.session is b.session:
        span = TimeRange(min(a.window.start, b.window.start), max(a.window.end, b.window.end))
        events = [one for one in a.session.events() if one.at <= span.end and one.until >= span.start]
    else:
        events = [
            one
            for side in sides
            for one in side.session.events()
            if one.at <= side.window.end and one.until >= side.window.start
        ]
    return sorted(events, key=lambda one: one.at)[-_MAX_EVENTS:]
