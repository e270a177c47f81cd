"""The work of ``import`` for dumps of the API's esxtop service."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from app.terminal import cancellable, hint, print_json, print_line
from collectors.esxtop_service.importing import DumpReport, import_dumps
from resources.foreign_text import shown
from resources.units import format_bytes, format_count


def run_dumps_import(files: Sequence[Path], out: Path, *, host: str, as_json: bool) -> None:
    """Import dumps ``files`` of ``host`` (empty: found out) into the session ``out`` and print the report;
    Ctrl-C cancels.
    """
    with cancellable() as cancel:
        report = import_dumps(files, out, host=host, cancel=cancel)
    if as_json:
        print_json({**report.to_json(), "session": str(out)})
    else:
        _show(report, out)


def _show(report: DumpReport, out: Path) -> None:
    hosts = ", ".join(shown(name) for name in report.hosts)
    replies = "reply" if report.replies == 1 else "replies"
    print_line(
        f"{format_count(report.replies)} {replies} of the esxtop service of {hosts}, "
        f"{format_count(report.samples)} samples of {format_count(report.series)} series "
        f"from {format_bytes(report.bytes_read)} → {out}"
    )
    for note in report.notes:
        print_line(f"  note: {shown(note)}")
    hint(f"Not judged yet. Next: hyperscope diagnose {out}")
