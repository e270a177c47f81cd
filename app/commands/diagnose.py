"""``diagnose``: finds known problems in a session, with evidence, causes and remedies."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.commands.options import (
    AsJson,
    From,
    SessionPath,
    Thresholds,
    Times,
    To,
    clock_of,
    window_of,
)
from app.consoles import progress_bar, results
from app.own_thresholds import with_own_thresholds
from app.terminal import cancellable, print_error, print_json
from app.testing.left import say_what_is_left
from diagnosis import Diagnosis, diagnose_session, findings_json
from diagnosis.report import render_report
from resources.catalogue import load_catalogue
from resources.failures import AccessDeniedError, BusyError, DiskFullError
from resources.problem_cards import load_problems
from sessions.clock import UTC_ZONE
from sessions.store import SessionReader, SessionWriter
from sessions.times import TimeRange


def diagnose(
    session: SessionPath,
    start: From = "",
    end: To = "",
    times: Times = UTC_ZONE,
    knowledge: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="DIR", help="A folder with problems/ and counters/ of your own (TOML); may be repeated."
        ),
    ] = None,
    thresholds: Thresholds = "",
    checks: Annotated[
        bool, typer.Option("--checks", help="List every check, with its number, its limit and what it lacks.")
    ] = False,
    keep: Annotated[bool, typer.Option(help="Store the findings in the session.")] = True,
    as_json: AsJson = False,
) -> None:
    """Find known problems, worst first: number against limit, causes with verdicts, what to do."""
    with SessionReader.open(session) as reader:
        clock = clock_of(reader, times)
        window = window_of(reader, start, end, clock)
    outcome = diagnose_file(session, window, knowledge=knowledge or [], thresholds=thresholds)
    # Findings of a part of the time would hide those of the whole from the next reader of the file.
    if keep and not (start or end):
        store_findings(session, outcome)
    if as_json:
        print_json(findings_json(outcome))
    else:
        render_report(outcome, results(), clock, checks=checks)
        say_what_is_left(session)


def diagnose_file(
    session: Path, window: TimeRange | None = None, *, knowledge: list[Path], thresholds: str = ""
) -> Diagnosis:
    """Diagnose a session file, showing progress; Ctrl-C cancels.

    ``knowledge`` are folders with the user's own TOML files; ``thresholds`` is what --thresholds says.
    """
    catalogue = load_catalogue(knowledge)
    problems = with_own_thresholds(load_problems(knowledge), thresholds, print_error)
    with (
        SessionReader.open(session) as reader,
        cancellable() as cancel,
        progress_bar("Looking for problems") as show,
    ):
        return diagnose_session(reader, problems, catalogue, window, progress=show, cancel=cancel)


def store_findings(session: Path, outcome: Diagnosis) -> None:
    """Write the findings into the session file; if the file can't be written, print why and go on."""
    try:
        with SessionWriter.open(session) as writer:
            writer.put_findings(outcome.findings, outcome.verdict)
    except (AccessDeniedError, BusyError, DiskFullError) as error:
        print_error(f"The findings are not kept in the session: {error}")
