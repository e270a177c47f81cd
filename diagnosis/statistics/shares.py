"""How evenly, steadily and at what price workers are served: fairness, fluctuation, weighted latency."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan, nan, sqrt


def fairness(amounts: Sequence[float]) -> float:
    """Return Jain's index: 1 if all get the same, 1/n if one of n gets everything; NaN if nobody gets any.

    Source: Jain, Chiu, Hawe, A Quantitative Measure of Fairness, DEC-TR-301, 1984.
    """
    squares = sum(one * one for one in amounts)
    return sum(amounts) ** 2 / (len(amounts) * squares) if squares else nan


def variation_percent(values: Sequence[float]) -> float:
    """Return the coefficient of variation (standard deviation of n − 1 by mean) in percent; NaN for under two
    values or a mean of 0."""
    known = [one for one in values if not isnan(one)]
    mean = sum(known) / len(known) if known else 0.0
    if len(known) < 2 or not mean:
        return nan
    return sqrt(sum((one - mean) ** 2 for one in known) / (len(known) - 1)) / abs(mean) * 100.0


def weighted_latency(latencies: Mapping[str, float], mix: Mapping[str, float]) -> float:
    """Return the latency of a mix: each kind's by its part of the I/Os. ``mix`` need not add up to 1.

    A kind that has no part needs no latency. Source: FlashSoft's 0.7 · read + 0.3 · write, made general.
    """
    parts = {kind: part for kind, part in mix.items() if part > 0}
    total = sum(parts.values())
    return sum(latencies[kind] * part for kind, part in parts.items()) / total if total else nan


def due(shares: Mapping[str, float], total: float) -> dict[str, float]:
    """Return what is due to each by its shares of a total; nothing if there are no shares."""
    sum_of_shares = sum(shares.values())
    return {name: total * one / sum_of_shares for name, one in shares.items()} if sum_of_shares else {}
