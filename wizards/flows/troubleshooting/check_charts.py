"""The chart of a check: its numbers over time, with when it was normal, when it was a problem, and since when
it is judged again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from diagnosis.check_curves import CheckCurve, check_curves
from diagnosis.prepared import Prepared
from resources.catalogue import load_catalogue
from resources.units import format_value
from sessions.times import TimeRange
from sessions.troubleshooting import CheckResult, SeenChange, TroubleshootingRun, Verification
from wizards.flows.chart_values import TimeChart, TimeCurve

_MOST_CURVES = 3
_SHOWN_MOMENTS = 6


@dataclass(frozen=True, slots=True, eq=False)
class CheckChart:
    """Curves with their limit (None: none), and the times (ms) that are marked behind them.

    ``is_below``: values under the limit are the bad ones. ``moments`` are changes that were seen.
    ``is_over_after``: after the change the number that the check is told by is mostly past its limit.
    """

    chart: TimeChart
    limit: float | None
    limit_text: str
    is_below: bool
    normal: TimeRange | None
    problems: tuple[TimeRange, ...]
    after: TimeRange | None
    moments: tuple[tuple[int, str], ...]
    is_over_after: bool = False


def charts_of(
    prepared: Prepared, run: TroubleshootingRun, again: Verification | None = None
) -> dict[str, CheckChart]:
    """Return the chart of each check that has numbers, by problem. ``prepared`` reaches to the end of the
    later window if there is one; use it in its own thread.
    """
    found: dict[str, CheckChart] = {}
    for check in run.checks:
        if check.entity is None or check.verdict == "not applicable":
            continue
        curves = check_curves(prepared, load_catalogue(), check.problem, check.entity)
        if curves:
            found[check.problem] = _chart(check, curves, run, again)
    return found


def _chart(
    check: CheckResult, curves: Sequence[CheckCurve], run: TroubleshootingRun, again: Verification | None
) -> CheckChart:
    main = curves[0]
    after = again.after if again is not None and again.state == "done" else None
    whole = _shown(main, run, after)
    inside = (main.times >= whole.start) & (main.times <= whole.end)
    alike: list[CheckCurve] = []
    for one in curves:
        fits = one.unit == main.unit and one.times.size == main.times.size
        if fits and not any(np.array_equal(one.values, other.values, equal_nan=True) for other in alike):
            alike.append(one)
    lines = [
        TimeCurve(_name(one), _display(one)[inside], number, _last(one, whole))
        for number, one in enumerate(alike[:_MOST_CURVES])
    ]
    scale = 100.0 if _is_part(main) else 1.0
    unit = "%" if _is_part(main) else main.unit
    chart = TimeChart(
        check.name or check.title,
        unit if unit not in ("count", "ratio", "flag", "state") else "",
        unit,
        main.times[inside],
        tuple(lines),
        window=whole,
        empty="No samples in this time",
    )
    limit = main.limit if main.limit is not None and np.isfinite(main.limit) else None
    return CheckChart(
        chart,
        None if limit is None else limit * scale,
        "" if limit is None else format_value(limit * scale, unit if unit != "ratio" else ""),
        main.is_below,
        run.symptom.normal,
        tuple(part for one in check.windows if (part := one.intersect(whole))),
        after,
        _moments(again.changes if again is not None else run.changes, check, whole),
        after is not None and _is_over(main, after),
    )


def _is_over(curve: CheckCurve, window: TimeRange) -> bool:
    values = curve.within(window)
    if curve.limit is None or not np.isfinite(curve.limit) or not values.size:
        return False
    middle = float(np.median(values))
    return middle < curve.limit if curve.is_below else middle > curve.limit


def _moments(
    changes: Sequence[SeenChange], check: CheckResult, whole: TimeRange
) -> tuple[tuple[int, str], ...]:
    told = [(event.at, event.text) for event in check.changes]
    told += [(one.at, one.what) for one in changes]
    inside = [one for one in dict.fromkeys(told) if whole.start <= one[0] <= whole.end]
    return tuple(sorted(inside)[-_SHOWN_MOMENTS:])


def _shown(curve: CheckCurve, run: TroubleshootingRun, after: TimeRange | None) -> TimeRange:
    """From when all was well to the end of what was judged."""
    symptom = run.symptom
    start = min(symptom.window.start, symptom.normal.start if symptom.normal else symptom.window.start)
    end = max(symptom.window.end, after.end if after is not None else symptom.window.end)
    if curve.times.size:
        start = max(start, int(curve.times[0]))
    return TimeRange(min(start, end), end)


def _is_part(curve: CheckCurve) -> bool:
    return curve.unit == "ratio" and curve.limit is not None and abs(curve.limit) <= 1.5


def _display(curve: CheckCurve) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return curve.values * 100.0 if _is_part(curve) else curve.values


def _name(curve: CheckCurve) -> str:
    text = curve.what.rstrip(", ")
    return text[:1].upper() + text[1:]


def _last(curve: CheckCurve, whole: TimeRange) -> str:
    inside = curve.within(whole)
    if not inside.size:
        return ""
    value = float(inside[-1])
    return format_value(value * 100.0, "%") if _is_part(curve) else format_value(value, curve.unit)
