"""``correlate``: what moved with a series, a finding, or in a window; the likeliest culprit first."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from app.commands.options import AsJson, From, SessionPath, Times, To, clock_of, window_of
from app.consoles import progress_bar, results
from app.terminal import cancellable, print_json
from diagnosis.correlation import NO_SAMPLES, Question
from diagnosis.correlation import correlate as what_moved
from diagnosis.correlation.documents import correlation_json
from diagnosis.wrapped_text import wrapped
from resources.correlation_roles import load_correlation
from resources.failures import NotFoundError, UsageError
from sessions.clock import UTC_ZONE
from sessions.store import SessionReader
from sessions.times import TimeRange
from viewmodels.correlation_question import question_of_finding, reference_named
from viewmodels.correlation_rows import CorrelationRow, CorrelationView, correlation_view
from viewmodels.possible_samples import PossibleSource

_WIDEST = 120


def correlate(
    session: SessionPath,
    entity: Annotated[
        str, typer.Option(metavar="NAME", help="Whose counter it is; kind:name narrows, as in 'vm:SQL01'.")
    ] = "",
    counter: Annotated[str, typer.Option(metavar="KEY", help="What got worse, as in 'cpu.ready'.")] = "",
    instance: Annotated[
        str | None, typer.Option(metavar="I", help="One instance, as in 'naa.…'; else the most telling one.")
    ] = None,
    finding: Annotated[
        int, typer.Option(metavar="N", min=0, help="A finding of 'diagnose --json' instead, counted from 1.")
    ] = 0,
    start: From = "",
    end: To = "",
    top: Annotated[int, typer.Option(metavar="N", min=1, help="So many entities at most.")] = 10,
    times: Times = UTC_ZONE,
    knowledge: Annotated[
        list[Path] | None,
        typer.Option(metavar="DIR", help="A folder with correlation/ of your own (TOML); may be repeated."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Find what moved with a series: who makes the load, who else feels it, and what they share.

    Without --from and --to the time in which it was most unusual is chosen. With a window alone, everything
    is ranked by its change.
    """
    known = load_correlation(knowledge or [])
    with SessionReader.open(session) as reader, cancellable() as cancel, progress_bar("Comparing") as show:
        if reader.span() is None:
            raise NotFoundError(NO_SAMPLES, advice="Record or import something first.")
        clock = clock_of(reader, times)
        window = window_of(reader, start, end, clock)
        question = _question(reader, entity, counter, instance, finding, window, top)
        found = what_moved(PossibleSource(reader), question, known, progress=show, cancel=cancel)
    if as_json:
        why = correlation_view(found, clock, top).empty  # why nothing is ranked
        print_json({**correlation_json(found, top), "why": why or None})
    else:
        _Page(results()).show(correlation_view(found, clock, top))


def _question(
    reader: SessionReader,
    entity: str,
    counter: str,
    instance: str | None,
    finding: int,
    window: TimeRange | None,
    top: int,
) -> Question:
    if finding:
        if entity or counter:
            raise UsageError("--finding names the series itself.", advice="Leave out --entity and --counter.")
        return _of_finding(reader, finding, window, top)
    if bool(entity) != bool(counter):
        raise UsageError("A series is an entity and a counter.", advice="Give both --entity and --counter.")
    if entity:
        return Question(reference_named(reader, entity, counter, instance), window, top)
    if window is None:
        raise UsageError(
            "There is nothing to compare with.",
            advice="Give --entity and --counter, or --finding, or a window with --from and --to.",
        )
    return Question(None, window, top)


def _of_finding(reader: SessionReader, number: int, window: TimeRange | None, top: int) -> Question:
    findings = reader.findings()
    if number > len(findings):
        there = f"{len(findings)} findings" if len(findings) != 1 else "1 finding"
        raise NotFoundError(
            f"There is no finding {number}; the session has {there if findings else 'none'}.",
            advice="'hyperscope diagnose S.hscope --json' lists them, and stores them.",
        )
    found = question_of_finding(reader, findings[number - 1], top)
    return Question(found.reference, window or found.window, top)


class _Page:
    """Prints the answer, wrapped to the terminal."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._width = min(console.width, _WIDEST)

    def show(self, view: CorrelationView) -> None:
        """Print all of it."""
        self._line(view.title, style="bold")
        self._line(view.about)
        for text in view.patterns:
            self._line(text, style="italic")
        self._line("")
        for number, row in enumerate(view.rows, start=1):
            self._row(number, row)
        if view.empty:
            self._line(view.empty)
            if view.is_time_to_choose:
                self._line("A time is chosen with --from and --to.")
        if view.left_out:
            more = "1 more entity" if view.left_out == 1 else f"{view.left_out:,} more entities"
            self._line(f"{more} moved: --top shows more.", style="dim")
        self._events(view)
        self._line("")
        if view.itself:
            self._line(view.itself, style="dim")
        self._line(view.compared, style="dim")

    def _row(self, number: int, row: CorrelationRow) -> None:
        style = "bold" if row.part == "makes the load" else ""
        self._line(f"{row.name}: {row.part}, score {row.score:.2f}", lead=f"{number:>3}  ", style=style)
        self._line(f"{row.counter} {row.because}", lead="     ")
        if row.others:
            self._line(row.others, lead="     ", style="dim")

    def _events(self, view: CorrelationView) -> None:
        if view.events:
            self._line("")
            self._line("What happened about then:")
            for text in view.events:
                self._line(text, lead="  ")

    def _line(self, text: str, *, lead: str = "", style: str = "") -> None:
        for number, line in enumerate(wrapped(text, max(20, self._width - len(lead)), self._console)):
            begin = lead if number == 0 else " " * len(lead)
            self._console.print(Text(begin + line, style=style), highlight=False)
