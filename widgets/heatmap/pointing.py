"""What the heat map tells about a point: entity, time, value, and the findings of that entity there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from PySide6.QtCore import QPoint

from resources.foreign_text import shown
from resources.units import format_value
from sessions.findings import Finding
from sessions.model import EntityRef
from viewmodels.heat_map import Heat
from viewmodels.time_labels import Clock
from widgets.heatmap.geometry import Geometry
from widgets.theme import SYMBOLS

_MAX_FINDINGS = 3

FindingsByEntity = Mapping[EntityRef, Sequence[Finding]]


def by_entity(findings: Iterable[Finding]) -> FindingsByEntity:
    """Return the findings of each entity that has any, in their order."""
    found: dict[EntityRef, list[Finding]] = {}
    for finding in findings:
        found.setdefault(finding.entity, []).append(finding)
    return found


def tooltip_at(
    point: QPoint, heat: Heat, geometry: Geometry, findings: FindingsByEntity, clock: Clock
) -> str:
    """Return the tooltip for a point: one line for the cell, one for each finding then; empty beside rows."""
    number, when = geometry.row_at(point), geometry.time_at(point.x())
    if number is None:
        return ""
    row = heat.rows[number]
    if when is None or not heat.values.size:
        return "\n".join([f"{shown(row.name)}: worst {row.worst}", *_lines(findings.get(row.ref, ()))])
    columns = heat.values.shape[1]
    value = float(heat.values[number, min(int(geometry.part_of_window(when) * columns), columns - 1)])
    here = [one for one in findings.get(row.ref, ()) if any(window.contains(when) for window in one.windows)]
    head = f"{shown(row.name)}  {clock.moment(when)}  {format_value(value, heat.unit)}"
    return "\n".join([head, *_lines(here)])


def _lines(findings: Sequence[Finding]) -> list[str]:
    lines = [f"{SYMBOLS[finding.severity]} {shown(finding.title)}" for finding in findings[:_MAX_FINDINGS]]
    more = len(findings) - len(lines)
    return [*lines, f"and {more} more"] if more else lines
