"""The findings of a report: evidence against its limits, a chart, causes told apart, what to do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from resources.foreign_text import shown
from resources.units import format_count, format_duration, format_value
from sessions.findings import Evidence, Finding
from sessions.times import joined
from sessions.verdict_wording import covered_text, limits_of, reach_text, verdict_title
from viewmodels.chart_sets import charts_of_finding, window_around
from viewmodels.chart_spec import ChartSpec
from viewmodels.finding_labels import by_verdict, change_rows, evidence_row, lookup_in
from viewmodels.finding_order import Identity, families, identity
from viewmodels.report.chart_reading import figure_of
from viewmodels.report.document import (
    Block,
    Cause,
    Causes,
    Cell,
    Column,
    Figure,
    Heading,
    Section,
    Steps,
    Table,
    paragraph,
)
from viewmodels.report.material import Material

_IN_FULL, _WITH_CHARTS, _CHARTS, _LISTED = 30, 20, 2, 300
_FOLLOWERS = 12
_ALIKE = 3
"""Of a problem that many entities have, so many are told in full."""
_EVIDENCE = 12
_PUT_CHARTS = 6
_FINDINGS = "findings"


def findings_section(material: Material) -> Section:
    """Return all findings: the first of each kind in full, the others in a table."""
    groups = families(material.findings)
    causes = [one for one in material.findings if identity(one) in groups]
    full, rest = _chosen(causes)
    blocks: list[Block] = list(_verdict(material))
    for number, finding in enumerate(full):
        material.work.check()
        charts = _CHARTS if number < _WITH_CHARTS else 0
        follow = groups[identity(finding)]
        blocks += _finding(number + 1, finding, follow, material, charts, _anchor(number + 1))
    if rest:
        blocks += [Heading("Likewise", "in a line each"), _listed(rest, material)]
    title = verdict_title(material.verdict)
    return Section(_FINDINGS, "Findings", title, tuple(blocks))


def put_finding(finding: Finding, material: Material, anchor: str) -> tuple[Block, ...]:
    """Return one finding in full, with all its charts, whose anchors begin with ``anchor``."""
    follow = families(material.findings).get(identity(finding), ())
    return tuple(_finding(0, finding, follow, material, _PUT_CHARTS, anchor))


def anchors_of_findings(material: Material) -> dict[Identity, str]:
    """Return where each finding stands, by its identity: in full, else in the section of all."""
    groups = families(material.findings)
    full, rest = _chosen([one for one in material.findings if identity(one) in groups])
    found = {identity(one): _FINDINGS for one in rest}
    return {**found, **{identity(one): _anchor(number) for number, one in enumerate(full, start=1)}}


def _anchor(number: int) -> str:
    """Sections of findings that were put in are called finding-1: no two things may have one anchor."""
    return f"found-{number}"


def _chosen(causes: Sequence[Finding]) -> tuple[list[Finding], list[Finding]]:
    """Return what is told in full, and the rest."""
    seen: dict[tuple[str, str], int] = {}
    full: list[Finding] = []
    rest: list[Finding] = []
    for finding in causes:
        kind = finding.problem, finding.severity
        seen[kind] = seen.get(kind, 0) + 1
        is_told = seen[kind] <= (1 if finding.severity == "info" else _ALIKE)
        (full if is_told and len(full) < _IN_FULL else rest).append(finding)
    return full, rest


def _verdict(material: Material) -> Iterator[Block]:
    verdict = material.verdict
    reach = reach_text(verdict, material.clock.moment)
    covered = covered_text(verdict)
    yield paragraph(f"{reach}{f': {covered}' if covered else ''}.")
    for note in material.notes:
        yield paragraph(note, style="muted")
    if not verdict.counts.troubles:
        yield from (paragraph(line, style="muted") for line in limits_of(verdict)[:3])


def _finding(
    number: int,
    finding: Finding,
    followers: Sequence[Finding],
    material: Material,
    charts: int,
    anchor: str,
) -> Iterator[Block]:
    name = shown(finding.entity_name, 80)
    counted = f"{number}. " if number else ""
    yield Heading(f"{counted}{shown(finding.title, 120)}: {name}", finding.severity, symbol=finding.severity,
                  anchor=anchor if number else "")  # fmt: skip
    yield paragraph(shown(finding.conclusion, 2000))
    yield paragraph(_when(finding, material), style="muted")
    figures = list(_figures(finding, material, charts, anchor))
    yield from (figure for _, figure in figures)
    if finding.evidence:
        yield _evidence(finding, material, figures)
    if finding.causes:
        rows = (
            Cause(verdict, shown(title), shown(because, 1000))
            for verdict, title, because in by_verdict(finding)
        )
        yield Causes(tuple(rows))
    if finding.remedies:
        yield Heading("What to do", level=4)
        yield Steps(tuple(shown(one, 1000) for one in finding.remedies))
    if changes := change_rows(finding):
        yield Heading("What changed around its beginning", level=4)
        yield Table(
            (Column("When", weight=1.0), Column("What", weight=5.0)),
            tuple((Cell(when, tone="muted"), Cell(shown(what, 400))) for when, what in changes),
        )
    if finding.notes:
        yield Steps(tuple(f"Note: {shown(one, 600)}" for one in finding.notes), is_ordered=False)
    if followers:
        yield Heading("What follows from it", level=4)
        yield Steps(tuple(_followers(followers)), is_ordered=False)


def _followers(followers: Sequence[Finding]) -> Iterator[str]:
    for one in followers[:_FOLLOWERS]:
        yield f"{shown(one.title, 120)}: {shown(one.entity_name, 60)}. {shown(one.conclusion, 400)}"
    if len(followers) > _FOLLOWERS:
        yield f"and {format_count(len(followers) - _FOLLOWERS)} more"


def _when(finding: Finding, material: Material) -> str:
    windows = joined(finding.windows)
    texts = [
        f"{material.clock.window(one, zone=False)} ({format_duration(one.seconds)})" for one in windows[:4]
    ]
    if len(windows) > 4:
        texts.append(f"and {format_count(len(windows) - 4)} more times")
    if finding.share > 0:
        texts.append(f"so in {format_value(finding.share * 100, '%')} of its samples")
    zone = f", times in {material.clock.zone_of(windows[0])}" if windows else ""
    return "; ".join(texts) + zone + "."


def _figures(
    finding: Finding, material: Material, most: int, anchor: str
) -> Iterator[tuple[ChartSpec, Figure]]:
    window = window_around(finding, material.window)
    if window is None or not most:
        return
    snapshot, known = material.snapshot, material.knowledge
    charts = charts_of_finding(finding, snapshot, known.templates, known.limits)
    for number, chart in enumerate(charts[:most], start=1):
        figure = figure_of(chart, window, material)
        if figure is not None:
            yield chart, replace(figure, anchor=f"{anchor}-chart-{number}")


_COLUMNS = (
    Column("Evidence", weight=3.4),
    Column("Measured", is_number=True, weight=1.2),
    Column("Limit", is_number=True, weight=1.1),
    Column("Where the limit is from", weight=3.0),
)


def _evidence(
    finding: Finding, material: Material, figures: Sequence[tuple[ChartSpec, Figure]] = ()
) -> Table:
    lookup = lookup_in(material.knowledge.catalogue, lambda *_: ())
    sources = _limit_sources(finding, material)
    rows = []
    for item in finding.evidence[:_EVIDENCE]:
        row = evidence_row(item, lookup)
        source = sources.get((item.threshold, item.unit), "")
        rows.append(
            (
                Cell(shown(row.what)),
                Cell(row.value, is_bold=True, link=_drawn_in(item, figures, material)),
                Cell(row.limit.removeprefix("limit "), tone="muted"),
                Cell(shown(source), tone="muted"),
            )
        )
    left = len(finding.evidence) - _EVIDENCE
    return Table(_COLUMNS, tuple(rows), f"and {format_count(left)} more numbers." if left > 0 else "")


def _drawn_in(item: Evidence, figures: Sequence[tuple[ChartSpec, Figure]], material: Material) -> str:
    """Return the anchor of the chart with the samples of a number: of its instance, else of its counter."""
    drawn = {
        (one.spec.counter, one.spec.instance): figure.anchor
        for chart, figure in reversed(figures)
        for number in reversed(chart.series)
        if (one := material.snapshot.by_id.get(number)) is not None
    }
    exact = drawn.get((item.counter, item.instance), "")
    return exact or next((anchor for (counter, _), anchor in drawn.items() if counter == item.counter), "")


def _limit_sources(finding: Finding, material: Material) -> dict[tuple[float | None, str], str]:
    """Return where each limit of a card is from, by value and unit: its thresholds name their source."""
    card = next((one for one in material.knowledge.problems.cards if one.id == finding.problem), None)
    if card is None:
        return {}
    return {(one.value, one.unit): one.source for one in reversed(card.thresholds.values())}


def _listed(findings: Sequence[Finding], material: Material) -> Table:
    columns = (Column("Finding", weight=2.2), Column("From – until", weight=1.4), Column("What", weight=4.0))
    rows = []
    for one in findings[:_LISTED]:
        windows = joined(one.windows)
        when = material.clock.window(windows[0], zone=False) if windows else ""
        more = f", {format_count(len(windows) - 1)} more" if len(windows) > 1 else ""
        name = f"{shown(one.title, 120)}: {shown(one.entity_name, 60)}"
        rows.append(
            (
                Cell(name, is_bold=True, symbol=one.severity),
                Cell(when + more, tone="muted"),
                Cell(shown(one.conclusion, 400)),
            )
        )
    left = len(findings) - _LISTED
    note = f"and {format_count(left)} more; 'hyperscope diagnose --json' has all." if left > 0 else ""
    return Table(columns, tuple(rows), note)
