"""The result of a guided test as a section of a report: verdict first, then validity, numbers, raw rounds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from resources.foreign_text import shown
from resources.units import format_value
from sessions.clock import Clock
from sessions.journal import TestRun
from sessions.store import SessionReader
from sessions.times import TimeRange
from viewmodels.health import SPOKEN, Health
from viewmodels.report.document import (
    TONES,
    Block,
    Callout,
    Cell,
    Column,
    Figure,
    Heading,
    Section,
    Steps,
    Table,
    Tone,
    paragraph,
)
from viewmodels.report.drawing import Box, Drawing, Label, Shape, fitted
from viewmodels.report.time_charts import PLOT_HEIGHT, PLOT_TOP, DrawnCurve, TimeAxis, bucketed, time_chart
from wizards.flows.chart_values import ChangeChart, Interval, PointChart, ShareBar, StepChart, TimeChart
from wizards.flows.result_sheet import FactList, RawTable, ResultSheet
from wizards.flows.run_reading import RunKnowledge, result_page

_MOST_RUNS, _CURVES = 20, 8


def guided_tests(reader: SessionReader, known: RunKnowledge, clock: Clock) -> list[Section]:
    """Return a section for each test run of a session, in the order in which they ran."""
    sections = []
    for number, run in enumerate(reader.test_runs()[:_MOST_RUNS], start=1):
        sheet = result_page(reader, run.id, known)
        if sheet is not None:
            sections.append(_section(number, run, sheet, known, clock))
    return sections


def _section(number: int, run: TestRun, sheet: ResultSheet, known: RunKnowledge, clock: Clock) -> Section:
    test = known.tests.tests.get(run.test)
    title = test.title if test is not None else shown(run.test, 60)
    when = clock.window(TimeRange(run.start, max(run.end or run.start, run.start)))
    head = sheet.head
    blocks: list[Block] = [
        Callout(_tone(head.state), head.line, head.sentence, tuple(one.text for one in head.chips)),
        *_facts(sheet.validity, _VALIDITY),
    ]
    if sheet.shares:
        blocks += [Heading("What each got of what was due"), _shares(sheet.shares)]
    if sheet.steps:
        blocks += [Heading(sheet.steps_title[0] or "By step", sheet.steps_title[1]), _steps(sheet.steps)]
    if sheet.changes is not None:
        blocks += [Heading(sheet.changes.title, sheet.changes.note), _changes(sheet.changes)]
    for chart in sheet.points:
        blocks += [Heading(chart.title, chart.note), _points(chart)]
    if sheet.run is not None and sheet.run.window is not None and sheet.run.curves:
        blocks.append(_whole_run(sheet.run, sheet.run.window, clock))
    if sheet.raw is not None:
        blocks += [Heading("Raw numbers"), _raw(sheet.raw)]
    if sheet.notes is not None:
        blocks += _facts(sheet.notes, _NOTED)
    blocks += _facts(sheet.put_back, _UNDONE)
    if sheet.steps_by_hand:
        blocks += [Heading("To be set back by hand"), Steps(tuple(sheet.steps_by_hand.split("\n")))]
    blocks += [paragraph(text, style="muted") for text in sheet.foot if text]
    return Section(f"test-{number}", f"Guided test: {title}", f"{shown(run.id, 40)}, {when}", tuple(blocks))


def _tone(state: Health) -> Tone:
    return TONES.get(state, "plain")


_VALIDITY = ("Condition", "Measured", "Limit", "")
_NOTED = ("What", "Told", "", "")
_UNDONE = ("Change", "What became of it", "When", "")
_HOLDS: dict[Health, str] = {**SPOKEN, "ok": "holds", "none": "not known", "part": "", "info": ""}


def _facts(facts: FactList, heads: tuple[str, ...]) -> Iterator[Block]:
    if not facts.lines:
        return
    yield Heading(facts.title, facts.chip.text if facts.chip is not None else "")
    columns = tuple(
        Column(head, weight=weight) for head, weight in zip(heads, (2.2, 3.4, 1.6, 0.9), strict=True)
    )
    rows = []
    for one in facts.lines:
        word = _HOLDS.get(one.state, "")
        if heads is not _VALIDITY and one.state not in ("critical", "warning"):
            word = ""
        cells = (Cell(one.title, is_bold=True), Cell(one.text), Cell(one.limit, tone="muted"))
        rows.append((*cells, Cell(word, tone=_tone(one.state))))
    yield Table(columns, tuple(rows))


def _bounds(interval: Interval | None, unit: str) -> str:
    return "" if interval is None else f"{format_value(interval[0], '')} – {format_value(interval[1], unit)}"


def _shares(bars: Sequence[ShareBar]) -> Table:
    columns = (
        Column("Worker", weight=2.0),
        Column("Due", is_number=True),
        Column("Got", is_number=True),
        Column("95 % interval", is_number=True, weight=1.4),
        Column("Got by due", is_number=True),
    )
    rows = tuple(
        (
            Cell(shown(one.worker, 60), is_bold=True),
            Cell("" if one.due is None else format_value(one.due, "%"), tone="muted"),
            Cell(format_value(one.got, "%"), is_bold=True),
            Cell(_bounds(one.interval, "%"), tone="muted"),
            Cell("" if one.ratio is None else format_value(one.ratio, ""), tone=_honoured(one.is_honoured)),
        )
        for one in bars
    )
    return Table(columns, rows)


def _honoured(is_honoured: bool | None) -> Tone:
    return "plain" if is_honoured is None else "ok" if is_honoured else "warning"


def _steps(charts: Sequence[StepChart]) -> Table:
    columns = (
        Column("Step", weight=2.6),
        Column("Number", weight=1.0),
        Column("Mean", is_number=True),
        Column("95 % interval", is_number=True, weight=1.5),
        Column("Each round", is_number=True, weight=2.2),
    )
    rows = [
        (
            Cell(shown(column.title, 80), is_bold=True),
            Cell(chart.name),
            Cell(format_value(column.mean, chart.unit), is_bold=True),
            Cell(_bounds(column.interval, chart.unit), tone="muted"),
            Cell(", ".join(format_value(one, "") for one in column.rounds), tone="muted"),
        )
        for chart in charts
        for column in chart.columns
    ]
    note = "; ".join(f"{chart.name}: {chart.change}" for chart in charts if chart.change)
    return Table(columns, tuple(rows), note)


def _changes(chart: ChangeChart) -> Table:
    columns = Column("What", weight=3.0), Column("Change", is_number=True), Column("Interval", is_number=True)
    rows = tuple(
        (
            Cell(shown(one.name, 100), is_bold=True),
            Cell(one.text, is_bold=True, tone=_tone(one.state)),
            Cell(_bounds(one.interval, "%"), tone="muted"),
        )
        for one in chart.bars
    )
    floor = f"Noise floor {_bounds(chart.floor, '%')}." if chart.floor is not None else ""
    return Table(columns, rows, floor)


def _points(chart: PointChart) -> Table:
    columns = (
        Column("Row", weight=2.0),
        Column(chart.x_name, is_number=True),
        Column("Value", is_number=True),
        Column("95 % interval", is_number=True, weight=1.5),
    )
    rows = tuple(
        (
            Cell(shown(row.name, 60) + (" (computed)" if row.is_model else ""), is_bold=True),
            Cell(format_value(point.x, "")),
            Cell(format_value(point.y, chart.y_unit), is_bold=True),
            Cell(_bounds(point.interval, chart.y_unit), tone="muted"),
        )
        for row in chart.rows
        for point in row.points
    )
    return Table(columns, rows, chart.band[1] if chart.band is not None else "")


def _raw(raw: RawTable) -> Table:
    """Return the raw numbers; each column is as wide as its longest word."""
    columns = []
    for number, (head, is_number) in enumerate(raw.heads):
        words = [*head.split(), *(row[number].text for row in raw.rows)]
        columns.append(Column(head, is_number, max(4.0, *(len(word) + 1.5 for word in words))))
    rows = tuple(tuple(Cell(one.text, one.is_bold, _tone(one.state)) for one in row) for row in raw.rows)
    return Table(tuple(columns), rows)


def _whole_run(chart: TimeChart, window: TimeRange, clock: Clock) -> Figure:
    curves = [DrawnCurve(one.name, bucketed(chart.times, one.values)) for one in chart.curves[:_CURVES]]
    axis = TimeAxis(window, clock)
    drawn = time_chart(chart.unit, curves, axis)
    shapes: list[Shape] = []
    for number, band in enumerate(chart.bands):
        part = band.window.intersect(window)
        if part is None:
            continue
        x, end = axis.x(part.start), axis.x(part.end)
        if number % 2 == 0:
            shapes.append(Box(x, PLOT_TOP, max(end - x, 0.5), PLOT_HEIGHT, "info", 0.07))
        if end - x > 24:
            shapes.append(Label(x + 3, PLOT_TOP + 10, fitted(shown(band.label, 30), end - x - 4)))
    left = len(chart.curves) - len(curves)
    note = f"{left} more workers in the session" if left > 0 else "each worker, not stacked"
    return Figure(chart.title, note, Drawing(drawn.height, (*shapes, *drawn.shapes), drawn.spoken))
