"""Runs one command and reports failures in one line; imports only what that command needs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from app.command_table import program_help
from app.display import has_display
from app.terminal import print_error
from resources.failures import CancelledError, HyperscopeError, UsageError
from resources.version import VERSION

_WRITTEN = ("-o", "--output", "--pdf")
"""Options that name a file to write."""


def run(arguments: Sequence[str]) -> int:
    """Run the command that ``arguments`` name; returns its exit code. Only bugs are raised."""
    arguments = list(arguments) or ["gui" if has_display() else "--help"]
    try:
        code = _obey(arguments)
        sys.stdout.flush()  # a full disk shows here, while it can still be said
    except KeyboardInterrupt:
        code = CancelledError.exit_code
    except HyperscopeError as error:
        print_error(str(error))
        return error.exit_code
    if code == CancelledError.exit_code:
        print_error("Stopped.")
    return code


def _obey(arguments: list[str]) -> int:
    if arguments[0] in ("-h", "--help"):
        sys.stdout.write(program_help() + "\n")
        return 0
    if arguments[0] == "--version":
        sys.stdout.write(f"hyperscope {VERSION}\n")
        return 0
    plain = plain_import(arguments)
    if plain is not None:
        from app.commands.import_start import run_at_terminal  # noqa: PLC0415 - loads what only it uses

        run_at_terminal(*plain)
        return 0
    match arguments:
        case ["judge", "--attached", "--", session]:  # a window waits for it: 60 ms less until the verdict
            from app.commands.judge_run import run_judge  # noqa: PLC0415 - loads what only it uses

            run_judge(Path(session), attached=True)
            return 0
    _require_named_files(arguments)
    # Here, since it loads the library of the command line and the command with all that it uses.
    from app.command_line import invoke  # noqa: PLC0415

    return invoke(arguments)


def _require_named_files(arguments: Sequence[str]) -> None:
    """Raise UsageError where a file to write is called ``-``: many programs take that for standard output.

    A child that the window starts is told its file later, over its standard input.
    """
    if "--attached" in arguments:
        return
    words = list(arguments[: arguments.index("--")] if "--" in arguments else arguments)
    for at, word in enumerate(words):
        option, equals, value = word.partition("=")
        is_asked = option in _WRITTEN and (value == "-" if equals else words[at + 1 : at + 2] == ["-"])
        if is_asked or word == "-o-":
            raise UsageError(
                f"{option[:2] if word == '-o-' else option} - names no file, and standard output gets none.",
                advice="Name a file. What a command prints, and its --json, go to standard output.",
            )


def plain_import(arguments: Sequence[str]) -> tuple[list[Path], Path] | None:
    """Return files and session if the arguments are ``import FILE… -o SESSION``, None for anything else.

    Such an import need not load the library for the command line, which takes 0.1 s: enough to read 30 MB.
    """
    command, *words = arguments
    outputs = [at for at, word in enumerate(words) if word in ("-o", "--output")]
    if command != "import" or len(outputs) != 1 or outputs[0] + 1 == len(words):
        return None
    out = words.pop(outputs[0] + 1)
    del words[outputs[0]]
    if not words or any(not word or word.startswith("-") for word in (out, *words)):
        return None
    return [Path(word) for word in words], Path(out)
