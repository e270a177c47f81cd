"""Whether a load is steady: its drift over a window is surely small, and it does not jump about.

The drift is the least-squares slope of block means, as percent of the mean over one window. It counts with
its uncertainty: a load is steady only if drifts above the limit are excluded, so noise never hides a ramp; it
only makes the warm-up longer.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, inf, isnan, nan, sqrt

import numpy as np

from diagnosis.statistics.blocks import block_means, lag_correlation
from diagnosis.statistics.student import two_sided
from sessions.model import FloatArray

_MIN_BLOCKS = 8
_GROWTH = 1.25


@dataclass(frozen=True, slots=True)
class SteadyLimits:
    """What steady means: over ``window_s`` a drift of at most ``drift_percent``, excluded with
    ``confidence`` (0 to 1), and block means (of ``block_s``) that vary by at most ``variation_percent``."""

    window_s: float
    block_s: float
    drift_percent: float
    variation_percent: float
    confidence: float


@dataclass(frozen=True, slots=True)
class Steadiness:
    """How steady a load is. ``drift_percent`` is over one window, ``drift_error`` the half width of its
    interval, ``variation_percent`` the coefficient of variation of the block means without the drift.

    ``seconds`` is the length that was looked at; ``more_s`` is about how long it takes still: 0 if it
    is steady, another window where it drifts or varies too much. NaN stands for too few samples.
    """

    is_steady: bool
    drift_percent: float
    drift_error: float
    variation_percent: float
    seconds: float
    more_s: float


def steadiness(values: FloatArray, interval_s: float, limits: SteadyLimits) -> Steadiness:
    """Return how steady samples (one each ``interval_s``, NaN where absent) are at their end.

    The last window is judged, then ever longer parts before the end: a longer part tells a small drift from
    noise. The first that is steady counts; otherwise the one with the narrowest interval.
    """
    needed = max(1, round(limits.window_s / interval_s))
    per_block = max(1, round(limits.block_s / interval_s))
    if values.size < needed or needed // per_block < _MIN_BLOCKS:
        return Steadiness(
            False, nan, nan, nan, values.size * interval_s, _missing_s(values, interval_s, limits)
        )
    best: Steadiness | None = None
    length = needed
    while True:
        found = _judged(values[-length:], interval_s, per_block, limits)
        if found.is_steady:
            return found
        if best is None or found.drift_error < best.drift_error:
            best = found
        if length == values.size:
            return best
        length = min(values.size, ceil(length * _GROWTH))


def _missing_s(values: FloatArray, interval_s: float, limits: SteadyLimits) -> float:
    return max(0.0, limits.window_s - values.size * interval_s)


def _judged(values: FloatArray, interval_s: float, per_block: int, limits: SteadyLimits) -> Steadiness:
    seconds = values.size * interval_s
    fits = [
        _Line.through(block_means(values, size), size * interval_s, limits)
        for size in (per_block, 3 * per_block)
        if values.size // size >= _MIN_BLOCKS
    ]
    lines = [line for line in fits if line is not None]
    if not lines:
        return Steadiness(False, nan, inf, nan, seconds, limits.window_s)
    finest = lines[0]
    error = max(line.error for line in lines)
    farthest = max(abs(line.drift) + line.error for line in lines)
    is_steady = farthest <= limits.drift_percent and finest.variation <= limits.variation_percent
    more = 0.0 if is_steady else _more_s(finest, error, seconds, limits)
    return Steadiness(is_steady, finest.drift, error, finest.variation, seconds, more)


def _more_s(line: _Line, error: float, seconds: float, limits: SteadyLimits) -> float:
    """The uncertainty of a drift falls with the length to the power of 1.5."""
    room = limits.drift_percent - abs(line.drift)
    if room <= 0 or line.variation > limits.variation_percent:
        return limits.window_s
    return max(0.0, seconds * (float((error / room) ** (2 / 3)) - 1))


@dataclass(frozen=True, slots=True)
class _Line:
    """A line through block means: its drift over a window and the half width of that, in percent."""

    drift: float
    error: float
    variation: float

    @classmethod
    def through(cls, means: FloatArray, block_s: float, limits: SteadyLimits) -> _Line | None:
        known = ~np.isnan(means)
        n = int(known.sum())
        centre = float(means[known].mean()) if n else nan
        if n < _MIN_BLOCKS - 2 or isnan(centre) or centre <= 0:
            return None
        x = np.flatnonzero(known) * block_s
        x = x - x.mean()
        y = means[known] / centre * 100.0
        spread = float(x @ x)
        slope = float(x @ y) / spread
        residuals = y - y.mean() - slope * x
        correlation = lag_correlation(residuals)
        scatter = float(residuals @ residuals) / (n - 2) * (1 + correlation) / (1 - correlation)
        error = two_sided(limits.confidence, n - 2) * sqrt(scatter / spread) * limits.window_s
        variation = sqrt(float(residuals @ residuals) / (n - 2))
        return cls(slope * limits.window_s, error, variation)


def measured_steadiness(values: FloatArray, interval_s: float, limits: SteadyLimits) -> Steadiness | None:
    """Return whether a window that was already measured drifts or jumps about; None if it is too short.

    A warm-up ends only when drifts are excluded; here the window is given, and it is not steady only if it
    surely drifted: by more than the limit in each window, the uncertainty taken off.
    """
    if isnan(interval_s):
        return None
    per_block = max(1, min(round(limits.block_s / interval_s), values.size // (2 * _MIN_BLOCKS)))
    line = _Line.through(block_means(values, per_block), per_block * interval_s, limits)
    if line is None:
        return None
    surely = abs(line.drift) - line.error
    is_steady = surely <= limits.drift_percent and line.variation <= limits.variation_percent
    return Steadiness(is_steady, line.drift, line.error, line.variation, values.size * interval_s, 0.0)
