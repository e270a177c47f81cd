"""Before and after: was the load the same, what changed with its interval, and what else differs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from diagnosis.comparison import Comparison, Row
from resources.foreign_text import shown
from resources.units import format_count, format_duration, format_value
from sessions.model import FloatArray
from viewmodels.comparison_curves import OverlaidCurves, overlaid, pair_of
from viewmodels.comparison_texts import (
    cells,
    change_lines,
    counted,
    distinct_ranks,
    event_line,
    headline,
    load_cells,
    much_undecided,
    only_in_one_text,
    same_load,
)
from viewmodels.report.document import (
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
from viewmodels.report.drawing import (
    WIDTH,
    Box,
    Colour,
    Drawing,
    Label,
    Polyline,
    Shape,
    fitted,
    text_width,
)
from viewmodels.report.material import Compared, Material
from viewmodels.report.time_charts import even_parts, joined_points
from viewmodels.value_ticks import value_ticks

_ROWS, _UNDECIDED, _CHARTS, _EACH, _EVENTS = 25, 5, 3, 6, 15
_POINTS, _TITLE = 280, 60
_TONES: dict[str, Tone] = {"better": "ok", "worse": "critical", "to know": "info"}


def comparison_sections(material: Material) -> Iterator[Section]:
    """Yield a section for each comparison, in the order in which they were asked for."""
    for number, compared in enumerate(material.comparisons, start=1):
        material.work.check()
        key = "comparison" if len(material.comparisons) == 1 else f"comparison-{number}"
        yield _section(key, compared, material)


def _section(key: str, compared: Compared, material: Material) -> Section:
    found = compared.comparison
    ranks = distinct_ranks(found, _ROWS, _UNDECIDED)
    rows = list(found.rows([*ranks.changed, *ranks.undecided], lambda _part: material.work.check()))
    changed = [row for row in rows if row.verdict in {"higher", "lower"}]
    blocks: list[Block] = [*_answer(compared, material), *_load(found, material)]
    if changed:
        firsts = {row.counter: row for row in reversed(changed)}  # of a counter that many share, one chart
        drawn = [one for one in changed if firsts[one.counter] is one][:_CHARTS]
        anchors = {id(row): f"{key}-chart-{number}" for number, row in enumerate(drawn, start=1)}
        blocks.append(Heading("What changed", "what matters most first"))
        blocks.append(_table(changed, found, material, anchors))
        for row in drawn:
            material.work.check()
            blocks.append(replace(_figure(row, found, material), anchor=anchors[id(row)]))
    undecided = [row for row in rows if row.verdict == "undecided"]
    if undecided:
        blocks.append(Heading("Undecided: the interval is too wide to tell", level=4))
        catalogue = material.knowledge.catalogue
        texts = (f"{one.name}, {one.counter}: {one.a} → {one.b}. {shown(row.why)}"
                 for row in undecided for one in (cells(row, catalogue),))  # fmt: skip
        blocks.append(Steps(tuple(texts), is_ordered=False))
    blocks += _rest(found, material)
    a, b = (shown(one, _TITLE) for one in compared.titles)
    title = "Before and after" if compared.titles == ("before", "after") else f"Compared: {a} with {b}"
    return Section(key, title, headline(found).rstrip("."), tuple(blocks))


def _answer(compared: Compared, material: Material) -> Iterator[Block]:
    windows, clock = compared.windows, material.clock
    sides = zip("AB", compared.titles, (windows.a, windows.b), strict=True)
    for letter, title, window in sides:
        long = format_duration(window.seconds)
        yield paragraph(f"{letter}, {shown(title, _TITLE)}: {clock.window(window)}, {long}.")
    if windows.chosen:
        yield paragraph(windows.chosen, style="muted")
    found = compared.comparison
    worse = found.judged.get("worse", 0)
    calm: Tone = "info" if much_undecided(found) and not found.judged.get("better") else "ok"
    yield Callout("warning" if worse else calm, headline(found), counted(found))


def _load(found: Comparison, material: Material) -> Iterator[Block]:
    yield Heading(f"Was the load the same? {same_load(found).capitalize()}.")
    yield paragraph(found.load.because)
    rows = []
    for row in found.load.rows:
        title, numbers, verdict = load_cells(row)
        rows.append((Cell(title), Cell(numbers), Cell(row.of, tone="muted"), Cell(verdict)))
    if rows:
        columns = Column("Load", weight=2.0), Column("A → B", weight=2.0), Column("Of", weight=2.0)
        yield Table((*columns, Column("Verdict", weight=1.2)), tuple(rows))
    once = [only_in_one_text(one, material.clock) for one in found.load.only_in_one]
    if once:
        yield Steps(tuple(once), is_ordered=False)


_COLUMNS = (
    Column("What", weight=2.0),
    Column("Counter", weight=1.7),
    Column("A mean", is_number=True),
    Column("B mean", is_number=True),
    Column("Change", is_number=True),
    Column("95 % interval", is_number=True, weight=1.9),
    Column("p95, A → B", is_number=True, weight=1.8),
    Column("Judged", weight=0.9),
)


def _table(rows: Sequence[Row], found: Comparison, material: Material, anchors: Mapping[int, str]) -> Table:
    """``anchors`` are those of charts, by the ``id`` of the row that is drawn."""
    drawn = []
    for row in rows:
        one = cells(row, material.knowledge.catalogue)
        tone = _TONES.get(one.judged, "plain")
        drawn.append(
            (
                Cell(one.name, is_bold=True),
                Cell(one.counter),
                Cell(one.a, tone="muted"),
                Cell(one.b),
                Cell(
                    one.change,
                    is_bold=True,
                    tone=tone if tone in ("ok", "critical") else "plain",
                    link=anchors.get(id(row), ""),
                ),
                Cell(one.interval, tone="muted"),
                Cell(one.p95, tone="muted"),
                Cell(one.judged, tone=tone),
            )
        )
    left = found.counts["higher"] + found.counts["lower"] - len(rows)
    note = f"and {format_count(left)} more; 'hyperscope compare --json' has all." if left > 0 else ""
    return Table(_COLUMNS, tuple(drawn), note)


def _figure(row: Row, found: Comparison, material: Material) -> Figure:
    one = cells(row, material.knowledge.catalogue)
    curves = overlaid(found, pair_of(found, row))
    title = f"{one.name}, {one.counter}"
    return Figure(title, "A and B over each other, minutes from the start of each", _drawn(curves, title))


def _drawn(curves: OverlaidCurves, title: str) -> Drawing:
    left, top, bottom = 58.0, 8.0, 128.0
    sides = [_reduced(*one) for one in (curves.a, curves.b)]
    longest = max((float(minutes[-1]) for minutes, _ in sides if minutes.size), default=1.0) or 1.0
    values = [value for _, ys in sides for value in ys.tolist() if math.isfinite(value)]
    highest = max([*values, 0.0]) * 1.08 or 1.0

    def x(minute: float) -> float:
        return left + min(max(minute / longest, 0.0), 1.0) * (WIDTH - left - 10)

    def y(value: float) -> float:
        return bottom - min(max(value / highest, 0.0), 1.05) * (bottom - top)

    shapes: list[Shape] = []
    for tick in value_ticks(0.0, highest, 4)[0]:
        shapes.append(Polyline(((left, y(tick)), (WIDTH - 10, y(tick))), "line", 0.6))
        shapes.append(Label(left - 5, y(tick) + 4, fitted(format_value(tick, curves.unit), 54), anchor="end"))
    minutes_at = value_ticks(0.0, longest, 8)[0]
    for tick in minutes_at:
        text, at = f"{tick:g} min", x(tick)
        is_last = at + text_width(text) / 2 > WIDTH
        shapes.append(
            Label(at, bottom + 15, text, anchor="start" if not tick else "end" if is_last else "middle")
        )
    colours: tuple[Colour, Colour] = ("series4", "series1")
    for out, _colour in zip(curves.left_out, colours, strict=True):
        shapes += [
            Box(x(begin), top, max(x(end) - x(begin), 1), bottom - top, "muted", 0.1) for begin, end in out
        ]
    for (minutes, ys), colour in zip(sides, colours, strict=True):
        points = [y(value) if math.isfinite(value) else math.nan for value in ys.tolist()]
        for part in joined_points([x(minute) for minute in minutes.tolist()], points):
            shapes.append(Polyline(part, colour))
    for at, (name, colour) in enumerate(zip(("A, before", "B, after"), colours, strict=True)):
        shapes.append(Box(left + at * 90, bottom + 25, 12, 3, colour))
        shapes.append(Label(left + at * 90 + 16, bottom + 30, name, "text"))
    return Drawing(bottom + 38, tuple(shapes), f"{title}: before and after over each other")


def _reduced(minutes: FloatArray, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return at most _POINTS points: the mean of as many samples each, NaN where none is present."""
    if minutes.size <= _POINTS:
        return minutes, values
    parts = even_parts(minutes.size, _POINTS)
    means = [
        float(np.nanmean(values[part])) if np.isfinite(values[part]).any() else math.nan for part in parts
    ]
    return np.array([float(minutes[part].mean()) for part in parts]), np.array(means)


def _rest(found: Comparison, material: Material) -> Iterator[Block]:
    lines = change_lines(found.changes, _EACH)
    lines += [
        f"{shown(one.counter)} only in {one.side.upper()}, of {format_count(one.entities)} entities"
        for one in found.counters[:_EACH]
    ]
    if lines:
        yield Heading("What else differs", level=4)
        yield Steps(tuple(lines), is_ordered=False)
    if found.events:
        yield Heading("What happened in between, perhaps why", level=4)
        records = found.records[1]
        texts = (
            event_line(event, records.name(event.entity, event.at) if event.entity else "", material.clock)
            for event in found.events[-_EVENTS:]
        )
        yield Steps(tuple(texts), is_ordered=False)
