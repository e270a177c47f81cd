"""Makes the report of the open session, with or without names; run this in a worker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from app.gui.jobs import Job
from app.report_making import Asked, AskedComparison, anonymous_copy, composed
from sessions.anonymous.session_copy import Anonymised
from sessions.store import SessionReader
from viewmodels.chart_spec import ChartSpec
from viewmodels.report.document import Report
from viewmodels.report.html.page import report_html
from viewmodels.report.material import PutChart
from viewmodels.snapshot import Snapshot, read_snapshot

_LEFT_OUT = "A comparison with another session was left out: its names are not known here."
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

    with anonymous_copy(reader, asked.guided, progress, job) as (path, done):
        with SessionReader.open(path) as own:
            job.progress(_COPIED, "reading charts")
            report = composed(own, read_snapshot(own, path), _without_names(asked, done), job)
        name = next((one.entity_name for one in asked.findings), "")
        example = f"{name} → {done.text(name)}" if name else ""
        return WrittenReport(report, done.text, example)


def html_bytes(report: Report) -> bytes:
    """Return the HTML file."""
    return report_html(report).encode("utf-8")


def _without_names(asked: Asked, done: Anonymised) -> Asked:
    here = [one for one in asked.comparisons if one.sessions == (None, None)]
    return replace(
        asked,
        findings=[done.record(one) for one in asked.findings],
        verdict=done.record(asked.verdict),
        guided=[done.record(one) for one in asked.guided],
        put_findings=[done.record(one) for one in asked.put_findings],
        charts=[PutChart(_chart(one.chart, done), one.window) for one in asked.charts],
        comparisons=[
            replace(one, titles=(done.text(one.titles[0]), done.text(one.titles[1]))) for one in here
        ],
        notes=[*asked.notes, *([_LEFT_OUT] if len(here) < len(asked.comparisons) else [])],
    )


def _titles(one: AskedComparison, done: Anonymised) -> tuple[str, str]:
    a, b = one.titles
    return done.text(a), done.text(b)


def _chart(chart: ChartSpec, done: Anonymised) -> ChartSpec:
    return replace(
        chart,
        title=done.text(chart.title),
        note=done.text(chart.note),
        heading=done.text(chart.heading),
        line=done.text(chart.line),
        limits=tuple(replace(one, label=done.text(one.label)) for one in chart.limits),
    )
