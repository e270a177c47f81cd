"""``export``: writes a session as CSV or Parquet files for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from app.commands.options import AsJson, From, SessionPath, To, window_of
from app.consoles import progress_bar, results
from app.terminal import cancellable, print_json
from resources.failures import UsageError
from resources.units import format_bytes, format_count
from sessions.export import export_session
from sessions.store import SessionReader


def export(
    session: SessionPath,
    out: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="A folder to make.", show_default=False)
    ],
    as_csv: Annotated[bool, typer.Option("--csv", help="CSV files.")] = False,
    as_parquet: Annotated[
        bool, typer.Option("--parquet", help="Parquet files, zstd (needs the extra 'parquet').")
    ] = False,
    start: From = "",
    end: To = "",
    as_json: AsJson = False,
) -> None:
    """Write samples (one line each), entities, facts, events, gaps and findings into a new folder.

    The folder is there once it is whole, and shows the session as it was at the start. In CSV, a text that a
    spreadsheet would run as a formula (it starts with = + - @, a tab or a line break) gets an apostrophe
    before it; numbers stay as they are, and so do texts in Parquet.
    """
    if as_csv == as_parquet:
        raise UsageError("Choose one of --csv and --parquet.")
    with SessionReader.open(session) as reader, cancellable() as cancel, progress_bar("Exporting") as show:
        files = export_session(
            reader,
            out,
            kind="parquet" if as_parquet else "csv",
            window=window_of(reader, start, end),
            progress=lambda part: show(part, ""),
            cancel=cancel,
        )
    if as_json:
        print_json(
            {"folder": str(out), "files": [{"name": f.name, "rows": f.rows, "bytes": f.bytes} for f in files]}
        )
        return
    for file in files:
        results().print(
            Text(f"{file.name:<24} {format_count(file.rows):>14} rows  {format_bytes(file.bytes):>10}")
        )
