"""Generates docs/commands.md from the commands' ``--help``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import typer

from app.command_line import build
from resources import failures

INTRO = """\
# Commands

Every command with its options, drawn from the program's own `--help` by `docs/generate.py`: do not edit
this page.

Results go to stdout; progress, notes and errors to stderr; in pipes and files both are UTF-8 on every system.
`--json` prints one JSON document (times in
ISO 8601 UTC, durations in seconds). A failure is one line on stderr and one of the exit codes at the end of
this page.

Completion for bash, zsh, fish and PowerShell: `hyperscope --install-completion`.
"""


def commands_page() -> str:
    """Return the text of docs/commands.md."""
    top: Any = typer.main.get_command(build())
    parts = [
        INTRO,
        *(section(call, command) for call, command in leaf_commands("hyperscope", top)),
        exit_codes(),
    ]
    return "\n".join(parts)


def leaf_commands(call: str, command: Any) -> Iterator[tuple[str, Any]]:
    """Yield (call, command) for each command without subcommands that is not hidden; ``call`` is how it is
    typed.
    """
    below = getattr(command, "commands", None)
    if below is None:
        yield call, command
        return
    for name, child in below.items():
        if child.hidden:
            continue
        yield from leaf_commands(f"{call} {name}", child)


def section(call: str, command: Any) -> str:
    """Return the section of one command: its call, help text, arguments and options."""
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    options = [p for p in command.params if p.param_type_name == "option" and not p.hidden]
    usage = " ".join((call, *(str(a.metavar) for a in arguments), "[OPTIONS]"))
    lines = [f"## {call}", "", f"`{usage}`", "", paragraphs(command.help or ""), ""]
    lines += ["| | |", "|---|---|"]
    lines += [f"| `{a.metavar}` | {cell(a.help)} |" for a in arguments]
    lines += [f"| {names(option)} | {cell(option.help)} |" for option in options]
    return "\n".join(lines) + "\n"


def names(option: Any) -> str:
    """Return an option as it is typed, with its short form and the name of its value."""
    typed = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
    return typed if option.is_flag else f"{typed} {option.metavar or 'N'}"


def cell(text: str | None) -> str:
    """Return ``text`` as the content of a cell of a Markdown table."""
    return " ".join((text or "").split()).replace("|", "\\|")


def paragraphs(text: str) -> str:
    """Return help text with one line for each paragraph."""
    return "\n\n".join(" ".join(part.split()) for part in re.split(r"\n\s*\n", text))


def exit_codes() -> str:
    """Return the Markdown table of exit codes, from the classes of ``resources.failures``."""
    kinds = [
        kind for kind in vars(failures).values() if isinstance(kind, type) and hasattr(kind, "exit_code")
    ]
    rows = sorted((kind.exit_code, (kind.__doc__ or "").splitlines()[0]) for kind in kinds)
    lines = ["## Exit codes", "", "| code | what it means |", "|---|---|", "| 0 | done |"]
    lines += [f"| {code} | {what} |" for code, what in rows if code > 1]
    lines += ["| 70 | A bug: the line names the file that holds the details. |"]
    return "\n".join(lines) + "\n"
