"""How each series moved: its change against its own baseline, and its correlation with the reference."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from diagnosis.correlation.tables import Table
from diagnosis.statistics.changes import Changes, changes
from diagnosis.statistics.lagged import centred, chance_of, lagged_correlations, surrogate_spread
from resources.correlation_roles import CorrelationNumbers
from sessions.model import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class Move:
    """How one series moved. ``strength`` 0 to 1; ``chance`` is the probability that noise shows as much.

    ``before`` and ``during`` are its means in baseline and window; ``errors`` the change in standard errors;
    ``swing`` two standard deviations of all its samples.
    ``lag_s`` > 0: it came after the reference; ``step_s`` is what the lag is known to. ``correlation`` is NaN
    without a reference.
    """

    series: int
    strength: float
    chance: float
    before: float
    during: float
    errors: float
    correlation: float
    lag_s: float
    step_s: float
    swing: float

    @property
    def change(self) -> float:
        """The difference of the means."""
        return self.during - self.before


def moves_in(table: Table, numbers: CorrelationNumbers) -> Iterator[Move]:
    """Yield the series of a table that moved at all, in the table's order."""
    if not table.ids.size:
        return
    has_baseline = bool((~table.in_window).any()) and bool(table.in_window.any())
    changed = (
        changes(table.values[:, table.in_window], table.values[:, ~table.in_window]) if has_baseline else None
    )
    swing = 2.0 * np.nanstd(table.values, axis=1)
    by_change = _strength(changed, numbers) if changed else np.zeros(table.ids.size)
    if not table.reference.size or np.isnan(table.reference).all() or np.nanstd(table.reference) == 0:
        if changed is not None:
            yield from _by_change_alone(table, changed, by_change, swing)
        return
    lags = _lags(table, numbers)
    rows, reference = centred(table.values), centred(table.reference[None, :])[0]
    found = lagged_correlations(rows, reference, lags)
    best = _best_lag(found, lags, numbers.lead_gain.value)
    correlation = found[np.arange(best.size), best]
    spread = surrogate_spread(rows, reference)
    by_rhythm = _rhythm(correlation, spread)
    strength = np.abs(correlation) * np.maximum(by_change, by_rhythm)
    for row in np.flatnonzero(strength > _LEAST).tolist():
        alone = chance_of(float(correlation[row]), float(spread[row]), lags.size, table.in_window.size)
        chance = min(alone, changed.chance(row) if changed else 1.0)
        yield Move(
            int(table.ids[row]), float(strength[row]), chance, *_means(changed, row),
            float(correlation[row]), float(lags[best[row]]) * table.step / 1000,
            table.step / 1000, float(swing[row]),
        )  # fmt: skip


_LEAST = 0.03


def _by_change_alone(
    table: Table, changed: Changes, strength: FloatArray, swing: FloatArray
) -> Iterator[Move]:
    for row in np.flatnonzero(strength > _LEAST).tolist():
        yield Move(
            int(table.ids[row]), float(strength[row]), changed.chance(row), *_means(changed, row),
            float("nan"), 0.0, table.step / 1000, float(swing[row]),
        )  # fmt: skip


def _means(changed: Changes | None, row: int) -> tuple[float, float, float]:
    if changed is None:
        return float("nan"), float("nan"), 0.0
    return float(changed.baseline[row]), float(changed.window[row]), float(changed.errors[row])


def _strength(changed: Changes, numbers: CorrelationNumbers) -> FloatArray:
    """The size of a change in standard deviations of the baseline, as far as it is certain; 0 to 1."""
    size = np.abs(changed.window - changed.baseline) / np.maximum(changed.deviation, 1e-12)
    large = np.clip(size / numbers.full_change.value, 0.0, 1.0)
    certain = np.clip(np.abs(changed.errors) / numbers.full_evidence.value, 0.0, 1.0)
    return np.nan_to_num(np.sqrt(large * certain))


def _rhythm(correlation: FloatArray, spread: FloatArray) -> FloatArray:
    """How far a correlation is beyond what chance shows between such series; 0 to 1."""
    effective = 1.0 / np.maximum(spread**2, 1e-9)
    z = np.arctanh(np.minimum(np.abs(correlation), 0.999999)) * np.sqrt(np.maximum(effective - 3.0, 0.0))
    return np.clip((z - 3.0) / 6.0, 0.0, 1.0)


def _lags(table: Table, numbers: CorrelationNumbers) -> IntArray:
    most = int(numbers.max_lag_s.value * 1000 // table.step)
    most = int(np.clip(most, 1, max(1, table.values.shape[1] // 8)))
    return np.arange(-most, most + 1)


def _best_lag(found: FloatArray, lags: IntArray, gain: float) -> IntArray:
    """The column of the best lag of each row; none where another one is hardly better."""
    strength = np.abs(found)
    best = strength.argmax(axis=1)
    middle = int(np.flatnonzero(lags == 0)[0])
    rows = np.arange(best.size)
    better = strength[rows, best] > strength[:, middle] + gain
    return np.where(better, best, middle)
