"""``judge``: judges a session as it grows, for the window that starts this process; it is in no help page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.commands.judge_run import run_judge
from app.commands.options import Thresholds


def judge(
    session: Annotated[Path, typer.Argument(metavar="S.hscope", help="The session.", readable=False)],
    attached: Annotated[bool, typer.Option("--attached", help="End when stdin closes.")] = False,
    thresholds: Thresholds = "",
) -> None:
    """Judge a session, and again whenever it has grown: JSON lines of verdicts and findings on stdout."""
    run_judge(session, attached=attached, thresholds=thresholds)
