"""What is selected in a table; it is kept, with the scroll position, while rows and columns are replaced."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QItemSelectionRange
from PySide6.QtWidgets import QTableView

from sessions.model import EntityRef
from widgets.esxtop.model import EsxtopModel

RowKey = tuple[EntityRef, str, str]
"""What identifies a row: its entity, its instance, and the host that measured it."""


@dataclass(frozen=True, slots=True)
class KeptPlace:
    """What was selected: blocks of rows × columns; the current cell; the scroll bars' values."""

    blocks: tuple[tuple[tuple[RowKey, ...], tuple[str, ...]], ...]
    current: tuple[RowKey, str] | None
    scrolled: tuple[int, int]


def chosen_rows(table: QTableView) -> list[int]:
    """Return the rows with selected cells from top to bottom; the current one if none is selected."""
    rows = {row for one in _parts(table) for row in range(one.top(), one.bottom() + 1)}
    return sorted(rows) or [one.row() for one in [table.currentIndex()] if one.isValid()]


def chosen_columns(table: QTableView) -> list[int]:
    """Return the columns with selected cells; the current one if none is selected."""
    columns = {column for one in _parts(table) for column in range(one.left(), one.right() + 1)}
    return sorted(columns) or [one.column() for one in [table.currentIndex()] if one.isValid()]


def kept_place(table: QTableView, model: EsxtopModel) -> KeptPlace:
    """Return what is selected and where the table is scrolled to."""
    current = table.currentIndex()
    blocks = tuple(
        (
            tuple(_key(model, row) for row in range(one.top(), one.bottom() + 1)),
            tuple(model.id_at(column) for column in range(one.left(), one.right() + 1)),
        )
        for one in _parts(table)
    )
    cell = (_key(model, current.row()), model.id_at(current.column())) if current.isValid() else None
    bars = table.horizontalScrollBar(), table.verticalScrollBar()
    return KeptPlace(blocks, cell, (bars[0].value(), bars[1].value()))


def restore_place(table: QTableView, model: EsxtopModel, kept: KeptPlace) -> None:
    """Select again what is still there, and scroll to where the table was."""
    if kept.current is not None or kept.blocks:
        rows = {_key(model, row): row for row in range(model.rowCount())}
        columns = {model.id_at(column): column for column in range(model.columnCount())}
        chosen = QItemSelection()
        for keys, ids in kept.blocks:
            for top, bottom in _runs(rows[key] for key in keys if key in rows):
                for left, right in _runs(columns[one] for one in ids if one in columns):
                    corners = model.index(top, left), model.index(bottom, right)
                    chosen.append(QItemSelectionRange(*corners))
        if kept.current is not None and kept.current[0] in rows:
            cell = model.index(rows[kept.current[0]], columns.get(kept.current[1], 0))
            table.selectionModel().setCurrentIndex(cell, QItemSelectionModel.SelectionFlag.NoUpdate)
        table.selectionModel().select(chosen, QItemSelectionModel.SelectionFlag.ClearAndSelect)
    for bar, value in zip(
        (table.horizontalScrollBar(), table.verticalScrollBar()), kept.scrolled, strict=True
    ):
        bar.setValue(value)


def _parts(table: QTableView) -> Iterator[QItemSelectionRange]:
    found = table.selectionModel().selection()
    return (found.at(number) for number in range(found.size()))


def _key(model: EsxtopModel, row: int) -> RowKey:
    one = model.row_at(row)[1]
    return one.ref, one.instance or one.name, one.host


def _runs(places: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield first and last of each run of neighbouring places."""
    for _, run in groupby(enumerate(sorted(places)), key=lambda pair: pair[1] - pair[0]):
        members = [place for _, place in run]
        yield members[0], members[-1]
