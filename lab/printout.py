"""Builds each host's columns and rows as esxtop prints them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from collectors.esxtop_names import ColumnPath
from lab.defects import Defects
from lab.esxtop_tables import EsxtopTables, gather, rounded
from lab.fields import FieldSet
from lab.layout import HostLayout, host_columns
from sessions.model import FloatArray


class Printout:
    """Columns of a field set, and rows rounded to esxtop's decimals with the defects of a genuine capture.

    ``columns`` and ``decimals`` are each host's, in esxtop's order; ``samples`` is how many the scenario has.
    """

    def __init__(
        self,
        tables: EsxtopTables,
        layouts: Sequence[HostLayout],
        fields: FieldSet,
        samples: int,
        rng: np.random.Generator,
    ) -> None:
        per_host = [host_columns(tables, layout, host, fields) for host, layout in enumerate(layouts)]
        self.columns: tuple[tuple[ColumnPath, ...], ...] = tuple(
            tuple(column.path for column in columns) for columns in per_host
        )
        self.decimals = tuple(tuple(column.decimals for column in columns) for columns in per_host)
        self._tables = tables
        self._gather = [gather(columns) for columns in per_host]
        self._defects = [Defects(columns, samples, rng) for columns in self.columns]

    def rows(self, sample: int, flat: FloatArray | None = None) -> tuple[FloatArray, ...]:
        """Return each host's row of the tables' present values, or of ``flat`` in their stead; samples
        count from 0.
        """
        flat = self._tables.flat if flat is None else flat
        rows = tuple(rounded(flat[cells], powers) for cells, powers in self._gather)
        for row, defects in zip(rows, self._defects, strict=True):
            defects.apply(row, sample)
        return rows
