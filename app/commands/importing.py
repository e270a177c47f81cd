"""``import``: reads esxtop batch captures, or what fio wrote, into a session."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.commands.import_start import run_at_terminal
from app.commands.json_option import AsJson


def import_(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE…",
            help="Captures: CSV, plain or .gz .zst .xz. Or of fio: JSON output, logs.",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path,
        typer.Option("-o", "--output", metavar="S.hscope", help="The session to make.", show_default=False),
    ],
    workers: Annotated[
        int,
        typer.Option(
            min=0,
            max=64,
            help="Worker processes; 0 takes as many as cores and 300 MB allow.",
            show_default=False,
        ),
    ] = 0,
    as_json: AsJson = False,
    attached: Annotated[
        bool,
        typer.Option(
            "--attached",
            help="Progress as JSON lines; stopped when stdin closes: for a window that starts it.",
        ),
    ] = False,
) -> None:
    """Read what 'esxtop -b' wrote into a session; or what fio wrote.

    Several files of one host may come in any order and may overlap. Ask for all fields when you record:
    'esxtop -b -a -d 5 -n 720 > capture.csv'; without -a ballooning per VM, limits and aborts are not in it.
    Of fio: what '--output-format=json+ --status-interval=5 --output=FILE' wrote, and its logs.
    """
    if attached:
        # Only here, since an import at a terminal needs nothing of what follows a window's commands. It first
        # lowers its priority, which that of its worker processes follows: they start later.
        from app.commands.import_for_window import run_attached  # noqa: PLC0415

        run_attached(files, out, workers)
        return
    run_at_terminal(files, out, workers or None, as_json=as_json)
