"""The raw numbers of a result as headings and cells of a table."""

from __future__ import annotations

from collections.abc import Sequence

from wizards.flows.result_sheet import RawCell, RawTable
from wizards.pages.sheet_table import Cell, Heading


def raw_headings(table: RawTable) -> Sequence[Heading]:
    """Return the headings; those of numbers stand at the right."""
    return [Heading(name, right=is_number) for name, is_number in table.heads]


def raw_cells(table: RawTable) -> Sequence[Sequence[Cell]]:
    """Return the cells: what is bold stands out, a state gives its colour, all else is muted."""
    return [[_cell(cell) for cell in row] for row in table.rows]


def _cell(cell: RawCell) -> Cell:
    ink = cell.state if cell.state not in ("part", "none") else None
    return Cell(cell.text, bold=cell.is_bold, muted=not cell.is_bold, swatch=cell.colour, ink=ink)
