"""Puts charts on the board: those that suit the scope, and counters that the user drops on the page."""

from __future__ import annotations

from collections.abc import Sequence

from app.gui.desk import Desk
from viewmodels.chart_sets import charts_of, counters_of, interesting_entities
from viewmodels.chart_spec import ChartSpec
from widgets.context_menu import Entries
from widgets.dragging import unpack_series

_MAX_ENTITIES = 12


def follow_scope(desk: Desk) -> bool:
    """Show charts that suit the scope, or the worst entities if it names none; returns True if they
    changed.
    """
    snapshot = desk.session.snapshot
    if snapshot is None:
        return False
    chosen = desk.scope.scope.entities
    entities = (chosen or interesting_entities(snapshot, desk.findings.worst))[:_MAX_ENTITIES]
    before = desk.charts.charts
    judged = counters_of(desk.findings.findings, entities)
    charts = charts_of(entities, snapshot, desk.chart_templates, desk.entity_limits, judged)
    desk.charts.follow(charts, chosen)
    return desk.charts.charts != before


def add_dropped(desk: Desk, number: int, dragged: bytes) -> None:
    """Add the dropped series to chart ``number``, or as a new chart if ``number`` is −1.

    ``dragged`` is the data of the drag, which ``unpack_series`` reads.
    """
    snapshot = desk.session.snapshot
    if snapshot is None:
        return
    series = [snapshot.by_id[one] for one in unpack_series(dragged) if one in snapshot.by_id]
    if series:
        desk.charts.add(series, None if number < 0 else number)


def close_shown(desk: Desk, shown: ChartSpec) -> None:
    """Close the chart that is drawn as ``shown``; nothing if the board has other charts by now, to be drawn
    soon.
    """
    number = _number_of(desk, shown)
    if number is not None:
        desk.charts.remove(number)


def move_shown(desk: Desk, shown: ChartSpec, to: ChartSpec) -> None:
    """Move the chart that is drawn as ``shown`` to the place of another; nothing if the board has other
    charts by now.
    """
    number, place = _number_of(desk, shown), _number_of(desk, to)
    if number is not None and place is not None:
        desk.charts.move(number, place)


def _number_of(desk: Desk, shown: ChartSpec) -> int | None:
    drawn = shown.series, shown.unit
    numbers = (n for n, chart in enumerate(desk.charts.charts) if (chart.series, chart.unit) == drawn)
    return next(numbers, None)


def watch_charted(desk: Desk, series: Sequence[int]) -> Entries:
    """Return the menu's entries to watch the hosts with esxtop that these series are of, or of what they
    hold.
    """
    snapshot = desk.session.snapshot
    found = [snapshot.by_id[one].entity for one in series if one in snapshot.by_id] if snapshot else []
    return desk.recording.watch(found)
