"""The work of ``import``. It is a module of its own because it imports a lot, while worker processes already
start.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from app.terminal import cancellable, hint, print_json, print_line, time_left
from collectors.esxtop.importing import import_captures
from collectors.esxtop.report import ImportReport, Progress
from collectors.worker_process import WorkerProcess
from resources.stopping import StopSignal
from resources.units import format_bytes, format_count, format_duration, format_rate

if TYPE_CHECKING:
    from collectors.logs.importing import LogReport


def run_import(
    files: Sequence[Path],
    out: Path,
    workers: int | None,
    ahead: Sequence[WorkerProcess],
    *,
    logs: Sequence[Path] = (),
    host: str = "",
    as_json: bool,
) -> None:
    """Import the captures ``files``, and then ``logs`` that ``host`` wrote (empty: found out), into the
    session ``out`` with a progress bar, then print the report.

    ``workers`` is the number of worker processes (None: decided here), ``ahead`` are those that were started
    already.
    """
    with cancellable() as cancel, _progress_here() as report_progress:
        report = import_captures(
            files, out, progress=report_progress, cancel=cancel, workers=workers, started=ahead
        )
        added = _add_logs(logs, out, host, cancel) if logs else None
    if as_json:
        of_logs = {"logs": added.to_json()} if added is not None else {}
        print_json({**report.to_json(), **of_logs, "session": str(out)})
    else:
        show_report(report, out, added)


def _add_logs(logs: Sequence[Path], out: Path, host: str, cancel: StopSignal) -> LogReport | None:
    from app.commands.import_logs_run import add_logs  # noqa: PLC0415 - most imports have no logs

    return add_logs(logs, out, host, cancel)


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


def show_report(report: ImportReport, out: Path, added: LogReport | None = None) -> None:
    """Print how much was imported, what was lost, and which command comes next. ``added`` is what came of
    logs.
    """
    rate = format_rate(report.bytes_read / report.seconds, "B") if report.seconds else ""
    print_line(
        f"{format_count(report.columns)} columns × {format_count(report.rows)} rows from "
        f"{format_bytes(report.bytes_read)} in {format_duration(report.seconds)} ({rate}) → {out}"
    )
    for note in report.notes:
        print_line(f"  note: {note}")
    if added is not None:
        from app.commands.import_logs_run import show_logs  # noqa: PLC0415 - most imports have no logs

        show_logs(added, out)
    hint(f"Not judged yet. Next: hyperscope diagnose {out}")
