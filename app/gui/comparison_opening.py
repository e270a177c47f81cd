"""Shows in Charts what a row or a line of the comparison tells."""

from __future__ import annotations

from app.gui.desk import Desk
from app.gui.scope_model import Jump
from sessions.times import TimeRange
from viewmodels.chart_choice import ChartChoice
from viewmodels.comparison_curves import pair_of
from viewmodels.comparison_page import ComparedRow
from viewmodels.comparison_surroundings import OtherLine

_AROUND_MS = 300_000
_TO_CHARTS = Jump("compare", "charts")
"""Going back from there returns to the comparison."""


LIKELIEST = "Compare the likeliest"


def open_row(desk: Desk, row: ComparedRow) -> None:
    """Show a row's series in Charts, over both windows as far as they are of the open session."""
    found, chosen = desk.comparison.found, desk.comparison.pair
    if found is None or chosen is None:
        return
    pair = pair_of(found, next(found.outline_of([row.rank - 1])))
    sides = ((chosen.a, pair.a), (chosen.b, pair.b))
    here = [(side.window, series) for side, series in sides if side.session is None]
    if not here:
        desk.notify("Both sides are of other sessions: open one of them to see its charts.", "info")
        return
    windows = [window for window, _ in here]
    whole = TimeRange(min(one.start for one in windows), max(one.end for one in windows))
    series = list({one.id: one for _, one in here}.values())
    entities = tuple(dict.fromkeys(one.entity for one in series))
    desk.scope.set(desk.scope.scope.on(entities).during(whole).of_sources(()), jump=_TO_CHARTS)
    desk.charts.choose(ChartChoice().with_series(series).charts, entities)


def ask_moved_with(desk: Desk, row: ComparedRow) -> None:
    """Ask what moved with a row's series in B, or in A if only that is of the open session."""
    found, chosen = desk.comparison.found, desk.comparison.pair
    if found is None or chosen is None:
        return
    pair = pair_of(found, next(found.outline_of([row.rank - 1])))
    for side, series in ((chosen.b, pair.b), (chosen.a, pair.a)):
        if side.session is None:
            desk.scope.set(desk.scope.scope, jump=_TO_CHARTS)
            desk.charts.shown.emit()
            desk.moved.ask(series, side.window)
            return
    desk.notify("Both sides are of other sessions: open one of them to ask this.", "info")


def open_line(desk: Desk, line: OtherLine) -> None:
    """Show the time of an event in Charts, and whom it was about."""
    if line.at is None:
        return
    scope = desk.scope.scope.during(TimeRange(line.at - _AROUND_MS, line.at + _AROUND_MS))
    desk.scope.set(scope.on([line.entity]) if line.entity is not None else scope, jump=_TO_CHARTS)
    desk.charts.release()
    desk.charts.shown.emit()


def nothing_to_compare(desk: Desk) -> tuple[str, str]:
    """Return what is said where nothing is compared, and the words of a button for it, empty for none."""
    if desk.session.snapshot is None:
        return "Open a session: two windows of it are compared here.", ""
    if desk.comparison.known() is None:
        return "The session has no samples yet. Two windows of it are compared here.", ""
    return (
        "Two windows, phases, runs or sessions against each other: what changed, and is it real?",
        LIKELIEST,
    )
