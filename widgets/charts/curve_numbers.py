"""Statistics of curves over a window as texts: for a tooltip, and for the table of statistics."""

from __future__ import annotations

import math
from collections.abc import Sequence

from resources.foreign_text import shown
from resources.units import format_value
from viewmodels.curve import NamedCurve, newest_values
from viewmodels.time_labels import Clock
from widgets.charts.figures import FigureRow
from widgets.theme import Tokens

_MAX_ROWS = 12


def tooltip_of(
    named: NamedCurve, window: tuple[float, float], moment: tuple[int, Clock] | None = None
) -> str:
    """Return a curve's name, its description, and its statistics over the window (start and end in ms).

    ``moment`` is the pinned moment in ms with its clock: the value there comes first.
    """
    found = named.curve.summary(*window)
    numbers = (("last", found.last), ("min", found.low), ("mean", found.mean), ("p95", found.p95))
    lines = [f"{label} {format_value(value, named.unit)}" for label, value in (*numbers, ("max", found.high))]
    if moment is not None:
        at, clock = moment
        lines.insert(0, f"at {clock.time(at)} {format_value(named.curve.value_at(at), named.unit)}")
    return "\n".join([shown(named.full_name), *([shown(named.tooltip)] if named.tooltip else []), *lines])


def values_text(curves: Sequence[NamedCurve], moment: tuple[int, Clock]) -> str:
    """Return the values of the first curves at the pinned moment (ms, with its clock), to be read aloud."""
    at, clock = moment
    values = [
        f"{shown(one.name)} {format_value(one.curve.value_at(at), one.unit)}" for one in curves[:_MAX_ROWS]
    ]
    return f"Pinned at {clock.moment(at)}: {', '.join(values)}"


def values_of(curves: Sequence[NamedCurve], window: tuple[float, float], when: float) -> list[float]:
    """Return the value of each curve at the time ``when`` (ms); if that is NaN, the newest of the window."""
    if math.isnan(when):
        return newest_values([one.curve for one in curves], *window)
    return [one.curve.value_at(when) for one in curves]


def rows_of(
    curves: Sequence[NamedCurve], window: tuple[float, float], when: float, tokens: Tokens
) -> list[FigureRow]:
    """Return a row of statistics over the window (start and end in ms) for each of the first curves.

    The first number of a row is the value at the time ``when`` (ms), or the newest one if that is NaN.
    """
    rows = []
    firsts = values_of(curves, window, when)[:_MAX_ROWS]
    for number, (named, first) in enumerate(zip(curves, firsts, strict=False)):
        found = named.curve.summary(*window)
        numbers = (first, found.low, found.mean, found.high, found.p95)
        texts = tuple(format_value(value, named.unit) for value in numbers)
        rows.append(FigureRow(shown(named.name), tokens.curve(number), texts))
    return rows
