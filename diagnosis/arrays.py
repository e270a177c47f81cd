"""Three-valued logic and arithmetic on float arrays, in which NaN means "unknown".

True is 1.0, false is 0.0, and NaN is neither: (false and unknown) is false, (true and unknown) is unknown.
Arrays have the shape (entities, times) or (entities, 1); entities come first, so that the samples of one
entity lie side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sessions.model import FloatArray, IntArray

BoolArray = NDArray[np.bool_]
Moves = Mapping[int, IntArray]
"""Of the rows whose VM moved: the index of the first instant on each host but the first, ascending."""
_NO_MOVES: Moves = {}
_MOST = 0.8
"""The part of a stretch whose samples must be known."""


def all_of(left: FloatArray, right: FloatArray) -> FloatArray:
    """Return the logical "and": 1 where both are true, 0 where either is false, NaN where that is unknown."""
    return np.where((left == 0) | (right == 0), 0.0, left * right)


def any_of(left: FloatArray, right: FloatArray) -> FloatArray:
    """Return the logical "or": 1 where either is true, 0 where both are false, NaN where that is unknown."""
    return np.where((left == 1) | (right == 1), 1.0, left + right)


def comparison(compare: Callable[..., BoolArray]) -> Callable[[FloatArray, FloatArray], FloatArray]:
    """Turn a numpy comparison into one that returns 1, 0, or NaN where a side is NaN."""

    def apply(left: FloatArray, right: FloatArray) -> FloatArray:
        result: FloatArray = np.asarray(compare(left, right), dtype=np.float64)
        for side in (left, right):
            _forget(result, np.isnan(side))
        return result

    return apply


NOTHING = 1e-9
"""Of what is no more than this no share can be told: it is nothing, or a forged or overflowed number."""


def divide(left: FloatArray, right: FloatArray) -> FloatArray:
    """Return left / right, NaN where right is nothing or less."""
    right = np.asarray(right, dtype=np.float64)
    return np.divide(left, np.where(right <= NOTHING, np.nan, right))


def where(test: FloatArray, yes: FloatArray, no: FloatArray) -> FloatArray:
    """Return ``yes`` where ``test`` is true, ``no`` where it is false, NaN where it is unknown."""
    result: FloatArray = np.asarray(np.where(test == 1, yes, no), dtype=np.float64)
    _forget(result, np.isnan(test))
    return result


def _forget(values: FloatArray, unknown: BoolArray | np.bool_) -> None:
    """Make those of the values NaN that are unknown."""
    if unknown.any():
        np.copyto(values, np.nan, where=unknown)


def coalesce(*values: FloatArray) -> FloatArray:
    """Return, sample by sample, the first value that is not NaN."""
    result = values[0]
    for value in values[1:]:
        result = np.where(np.isnan(result), value, result)
    return result


def missing(value: FloatArray) -> FloatArray:
    """Return 1 where ``value`` is NaN, else 0."""
    return np.isnan(value).astype(np.float64)


class RunningSums:
    """Sums of samples from the first one on, which go on where the samples of an earlier look end."""

    def __init__(self) -> None:
        self._totals = self._counts = np.zeros((0, 1))
        self._all_known = True

    @property
    def held(self) -> int:
        """The number of sums that are held, but for room behind them."""
        return self._totals.size + self._counts.size

    def smoothed(
        self,
        values: FloatArray,
        times: IntArray,
        before_s: float,
        after_s: float,
        start: int = 0,
        moves: Moves = _NO_MOVES,
    ) -> FloatArray:
        """Return the means of ``smoothed`` at the instants from ``start`` on; ``values`` are those from there
        on, and the ones before are as they were at an earlier call.
        """
        first = _first_from(start, times, -np.int64(before_s * 1000), "right" if not after_s else "left")
        end = _first_from(start, times, np.int64(after_s * 1000), "right")
        known = ~np.isnan(values)
        if self._all_known and not known.all():
            before = np.arange(start + 1, dtype=np.float64)
            self._counts = np.repeat(before[None], values.shape[0], axis=0)
            self._all_known = False
        self._totals = _longer(
            self._totals, values if self._all_known else np.where(known, values, 0.0), start
        )
        if not self._all_known:
            self._counts = _longer(self._counts, known.astype(np.float64), start)
        mean = self._means(slice(None), first, end)
        for row, begun in moves.items():
            stay = np.searchsorted(begun, np.arange(start, times.size), "right")
            bounds = np.concatenate(([0], begun, [times.size]))
            within = np.maximum(first, bounds[stay]), np.minimum(end, bounds[stay + 1])
            mean[row] = self._means(slice(row, row + 1), *within)[0]
        return mean if self._all_known else np.where(known, mean, np.nan)

    def _means(self, rows: slice, first: IntArray, end: IntArray) -> FloatArray:
        """The means of what is known from ``first`` on and before ``end``."""
        mean = _between(self._totals[rows], first, end)
        if self._all_known:  # as it mostly is: what is there counts as many as there are instants
            mean /= np.maximum((end - first).astype(np.float64), 1.0)
        else:
            mean /= np.maximum(_between(self._counts[rows], first, end), 1.0)
        return mean


def _first_from(start: int, times: IntArray, shift_ms: np.int64, side: Literal["left", "right"]) -> IntArray:
    """``first_after`` of the instants from ``start`` on."""
    if not start:
        return first_after(times, shift_ms, side)
    return np.searchsorted(times, times[start:] + shift_ms, side=side).astype(np.int64)


def _longer(sums: FloatArray, new: FloatArray, start: int) -> FloatArray:
    """Sums up to each sample, with those of new samples from ``start`` on; there is one more than samples.

    What is behind them in memory is room for more.
    """
    if not start:
        return _sums(new)
    end = start + new.shape[1] + 1
    room = sums if sums.base is None else sums.base
    if room.shape[1] < end:
        room = np.empty((new.shape[0], end + end // 8))
        room[:, : start + 1] = sums[:, : start + 1]
    # One after the other from the last sum on, as when all are summed: the same to the last bit.
    np.cumsum(np.concatenate((room[:, start : start + 1], new), axis=1), axis=1, out=room[:, start:end])
    found: FloatArray = room[:, :end]
    return found


def smoothed(
    values: FloatArray, times: IntArray, before_s: float, after_s: float, moves: Moves = _NO_MOVES
) -> FloatArray:
    """Return the mean of the known samples from ``before_s`` seconds before to ``after_s`` seconds
    after each sample.

    ``values`` (entities, times), ``times`` int64 ms, increasing. The result is NaN where the sample itself is
    NaN. A VM's samples count with those of the same stay on a host alone: see ``Moves``.
    """
    return RunningSums().smoothed(values, times, before_s, after_s, moves=moves)


def _between(sums: FloatArray, first: IntArray, end: IntArray) -> FloatArray:
    """The sums of the samples from ``first`` on and before ``end``."""
    if end.size < sums.shape[1] // 2:  # of some instants alone: ``take`` would copy all sums that have room
        few: FloatArray = sums[:, end] - sums[:, first]
        return few
    found: FloatArray = sums.take(end, axis=1)
    found -= sums.take(first, axis=1)
    return found


def lowest_mean(values: FloatArray, times: IntArray, seconds: float) -> FloatArray:
    """Return the lowest mean of any stretch of so many seconds; shape (entities, 1).

    ``values`` (entities, times), ``times`` int64 ms, increasing. NaN where no stretch is long enough, or none
    has four samples of five.
    """
    if not times.size:
        return np.full((values.shape[0], 1), np.nan)
    known = ~np.isnan(values)
    first = first_after(times, -np.int64(seconds * 1000), "right")
    is_whole = times - times[0] >= (seconds * 1000 - usual_step(times))
    count = window_sums(known.astype(np.float64), first)
    is_whole = is_whole & (count >= _MOST * (np.arange(times.size) + 1 - first))
    means = window_sums(np.where(known, values, 0.0), first) / np.maximum(count, 1.0)
    lowest: FloatArray = np.where(is_whole, means, np.inf).min(axis=1, keepdims=True)
    return np.where(np.isinf(lowest), np.nan, lowest)


def latest_mean(values: FloatArray, times: IntArray, seconds: float) -> FloatArray:
    """Return the mean of the last so many seconds up to each entity's last known sample; shape (entities, 1).

    ``values`` (entities, times), ``times`` int64 ms, increasing. NaN where nothing is known.
    """
    if not times.size:
        return np.full((values.shape[0], 1), np.nan)
    known = ~np.isnan(values)
    last = times[times.size - 1 - np.argmax(known[:, ::-1], axis=1)][:, None]
    return _mean_of(values, known & (times[None] > last - np.int64(seconds * 1000)) & (times[None] <= last))


def earliest_mean(values: FloatArray, times: IntArray, seconds: float) -> FloatArray:
    """Return the mean of the first so many seconds from each entity's first known sample; (entities, 1).

    ``values`` and ``times`` as for ``latest_mean``. NaN where nothing is known.
    """
    if not times.size:
        return np.full((values.shape[0], 1), np.nan)
    known = ~np.isnan(values)
    first = times[np.argmax(known, axis=1)][:, None]
    return _mean_of(values, known & (times[None] >= first) & (times[None] < first + np.int64(seconds * 1000)))


def _mean_of(values: FloatArray, chosen: BoolArray) -> FloatArray:
    count = chosen.sum(axis=1, keepdims=True)
    total = np.where(chosen, values, 0.0).sum(axis=1, keepdims=True)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def _sums(values: FloatArray) -> FloatArray:
    sums = np.zeros((values.shape[0], values.shape[1] + 1))
    np.cumsum(values, axis=1, out=sums[:, 1:])
    return sums


def window_sums(values: FloatArray, first: IntArray, start: int = 0) -> FloatArray:
    """Return the sums of values[:, first[i]..start + i] (both inclusive) for each i, by cumulative sums."""
    sums = _sums(values)
    found: FloatArray = sums[:, start + 1 :] - sums.take(first, axis=1)
    return found


class _Axis:
    """What was worked out of one array of sampling instants, which does not change any more."""

    def __init__(self, times: IntArray) -> None:
        self.times = times
        self.seconds: FloatArray | None = None
        self.step: float | None = None
        self.usual: float | None = None
        self.total: float | None = None
        self.first: dict[tuple[int, str], IntArray] = {}


_AXES: dict[int, _Axis] = {}
"""The arrays of instants that were asked about lately, by id: who holds the array, holds its id."""
_MOST_AXES = 32
_PLACED: list[_Axis] = []
"""The one whose places are kept: there may be twenty of them, each as long as the array."""


def _axis(times: IntArray) -> _Axis:
    kept = _AXES.get(id(times))
    if kept is None or kept.times is not times:
        if len(_AXES) >= _MOST_AXES:
            _AXES.clear()
        kept = _AXES[id(times)] = _Axis(times)
    return kept


def first_after(times: IntArray, shift_ms: int | np.int64, side: Literal["left", "right"]) -> IntArray:
    """Return for each instant the place of the first one that is at (``left``) or after (``right``) it,
    shifted by ``shift_ms``.

    ``times`` int64 ms, increasing; not to be written to afterwards. The result is read-only: it is kept for
    the array that was asked for last.
    """
    kept, key = _axis(times), (int(shift_ms), side)
    found = kept.first.get(key)
    if found is None:
        found = np.searchsorted(times, times + np.int64(shift_ms), side=side).astype(np.int64)
        found.flags.writeable = False
        for other in _PLACED:
            if other is not kept:
                other.first = {}
        _PLACED[:] = [kept]
        kept.first[key] = found
    return found


def sample_seconds(times: IntArray) -> FloatArray:
    """Return the seconds that each sample represents: the time since the sample before, at most 1.5 times the
    median interval.

    A sample after a gap says nothing of the gap. Axes with no or one sample give one second a sample. The
    result is read-only: it is kept for the axes that were asked for last.
    """
    kept = _axis(times)
    if kept.seconds is None:
        kept.seconds = _sample_seconds(times)
    return kept.seconds


def usual_seconds(times: IntArray) -> float:
    """Return the median of ``sample_seconds``; there is a sample."""
    kept = _axis(times)
    if kept.usual is None:
        kept.usual = float(np.median(sample_seconds(times)))
    return kept.usual


def total_seconds(times: IntArray) -> float:
    """Return the seconds that all samples together represent."""
    kept = _axis(times)
    if kept.total is None:
        kept.total = float(sample_seconds(times).sum())
    return kept.total


def usual_step(times: IntArray) -> float:
    """Return the median interval between samples in ms; 0 for fewer than two samples."""
    kept = _axis(times)
    if kept.step is None:
        kept.step = float(np.median(np.diff(times))) if times.size > 1 else 0.0
    return kept.step


def _sample_seconds(times: IntArray) -> FloatArray:
    if times.size < 2:
        seconds = np.ones(times.size)
    else:
        usual = usual_step(times) / 1000.0
        seconds = np.minimum(np.concatenate(([usual], np.diff(times) / 1000.0)), 1.5 * usual)
    seconds.flags.writeable = False
    return seconds
