"""A curve in memory and its downsampling for the screen: M4 on a pyramid of levels; gaps stay breaks.

M4 keeps the first, lowest, highest and last sample of each bin, so that a spike of one sample stays visible
at any zoom. Each level of the pyramid has a quarter of the points of the one below, and downsampling starts
from the coarsest level that is fine enough: the cost of a frame hardly depends on the length of the session.
When a session grows, only the ends of the levels are computed anew.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from tsdownsample import M4Downsampler

from sessions.model import FloatArray, IntArray
from viewmodels.joined_sources import SourcesApart

_downsample = M4Downsampler().mod_single_core.downsample_f64  # type: ignore[no-untyped-call]
"""The function itself: ``M4Downsampler.downsample`` first checks types for 45 µs, as long as the work
takes.
"""
_STEP = 4
_GROUP = 16
"""This many points of a level are reduced to ``_STEP`` points of the next level."""
_SMALL = 1024
_COARSE = 64
_TORN = 2.5
"""A line is broken where two samples are further apart than this many sampling intervals."""


@dataclass(frozen=True, slots=True)
class Line:
    """Points to draw: ``x`` in ms, ``y`` in the curve's unit; ``joined[i]``: True if points i and i + 1 are
    connected.
    """

    x: FloatArray
    y: FloatArray
    joined: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Summary:
    """Statistics of a curve over a window: NaN and count 0 if it has no sample there."""

    last: float = math.nan
    low: float = math.nan
    mean: float = math.nan
    high: float = math.nan
    p95: float = math.nan
    count: int = 0


class Instants:
    """The sample times of one source (int64 ms, strictly increasing), shared by all its curves."""

    def __init__(self, times: IntArray) -> None:
        self.times = times

    @cached_property
    def as_floats(self) -> FloatArray:
        """The times in ms as float64, to be searched for fractions of a millisecond."""
        return self.times.astype(np.float64)

    @cached_property
    def interval_ms(self) -> float:
        """The median distance between two samples in ms; 0 for fewer than two samples."""
        return float(np.median(np.diff(self.times))) if self.times.size > 1 else 0.0

    @cached_property
    def gaps(self) -> tuple[IntArray, FloatArray]:
        """The indices of the samples that a gap follows, and the length of each gap in ms."""
        apart = np.diff(self.as_floats)
        at = np.flatnonzero(apart > _TORN * self.interval_ms)
        return at, apart[at]


@dataclass(frozen=True, slots=True)
class _Level:
    """One level of a pyramid: 4 points for each group of 16 points below, as sample indices and values.

    The level stands for the first ``covered`` samples, which are ``covered_below`` points of the level below.
    The points behind these do not fill a group of 16 yet, and are found in the level below.
    """

    index: IntArray
    y: FloatArray
    covered: int
    covered_below: int


class Curve:
    """The samples of one series: ``times`` int64 ms strictly increasing, ``values`` float64, NaN where
    absent.
    """

    def __init__(self, times: IntArray | Instants, values: FloatArray) -> None:
        self.instants = times if isinstance(times, Instants) else Instants(times)
        self.values = values
        self._levels: list[_Level] = []

    def updated(self, instants: Instants, values: FloatArray, unchanged: int) -> Curve:
        """Return a curve of these samples, of which the first ``unchanged`` are the same as this curve's.

        What was computed for the unchanged samples (gaps, pyramid) is reused.
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
        if same and self.instants.interval_ms == instants.interval_ms:
            at, lengths = self._breaks
            old = int(np.searchsorted(at, same - 1))
            new_at, new_lengths = curve._breaks_from(same - 1)
            curve._breaks = np.concatenate([at[:old], new_at]), np.concatenate([lengths[:old], new_lengths])
        for level in self._levels:
            curve._add_level(level, same)
            same = _STEP * (min(same, level.covered_below) // _GROUP)
        return curve

    def prepare(self) -> Curve:
        """Compute everything that drawing needs (call this in a worker thread); returns the curve itself."""
        levels = 0
        while self._size(levels + 1):
            levels += 1
        self._build(levels)
        _ = self._breaks
        return self

    @property
    def times(self) -> IntArray:
        """The times of all samples in ms, absent ones included."""
        return self.instants.times

    @cached_property
    def _absent(self) -> IntArray:
        """The indices of the absent samples."""
        return _absent(self.values)

    @cached_property
    def x(self) -> FloatArray:
        """The times of the present samples in ms, as float64."""
        times = self.instants.as_floats
        return np.delete(times, self._absent) if self._absent.size else times

    @cached_property
    def y(self) -> FloatArray:
        """The values of the present samples."""
        present = np.delete(self.values, self._absent) if self._absent.size else self.values
        return np.ascontiguousarray(present, np.float64)

    @cached_property
    def _breaks(self) -> tuple[IntArray, FloatArray]:
        """The indices (among present samples) after which the line is broken, and each gap's length in ms."""
        return self._breaks_from(0) if self._absent.size else self.instants.gaps

    def _breaks_from(self, first: int) -> tuple[IntArray, FloatArray]:
        """Return the breaks after the present sample number ``first`` and later ones."""
        apart = np.diff(self.x[first:])
        torn = apart > _TORN * self.instants.interval_ms
        before_absent = self._absent - np.arange(self._absent.size) - 1 - first
        torn[before_absent[(before_absent >= 0) & (before_absent < apart.size)]] = True
        at = np.flatnonzero(torn)
        return at + first, apart[at]

    def line(self, start: float, end: float, points: int) -> Line:
        """Return the curve from ``start`` to ``end`` (ms) in about ``points`` points, plus one beyond either
        end.
        """
        first = max(int(np.searchsorted(self.x, start)) - 1, 0)
        last = min(int(np.searchsorted(self.x, end, "right")) + 1, self.x.size)
        index, y = self._thinned(first, last, max(points // _STEP, 1) * _STEP)
        at, lengths = self._breaks
        pixel = 2 * (end - start) / max(points, 1)
        seen = at[lengths > pixel] if at.size else at
        passed = np.searchsorted(seen, index)
        return Line(self.x[index], y, passed[1:] == passed[:-1])

    def value_at(self, when: float) -> float:
        """Return the value of the last sample at or before ``when`` (ms), NaN if the curve has a gap
        there.
        """
        return sample_at(self, when)[1]

    def bounds(self, start: float, end: float) -> tuple[float, float]:
        """Return the lowest and highest value from ``start`` to ``end`` (ms); NaN for both without a
        sample.
        """
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
        """Return the last value from ``start`` to ``end`` (ms), NaN without a sample."""
        first, last = np.searchsorted(self.x, [start, end + 0.5])
        return float(self.y[last - 1]) if last > first else math.nan

    def summary(self, start: float, end: float) -> Summary:
        """Return the curve's statistics from ``start`` to ``end`` (ms)."""
        first, last = np.searchsorted(self.x, [start, end + 0.5])
        y = self.y[first:last]
        if not y.size:
            return Summary()
        p95 = float(np.percentile(y, 95))
        return Summary(float(y[-1]), float(y.min()), float(y.mean()), float(y.max()), p95, int(y.size))

    def _thinned(self, first: int, last: int, points: int) -> tuple[IntArray, FloatArray]:
        """Return indices and values of the present samples in [first, last), at most about ``points`` of
        them.
        """
        index, y = self._level(first, last, 2 * points)
        if y.size <= points:
            return index, y
        chosen = _downsample(y, points).astype(np.int64)
        return index[chosen], y[chosen]

    def _level(self, first: int, last: int, points: int) -> tuple[IntArray, FloatArray]:
        """Return indices and values for [first, last) from the coarsest level with ``points`` points
        there.
        """
        level = 0
        share = (last - first) / max(self.y.size, 1)
        while self._size(level + 1) * share >= points:
            level += 1
        self._build(level)
        return self._points(level, first, max(last, first))

    def _points(self, level: int, first: int, last: int) -> tuple[IntArray, FloatArray]:
        """Return a level's points for [first, last); those that it does not cover come from the level
        below.
        """
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
        """Add a level on top of the pyramid, reusing ``old``: the first ``same`` points below are
        unchanged.
        """
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


def sample_at(curve: Curve, when: float) -> tuple[float, float]:
    """Return time (ms) and value of a curve's last sample at or before ``when`` (ms), both NaN in a gap."""
    at = int(np.searchsorted(curve.x, when, "right")) - 1
    if at < 0 or when - curve.x[at] > max(_TORN * curve.instants.interval_ms, 1.0):
        return math.nan, math.nan
    return float(curve.x[at]), float(curve.y[at])


def newest_values(curves: Sequence[Curve], start: float, end: float) -> list[float]:
    """Return the last value of each curve from ``start`` to ``end`` (ms), NaN without a sample there.

    It is NaN, too, for a curve that ended while others went on: 2.5 of its intervals before the newest sample
    of them all. A host that stopped has no last value beside those that run.
    """
    ends = [int(np.searchsorted(one.x, end + 0.5)) for one in curves]
    times = [float(one.x[at - 1]) if at else -math.inf for one, at in zip(curves, ends, strict=True)]
    newest = max((time for time in times if time >= start), default=math.nan)
    return [
        float(one.y[at - 1])
        if time >= start and newest - time <= _TORN * _own_interval(one, at)
        else math.nan
        for one, at, time in zip(curves, ends, times, strict=True)
    ]


def _own_interval(curve: Curve, end: int) -> float:
    """Return the distance of a curve's samples before number ``end``, in ms: a rollup has fewer than its
    source has instants.
    """
    apart = np.diff(curve.x[max(end - 3, 0) : end])
    return max(curve.instants.interval_ms, float(apart.min()) if apart.size else 0.0)


def _absent(values: FloatArray) -> IntArray:
    return np.flatnonzero(~np.isfinite(values))


@dataclass(frozen=True, slots=True)
class NamedCurve:
    """A curve with its legend name, unit, tooltip and series id (0: it is of no single series).

    ``whole`` is its name where it stands alone, in a tooltip or a table: with what the legend leaves out.
    ``apart``: how far it is from curves of the same quantity that a finer source has. ``left_out``: how many
    of its samples are not drawn because no host can have them.
    """

    name: str
    unit: str
    curve: Curve
    tooltip: str = ""
    series: int = 0
    whole: str = ""
    apart: tuple[SourcesApart, ...] = ()
    left_out: str = ""

    @property
    def full_name(self) -> str:
        """The name where the curve stands without its chart's title."""
        return self.whole or self.name
