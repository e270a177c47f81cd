"""The work of ``import``. It is a module of its own because it imports a lot, while worker processes already
start.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from app.terminal import cancellable, hint, print_json, print_line, time_left
from collectors.esxtop.importing import import_captures
from collectors.esxtop.report import ImportReport, Progress
from collectors.worker_process import WorkerProcess
from resources.units import format_bytes, format_count, format_duration, format_rate


def run_import(
    files: Sequence[Path], out: Path, workers: int | None, ahead: Sequence[WorkerProcess], *, as_json: bool
) -> None:
    """Import the captures ``files`` into the session ``out`` with a progress bar, then print the report.

    ``workers`` is the number of worker processes (None: decided here), ``ahead`` are those that were started
    already.
    """
    with cancellable() as cancel, _progress_here() as report_progress:
        report = import_captures(
            files, out, progress=report_progress, cancel=cancel, workers=workers, started=ahead
        )
    if as_json:
        print_json({**report.to_json(), "session": str(out)})
    else:
        show_report(report, out)


@contextmanager
def _progress_here() -> Iterator[Callable[[Progress], None] | None]:
    if not sys.stderr.isatty():
        yield None
        return
    # Only here, since nobody else needs what draws the bar.
    from app.consoles import progress_bar  # noqa: PLC0415

    with progress_bar("Importing") as show:

        def report_progress(now: Progress) -> None:
            part = now.bytes_done / now.bytes_total if now.bytes_total else None
            rate = format_rate(now.bytes_per_second, "B")
            show(part, f"{rate}  {time_left(now.seconds_left)}")

        yield report_progress


def show_report(report: ImportReport, out: Path) -> None:
    """Print how much was imported, what was lost, and which command comes next."""
    rate = format_rate(report.bytes_read / report.seconds, "B") if report.seconds else ""
    print_line(
        f"{format_count(report.columns)} columns × {format_count(report.rows)} rows from "
        f"{format_bytes(report.bytes_read)} in {format_duration(report.seconds)} ({rate}) → {out}"
    )
    for note in report.notes:
        print_line(f"  note: {note}")
    hint(f"Not judged yet. Next: hyperscope diagnose {out}")
