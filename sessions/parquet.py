"""Parquet files for exports; needs the optional pyarrow."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from sessions.export import Column, Repeated, row_count


class ParquetTable:
    """A Parquet file, zstd: times as timestamps in UTC, values as float64, strings as dictionaries."""

    def __init__(self, path: Path, columns: Sequence[str]) -> None:
        self.rows = 0
        self._columns = columns
        self._path = path
        self._file: Any = None

    def write(self, columns: Sequence[Column]) -> None:
        """Append rows as one row group."""
        table = pa.table({name: arrow(column) for name, column in zip(self._columns, columns, strict=True)})
        if self._file is None:
            self._file = pq.ParquetWriter(self._path, table.schema, compression="zstd")
        self._file.write_table(table)
        self.rows += row_count(columns)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is None:
            empty = pa.table({name: pa.array([], pa.string()) for name in self._columns})
            pq.write_table(empty, self._path)
        else:
            self._file.close()


def arrow(column: Column) -> Any:
    """A column as an Arrow array."""
    if isinstance(column, Repeated):
        texts, codes = np.unique(np.array(column.values, dtype=object), return_inverse=True)
        indices = pa.array(np.repeat(codes, column.counts).astype(np.int32))
        return pa.DictionaryArray.from_arrays(indices, pa.array(texts.tolist(), pa.string()))
    if isinstance(column, np.ndarray) and column.dtype.kind == "M":
        return pa.array(column, pa.timestamp("ms")).cast(pa.timestamp("ms", tz="UTC"))
    if isinstance(column, np.ndarray):
        return pa.array(column, pa.float64())
    return pa.array(column, pa.string()).dictionary_encode()
