"""Keeps guided runs in their session: a new one gets the next number, a changed one replaces itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from resources.failures import BusyError, NotFoundError
from sessions.store import SessionReader, SessionWriter, WaitingRuns
from sessions.troubleshooting import Note, TroubleshootingRun, Verification

_ATTEMPTS = 20


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

    While another process writes the session the run waits beside it, where readers see it, too. Raises
    AccessDeniedError, DiskFullError; BusyError while many others keep runs.
    """
    # The waiting runs come before the number: of two processes at once, both would choose the same.
    with _waiting_runs(session) as waiting:
        number = max((one.number for one in runs_in(session)), default=0) + 1
        kept = replace(run, number=number)
        _store(session, kept, waiting)
    return kept


def keep_changed(
    session: Path, number: int, change: Callable[[TroubleshootingRun], TroubleshootingRun]
) -> TroubleshootingRun:
    """Store what ``change`` makes of a run as it is stored by now, and return it: notes and verifications
    that another process wrote meanwhile stay. Raises as ``keep``, and NotFoundError.
    """
    with _waiting_runs(session) as waiting:
        kept = change(run_numbered(runs_in(session), number))
        _store(session, kept, waiting)
    return kept


def keep_again(session: Path, run: TroubleshootingRun) -> None:
    """Store a run that has changed: with one more note, or verified. Raises as ``keep``."""
    with _waiting_runs(session) as waiting:
        _store(session, run, waiting)


@contextmanager
def _waiting_runs(session: Path) -> Iterator[WaitingRuns]:
    """The runs that wait beside a session; who has them open for a moment is waited for."""
    with ExitStack() as held:
        for attempt in range(_ATTEMPTS):
            try:
                waiting = held.enter_context(WaitingRuns(session))
                break
            except BusyError:
                if attempt == _ATTEMPTS - 1:
                    raise
        yield waiting


def _store(session: Path, run: TroubleshootingRun, waiting: WaitingRuns) -> None:
    try:
        writer = SessionWriter.open(session)
    except BusyError:
        waiting.put(run)
        return
    with writer:
        writer.take_in_waiting(waiting)
        writer.add_troubleshooting([run])


def noted(run: TroubleshootingRun, note: Note) -> TroubleshootingRun:
    """Return the run with one more note, in the order of time."""
    return replace(run, notes=tuple(sorted((*run.notes, note), key=lambda one: one.at)))


def verified(run: TroubleshootingRun, found: Verification) -> TroubleshootingRun:
    """Return the run with one more verification; one that was not done yet is replaced by it."""
    done = tuple(one for one in run.verifications if one.state == "done")
    return replace(run, verifications=(*done, found))
