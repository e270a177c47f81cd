"""What is asked: the series that somebody points at, the window, and what it is compared with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from diagnosis.arrays import usual_step
from resources.correlation_roles import CorrelationNumbers
from sessions.model import FloatArray, IntArray, SampleSource, Series, Source
from sessions.times import TimeRange

_NEARLY_WORST = 0.8
_ROBUST = 1.4826  # the standard deviation of normal values that have this median deviation


@dataclass(frozen=True, slots=True)
class Question:
    """Asks what moved with ``reference`` in ``window``; None of either is found or left out.

    Without a reference every series is ranked by its change alone; without a window it is the time in which
    the reference was most unusual. Windows are in the reference clock.
    """

    reference: Series | None = None
    window: TimeRange | None = None
    top: int = 20


@dataclass(frozen=True, slots=True)
class Span:
    """The window that is looked at and its baseline; ``found`` if the window was chosen from the samples."""

    window: TimeRange
    baseline: TimeRange
    found: bool = False

    @property
    def has_baseline(self) -> bool:
        """True if there is any time to compare the window with."""
        return self.baseline.end > self.baseline.start

    @property
    def whole(self) -> TimeRange:
        """From the beginning of the earlier to the end of the later one."""
        return TimeRange(min(self.window.start, self.baseline.start), max(self.window.end, self.baseline.end))


def samples_of(session: SampleSource, series: Series, window: TimeRange) -> tuple[IntArray, FloatArray]:
    """Return the present samples of a series in a window of the reference clock, with their times there."""
    offset = offset_of(session, series.source)
    for frame in session.read(np.array([series.id]), TimeRange(window.start + offset, window.end + offset)):
        known = ~np.isnan(frame.values[:, 0])
        return frame.times[known] - offset, frame.values[known, 0]
    return np.zeros(0, np.int64), np.zeros(0)


def offset_of(session: SampleSource, source: int) -> int:
    """Return how far a source's clock is ahead of the reference clock, in ms."""
    return next((one.spec.clock_offset_ms for one in session.sources() if one.id == source), 0)


def step_of(source: Source, times: IntArray) -> int:
    """Return the usual time between two samples of a source, in ms."""
    return max(1, int(usual_step(times)) if times.size > 1 else round((source.spec.interval_s or 1.0) * 1000))


def span_of(
    window: TimeRange, whole: TimeRange, step: int, numbers: CorrelationNumbers, *, found: bool
) -> Span:
    """Return the window with a baseline: so many times its length before it, or after it where there is
    more time.

    A baseline is kept so short that both together can be read sample by sample, as long as it stays a
    quarter of the window.
    """
    window = window.intersect(whole) or window
    length = window.end - window.start + 1
    usual = max(int(numbers.baseline_times.value * length), int(numbers.baseline_samples.value * step))
    room = int(numbers.max_samples.value * step) - length
    wanted = min(usual, room) if room >= length // 4 else usual
    before, after = window.start - whole.start, whole.end - window.end
    if before >= min(wanted, length) or before >= after:
        return Span(
            window,
            TimeRange(max(whole.start, window.start - wanted), max(whole.start, window.start - 1)),
            found,
        )
    return Span(
        window, TimeRange(window.end + 1, max(window.end + 1, min(whole.end, window.end + wanted))), found
    )


def strangest_window(
    times: IntArray, values: FloatArray, step: int, numbers: CorrelationNumbers, worse: float, least: float
) -> TimeRange | None:
    """Return the time in which a series was most unusual: neighbouring samples far from what is normal.

    ``worse`` 1 or −1: only higher or lower values count; 0: both. Normal is the median, or what it is in its
    best times if it was bad for longer than half of the time. None if it never was unusual by more than
    ``least``. Excursions that are closer than half a minute, or five samples, belong together; of a very
    long one the worst part counts.
    """
    if times.size < numbers.min_samples.value:
        return None
    deviations = numbers.pattern_excess.value
    away, best = excess(values, deviations), None
    if worse:
        away = np.where((values - np.median(values)) * worse > 0, away, 0.0)
        best = _above_best_times(values * worse, deviations)
        away = away if best is None else best
    out = np.flatnonzero(away > 0)
    if not out.size or out.size > 0.95 * times.size:
        return None
    apart = np.flatnonzero(np.diff(times[out]) > max(30_000, 5 * step))
    groups = np.split(out, apart + 1)
    longest = _worst_part(max(groups, key=lambda group: float(away[group].sum())), away, times, step, numbers)
    if abs(float(values[longest].mean()) - float(np.quantile(values, 0.5 if best is None else 0.1))) < least:
        return None
    margin = 2 * step
    return TimeRange(
        max(int(times[0]), int(times[longest[0]]) - margin),
        min(int(times[-1]), int(times[longest[-1]]) + margin),
    )


def _worst_part(
    places: IntArray, away: FloatArray, times: IntArray, step: int, numbers: CorrelationNumbers
) -> IntArray:
    """At most so many samples as can be compared one by one with a baseline of as many: those that together
    are furthest away, or the beginning where that is nearly as bad: it tells who came first.
    """
    most = int(numbers.max_samples.value / 2) * step
    if int(times[places[-1]] - times[places[0]]) <= most:
        return places
    total = np.concatenate([[0.0], np.cumsum(away[places])])
    ends = np.searchsorted(times[places], times[places] + most, side="right")
    sums = total[ends] - total[:-1]
    first = 0 if sums[0] >= _NEARLY_WORST * sums.max() else int(np.argmax(sums))
    return places[first : int(ends[first])]


def _above_best_times(values: FloatArray, deviations: float) -> FloatArray | None:
    """How far values lie above those of the best tenth of the time, where the median itself does."""
    best, low, middle = (float(np.quantile(values, q)) for q in (0.1, 0.02, 0.5))
    spread = max((best - low) / 0.77, 0.02 * abs(best), 1e-9)  # 0.77: as for normal values
    reach = best + (2 * deviations + 1.3) * spread
    return np.maximum(values - reach, 0.0) if middle > reach else None


def excess(values: FloatArray, deviations: float) -> FloatArray:
    """Return how far each value lies beyond so many median deviations from the median; 0 within them.

    Of whole numbers, as vCenter's milliseconds, most may be one and the same: half of the step from one to
    the next is the least that they spread.
    """
    middle = float(np.median(values))
    spread = _ROBUST * float(np.median(np.abs(values - middle)))
    floor = max(spread, 0.02 * abs(middle), 0.5 * _smallest_step(values), 1e-9)
    result: FloatArray = np.maximum(np.abs(values - middle) - deviations * floor, 0.0)
    return result


def _smallest_step(values: FloatArray) -> float:
    """The least by which two of the values differ; 0 if they are all alike."""
    steps = np.diff(np.unique(values))
    return float(steps.min(initial=np.inf)) if steps.size else 0.0
