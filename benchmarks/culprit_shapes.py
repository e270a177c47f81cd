"""How the load of an injected culprit runs over time, and what it does to a series."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.injected_session import Change
from sessions.model import FloatArray, IntArray

Shape = Callable[[IntArray], FloatArray]
"""The strength of a load, 0 to 1, at some instants (ms)."""


def added(shape: Shape, amount: float, grain: Shape) -> Change:
    """So much more of a series while the load is there."""
    return lambda t, v: v + amount * shape(t) * grain(t)


def multiplied(shape: Shape, factor: float, grain: Shape) -> Change:
    """A series times ``factor`` while the load is there."""
    return lambda t, v: v * (1 + (factor - 1) * shape(t) * grain(t))


def pulse(start: int, end: int, ramp: int) -> Shape:
    """On between two instants, with ramps."""
    return lambda t: np.clip((t - start) / ramp + 1, 0, 1) * np.clip((end - t) / ramp + 1, 0, 1)


def bursts(start: int, end: int, every: int, length: int) -> Shape:
    """On for ``length`` ms every ``every`` ms."""
    return lambda t: ((t >= start) & (t <= end) & ((t - start) % every < length)).astype(np.float64)


def drift(start: int, end: int) -> Shape:
    """Slowly more, and at the end back."""
    return lambda t: np.where(t <= end, np.clip((t - start) / (end - start), 0, 1), 0.0)


def later(shape: Shape, by: int) -> Shape:
    """The same, later."""
    return lambda t: shape(t - by)


def hashed(numbers: IntArray, key: np.uint64) -> FloatArray:
    """Normal numbers that depend on whole numbers and a key alone."""
    with np.errstate(over="ignore"):
        x = numbers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + key * np.uint64(0xBF58476D1CE4E5B9)
        x ^= x >> np.uint64(29)
        x *= np.uint64(0x94D049BB133111EB)
        x ^= x >> np.uint64(32)
        y = x * np.uint64(0xBF58476D1CE4E5B9)
        y ^= y >> np.uint64(29)
    u = (x >> np.uint64(11)).astype(np.float64) / 2**53
    v = (y >> np.uint64(11)).astype(np.float64) / 2**53
    normal: FloatArray = np.sqrt(-2 * np.log(np.maximum(u, 1e-12))) * np.cos(2 * np.pi * v)
    return normal
