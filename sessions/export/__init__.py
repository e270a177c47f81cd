"""Exports a session as CSV or Parquet files: one file with a line for each sample, and one for
each kind of record.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, Self

from resources.failures import CancelledError, UsageError
from resources.files import write_failures
from resources.stopping import StopSignal
from sessions.clock import UTC_CLOCK, Clock
from sessions.export.columns import ExportColumn
from sessions.export.csv_table import CsvTable
from sessions.export.new_folder import new_folder
from sessions.export.part import WHOLE, ExportPart
from sessions.export.records import record_tables
from sessions.export.samples import SAMPLE_COLUMNS, sample_batches
from sessions.store import SessionReader

__all__ = ["ExportPart", "ExportedFile", "export_session"]


@dataclass(frozen=True, slots=True)
class ExportedFile:
    """A written file, with its number of rows (without the header) and of bytes."""

    name: str
    rows: int
    bytes: int


class TableWriter(Protocol):
    """A file of rows whose columns were named when it was created."""

    rows: int

    def write(self, columns: Sequence[ExportColumn]) -> None:
        """Append rows, given as columns of equal length."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...


MakeTable = Callable[[Path, Sequence[str], Clock], AbstractContextManager[TableWriter]]


def export_session(
    session: SessionReader,
    out: Path,
    *,
    kind: Literal["csv", "parquet"],
    part: ExportPart = WHOLE,
    clock: Clock = UTC_CLOCK,
    progress: Callable[[float], None] | None = None,
    cancel: StopSignal | None = None,
) -> list[ExportedFile]:
    """Write the folder ``out``, which must not exist; an export that fails or is cancelled leaves no files.

    ``samples.csv`` (or ``.parquet``) has one line for each sample, without absent samples; ``entities``,
    ``facts``, ``events``, ``marks``, ``gaps`` and ``findings`` have files of their own. ``part`` says what is
    written, ``clock`` in which zone times are (each with its distance from UTC). All of them show the session
    as it was at the start, also while it is recorded. Memory stays below 200 MB for a session of any size.

    Raises AlreadyExistsError, AccessDeniedError, DiskFullError, CancelledError; UsageError when pyarrow is
    missing for Parquet.
    """
    make = _parquet_table() if kind == "parquet" else CsvTable
    written: list[ExportedFile] = []

    def stop_if_cancelled() -> None:
        if cancel is not None and cancel.is_set():
            raise CancelledError("The export was stopped; nothing is left of it.")

    # Failures of writing are told as such within, or the session's own disk would be called full.
    with new_folder(out) as folder, session.one_state(), write_failures(out):
        for name, (columns, rows) in record_tables(session, part, clock).items():
            stop_if_cancelled()
            path = folder / f"{name}.{kind}"
            with make(path, columns, clock) as table:
                if rows:
                    table.write(list(zip(*rows, strict=True)))
            written.append(ExportedFile(path.name, len(rows), path.stat().st_size))
        path = folder / f"samples.{kind}"
        with make(path, SAMPLE_COLUMNS, clock) as table:
            for done, batch in sample_batches(session, part):
                stop_if_cancelled()
                table.write(batch)
                if progress is not None:
                    progress(done)
        written.append(ExportedFile(path.name, table.rows, path.stat().st_size))
    return written


def _parquet_table() -> MakeTable:
    """The class of Parquet files; raises UsageError when pyarrow is not installed."""
    try:
        from sessions.export.parquet_table import ParquetTable  # noqa: PLC0415 - the extra is optional
    except ImportError as error:
        raise UsageError(
            "Parquet needs the package pyarrow, which is not installed.",
            advice="Install hyperscope[parquet], or export with --csv.",
        ) from error
    return ParquetTable
