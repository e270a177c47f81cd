"""A session as CSV or Parquet files: one line a sample, and one file each for what is not samples."""

from __future__ import annotations

import csv
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from itertools import chain, repeat
from pathlib import Path
from typing import Literal, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from resources.failures import (
    AccessDeniedError,
    AlreadyExistsError,
    CancelledError,
    DiskFullError,
    HyperscopeError,
    UsageError,
)
from sessions.findings import Finding
from sessions.model import Entity, EntityRef, Frame, IntArray, SampleSource, Series
from sessions.times import TimeRange, iso

Cell = str | float | int | bool | None
CELLS = 4_000_000  # samples decoded at a time, 32 MB

ENTITY = ("kind", "key", "name", "parent_kind", "parent_key")
SAMPLE = ("time", "source", "kind", "entity", "entity_key", "counter", "instance", "unit", "value")


@dataclass(frozen=True, slots=True)
class ExportedFile:
    """A file that was written, with its rows (without the header) and bytes."""

    name: str
    rows: int
    bytes: int


class Exportable(SampleSource, Protocol):
    """What an export reads: samples and stored findings."""

    def findings(self) -> Sequence[Finding]:
        """The findings of the last diagnosis."""


class TableWriter(Protocol):
    """Where rows go; the columns were given when it was made."""

    rows: int

    def write(self, columns: Sequence[Column]) -> None:
        """Append rows, given as equally long columns."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...


def export_session(
    session: Exportable,
    out: Path,
    *,
    kind: Literal["csv", "parquet"],
    window: TimeRange | None = None,
    progress: Callable[[float], None] | None = None,
    cancel: threading.Event | None = None,
) -> list[ExportedFile]:
    """Write the folder ``out``, which must not exist; what fails or is cancelled leaves nothing.

    ``samples.csv`` (or ``.parquet``) has one line a sample, absent samples left out; ``entities``, ``facts``,
    ``events``, ``gaps`` and ``findings`` go into files of their own. Raises AlreadyExistsError,
    AccessDeniedError, DiskFullError, CancelledError; UsageError when pyarrow is not there for Parquet.
    """
    make = parquet_writer() if kind == "parquet" else CsvTable
    try:
        out.mkdir(parents=True)
    except FileExistsError as error:
        raise AlreadyExistsError(f"{out} exists.", advice="Name a folder that does not exist yet.") from error
    except OSError as error:
        raise AccessDeniedError(f"{out} can't be made: {error.strerror}.") from error
    try:
        return write_all(session, out, kind, make, window, progress or (lambda _part: None), cancel)
    except (HyperscopeError, KeyboardInterrupt):
        shutil.rmtree(out, ignore_errors=True)
        raise
    except OSError as error:
        shutil.rmtree(out, ignore_errors=True)
        raise DiskFullError(
            f"Writing into {out} failed: {error.strerror}.",
            meaning="Nothing was kept.",
            advice="Make room there.",
        ) from error


MakeTable = Callable[[Path, Sequence[str]], AbstractContextManager[TableWriter]]


def write_all(
    session: Exportable,
    out: Path,
    kind: str,
    make: MakeTable,
    window: TimeRange | None,
    progress: Callable[[float], None],
    cancel: threading.Event | None,
) -> list[ExportedFile]:
    """Every file, the samples last."""
    entities = session.entities()
    written = []
    small: dict[str, tuple[Sequence[str], list[tuple[Cell, ...]]]] = {
        "entities": (ENTITY, [entity_row(entity) for entity in entities.values()]),
        "facts": (("kind", "entity_key", "fact", "value", "from", "until"), fact_rows(session)),
        "events": (("time", "end", "what", "kind", "entity_key", "text", "by"), event_rows(session)),
        "gaps": (("source", "kind", "entity_key", "from", "until", "ticks", "reason"), gap_rows(session)),
        "findings": (("problem", "severity", "kind", "entity", "share", "conclusion"), finding_rows(session)),
    }
    for name, (columns, rows) in small.items():
        path = out / f"{name}.{kind}"
        with make(path, columns) as table:
            if rows:
                table.write([[as_text(cell) for cell in column] for column in zip(*rows, strict=True)])
        written.append(ExportedFile(path.name, len(rows), path.stat().st_size))
    path = out / f"samples.{kind}"
    with make(path, SAMPLE) as table:
        for part, columns_of_samples in sample_columns(session, entities, window):
            if cancel is not None and cancel.is_set():
                raise CancelledError("The export was stopped; nothing is left of it.")
            table.write(columns_of_samples)
            progress(part)
    written.append(ExportedFile(path.name, table.rows, path.stat().st_size))
    return written


def as_text(cell: Cell) -> str:
    """A cell of the small files; what is not there is empty."""
    return "" if cell is None else str(cell)


def entity_row(entity: Entity) -> tuple[Cell, ...]:
    """An entity as cells."""
    return (*ref_cells(entity.ref), entity.name, *ref_cells(entity.parent))


def ref_cells(ref: EntityRef | None) -> tuple[str, str]:
    """Kind and key, empty for none."""
    return (ref.kind, ref.key) if ref else ("", "")


def fact_rows(session: Exportable) -> list[tuple[Cell, ...]]:
    """Facts as cells."""
    return [
        (*ref_cells(f.entity), f.name, f.value, iso(f.start), iso(f.end) if f.end is not None else None)
        for f in session.facts()
    ]


def event_rows(session: Exportable) -> list[tuple[Cell, ...]]:
    """Events as cells."""
    return [
        (iso(e.at), None if e.end is None else iso(e.end), e.kind, *ref_cells(e.entity), e.text, e.by)
        for e in session.events()
    ]


def gap_rows(session: Exportable) -> list[tuple[Cell, ...]]:
    """Gaps as cells."""
    names = {source.id: source.spec.name for source in session.sources()}
    return [
        (names.get(g.source), *ref_cells(g.entity), iso(g.start), iso(g.end), g.ticks, g.reason)
        for g in session.gaps()
    ]


def finding_rows(session: Exportable) -> list[tuple[Cell, ...]]:
    """Findings as cells."""
    return [
        (f.problem, f.severity, f.entity.kind, f.entity_name, f.share, f.conclusion)
        for f in session.findings()
    ]


@dataclass(frozen=True, slots=True)
class Repeated:
    """A column of strings: ``values[i]`` stands ``counts[i]`` times."""

    values: Sequence[str]
    counts: IntArray


Column = Sequence[str] | Repeated | NDArray[np.float64] | NDArray[np.datetime64]


def sample_columns(
    session: Exportable, entities: dict[EntityRef, Entity], window: TimeRange | None
) -> Iterator[tuple[float, list[Column]]]:
    """Batches of samples as the columns of SAMPLE, with the part done."""
    everything = session.series()
    ticks = {source.id: max(1, source.ticks) for source in session.sources()}
    names = {source.id: source.spec.name for source in session.sources()}
    begin = 0
    while begin < len(everything):
        wide = max(1, CELLS // ticks[everything[begin].source])
        batch = everything[begin : begin + wide]
        begin += len(batch)
        by_id = {series.id: series for series in batch}
        for frame in session.read(np.array(list(by_id), dtype=np.int64), window):
            shown = [by_id[number] for number in frame.ids.tolist()]
            yield begin / len(everything), frame_columns(frame, shown, names[frame.source], entities)


def frame_columns(
    frame: Frame, shown: Sequence[Series], source: str, entities: dict[EntityRef, Entity]
) -> list[Column]:
    """The present samples of a frame, series after series."""
    by_series = frame.values.T
    present = ~np.isnan(by_series)
    counts = present.sum(axis=1)
    times = np.broadcast_to(frame.times.astype("datetime64[ms]"), present.shape)[present]
    specs = [series.spec for series in shown]
    fixed: tuple[list[str], ...] = (
        [source] * len(specs),
        [spec.entity.kind for spec in specs],
        [entities[spec.entity].name for spec in specs],
        [spec.entity.key for spec in specs],
        [spec.counter for spec in specs],
        [spec.instance for spec in specs],
        [spec.unit for spec in specs],
    )
    return [times, *(Repeated(column, counts) for column in fixed), by_series[present]]


class CsvTable:
    """A CSV file, RFC 4180, UTF-8, lines ended by LF."""

    def __init__(self, path: Path, columns: Sequence[str]) -> None:
        self.rows = 0
        self._stack = ExitStack()
        file = self._stack.enter_context(path.open("w", encoding="utf-8", newline=""))
        self._out = csv.writer(file, lineterminator="\n")
        self._out.writerow(columns)

    def write(self, columns: Sequence[Column]) -> None:
        """Append rows."""
        cells = [csv_cells(column) for column in columns]
        self._out.writerows(zip(*cells, strict=True))
        self.rows += row_count(columns)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()


def csv_cells(column: Column) -> Iterable[object]:
    """A column as what csv writes: times in ISO 8601 (UTC), numbers to their last digit."""
    if isinstance(column, Repeated):
        pairs = zip(column.values, column.counts.tolist(), strict=True)
        return chain.from_iterable(repeat(value, count) for value, count in pairs)
    if isinstance(column, np.ndarray):
        if column.dtype.kind == "M":
            return list(np.datetime_as_string(column.astype("datetime64[ms]"), timezone="UTC"))
        return list(column.tolist())
    return column


def row_count(columns: Sequence[Column]) -> int:
    """How many rows equally long columns make."""
    last = columns[-1]
    return int(last.counts.sum()) if isinstance(last, Repeated) else len(last)


def parquet_writer() -> MakeTable:
    """The class of Parquet files, or a clear refusal when pyarrow is not installed."""
    try:
        from sessions.parquet import ParquetTable  # noqa: PLC0415 - the extra is optional
    except ImportError as error:
        raise UsageError(
            "Parquet needs the package pyarrow, which is not installed.",
            advice="Install hyperscope[parquet], or export with --csv.",
        ) from error
    return ParquetTable
