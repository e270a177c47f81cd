"""Builds each host's columns and rows as esxtop prints them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from collectors.esxtop_names import ColumnPath
from lab.defects import Defects
from lab.esxtop_tables import EsxtopTables, gather, rounded
from lab.fields import FieldSet
from lab.layout import HostLayout, column_owners, host_columns
from lab.parameters import BoolArray
from lab.worlds import NO_OWNER
from sessions.model import FloatArray, IntArray


class Printout:
    """Columns of a field set, and rows rounded to esxtop's decimals with the defects of a genuine capture.

    ``columns`` and ``decimals`` are each host's, in esxtop's order; ``samples`` is how many the scenario has.
    ``unseen`` are VMs that are not there when esxtop starts: they never get columns. Those of a VM that
    leaves are zero from then on.
    """

    def __init__(
        self,
        tables: EsxtopTables,
        layouts: Sequence[HostLayout],
        fields: FieldSet,
        samples: int,
        rng: np.random.Generator,
        unseen: BoolArray,
    ) -> None:
        per_host, self._owners = [], list[IntArray]()
        for host, layout in enumerate(layouts):
            columns = host_columns(tables, layout, host, fields)
            owners = column_owners(columns, layout)
            shown = np.flatnonzero((owners == NO_OWNER) | ~unseen[owners])
            per_host.append([columns[one] for one in shown.tolist()])
            self._owners.append(owners[shown])
        self.columns: tuple[tuple[ColumnPath, ...], ...] = tuple(
            tuple(column.path for column in columns) for columns in per_host
        )
        self.decimals = tuple(tuple(column.decimals for column in columns) for columns in per_host)
        self._gather = [gather(columns) for columns in per_host]
        self._defects = [Defects(columns, samples, rng) for columns in self.columns]

    def rows(
        self, held: FloatArray, samples: Sequence[int], absent: BoolArray, failed: BoolArray
    ) -> tuple[FloatArray, ...]:
        """Return each host's rows (samples, columns) of the tables' values, shape (samples, cells).

        ``samples`` are their numbers, from 0. The columns of ``absent`` VMs (samples, VMs) are zero; the row
        of a host that has ``failed`` (samples, hosts) is NaN: no esxtop runs there.
        """
        rows = tuple(rounded(np.take(held, cells, axis=1), powers) for cells, powers in self._gather)
        for row, defects in zip(rows, self._defects, strict=True):
            for number, sample in enumerate(samples):
                defects.apply(row[number], sample)
        if absent.any():
            for row, owners in zip(rows, self._owners, strict=True):
                row[(owners != NO_OWNER) & absent[:, owners]] = 0.0
        for number, host in np.argwhere(failed).tolist():
            rows[host][number] = np.nan
        return rows
