"""Makes the content of the timeline from a session: load of the scope, bars of findings, lanes of sources."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from resources.catalogue import Catalogue
from resources.views import Headline
from sessions.findings import Finding
from sessions.model import EntityRef
from sessions.store import SessionReader
from sessions.times import TimeRange
from sessions.verdicts import Verdict
from viewmodels.buckets import Buckets, BucketTotals, line_points
from viewmodels.headlines import common_headline
from viewmodels.possible_samples import limits_of, possible_parts
from viewmodels.snapshot import Snapshot
from viewmodels.source_gaps import gap_bars
from viewmodels.timeline import Bar, Load, SourceLane

MAX_LANES = 6
"""The number of sources that get a lane of their own; the timeline has no room for more."""

_BUCKETS = 400
_MAX_LOAD_SERIES = 16


@dataclass(frozen=True, slots=True)
class LoadSeries:
    """The series whose mean is the load curve, with their counter and its label; without ``ids`` no load."""

    ids: tuple[int, ...] = ()
    label: str = ""
    unit: str = ""
    counter: str = ""


def load_series(
    entities: Sequence[EntityRef], snapshot: Snapshot, headlines: Mapping[str, Headline], catalogue: Catalogue
) -> LoadSeries:
    """Return the series for the load curve: the headline counter of these entities, or of all hosts
    if none.
    """
    chosen = entities or tuple(ref for ref in snapshot.entities if ref.kind == "host")
    found = common_headline(chosen, snapshot, headlines)[:_MAX_LOAD_SERIES]
    known = catalogue.get(found[0].counter) if found else None
    if known is None:
        return LoadSeries()
    first = found[0]
    return LoadSeries(tuple(one.id for one in found), known.label, first.spec.unit, first.counter)


def read_load(reader: SessionReader, series: LoadSeries, span: TimeRange, check: Callable[[], None]) -> Load:
    """Read the load curve: the mean of the series in 400 buckets over the session.

    ``check`` is called between two series and may raise to cancel.
    """
    buckets = Buckets(span, _BUCKETS)
    totals = BucketTotals(buckets)
    for number in series.ids:
        check()
        found = reader.overview(number, span, _BUCKETS)
        totals.add_overview(possible_parts(found, limits_of(series.counter, series.unit)))
    return Load(series.label, series.unit, *line_points(buckets.middles, totals.mean()))


def unjudged_range(verdict: Verdict, span: TimeRange | None, behind_ms: int) -> TimeRange | None:
    """Return the part of the session that was not judged; None if that is at most ``behind_ms``."""
    if span is None:
        return None
    to = verdict.judged_to
    if to is None or not verdict.is_judged:
        return span
    return TimeRange(to, span.end) if span.end - to > behind_ms else None


def finding_bars(findings: Iterable[Finding]) -> list[Bar]:
    """Return a bar for each window of each root cause; consequences and mere information have no bar."""
    return [
        Bar(window, finding.severity, f"{finding.title}: {finding.entity_name}", finding)
        for finding in findings
        if finding.severity != "info" and finding.consequence_of is None
        for window in finding.windows
    ]


def source_lanes(snapshot: Snapshot) -> list[SourceLane]:
    """Return a lane for each source that has samples, with its gaps.

    Of more than MAX_LANES sources, the last lane is that of all others together, with the gaps of each.
    """
    lanes = [
        SourceLane(source.spec.name, TimeRange(source.start, source.end), gap_bars(source.id, snapshot))
        for source in snapshot.sources
        if source.start is not None and source.end is not None
    ]
    if len(lanes) <= MAX_LANES:
        return lanes
    others = lanes[MAX_LANES - 1 :]
    window = TimeRange(min(one.window.start for one in others), max(one.window.end for one in others))
    gaps = [replace(gap, reason=f"{one.name}: {gap.reason}") for one in others for gap in one.gaps]
    gaps.sort(key=lambda gap: (not gap.is_partial, gap.window))
    return [*lanes[: MAX_LANES - 1], SourceLane(f"{len(others)} more sources", window, gaps)]
