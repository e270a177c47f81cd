"""The progress and the report of an import, and the rows that it lost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Protocol

from sessions.times import iso


class CancelSignal(Protocol):
    """Something that may be set from another thread to stop the work: a threading.Event."""

    def is_set(self) -> bool:
        """True if the import should stop."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an import is: bytes of the files on disk, rows, and seconds since it began."""

    bytes_done: int
    bytes_total: int
    rows: int
    seconds: float

    @property
    def bytes_per_second(self) -> float:
        """The average rate since the start."""
        return self.bytes_done / self.seconds if self.seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        """The estimated time left in seconds; None before the first bytes."""
        rate = self.bytes_per_second
        return max(0, self.bytes_total - self.bytes_done) / rate if rate > 0 else None


@dataclass(frozen=True, slots=True)
class DamagedRow:
    """A row that could not be read whole: its line in the file (1 is the first), and what was lost.

    ``cells`` is how many values were lost; all of the row's when ``whole``.
    """

    file: str
    line: int
    cells: int
    whole: bool
    why: str


@dataclass(frozen=True, slots=True)
class FileReport:
    """One file of an import; ``columns`` counts real columns with the time column."""

    name: str
    columns: int
    rows: int
    zone: str


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import made of its files.

    ``columns`` are the distinct columns of all files with one for the time; ``series`` those that became
    series. ``damaged`` names the first damaged rows, ``damaged_rows`` and ``lost_values`` count all.
    ``start`` and ``end`` are milliseconds since 1970 (UTC), None without a sample.
    """

    out: Path
    files: tuple[FileReport, ...]
    hosts: tuple[str, ...]
    columns: int
    series: int
    entities: Mapping[str, int]
    rows: int
    samples: int
    start: int | None
    end: int | None
    interval_s: float | None
    damaged: tuple[DamagedRow, ...]
    damaged_rows: int
    lost_values: int
    gaps: int
    notes: tuple[str, ...]
    bytes_read: int
    bytes_written: int
    seconds: float

    def to_json(self) -> dict[str, object]:
        """Return the report as plain values for JSON; times in ISO 8601."""
        data = asdict(self)
        data["out"] = str(self.out)
        data["entities"] = dict(self.entities)
        data["start"] = None if self.start is None else iso(self.start)
        data["end"] = None if self.end is None else iso(self.end)
        return data


MAX_NAMED = 100
"""Damaged rows beyond this many are counted, not named."""


@dataclass(slots=True)
class Losses:
    """Counts damaged rows, and names the first MAX_NAMED of them."""

    named: list[DamagedRow] = field(default_factory=list)
    rows: int = 0
    values: int = 0

    def add(self, row: DamagedRow) -> None:
        """Count a damaged row."""
        self.rows += 1
        self.values += row.cells
        if len(self.named) < MAX_NAMED:
            self.named.append(row)

    def merge(self, other: Losses) -> None:
        """Add the losses that a worker reported."""
        self.rows += other.rows
        self.values += other.values
        self.named += other.named[: MAX_NAMED - len(self.named)]
