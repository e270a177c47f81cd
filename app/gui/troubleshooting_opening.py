"""Shows what a check tells on other pages: its numbers in Charts, everything before and after in Compare."""

from __future__ import annotations

from app.gui.desk import Desk
from resources.foreign_text import shown
from sessions.findings import Finding
from sessions.times import TimeRange
from sessions.troubleshooting import CheckResult
from viewmodels.comparison_choices import ChosenSide, PairOffer
from wizards.flows.troubleshooting.page_rows import checks_now


def show_numbers(desk: Desk, problem: str) -> None:
    """Show a check's numbers in Charts, in the symptom's time or when it was a problem."""
    model = desk.troubleshooting
    if model.run is None:
        return
    check = checks_now(model.run, model.fix.found).get(problem) or model.run.check(problem)
    if check is None or check.entity is None:
        desk.notify("This check has no number to show.", "info")
    elif check.evidence and check.windows:
        desk.show_finding(_as_finding(check))
    else:
        symptom = model.run.symptom
        start = symptom.normal.start if symptom.normal is not None else symptom.window.start
        window = TimeRange(min(start, symptom.window.start), symptom.window.end)
        desk.scope.set(desk.scope.scope.on([check.entity]).during(window))
        desk.charts.release()
        desk.charts.shown.emit()


def _as_finding(check: CheckResult) -> Finding:
    assert check.entity is not None
    return Finding(
        check.problem,
        check.title,
        check.severity or "info",
        check.entity,
        check.name,
        check.windows,
        check.share,
        check.because,
        check.evidence,
        check.causes,
        tuple(one.text for one in check.steps),
        check.score,
    )


def compare_all(desk: Desk) -> None:
    """Compare everything before and after the change."""
    model = desk.troubleshooting
    found, run = model.fix.found, model.run
    if found is None or run is None or found.after is None:
        return
    other = model.fix.other if found.session else None
    a = ChosenSide("before the change", found.before, shown(run.symptom.name, 60))
    b = ChosenSide("after the change", found.after, shown(run.symptom.name, 60), other)
    desk.comparison.asked.emit()
    desk.comparison.choose(PairOffer(f"before and after the change of {shown(run.symptom.name, 60)}", a, b))
