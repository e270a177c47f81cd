"""A table that leaves the window: as tab-separated text and HTML for the clipboard, and as CSV for a file."""

from __future__ import annotations

import html
import io
import math
from dataclasses import dataclass

from resources.foreign_text import visible
from resources.spreadsheet_text import safe_cell
from sessions.export.csv_table import CsvRows

TextCell = str | float | int | None
"""A text, a number, or None (also NaN) where there is no value."""


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table with a title, the heads of its columns (with units), and rows of equally many cells.

    Numbers are cells without their unit, so that a spreadsheet can calculate with them; times are texts.
    """

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[TextCell, ...], ...]


def as_csv(table: TextTable) -> str:
    """Return the table as CSV (RFC 4180, lines ended by LF), with formulas defused as in an export."""
    out = io.StringIO()
    rows = CsvRows(out, [safe_cell(head) for head in table.heads])
    if table.rows:
        rows.write(list(zip(*(map(_present, row) for row in table.rows), strict=True)))
    return out.getvalue()


def as_tsv(table: TextTable) -> str:
    """Return the table as lines of cells separated by tabs; each cell is one line that is safe to paste
    anywhere, also into a terminal or a spreadsheet.
    """
    lines = ["\t".join(map(_plain, row)) for row in (table.heads, *table.rows)]
    return "\n".join(lines) + "\n"


def as_html(table: TextTable) -> str:
    """Return the table as HTML; spreadsheets find the numbers in it whatever the decimal sign of their
    language is (Excel by ``x:num``, LibreOffice by ``sdval``).
    """
    head = "".join(f"<th>{_escaped(_plain(cell))}</th>" for cell in table.heads)
    rows = "".join(f"<tr>{''.join(map(_html_cell, row))}</tr>" for row in table.rows)
    name_space = "urn:schemas-microsoft-com:office:excel"
    return (
        f'<html xmlns:x="{name_space}"><head><meta charset="utf-8"></head><body>'
        f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></body></html>"
    )


def rows_label(count: int, what: str = "row") -> str:
    """Return ``1 row``, ``12 rows``."""
    return f"1 {what}" if count == 1 else f"{count:,} {what}s"


def _present(cell: TextCell) -> TextCell:
    return None if isinstance(cell, float) and math.isnan(cell) else cell


def _plain(cell: TextCell) -> str:
    present = _present(cell)
    if isinstance(present, str):
        return safe_cell(visible(present))
    return "" if present is None else repr(present)


def _html_cell(cell: TextCell) -> str:
    text = _escaped(_plain(cell))
    if isinstance(cell, str) or not text:
        return f"<td>{text}</td>"
    return f'<td align="right" x:num="{text}" sdval="{text}">{text}</td>'


def _escaped(text: str) -> str:
    return html.escape(text, quote=False)
