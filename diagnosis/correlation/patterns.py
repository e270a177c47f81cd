"""Finds bursts that come back, "every 5 minutes for 20 s, since 02:10", and tells them from random ones."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, lgamma, log, log1p

import numpy as np

from diagnosis.correlation.question import excess
from resources.correlation_roles import CorrelationNumbers
from sessions.model import FloatArray, IntArray

_LATE = 0.06  # of a period: how far a burst may be from its turn
_MOST_BURSTS = 2000
_CALENDAR_MS = (86_400_000, 604_800_000)  # a day, a week
_NEARNESS_FREE = 2.0  # how near bursts must be is taken from them: that costs some of the certainty


@dataclass(frozen=True, slots=True)
class Pattern:
    """Bursts of ``length_s`` seconds every ``period_s`` seconds from ``since`` to ``until`` (ms).

    ``bursts`` were seen of ``expected``; ``chance`` is the probability that bursts at random times are as
    regular, for all periods that were tried.
    """

    period_s: float
    length_s: float
    since: int
    until: int
    bursts: int
    expected: int
    chance: float


def find_pattern(
    times: IntArray, values: FloatArray, step: int, numbers: CorrelationNumbers
) -> Pattern | None:
    """Return the rhythm of a series' bursts; None if it has none. ``times`` in ms, without absent samples."""
    begins, lengths = _bursts(times, values, step, numbers.pattern_excess.value)
    return pattern_of(begins, lengths, step, numbers)


def pattern_of(begins: IntArray, lengths: IntArray, step: int, numbers: CorrelationNumbers) -> Pattern | None:
    """Return the rhythm of bursts that begin and last so (ms), in order, known to a ``step``."""
    if not numbers.pattern_bursts.value <= begins.size <= _MOST_BURSTS:
        return None
    period = _period(begins, step)
    if period is None:
        return None
    fits = _in_turn(begins, period, step)
    if np.count_nonzero(fits) < numbers.pattern_bursts.value:
        return None
    period = _refined(begins[fits], period)
    fits = _in_turn(begins, period, step)
    turns = begins[fits]
    chance = _chance(begins, turns, period, step)
    if turns.size < numbers.pattern_bursts.value or chance > numbers.pattern_chance.value:
        return None
    expected = round((int(turns[-1]) - int(turns[0])) / period) + 1
    length = float(np.median(lengths[fits])) / 1000
    return Pattern(period / 1000, length, int(turns[0]), int(turns[-1]), turns.size, expected, chance)


def _bursts(times: IntArray, values: FloatArray, step: int, deviations: float) -> tuple[IntArray, IntArray]:
    """When bursts begin and how long they are, in ms: runs of samples far above the median."""
    if times.size < 8:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    high = (excess(values, deviations) > 0) & (values > np.median(values))
    places = np.flatnonzero(high)
    if not places.size or places.size > 0.5 * times.size:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    parts = np.flatnonzero(np.diff(times[places]) > 2.5 * step)  # one low sample does not end a burst
    first = places[np.concatenate([[0], parts + 1])]
    last = places[np.concatenate([parts, [places.size - 1]])]
    return times[first], times[last] - times[first] + step


def _period(begins: IntArray, step: int) -> float | None:
    """The time after which most bursts are followed by another one: the highest peak of the autocorrelation
    of their beginnings, the shortest of those that are nearly as high.
    """
    apart = (begins[None, :] - begins[:, None])[np.triu_indices(begins.size, 1)]
    span = int(begins[-1] - begins[0])
    candidates = apart[(apart >= 3 * step) & (apart <= span / 2)]
    if not candidates.size:
        return None
    grid = np.unique(candidates)
    tolerance = max(1.5 * step, 0.02 * float(np.median(np.diff(begins))))
    ordered = np.sort(apart)
    near = np.searchsorted(ordered, grid + tolerance) - np.searchsorted(ordered, grid - tolerance)
    possible = np.maximum(np.searchsorted(begins, begins[-1] - grid + tolerance), 1)
    hits = near / possible
    good = grid[hits >= 0.75 * hits.max()]
    return float(good[0]) if good.size else None


def _tolerance(period: float, step: int) -> float:
    """How far a burst may be from its turn, in ms."""
    return max(1.5 * step, _LATE * period)


def _in_turn(begins: IntArray, period: float, step: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which bursts come when it is their turn: about a whole number of periods from the one that most others
    fit to.
    """
    turns = (begins[None, :] - begins[:, None]) / period
    away = np.abs(turns - np.round(turns)) * period
    fits = away <= _tolerance(period, step)
    return np.asarray(fits[int(fits.sum(axis=1).argmax())], dtype=np.bool_)


def _refined(begins: IntArray, period: float) -> float:
    """The period by a line through the bursts' numbers and times."""
    number = np.round((begins - begins[0]) / period)
    if number[-1] < 1:
        return period
    slope = float(np.polyfit(number, (begins - begins[0]).astype(np.float64), 1)[0])
    return slope if 0.8 * period < slope < 1.25 * period else period


def _chance(begins: IntArray, turns: IntArray, period: float, step: int) -> float:
    """The probability that so many of the bursts come so exactly in turn if all come at random times: two of
    them set phase and period, and each of the others comes as near to its turn as the worst of ``turns`` by
    luck. Times the number of periods that could have been found, and how near had not been said either. A day
    and a week are no periods that were found: what people set a clock for comes back after them.
    """
    luck = 2.0 * _worst_miss(turns, period, step) / period
    if luck >= 1.0:
        return 1.0
    free, hits = begins.size - 2, turns.size - 2
    tail = sum(
        exp(
            lgamma(free + 1)
            - lgamma(k + 1)
            - lgamma(free - k + 1)
            + k * log(luck)
            + (free - k) * log1p(-luck)
        )
        for k in range(hits, free + 1)
    )
    is_of_calendar = any(abs(period - one) <= 1.5 * step for one in _CALENDAR_MS)
    found = float(begins[-1] - begins[0]) / (2 * step)
    tried = max(1.0, float(len(_CALENDAR_MS)) if is_of_calendar else found)
    return float(min(1.0, _NEARNESS_FREE * tail * tried))


def _worst_miss(turns: IntArray, period: float, step: int) -> float:
    """How far the burst that misses its turn most is from it, in ms: no less than samples can tell."""
    number = (turns - turns[0]) / period
    away = np.abs(number - np.round(number)) * period
    return max(1.5 * step, float(away.max(initial=0.0)))
