"""Starts an import at a terminal: worker processes are started before this process imports anything else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from collectors.esxtop_service.recognising import are_dumps
from collectors.fio.recognising import are_fio
from collectors.logs.recognising import without_logs
from collectors.worker_process import start_ahead
from resources.failures import UsageError


def run_at_terminal(
    files: Sequence[Path], out: Path, workers: int | None = None, *, host: str = "", as_json: bool = False
) -> None:
    """Import ``files`` (captures, what fio wrote, logs of ESXi) into the session ``out``, with a progress
    bar, and print the report.

    ``workers`` is the number of worker processes; None chooses it by the files' size. ``host``: who wrote the
    logs.
    """
    others, logs, is_fio = divided(files)
    if logs and not others:
        _import_logs(logs, out, host, into=False, as_json=as_json)
        return
    if are_dumps(others):
        _refuse_beside(logs, "dumps of the esxtop service")
        from app.commands.import_dumps_run import run_dumps_import  # noqa: PLC0415 - most imports need it not

        run_dumps_import(others, out, host=host, as_json=as_json)
        return
    if is_fio:
        from app.commands.import_fio_run import run_fio_import  # noqa: PLC0415 - an import of captures needs it not

        run_fio_import(others, out, as_json=as_json)
        return
    ahead = start_ahead(others, workers)
    from app.commands.import_run import run_import  # noqa: PLC0415 - takes as long as the workers' start

    run_import(others, out, workers, ahead, logs=logs, host=host, as_json=as_json)


def divided(files: Sequence[Path]) -> tuple[list[Path], list[Path], bool]:
    """Return the files that are no logs of ESXi, those that are, and whether the former are of fio.

    Raises UsageError for files that can't be in one session.
    """
    others, logs = without_logs(files)
    is_fio = bool(others) and are_fio(others)
    if is_fio:
        _refuse_beside(logs, "files of fio")
    return others, logs, is_fio


def _refuse_beside(logs: Sequence[Path], what: str) -> None:
    if logs:
        raise UsageError(
            f"These are {what} and logs of ESXi.", advice="Import them into sessions of their own."
        )


def add_to_session(files: Sequence[Path], session: Path, *, host: str, as_json: bool) -> None:
    """Add logs to a session that is there, and print the report. Raises UsageError for other files."""
    others, logs = without_logs(files)
    if others:
        raise UsageError(
            f"{others[0].name} is no log of ESXi: only logs can be added to a session that is there.",
            advice="Import captures together, in one command with -o.",
        )
    _import_logs(logs, session, host, into=True, as_json=as_json)


def _import_logs(logs: Sequence[Path], out: Path, host: str, *, into: bool, as_json: bool) -> None:
    from app.commands.import_logs_run import run_logs_import  # noqa: PLC0415 - an import of captures needs it not
    from collectors.logs.importing import LogOptions  # noqa: PLC0415

    run_logs_import(logs, out, LogOptions(into=into, host=host), as_json=as_json)
