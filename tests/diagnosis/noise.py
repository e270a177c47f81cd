"""Loads as storage gives them: autocorrelated samples, rounds that differ by themselves, and slow drift."""

from __future__ import annotations

import numpy as np

from sessions.model import FloatArray


def wandering(
    random: np.random.Generator, samples: int, spread_percent: float, memory: float, mean: float = 1000.0
) -> FloatArray:
    """Samples around ``mean`` whose neighbours have the correlation ``memory`` (an AR(1) process)."""
    noise = np.empty(samples)
    noise[0] = random.standard_normal()
    fresh = random.standard_normal(samples) * np.sqrt(1 - memory**2)
    for number in range(1, samples):
        noise[number] = memory * noise[number - 1] + fresh[number]
    return mean * (1 + spread_percent / 100 * noise)


def abba_rounds(
    random: np.random.Generator, pairs: int, scatter_percent: float, change_percent: float = 0.0
) -> tuple[list[float], list[float]]:
    """Means of rounds of A and B in the order A B B A A B …; each round is 120 autocorrelated samples.

    Rounds differ by ``scatter_percent`` by themselves, and the storage gets slower by 0.2 % a round.
    """
    means: dict[str, list[float]] = {"A": [], "B": []}
    for number in range(2 * pairs):
        setting = "A" if number % 4 in (0, 3) else "B"
        level = 1000.0 * np.exp(scatter_percent / 100 * random.standard_normal()) * 0.998**number
        if setting == "B":
            level *= 1 + change_percent / 100
        means[setting].append(float(wandering(random, 120, 3.0, 0.6, level).mean()))
    return means["A"], means["B"]
