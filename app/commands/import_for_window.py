"""The work of ``import --attached``: an import that the window has started; it reports events as JSON
lines.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from threading import Event

from app.commands.import_logs_run import add_logs
from app.commands.import_start import divided
from app.terminal import cancellable
from collectors.esxtop.importing import import_captures
from collectors.esxtop.report import ImportReport, Progress
from collectors.esxtop_service.importing import DumpReport, import_dumps
from collectors.esxtop_service.recognising import are_dumps
from collectors.fio.importing import FioReport, import_fio
from collectors.logs.importing import LogOptions, LogReport, import_logs
from recorder.event_lines import EventLines
from recorder.protocol import ImportEnded, ImportProgress, read_import
from recorder.stdin_lines import StdinLines
from resources.catalogue import load_catalogue
from resources.failures import HyperscopeError

LATER = Path("-")
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
    if sys.platform != "win32":  # there the window starts us with a lower priority
        os.nice(_NICE)
    lines, commands = EventLines(cancel.set), StdinLines()
    known = None
    left_out: list[str] = []
    options = LogOptions()
    if files == [LATER]:
        known = load_catalogue()
        request_line = commands.next_line()
        if request_line is None:
            return
        wanted = read_import(request_line)
        files, out = [Path(file) for file in wanted.files], Path(wanted.out)
        options = LogOptions(into=wanted.into, host=wanted.host)
    commands.hand_over(lambda _line: None, cancel.set)

    def report_progress(now: Progress) -> None:
        rate = round(now.bytes_per_second, 1)
        lines.send(ImportProgress(now.bytes_done, now.bytes_total, now.rows, rate, now.seconds_left))

    def bytes_done(done: int, total: int) -> None:
        lines.send(ImportProgress(done, total, 0, 0.0, None))

    report: ImportReport | FioReport | LogReport | DumpReport
    added: LogReport | None = None
    try:
        others, logs, is_fio = ([], files, False) if options.into else divided(files)
        if not others:
            report = added = import_logs(logs, out, options, progress=bytes_done, cancel=cancel)
        elif is_fio or are_dumps(others):
            read = import_fio if is_fio else partial(import_dumps, host=options.host)
            report = read(others, out, progress=bytes_done, cancel=cancel)
        else:
            report = import_captures(
                others,
                out,
                progress=report_progress,
                cancel=cancel,
                workers=workers or None,
                catalogue=known,
                refused=lambda path, error: left_out.append(f"{path.name} was left out: {error}"),
            )
            added = add_logs(logs, out, options.host, cancel)
    except HyperscopeError as error:
        lines.send(ImportEnded(error.exit_code, message=str(error)))
        raise
    else:
        notes = tuple(dict.fromkeys((*report.notes, *(added.notes if added is not None else ()))))
        events = None if added is None else added.events
        lines.send(ImportEnded(0, str(out), notes=notes, left_out=tuple(left_out), events=events))
    finally:
        lines.close()
