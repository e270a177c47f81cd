"""``export``: writes a session as CSV or Parquet files for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from app.commands.options import AsJson, From, SessionPath, Times, To, clock_of, window_of
from app.commands.query import matches, matching_entities
from app.consoles import progress_bar, results
from app.terminal import cancellable, print_json
from resources.failures import NotFoundError, UsageError
from resources.foreign_text import visible
from resources.units import format_bytes, format_count
from sessions.anonymous import write_anonymised
from sessions.clock import UTC_ZONE
from sessions.export import ExportPart, export_session
from sessions.scope import Scope
from sessions.store import SessionReader
from sessions.times import TimeRange
from viewmodels.scope_export import part_of_scope
from viewmodels.snapshot import Snapshot, read_snapshot


def export(
    session: SessionPath,
    out: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            metavar="DIR",
            help="A folder to make; NEW.hscope with --anonymise.",
            show_default=False,
        ),
    ],
    as_csv: Annotated[bool, typer.Option("--csv", help="CSV files.")] = False,
    as_parquet: Annotated[
        bool, typer.Option("--parquet", help="Parquet files, zstd (needs the extra 'parquet').")
    ] = False,
    entity: Annotated[
        list[str] | None,
        typer.Option(
            metavar="GLOB",
            help="Only entities of these names and all below them, as in 'vm:SQL*'; may be repeated.",
            show_default=False,
        ),
    ] = None,
    source: Annotated[
        list[str] | None,
        typer.Option(
            metavar="GLOB", help="Only what these sources recorded; may be repeated.", show_default=False
        ),
    ] = None,
    start: From = "",
    end: To = "",
    anonymise: Annotated[
        bool,
        typer.Option(
            "--anonymise",
            help="Write a session (-o NEW.hscope) without names, addresses and paths, to be given away.",
        ),
    ] = False,
    times: Times = UTC_ZONE,
    as_json: AsJson = False,
) -> None:
    """Write samples (one line each), entities, facts, events, marks, gaps and findings into a new folder.

    Of a part, the records are also those of what it depends on: a VM's host, its devices and uplinks.
    The folder is there once it is whole, and shows the session as it was at the start. In CSV, a text that a
    spreadsheet would run as a formula (it starts with = + - @, a tab or a line break) gets an apostrophe
    before it; numbers stay as they are, and so do texts in Parquet.

    With --anonymise it is a new session instead: the same numbers, and vm-3, host-1, user-2 … wherever a
    name stood, also in texts, events, notes and tests. It is judged and shown as the original is.
    """
    if anonymise:
        if as_csv or as_parquet or entity or source or start or end:
            raise UsageError("--anonymise writes the whole session; it goes with no option but --json.")
        export_anonymised(session, out, as_json=as_json)
        return
    if as_csv == as_parquet:
        raise UsageError("Choose one of --csv, --parquet and --anonymise.")
    with SessionReader.open(session) as reader, cancellable() as cancel, progress_bar("Exporting") as show:
        clock = clock_of(reader, times)
        files = export_session(
            reader,
            out,
            kind="parquet" if as_parquet else "csv",
            part=part_of(reader, session, entity or [], source or [], window_of(reader, start, end, clock)),
            clock=clock,
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


def export_anonymised(session: Path, out: Path, *, as_json: bool) -> None:
    """Write the session ``out`` without names, and say what was replaced."""
    with (
        SessionReader.open(session) as reader,
        cancellable() as cancel,
        progress_bar("Anonymising") as show,
    ):
        done = write_anonymised(reader, out, progress=lambda part: show(part, ""), cancel=cancel)
    if as_json:
        print_json({"session": str(out), "bytes": done.bytes, "replaced": done.replaced, "notes": done.notes})
        return
    results().print(Text(f"{out}  {format_bytes(done.bytes)}"))
    sorts = ", ".join(f"{format_count(number)} × {what}" for what, number in sorted(done.replaced.items()))
    results().print(Text(f"Replaced: {sorts or 'nothing'}"))
    if done.notes:
        were = "note was" if done.notes == 1 else "notes were"
        results().print(Text(f"{format_count(done.notes)} {were} typed by people: read what is left of them "
                             "before you give the file away."))  # fmt: skip


def part_of(
    reader: SessionReader, path: Path, entities: list[str], sources: list[str], window: TimeRange | None
) -> ExportPart:
    """Return what to export. Raises NotFoundError for a glob that matches nothing."""
    if not entities and not sources:
        return ExportPart(window)
    snapshot = read_snapshot(reader, path)
    names = {ref: found.name for ref, found in snapshot.entities.items()}
    chosen = [ref for glob in entities for ref in matching_entities(names, glob)]
    scope = Scope(window=window).on(chosen).of_sources(_sources(snapshot, sources))
    return part_of_scope(scope, snapshot)


def _sources(snapshot: Snapshot, globs: list[str]) -> set[int]:
    """The ids of the sources that match; raises NotFoundError for a glob without a match."""
    found: set[int] = set()
    for glob in globs:
        matching = {one.id for one in snapshot.sources if matches(one.spec.name, glob)}
        if not matching:
            known = ", ".join(visible(one.spec.name) for one in snapshot.sources)
            raise NotFoundError(f"No source is called {glob!r}.", advice=f"There are: {known}")
        found |= matching
    return found
