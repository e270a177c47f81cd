"""The command line, read with typer; each command's module is imported only when that command runs."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module

import typer
from typer.exceptions import Abort, Exit, TyperException

from app.command_table import COMMANDS
from resources.failures import CancelledError, UsageError


def build(only: str = "") -> typer.Typer:
    """Return a typer program with all commands, or with ``only`` one, so that other commands' modules are not
    imported.
    """
    program = typer.Typer(
        name="hyperscope",
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    program.callback()(lambda: None)  # a program of one command is still a program of commands
    for name in [only] if only in COMMANDS else COMMANDS:
        entry = COMMANDS[name]
        command = getattr(import_module(entry.module), entry.attribute)
        if isinstance(command, typer.Typer):
            program.add_typer(command, name=name)
        else:
            program.command(name, hidden=entry.is_hidden)(command)
    return program


def invoke(arguments: Sequence[str]) -> int:
    """Run the command that ``arguments`` name; returns its exit code. Raises HyperscopeError."""
    first = arguments[0]
    if first not in COMMANDS and not first.startswith("-"):
        known = [name for name, entry in COMMANDS.items() if not entry.is_hidden]
        near = get_close_matches(first, known, n=1)
        hint = f" Did you mean '{near[0]}'?" if near else ""
        raise UsageError(f"No such command '{first}'.{hint} Try 'hyperscope --help'.")
    command = typer.main.get_command(build(first))
    try:
        # Ctrl-C where no command listens for it becomes Exit(130) inside of main, without a word.
        done = command.main(list(arguments), prog_name="hyperscope", standalone_mode=False)
    except Exit as leaving:
        return leaving.exit_code
    except TyperException as error:
        raise UsageError(_with_help(error)) from None
    except Abort:
        return CancelledError.exit_code
    return done if isinstance(done, int) else 0


def _with_help(error: TyperException) -> str:
    """Return what is wrong with the arguments, and which ``--help`` explains them."""
    message = error.format_message()
    context = getattr(error, "ctx", None)
    name = context.command_path if context is not None else "hyperscope"
    return f"{message}{'' if message.endswith(('.', '?')) else '.'} Try '{name} --help'."
