"""``info``: what a session holds, from where, and what is missing in it."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from app.commands.options import AsJson, SessionPath
from app.terminal import print_json, results
from resources.failures import DamagedError
from resources.units import format_bytes, format_count, format_duration
from sessions.store import SessionInfo, SessionReader, check_session
from sessions.times import iso


def info(
    session: SessionPath,
    thorough: Annotated[
        bool, typer.Option("--check", help="Also read and check every sample in it (slow on a big one).")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Sources, entities, series, samples, gaps, time range and size of a session."""
    if thorough and (problems := check_session(session, thorough=True)):
        raise DamagedError(
            f"{session} does not check: {'; '.join(problems[:3])}.",
            meaning="What is readable is still shown by the other commands.",
            advice="Import or record again, or keep the file for us.",
        )
    with SessionReader.open(session) as reader:
        found = reader.info()
    if as_json:
        print_json(found.to_json())
    else:
        show(found)


def show(found: SessionInfo) -> None:
    """The session as a page of text."""
    console = results()
    for name, value in summary(found):
        console.print(Text(f"{name:<10}", style="bold"), Text(value), sep="")
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("source", "kind", "every", "samples", "gaps", "state"):
        table.add_column(title, justify="right" if title in {"every", "samples", "gaps"} else "left")
    for source in found.sources:
        table.add_row(
            Text(source.name),
            source.kind,
            format_duration(source.interval_s) if source.interval_s else "–",
            format_count(source.samples),
            format_count(len(source.gaps)),
            source.state,
        )
    console.print()
    console.print(table)
    for source in found.sources:
        notes = [f"{key}: {value}" for key, value in source.attributes]
        for line in notes:
            console.print(Text(f"  {source.name}  {line}", style="dim"))


def summary(found: SessionInfo) -> list[tuple[str, str]]:
    """The lines above the table."""
    kinds = ", ".join(f"{format_count(n)} {kind}" for kind, n in found.entities.items())
    lines = [("entities", kinds or "none"), ("series", format_count(found.series))]
    if found.start is not None and found.end is not None:
        length = format_duration((found.end - found.start) / 1000)
        lines.insert(0, ("time", f"{iso(found.start)} to {iso(found.end)} ({length})"))
    each = f", {found.bytes / found.samples:.2f} bytes each" if found.samples else ""
    lines.append(("samples", f"{format_count(found.samples)} in {format_bytes(found.bytes)}{each}"))
    return lines
