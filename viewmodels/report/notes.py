"""The notes that an admin put on the time axis."""

from __future__ import annotations

from resources.foreign_text import shown
from resources.units import format_count
from viewmodels.report.document import Cell, Column, Section, Table
from viewmodels.report.material import Material

_MOST = 300


def notes_section(material: Material) -> Section | None:
    """Return the notes; None if there are none."""
    marks = material.snapshot.marks
    if not marks:
        return None
    rows = tuple(
        (Cell(material.clock.day_time(mark.at), tone="muted"), Cell(shown(mark.text, 2000)))
        for mark in marks[:_MOST]
    )
    left = len(marks) - _MOST
    note = f"and {format_count(left)} more." if left > 0 else ""
    columns = Column("When", weight=1.2), Column("Note", weight=6.0)
    return Section("notes", "Notes", "taken by hand", (Table(columns, rows, note),))
