"""``report``: a session as one HTML file for a manager and for a support case, and as a PDF."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from app.commands.diagnose import diagnose_file
from app.commands.options import (
    AsJson,
    From,
    SessionPath,
    Thresholds,
    Times,
    To,
    clock_of,
    named_window,
    window_of,
)
from app.consoles import progress_bar
from app.display import has_display, require_libraries
from app.own_thresholds import with_own_thresholds
from app.report_making import Asked, AskedComparison, anonymous_copy, composed, require_target
from app.terminal import cancellable, print_error, print_json, print_line
from resources.failures import CancelledError, HyperscopeError, UsageError
from resources.files import replace_file, write_failures
from resources.foreign_text import shown
from resources.problem_cards import load_problems
from resources.units import format_bytes, format_count
from sessions.clock import UTC_ZONE, Clock
from sessions.findings import Finding
from sessions.store import SessionReader
from sessions.times import TimeRange
from sessions.verdicts import Verdict, samples_after
from viewmodels.report.choices import EVERYTHING, FAMILIES, ReportChoices, arranged, unknown_keys
from viewmodels.report.document import Report
from viewmodels.report.html.page import report_html
from viewmodels.snapshot import read_snapshot

_KEYS = ", ".join(FAMILIES)


def report(
    session: SessionPath,
    out: Annotated[
        Path,
        typer.Option("-o", "--output", metavar="REPORT.html", help="The file to write.", show_default=False),
    ],
    pdf: Annotated[
        Path | None,
        typer.Option("--pdf", metavar="FILE", help="Also write it as a PDF.", show_default=False),
    ] = None,
    page: Annotated[Literal["a4", "letter"], typer.Option(help="The paper of the PDF.")] = "a4",
    start: From = "",
    end: To = "",
    before: Annotated[
        list[str] | None,
        typer.Option(
            metavar="T..T",
            help="Compare this window, from..to (--times), with that of --after; both may be repeated.",
            show_default=False,
        ),
    ] = None,
    after: Annotated[
        list[str] | None,
        typer.Option(metavar="T..T", help="The window after the fix.", show_default=False),
    ] = None,
    audience: Annotated[
        Literal["manager", "support", "both"],
        typer.Option(
            "--for", help="manager: what came of it; support: all but the first page; both: everything."
        ),
    ] = "both",
    section: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY",
            help=f"Only this section; may be repeated, in their order: {_KEYS}. guided-2 is the second one.",
            show_default=False,
        ),
    ] = None,
    without: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY", help="Leave this section out; may be repeated.", show_default=False),
    ] = None,
    title: Annotated[str, typer.Option(metavar="TEXT", help="A title; else the worst problem is.")] = "",
    author: Annotated[str, typer.Option(metavar="NAME", help="Who prepared it.")] = "",
    recipient: Annotated[str, typer.Option(metavar="NAME", help="For whom it was prepared.")] = "",
    remark: Annotated[
        list[str] | None,
        typer.Option(metavar="TEXT", help="A paragraph for page 1; may be repeated.", show_default=False),
    ] = None,
    look: Annotated[
        Literal["auto", "light", "dark"],
        typer.Option(help="How the HTML file looks on a screen; it can be changed there."),
    ] = "auto",
    times: Times = UTC_ZONE,
    thresholds: Thresholds = "",
    anonymise: Annotated[
        bool,
        typer.Option("--anonymise", help="vm-3, host-1, user-2 … for every name, address and path."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Write a report: a page for a manager, then findings with evidence, charts and causes, the timeline,
    guided troubleshooting, before and after, guided tests, notes, the inventory, and how complete it is.

    One file that loads nothing from a network; it prints on A4 and Letter. What was judged before is taken
    as it is stored; else the session is judged now, and not changed.
    """
    if len(before or ()) != len(after or ()):
        raise UsageError("--before and --after go together.", advice="Give both windows as T..T.")
    for option, name in (("--author", author), ("--recipient", recipient)):
        if name and anonymise:
            raise UsageError(
                f"{option} is a name, and --anonymise leaves names out.", advice="Leave one of them away."
            )
    choices = ReportChoices(
        audience, tuple(section) if section else None, frozenset(without or ()), title, author,
        recipient, tuple(remark or ()), look,
    )  # fmt: skip
    _require_sections([*(section or ()), *(without or ())])
    for target in (out, pdf):
        if target is not None:
            require_target(target, session)
    if out.suffix.lower() == ".pdf":
        raise UsageError(
            f"{out} would be HTML, whatever its name says.", advice=f"Give -o REPORT.html --pdf {out.name}."
        )
    if pdf is not None and pdf.absolute() == out.absolute():
        raise UsageError("-o and --pdf name the same file.")
    windows = tuple(zip(before or (), after or (), strict=True))
    request = ReportRequest(session, start, end, windows, choices, times, thresholds)
    made = anonymous_report(request) if anonymise else make_report(request)
    written = _written(made, out, pdf, page)
    if as_json:
        sections = [one.key for one in made.sections]
        files = [
            {"name": str(one.path), "kind": one.kind, "bytes": one.bytes, "pages": one.pages}
            for one in written
        ]
        print_json({"files": files, "title": made.title, "sections": sections})
        return
    for one in written:
        pages = f", {format_count(one.pages)} page{'' if one.pages == 1 else 's'}" if one.pages else ""
        print_line(f"{one.path}  {format_bytes(one.bytes)}{pages}")
    print_line(made.title)


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A file of a report; ``pages`` is None for HTML."""

    path: Path
    kind: str
    bytes: int
    pages: int | None = None


def _written(made: Report, out: Path, pdf: Path | None, page: str) -> list[WrittenFile]:
    """Write the report's files. All are made before the first is written."""
    contents = [(out, "html", report_html(made).encode("utf-8"), None), *_printed(made, pdf, page)]
    for number, (path, _, content, _) in enumerate(contents):
        try:
            with write_failures(path):
                replace_file(path, content)
        except HyperscopeError as error:
            if number:
                error.meaning = f"{contents[0][0]} is written, this is not."
            raise
    return [WrittenFile(path, kind, len(content), pages) for path, kind, content, pages in contents]


def _printed(made: Report, pdf: Path | None, page: str) -> Iterator[tuple[Path, str, bytes, int]]:
    if pdf is None:
        return
    if not has_display():
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    require_libraries()
    from app.gui.report_printing import print_report  # noqa: PLC0415 - Qt only where there is a PDF to print

    with cancellable() as cancel, progress_bar("Printing") as show:
        show(None, "")
        content, pages = print_report(made, page, _Cancellable(cancel).check)
    yield pdf, "pdf", content, pages


@dataclass(frozen=True, slots=True)
class ReportRequest:
    """What a report is to be about, as it was typed; ``compared`` are pairs of windows."""

    session: Path
    start: str = ""
    end: str = ""
    compared: tuple[tuple[str, str], ...] = ()
    choices: ReportChoices = EVERYTHING
    times: str = UTC_ZONE
    thresholds: str = ""


def _require_sections(keys: Sequence[str]) -> None:
    unknown = unknown_keys(keys)
    if unknown:
        raise UsageError(
            f"No section of a report is called {shown(unknown[0], 60)!r}.", advice=f"There are: {_KEYS}."
        )


def anonymous_report(request: ReportRequest) -> Report:
    """Return the report of the session without its names: the same ones as in an anonymised export."""
    with (
        SessionReader.open(request.session) as reader,
        cancellable() as cancel,
        progress_bar("Anonymising") as show,
        anonymous_copy(reader, (), lambda part: show(part, ""), cancel) as (copy, done),
    ):
        choices = request.choices
        without = replace(
            choices, title=done.text(choices.title), remarks=tuple(map(done.text, choices.remarks))
        )
        return make_report(replace(request, session=copy, choices=without))


def make_report(request: ReportRequest) -> Report:
    """Read the session and return its report, showing progress; Ctrl-C cancels."""
    with SessionReader.open(request.session) as reader:
        clock = clock_of(reader, request.times)
        window = window_of(reader, request.start, request.end, clock)
        findings, verdict = _judged(reader, window, request)
        comparisons = [_comparison(a, b, clock) for a, b in request.compared]
        with cancellable() as cancel, progress_bar("Writing the report") as show:
            show(None, "")
            problems = with_own_thresholds(load_problems(), request.thresholds, print_error)
            asked = Asked(findings, verdict, clock, problems, window, comparisons=comparisons)
            snapshot = read_snapshot(reader, request.session)
            whole = composed(reader, snapshot, asked, _Cancellable(cancel))
    made = arranged(whole, request.choices)
    if not made.sections:
        raise UsageError(
            "The report would have no section.",
            meaning="What was chosen is not in this session, or all of it was left out.",
            advice=f"It has: {', '.join(one.key for one in whole.sections)}.",
        )
    return made


def _comparison(before: str, after: str, clock: Clock) -> AskedComparison:
    a, b = named_window(before, clock, "--before"), named_window(after, clock, "--after")
    return AskedComparison(a, b, names=("The window of --before", "The window of --after"))


@dataclass(frozen=True, slots=True)
class _Cancellable:
    """The work of a report, which Ctrl-C ends between two charts."""

    cancel: threading.Event

    def is_set(self) -> bool:
        return self.cancel.is_set()

    def check(self) -> None:
        if self.cancel.is_set():
            raise CancelledError("The report was stopped; nothing was written.")

    def progress(self, part: float | None) -> None:
        """Charts are read too fast to be counted."""


def _judged(
    reader: SessionReader, window: TimeRange | None, request: ReportRequest
) -> tuple[tuple[Finding, ...], Verdict]:
    """Return what is stored if it is of all that was recorded; else judge now."""
    with reader.one_state():
        verdict, findings = reader.verdict(), reader.findings()
        is_whole = verdict.is_judged and not samples_after(verdict, reader)
    if is_whole and window is None and not request.thresholds:
        return tuple(findings), verdict
    outcome = diagnose_file(request.session, window, knowledge=[], thresholds=request.thresholds)
    return outcome.findings, outcome.verdict
