"""Queueing and fair-share formulas that the lab's subsystems share, vectorised."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lab.grouping import between
from sessions.model import FloatArray

_MAX_ITERATIONS = 16
"""Functions that depend on each other a little may never all be 0; they are close by then."""
_MAX_UTILISATION = 0.985
"""Above this the steady-state formulas diverge; a shortage shows as unserved demand instead."""


def wait_ratio(utilisation: FloatArray, servers: FloatArray, variability: FloatArray) -> FloatArray:
    """Mean waiting time over mean service time in a G/G/c queue.

    Sakasegawa's approximation, W/S = v · ρ^(√(2(c+1))−1) / (c(1−ρ)), exact for M/M/1. ``variability`` is
    (Ca² + Cs²)/2, 1 for Poisson arrivals and exponential service. Arrays broadcast.
    Source: H. Sakasegawa, "An approximation formula Lq = α ρ^β/(1−ρ)", 1977.
    """
    rho = between(utilisation, 0.0, _MAX_UTILISATION)
    count = np.maximum(servers, 1.0)
    ratio: FloatArray = variability * rho ** (np.sqrt(2.0 * (count + 1.0)) - 1.0) / (count * (1.0 - rho))
    return ratio


def falling_root(
    excess: Callable[[FloatArray], FloatArray],
    start: FloatArray,
    slope: FloatArray,
    span: tuple[float, float],
    tolerance: float,
) -> FloatArray:
    """Find the root of each of several falling functions: secant steps within a bracket, bisection
    where these fail.

    ``excess(x)`` returns all functions' values at ``x``; ``start`` is a first guess, ``slope`` (negative) an
    estimate of their slope there. Ends when no value is further than ``tolerance`` from 0, or at the ends of
    ``span``.
    """
    x, low, high = start, np.full(start.shape, span[0]), np.full(start.shape, span[1])
    before, found = x, np.zeros(start.shape)
    for turn in range(_MAX_ITERATIONS):
        value = excess(x)
        near = np.abs(value) <= tolerance
        if near.all():
            break
        low, high = np.where(value > 0, x, low), np.where(value > 0, high, x)
        step = x - before
        slope = np.where(near | (step == 0), slope, (value - found) / np.where(step == 0, 1.0, step))
        guess = x - value / np.minimum(slope, -1e-9)
        inside = (guess > low) & (guess < high) & (turn % 4 != 3)
        before, found = x, value
        x = np.where(near, x, np.where(inside, guess, 0.5 * (low + high)))
    return x


def water_fill(capacity: FloatArray, need: FloatArray, weight: FloatArray, floor: FloatArray) -> FloatArray:
    """Divide ``capacity[r]`` among the items of row r by weight: each gets clip(weight · level, floor, need).

    The proportional-share rule of the ESXi schedulers: an item gets at least its floor (its reservation,
    never more than it needs), at most what it needs, and in between a part in proportion to its shares.
    Shapes: capacity (rows,), the others (rows, items); items that do not exist have need 0. Exact: the level
    is found on the piecewise linear curve of the total. Where all needs fit they are met; where not even the
    floors fit, the floors are reduced in proportion.
    """
    safe_weight = np.maximum(weight, 1e-12)
    low = np.minimum(floor, need)
    levels = np.concatenate([low, need], axis=1) / np.concatenate([safe_weight, safe_weight], axis=1)
    slopes = np.concatenate([safe_weight, -safe_weight], axis=1)
    order = np.argsort(levels, axis=1, kind="stable")
    levels = np.take_along_axis(levels, order, axis=1)
    slope = np.cumsum(np.take_along_axis(slopes, order, axis=1), axis=1)
    base = low.sum(axis=1)
    rise = np.cumsum(slope[:, :-1] * np.diff(levels, axis=1), axis=1)
    total = np.concatenate([base[:, None], base[:, None] + rise], axis=1)
    reached = np.count_nonzero(total <= capacity[:, None], axis=1)
    last = np.minimum(np.maximum(reached - 1, 0), levels.shape[1] - 1)
    rows = np.arange(need.shape[0])
    steep = np.maximum(slope[rows, last], 1e-12)
    level = levels[rows, last] + (capacity - total[rows, last]) / steep
    share = between(safe_weight * level[:, None], low, need)
    fits = need.sum(axis=1) <= capacity
    share = np.where(fits[:, None], need, share)
    cut = np.minimum(1.0, capacity / np.maximum(base, 1e-12))
    filled: FloatArray = np.where((base > capacity)[:, None], low * cut[:, None], share)
    return filled
