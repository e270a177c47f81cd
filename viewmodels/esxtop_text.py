"""Rows and columns of the esxtop table as a table of texts and numbers, to be copied or saved."""

from __future__ import annotations

from collections.abc import Sequence

from viewmodels.esxtop_table import TableColumn
from viewmodels.text_table import TextCell, TextTable

_DECIMALS = 4


def text_table(
    title: str,
    columns: Sequence[TableColumn],
    names: Sequence[tuple[str, str]],
    numbers: Sequence[Sequence[float]],
    *,
    hosts: bool,
) -> TextTable:
    """Return the table called ``title``: ``names`` are (name, host) of each row, ``numbers`` its cells.

    ``hosts``: with a column of hosts.
    """
    heads = ("Name", "Host")[: 1 + hosts] + tuple(map(head_of, columns))
    rows = [(*own[: 1 + hosts], *map(_cell, values)) for own, values in zip(names, numbers, strict=True)]
    return TextTable(title, heads, tuple(rows))


def head_of(column: TableColumn) -> str:
    """Return the head of a column with what its name does not say: ``MCTLSZ (MB)``, ``%RDY (per vCPU)``."""
    name, unit = column.heading
    if name != column.title:  # DAVG/cmd: the heading has the rest of the name in its second line
        unit = column.unit
    elif column.title.startswith("%"):
        unit = column.per
    return f"{column.title} ({unit})" if unit else column.title


def _cell(value: float) -> TextCell:
    return round(value, _DECIMALS)
