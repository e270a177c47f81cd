"""Draws the timeline of a report: load, bars of findings, events and notes, and when sources recorded."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from resources.foreign_text import shown
from resources.units import format_count, format_value
from sessions.clock import Clock
from sessions.findings import Severity
from sessions.times import TimeRange
from viewmodels.host_domains import shared_domain, without
from viewmodels.report.drawing import (
    WIDTH,
    Area,
    Box,
    Colour,
    Dot,
    Drawing,
    Label,
    Polyline,
    Shape,
    fitted,
    text_width,
)
from viewmodels.report.time_charts import TimeAxis, joined_points
from viewmodels.timeline import Bar, Load, SourceLane, TimelineContent

_LEFT = 58.0
_LOAD, _ROW, _MAX_ROWS, _LANE = 34.0, 23.0, 10, 12.0
_COLOURS: dict[Severity, Colour] = {"critical": "critical", "warning": "warning", "info": "info"}
_NAME = 50


def timeline_drawing(content: TimelineContent, clock: Clock) -> Drawing | None:
    """Return the drawing; None for a session without samples."""
    if content.span is None:
        return None
    axis = TimeAxis(content.span, clock)
    shapes: list[Shape] = []
    y = 8.0
    if content.load.times.size:
        y += 12
        shapes += _load(content.load, axis, y)
        y += _LOAD + 4
    rows = _rows(content.bars)
    for bars in rows[:_MAX_ROWS]:
        shapes += _bars(bars, axis, y)
        y += _ROW
    if len(rows) > _MAX_ROWS:
        more = sum(len(bars) for bars in rows[_MAX_ROWS:])
        shapes.append(Label(_LEFT, y + 9, f"and {format_count(more)} bars more"))
        y += _ROW
    shapes += _moments(content, axis, y + 6)
    y += 16
    domain = shared_domain([lane.name for lane in content.sources])
    for lane in content.sources:
        shapes += _lane(lane, without(domain, lane.name), axis, y)
        y += _LANE
    bottom = y + 4
    return Drawing(bottom + 18, (*axis.labels(bottom), *shapes), _spoken(content, clock))


def _load(load: Load, axis: TimeAxis, y: float) -> Iterator[Shape]:
    top = load.top
    if not math.isfinite(top) or top <= 0:
        return
    xs = [axis.x(at) for at in load.times.tolist()]
    ys = [
        y + _LOAD * (1 - value / top) if math.isfinite(value) else math.nan for value in load.values.tolist()
    ]
    for part in joined_points(xs, ys):
        base = y + _LOAD
        yield Area((*part, (part[-1][0], base), (part[0][0], base)), "series1", 0.18)
        if len(part) > 1:
            yield Polyline(part, "series1", 1.0)
    yield Label(
        _LEFT, y - 4, fitted(f"{shown(load.label, _NAME)}, up to {format_value(top, load.unit)}", 500)
    )


def _rows(bars: Sequence[Bar]) -> list[list[Bar]]:
    """Put the bars of each finding in one row; findings that don't overlap share a row."""
    by_text: dict[str, list[Bar]] = {}
    for bar in bars:
        by_text.setdefault(bar.text, []).append(bar)
    return list(by_text.values())


def _bars(bars: Sequence[Bar], axis: TimeAxis, y: float) -> Iterator[Shape]:
    """Yield the bars of a finding below its name, which begins with them where it has room."""
    text = fitted(shown(bars[0].text, 90), WIDTH - _LEFT - 10)
    begin = axis.x(min(bar.window.start for bar in bars))
    yield Label(max(min(begin, WIDTH - 10 - text_width(text)), _LEFT), y + 10, text, "text")
    for bar in bars:
        x = axis.x(bar.window.start)
        yield Box(x, y + 13, max(axis.x(bar.window.end) - x, 2.0), 8, _COLOURS[bar.severity])


def _moments(content: TimelineContent, axis: TimeAxis, y: float) -> Iterator[Shape]:
    yield Polyline(((_LEFT, y), (WIDTH - 10, y)), "axis", 0.8)
    seen: set[int] = set()
    for event in content.events:
        at = round(axis.x(event.at))
        if at not in seen and axis.window.contains(event.at):
            seen.add(at)
            yield Dot(at, y, 2.0, "muted")
    for mark in content.marks:
        if axis.window.contains(mark.at):
            yield Dot(axis.x(mark.at), y, 3.2, "info")
    yield Label(4, y + 4, "events")


def _lane(lane: SourceLane, name: str, axis: TimeAxis, y: float) -> Iterator[Shape]:
    x = axis.x(lane.window.start)
    yield Box(x, y + 3, max(axis.x(lane.window.end) - x, 1.5), 4, "ok", 0.75)
    for gap in lane.gaps:
        if gap.is_partial:
            continue
        part = gap.window.intersect(TimeRange(lane.window.start, max(lane.window.end, lane.window.start)))
        if part is not None:
            at = axis.x(part.start)
            yield Box(at, y + 2, max(axis.x(part.end) - at, 1.5), 6, "warning")
    yield Label(4, y + 9, fitted(shown(name, _NAME), _LEFT - 6))


def _spoken(content: TimelineContent, clock: Clock) -> str:
    assert content.span is not None
    bars = [f"{shown(bar.text, 90)}, {clock.window(bar.window, zone=False)}" for bar in content.bars[:20]]
    counts = f"{format_count(len(content.events))} events, {format_count(len(content.marks))} notes"
    return "; ".join([clock.window(content.span), *bars, counts])
