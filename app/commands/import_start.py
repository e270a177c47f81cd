"""The beginning of an import at a terminal: worker processes start before this one loads anything else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from collectors.worker_process import start_ahead


def run_at_terminal(
    files: Sequence[Path], out: Path, workers: int | None = None, *, as_json: bool = False
) -> None:
    """Import with a bar, where there is a terminal, and say what came of it.

    ``workers`` is the number of worker processes, chosen by the files' size when None.
    """
    ahead = start_ahead(files, workers)
    from app.commands.import_run import run_import  # noqa: PLC0415 - takes as long as the workers' start

    run_import(files, out, workers, ahead, as_json=as_json)
