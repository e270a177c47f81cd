"""The work of ``import``. It is a module of its own because it imports a lot, while worker processes already
start.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event

from rich.text import Text

from app.consoles import notices, one_line, progress_bar, results
from app.terminal import cancellable, print_json, time_left
from collectors.esxtop import ImportReport, Progress, import_captures
from collectors.worker_process import WorkerProcess
from recorder.event_lines import EventLines
from recorder.protocol import ImportEnded, ImportProgress, read_import
from recorder.stdin_lines import StdinLines
from resources.catalogue import load_catalogue
from resources.failures import HyperscopeError
from resources.units import format_bytes, format_count, format_duration, format_rate

LATER = Path("-")
_NICE = 5
"""The niceness of an import that the window started: the window goes first."""


def run_import(
    files: Sequence[Path], out: Path, workers: int, ahead: Sequence[WorkerProcess], *, as_json: bool
) -> None:
    """Import the captures ``files`` into the session ``out`` with a progress bar, then print the report.

    ``workers`` is the number of worker processes (0: decided here), ``ahead`` are those that were started
    already.
    """
    with cancellable() as cancel, _progress_here() as report_progress:
        report = import_captures(
            files, out, progress=report_progress, cancel=cancel, workers=workers or None, started=ahead
        )
    if as_json:
        print_json({**report.to_json(), "session": str(out)})
    else:
        show_report(report, out)


@contextmanager
def _progress_here() -> Iterator[Callable[[Progress], None]]:
    with progress_bar("Importing") as show:

        def report_progress(now: Progress) -> None:
            part = now.bytes_done / now.bytes_total if now.bytes_total else None
            rate = format_rate(now.bytes_per_second, "B")
            show(part, f"{rate}  {time_left(now.seconds_left)}")

        yield report_progress


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

    try:
        report = import_captures(
            files, out, progress=report_progress, cancel=cancel, workers=workers or None, catalogue=known
        )
    except HyperscopeError as error:
        lines.send(ImportEnded(error.exit_code, message=str(error)))
        raise
    else:
        lines.send(ImportEnded(0, str(out), notes=tuple(report.notes)))
    finally:
        lines.close()


def show_report(report: ImportReport, out: Path) -> None:
    """Print how much was imported, what was lost, and which command comes next."""
    rate = format_rate(report.bytes_read / report.seconds, "B") if report.seconds else ""
    results().print(
        Text(
            f"{format_count(report.columns)} columns × {format_count(report.rows)} rows from "
            f"{format_bytes(report.bytes_read)} in {format_duration(report.seconds)} ({rate}) → {out}"
        )
    )
    for note in report.notes:
        results().print(Text("  note: ") + one_line(note))
    notices().print(one_line(f"Next: hyperscope diagnose {out}", "dim"))
