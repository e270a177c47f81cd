"""A curve in memory and how it is thinned for the screen: M4 from a pyramid of its own, gaps kept as breaks.

M4 keeps the first, lowest, highest and last sample of each bin, so a spike of one sample stays visible at any
zoom. Each level of the pyramid has a quarter of the points of the one below, and thinning starts from the
coarsest that is still fine enough: the cost of a frame hardly depends on the length of the session. When a
session grows, only the ends of the levels are worked out anew.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from tsdownsample import M4Downsampler

from sessions.model import FloatArray, IntArray

_downsample = M4Downsampler().mod_single_core.downsample_f64  # type: ignore[no-untyped-call]
"""The function itself: ``M4Downsampler.downsample`` checks types for 45 µs, as long as the work."""
_STEP = 4
_GROUP = 16
"""So many points of a level become ``_STEP`` of the next."""
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


class Instants:
    """The times of samples, int64 ms strictly increasing; shared by the curves of one source."""

    def __init__(self, times: IntArray) -> None:
        self.times = times

    @cached_property
    def as_floats(self) -> FloatArray:
        """The times as float64, in which one can search with fractions of a millisecond."""
        return self.times.astype(np.float64)

    @cached_property
    def interval_ms(self) -> float:
        """The usual distance between samples, 0 for fewer than two."""
        return float(np.median(np.diff(self.times))) if self.times.size > 1 else 0.0

    @cached_property
    def gaps(self) -> tuple[IntArray, FloatArray]:
        """After which instants it takes too long until the next one, and how long in ms."""
        apart = np.diff(self.as_floats)
        at = np.flatnonzero(apart > _TORN * self.interval_ms)
        return at, apart[at]


@dataclass(frozen=True, slots=True)
class _Level:
    """One level of a pyramid: four of each group of 16 points below; which samples they are and their values.

    It stands for the first ``covered`` samples, ``covered_below`` points of the level below; those behind
    them fill no group yet and are found below.
    """

    index: IntArray
    y: FloatArray
    covered: int
    covered_below: int


class Curve:
    """Samples of one series: ``times`` int64 ms strictly increasing, ``values`` float64, NaN where absent."""

    def __init__(self, times: IntArray | Instants, values: FloatArray) -> None:
        self._instants = times if isinstance(times, Instants) else Instants(times)
        self.values = values
        self._levels: list[_Level] = []

    def renewed(self, instants: Instants, values: FloatArray, unchanged: int) -> Curve:
        """A curve of these samples, the first ``unchanged`` of which are the same as here.

        What was worked out of samples that are unchanged serves the new curve, too.
        """
        curve = Curve(instants, values)
        kept = self._absent[: np.searchsorted(self._absent, unchanged)]
        absent = _absent(values[unchanged:])
        curve._absent = np.concatenate([kept, absent + unchanged])
        same = unchanged - kept.size
        if curve._absent.size:
            times = instants.as_floats[unchanged:]
            curve.x = np.concatenate([self.x[:same], np.delete(times, absent)])
            curve.y = np.concatenate([self.y[:same], np.delete(values[unchanged:], absent)])
        if same and self._instants.interval_ms == instants.interval_ms:
            at, lengths = self._breaks
            old = int(np.searchsorted(at, same - 1))
            new_at, new_lengths = curve._breaks_from(same - 1)
            curve._breaks = np.concatenate([at[:old], new_at]), np.concatenate([lengths[:old], new_lengths])
        for level in self._levels:
            curve._add_level(level, same)
            same = _STEP * (min(same, level.covered_below) // _GROUP)
        return curve

    def prepare(self) -> Curve:
        """Work out now, in a worker, what drawing needs; returns the curve itself."""
        levels = 0
        while self._size(levels + 1):
            levels += 1
        self._build(levels)
        _ = self._breaks
        return self

    @property
    def times(self) -> IntArray:
        """Times of all samples, absent ones too."""
        return self._instants.times

    @cached_property
    def _absent(self) -> IntArray:
        """Which samples are not there."""
        return _absent(self.values)

    @cached_property
    def x(self) -> FloatArray:
        """Times of the samples that are there, as float64 ms."""
        times = self._instants.as_floats
        return np.delete(times, self._absent) if self._absent.size else times

    @cached_property
    def y(self) -> FloatArray:
        """Values of the samples that are there."""
        there = np.delete(self.values, self._absent) if self._absent.size else self.values
        return np.ascontiguousarray(there, np.float64)

    @cached_property
    def _breaks(self) -> tuple[IntArray, FloatArray]:
        """After which of the samples that are there the line is broken, and how long each gap is in ms."""
        return self._breaks_from(0) if self._absent.size else self._instants.gaps

    def _breaks_from(self, first: int) -> tuple[IntArray, FloatArray]:
        """The breaks after the sample ``first`` and later ones."""
        apart = np.diff(self.x[first:])
        torn = apart > _TORN * self._instants.interval_ms
        before_absent = self._absent - np.arange(self._absent.size) - 1 - first
        torn[before_absent[(before_absent >= 0) & (before_absent < apart.size)]] = True
        at = np.flatnonzero(torn)
        return at + first, apart[at]

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
        if at < 0 or when - self.x[at] > max(_TORN * self._instants.interval_ms, 1.0):
            return math.nan
        return float(self.y[at])

    def bounds(self, start: float, end: float) -> tuple[float, float]:
        """Lowest and highest value from ``start`` to ``end``; NaN twice where there is none."""
        first, last = (int(at) for at in np.searchsorted(self.x, [start, end + 0.5]))
        if first >= last:
            return math.nan, math.nan
        # The extremes of whole bins stand in a coarse level; the cut bins at both ends are looked at raw.
        index, y = self._level(first, last, _COARSE)
        parts = (self.y[first : index[0] + 1], y, self.y[index[-1] : last])
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
            return index, y
        chosen = _downsample(y, points).astype(np.int64)
        return index[chosen], y[chosen]

    def _level(self, first: int, last: int, points: int) -> tuple[IntArray, FloatArray]:
        """Indices and values of samples of [first, last) in the coarsest level that has ``points`` there."""
        level = 0
        share = (last - first) / max(self.y.size, 1)
        while self._size(level + 1) * share >= points:
            level += 1
        self._build(level)
        return self._points(level, first, max(last, first))

    def _points(self, level: int, first: int, last: int) -> tuple[IntArray, FloatArray]:
        """What stands for [first, last) in a level, and behind what that covers in the level below."""
        if level == 0:
            return np.arange(first, last), self.y[first:last]
        here = self._levels[level - 1]
        begin, end = np.searchsorted(here.index, [first, last])
        index, y = here.index[begin:end], here.y[begin:end]
        if last <= here.covered:
            return (index, y) if index.size else self._points(0, first, last)
        rest, rest_y = self._points(level - 1, max(first, here.covered), last)
        return np.concatenate([index, rest]), np.concatenate([y, rest_y])

    def _size(self, level: int) -> int:
        size = self.y.size >> (2 * level)
        return size if size >= _SMALL else 0

    def _build(self, levels: int) -> None:
        while len(self._levels) < levels:
            self._add_level()

    def _add_level(self, old: _Level | None = None, same: int = 0) -> None:
        """Add a level above the last; of the points below it the first ``same`` are those of ``old``'s."""
        below = self._levels[-1] if self._levels else None
        y = self.y if below is None else below.y
        groups = y.size // _GROUP
        kept = min(same, old.covered_below) // _GROUP if old is not None else 0
        if old is not None and kept == groups == old.covered_below // _GROUP:
            self._levels.append(old)
            return
        first, end = kept * _GROUP, groups * _GROUP
        index: IntArray = np.zeros(0, np.int64)
        if first < end:
            index = _downsample(y[first:end], _STEP * (groups - kept)).astype(np.int64) + first
        chosen = y[index]
        index = index if below is None else below.index[index]
        if old is not None:
            index = np.concatenate([old.index[: _STEP * kept], index])
            chosen = np.concatenate([old.y[: _STEP * kept], chosen])
        covered = end if below is None else (int(below.index[end - 1]) + 1 if end else 0)
        self._levels.append(_Level(index, chosen, covered, end))


def _absent(values: FloatArray) -> IntArray:
    return np.flatnonzero(~np.isfinite(values))


@dataclass(frozen=True, slots=True)
class NamedCurve:
    """A curve with the words of its legend, its unit, its tooltip, and the series that it is (0: none)."""

    name: str
    unit: str
    curve: Curve
    tooltip: str = ""
    series: int = 0
