"""Imports what fio wrote, JSON and logs, into a new session."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path

from collectors.fio.documents import MAX_BYTES as MAX_JSON_BYTES
from collectors.fio.documents import read_documents
from collectors.fio.logs import MAX_BYTES as MAX_LOG_BYTES
from collectors.fio.logs import read_log
from collectors.fio.recognising import log_name, text_encoding
from collectors.fio.storing import Log, Run, Storing
from resources.failures import BadInputError, CancelledError
from resources.files import opened_for_reading
from resources.foreign_text import shown
from resources.stopping import StopSignal
from resources.units import format_bytes
from sessions.store import SessionWriter

_MAX_NAMED = 3


@dataclass(frozen=True, slots=True)
class FioReport:
    """What an import made of fio's files; ``start`` and ``end`` in ms since 1970, None without a sample."""

    out: Path
    files: tuple[str, ...]
    workers: int
    series: int
    samples: int
    start: int | None
    end: int | None
    notes: tuple[str, ...]
    bytes_read: int

    def to_json(self) -> dict[str, object]:
        """Return the report as plain values for JSON."""
        return {**asdict(self), "out": str(self.out)}


def import_fio(
    files: Sequence[Path],
    out: Path,
    *,
    progress: Callable[[int, int], None] | None = None,
    cancel: StopSignal | None = None,
) -> FioReport:
    """Import fio's JSON and logs into the new session ``out``; ``progress`` gets bytes done and of all.

    Logs belong to the run whose job options name their prefix. Logs of no run that is imported with them
    count from the start of 1970 unless they have absolute times, and the report says so.

    Raises NotFoundError, AccessDeniedError, BadInputError for a file that can't be read, CancelledError,
    and what SessionWriter.create raises. Whatever is raised, no session is left behind.
    """
    total = sum(_size(path) for path in files)
    runs: list[Run] = []
    logs: list[Log] = []
    done = 0
    for path in files:
        if cancel is not None and cancel.is_set():
            raise CancelledError("The import was stopped.")
        name = log_name(path.name)
        if name is None:
            runs.append(Run(path, read_documents(_text(path, MAX_JSON_BYTES), path.name)))
        else:
            logs.append(Log(path, name, read_log(_text(path, MAX_LOG_BYTES), path.name)))
        done += _size(path)
        if progress is not None:
            progress(done, total)
    with ExitStack() as on_failure:
        writer = SessionWriter.create(out, title=_title(files), durable=False, bulk=True)
        on_failure.callback(writer.discard)
        work = Storing(writer, logs)
        for run in runs:
            work.store_run(run)
        work.store_other_logs()
        writer.close()
        on_failure.pop_all()
    return FioReport(
        out=out,
        files=tuple(path.name for path in files),
        workers=len(work.workers),
        series=work.series,
        samples=writer.samples,
        start=work.span.start if work.span else None,
        end=work.span.end if work.span else None,
        notes=tuple(work.notes),
        bytes_read=total,
    )


def _title(files: Sequence[Path]) -> str:
    more = f" and {len(files) - _MAX_NAMED} more" if len(files) > _MAX_NAMED else ""
    return "fio: " + ", ".join(shown(path.name) for path in files[:_MAX_NAMED]) + more


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0  # reading it says why


def _text(path: Path, max_bytes: int) -> str:
    """Return a file's text; raises NotFoundError, AccessDeniedError, BadInputError."""
    with opened_for_reading(path, BadInputError, "Name the files in it.") as file:
        data = file.read(max_bytes + 1)
    if len(data) > max_bytes:
        raise BadInputError(
            f"{path} is larger than {format_bytes(max_bytes)}.",
            advice="Import fewer workers, or a log of longer intervals (log_avg_msec), at once.",
        )
    return data.decode(text_encoding(data), "replace")
