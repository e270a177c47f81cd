"""Levels over time as an expert describes them, with the noise that real counters have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sessions.model import FloatArray

_MEMORY_S = 40.0
"""Neighbouring samples of a load resemble each other for about this long."""


@dataclass(frozen=True, slots=True)
class Change:
    """From ``start`` to ``end`` (s) a level is ``to``; ``ramp`` climbs there all the way, otherwise it steps.

    With ``every`` only the first ``lasts`` seconds of each period are changed: a pattern that returns.
    """

    to: float
    start: float
    end: float
    ramp: bool = False
    every: float = 0.0
    lasts: float = 0.0

    def apply(self, seconds: FloatArray, level: FloatArray) -> FloatArray:
        """The level with this change."""
        inside = (seconds >= self.start) & (seconds < self.end)
        if self.every:
            inside &= (seconds - self.start) % self.every < self.lasts
        if self.ramp:
            share = np.clip((seconds - self.start) / (self.end - self.start), 0.0, 1.0)
            return np.where(inside, level + (self.to - level) * share, level)
        return np.where(inside, self.to, level)


@dataclass(frozen=True, slots=True)
class Level:
    """A usual value, what changes it, and how much it wanders (relative standard deviation)."""

    value: float
    changes: tuple[Change, ...] = ()
    noise: float | None = None

    def changed(self, told: Any) -> Level:
        """The level after what a scenario tells: a number, a change as a table, or several."""
        if isinstance(told, int | float):
            return Level(float(told), (), self.noise)
        level = self
        several: list[dict[str, Any]] = told if isinstance(told, list) else [told]
        for one in several:
            level = level._changed(dict(one))
        return level

    def _changed(self, told: dict[str, Any]) -> Level:
        noise = told.pop("noise", self.noise)
        value = float(told.pop("usual", self.value))
        if "to" not in told:
            return Level(value, self.changes, noise)
        start, end = told.pop("at", (0.0, float("inf")))
        change = Change(start=float(start), end=float(end), **told)
        return Level(value, (*self.changes, change), noise)

    def at(self, seconds: FloatArray, seed: Sequence[int], noise: float) -> FloatArray:
        """The samples at these seconds; ``noise`` is used unless the scenario tells another."""
        level = np.full(len(seconds), self.value, dtype=np.float64)
        for change in self.changes:
            level = change.apply(seconds, level)
        noise = noise if self.noise is None else self.noise
        if not noise or not level.any():
            return level
        return level * wandering(seconds, np.random.default_rng(seed), noise)


def wandering(seconds: FloatArray, random: np.random.Generator, noise: float) -> FloatArray:
    """Factors around 1: a wandering load (log-normal, neighbours alike) with a sample's own scatter."""
    count = len(seconds)
    fresh = random.standard_normal((2, count))
    step = float(seconds[1] - seconds[0]) if count > 1 else _MEMORY_S
    keep = np.exp(-step / _MEMORY_S)
    slow = np.sqrt(1 - keep**2) * fresh[0]
    slow[:1] = fresh[0, :1]
    back = 1
    while back < count:  # each sample with what is kept of the one before, twice as far back each time
        slow[back:] += keep**back * slow[:-back].copy()
        back *= 2
    result: FloatArray = np.exp(noise * (0.8 * slow + 0.6 * fresh[1]) - noise**2 / 2)
    return result


def weighted(values: Sequence[FloatArray], weights: Sequence[FloatArray]) -> FloatArray:
    """The mean of values weighted by rates; 0 where nothing was done."""
    total = np.sum(weights, axis=0)
    summed = np.sum([value * weight for value, weight in zip(values, weights, strict=True)], axis=0)
    result: FloatArray = np.divide(summed, total, out=np.zeros_like(total), where=total > 0)
    return result


def min_free_mb(size_mb: float) -> float:
    """MinFree by VMware's sliding scale: 6 % of the first 4 GB, 4 % to 12, 2 % to 28, 1 % above."""
    parts: Sequence[tuple[float, float]] = ((4096, 0.06), (8192, 0.04), (16384, 0.02), (np.inf, 0.01))
    total = 0.0
    for width, share in parts:
        part = min(size_mb, width)
        total, size_mb = total + part * share, size_mb - part
    return total
