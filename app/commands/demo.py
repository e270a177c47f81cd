"""``demo``: records the lab faster than real time, diagnoses the session and prints the report."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from app.commands.diagnose import diagnose_file, store_findings
from app.commands.lab import Seed, require_scenario, show_lab_progress
from app.commands.options import AsJson
from app.consoles import notices, progress_bar, results
from app.display import has_display, require_libraries
from app.own_thresholds import SHIPPED
from app.terminal import cancellable, print_json
from diagnosis import findings_json
from diagnosis.report import render_report
from lab import Lab, Pace, Progress, record_lab
from resources.failures import AccessDeniedError, HyperscopeError
from resources.user_folders import data_folder
from sessions.store import SessionWriter


def demo(
    headless: Annotated[
        bool, typer.Option("--headless", help="No window: record, diagnose, print the report.")
    ] = False,
    scenario: Annotated[
        str, typer.Option(metavar="SCENARIO", help="As 'hyperscope lab list' names it.")
    ] = "demo",
    out: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="S.hscope", help="The session to make.", show_default=False),
    ] = None,
    speed: Annotated[
        float,
        typer.Option(min=0, help="Lab seconds a second: 1 is real time; 0 is as fast as this machine can."),
    ] = 0,
    duration: Annotated[
        int,
        typer.Option(
            metavar="SECONDS", min=0, help="Lab time; 0 is all of the scenario.", show_default=False
        ),
    ] = 0,
    seed: Seed = 1,
    as_json: AsJson = False,
) -> None:
    """Record a simulated cluster with problems in it (four hosts, some forty VMs, one bad night) and diagnose
    it.
    """
    if not (headless or as_json or out) and scenario == "demo" and has_display():
        require_libraries()
        from app.gui.start import run_window  # noqa: PLC0415 - Qt only when there is a display

        raise typer.Exit(run_window([], lab=True))
    chosen = require_scenario(scenario)
    session = out or new_session_path(chosen.id)
    if not headless:
        notices().print(Text("Without a window: this is 'demo --headless'.", style="dim"))
    record(Lab(chosen, seed=seed, fields="all"), session, duration or None, speed)
    # What the demo finds is what its pages say: the admin's own limits are for their own storage.
    outcome = diagnose_file(session, knowledge=[], thresholds=SHIPPED)
    store_findings(session, outcome)
    if as_json:
        print_json({**findings_json(outcome), "session": str(session)})
        return
    render_report(outcome, results())
    results().print(Text(f"Session: {session}"))


def record(lab: Lab, session: Path, duration_s: int | None, speed: float) -> None:
    """Record the lab into a new session; a failure or Ctrl-C deletes the file.

    ``duration_s`` is lab time in seconds (None: all of the scenario); ``speed`` is lab seconds in a second
    (0: as fast as possible).
    """
    with cancellable() as cancel, progress_bar("Recording the lab") as show:
        pace, show_part = Pace(speed, cancel), show_lab_progress(show)

        def tick_done(done: Progress) -> None:
            show_part(done)
            pace.wait(done.seconds)

        # Nothing is live: what power loss would cost is a few seconds' work.
        writer = SessionWriter.create(session, title=lab.scenario.title, durable=speed > 0)
        try:
            record_lab(lab, writer, duration_s=duration_s, progress=tick_done, cancel=cancel)
        except (HyperscopeError, KeyboardInterrupt):
            with contextlib.suppress(HyperscopeError):
                writer.discard()
            raise
        writer.close()


def new_session_path(name: str) -> Path:
    """Return an unused path ``NAME-TIME.hscope`` in the user's data folder. Raises AccessDeniedError."""
    folder = data_folder() / "sessions"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise AccessDeniedError(
            f"The folder {folder} can't be made: {error.strerror}.", advice="Name a session to make with -o."
        ) from error
    stamp = time.strftime("%Y%m%d-%H%M%S")
    numbered = (
        folder / f"{name}-{stamp}{suffix}.hscope" for suffix in ("", *(f"-{n}" for n in range(2, 100)))
    )
    return next(path for path in numbered if not path.exists())
