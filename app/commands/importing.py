"""``import``: esxtop batch captures into a session."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from app.commands.options import AsJson
from app.terminal import cancellable, notices, print_json, progress_bar, results, time_left
from collectors.esxtop import ImportReport, Progress, import_captures
from resources.units import format_bytes, format_count, format_duration, format_rate


def import_(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE…", help="Captures: CSV, plain or .gz .zst .xz.", show_default=False),
    ],
    out: Annotated[
        Path,
        typer.Option("-o", "--output", metavar="S.hscope", help="The session to make.", show_default=False),
    ],
    workers: Annotated[
        int, typer.Option(min=0, help="Worker processes; 0 takes one a core.", show_default=False)
    ] = 0,
    as_json: AsJson = False,
) -> None:
    """Read what 'esxtop -b' wrote into a session.

    Several files of one host may come in any order and may overlap. Ask for all fields when you record:
    'esxtop -b -a -d 5 -n 720 > capture.csv'; without -a ballooning per VM, limits and aborts are not in it.
    """
    with cancellable() as cancel, progress_bar("Importing") as show:

        def report_progress(now: Progress) -> None:
            part = now.bytes_done / now.bytes_total if now.bytes_total else None
            rate = format_rate(now.bytes_per_second, "B")
            show(part, f"{rate}  {time_left(now.seconds_left)}")

        report = import_captures(files, out, progress=report_progress, cancel=cancel, workers=workers or None)
    if as_json:
        print_json({**report.to_json(), "session": str(out)})
    else:
        show_report(report, out)


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
        results().print(Text(f"  note: {note}"))
    notices().print(Text(f"Next: hyperscope diagnose {out}", style="dim"))
