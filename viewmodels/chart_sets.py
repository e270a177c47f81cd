"""Decides which charts to draw: those that suit the scope's entities, or a finding's evidence. No Qt."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from resources.units import format_value
from resources.views import ChartTemplate, CounterLimits
from sessions.findings import Evidence, Finding, Severity
from sessions.model import EntityRef, Series
from sessions.times import TimeRange
from viewmodels.chart_spec import Band, ChartSpec, Limit
from viewmodels.entity_limits import EntityLimits
from viewmodels.shared_devices import is_shared, seen_by, source_names
from viewmodels.snapshot import USUAL_INTERVAL_S, Snapshot, is_own

_MAX_CHARTS = 8
_MAX_CURVES = 12
_MAX_HOSTS = 4
_MIN_MARGIN_MS = 60_000
_NAMED_KINDS = frozenset({"host", "vm"})
_PART_KINDS = frozenset({"vdisk", "port"})


def charts_of(
    entities: Sequence[EntityRef],
    snapshot: Snapshot,
    templates: Sequence[ChartTemplate],
    limits: EntityLimits,
    first: Collection[tuple[EntityRef, str]] = (),
) -> list[ChartSpec]:
    """Return the charts for some entities: one for each template, unit and kind, with a curve for each
    entity; of one entity, with those of each source that has it, the finer before the coarser. A VM comes
    with the guests that are known to run in it.

    They come in the templates' order, in which what decides comes first; before them those with a counter of
    an entity that is in ``first``: what a finding names.
    """
    found: list[ChartSpec] = []
    if len(entities) == 1:
        entities = [*entities, *snapshot.guests.get(entities[0], ())]
    for template in templates:
        members = [ref for ref in entities if ref.kind in template.on]
        chosen = [one for ref in members for one in _of(ref, template.counters, snapshot, all_sources=False)]
        if not chosen:
            continue
        if len(members) == 1:
            overlaid = _of(members[0], template.counters, snapshot, all_sources=True)
            chosen = overlaid if len(overlaid) <= _MAX_CURVES else chosen
        for unit in dict.fromkeys(series.spec.unit for series in chosen):
            same = [series for series in chosen if series.spec.unit == unit]
            if len(same) > _MAX_CURVES:  # of many entities the first counter, which decides, of each
                same = sorted(same, key=lambda one: template.counters.index(one.counter))[:_MAX_CURVES]
            ids = tuple(series.id for series in same)
            found.append(ChartSpec(template.title, unit, ids, template.note, lines_of(same, limits)))
    named = {one for chart in found for one in chart.series if _named(snapshot.by_id[one], first)}
    return sorted(found, key=lambda chart: named.isdisjoint(chart.series))[:_MAX_CHARTS]


def _named(series: Series, first: Collection[tuple[EntityRef, str]]) -> bool:
    return (series.entity, series.counter) in first


def counters_of(findings: Iterable[Finding], entities: Collection[EntityRef]) -> set[tuple[EntityRef, str]]:
    """Return the counters that findings of these entities were judged by; none of those that only inform."""
    return {
        (finding.entity, item.counter)
        for finding in findings
        if finding.entity in entities and finding.severity != "info"
        for item in finding.evidence
        if item.threshold is not None
    }


def interesting_entities(snapshot: Snapshot, worst: Iterable[EntityRef]) -> list[EntityRef]:
    """Return what to chart when the scope names nothing: the worst entity with a finding, else hosts.

    ``worst`` are entities with findings, the worst first.
    """
    known = [ref for ref in worst if ref in snapshot.entities]
    return known[:1] or [ref for ref in snapshot.entities if ref.kind == "host"][:_MAX_HOSTS]


def lines_of(series: Iterable[Series], limits: EntityLimits) -> tuple[Limit, ...]:
    """Return the limits to draw as dashed lines: those of the first counter that has any, so that only one
    set shows. Where the entities are of different classes of storage each limit says whose it is.
    """
    first, found = "", list[tuple[CounterLimits, str]]()
    for one in series:
        if first and one.counter != first:
            continue
        known = limits.of(one.counter, one.entity)
        if known is not None and known.warning.value > 0:
            first = one.counter
            found.append((known, one.spec.unit))
    each = list(dict.fromkeys(found))
    warnings = [(known.warning.value, unit, known.storage_class) for known, unit in each]
    criticals = [
        (known.critical.value, unit, known.storage_class)
        for known, unit in each
        if known.critical is not None
    ]
    return (*_lines(warnings, "warning"), *_lines(criticals, "critical"))


def _lines(limits: Sequence[tuple[float, str, str]], severity: Severity) -> list[Limit]:
    """Return a line for each distinct value of (value, unit, class): ``5 ms NVMe``, ``10 ms``."""
    titles: dict[tuple[float, str], list[str]] = {}
    for value, unit, title in limits:
        titles.setdefault((value, unit), []).append(title)
    are_several = len(titles) > 1
    return [
        Limit(value, f"{format_value(value, unit)} {_whose(whose, among=are_several)}".rstrip(), severity)
        for (value, unit), whose in titles.items()
    ]


def _whose(titles: Sequence[str], *, among: bool) -> str:
    """Return the classes that have a limit: ``SSD, others``; nothing where it is everybody's."""
    if not among and "" in titles:
        return ""
    return ", ".join([*filter(None, titles), *["others"] * ("" in titles)])


def charts_of_finding(
    finding: Finding,
    snapshot: Snapshot,
    templates: Sequence[ChartTemplate],
    limits: EntityLimits,
) -> list[ChartSpec]:
    """Return the charts of a finding: its evidence, then other charts of its entity; its windows tinted."""
    bands = tuple(Band(window, finding.severity) for window in finding.windows)
    charts: list[ChartSpec] = []
    for unit in dict.fromkeys(item.unit for item in finding.evidence):
        items = [item for item in finding.evidence if item.unit == unit]
        series = [one for item in items for one in evidence_series(item, finding.entity, snapshot)]
        ids = tuple(dict.fromkeys(one.id for one in series))[:_MAX_CURVES]
        if ids and not any(set(ids) <= set(chart.series) for chart in charts):
            own = _evidence_limits(items)
            charts.append(ChartSpec("", series[0].spec.unit, ids, "", own, bands, keeps_limits=bool(own)))
    drawn = {number for chart in charts for number in chart.series}
    others = charts_of([finding.entity], snapshot, templates, limits)
    charts += [replace(chart, bands=bands) for chart in others if not drawn >= set(chart.series)]
    return charts[:_MAX_CHARTS]


def window_around(finding: Finding, span: TimeRange | None) -> TimeRange | None:
    """Return the finding's windows with half their length added before and after, cut to ``span``."""
    if not finding.windows or span is None:
        return None
    start = min(window.start for window in finding.windows)
    end = max(window.end for window in finding.windows)
    margin = max((end - start) // 2, _MIN_MARGIN_MS)
    return TimeRange(start - margin, end + margin).intersect(span)


def _of(ref: EntityRef, counters: Sequence[str], snapshot: Snapshot, *, all_sources: bool) -> list[Series]:
    """Return an entity's own series, ordered by ``counters``; of a device that hosts share, one for each
    host. Those that several sources have come from the finest, or (``all_sources``) from each, the finest
    first.
    """
    series = snapshot.series_of.get(ref, ())
    own = [one for one in series if one.spec.counter in counters and is_own(one)]
    names, shared = source_names(snapshot), is_shared(ref, snapshot)
    of = {one.id: seen_by(one, names) if shared else one.spec.instance for one in own}
    each: dict[tuple[str, str], list[Series]] = {}
    for one in sorted(own, key=lambda one: snapshot.intervals.get(one.source, USUAL_INTERVAL_S)):
        each.setdefault((one.counter, of[one.id]), []).append(one)
    parts = dict.fromkeys(of.values())
    found = [each[which] for counter in counters for one in parts if (which := (counter, one)) in each]
    return [one for same in found for one in (same if all_sources else same[:1])]


def evidence_series(item: Evidence, entity: EntityRef, snapshot: Snapshot) -> list[Series]:
    """Return the series that a piece of evidence was judged by: of its instance, which of a shared device is
    the host that sees it so, else of the entity that it names, else the counter's first.

    What a guest counts is evidence for its VM, and so are a VM's disks and NICs where it names none of them.
    """
    places = (entity, *snapshot.guests.get(entity, ()))
    own = [one for ref in places for one in snapshot.series_of.get(ref, ()) if one.counter == item.counter]
    exact = [one for one in own if one.spec.instance == item.instance]
    if not exact and item.instance and is_shared(entity, snapshot):
        names = source_names(snapshot)
        exact = [one for one in own if seen_by(one, names) == item.instance]
    return exact or _of_named(item, entity, snapshot) or own[:1] or _of_parts(item, entity, snapshot)


def _of_named(item: Evidence, entity: EntityRef, snapshot: Snapshot) -> list[Series]:
    """Return the series of what the evidence names: a part of the entity ("scsi0:0"), else the one host or VM
    of that name.
    """
    if not item.instance:
        return []
    parts = [one.ref for one in snapshot.children.get(entity, ()) if one.name == item.instance]
    named = parts or [
        ref
        for ref, one in snapshot.entities.items()
        if one.name == item.instance and ref.kind in _NAMED_KINDS
    ]
    found = [series for ref in named for series in _counted(item, ref, snapshot)]
    return found if parts or len({one.entity for one in found}) == 1 else []


def _of_parts(item: Evidence, entity: EntityRef, snapshot: Snapshot) -> list[Series]:
    parts = [one.ref for one in snapshot.children.get(entity, ()) if one.ref.kind in _PART_KINDS]
    return [series for ref in parts for series in _counted(item, ref, snapshot)][:_MAX_CURVES]


def _counted(item: Evidence, ref: EntityRef, snapshot: Snapshot) -> list[Series]:
    """Return the counter's series of an entity as a whole, of each source that has it."""
    return [one for one in snapshot.series_of.get(ref, ()) if one.counter == item.counter and is_own(one)]


def _evidence_limits(items: Sequence[Evidence]) -> tuple[Limit, ...]:
    values = dict.fromkeys(item.threshold for item in items if item.threshold and not item.what)
    return tuple(Limit(value, format_value(value, items[0].unit)) for value in values if value is not None)
