"""Generates pages of docs/ from the program's tables: ``python docs/generate.py [--check]``.

A page is a name in PAGES and a function that returns its text; BLOCKS are parts of README.md, between ``<!--
NAME: generated -->`` and ``<!-- end -->``. ``--check`` writes nothing, names each page that is stale and
exits with 1. No window is made, but the window's tables import Qt.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import typer

DOCS = Path(__file__).resolve().parent
README = DOCS.parent / "README.md"
sys.path[:0] = [str(DOCS.parent), str(DOCS)]

from log_pages import logs_page  # noqa: E402
from page_tables import table  # noqa: E402
from reference_pages import counters_page, problems_page, reference  # noqa: E402
from vcenter_pages import presets_page, privileges_page  # noqa: E402
from window_pages import scope_page, settings_page, shortcuts_page  # noqa: E402

from app.command_line import build  # noqa: E402
from app.manual import commands_page, exit_codes, leaf_commands  # noqa: E402


def commands_table() -> str:
    """Return README.md's table of commands, each with the first sentence of its help."""
    top: Any = typer.main.get_command(build())
    rows = (
        (f"`{command_line}`", " ".join((command.help or "").partition("\n\n")[0].split()))
        for command_line, command in leaf_commands("hyperscope", top)
    )
    return table(("Command", "What it does"), rows)


def exit_codes_table() -> str:
    """Return README.md's table of failures and exit codes, without its heading."""
    return exit_codes().partition("\n\n")[2]


PAGES: dict[str, Callable[[], str]] = {
    "commands.md": commands_page,
    "counters.md": lambda: counters_page(reference()),
    "logs.md": logs_page,
    "presets.md": presets_page,
    "privileges.md": privileges_page,
    "problems.md": lambda: problems_page(reference()),
    "scope.md": scope_page,
    "settings.md": settings_page,
    "shortcuts.md": shortcuts_page,
}


BLOCKS: dict[str, Callable[[], str]] = {"commands": commands_table, "exit codes": exit_codes_table}
"""The parts of README.md that are drawn from the program."""


def stale_pages(directory: Path) -> list[str]:
    """Return the pages in ``directory`` that differ from what would be generated now."""
    return [
        name
        for name, page in PAGES.items()
        if not (directory / name).is_file() or (directory / name).read_text(encoding="utf-8") != page()
    ]


def with_blocks(text: str) -> str:
    """Return the text of README.md with its generated parts renewed.

    Raises ValueError if the markers of one are missing.
    """
    for name, block in BLOCKS.items():
        before, start, rest = text.partition(f"<!-- {name}: generated -->\n")
        _, end, after = rest.partition("<!-- end -->\n")
        if not end:
            raise ValueError(f"README.md has no place for the generated part {name!r}")
        text = f"{before}{start}\n{block()}\n{end}{after}"
    return text


def main(arguments: list[str]) -> int:
    """Write all pages, or only check them; returns the exit code."""
    if arguments not in ([], ["--check"]):
        sys.stderr.write("usage: python docs/generate.py [--check]\n")
        return 2
    readme = README.read_text(encoding="utf-8")
    renewed = with_blocks(readme)
    stale = {f"docs/{name}": PAGES[name] for name in stale_pages(DOCS)}
    if readme != renewed:
        stale[README.name] = lambda: renewed
    for name, page in stale.items():
        if arguments:
            sys.stderr.write(f"{name} is stale: run python docs/generate.py\n")
        else:
            (DOCS.parent / name).write_text(page(), encoding="utf-8", newline="\n")
            sys.stdout.write(f"{name} written\n")
    return 1 if arguments and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
