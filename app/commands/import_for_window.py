"""The work of ``import --attached``: an import that the window has started; it reports events as JSON
lines.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from threading import Event

from app.terminal import cancellable
from collectors.esxtop.importing import import_captures
from collectors.esxtop.report import ImportReport, Progress
from collectors.fio.importing import FioReport, import_fio
from collectors.fio.recognising import are_fio
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
    if files == [LATER]:
        known = load_catalogue()
        request_line = commands.next_line()
        if request_line is None:
            return
        wanted = read_import(request_line)
        files, out = [Path(file) for file in wanted.files], Path(wanted.out)
    commands.hand_over(lambda _line: None, cancel.set)

    def report_progress(now: Progress) -> None:
        rate = round(now.bytes_per_second, 1)
        lines.send(ImportProgress(now.bytes_done, now.bytes_total, now.rows, rate, now.seconds_left))

    def fio_progress(done: int, total: int) -> None:
        lines.send(ImportProgress(done, total, 0, 0.0, None))

    report: ImportReport | FioReport
    try:
        if are_fio(files):
            report = import_fio(files, out, progress=fio_progress, cancel=cancel)
        else:
            report = import_captures(
                files,
                out,
                progress=report_progress,
                cancel=cancel,
                workers=workers or None,
                catalogue=known,
                refused=lambda path, error: left_out.append(f"{path.name} was left out: {error}"),
            )
    except HyperscopeError as error:
        lines.send(ImportEnded(error.exit_code, message=str(error)))
        raise
    else:
        lines.send(ImportEnded(0, str(out), notes=tuple(report.notes), left_out=tuple(left_out)))
    finally:
        lines.close()
