"""Puts back what a test's run left, by the command ``restore`` in a process of its own."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject

from app.gui.desk import Desk
from app.gui.jobs import Job
from app.gui.own_program import program_command, program_folder
from resources.failures import SourceError
from resources.foreign_text import shown
from resources.units import format_count

_LONGEST_S = 3_600.0


@dataclass(frozen=True, slots=True)
class PutBack:
    """How many changes were put back or needed nothing, and how many were left alone."""

    back: int
    left: int


class Restoring(QObject):
    """Runs the command, and says what it came to."""

    def __init__(self, desk: Desk, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._desk = desk

    def begin(self, session: Path) -> None:
        """Put everything back that the session's run changed and did not put back."""

        def done(found: PutBack) -> None:
            left = f"; {format_count(found.left)} were left alone: the page says why" if found.left else ""
            self._desk.notify(
                f"{format_count(found.back)} changes are put back{left}.", "warning" if left else "ok"
            )
            self._desk.tests.read()

        self._desk.jobs.start(
            "restore",
            "Putting back what the test changed",
            lambda job: _restore(session, job),
            done,
            visible=True,
        )


def _restore(session: Path, job: Job) -> PutBack:
    command = program_command("restore", str(session), "--json")
    with subprocess.Popen(  # noqa: S603 - this program itself
        command,
        cwd=program_folder(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        job.on_cancel = process.terminate
        output, errors = process.communicate(timeout=_LONGEST_S)
    try:
        changes = json.loads(output)["changes"]
    except (ValueError, KeyError, TypeError):
        raise SourceError(
            shown(
                errors.decode("utf-8", "replace").strip().splitlines()[0]
                if errors.strip()
                else "Nothing was put back."
            ),
            advice="Run 'hyperscope restore' on the session to see more.",
        ) from None
    states = [str(one.get("state")) for one in changes if isinstance(one, dict)]
    return PutBack(
        sum(one in ("undone", "not needed") for one in states), sum(one == "left" for one in states)
    )
