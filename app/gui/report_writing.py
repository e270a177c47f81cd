"""Makes the report of the open session, with or without names; run this in a worker."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from app.gui.jobs import Job
from app.report_making import Asked, AskedComparison, anonymous_copy, composed, copy_of_other
from sessions.anonymous.session_copy import Anonymised
from sessions.store import SessionReader
from viewmodels.chart_spec import ChartSpec
from viewmodels.report.document import Report
from viewmodels.report.html.page import report_html
from viewmodels.report.material import PutChart
from viewmodels.snapshot import Snapshot, read_snapshot

_COPIED = 0.7
"""The part of the work that anonymising is."""


@dataclass(frozen=True)
class WrittenReport:
    """A report with all its sections; ``text`` is what to write instead of a text that somebody typed.

    ``example`` is a name and what stands for it, empty where names stay.
    """

    report: Report
    text: Callable[[str], str] = str
    example: str = ""


def written(
    reader: SessionReader, snapshot: Snapshot, asked: Asked, job: Job, *, anonymise: bool
) -> WrittenReport:
    """Return the report. Raises CancelledError once the job is stopped, and what ``composed`` does."""
    if not anonymise:
        job.progress(None, "reading charts")
        return WrittenReport(composed(reader, snapshot, asked, job))

    def progress(part: float) -> None:
        job.progress(part * _COPIED, "leaving names out")

    others = sorted({path for one in asked.comparisons for path in one.sessions if path is not None})
    with ExitStack() as held:
        readers = [held.enter_context(SessionReader.open(path)) for path in others]
        path, done = held.enter_context(anonymous_copy(reader, asked.guided, progress, job, readers))
        copies = {other: copy_of_other(path, number) for number, other in enumerate(others)}
        with SessionReader.open(path) as own:
            job.progress(_COPIED, "reading charts")
            nameless = _without_names(asked, done, copies, snapshot.path)
            report = composed(own, read_snapshot(own, path), nameless, job)
        name = next((one.entity_name for one in asked.findings), "")
        example = f"{name} → {done.text(name)}" if name else ""
        return WrittenReport(report, done.text, example)


def html_bytes(report: Report) -> bytes:
    """Return the HTML file."""
    return report_html(report).encode("utf-8")


def _without_names(asked: Asked, done: Anonymised, copies: Mapping[Path, Path], own: Path) -> Asked:
    return replace(
        asked,
        findings=[done.record(one) for one in asked.findings],
        verdict=done.record(asked.verdict),
        guided=[done.record(one) for one in asked.guided],
        put_findings=[done.record(one) for one in asked.put_findings],
        charts=[PutChart(_chart(one.chart, done), one.window) for one in asked.charts],
        comparisons=[_nameless(one, done, copies, own) for one in asked.comparisons],
    )


def _nameless(
    one: AskedComparison, done: Anonymised, copies: Mapping[Path, Path], own: Path
) -> AskedComparison:
    """The same comparison of the copies; what a session's file is called stands in no title."""
    a, b = (
        copies[path].stem if path is not None else _of_own(title, done, own)
        for path, title in zip(one.sessions, one.titles, strict=True)
    )
    of_a, of_b = (None if path is None else copies[path] for path in one.sessions)
    return replace(one, titles=(a, b), sessions=(of_a, of_b))


def _of_own(title: str, done: Anonymised, own: Path) -> str:
    return "this session" if title in (own.name, own.stem) else done.text(title)


def _chart(chart: ChartSpec, done: Anonymised) -> ChartSpec:
    return replace(
        chart,
        title=done.text(chart.title),
        note=done.text(chart.note),
        heading=done.text(chart.heading),
        line=done.text(chart.line),
        limits=tuple(replace(one, label=done.text(one.label)) for one in chart.limits),
    )
