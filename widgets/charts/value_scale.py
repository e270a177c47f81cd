"""The value axis of a plot: it fits what is shown, until the user zooms it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF

from resources.units import readable_unit
from viewmodels.chart_spec import Limit
from viewmodels.curve import Curve
from widgets.charts.axes import ValueAxis
from widgets.theme import Tokens

_HEADROOM = 1.12
_LIMIT_HEADROOM = 1.2  # the words of the highest limit stand above its line
_MIN_SPAN, _MAX_SPAN = 1e-9, 1e18  # of the shown values: the smallest beside the values, and the largest
_MOST_ROOM = 2.0


def fitting_values(
    curves: Sequence[Curve], limits: Sequence[Limit], window: tuple[float, float], room_above: float = 0.0
) -> tuple[float, float, float]:
    """Return what an axis shows, from 0 (or below) to a little above the visible values and limits near
    them; and the highest of these, which decides about the unit.

    ``room_above`` is the part of the height that words at the top take.
    """
    bounds = [curve.bounds(*window) for curve in curves]
    lows = [low for low, _ in bounds if not math.isnan(low)]
    highs = [high for _, high in bounds if not math.isnan(high)]
    high = max(highs, default=1.0)
    near = [limit.value for limit in limits if limit.value <= max(high, 1e-9) * 4]
    top = max([high, *near, *([min(limit.value for limit in limits)] if limits else [])])
    low = min([0.0, *lows])
    top = top if top > low else low + 1.0
    room = _LIMIT_HEADROOM if top in near else _HEADROOM
    room = max(room, min(1 / max(1 - room_above, 1e-9), _MOST_ROOM))
    return low, low + (top - low) * room, top


class ValueScale:
    """Sets the values that a plot shows, and the unit of its axis."""

    def __init__(self, box: pg.ViewBox, axis: ValueAxis) -> None:
        self._box, self._axis = box, axis
        self._zoomed: tuple[float, float] | None = None
        self._unit = self.unit_shown = ""
        self._tokens: Tokens | None = None

    @property
    def is_zoomed(self) -> bool:
        """True if the user zoomed the axis: it doesn't fit the curves by itself then."""
        return self._zoomed is not None

    @property
    def values(self) -> tuple[float, float]:
        """The lowest and highest value that the axis shows."""
        low, high = self._box.viewRange()[1]
        return float(low), float(high)

    def value_at(self, position: QPointF) -> float:
        """Return the value at a point of the view, limited to those that are shown."""
        low, high = self.values
        area = QRectF(self._box.sceneBoundingRect())
        part = (area.bottom() - position.y()) / max(area.height(), 1)
        return low + min(max(part, 0.0), 1.0) * (high - low)

    def zoom(self, factor: float, around: float | None = None) -> bool:
        """Remember a range of values larger by ``factor``, around a value (None: the lowest one shown).

        Returns False, and remembers nothing, if that would be absurdly small or large.
        """
        low, high = self.values
        kept = low if around is None else around
        wanted = kept - (kept - low) * factor, kept + (high - kept) * factor
        if not _MIN_SPAN * max(map(abs, wanted)) < wanted[1] - wanted[0] < _MAX_SPAN:
            return False
        self._zoomed = wanted
        self._mark()
        return True

    def release(self) -> bool:
        """Forget the zoom; returns False if there was none."""
        if self._zoomed is None:
            return False
        self._zoomed = None
        self._mark()
        return True

    def show(self, fitting: tuple[float, float, float], unit: str) -> None:
        """Show what fits the curves (see ``fitting_values``) in ``unit``, or what the user zoomed to."""
        low, high, top = fitting
        shown = self._zoomed or (low, high)
        self._box.setYRange(*shown, padding=0)
        size, name = readable_unit(top if self._zoomed is None else max(map(abs, shown)), unit)
        if name != self.unit_shown:
            self.unit_shown = name
            self._axis.setScale(1 / size)

    def apply_theme(self, tokens: Tokens) -> None:
        """Use the colours of a theme."""
        self._tokens = tokens
        self._mark()

    def _mark(self) -> None:
        """Show the axis in another colour while it is zoomed."""
        if self._tokens is not None:
            self._axis.setTextPen(pg.mkPen(self._tokens.accent if self.is_zoomed else self._tokens.muted))
