"""Importing esxtop batch captures into a new session, with as many processes as memory allows.

The calling process finds the rows and writes the session; worker processes turn rows into blocks.
"""

from __future__ import annotations

import errno
import gc
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

from collectors.esxtop.header import Header
from collectors.esxtop.history import HostHistory
from collectors.esxtop.namesakes import Namesakes
from collectors.esxtop.opening import Capture, recognise
from collectors.esxtop.outcome import Outcome
from collectors.esxtop.peek import Peek, peek
from collectors.esxtop.plan import Piece, PieceResult, SectionPlan, layout_cuts
from collectors.esxtop.pool import Workers
from collectors.esxtop.reading import CaptureReader
from collectors.esxtop.report import CancelSignal, ImportReport, Progress
from collectors.esxtop.sections import (
    HostPart,
    OpenSection,
    PieceSizes,
    host_part,
    plan_host,
    rows_at_once,
)
from collectors.esxtop_names import Counters, HostColumns, columns_by_host
from collectors.worker_process import MAX_WORKERS, WorkerProcess, worker_count
from resources.catalogue import load_catalogue
from resources.failures import (
    AccessDeniedError,
    BadInputError,
    CancelledError,
    DiskFullError,
    HyperscopeError,
    UsageError,
)
from sessions.model import SourceSpec
from sessions.scratch_folder import scratch_folder
from sessions.store import SessionWriter

_MAX_WORKERS_IF_NARROW = 3
_NARROW_COLUMNS = 8192
_SIZES = ((48 << 20, 1024), (48 << 20, 1024), (32 << 20, 512))
"""Bytes of values that each process may gather, and rows of a piece, by the number of workers.

Both and the number of workers are chosen so that all processes together stay below 300 MB, whatever the
values (measured on Linux: 75 MB for this process at 20,000 columns, up to 40 for each worker, and room for
rows read ahead and for blocks on their way; of noise, 277 MB with one worker and 253 with two, and of 1,500
columns 228 with three).
"""
_PATIENCE_S = 0.2
_MAX_NAMES = 3
_LONGEST_NAME = 100
_Given = TypeVar("_Given")
_Got = TypeVar("_Got")
Refused = Callable[[Path, HyperscopeError], None]
_TELL_EVERY_S = 0.1


def import_captures(
    files: Sequence[Path],
    out: Path,
    *,
    progress: Callable[[Progress], None] | None = None,
    cancel: CancelSignal | None = None,
    workers: int | None = None,
    catalogue: Counters | None = None,
    started: Sequence[WorkerProcess] = (),
    refused: Refused | None = None,
) -> ImportReport:
    """Import captures of any number of hosts into the new session ``out``.

    Files may be compressed with gzip, xz or zstd, come in any order and overlap: a host's sample of one
    instant is stored once. ``workers`` is the number of processes beside this one, chosen by size when None.
    ``started`` are some of them that run already; they are gone when this returns.
    ``progress`` is called in this thread, a few times a second. ``refused`` is called with each file that
    can't be read as a capture, and why, as long as another one can; without it such a file ends the import.

    Raises NotFoundError, AccessDeniedError, NotACaptureError for a file that can't be read as a capture;
    BadInputError where there are rows and not one of them can be read;
    AlreadyExistsError, DiskFullError and the like for ``out``; CancelledError when ``cancel`` is set.
    Whatever is raised, no session is left behind.
    """
    if not files:
        raise UsageError("No file to import was named.", advice="Name one or more captures.")
    plans: dict[int, SectionPlan] = {}
    with _translated(out):
        captures = _recognised(files, started, refused)
    # They start while headers are read here.
    with Workers(_worker_count(captures, workers), plans, started) as pool, _collection_paused():
        known = catalogue or load_catalogue()
        with _translated(out):
            found = _usable(captures, lambda capture: peek(capture, known), lambda one: one.path, refused)
        if workers is None and pool.count == MAX_WORKERS and _is_narrow(found):
            pool.grow(min((os.cpu_count() or 1) - 1, _MAX_WORKERS_IF_NARROW))
        return _Import(found, out, known, progress, cancel, pool, plans).run()


def _worker_count(captures: Sequence[Capture], asked: int | None) -> int:
    if asked is not None:
        return max(0, asked)
    return worker_count(sum(one.size * (1 if one.direct else 4) for one in captures))


def _recognised(
    files: Sequence[Path], started: Sequence[WorkerProcess], refused: Refused | None
) -> list[Capture]:
    with ExitStack() as on_failure:
        for process in started:
            on_failure.callback(process.stop)
        captures = _usable(files, recognise, lambda file: file, refused)
        on_failure.pop_all()
    return captures


def _usable(
    files: Sequence[_Given],
    read: Callable[[_Given], _Got],
    path_of: Callable[[_Given], Path],
    refused: Refused | None,
) -> list[_Got]:
    """Read each file; ``refused`` gets those that can't be read, unless it is None or all are bad."""
    found: list[_Got] = []
    bad: list[tuple[Path, HyperscopeError]] = []
    for file in files:
        try:
            found.append(read(file))
        except HyperscopeError as error:
            if refused is None:
                raise
            bad.append((path_of(file), error))
    if not found:
        raise bad[0][1]
    for path, reason in bad:
        if refused is not None:
            refused(path, reason)
    return found


def _is_narrow(found: Sequence[Peek]) -> bool:
    return max(one.header.shape.width for one in found) <= _NARROW_COLUMNS


def _title(found: Sequence[Peek]) -> str:
    """Whose captures they are, and what the files are called: ``esx01: night.csv``."""
    hosts = dict.fromkeys(path.host for one in found for path in one.header.paths if path is not None)
    return f"{_some(list(hosts))}: {_some([one.capture.path.name for one in found])}"


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
    text = ", ".join(name[:_LONGEST_NAME] for name in names[:_MAX_NAMES]) + more
    return "".join(sign if sign.isprintable() else "\ufffd" for sign in text)


class _Import:
    """The state of one import: the session, the hosts and sections found so far, and losses."""

    def __init__(
        self,
        found: Sequence[Peek],
        out: Path,
        catalogue: Counters,
        progress: Callable[[Progress], None] | None,
        cancel: CancelSignal | None,
        pool: Workers,
        plans: dict[int, SectionPlan],
    ) -> None:
        self._found = found
        self._out = out
        self._catalogue = catalogue
        self._progress = progress
        self._cancel = cancel
        self._outcome = Outcome(sum(one.capture.size for one in found))
        self._reported_at = 0.0
        self._pool = pool
        self._sizes = PieceSizes(pool.count + 1, *_SIZES[min(pool.count, len(_SIZES) - 1)])
        self._plans = plans
        self._sections: dict[int, OpenSection] = {}
        self._hosts: dict[str, HostHistory] = {}
        self._namesakes = Namesakes()
        self._spooled: dict[int, Path] = {}

    def run(self) -> ImportReport:
        """Import all files; if that fails, the unfinished session is deleted."""
        with _translated(self._out):
            writer = SessionWriter.create(self._out, title=_title(self._found), durable=False, bulk=True)
            with ExitStack() as on_failure:
                on_failure.callback(writer.discard)
                with self._spool_folder() as spool:
                    for one in self._found:
                        self._read(one, writer, spool)
                    while self._pool.busy:
                        self._collect(writer, _PATIENCE_S)
                self._outcome.require_sound_row()
                self._finish(writer)
                writer.close()
                on_failure.pop_all()
        self._report()
        return self._outcome.report(self._out, self._hosts.values())

    @contextmanager
    def _spool_folder(self) -> Iterator[Path | None]:
        """A folder for rows whose bytes are not the file's, if any file is like that."""
        if all(one.capture.direct for one in self._found):
            yield None
            return
        with scratch_folder() as folder:
            yield folder

    def _read(self, found: Peek, writer: SessionWriter, spool: Path | None) -> None:
        name = found.capture.path.name
        if found.fragment:
            self._open(found.header, name, writer)
            self._outcome.fragment(name, found.header)
            return
        reader = CaptureReader(found, self._catalogue, lambda header: self._open(header, name, writer), spool)
        before = self._outcome.bytes_done
        with closing(reader.pieces()) as pieces:
            for piece in pieces:
                self._outcome.bytes_done = before + reader.tally.position
                self._tell()
                if piece is not None:
                    self._hand_out(self._sections[piece.section].mark_repeated_rows(piece), writer)
        self._outcome.bytes_done = before + found.capture.size
        self._outcome.file(name, found.header, reader.tally)

    def _hand_out(self, piece: Piece, writer: SessionWriter) -> None:
        """Have a piece done: by a worker that has time, else here."""
        if piece.spooled:
            self._spooled[piece.number] = piece.path
        last = self._is_last(piece)
        if self._pool.has_enough_to_do(last=last):
            self._collect(writer, 0)
        # While processes start, what is there to look at first comes from this one.
        if self._pool.has_enough_to_do(last=last) or piece.number == 0:
            self._store(writer, self._pool.do_in_this_process(piece, self._tell))
            if piece.number == 0:
                self._report()  # who waits for something to look at hears of it at once
        else:
            self._pool.submit(piece, self._tell)

    def _is_last(self, piece: Piece) -> bool:
        """Whether nothing comes after a piece, as far as that can be told."""
        capture = self._found[-1].capture
        return piece.path == capture.path and int(piece.ends[-1]) + 2 >= capture.size

    def _collect(self, writer: SessionWriter, timeout: float) -> None:
        """Store the results that are there within ``timeout`` seconds."""
        self._tell()
        for result in self._pool.results(timeout, self._tell):
            self._store(writer, result)

    def _store(self, writer: SessionWriter, result: PieceResult) -> None:
        section = self._sections[result.section]
        for part, host in zip(section.hosts, result.hosts, strict=True):
            for blocks in host.blocks:
                for layout, block in zip(part.layouts, blocks, strict=True):
                    writer.add_block(layout, block)
            part.take(host)
            part.history.add_lost_rows(result.lost)
        self._outcome.piece(result)
        spooled = self._spooled.pop(result.number, None)
        if spooled is not None:
            spooled.unlink(missing_ok=True)

    def _open(self, header: Header, file: str, writer: SessionWriter) -> OpenSection:
        """Make a header's hosts known to the session."""
        by_host = columns_by_host(self._namesakes.told_apart(header.paths), self._catalogue)
        parts = [self._host(host_columns, writer) for host_columns in by_host]
        number = len(self._plans)
        rows = rows_at_once(header.shape.width)
        hosts = tuple(plan_host(host_columns) for host_columns in by_host)
        plan = SectionPlan(number, file, rows, self._sizes.value_bytes, header.shape, hosts)
        self._plans[number] = plan
        section = OpenSection(plan, header, parts, self._sizes)
        self._sections[number] = section
        self._outcome.header(header)
        return section

    def _host(self, host_columns: HostColumns, writer: SessionWriter) -> HostPart:
        host = self._hosts.get(host_columns.host)
        if host is None:
            source = writer.add_source(SourceSpec("esxtop", host_columns.host))
            writer.update_source(source, state="importing")
            host = self._hosts[host_columns.host] = HostHistory(host_columns.host, source)
        host.notes |= dict.fromkeys(host_columns.notes)
        if note := self._namesakes.note_of(host.name):
            host.notes[note] = None
        writer.add_entities(host_columns.entities)
        ids = writer.add_series(host.source, host_columns.specs)
        self._outcome.host(host_columns, ids)
        key = ids.tobytes()
        if key not in host.layouts:
            cuts = pairwise(layout_cuts(len(ids)))
            host.layouts[key] = tuple(writer.add_layout(host.source, ids[begin:end]) for begin, end in cuts)
        return host_part(host_columns, host, host.layouts[key], ids)

    def _finish(self, writer: SessionWriter) -> None:
        """Store what only the whole tells: gaps, facts, the interval, and what was lost."""
        for section in self._sections.values():
            section.finish()
        for host in self._hosts.values():
            gaps = [*host.gaps, *host.holes()]
            writer.add_gaps(gaps)
            writer.add_facts(host.facts())
            self._outcome.gaps += len(gaps)
            writer.update_source(
                host.source, interval_s=host.interval_s(), attributes=self._outcome.attributes(host)
            )

    def _tell(self) -> None:
        """Report progress a few times a second, and stop when asked to."""
        if self._cancel is not None and self._cancel.is_set():
            raise CancelledError("The import was cancelled.", meaning="No session was written.")
        if time.monotonic() - self._reported_at >= _TELL_EVERY_S:
            self._reported_at = time.monotonic()
            self._report()

    def _report(self) -> None:
        if self._progress is not None:
            self._progress(self._outcome.progress())


@contextmanager
def _collection_paused() -> Iterator[None]:
    """Without garbage collection, which takes a third of the time in which a wide header is read.

    The rest of an import makes arrays and bytes, which are freed without it.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@contextmanager
def _translated(out: Path) -> Iterator[None]:
    """Failures of the operating system while reading or spooling, as sentences."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFullError(
                f"There is no space left while importing into {out}.",
                meaning="No session was written.",
                advice="Free some space, or choose another disk for it and for temporary files.",
            ) from error
        if isinstance(error, PermissionError):
            raise AccessDeniedError(f"The operating system refused: {error}.") from error
        raise BadInputError(f"A file can't be read any more: {error}.") from error
