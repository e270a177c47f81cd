"""The work of ``import --attached``: an import that the window has started; it reports events as JSON
lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Event

from app.commands.import_get_stat_run import stat_options
from app.commands.import_logs_run import add_logs
from app.commands.import_start import Divided, divided
from app.processes import step_back
from app.terminal import cancellable
from collectors.esxtop.importing import import_captures
from collectors.esxtop.report import ImportReport, Progress
from collectors.esxtop_service.importing import DumpReport, import_dumps
from collectors.fio.importing import FioReport, import_fio
from collectors.logs.importing import LogOptions, LogReport, import_logs
from collectors.vsphere.get_stat.importing import StatReport, import_get_stat
from collectors.vsphere.get_stat.stamps import UndecidedDatesError
from recorder.event_lines import EventLines
from recorder.protocol import Import, ImportEnded, ImportProgress, read_import
from recorder.stdin_lines import StdinLines
from resources.catalogue import Catalogue, load_catalogue
from resources.failures import HyperscopeError

LATER = Path("-")
_Report = ImportReport | FioReport | StatReport | DumpReport | LogReport
_NICE = 5
"""The niceness of an import that the window started: the window goes first."""


def run_attached(files: Sequence[Path], out: Path, workers: int) -> None:
    """Import for the window that started this process: events on stdout, until the window closes stdin."""
    with cancellable() as cancel:
        _import_for_a_window(files, out, workers, cancel)


def _import_for_a_window(files: Sequence[Path], out: Path, workers: int, cancel: Event) -> None:
    """Import with events on stdout in place of a progress bar.

    ``ImportProgress`` comes a few times a second (from ``rows`` above 0 on the session can be opened), and at
    last ``ImportEnded`` with exit code and message of a failure, or with the notes of the report.

    If ``files`` is ``-``, files and session come in the first line of stdin: the window starts this process
    when a file is dragged over it, so that all is loaded by the time the file is dropped.
    """
    step_back(_NICE)
    lines, commands = EventLines(cancel.set), StdinLines()
    wanted, known = Import(tuple(map(str, files)), str(out)), None
    if files == [LATER]:
        known = load_catalogue()
        request_line = commands.next_line()
        if request_line is None:
            return
        wanted = read_import(request_line)
    commands.hand_over(lambda _line: None, cancel.set)
    work = _Import(wanted, lines, cancel, workers or None, known)
    try:
        report, added = work.run()
    except UndecidedDatesError as error:  # the window has buttons for it, no options
        lines.send(ImportEnded(error.exit_code, message=error.happened, dates=error.orders))
        raise
    except HyperscopeError as error:
        lines.send(ImportEnded(error.exit_code, message=str(error)))
        raise
    else:
        notes = tuple(dict.fromkeys((*report.notes, *(added.notes if added is not None else ()))))
        events = None if added is None else added.events
        lines.send(ImportEnded(0, wanted.out, notes=notes, left_out=tuple(work.left_out), events=events))
    finally:
        lines.close()


class _Import:
    """Reads what a window wants imported, and tells it how far that is; ``left_out`` are files that were no
    captures beside others.
    """

    def __init__(
        self,
        wanted: Import,
        lines: EventLines,
        cancel: Event,
        workers: int | None,
        catalogue: Catalogue | None,
    ) -> None:
        self._wanted, self._lines, self._cancel = wanted, lines, cancel
        self._workers, self._catalogue = workers, catalogue
        self._out = Path(wanted.out)
        self.left_out: list[str] = []

    def run(self) -> tuple[_Report, LogReport | None]:
        """Import; return the report, and that of logs if there are any. Raises HyperscopeError."""
        wanted, out = self._wanted, self._out
        files = [Path(file) for file in wanted.files]
        # Only logs are added to a session that is there, whatever they look like.
        found = Divided([], "captures", files) if wanted.into else divided(files)
        if found.others:
            report = self._read_others(found)
            return report, add_logs(found.logs, out, wanted.host, self._cancel)
        options = LogOptions(into=wanted.into, host=wanted.host)
        logs = import_logs(found.logs, out, options, progress=self._bytes_done, cancel=self._cancel)
        return logs, logs

    def _read_others(self, found: Divided) -> _Report:
        out, cancel = self._out, self._cancel
        if found.kind == "fio":
            return import_fio(found.others, out, progress=self._bytes_done, cancel=cancel)
        if found.kind == "dumps":
            return import_dumps(
                found.others, out, host=self._wanted.host, progress=self._bytes_done, cancel=cancel
            )
        if found.kind == "get_stat":
            options = stat_options(self._wanted.dates, self._wanted.times)
            report = import_get_stat(found.others, out, options, progress=self._bytes_done, cancel=cancel)
            size = report.bytes_read
            self._lines.send(ImportProgress(size, size, report.samples, 0.0, None))
            return report
        return import_captures(
            found.others,
            out,
            progress=self._rows_done,
            cancel=cancel,
            workers=self._workers,
            catalogue=self._catalogue,
            refused=lambda path, error: self.left_out.append(f"{path.name} was left out: {error}"),
        )

    def _rows_done(self, now: Progress) -> None:
        rate = round(now.bytes_per_second, 1)
        progress = ImportProgress(now.bytes_done, now.bytes_total, now.rows, rate, now.seconds_left)
        self._lines.send(progress)

    def _bytes_done(self, done: int, total: int) -> None:
        self._lines.send(ImportProgress(done, total, 0, 0.0, None))
