"""``report``: a session as one HTML file for a manager and for a support case, and as a PDF."""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
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
from app.terminal import cancellable, print_error, print_json, print_line
from diagnosis.comparison import Choice, Side, compare
from diagnosis.comparison.windows import windows_of_one
from resources.catalogue import load_catalogue
from resources.comparison_rules import load_comparison_rules
from resources.failures import AlreadyExistsError, CancelledError, HyperscopeError, NotFoundError, UsageError
from resources.files import replace_file, write_failures
from resources.fio_jobs import load_fio_jobs
from resources.guided_tests import load_guided_tests
from resources.problem_cards import Problems, load_problems
from resources.report_words import load_report_words
from resources.study_numbers import load_studies
from resources.units import format_bytes, format_count
from resources.views import load_chart_templates, load_headlines, load_limits
from sessions.anonymous import write_anonymised
from sessions.clock import UTC_ZONE, Clock
from sessions.findings import Finding
from sessions.store import SessionReader, begins_like_session
from sessions.times import TimeRange
from sessions.verdicts import Verdict, samples_after
from viewmodels.entity_limits import entity_limits
from viewmodels.report.composing import report_of
from viewmodels.report.document import Report, Section
from viewmodels.report.html.page import report_html
from viewmodels.report.material import Compared, Knowledge, Material
from viewmodels.snapshot import Snapshot, read_snapshot
from wizards.flows.result_in_report import guided_tests
from wizards.flows.run_reading import RunKnowledge


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
        str,
        typer.Option(metavar="T..T", help="Compare this window, from..to (--times), with that of --after."),
    ] = "",
    after: Annotated[str, typer.Option(metavar="T..T", help="The window after the fix.")] = "",
    title: Annotated[str, typer.Option(metavar="TEXT", help="A title; else the worst problem is.")] = "",
    times: Times = UTC_ZONE,
    thresholds: Thresholds = "",
    anonymise: Annotated[
        bool,
        typer.Option("--anonymise", help="vm-3, host-1, user-2 … for every name, address and path."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Write a report: a page for a manager, then findings with evidence, charts and causes, the timeline,
    before and after, guided tests, notes, the inventory, and from what and how complete it is.

    One file that loads nothing from a network; it prints on A4 and Letter. What was judged before is taken
    as it is stored; else the session is judged now, and not changed.
    """
    if bool(before) != bool(after):
        raise UsageError("--before and --after go together.", advice="Give both windows as T..T.")
    for target in (out, pdf):
        if target is not None:
            require_target(target, session)
    if pdf is not None and pdf.absolute() == out.absolute():
        raise UsageError("-o and --pdf name the same file.")
    request = ReportRequest(session, start, end, before, after, title, times, thresholds)
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
    """What a report is to be about, as it was typed."""

    session: Path
    start: str = ""
    end: str = ""
    before: str = ""
    after: str = ""
    title: str = ""
    times: str = UTC_ZONE
    thresholds: str = ""


def require_target(out: Path, session: Path) -> None:
    """Raise where a report must not be written: over a session, or into a folder that is not there."""
    with write_failures(out):
        has_folder, is_folder = out.parent.is_dir(), out.is_dir()
    if not has_folder:
        raise NotFoundError(f"There is no folder {out.parent}.", advice="Make it, or name another file.")
    if is_folder:
        raise AlreadyExistsError(f"{out} is a folder.", advice="Name a file in it with -o.")
    if begins_like_session(out) or (session.exists() and out.exists() and out.samefile(session)):
        raise AlreadyExistsError(
            f"{out} is a session.",
            meaning="The report would replace it.",
            advice="Name another file with -o.",
        )


def anonymous_report(request: ReportRequest) -> Report:
    """Return the report of the session without its names: the same ones as in an anonymised export."""
    with tempfile.TemporaryDirectory(prefix="hyperscope-") as folder:
        copy = Path(folder) / "anonymised.hscope"
        with (
            SessionReader.open(request.session) as reader,
            cancellable() as cancel,
            progress_bar("Anonymising") as show,
        ):
            done = write_anonymised(reader, copy, progress=lambda part: show(part, ""), cancel=cancel)
        return make_report(replace(request, session=copy, title=done.text(request.title)))


def make_report(request: ReportRequest) -> Report:
    """Read the session and return its report, showing progress; Ctrl-C cancels."""
    with SessionReader.open(request.session) as reader:
        clock = clock_of(reader, request.times)
        window = window_of(reader, request.start, request.end, clock)
        findings, verdict = _judged(reader, window, request)
        with cancellable() as cancel, progress_bar("Writing the report") as show:
            show(None, "")
            problems = with_own_thresholds(load_problems(), request.thresholds, print_error)
            snapshot = read_snapshot(reader, request.session)
            material = Material(
                reader=reader,
                snapshot=snapshot,
                findings=findings,
                verdict=verdict,
                window=window or snapshot.span,
                clock=clock,
                knowledge=_knowledge(snapshot, problems),
                made=_now(clock),
                title=request.title,
                compared=_compared(reader, request, clock, problems, cancel),
                tests=_tests(reader, clock),
                work=_Cancellable(cancel),
            )
            return report_of(material)


@dataclass(frozen=True, slots=True)
class _Cancellable:
    """The work of a report, which Ctrl-C ends between two charts."""

    cancel: threading.Event

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


def _knowledge(snapshot: Snapshot, problems: Problems) -> Knowledge:
    catalogue = load_catalogue()
    return Knowledge(
        problems=problems,
        catalogue=catalogue,
        limits=entity_limits(snapshot, load_limits(problems), problems.storage),
        templates=load_chart_templates(catalogue),
        headlines=load_headlines(catalogue),
        words=load_report_words(),
    )


def _compared(
    reader: SessionReader, request: ReportRequest, clock: Clock, problems: Problems, cancel: threading.Event
) -> Compared | None:
    if not request.before:
        return None
    span = reader.span()
    if span is None:
        raise NotFoundError("The session has no samples.", meaning="There is nothing to compare.")
    first = named_window(request.before, clock, "--before")
    second = named_window(request.after, clock, "--after")
    windows = windows_of_one(span, first, second)
    sides = Side(reader, windows.a), Side(reader, windows.b)
    for option, side in zip(("--before", "--after"), sides, strict=True):
        if not any(side.ticks(one.id) for one in reader.sources()):
            raise NotFoundError(
                f"The window of {option} has no samples.", meaning="There is nothing to compare."
            )
    catalogue = load_catalogue()
    knowledge = (catalogue, problems, load_comparison_rules(catalogue))
    return Compared(compare(*sides, Choice(), knowledge, cancel=cancel), windows)


def _tests(reader: SessionReader, clock: Clock) -> list[Section]:
    """Return what guided tests of the session came to; what they need is loaded only if there are any."""
    if not reader.test_runs():
        return []
    known = RunKnowledge(
        load_guided_tests(), load_fio_jobs(), load_studies(), lambda at: clock.time(round(at))
    )
    return guided_tests(reader, known, clock)


def _now(clock: Clock) -> str:
    return clock.stamp(datetime.now(UTC).timestamp() * 1000)
