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
    if arguments[0] in ("-h", "--help"):
        return _print(program_help())
    if arguments[0] == "--version":
        return _print(f"hyperscope {VERSION}")
    # Here, since it loads the library of the command line and the command with all that it uses.
    from app.command_line import invoke  # noqa: PLC0415

    try:
        code = invoke(arguments)
    except KeyboardInterrupt:
        code = CancelledError.exit_code
    except HyperscopeError as error:
        complain(str(error))
        return error.exit_code
    if code == CancelledError.exit_code:
        complain("Stopped.")
    return code


def _print(text: str) -> int:
    sys.stdout.write(text + "\n")
    return 0
