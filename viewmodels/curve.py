"""A curve in memory and how it is thinned for the screen: M4 from a pyramid of its own, gaps kept as breaks.

M4 keeps the first, lowest, highest and last sample of each bin, so a spike of one sample stays visible at any
zoom. Each level of the pyramid has about a quarter of the points of the one below, and thinning starts from
the coarsest that is still fine enough: the cost of a frame hardly depends on the length of the session.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from tsdownsample import M4Downsampler

from sessions.model import FloatArray, IntArray

_downsample = M4Downsampler().mod_single_core.downsample_f64  # type: ignore[no-untyped-call]
"""The function itself: ``M4Downsampler.downsample`` checks types for 45 µs, as long as the work."""
_STEP = 4
_SMALL = 1024
_COARSE = 64
_TORN = 2.5
"""A line is broken where samples are further apart than this many usual intervals."""


@dataclass(frozen=True, slots=True)
class Line:
    """Points to draw: ``x`` in ms, ``y``; ``joined[i]`` whether point i is joined to point i + 1."""

    x: FloatArray
    y: FloatArray
    joined: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Summary:
    """Numbers of a curve over a window, NaN where it has no sample there."""

    last: float = math.nan
    low: float = math.nan
    mean: float = math.nan
    high: float = math.nan
    p95: float = math.nan
    count: int = 0


@dataclass(eq=False)
class Curve:
    """Samples of one series: ``times`` int64 ms strictly increasing, ``values`` float64, NaN where absent."""

    times: IntArray
    values: FloatArray
    _levels: list[tuple[IntArray, FloatArray]] = field(default_factory=list)

    @cached_property
    def _present(self) -> IntArray:
        return np.flatnonzero(np.isfinite(self.values))

    @cached_property
    def x(self) -> FloatArray:
        """Times of the samples that are there, as float64 ms."""
        return self.times[self._present].astype(np.float64)

    @cached_property
    def y(self) -> FloatArray:
        """Values of the samples that are there."""
        whole = self._present.size == self.values.size
        return np.ascontiguousarray(self.values if whole else self.values[self._present], np.float64)

    @cached_property
    def interval_ms(self) -> float:
        """The usual distance between samples, 0 for fewer than two."""
        return float(np.median(np.diff(self.times))) if self.times.size > 1 else 0.0

    @cached_property
    def _breaks(self) -> tuple[IntArray, FloatArray]:
        """After which of the samples that are there the line is broken, and how long each gap is in ms."""
        apart = np.diff(self.x)
        missing = np.diff(self._present) > 1
        at = np.flatnonzero(missing | (apart > _TORN * self.interval_ms))
        return at, apart[at]

    def line(self, start: float, end: float, points: int) -> Line:
        """The curve from ``start`` to ``end`` (ms) in about ``points`` points, one more on either side."""
        first = max(int(np.searchsorted(self.x, start)) - 1, 0)
        last = min(int(np.searchsorted(self.x, end, "right")) + 1, self.x.size)
        index, y = self._thinned(first, last, max(points // _STEP, 1) * _STEP)
        at, lengths = self._breaks
        pixel = 2 * (end - start) / max(points, 1)
        seen = at[lengths > pixel] if at.size else at
        passed = np.searchsorted(seen, index)
        return Line(self.x[index], y, passed[1:] == passed[:-1])

    def value_at(self, when: float) -> float:
        """The last sample at or before a moment, NaN where the curve has a gap there."""
        at = int(np.searchsorted(self.x, when, "right")) - 1
        if at < 0 or when - self.x[at] > max(_TORN * self.interval_ms, 1.0):
            return math.nan
        return float(self.y[at])

    def bounds(self, start: float, end: float) -> tuple[float, float]:
        """Lowest and highest value from ``start`` to ``end``; NaN twice where there is none."""
        first, last = (int(at) for at in np.searchsorted(self.x, [start, end + 0.5]))
        if first >= last:
            return math.nan, math.nan
        # The extremes of whole bins stand in a coarse level; the cut bins at both ends are looked at raw.
        index, y = self._level(first, last, _COARSE)
        parts = [y] if index is None else [self.y[first : index[0] + 1], y, self.y[index[-1] : last]]
        return min(float(part.min()) for part in parts if part.size), max(
            float(part.max()) for part in parts if part.size
        )

    def last(self, start: float, end: float) -> float:
        """The last value from ``start`` to ``end``, NaN where there is none."""
        first, last = np.searchsorted(self.x, [start, end + 0.5])
        return float(self.y[last - 1]) if last > first else math.nan

    def summary(self, start: float, end: float) -> Summary:
        """Last, lowest, mean, highest and 95th percentile from ``start`` to ``end``."""
        first, last = np.searchsorted(self.x, [start, end + 0.5])
        y = self.y[first:last]
        if not y.size:
            return Summary()
        p95 = float(np.percentile(y, 95))
        return Summary(float(y[-1]), float(y.min()), float(y.mean()), float(y.max()), p95, int(y.size))

    def _thinned(self, first: int, last: int, points: int) -> tuple[IntArray, FloatArray]:
        """Indices and values of samples in [first, last), at most about ``points`` of them."""
        index, y = self._level(first, last, 2 * points)
        if y.size <= points:
            return (np.arange(first, first + y.size) if index is None else index), y
        chosen = _downsample(y, points).astype(np.int64)
        return (chosen + first if index is None else index[chosen]), y[chosen]

    def _level(self, first: int, last: int, points: int) -> tuple[IntArray | None, FloatArray]:
        """Samples of [first, last) in the coarsest level that has at least ``points`` there.

        Indices, or None where they are just first to last; and values.
        """
        level = 0
        share = (last - first) / max(self.y.size, 1)
        while self._size(level + 1) * share >= points:
            level += 1
        if level == 0:
            return None, self.y[first : max(last, first)]
        self._build(level)
        index, y = self._levels[level - 1]
        begin, end = np.searchsorted(index, [first, last])
        if begin >= end:
            return None, self.y[first:last]
        return index[begin:end], y[begin:end]

    def _size(self, level: int) -> int:
        size = self.y.size >> (2 * level)
        return size if size >= _SMALL else 0

    def _build(self, level: int) -> None:
        while len(self._levels) < level:
            index, y = self._levels[-1] if self._levels else (np.arange(self.y.size), self.y)
            points = max(y.size // _STEP // _STEP, 1) * _STEP
            chosen = _downsample(y, points).astype(np.int64)
            self._levels.append((index[chosen], y[chosen]))


@dataclass(frozen=True, slots=True)
class NamedCurve:
    """A curve with the words of its legend, its unit, its tooltip, and the series that it is (0: none)."""

    name: str
    unit: str
    curve: Curve
    tooltip: str = ""
    series: int = 0
