"""What a report of the window tells of: the session as it is judged now, and what was put in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from app.gui.desk import Desk
from app.gui.report_choices import PutIn
from sessions.findings import Finding
from viewmodels.chart_spec import ChartSpec

if TYPE_CHECKING:
    from app.report_making import Asked


def material_of(desk: Desk, put: PutIn) -> Asked | None:
    """Return what a report is to be about; None without a session."""
    from app.report_making import Asked  # noqa: PLC0415 - not at the start

    if desk.session.whole is None:
        return None
    return Asked(
        findings=tuple(desk.findings.findings),
        verdict=desk.findings.verdict,
        clock=desk.times.clock,
        problems=desk.troubleshooting.cards(),
        comparisons=put.comparisons,
        charts=put.charts,
        put_findings=put.findings,
    )


def put_charts(desk: Desk, charts: Sequence[ChartSpec] | None = None) -> None:
    """Put charts (None: those that are shown) into the report, over the time that is shown."""
    from viewmodels.report.material import PutChart  # noqa: PLC0415 - not at the start

    snapshot = desk.session.snapshot
    window = desk.scope.scope.window_in(snapshot.span) if snapshot is not None else None
    charts = desk.charts.charts if charts is None else charts
    if window is None or not charts:
        desk.notify("No chart is shown that could be put into the report.", "info")
    else:
        report = desk.report
        new = [PutChart(one, window) for one in charts]
        words = "The chart is" if len(new) == 1 else f"{len(new)} charts are"
        report.put_more(report.put_in.with_charts(new), words)


def put_finding(desk: Desk, finding: Finding) -> None:
    """Put a finding into the report, in full."""
    desk.report.put_more(desk.report.put_in.with_one(finding=finding), "The finding is")


def put_run(desk: Desk) -> None:
    """Keep the guided run that is shown in the session, whose report tells of it."""
    model = desk.troubleshooting
    if model.run is None:
        desk.notify("Nothing was looked into yet that could be put into the report.", "info")
        return
    if not model.keeping.number:
        model.keeping.keep(model.run)
    desk.report.put_more(desk.report.put_in.with_one(run=model.run.at), "The guided run is")


def put_test(desk: Desk) -> None:
    """Put the run of a guided test that is shown into the report, which tells of all tests of the session."""
    run = desk.tests.run
    if not run:
        desk.notify("No result of a test is shown that could be put into the report.", "info")
        return
    desk.report.put_more(desk.report.put_in.with_one(test=run), "The test is")


def put_comparison(desk: Desk) -> None:
    """Put the comparison into the report that is shown, with what it leaves out."""
    from app.report_making import AskedComparison  # noqa: PLC0415 - not at the start

    model = desk.comparison
    if model.pair is None or model.state != "ready":
        desk.notify("Nothing is compared yet that could be put into the report.", "info")
        return
    a, b = model.pair.a, model.pair.b
    asked = AskedComparison(
        a.window,
        b.window,
        (a.title, b.title),
        tuple(one.window for one in model.out if one.is_out),
        (a.session, b.session),
        ("Window A", "Window B"),
    )
    desk.report.put_more(desk.report.put_in.with_one(comparison=asked), "The comparison is")
