"""Draws curves over time: axis, limits, tinted windows, gaps as gaps; many samples as a band."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from resources.foreign_text import shown
from resources.units import format_value, readable_unit
from sessions.clock import Clock
from sessions.model import FloatArray, IntArray, Overview
from sessions.times import TimeRange
from viewmodels.chart_spec import Band, Limit
from viewmodels.report.drawing import (
    SERIES,
    WIDTH,
    Area,
    Box,
    Colour,
    Drawing,
    Label,
    Polyline,
    Shape,
    fitted,
    text_width,
)
from viewmodels.time_labels import time_label, time_ticks
from viewmodels.value_ticks import value_ticks

PLOT_TOP, PLOT_HEIGHT = 8.0, 120.0
"""Where curves stand in the drawing of a chart, for what is laid behind them."""
_LEFT, _RIGHT, _BOTTOM = 58.0, 10.0, 18.0
_LEGEND = 16.0
_TORN = 2.5
"""A line is broken where two of its points are further apart than this many of their usual distances."""
_NAME = 60
_POINTS = 280
_MANY = 1.5
"""From so many samples a point on, on average, a curve is a band from lowest to highest, with its mean."""


@dataclass(frozen=True, slots=True)
class DrawnCurve:
    """A curve to draw: its name, and its samples in as many buckets as there are points."""

    name: str
    samples: Overview

    @property
    def is_flat(self) -> bool:
        """True if its value never changes."""
        return bool(self.samples.minimum.min() == self.samples.maximum.max())


@dataclass(frozen=True, slots=True)
class TimeAxis:
    """The window of a chart and the clock of its labels."""

    window: TimeRange
    clock: Clock

    def x(self, t_ms: float) -> float:
        """Return where an instant is."""
        length = max(self.window.end - self.window.start, 1)
        part = min(max((t_ms - self.window.start) / length, 0.0), 1.0)
        return _LEFT + part * (WIDTH - _LEFT - _RIGHT)

    def labels(self, bottom: float) -> Iterator[Shape]:
        """Yield the ticks and labels of the axis below ``bottom``."""
        ticks, step = time_ticks(
            self.window.start, self.window.end, WIDTH - _LEFT - _RIGHT, self.clock, min_distance=80
        )
        for tick in ticks:
            text, x = time_label(tick, step, self.clock), self.x(tick)
            half = text_width(text) / 2
            yield Polyline(((x, PLOT_TOP), (x, bottom)), "line", 0.6)
            if x - half >= _LEFT - 20 and x + half <= WIDTH:
                yield Label(x, bottom + 13, text, anchor="middle")


def time_chart(
    unit: str,
    curves: Sequence[DrawnCurve],
    axis: TimeAxis,
    limits: Sequence[Limit] = (),
    bands: Sequence[Band] = (),
) -> Drawing:
    """Return the chart of some curves of one unit."""
    top = _top(curves, limits)
    scale = _Scale(top, PLOT_TOP, PLOT_TOP + PLOT_HEIGHT, unit)
    bottom = scale.bottom
    shapes: list[Shape] = [*_tinted(bands, axis, bottom), *axis.labels(bottom), *scale.labels()]
    for number, one in enumerate(curves):
        shapes += _curve(one, SERIES[number % len(SERIES)], axis, scale)
    for limit in _apart(limits, scale):
        y = scale.y(limit.value)
        colour: Colour = "critical" if limit.severity == "critical" else "warning"
        shapes.append(Polyline(((_LEFT, y), (WIDTH - _RIGHT, y)), colour, 1.0, dash=True))
        shapes.append(Label(WIDTH - _RIGHT - 3, y - 3, shown(limit.label, 30), colour, "end"))
    legend, height = _legend(curves, bottom + _BOTTOM)
    return Drawing(height, (*shapes, *legend), _spoken(unit, curves, axis, limits))


def bucketed(times: IntArray, values: FloatArray) -> Overview:
    """Return samples (NaN: absent) in as many buckets as a report's curves have points."""
    present = np.flatnonzero(np.isfinite(values))
    parts = [present[part] for part in even_parts(present.size, _POINTS)]
    of = [values[part] for part in parts]
    return Overview(
        np.array([times[part[0]] for part in parts], np.int64),
        np.array([times[part[-1]] for part in parts], np.int64),
        np.array([part.size for part in parts], np.int64),
        np.array([one.min() for one in of]),
        np.array([one.max() for one in of]),
        np.array([one.mean() for one in of]),
    )


def even_parts(count: int, most: int) -> list[slice]:
    """Return at most ``most`` parts of as many samples each, the last one of what is left.

    Parts that differ in size would differ in noise: a curve would seem to grow restless where they get small.
    """
    size = max(1, -(-count // most))
    return [slice(first, min(first + size, count)) for first in range(0, count, size)]


def joined_points(xs: Sequence[float], ys: Sequence[float]) -> Iterator[tuple[tuple[float, float], ...]]:
    """Yield the parts of a line that are not torn by absent values (NaN) or by a gap."""
    known = [(x, y) for x, y in zip(xs, ys, strict=True) if math.isfinite(y)]
    apart = sorted(b[0] - a[0] for a, b in pairwise(known))
    most = apart[len(apart) // 2] * _TORN if apart else 0.0
    part: list[tuple[float, float]] = []
    for point in known:
        if part and point[0] - part[-1][0] > most:
            yield tuple(part)
            part = []
        part.append(point)
    if part:
        yield tuple(part)


@dataclass(frozen=True, slots=True)
class _Scale:
    """From 0 to ``top`` in ``unit``, drawn from ``bottom`` up to ``above``."""

    top: float
    above: float
    bottom: float
    unit: str

    def y(self, value: float) -> float:
        part = min(max(value / self.top, 0.0), 1.05)
        return self.bottom - part * (self.bottom - self.above)

    def labels(self) -> Iterator[Shape]:
        size, _ = readable_unit(self.top, self.unit)
        ticks, _ = value_ticks(0.0, self.top / size, 4)
        for tick in ticks:
            y = self.y(tick * size)
            yield Polyline(((_LEFT, y), (WIDTH - _RIGHT, y)), "line", 0.6)
            yield Label(
                _LEFT - 5, y + 4, fitted(format_value(tick * size, self.unit), _LEFT - 4), "muted", "end"
            )


def _top(curves: Sequence[DrawnCurve], limits: Sequence[Limit]) -> float:
    peaks = [_peak(one.samples) for one in curves]
    highest = max((one for one in peaks if math.isfinite(one)), default=0.0)
    # A limit far above all that was measured would press the curves flat: it is told in the table.
    near = [one.value for one in limits if one.value <= 4 * highest or highest == 0]
    return max(highest, *near, 0.0) * 1.08 or 1.0


def _peak(samples: Overview) -> float:
    present = samples.maximum[np.isfinite(samples.maximum)]
    return float(present.max()) if present.size else math.nan


def _apart(limits: Sequence[Limit], scale: _Scale) -> list[Limit]:
    """Limits inside of the scale whose labels don't overlap, the lowest first."""
    found: list[Limit] = []
    for limit in sorted(limits, key=lambda one: one.value):
        is_inside = 0 < limit.value <= scale.top
        if is_inside and (not found or scale.y(found[-1].value) - scale.y(limit.value) >= 12):
            found.append(limit)
    return found


def _tinted(bands: Sequence[Band], axis: TimeAxis, bottom: float) -> Iterator[Shape]:
    for band in bands:
        part = band.window.intersect(axis.window)
        if part is not None:
            x = axis.x(part.start)
            colour: Colour = "critical" if band.severity == "critical" else "warning"
            yield Box(x, PLOT_TOP, max(axis.x(part.end) - x, 1.0), bottom - PLOT_TOP, colour, 0.08)


def _curve(one: DrawnCurve, colour: Colour, axis: TimeAxis, scale: _Scale) -> Iterator[Shape]:
    samples = one.samples
    xs = [axis.x(float(at)) for at in ((samples.start + samples.end) / 2).tolist()]
    mean = [scale.y(value) if math.isfinite(value) else math.nan for value in samples.mean.tolist()]
    if samples.count.size and float(samples.count.mean()) >= _MANY:
        yield from _band(xs, samples, colour, scale)
    for part in joined_points(xs, mean):
        if len(part) > 1:
            yield Polyline(part, colour)
        else:
            yield Box(part[0][0] - 1, part[0][1] - 1, 2, 2, colour)


def _band(xs: Sequence[float], samples: Overview, colour: Colour, scale: _Scale) -> Iterator[Shape]:
    lows: FloatArray = samples.minimum
    highs = dict(zip(xs, samples.maximum.tolist(), strict=True))
    for part in joined_points(
        xs, [scale.y(low) if math.isfinite(low) else math.nan for low in lows.tolist()]
    ):
        above = tuple((x, scale.y(highs[x])) for x, _ in part)
        if len(part) > 1:
            yield Area((*part, *reversed(above)), colour)


def _legend(curves: Sequence[DrawnCurve], y: float) -> tuple[list[Shape], float]:
    """Return the names of the curves in rows below the axis, and the height that is needed."""
    shapes: list[Shape] = []
    x, row = _LEFT, 0
    for number, one in enumerate(curves):
        name = fitted(shown(one.name, _NAME), WIDTH - _LEFT - 30)
        width = text_width(name) + 30
        if x > _LEFT and x + width > WIDTH - _RIGHT:
            x, row = _LEFT, row + 1
        at = y + 8 + row * _LEGEND
        shapes.append(Box(x, at - 5, 12, 3, SERIES[number % len(SERIES)]))
        shapes.append(Label(x + 16, at, name, "text"))
        x += width
    return shapes, y + (row + 1) * _LEGEND + 2


def _spoken(unit: str, curves: Sequence[DrawnCurve], axis: TimeAxis, limits: Sequence[Limit]) -> str:
    """Return what a screen reader says of a chart: each curve's lowest, mean and highest value."""
    parts = [axis.clock.window(axis.window)]
    for one in curves:
        samples = one.samples
        known = np.isfinite(samples.mean)
        if not known.any():
            parts.append(f"{shown(one.name, _NAME)}: no samples")
            continue
        mean = float(np.average(samples.mean[known], weights=samples.count[known]))
        low, high = float(samples.minimum[known].min()), float(samples.maximum[known].max())
        numbers = ", ".join(
            f"{word} {format_value(value, unit)}"
            for word, value in (("lowest", low), ("mean", mean), ("highest", high))
        )
        parts.append(f"{shown(one.name, _NAME)}: {numbers}")
    parts += [f"limit {shown(limit.label, 30)}" for limit in limits]
    return "; ".join(parts)
