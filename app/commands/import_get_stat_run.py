"""The work of ``import`` for tables of PowerCLI's Get-Stat."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from app.commands.import_logs_run import add_logs, show_logs
from app.terminal import cancellable, hint, print_json, print_line
from collectors.vsphere.get_stat.importing import StatOptions, StatReport, import_get_stat
from collectors.vsphere.get_stat.stamps import ORDER_WORDS, ORDERS
from resources.failures import UsageError
from resources.foreign_text import shown
from resources.units import format_bytes, format_count, format_duration
from sessions.clock import HOST, LOCAL, clock_named


def stat_options(dates: str, times: str) -> StatOptions:
    """Return the options that --dates and --times give; empty texts are the defaults. Raises UsageError."""
    order = next((one for one in ORDERS if one == dates.casefold()), None)
    if dates and order is None:
        words = ", ".join(f"{one} ({ORDER_WORDS[one]})" for one in ORDERS)
        raise UsageError(f"{dates!r} is no order of a date's numbers.", advice=f"Write one of {words}.")
    if times == HOST:
        raise UsageError(
            "Tables of Get-Stat don't tell a host's zone.",
            advice="Write local, utc or a zone like Europe/Berlin.",
        )
    return StatOptions(clock_named(times or LOCAL), order)


def run_stat_import(
    files: Sequence[Path], out: Path, options: StatOptions, *, logs: Sequence[Path], host: str, as_json: bool
) -> None:
    """Import tables into the session ``out``, then ``logs`` that ``host`` wrote, with a progress bar, and
    print the report; Ctrl-C cancels.
    """
    with cancellable() as cancel:
        with _progress_here() as progress:
            report = import_get_stat(files, out, options, progress=progress, cancel=cancel)
        added = add_logs(logs, out, host, cancel)
    if as_json:
        of_logs = {"logs": added.to_json()} if added is not None else {}
        print_json({**report.to_json(), **of_logs, "session": str(out)})
        return
    _show(report, out)
    if added is not None:
        show_logs(added, out)
    hint(f"Not judged yet. Next: hyperscope diagnose {out}")


def _show(report: StatReport, out: Path) -> None:
    intervals = ", ".join(format_duration(one) for one in report.intervals_s)
    samples, objects = _counted(report.samples, "sample"), _counted(report.objects, "object")
    print_line(
        f"{samples} (every {intervals}) of {format_count(report.series)} series of {objects} "
        f"from {format_bytes(report.bytes_read)} in {format_duration(report.seconds)} → {out}"
    )
    for note in report.notes:
        print_line(f"  note: {shown(note)}")


def _counted(number: int, what: str) -> str:
    return f"{format_count(number)} {what}{'' if number == 1 else 's'}"


@contextmanager
def _progress_here() -> Iterator[Callable[[int, int], None] | None]:
    if not sys.stderr.isatty():
        yield None
        return
    # Only here, since nobody else needs what draws the bar.
    from app.consoles import progress_bar  # noqa: PLC0415

    with progress_bar("Reading samples") as show:
        yield lambda done, total: show(done / total if total else None, format_bytes(done))
