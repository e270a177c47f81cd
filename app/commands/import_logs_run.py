"""The work of ``import`` for logs of ESXi: a session of their own, or events of one that is there."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from app.terminal import cancellable, hint, print_json, print_line
from collectors.logs.importing import LogOptions, LogReport, import_logs
from resources.foreign_text import shown
from resources.stopping import StopSignal
from resources.units import format_bytes, format_count
from sessions.store import remove_session


def run_logs_import(files: Sequence[Path], out: Path, options: LogOptions, *, as_json: bool) -> None:
    """Import logs into ``out`` with a progress bar, and print the report; Ctrl-C cancels."""
    with cancellable() as cancel, _progress_here() as progress:
        report = import_logs(files, out, options, progress=progress, cancel=cancel)
    if as_json:
        print_json({**report.to_json(), "session": str(out)})
        return
    show_logs(report, out)
    if options.into and not report.events:
        hint("The session is as it was.")
    elif options.into:
        hint(f"Not judged with these events yet. Next: hyperscope diagnose {out}")
    else:
        hint(f"It has only events, so that nothing can be judged. Next: hyperscope export {out} -o DIR --csv")


def add_logs(files: Sequence[Path], out: Path, host: str, cancel: StopSignal | None) -> LogReport | None:
    """Add logs to a session that was made just now; None without logs. If that fails, no session is left."""
    if not files:
        return None
    with ExitStack() as on_failure:
        on_failure.callback(remove_session, out)
        report = import_logs(files, out, LogOptions(into=True, host=host, may_be_empty=True), cancel=cancel)
        on_failure.pop_all()
    return report


def show_logs(report: LogReport, out: Path) -> None:
    """Print how many events came of how many lines."""
    events = "1 event" if report.events == 1 else f"{format_count(report.events)} events"
    print_line(
        f"{events} from {format_count(report.known)} known of {format_count(report.lines)} lines, "
        f"{format_bytes(report.bytes_read)} → {out}"
    )
    for note in report.notes:
        print_line(f"  note: {shown(note)}")


@contextmanager
def _progress_here() -> Iterator[Callable[[int, int], None] | None]:
    if not sys.stderr.isatty():
        yield None
        return
    # Only here, since nobody else needs what draws the bar.
    from app.consoles import progress_bar  # noqa: PLC0415

    with progress_bar("Reading logs") as show:
        yield lambda done, total: show(done / total if total else None, format_bytes(done))
