"""Starts an import at a terminal: worker processes are started before this process imports anything else."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from collectors.esxtop_service.recognising import are_dumps
from collectors.fio.recognising import are_fio
from collectors.logs.recognising import without_logs
from collectors.powercli_tables import without_get_stat
from collectors.worker_process import start_ahead
from resources.failures import UsageError
from resources.foreign_text import shown

FileKind = Literal["captures", "dumps", "fio", "get_stat"]
"""What files besides logs are: captures of esxtop, dumps of its service, of fio, or tables of PowerCLI's
Get-Stat.
"""


@dataclass(frozen=True, slots=True)
class Divided:
    """The files of an import that are no logs of ESXi, what all of them are, and the logs."""

    others: list[Path]
    kind: FileKind
    logs: list[Path]


@dataclass(frozen=True, slots=True)
class Asked:
    """What an import is told besides its files: ``host`` is that of logs or dumps, ``dates`` the order of the
    numbers in dates and ``times`` the zone of tables of Get-Stat; empty: found out, and this computer's.
    ``replace``: what an interrupted import left in the session's place may go.
    """

    host: str = ""
    dates: str = ""
    times: str = ""
    replace: bool = False


_FOUND_OUT = Asked()


def run_at_terminal(
    files: Sequence[Path],
    out: Path,
    workers: int | None = None,
    asked: Asked = _FOUND_OUT,
    *,
    as_json: bool = False,
) -> None:
    """Import ``files`` (captures, what fio wrote, tables of Get-Stat, logs of ESXi) into the session ``out``,
    with a progress bar, and print the report.

    ``workers`` is the number of worker processes; None chooses it by the files' size.
    """
    found = divided(files)
    if os.path.isfile(out):  # noqa: PTH113 - Path.is_file raises where a name is too long
        from sessions.store.left_behind import make_way  # noqa: PLC0415 - mostly nothing is there

        make_way(out, replace=asked.replace)
    if found.logs and not found.others:
        _import_logs(found.logs, out, asked.host, into=False, as_json=as_json)
        return
    if found.kind == "dumps":
        from app.commands.import_dumps_run import run_dumps_import  # noqa: PLC0415 - most imports need it not

        run_dumps_import(found.others, out, host=asked.host, as_json=as_json)
        return
    if found.kind == "fio":
        from app.commands.import_fio_run import run_fio_import  # noqa: PLC0415 - an import of captures needs it not

        run_fio_import(found.others, out, as_json=as_json)
        return
    if found.kind == "get_stat":
        from app.commands.import_get_stat_run import run_stat_import, stat_options  # noqa: PLC0415 - as above

        options = stat_options(asked.dates, asked.times)
        run_stat_import(found.others, out, options, logs=found.logs, host=asked.host, as_json=as_json)
        return
    ahead = start_ahead(found.others, workers)
    from app.commands.import_run import run_import  # noqa: PLC0415 - takes as long as the workers' start

    run_import(found.others, out, workers, ahead, logs=found.logs, host=asked.host, as_json=as_json)


def divided(files: Sequence[Path]) -> Divided:
    """Return which files are logs of ESXi, and what the others are.

    Raises UsageError for files that can't be in one session.
    """
    others, logs = without_logs(files)
    captures, tables = without_get_stat(others)
    if tables and captures:
        raise UsageError(
            f"{shown(tables[0].name)} is of PowerCLI's Get-Stat, {shown(captures[0].name)} is not.",
            advice="Import them into sessions of their own.",
        )
    if tables:
        return Divided(tables, "get_stat", logs)
    is_fio = bool(others) and are_fio(others)
    if is_fio:
        _refuse_beside(logs, "files of fio")
        return Divided(others, "fio", logs)
    if are_dumps(others):
        _refuse_beside(logs, "dumps of the esxtop service")
        return Divided(others, "dumps", logs)
    return Divided(others, "captures", logs)


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
