"""What ``import`` does, once its worker processes start: apart from the command, since it loads a lot."""

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
"""The window that shows what is there already goes first."""


def run_import(
    files: Sequence[Path], out: Path, workers: int, ahead: Sequence[WorkerProcess], *, as_json: bool
) -> None:
    """Import with a bar, and say what came of it."""
    with cancellable() as cancel, _progress_here() as tell:
        report = import_captures(
            files, out, progress=tell, cancel=cancel, workers=workers or None, started=ahead
        )
    if as_json:
        print_json({**report.to_json(), "session": str(out)})
    else:
        show_report(report, out)


@contextmanager
def _progress_here() -> Iterator[Callable[[Progress], None]]:
    with progress_bar("Importing") as show:

        def tell(now: Progress) -> None:
            part = now.bytes_done / now.bytes_total if now.bytes_total else None
            rate = format_rate(now.bytes_per_second, "B")
            show(part, f"{rate}  {time_left(now.seconds_left)}")

        yield tell


def run_attached(files: Sequence[Path], out: Path, workers: int) -> None:
    """Import for the window that started this, with events instead of a bar, until it closes stdin."""
    with cancellable() as cancel:
        _import_for_a_window(files, out, workers, cancel)


def _import_for_a_window(files: Sequence[Path], out: Path, workers: int, cancel: Event) -> None:
    """Events in place of a bar: ``progress`` a few times a second (the session has rows once ``rows`` is not
    0), and ``ended`` with the code and the sentence of a failure, or with the notes of the report.

    Files given as ``-`` come in the first line of stdin, as does the session: a window that sees a file being
    dragged towards it has all this ready by the time the file is dropped.
    """
    if sys.platform != "win32":  # there the window starts us with a lower priority
        os.nice(_NICE)
    lines, commands = EventLines(cancel.set), StdinLines()
    known = None
    if files == [LATER]:
        known = load_catalogue()
        asked = commands.next_line()
        if asked is None:
            return
        wanted = read_import(asked)
        files, out = [Path(file) for file in wanted.files], Path(wanted.out)
    commands.hand_over(lambda _line: None, cancel.set)

    def tell(now: Progress) -> None:
        rate = round(now.bytes_per_second, 1)
        lines.send(ImportProgress(now.bytes_done, now.bytes_total, now.rows, rate, now.seconds_left))

    try:
        report = import_captures(
            files, out, progress=tell, cancel=cancel, workers=workers or None, catalogue=known
        )
    except HyperscopeError as error:
        lines.send(ImportEnded(error.exit_code, message=str(error)))
        raise
    else:
        lines.send(ImportEnded(0, str(out), notes=tuple(report.notes)))
    finally:
        lines.close()


def show_report(report: ImportReport, out: Path) -> None:
    """What came in, what was lost, and what to do next."""
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
