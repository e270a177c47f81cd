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
    ``lag_s`` > 0: it came after the reference; ``step_s`` is what the lag is known to, and ``is_at_edge``
    says that it is the longest lag that was tried. ``correlation`` is NaN without a reference. ``came``: its
    entity was not there before the window.
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
    came: bool = False
    is_at_edge: bool = False

    @property
    def change(self) -> float:
        """The difference of the means."""
        return self.during - self.before


def moves_in(table: Table, numbers: CorrelationNumbers) -> Iterator[Move]:
    """Yield the series of a table that moved at all, in the table's order."""
    if not table.ids.size:
        return
    has_baseline = bool((~table.in_window).any()) and bool(table.in_window.any())
    values, scale = _scaled(table.values)
    changed = changes(values[:, table.in_window], values[:, ~table.in_window]) if has_baseline else None
    by_change = _strength(changed, numbers) if changed else np.zeros(table.ids.size)
    swing = 2.0 * np.nanstd(values, axis=1) * scale
    means = _Means(changed, scale)
    if not _varies(table.reference):
        if changed is not None:
            yield from _by_change_alone(table, means, by_change, swing)
        return
    lags = _lags(table, numbers)
    rows, reference = centred(values), centred(_scaled(table.reference[None, :])[0])[0]
    found = lagged_correlations(rows, reference, lags)
    best = _best_lag(found, lags, numbers.lead_gain.value)
    edges = {0, lags.size - 1} if lags.size > _FEW_LAGS else set()
    correlation = found[np.arange(best.size), best]
    spread = surrogate_spread(rows, reference)
    by_rhythm = _rhythm(correlation, spread)
    strength = np.abs(correlation) * np.maximum(by_change, by_rhythm)
    for row in np.flatnonzero(strength > _LEAST).tolist():
        alone = chance_of(float(correlation[row]), float(spread[row]), lags.size, table.in_window.size)
        chance = min(alone, means.chance(row))
        yield Move(
            int(table.ids[row]), float(strength[row]), chance, *means.of(row),
            float(correlation[row]), float(lags[best[row]]) * table.step / 1000,
            table.step / 1000, float(swing[row]), bool(table.came[row]), bool(best[row] in edges),
        )  # fmt: skip


_LEAST = 0.03
_FEW_LAGS = 3  # with a lag of one sample alone each way, that one is no edge but what is told


def _by_change_alone(table: Table, means: _Means, strength: FloatArray, swing: FloatArray) -> Iterator[Move]:
    for row in np.flatnonzero(strength > _LEAST).tolist():
        yield Move(
            int(table.ids[row]), float(strength[row]), means.chance(row), *means.of(row),
            float("nan"), 0.0, table.step / 1000, float(swing[row]), bool(table.came[row]),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Means:
    """The changes of rows that were divided by ``scale``; None without a baseline."""

    changed: Changes | None
    scale: FloatArray

    def of(self, row: int) -> tuple[float, float, float]:
        """The means of baseline and window, and the change in standard errors."""
        if self.changed is None:
            return float("nan"), float("nan"), 0.0
        size = float(self.scale[row])
        return (
            float(self.changed.baseline[row]) * size,
            float(self.changed.window[row]) * size,
            float(self.changed.errors[row]),
        )

    def chance(self, row: int) -> float:
        """The probability of such a change by chance."""
        return 1.0 if self.changed is None else self.changed.chance(row)


def _scaled(rows: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Rows divided by their largest magnitude, so that no square of a hostile number overflows, and that."""
    largest = np.fmax.reduce(np.abs(rows), axis=1, initial=0.0)
    largest = np.where(largest > 0, largest, 1.0)
    return rows / largest[:, None], largest


def _varies(reference: FloatArray) -> bool:
    known = reference[~np.isnan(reference)]
    return bool(known.size > 1 and known.min() < known.max())


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
