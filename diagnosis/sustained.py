"""From "true at these samples" to "a problem in these windows": how long a condition must hold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from diagnosis.arrays import BoolArray, sample_seconds, usual_step, window_sums
from resources.problem_cards import Hold, Returning, Sustained
from sessions.model import FloatArray, IntArray

_SLACK = 0.3  # of an interval: three samples 19.9 s apart are 60 s


@dataclass(frozen=True, slots=True)
class Windows:
    """The windows in which a condition held long enough, ordered by entity, then by time.

    ``entity`` is the row; ``first`` and ``last`` are positions on the time axis, both inclusive.
    """

    entity: IntArray
    first: IntArray
    last: IntArray

    def mask(self, entities: int, samples: int) -> BoolArray:
        """Return which samples lie in a window; shape (entities, samples), bool."""
        edges = np.zeros((entities, samples + 1), dtype=np.int64)
        np.add.at(edges, (self.entity, self.first), 1)
        np.add.at(edges, (self.entity, self.last + 1), -1)
        return np.cumsum(edges[:, :-1], axis=1) > 0


def sustained_windows(true: FloatArray, times: IntArray, hold: Hold, rule: Sustained) -> Windows:
    """Return the windows in which ``true`` (entities, times; 1, 0 or NaN) holds as long as ``hold`` requires.

    A window starts and ends with a true sample; less than ``rule.clear_s`` seconds of false samples in
    between do not end it, nor does the time between two samples that follow each other. No window is returned
    where less than the fraction ``rule.coverage`` of the time is known.
    """
    violating = true == 1
    rows = np.flatnonzero(violating.any(axis=1))
    if not rows.size:
        return _no_windows()
    held = _held(true[rows], times, hold, rule)
    inside = violating[rows] & _soon(held, times, hold.of_s)
    if rule.returning and times.size > 1:
        inside |= _returning(violating[rows], times, hold, rule.clear_s, rule.returning)
    return _merge(inside, rows, times, rule.clear_s)


def spacing_ms(starts: IntArray, spread: float, slack_ms: float) -> float | None:
    """Return the median distance (ms) between beginnings that are evenly spaced; None if they are not.

    No distance may differ from the median by more than ``spread`` (0 to 1) of it or ``slack_ms``.
    """
    distances = np.diff(starts)
    if not distances.size:
        return None
    usual = float(np.median(distances))
    return usual if np.abs(distances - usual).max() <= max(spread * usual, slack_ms) else None


def _returning(
    violating: BoolArray, times: IntArray, hold: Hold, clear_s: float, pattern: Returning
) -> BoolArray:
    """Which samples lie in bursts that come back at even intervals, each too short to be a problem."""
    inside = np.zeros(violating.shape, dtype=np.bool_)
    bursts = _merge(violating, np.arange(violating.shape[0]), times, clear_s)
    sums = np.zeros((violating.shape[0], times.size + 1))
    np.cumsum(np.where(violating, sample_seconds(times), 0.0), axis=1, out=sums[:, 1:])
    lasted = sums[bursts.entity, bursts.last + 1] - sums[bursts.entity, bursts.first]
    slack = _SLACK * usual_step(times) / 1000
    # A lone sample may stand for a moment that its interval spreads: how long it lasted is not known.
    long_enough = (lasted >= pattern.part * hold.hold_s - slack) & (bursts.last > bursts.first)
    often = np.bincount(bursts.entity[long_enough], minlength=violating.shape[0]) >= pattern.times
    for row in np.flatnonzero(often).tolist():
        own = np.flatnonzero(long_enough & (bursts.entity == row))
        starts = times[bursts.first[own]]
        if spacing_ms(starts, pattern.spread, 2 * usual_step(times)) is not None:
            for burst in own.tolist():
                span = slice(int(bursts.first[burst]), int(bursts.last[burst]) + 1)
                inside[row, span] = violating[row, span]
    return inside


def present_windows(true: FloatArray) -> Windows:
    """Return windows for a capture too short to judge durations: entities with two or more known
    samples, all true.
    """
    known = ~np.isnan(true)
    rows = np.flatnonzero(((true == 1) == known).all(axis=1) & (known.sum(axis=1) >= 2))
    first = np.argmax(known[rows], axis=1)
    final = known.shape[1] - 1 - np.argmax(known[rows][:, ::-1], axis=1)
    return Windows(rows.astype(np.int64), first.astype(np.int64), final.astype(np.int64))


def too_short(times: IntArray, hold: Hold) -> bool:
    """Return True if all samples together are shorter than the duration that ``hold`` requires."""
    return float(sample_seconds(times).sum()) < hold.hold_s or times.size < hold.count


def fewest_samples(times: IntArray, hold: Hold) -> int:
    """Return with how many known samples ``hold`` can be met at the least."""
    if hold.count or times.size < 2:
        return max(hold.count, 1)
    interval = usual_step(times) / 1000
    return max(1, int(np.ceil(hold.hold_s / interval - _SLACK)))


def _held(true: FloatArray, times: IntArray, hold: Hold, rule: Sustained) -> BoolArray:
    """At which samples the time before has been bad for long enough."""
    first = _window_start(times, hold.of_s)
    weights = np.ones(times.size) if hold.count else sample_seconds(times)
    bad = window_sums(np.where(true == 1, weights, 0.0), first)
    if hold.count:
        return np.greater_equal(bad, hold.count)
    slack = _SLACK * float(np.median(weights))
    known = window_sums(np.where(np.isnan(true), 0.0, weights), first)
    elapsed = np.minimum((times - times[0]) / 1000.0 + weights[0], hold.of_s)
    held: BoolArray = (bad >= hold.hold_s - slack) & (known >= rule.coverage * elapsed - slack)
    return held


def _window_start(times: IntArray, seconds: float) -> IntArray:
    """For each sample the first one of the ``seconds`` up to it."""
    slack = int(_SLACK * 1000 * (usual_step(times) / 1000)) if times.size > 1 else 0
    first = np.searchsorted(times, times - np.int64(seconds * 1000) + slack, side="right").astype(np.int64)
    return np.minimum(first, np.arange(times.size))  # a sample that stands for longer than that is its own


def _soon(held: BoolArray, times: IntArray, seconds: float) -> BoolArray:
    """Whether the rule is met at this sample or within ``seconds`` after it: then it is in a window."""
    start = _window_start(times, seconds)
    end = np.searchsorted(start, np.arange(times.size), side="right")
    sums = np.zeros((held.shape[0], times.size + 1), dtype=np.int64)
    np.cumsum(held, axis=1, out=sums[:, 1:])
    return sums[:, end] - sums[:, :-1] > 0


def _merge(inside: BoolArray, rows: IntArray, times: IntArray, clear_s: float) -> Windows:
    row, column = np.nonzero(inside)
    if not row.size:
        return _no_windows()
    far = np.diff(times[column]) > max(clear_s * 1000, (1 + _SLACK) * usual_step(times))
    breaks = np.flatnonzero((np.diff(row) != 0) | far) + 1
    first = np.concatenate(([0], breaks))
    final = np.concatenate((breaks, [row.size])) - 1
    return Windows(rows[row[first]], column[first], column[final])


def _no_windows() -> Windows:
    none = np.zeros(0, dtype=np.int64)
    return Windows(none, none, none)
