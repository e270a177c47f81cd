"""The composition root: which commands there are, and what becomes of their failures."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

import typer
from typer.exceptions import Abort, Exit, TyperException

from app.display import has_display
from app.terminal import complain
from resources.failures import CancelledError, HyperscopeError, UsageError

HELP = """Finds what is slow in a vSphere environment, why, and whether the fix worked.

Everything that it sees is one file, a session (.hscope), that opens anywhere, offline, years later.
First steps:

    hyperscope demo --headless                      a simulated cluster with problems in it, diagnosed

    hyperscope import capture.csv -o night.hscope   read what 'esxtop -b -a' wrote

    hyperscope diagnose night.hscope                what is wrong, with the evidence

    hyperscope query night.hscope --entity 'SQL*' --counter 'cpu.ready'

Every command takes --json, and --help says more.
"""


COMMANDS = {
    "demo": ("app.commands.demo", "demo"),
    "record": ("app.commands.record", "record"),
    "import": ("app.commands.importing", "import_"),
    "info": ("app.commands.info", "info"),
    "query": ("app.commands.query", "query"),
    "diagnose": ("app.commands.diagnose", "diagnose"),
    "export": ("app.commands.exporting", "export"),
    "lab": ("app.commands.lab", "commands"),
    "gui": ("app.commands.gui", "gui"),
    "selftest": ("app.commands.selftest", "selftest"),
}
"""Each command's module, and what in it is the command: a function, or a group of commands."""


def build(only: str = "") -> typer.Typer:
    """All commands; or ``only`` that one (if it is one), so that it starts without what the others import."""
    program = typer.Typer(
        name="hyperscope",
        help=HELP,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    program.callback()(lambda: None)  # a program of one command is still a program of commands
    for name in [only] if only in COMMANDS else COMMANDS:
        module, attribute = COMMANDS[name]
        command = getattr(import_module(module), attribute)
        if isinstance(command, typer.Typer):
            program.add_typer(command, name=name)
        else:
            program.command(name)(command)
    return program


def _with_help(error: TyperException) -> str:
    """What is wrong with the words, and whose help to read."""
    said = error.format_message()
    context = getattr(error, "ctx", None)
    name = context.command_path if context is not None else "hyperscope"
    return f"{said}{'' if said.endswith(('.', '?')) else '.'} Try '{name} --help'."


def run(words: Sequence[str]) -> int:
    """Run one command; returns its exit code. A bug raises."""
    words = words or ["gui" if has_display() else "--help"]
    command = typer.main.get_command(build(words[0]))
    try:
        # Ctrl-C where no command listens for it becomes Exit(130) inside of main, without a word.
        done = command.main(list(words), prog_name="hyperscope", standalone_mode=False)
    except Exit as leaving:
        done = leaving.exit_code
    except TyperException as error:
        complain(_with_help(error))
        return UsageError.exit_code
    except (Abort, KeyboardInterrupt):
        done = CancelledError.exit_code
    except HyperscopeError as error:
        complain(str(error))
        return error.exit_code
    if done == CancelledError.exit_code:
        complain("Stopped.")
    return done if isinstance(done, int) else 0
