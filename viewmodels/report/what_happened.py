"""The timeline of a report: findings, events and notes on one axis, then the events in a table."""

from __future__ import annotations

from collections.abc import Sequence

from diagnosis.session_events import told_text
from resources.foreign_text import shown
from resources.units import format_count, format_duration
from sessions.model import Event
from viewmodels.report.document import Block, Cell, Column, Figure, Section, Table, paragraph
from viewmodels.report.material import Material
from viewmodels.report.timeline_drawing import timeline_drawing
from viewmodels.timeline import TimelineContent
from viewmodels.timeline_content import finding_bars, load_series, read_load, source_lanes

_MOST_BARS, _MOST_EVENTS = 2000, 200


def timeline_section(material: Material) -> Section | None:
    """Return the timeline; None for a session without samples."""
    if material.window is None:
        return None
    snapshot, known = material.snapshot, material.knowledge
    load = load_series((), snapshot, known.headlines, known.catalogue)
    events = [
        one for one in snapshot.events if one.at <= material.window.end and one.until >= material.window.start
    ]
    content = TimelineContent(
        span=material.window,
        load=read_load(material.reader, load, material.window, material.work.check),
        bars=finding_bars(material.findings)[:_MOST_BARS],
        events=events,
        marks=snapshot.marks,
        sources=source_lanes(snapshot),
    )
    drawn = timeline_drawing(content, material.clock)
    blocks: list[Block] = []
    if drawn is not None:
        blocks.append(Figure("Findings, events and what was recorded", "", drawn))
    blocks.append(
        _events(events, material) if events else paragraph("No events were recorded.", style="muted")
    )
    zone = material.clock.zone_of(material.window)
    return Section("timeline", "Timeline", f"times in {zone}", tuple(blocks))


def _events(events: Sequence[Event], material: Material) -> Table:
    columns = (
        Column("When", weight=1.3),
        Column("What", weight=1.3),
        Column("Of", weight=1.4),
        Column("Said", weight=4.0),
    )
    chosen = _most_telling(events, material)
    rows = []
    for event in chosen:
        took = f" ({format_duration((event.until - event.at) / 1000)})" if event.until > event.at else ""
        by = f", by {shown(event.by, 60)}" if event.by else ""
        rows.append(
            (
                Cell(material.clock.day_time(event.at) + took, tone="muted"),
                Cell(shown(event.kind, 60)),
                Cell(shown(material.snapshot.name(event.entity), 60) if event.entity else ""),
                Cell(shown(told_text(event), 240) + by),
            )
        )
    left = len(events) - len(chosen)
    note = ""
    if left:
        note = f"and {format_count(left)} more events; 'hyperscope export --csv' writes all of them."
    return Table(columns, tuple(rows), note)


def _most_telling(events: Sequence[Event], material: Material) -> list[Event]:
    """Of too many events those of entities with findings first, in the order of time."""
    if len(events) <= _MOST_EVENTS:
        return list(events)
    found = {one.entity for one in material.findings}
    of_findings = [one for one in events if one.entity in found][:_MOST_EVENTS]
    others = [one for one in events if one.entity not in found][: _MOST_EVENTS - len(of_findings)]
    return sorted([*of_findings, *others], key=lambda one: one.at)
