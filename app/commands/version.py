"""``version``: what runs here, and whether an admin's file knows a newer one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.commands.options import AsJson
from app.terminal import print_json, print_line
from resources.foreign_text import shown
from resources.installation import installation
from resources.newer_version import MAX_SHOWN, Latest, read_latest


def version(
    latest: Annotated[
        Path | None,
        typer.Option(
            "--latest",
            metavar="FILE.toml",
            help='A file that says which version is the newest: version = "0.2.0".',
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print the versions of Hyperscope, Python and Qt, and the system; with --latest, whether a newer
    Hyperscope is there. Nothing is asked of any network.
    """
    here = installation()
    known = read_latest(latest) if latest is not None else None
    if as_json:
        document: dict[str, object] = {
            "version": here.hyperscope,
            "form": here.form,
            "python": here.python,
            "qt": here.qt,
            "system": here.system,
        }
        if known is not None:
            document |= {"latest": known.version, "where": known.where, "newer": known.is_newer()}
        print_json(document)
        return
    print_line(str(here))
    if known is not None:
        print_line(_sentence(known, here.hyperscope))


def _sentence(latest: Latest, version_here: str) -> str:
    if not latest.is_newer():
        return f"No newer version is known: that file says {latest.version}, this is {version_here}."
    where = shown(latest.where[:MAX_SHOWN])
    return f"A newer version is there: {latest.version}{f' ({where})' if where else ''}."
