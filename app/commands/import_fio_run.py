"""The work of ``import`` for what fio wrote: its JSON output and logs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from app.terminal import cancellable, hint, print_json, print_line
from collectors.fio.importing import FioReport, import_fio
from resources.foreign_text import shown
from resources.units import format_bytes, format_count


def run_fio_import(files: Sequence[Path], out: Path, *, as_json: bool) -> None:
    """Import fio's ``files`` into the session ``out`` and print the report; Ctrl-C cancels."""
    with cancellable() as cancel:
        report = import_fio(files, out, cancel=cancel)
    if as_json:
        print_json({**report.to_json(), "session": str(out)})
    else:
        _show(report, out)


def _show(report: FioReport, out: Path) -> None:
    workers = f"{format_count(report.workers)} worker{'' if report.workers == 1 else 's'}"
    print_line(
        f"{workers} of fio, {format_count(report.samples)} samples of {format_count(report.series)} series "
        f"from {format_bytes(report.bytes_read)} → {out}"
    )
    for note in report.notes:
        print_line(f"  note: {shown(note)}")
    hint(f"Next: hyperscope query {out}")
