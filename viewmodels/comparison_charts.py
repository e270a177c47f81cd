"""Charts of a comparison: a counter in both windows, laid over each other in minutes from each start."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from diagnosis.comparison import Comparison
from sessions.model import FloatArray
from viewmodels.comparison_curves import overlaid, pair_of, thinned
from viewmodels.comparison_page import ComparedRow

Curve = tuple[FloatArray, FloatArray]
"""Minutes since the window's start, and values; NaN is a break."""


@dataclass(frozen=True, slots=True)
class OverlayChart:
    """A chart: ``a`` and ``b`` as they are drawn, their means as texts, and the parts (in minutes) that are
    left out of each.
    """

    row: ComparedRow
    a: Curve
    b: Curve
    left_out: tuple[Sequence[tuple[float, float]], Sequence[tuple[float, float]]]

    @property
    def minutes(self) -> float:
        """How long the longer curve is."""
        return max((float(curve[0][-1]) for curve in (self.a, self.b) if curve[0].size), default=0.0)

    @property
    def values(self) -> tuple[float, float]:
        """The lowest and the highest value of both curves; 0 and 1 without any."""
        known = np.concatenate([curve[1][np.isfinite(curve[1])] for curve in (self.a, self.b)])
        return (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)


def overlay_charts(found: Comparison, rows: Sequence[ComparedRow]) -> list[OverlayChart]:
    """Read the charts of rows; call this in a worker."""
    charts = []
    for row, full in zip(rows, found.outline_of([one.rank - 1 for one in rows]), strict=True):
        curves = overlaid(found, pair_of(found, full))
        charts.append(OverlayChart(row, thinned(curves.a), thinned(curves.b), curves.left_out))
    return charts


def nearest(curve: Curve, minute: float) -> float:
    """Return the value of a curve next to a minute; NaN where it has none near."""
    minutes, values = curve
    known = np.isfinite(values)
    if not known.any():
        return float("nan")
    times = minutes[known]
    at = int(np.argmin(np.abs(times - minute)))
    step = float(np.median(np.diff(times))) if times.size > 1 else 1.0
    return float(values[known][at]) if abs(float(times[at]) - minute) <= 2 * max(step, 0.02) else float("nan")
