"""The overview page as values: small charts of the scope, top lists, findings, and latest changes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from resources.catalogue import Catalogue
from resources.foreign_text import shorten_long_words, shown
from resources.units import format_count, format_duration, format_value
from resources.views import Overview, OverviewChart
from sessions.findings import Finding
from sessions.model import EntityRef, Event, Series
from sessions.store import SessionReader
from sessions.times import TimeRange
from viewmodels.chart_sets import lines_of
from viewmodels.chart_spec import ChartSpec
from viewmodels.curve import Curve, NamedCurve
from viewmodels.distinct_names import names_of, row_names
from viewmodels.entity_limits import EntityLimits
from viewmodels.finding_order import families, identity, main_causes
from viewmodels.health import Health
from viewmodels.possible_samples import PossibleReader
from viewmodels.rankings import Ranked, highest
from viewmodels.scope_filter import ScopeFilter
from viewmodels.snapshot import Snapshot, is_own
from viewmodels.time_labels import Clock
from viewmodels.work import UnwatchedWork, Work

MAX_LINES = 6
_MAX_CURVES = 4
_SPARE_LINES = 30
"""Lines beyond those shown: numbers for lines that are held in place while others become higher."""
_MAX_FINDINGS = 4
_MAX_NAMED = 3
"""Findings beyond those with a line of their own that are named."""
_LONGEST = 400

SeriesByCounter = Mapping[tuple[str, str], Sequence[Series]]
"""Series that measure whole entities, by kind of entity and counter."""


@dataclass(frozen=True, slots=True)
class OverviewLine:
    """A line of a list: an entity with its number, an event with its time, or a finding's sentence.

    ``series`` is the id of a series that can be dragged onto a chart (0: none).
    """

    name: str
    value: str
    state: Health = "none"
    ref: EntityRef | None = None
    series: int = 0


@dataclass(frozen=True, slots=True)
class TopList:
    """A list of the entities that have most of a counter: a title and lines, highest first."""

    title: str
    lines: Sequence[OverviewLine] = ()


@dataclass(frozen=True, slots=True)
class OverviewContent:
    """Charts with their curves, and top lists; only those for which the session has counters."""

    charts: Sequence[tuple[ChartSpec, Sequence[NamedCurve]]] = field(default=())
    lists: Sequence[TopList] = field(default=())


def overview_content(
    reader: SessionReader,
    spec: Overview,
    snapshot: Snapshot,
    filtered: ScopeFilter,
    window: TimeRange,
    catalogue: Catalogue,
    limits: EntityLimits,
    work: Work | None = None,
    before: OverviewContent | None = None,
) -> OverviewContent:
    """Read charts and top lists of a scope for a window.

    A chart shows the first of its counters that a covered entity has, else one of what these depend on: a
    vCPU's host. Lists rank what is covered; of a device or datastore, the VMs that use it.
    ``before`` is what somebody looks at while the session grows: charts keep their curves and their order.
    """
    work = work or UnwatchedWork()
    known = _series_by_counter(snapshot.series, spec)
    work.check()
    in_charts: list[tuple[str, list[Series]]] = []
    for chart in spec.chart:
        series = _of_scope(_without(known, chart, snapshot), filtered, chart.counters)
        weights = _beside(series, known, chart.by)
        best = highest(reader, series, "max", window, _MAX_CURVES, weights)
        in_charts.append((chart.title, _held([one.series for one in best], series, chart.title, before)))
        work.check()
    lists: list[TopList] = []
    for talkers in spec.talkers:
        series = _ranked_series(known.get((talkers.kind, talkers.counter), ()), filtered)
        found = highest(reader, series, talkers.statistic, window, MAX_LINES + _SPARE_LINES)
        if found:
            names = row_names([one.series for one in found], snapshot)
            lines = [_ranked_line(one, names[one.series.id], limits) for one in found]
            lists.append(TopList(f"{talkers.title} ({talkers.statistic})", lines))
        work.check()
    curves = _curves(reader, [one for _, series in in_charts for one in series], window)
    charts = [
        _chart(title, series, curves, snapshot, catalogue, limits) for title, series in in_charts if series
    ]
    return OverviewContent(charts, lists)


def latest_changes(filtered: ScopeFilter, window: TimeRange, clock: Clock) -> Sequence[OverviewLine]:
    """Return the newest events of the scope and all marks in the window, newest first, each with its start
    time.
    """
    snapshot = filtered.snapshot
    moments = [
        (event.at, f"{event.text}{_duration(event)}", event.entity)
        for event in filtered.events(
            [one for one in snapshot.events if one.at <= window.end and one.until >= window.start]
        )
    ]
    moments += [(mark.at, f"⚑ {mark.text}", None) for mark in snapshot.marks if window.contains(mark.at)]
    newest = sorted(moments, key=lambda one: -one[0])[:MAX_LINES]
    return [OverviewLine(text, clock.time(when), "none", ref) for when, text, ref in newest]


def worst_findings(findings: Sequence[Finding]) -> Sequence[tuple[Finding, OverviewLine]]:
    """Return the worst root causes, each with its line; the line says how many follow from it, and how many
    more are like it.
    """
    groups = families(findings)
    found = []
    for finding, alike in main_causes(findings, _MAX_FINDINGS):
        like_it = f"{format_count(alike)} more like it" if alike else ""
        value = ", ".join(filter(None, (_followers(len(groups[identity(finding)])), like_it)))
        found.append((finding, OverviewLine(shown(finding.conclusion, _LONGEST), value, finding.severity)))
    return found


def further_findings(findings: Sequence[Finding]) -> str:
    """Return a sentence about root causes that ``worst_findings`` neither lists nor counts; empty if there
    are none.
    """
    groups = families(findings)
    told = {(finding.problem, finding.severity) for finding, _ in main_causes(findings, _MAX_FINDINGS)}
    others = [one for one in findings if identity(one) in groups and (one.problem, one.severity) not in told]
    if not others:
        return ""
    named = [_named(one, len(groups[identity(one)])) for one in others[:_MAX_NAMED]]
    left = len(others) - len(named)
    more = [f"and {format_count(left)} more"] if left else []
    return f"Also found: {'; '.join([*named, *more])}."


def _named(finding: Finding, followers: int) -> str:
    about = ", ".join(filter(None, (shorten_long_words(shown(finding.entity_name)), _followers(followers))))
    return f"{finding.title} ({about})"


def _followers(count: int) -> str:
    return "1 follows from it" if count == 1 else f"{format_count(count)} follow from it" if count else ""


def _series_by_counter(series: Sequence[Series], spec: Overview) -> SeriesByCounter:
    """Return the series of the page's counters in one pass; a session may have 40,000 other series."""
    wanted = {(kind, counter) for chart in spec.chart for kind, counter in chart.counters}
    wanted |= {(one.kind, one.counter) for one in spec.talkers}
    wanted |= {(kind, chart.by) for chart in spec.chart for kind, _ in chart.counters if chart.by}
    counters = {counter for _, counter in wanted}
    found: dict[tuple[str, str], list[Series]] = {}
    for one in series:
        own = one.spec
        if own.counter in counters and (own.entity.kind, own.counter) in wanted and is_own(one):
            found.setdefault((own.entity.kind, own.counter), []).append(one)
    return found


def _without(known: SeriesByCounter, chart: OverviewChart, snapshot: Snapshot) -> SeriesByCounter:
    """The series of a chart's counters but for those of entities that it leaves out."""
    if not chart.leave_out:
        return known
    left_out = re.compile(chart.leave_out)
    return {
        which: [one for one in known.get(which, ()) if not left_out.fullmatch(snapshot.name(one.entity))]
        for which in chart.counters
    }


def _held(
    best: list[Series], series: Sequence[Series], title: str, before: OverviewContent | None
) -> list[Series]:
    """Return the curves that the chart had before, in their order, then others up to the usual number."""
    had = {
        number
        for spec, _ in (before.charts if before else ())
        if spec.title == title
        for number in spec.series
    }
    order = [
        number
        for spec, _ in (before.charts if before else ())
        if spec.title == title
        for number in spec.series
    ]
    by_id = {one.id: one for one in series if one.id in had}
    kept = [by_id[number] for number in order if number in by_id]
    return [*kept, *(one for one in best if one.id not in had)][:_MAX_CURVES]


def lines_in_place(
    shown_lines: Sequence[OverviewLine], lines: Sequence[OverviewLine]
) -> Sequence[OverviewLine]:
    """Return the shown lines in their order with the numbers of ``lines``.

    A line that has no new number goes; others wait until nobody looks.
    """
    new = {line.ref: line for line in lines}
    return [new[line.ref] for line in shown_lines if line.ref in new]


def _of_scope(
    known: SeriesByCounter, filtered: ScopeFilter, counters: Sequence[tuple[str, str]]
) -> Sequence[Series]:
    """Return the series of the first counter that the scope has; those of what it depends on come second."""
    for belonging in (filtered.series, filtered.needed_series):
        for which in counters:
            if found := belonging(known.get(which, ())):
                return found
    return ()


def _ranked_series(series: Sequence[Series], filtered: ScopeFilter) -> Sequence[Series]:
    if filtered.users:
        return [one for one in series if one.entity in filtered.users]
    return filtered.series(series)


def _beside(series: Sequence[Series], known: SeriesByCounter, counter: str) -> Sequence[int]:
    """Return, for each series, the id of its entity's ``counter`` series from the same source; 0 if there is
    none.
    """
    kinds = {one.entity.kind for one in series} if counter else set()
    ids = {
        (one.source, one.entity, one.spec.instance): one.id
        for kind in kinds
        for one in known.get((kind, counter), ())
    }
    return [ids.get((one.source, one.entity, one.spec.instance), 0) for one in series]


def _curves(reader: SessionReader, series: Sequence[Series], window: TimeRange) -> Mapping[int, Curve]:
    ids = np.array(sorted({one.id for one in series}), np.int64)
    return {
        number: Curve(frame.times, np.ascontiguousarray(column))
        for frame in PossibleReader(reader, series).read(ids, window)
        for number, column in zip(frame.ids.tolist(), frame.values.T, strict=True)
    }


def _chart(
    title: str,
    series: Sequence[Series],
    curves: Mapping[int, Curve],
    snapshot: Snapshot,
    catalogue: Catalogue,
    limits: EntityLimits,
) -> tuple[ChartSpec, Sequence[NamedCurve]]:
    names = names_of(series, snapshot, catalogue)
    named = [
        NamedCurve(names.own[one.id], one.spec.unit, curves[one.id], series=one.id, whole=names.whole[one.id])
        for one in series
        if one.id in curves
    ]
    ids, heading = tuple(one.id for one in series), names.title(title)
    spec = ChartSpec(title, series[0].spec.unit, ids, "", lines_of(series, limits), heading=heading)
    return spec, named


def _ranked_line(ranked: Ranked, name: str, limits: EntityLimits) -> OverviewLine:
    series = ranked.series
    bounds = limits.of(series.counter, series.entity)
    state = (bounds.state(ranked.value) if bounds else "") or "none"
    value = format_value(ranked.value, series.spec.unit)
    return OverviewLine(name, value, state, series.entity, series.id)


def _duration(event: Event) -> str:
    return f" ({format_duration((event.until - event.at) / 1000)})" if event.until > event.at else ""
