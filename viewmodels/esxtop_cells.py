"""The cells of the esxtop table: numbers formatted as esxtop does, states by limits, and the order of
rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from resources.units import format_value
from sessions.model import FloatArray, IntArray
from viewmodels.esxtop_table import Row, RowLimits, TableColumn
from viewmodels.name_order import natural

WITHIN, WARNING, CRITICAL = range(3)
"""The state of a cell beside its column's limits."""

_MARKS = ("", "◆ ", "▲ ")
_WHOLE = frozenset({"count", "shares", "state", "flag"})
_DECIMAL_STEPS = (9_999.5, 999.95)
"""From each of these numbers on, a column shows one decimal less."""
_PAGES_OF_DIGITS = 1e15
"""From here on a number, which only a forged session has, is written as 1e+150."""


@dataclass(frozen=True)
class Cells:
    """The cells of a table: ``numbers`` (rows, columns), NaN where absent.

    ``states`` (rows, columns) are WITHIN, WARNING or CRITICAL by the column's limits, if these apply to the
    row's kind of entity. ``decimals`` is how many decimals each column is shown with.
    """

    numbers: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))
    states: NDArray[np.int8] = field(default_factory=lambda: np.zeros((0, 0), np.int8))
    decimals: Sequence[int] = ()

    @classmethod
    def of(
        cls,
        rows: Sequence[Row],
        columns: Sequence[TableColumn],
        numbers: FloatArray | None,
        loads: Mapping[str, FloatArray] = MappingProxyType({}),
        limits: Mapping[int, RowLimits] = MappingProxyType({}),
    ) -> Cells:
        """Return the cells for these numbers; all cells are absent if ``numbers`` is None or has another
        shape. ``loads`` are the numbers (rows,) of counters that decide whether limits apply,
        ``limits`` those of the rows by column, where they differ from the column's own.
        """
        if numbers is None or numbers.shape != (len(rows), len(columns)):
            numbers = np.full((len(rows), len(columns)), np.nan)
        warning = np.array([column.warning for column in columns])
        critical = np.array([column.critical for column in columns])
        if limits:
            warning, critical = (np.tile(one, (len(rows), 1)) for one in (warning, critical))
        for at, own in limits.items():
            warning[:, at], critical[:, at] = own.warning, own.critical
        with np.errstate(invalid="ignore"):
            states = (numbers > warning).astype(np.int8) + (numbers > critical).astype(np.int8)
        states[~_judged(rows, columns, loads)] = WITHIN
        return cls(
            numbers,
            states,
            [decimals_of(numbers[:, at], column.unit) for at, column in enumerate(columns)],
        )

    def text(self, row: int, column: int) -> str:
        """Return the text of a cell, with a symbol before it if it is over a limit: ``▲ 97.20``."""
        text = number_text(float(self.numbers[row, column]), self.decimals[column])
        return _MARKS[self.states[row, column]] + text

    def widest(self, column: int) -> str:
        """Return the longest text of a column: its largest number, with or without a symbol."""
        sizes, states = np.nan_to_num(np.abs(self.numbers[:, column])), self.states[:, column]
        texts = (
            mark + number_text(float(sizes[states == state].max(initial=0.0)), self.decimals[column])
            for state, mark in enumerate(_MARKS)
            if state == WITHIN or (states == state).any()
        )
        return max(texts, key=len)


def _judged(
    rows: Sequence[Row], columns: Sequence[TableColumn], loads: Mapping[str, FloatArray]
) -> NDArray[np.bool_]:
    """Return a (rows, columns) array: True where the limits of the column apply to the row's kind of
    entity and to its load.
    """
    kinds = np.array([row.ref.kind for row in rows])
    judged = np.ones((len(rows), len(columns)), bool)
    for number, column in enumerate(columns):
        if column.kinds:
            judged[:, number] = np.isin(kinds, list(column.kinds))
        if column.load in loads:
            with np.errstate(invalid="ignore"):
                judged[:, number] &= loads[column.load] >= column.least
    return judged


def decimals_of(values: FloatArray, unit: str) -> int:
    """Return how many decimals the numbers of a column are shown with: two as in esxtop, fewer for large
    ones.

    All numbers of a column have the same, so that its largest number has the longest text.
    """
    if unit == "%":
        return len(_DECIMAL_STEPS)  # the system's thousands of percent leave a VM's hundredths alone
    present = values[np.isfinite(values)]
    if unit in _WHOLE and (present == np.floor(present)).all():
        return 0
    largest = float(np.abs(present).max(initial=0.0))
    return sum(largest < step for step in _DECIMAL_STEPS)


def number_text(value: float, decimals: int) -> str:
    """Return a number with this many decimals; a dash if it is absent (NaN)."""
    if not np.isfinite(value):
        return "–"
    if abs(value) >= _PAGES_OF_DIGITS:
        return format_value(value, "")
    return f"{value:.{decimals}f}" if decimals else f"{value:,.0f}"


def order_of(rows: Sequence[Row], cells: Cells, column: int, *, descending: bool) -> IntArray:
    """Return row indices ordered by a counter's ``column``, by name for −2, or by host for −1."""
    if 0 <= column < cells.numbers.shape[1]:
        return order_by_number(rows, cells.numbers[:, column], descending=descending)
    return order_by_name(rows, host=column == -1, descending=descending)


def order_by_number(rows: Sequence[Row], values: FloatArray, *, descending: bool) -> IntArray:
    """Return row indices ordered by ``values`` (rows,); absent values last, expanded rows below their
    head.
    """
    keys = np.where(np.isnan(values), np.inf, -values if descending else values)
    return _families_together(rows, np.argsort(keys, kind="stable"))


def order_by_name(rows: Sequence[Row], *, host: bool = False, descending: bool = False) -> IntArray:
    """Return row indices ordered by name, or by the host's name; expanded rows stay below their head."""
    names = [natural(row.host if host else row.name) for row in rows]
    order = sorted(range(len(rows)), key=names.__getitem__, reverse=descending)
    return _families_together(rows, np.array(order, np.int64))


def _families_together(rows: Sequence[Row], order: IntArray) -> IntArray:
    """Return ``order`` with expanded rows moved right below their head row, keeping their own order."""
    if not rows:
        return np.zeros(0, np.int64)
    rank = np.empty(len(rows), np.int64)
    rank[order] = np.arange(len(rows))
    is_head = np.array([row.depth == 0 for row in rows])
    family = np.cumsum(is_head) - 1
    heads = np.flatnonzero(is_head)
    place = np.empty(heads.size, np.int64)
    place[np.argsort(rank[heads], kind="stable")] = np.arange(heads.size)
    found: IntArray = np.lexsort((rank, ~is_head, place[family]))
    return found
