"""Runs one command and says in one line what became of it; loads nothing that the command does not use."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from app.command_table import program_help
from app.display import has_display
from app.terminal import complain
from resources.failures import CancelledError, HyperscopeError
from resources.version import VERSION


def run(arguments: Sequence[str]) -> int:
    """Run one command; returns its exit code. A bug raises."""
    arguments = list(arguments) or ["gui" if has_display() else "--help"]
    try:
        code = _obey(arguments)
        sys.stdout.flush()  # a full disk shows here, while it can still be said
    except KeyboardInterrupt:
        code = CancelledError.exit_code
    except HyperscopeError as error:
        complain(str(error))
        return error.exit_code
    if code == CancelledError.exit_code:
        complain("Stopped.")
    return code


def _obey(arguments: list[str]) -> int:
    if arguments[0] in ("-h", "--help"):
        sys.stdout.write(program_help() + "\n")
        return 0
    if arguments[0] == "--version":
        sys.stdout.write(f"hyperscope {VERSION}\n")
        return 0
    # Here, since it loads the library of the command line and the command with all that it uses.
    from app.command_line import invoke  # noqa: PLC0415

    return invoke(arguments)
