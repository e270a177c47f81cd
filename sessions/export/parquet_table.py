"""Writes Parquet files for exports; needs the optional package pyarrow."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from sessions.clock import UTC_CLOCK, Clock
from sessions.export.columns import Cell, ExportColumn, RepeatedTexts, row_count


class ParquetTable:
    """A Parquet file with zstd: times as timestamps that name the zone of ``clock``, values as float64,
    strings as dictionaries.

    Texts are written unchanged, without CSV's protection against formulas.
    """

    def __init__(self, path: Path, columns: Sequence[str], clock: Clock = UTC_CLOCK) -> None:
        self._zone = clock.name if isinstance(clock.zone, ZoneInfo) else "UTC"
        self.rows = 0
        self._columns = columns
        self._stack = ExitStack()
        self._file = self._stack.enter_context(path.open("wb"))  # pyarrow can't open every name
        self._table: Any = None

    def write(self, columns: Sequence[ExportColumn]) -> None:
        """Append rows as one row group."""
        rows = pa.table(
            {name: _arrow(column, self._zone) for name, column in zip(self._columns, columns, strict=True)}
        )
        if self._table is None:
            self._table = pq.ParquetWriter(self._file, rows.schema, compression="zstd")
            self._stack.callback(self._table.close)
        self._table.write_table(rows)
        self.rows += row_count(columns)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._stack:
            if self._table is None:
                empty = pa.table({name: pa.array([], pa.string()) for name in self._columns})
                pq.write_table(empty, self._file)


def _arrow(column: ExportColumn, zone: str) -> Any:
    """A column as an Arrow array."""
    if isinstance(column, RepeatedTexts):
        texts, codes = np.unique(np.array(column.texts, dtype=object), return_inverse=True)
        indices = pa.array(np.repeat(codes, column.counts).astype(np.int32))
        return pa.DictionaryArray.from_arrays(indices, pa.array(texts.tolist(), pa.string()))
    if isinstance(column, np.ndarray) and column.dtype.kind == "M":
        return pa.array(column, pa.timestamp("ms")).cast(pa.timestamp("ms", tz=zone))
    if isinstance(column, np.ndarray):
        return pa.array(column, pa.float64())
    return pa.array([_text(cell) for cell in column], pa.string()).dictionary_encode()


def _text(cell: Cell) -> str:
    return "" if cell is None else str(cell)
