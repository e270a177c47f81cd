"""Starts an import at a terminal: worker processes are started before this process imports anything else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from collectors.fio.recognising import are_fio
from collectors.worker_process import start_ahead


def run_at_terminal(
    files: Sequence[Path], out: Path, workers: int | None = None, *, as_json: bool = False
) -> None:
    """Import ``files`` (captures, or what fio wrote) into the session ``out``, with a progress bar, and print
    the report.

    ``workers`` is the number of worker processes; None chooses it by the files' size.
    """
    if are_fio(files):
        from app.commands.import_fio_run import run_fio_import  # noqa: PLC0415 - an import of captures needs it not

        run_fio_import(files, out, as_json=as_json)
        return
    ahead = start_ahead(files, workers)
    from app.commands.import_run import run_import  # noqa: PLC0415 - takes as long as the workers' start

    run_import(files, out, workers, ahead, as_json=as_json)
