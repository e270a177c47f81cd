"""The tables of an export besides samples: entities, facts, events, marks, gaps and findings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sessions.clock import Clock
from sessions.current_records import with_current_names
from sessions.export.columns import Cell
from sessions.export.part import ExportPart
from sessions.findings import Finding
from sessions.model import Entity, EntityRef
from sessions.store import SessionReader

Row = tuple[Cell, ...]
RecordTable = tuple[Sequence[str], list[Row]]
"""Names of the columns, and the rows."""


def record_tables(session: SessionReader, part: ExportPart, clock: Clock) -> dict[str, RecordTable]:
    """Return the tables by name; missing values are empty cells."""
    return {
        "entities": (
            ("kind", "key", "name", "parent_kind", "parent_key"),
            [_entity_row(entity) for entity in _entities(session) if part.has(entity.ref)],
        ),
        "facts": (("kind", "entity_key", "fact", "value", "from", "until"), _fact_rows(session, part, clock)),
        "events": (
            ("time", "end", "what", "kind", "entity_key", "text", "by", "log"),
            _event_rows(session, part, clock),
        ),
        "marks": (
            ("time", "text"),
            [(clock.iso(mark.at), mark.text) for mark in session.marks() if part.touches(mark.at, mark.at)],
        ),
        "gaps": (
            ("source", "kind", "entity_key", "from", "until", "ticks", "reason"),
            _gap_rows(session, part, clock),
        ),
        "findings": (
            ("problem", "severity", "kind", "entity", "from", "until", "share", "conclusion"),
            _finding_rows(session, part, clock),
        ),
    }


def _entities(session: SessionReader) -> Iterable[Entity]:
    return with_current_names(session.entities(), session.facts()).values()


def _entity_row(entity: Entity) -> Row:
    return (*_ref_cells(entity.ref), entity.name, *_ref_cells(entity.parent))


def _ref_cells(ref: EntityRef | None) -> tuple[str, str]:
    return (ref.kind, ref.key) if ref else ("", "")


def _fact_rows(session: SessionReader, part: ExportPart, clock: Clock) -> list[Row]:
    return [
        (
            *_ref_cells(f.entity),
            f.name,
            f.value,
            clock.iso(f.start),
            clock.iso(f.end) if f.end is not None else None,
        )
        for f in session.facts()
        if part.has(f.entity) and part.touches(f.start, f.end)
    ]


def _event_rows(session: SessionReader, part: ExportPart, clock: Clock) -> list[Row]:
    return [
        (
            clock.iso(e.at),
            None if e.end is None else clock.iso(e.end),
            e.kind,
            *_ref_cells(e.entity),
            e.text,
            e.by,
            e.log,
        )
        for e in session.events()
        if part.has(e.entity) and part.touches(e.at, e.until)
    ]


def _gap_rows(session: SessionReader, part: ExportPart, clock: Clock) -> list[Row]:
    names = {source.id: source.spec.name for source in session.sources()}
    return [
        (names.get(g.source), *_ref_cells(g.entity), clock.iso(g.start), clock.iso(g.end), g.ticks, g.reason)
        for g in session.gaps()
        if part.has_source(g.source) and part.has(g.entity) and part.touches(g.start, g.end)
    ]


def _finding_rows(session: SessionReader, part: ExportPart, clock: Clock) -> list[Row]:
    return [
        (f.problem, f.severity, f.entity.kind, f.entity_name, *_ends(f, clock), f.share, f.conclusion)
        for f in session.findings()
        if part.has(f.entity) and _in_time(f, part)
    ]


def _ends(finding: Finding, clock: Clock) -> tuple[str | None, str | None]:
    """The beginning of its first window and the end of its last one."""
    if not finding.windows:
        return None, None
    starts, ends = (one.start for one in finding.windows), (one.end for one in finding.windows)
    return clock.iso(min(starts)), clock.iso(max(ends))


def _in_time(finding: Finding, part: ExportPart) -> bool:
    return not finding.windows or any(part.touches(one.start, one.end) for one in finding.windows)
