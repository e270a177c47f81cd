"""Reads the curves of a chart for a report: a few hundred points each, whatever the length of the window."""

from __future__ import annotations

from sessions.times import TimeRange
from viewmodels.chart_sets import lines_of
from viewmodels.chart_spec import ChartSpec
from viewmodels.distinct_names import names_of
from viewmodels.possible_samples import limits_of, possible_parts
from viewmodels.report.document import Figure
from viewmodels.report.material import Material
from viewmodels.report.time_charts import DrawnCurve, TimeAxis, time_chart

_POINTS = 280
_CURVES = 6


def figure_of(chart: ChartSpec, window: TimeRange, material: Material) -> Figure | None:
    """Return a chart of a window as a drawing; None if nothing of it was measured there."""
    snapshot, known = material.snapshot, material.knowledge
    series = [snapshot.by_id[number] for number in chart.series if number in snapshot.by_id][:_CURVES]
    if not series:
        return None
    names = names_of(series, snapshot, known.catalogue)
    curves = []
    for one in series:
        material.work.check()
        found = material.reader.overview(one.id, window, _POINTS)
        samples = possible_parts(found, limits_of(one.counter, one.spec.unit))
        if samples.count.size:
            curves.append(DrawnCurve(names.own[one.id], samples))
    if not curves or (all(one.is_flat for one in curves) and all(map(known.is_setting, series))):
        return None
    limits = chart.limits if chart.keeps_limits else lines_of(series, known.limits)
    drawn = time_chart(series[0].spec.unit, curves, TimeAxis(window, material.clock), limits, chart.bands)
    left = len(chart.series) - len(series)
    note = " · ".join(
        part for part in (chart.note, f"{left} more curves in the session" if left > 0 else "") if part
    )
    return Figure(names.title(chart.title), note, drawn)
