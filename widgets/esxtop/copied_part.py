"""The part of the esxtop table that is copied or saved, as texts and numbers."""

from __future__ import annotations

from collections.abc import Sequence

from viewmodels.esxtop_text import text_table
from viewmodels.text_table import TextTable
from widgets.esxtop.model import EsxtopModel


def part_as_text(model: EsxtopModel, title: str, rows: Sequence[int], columns: Sequence[int]) -> TextTable:
    """Return some rows as a table called ``title``: names always, counters as chosen by ``columns``."""
    chosen = [column for column in columns if column >= EsxtopModel.FIXED]
    return text_table(
        title,
        [spec for column in chosen if (spec := model.column_at(column)) is not None],
        [_names(model, row) for row in rows],
        [[model.number_at(row, column) for column in chosen] for row in rows],
        hosts=len(model.host_names) > 1,
    )


def _names(model: EsxtopModel, row: int) -> tuple[str, str]:
    """Return a row's name, after that of the row that it belongs to, and its host: ``web › vCPU 0``."""
    own, head = model.row_at(row)[1], row
    while head > 0 and model.row_at(head)[1].depth:
        head -= 1
    name = f"{own.name} {own.instance}".strip()
    return f"{model.row_at(head)[1].name} › {name}" if own.depth else name, own.host
