"""The composition root: which commands there are, and what becomes of their failures."""

from __future__ import annotations

from collections.abc import Sequence

import typer
from typer.exceptions import Abort, Exit, TyperException

from app.commands import demo, diagnose, exporting, importing, info, lab, query
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


def build() -> typer.Typer:
    """All commands."""
    program = typer.Typer(
        name="hyperscope",
        help=HELP,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    program.command("demo")(demo.demo)
    program.command("import")(importing.import_)
    program.command("info")(info.info)
    program.command("query")(query.query)
    program.command("diagnose")(diagnose.diagnose)
    program.command("export")(exporting.export)
    program.add_typer(lab.commands, name="lab")
    return program


def run(words: Sequence[str]) -> int:
    """Run one command; returns its exit code. A bug raises."""
    command = typer.main.get_command(build())
    try:
        done = command.main(list(words) or ["--help"], prog_name="hyperscope", standalone_mode=False)
    except Exit as leaving:
        return leaving.exit_code
    except TyperException as error:
        complain(f"{error.format_message()} Try 'hyperscope --help'.")
        return UsageError.exit_code
    except (Abort, KeyboardInterrupt):
        complain("Stopped.")
        return CancelledError.exit_code
    except HyperscopeError as error:
        complain(str(error))
        return error.exit_code
    return done if isinstance(done, int) else 0
