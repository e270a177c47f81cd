"""Statistics of curves over a window as texts: for a tooltip, and for the table of statistics."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class Moments:
    """The moments whose values are shown, in ms, NaN for none: the one under the pointer, and the pinned one.

    ``of(window)`` leaves out those that are out of sight.
    """

    hovered: float = math.nan
    pinned: float = math.nan

    def of(self, window: tuple[float, float]) -> Moments:
        """Return the moments that lie in the window (start and end in ms)."""
        start, end = window
        return Moments(*(at if start <= at <= end else math.nan for at in (self.hovered, self.pinned)))

    @property
    def shown(self) -> float:
        """The moment that the legend's values are of: the pointer's before the pinned one; NaN: the last."""
        return self.pinned if math.isnan(self.hovered) else self.hovered

    @property
    def has_both(self) -> bool:
        """True if both the pointer's and the pinned moment have values to show."""
        return not math.isnan(self.hovered) and not math.isnan(self.pinned)

    def caption(self, clock: Clock) -> tuple[str, str]:
        """Return the legend's caption: its text, and of which moment it is."""
        if math.isnan(self.shown):
            return "last", "last"
        return clock.time(self.shown), "pinned" if math.isnan(self.hovered) else "moment"


def table_of(
    curves: Sequence[NamedCurve],
    window: tuple[float, float],
    moments: Moments,
    tokens: Tokens,
    clock: Clock,
) -> tuple[list[str], list[FigureRow]]:
    """Return heads and rows of a table of statistics over the window (start and end in ms), for the first
    curves.

    The first number of a row is the value under the pointer, or the newest one; that at the pinned moment,
    if there is one, stands beside it.
    """
    whens = [moments.hovered] if math.isnan(moments.pinned) else [moments.hovered, moments.pinned]
    firsts = [values_of(curves[:_MAX_ROWS], window, when) for when in whens]
    heads = ["last" if math.isnan(moments.hovered) else clock.time(moments.hovered)]
    heads += [f"pinned {clock.time(when)}" for when in whens[1:]]
    rows = []
    for number, named in enumerate(curves[:_MAX_ROWS]):
        found = named.curve.summary(*window)
        numbers = (*(one[number] for one in firsts), found.low, found.mean, found.high, found.p95)
        texts = tuple(format_value(value, named.unit) for value in numbers)
        rows.append(FigureRow(shown(named.name), tokens.curve(number), texts))
    return [*heads, "min", "mean", "max", "p95"], rows
