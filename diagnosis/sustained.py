"""From "true at these samples" to "a problem in these windows": how long a condition must hold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from diagnosis.arrays import (
    BoolArray,
    first_after,
    sample_seconds,
    total_seconds,
    usual_seconds,
    usual_step,
    window_sums,
)
from resources.problem_cards import Hold, Problems, Sustained
from sessions.model import FloatArray, IntArray

_ALONE = 2  # samples: one alone may stand for a moment that its interval spreads, however long that is
_SLACK = 0.3  # of an interval: three samples 19.9 s apart are 60 s
_APART = 2.5  # intervals: one good sample does not part a burst from itself
_NEARLY_ALL = 0.8  # of the distances between close bursts: one may be missed
_USUAL_S = (2.0, 5.0, 20.0, 60.0)  # how far apart samples are usually recorded: esxtop's, a vCenter's
_QUARTER = 0.25  # of a distance that a burst may be off, where samples are coarse against it


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


@dataclass(frozen=True, slots=True)
class CloseBursts:
    """Bursts of one entity that come back before a problem would have ended.

    ``every_ms`` is the median distance of their beginnings, ``lasts_ms`` how long half of them last at most;
    ``spans`` are the first and last position of each on the time axis.
    """

    every_ms: float
    lasts_ms: float
    spans: tuple[tuple[int, int], ...]


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
    violating = violating[rows]
    part = _bad_part(violating)
    violating = violating[:, part]
    inside = np.zeros(violating.shape, dtype=np.bool_)
    if not rule.only_bursts:
        inside = violating & _held_soon(true[rows], part, times, hold, rule)
    if rule.returning and times.size > 1:
        inside |= _returning(violating, part, times, hold, rule)
    return _merge(inside, rows, times, rule.clear_s, part.start)


def _bad_part(bad: BoolArray) -> slice:
    """The part of the time from the first bad sample of any row to the last; some row has one."""
    columns = np.flatnonzero(bad.any(axis=0))
    return slice(int(columns[0]), int(columns[-1]) + 1)


def most_within(true: BoolArray, times: IntArray, hold: Hold) -> FloatArray:
    """Return how long each row was bad at most within the time in which ``hold`` asks for it; (rows,), in
    seconds, or in samples where ``hold`` counts these.
    """
    if not true.any():
        return np.zeros(true.shape[0])
    part = _bad_part(true)
    weights = (_counted(times, hold) if hold.count else sample_seconds(times))[part]
    first = _window_start(times, _window_s(times, hold))[part] - part.start
    sums = window_sums(np.where(true[:, part], weights, 0.0), np.maximum(first, 0))
    most: FloatArray = sums.max(axis=1)
    return most


def fitted(windows: Windows, bad: FloatArray, times: IntArray, clear_s: float) -> Windows:
    """Return the windows with the spells of bad samples that they meet: from the first such sample to the
    last. A window that meets none stays as it is.

    ``bad`` is 1, 0 or NaN, shape (entities, times). Less than ``clear_s`` seconds of good samples do not end
    a spell.
    """
    rows = np.unique(windows.entity)
    spells = _merge(bad[rows] == 1, rows, times, clear_s)
    inside = np.zeros(bad.shape, dtype=np.bool_)
    for row, first, last in zip(windows.entity, windows.first, windows.last, strict=True):
        met = np.flatnonzero((spells.entity == row) & (spells.first <= last) & (spells.last >= first))
        start, end = (spells.first[met[0]], spells.last[met[-1]]) if met.size else (first, last)
        inside[row, start : end + 1] = True
    return _merge(inside[rows], rows, times, clear_s)


def spacing_ms(starts: IntArray, spread: float, slack_ms: float, part: float = 1.0) -> float | None:
    """Return the median distance (ms) between beginnings that are evenly spaced; None if they are not.

    At least the ``part`` (0 to 1) of the distances must not differ from the median by more than ``spread`` (0
    to 1) of it or ``slack_ms``.
    """
    distances = np.diff(starts)
    if not distances.size:
        return None
    usual = float(np.median(distances))
    is_near = np.abs(distances - usual) <= max(spread * usual, slack_ms)
    return usual if is_near.mean() >= part else None


def close_bursts(violating: BoolArray, times: IntArray, rule: Sustained) -> CloseBursts | None:
    """Return the bursts that come back and follow each other too closely to end a problem.

    ``violating`` are the samples of one entity, shape (times,). None if there is no such pattern.
    """
    if rule.returning is None or times.size < 2 or not violating.any():
        return None
    part = _bad_part(violating[None])
    own = violating[None, part]
    bursts = _merge(own, np.zeros(1, np.int64), times, _APART * usual_step(times) / 1000, part.start)
    several = bursts.last > bursts.first
    every = _close_spacing(times[bursts.first[several]], times[bursts.last[several]], times, rule)
    if every is None:
        return None
    step = usual_step(times)  # a burst's last sample stands for an interval, too
    lasts = float(np.median(times[bursts.last[several]] - times[bursts.first[several]])) + step
    return CloseBursts(every, lasts, tuple(zip(bursts.first.tolist(), bursts.last.tolist(), strict=True)))


def _close_spacing(starts: IntArray, ends: IntArray, times: IntArray, rule: Sustained) -> float | None:
    """The distance of bursts that come back before a problem would have ended; None without a pattern.

    What ends a problem is the good time between two bursts, as it is when windows are merged.
    """
    pattern = rule.returning
    if pattern is None or starts.size < pattern.times:
        return None
    if float(np.median(starts[1:] - ends[:-1])) > rule.clear_s * 1000:
        return None
    slack = min(2 * usual_step(times), _QUARTER * float(np.median(np.diff(starts))))
    return spacing_ms(starts, pattern.spread, slack, _NEARLY_ALL)


@dataclass(frozen=True, slots=True)
class _Bad:
    """Which samples are bad in the part of the time that begins at an instant, and the sums of the seconds
    that they stand for.
    """

    violating: BoolArray
    start: int
    sums: FloatArray

    def seconds(self, row: IntArray | int, first: IntArray, last: IntArray) -> FloatArray:
        """Return how long rows were bad between two positions on the time axis, both inclusive."""
        found: FloatArray = self.sums[row, last + 1 - self.start] - self.sums[row, first - self.start]
        return found


def _returning(violating: BoolArray, part: slice, times: IntArray, hold: Hold, rule: Sustained) -> BoolArray:
    """Which samples of a part of the time lie in bursts that come back at even intervals, each too short to
    be a problem.
    """
    sums = np.zeros((violating.shape[0], violating.shape[1] + 1))
    np.cumsum(np.where(violating, sample_seconds(times)[part], 0.0), axis=1, out=sums[:, 1:])
    bad = _Bad(violating, part.start, sums)
    return _far_bursts(bad, times, hold, rule) | _close_bursts(bad, times, hold, rule)


def _far_bursts(bad: _Bad, times: IntArray, hold: Hold, rule: Sustained) -> BoolArray:
    """Bursts further apart than what ends a problem, each of a part of the time that the rule asks for."""
    pattern = rule.returning
    assert pattern
    step = usual_step(times)
    violating = bad.violating
    bursts = _merge(violating, np.arange(violating.shape[0]), times, rule.clear_s, bad.start)
    lasted = bad.seconds(bursts.entity, bursts.first, bursts.last)
    long_enough = lasted >= pattern.part * hold.hold_s - _SLACK * step / 1000
    # A lone sample may stand for a moment that its interval spreads: more of them must come back, and closer.
    several = long_enough & (bursts.last > bursts.first)
    inside = np.zeros(violating.shape, dtype=np.bool_)
    for chosen, least, slack in ((several, pattern.times, 2 * step), (long_enough, pattern.lone_times, step)):
        often = np.bincount(bursts.entity[chosen], minlength=violating.shape[0]) >= least
        for row in np.flatnonzero(often).tolist():
            own = np.flatnonzero(chosen & (bursts.entity == row))
            if spacing_ms(times[bursts.first[own]], pattern.spread, slack) is not None:
                _mark(inside, bad, bursts, own)
    return inside


def _close_bursts(bad: _Bad, times: IntArray, hold: Hold, rule: Sustained) -> BoolArray:
    """Bursts that come back before a problem would have ended, together as long as the rule asks."""
    violating = bad.violating
    inside = np.zeros(violating.shape, dtype=np.bool_)
    apart_s = _APART * usual_step(times) / 1000
    lasting = np.flatnonzero(bad.sums[:, -1] >= hold.hold_s - _SLACK * usual_step(times) / 1000)
    if apart_s >= rule.clear_s or not lasting.size:
        return inside
    bursts = _merge(violating[lasting], lasting, times, apart_s, bad.start)
    several = bursts.last > bursts.first
    often = np.bincount(bursts.entity[several], minlength=violating.shape[0]) > 2
    for row in np.flatnonzero(often).tolist():
        own = np.flatnonzero(several & (bursts.entity == row))
        seconds = bad.seconds(row, bursts.first[own], bursts.last[own]).sum()
        is_long = seconds >= hold.hold_s - _SLACK * usual_step(times) / 1000
        starts, ends = times[bursts.first[own]], times[bursts.last[own]]
        if is_long and _close_spacing(starts, ends, times, rule) is not None:
            _mark(inside, bad, bursts, own)
    return inside


def _mark(inside: BoolArray, bad: _Bad, bursts: Windows, chosen: IntArray) -> None:
    """Mark the bad samples of the chosen bursts."""
    for burst in chosen.tolist():
        row, first, last = bursts.entity[burst], int(bursts.first[burst]), int(bursts.last[burst])
        span = slice(first - bad.start, last + 1 - bad.start)
        inside[row, span] = bad.violating[row, span]


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
    return total_seconds(times) < hold.hold_s or times.size < hold.count


def shortest_hold_s(problems: Problems) -> float:
    """Return the shortest time (s) that a rule asks for whose silence says something; 0 if none does."""
    every = [rule for card in problems.cards for rule in card.rules]
    judging = {rule.sustained for rule in every if not rule.finds_only}
    only_finding = {rule.sustained for rule in every if rule.finds_only} - judging
    asked = [one.warning.hold_s for name, one in problems.sustained.items() if name not in only_finding]
    return min((seconds for seconds in asked if seconds), default=0.0)


def fewest_samples(times: IntArray, hold: Hold) -> int:
    """Return with how many known samples ``hold`` can be met at the least."""
    if hold.count or times.size < 2:
        return max(hold.count, 1)
    interval = usual_step(times) / 1000
    return max(_ALONE, int(np.ceil(hold.hold_s / interval - _SLACK)))


def unseen_seconds(times: IntArray, hold: Hold, shortest_s: float) -> float:
    """Return how many seconds something must last to be suspected for sure, where samples are no finer than
    the time that ``hold`` asks for (``shortest_s`` where it counts samples); 0 where they are finer.

    A spell that lasts one interval more than the samples that ``hold`` needs has that many samples for
    itself, wherever they begin. A shorter one may be averaged with the time around it, or lie between looks.
    """
    interval = usual_step(times) / 1000
    if not is_coarse(times, hold.hold_s or shortest_s):
        return 0.0
    needed = hold.hold_s / interval - _SLACK
    if hold.count:
        needed = hold.count / float(np.median(_counted(times, hold)))
    return (max(1, int(np.ceil(needed))) + 1) * interval


def finer_interval_s(hold: Hold, shortest_s: float) -> float:
    """Return how far apart samples may be at most for what ``hold`` asks to show, of those that are usual."""
    hold_s = hold.hold_s or shortest_s
    fine = [every for every in _USUAL_S if every * (1 + _SLACK) < hold_s]
    return max(fine, default=_USUAL_S[0])


def is_coarse(times: IntArray, hold_s: float) -> bool:
    """Return True if a sample is as long as what it is asked about: then it may have averaged it away, or be
    a moment that its interval spreads.
    """
    return usual_step(times) * (1 + _SLACK) >= hold_s * 1000 > 0


def _held_soon(true: FloatArray, part: slice, times: IntArray, hold: Hold, rule: Sustained) -> BoolArray:
    """At which samples of a part of the time a hold is met, or is within the time in which it asks for it:
    such a sample is in a window. All that was bad lies in that part.
    """
    start = _window_start(times, _window_s(times, hold))
    end = np.searchsorted(start, np.arange(part.start, part.stop), side="right")
    held = _held(true, slice(part.start, int(end[-1])), start, times, hold, rule)
    sums = np.zeros((held.shape[0], held.shape[1] + 1), dtype=np.int64)
    np.cumsum(held, axis=1, out=sums[:, 1:])
    found: BoolArray = sums[:, end - part.start] - sums[:, : end.size] > 0
    return found


def _held(
    true: FloatArray, part: slice, start: IntArray, times: IntArray, hold: Hold, rule: Sustained
) -> BoolArray:
    """At which samples of a part of the time the time before has been bad for long enough: in one sample
    alone it never has. Before that part nothing was bad; ``start`` is where each sample's time begins.
    """
    first = np.maximum(start[part] - part.start, 0)
    weights = _counted(times, hold) if hold.count else sample_seconds(times)
    is_bad = true[:, part] == 1
    bad = window_sums(np.where(is_bad, weights[part], 0.0), first)
    if hold.count:
        return np.greater_equal(bad, hold.count)
    slack = _SLACK * usual_seconds(times)
    # Summed from the first sample on, as the sums of all of them are: the same to the last bit.
    unknown = np.isnan(true[:, : part.stop])
    there = np.where(unknown, 0.0, weights[: part.stop]) if unknown.any() else weights[None, : part.stop]
    known = window_sums(there, start[part], part.start)
    elapsed = np.minimum((times[part] - times[0]) / 1000.0 + weights[0], hold.of_s)
    held: BoolArray = (bad >= hold.hold_s - slack) & (known >= rule.coverage * elapsed - slack)
    if is_coarse(times, hold.hold_s):
        held &= window_sums(is_bad.astype(np.float64), first) >= _ALONE
    return held


def _window_s(times: IntArray, hold: Hold) -> float:
    """Return the seconds within which a hold must be met; where samples are coarse two of them must fit."""
    if hold.count or not is_coarse(times, hold.hold_s):
        return hold.of_s
    return max(hold.of_s, _ALONE * usual_step(times) / 1000)


def _counted(times: IntArray, hold: Hold) -> FloatArray:
    """Return how many samples each one counts for: those that are as long as the time in which ``count`` of
    them must be bad are no blips, each stands for that many.
    """
    return np.maximum(1.0, np.floor(hold.count * sample_seconds(times) / hold.of_s + _SLACK))


def _window_start(times: IntArray, seconds: float) -> IntArray:
    """For each sample the first one of the ``seconds`` up to it."""
    slack = int(_SLACK * 1000 * (usual_step(times) / 1000)) if times.size > 1 else 0
    first = first_after(times, slack - int(seconds * 1000), "right")
    return np.minimum(first, np.arange(times.size))  # a sample that stands for longer than that is its own


def _merge(inside: BoolArray, rows: IntArray, times: IntArray, clear_s: float, start: int = 0) -> Windows:
    """Windows of the samples ``inside``, of the part of the time that begins at the position ``start``."""
    row, column = np.nonzero(inside)
    if not row.size:
        return _no_windows()
    column = column + start
    far = np.diff(times[column]) > max(clear_s * 1000, (1 + _SLACK) * usual_step(times))
    breaks = np.flatnonzero((np.diff(row) != 0) | far) + 1
    first = np.concatenate(([0], breaks))
    final = np.concatenate((breaks, [row.size])) - 1
    return Windows(rows[row[first]], column[first], column[final])


def _no_windows() -> Windows:
    none = np.zeros(0, dtype=np.int64)
    return Windows(none, none, none)
