"""Keeps guided runs in their session: a new one gets the next number, a changed one replaces itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from resources.failures import NotFoundError
from sessions.store import SessionReader, SessionWriter
from sessions.troubleshooting import Note, TroubleshootingRun, Verification


def runs_in(session: Path) -> list[TroubleshootingRun]:
    """Return the runs that a session holds, in the order of their numbers."""
    with SessionReader.open(session) as reader:
        return reader.troubleshooting()


def run_numbered(runs: Sequence[TroubleshootingRun], number: int) -> TroubleshootingRun:
    """Return a run by its number. Raises NotFoundError that says which there are."""
    found = next((one for one in runs if one.number == number), None)
    if found is None:
        there = ", ".join(str(one.number) for one in runs)
        raise NotFoundError(
            f"The session has no guided run {number}.",
            advice=f"It has: {there}." if there else "It has none yet: run troubleshoot with --entity first.",
        )
    return found


def keep(session: Path, run: TroubleshootingRun) -> TroubleshootingRun:
    """Store a new run with the next number of the session, and return it with that.

    Raises BusyError while another process writes the session, AccessDeniedError, DiskFullError.
    """
    # The lock comes before the number: of two processes at once, both would choose the same.
    with SessionWriter.open(session) as writer:
        number = max((one.number for one in runs_in(session)), default=0) + 1
        kept = replace(run, number=number)
        writer.add_troubleshooting([kept])
    return kept


def keep_changed(
    session: Path, number: int, change: Callable[[TroubleshootingRun], TroubleshootingRun]
) -> TroubleshootingRun:
    """Store what ``change`` makes of a run as it is stored by now, and return it: notes and verifications
    that another process wrote meanwhile stay. Raises as ``keep``, and NotFoundError.
    """
    with SessionWriter.open(session) as writer:
        kept = change(run_numbered(runs_in(session), number))
        writer.add_troubleshooting([kept])
    return kept


def keep_again(session: Path, run: TroubleshootingRun) -> None:
    """Store a run that has changed: with one more note, or verified. Raises as ``keep``."""
    with SessionWriter.open(session) as writer:
        writer.add_troubleshooting([run])


def noted(run: TroubleshootingRun, note: Note) -> TroubleshootingRun:
    """Return the run with one more note, in the order of time."""
    return replace(run, notes=tuple(sorted((*run.notes, note), key=lambda one: one.at)))


def verified(run: TroubleshootingRun, found: Verification) -> TroubleshootingRun:
    """Return the run with one more verification; one that was not done yet is replaced by it."""
    done = tuple(one for one in run.verifications if one.state == "done")
    return replace(run, verifications=(*done, found))
