"""Counting what an import reads, stores and loses: for its progress, its report and the session itself."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np

from collectors.esxtop.header import Header
from collectors.esxtop.history import HostHistory
from collectors.esxtop.plan import PieceResult
from collectors.esxtop.reading import Tally
from collectors.esxtop.report import DamagedRow, FileReport, ImportReport, Losses, Progress
from collectors.esxtop_names import HostColumns
from resources.failures import BadInputError
from resources.units import format_count
from sessions.model import AHEAD_OF_UTC, ZONE, ZONE_NOT_TOLD, EntityRef, IntArray

_NO_IO = "The first sample has no disk counters: esxtop prints zeros there, having no interval to divide by."
_MAX_NAMED = 5


class Outcome:
    """Counts what one import has read, stored and lost. ``bytes_done`` counts bytes of the files on disk."""

    def __init__(self, bytes_total: int) -> None:
        self.bytes_done = 0
        self._samples = 0
        self.gaps = 0
        self._began = time.monotonic()
        self._bytes_total = bytes_total
        self._files: list[FileReport] = []
        self._zones: dict[tuple[str, int], None] = {}
        self._entities: set[EntityRef] = set()
        self._series: set[int] = set()
        self._texts: set[tuple[EntityRef, str]] = set()
        self._unreadable: dict[str, None] = {}
        self._notes: dict[str, None] = {}
        self._losses = Losses()
        self._rows = 0

    def require_sound_row(self) -> None:
        """Raise BadInputError if there were rows, and not a single value of them could be read."""
        if self._samples or not self._losses.rows:
            return
        names = ", ".join(file.name for file in self._files[:_MAX_NAMED])
        count, first = self._losses.rows, self._first_lost()[0]
        rows = "The only row" if count == 1 else f"All {format_count(count)} rows"
        are = "is" if count == 1 else "are"
        raise BadInputError(
            f"{rows} of {names} {are} damaged, and no value could be read "
            f"(line {format_count(first.line)}: {first.why}).",
            meaning="No session was written.",
            advice="Copy the capture again from the host where it was made.",
        )

    def progress(self) -> Progress:
        """Return the progress so far."""
        return Progress(self.bytes_done, self._bytes_total, self._rows, time.monotonic() - self._began)

    def host(self, host_columns: HostColumns, ids: IntArray) -> None:
        """Count the entities and series (``ids`` in the session) of one host of a header."""
        self._entities.update(entity.ref for entity in host_columns.entities)
        self._series.update(ids.tolist())
        self._texts.update((text.entity, text.name) for text in host_columns.texts)

    def header(self, header: Header) -> None:
        """Note unreadable column names and the time zone of a header."""
        self._unreadable |= dict.fromkeys(header.unreadable)
        self._zones[header.zone, -header.bias_minutes] = None
        if header.bias_minutes:
            zone = f"{header.zone or 'UTC'} ({header.bias_minutes:+d} minutes)"
            self._notes[f"Times were written in {zone} and are stored in UTC."] = None

    def piece(self, result: PieceResult) -> None:
        """Count rows, samples and losses of a piece that was stored."""
        self._rows += len(result.times)
        self._losses.merge(result.losses)
        self._samples += sum(
            block.samples for host in result.hosts for blocks in host.blocks for block in blocks
        )
        if result.no_io:
            self._notes[_NO_IO] = None

    def file(self, name: str, header: Header, tally: Tally) -> None:
        """Note that a file was read to its end."""
        self._files.append(FileReport(name, header.columns, tally.rows, header.zone or "UTC"))
        self._losses.merge(tally.losses)
        self._notes |= dict.fromkeys(f"{name}: {note}" for note in tally.notes)
        if not tally.rows and not tally.losses.rows:
            self._notes[f"{name}: It has a header but no sample."] = None

    def fragment(self, name: str, header: Header) -> None:
        """Note that a file only names columns and has no sample."""
        self._files.append(FileReport(name, header.columns, 0, header.zone or "UTC"))
        self._notes[f"{name}: It only names columns: it holds no sample."] = None

    def attributes(self, host: HostHistory) -> list[tuple[str, str]]:
        """Return the attributes of a host's source: files, columns, rows, time zone, notes on losses."""
        return [
            ("files", ", ".join(file.name for file in self._files)),
            ("columns", str(self._columns)),
            ("rows", str(len(host.times()))),
            *self._zone_attributes(),
            *((f"note {number}", note) for number, note in enumerate(self._all_notes([host]), start=1)),
        ]

    def _zone_attributes(self) -> list[tuple[str, str]]:
        names = dict.fromkeys(name or ZONE_NOT_TOLD for name, _ in self._zones)
        ahead = dict.fromkeys(str(minutes) for _, minutes in self._zones)
        found = [(ZONE, ", ".join(names))]
        return found if list(ahead) == ["0"] else [*found, (AHEAD_OF_UTC, ", ".join(ahead))]

    def report(self, out: Path, hosts: Collection[HostHistory]) -> ImportReport:
        """Return the report of the finished import; call it after the session was closed."""
        times = [host.times() for host in hosts]
        every = np.concatenate(times) if times else np.empty(0, dtype=np.int64)
        intervals = [seconds for host in hosts if (seconds := host.interval_s()) is not None]
        return ImportReport(
            out=out,
            files=tuple(self._files),
            hosts=tuple(host.name for host in hosts),
            columns=self._columns,
            series=len(self._series),
            entities=dict(sorted(Counter(ref.kind for ref in self._entities).items())),
            rows=self._rows,
            samples=self._samples,
            start=int(every.min()) if len(every) else None,
            end=int(every.max()) if len(every) else None,
            interval_s=min(intervals, default=None),
            damaged=tuple(self._first_lost()),
            damaged_rows=self._losses.rows,
            lost_values=self._losses.values,
            gaps=self.gaps,
            notes=tuple(self._all_notes(list(hosts))),
            bytes_read=self._bytes_total,
            bytes_written=out.stat().st_size,
            seconds=time.monotonic() - self._began,
        )

    @property
    def _columns(self) -> int:
        return 1 + len(self._series) + len(self._texts) + len(self._unreadable)

    def _all_notes(self, hosts: Sequence[HostHistory]) -> list[str]:
        notes = [*self._notes, *(note for host in hosts for note in host.notes)]
        repeating = [host.repeated for host in hosts if host.repeated]
        if repeating:
            counted = "" if len(repeating) == 1 else f" (of {len(repeating)} hosts, each counted)"
            rows = _some(sum(repeating), "row repeats", "rows repeat")
            notes.append(f"{rows} instants that were read already{counted}: left out.")
        if self._unreadable:
            names = ", ".join(repr(name) for name in list(self._unreadable)[:_MAX_NAMED])
            columns = _some(len(self._unreadable), "column name", "column names")
            notes.append(f"{columns} can't be read, among them {names}.")
        return notes + self._damage_notes()

    def _first_lost(self) -> list[DamagedRow]:
        """The damaged rows that are named, in the order of the files."""
        return sorted(self._losses.named, key=lambda row: (row.file, row.line))

    def _damage_notes(self) -> list[str]:
        if not self._losses.rows:
            return []
        rows = self._first_lost()
        damaged = _some(self._losses.rows, "row is", "rows are")
        lost = _some(self._losses.values, "value was", "values were")
        notes = [f"{damaged} damaged: {lost} lost."]
        for row in rows[:_MAX_NAMED]:
            lost = "the whole row" if row.whole else f"{row.cells} values"
            notes.append(f"{row.file}, line {row.line}: {row.why}; {lost} lost.")
        return notes


def _some(count: int, one: str, many: str) -> str:
    return f"{format_count(count)} {one if count == 1 else many}"
