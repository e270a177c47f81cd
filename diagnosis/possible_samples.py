"""A session without what can't be true: numbers that no host has, zeros of what never counted, such facts."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from diagnosis.silent_hosts import Silence, silent_series
from resources.possible_values import PossibleValues
from sessions.model import Fact, Frame, IntArray, SampleSource, Series, SeriesStats
from sessions.passing_on import PassingOn
from sessions.series_statistics import copied, measure
from sessions.times import TimeRange

_NEVER = np.iinfo(np.int64).min


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The samples of a series that can't be true: how many in the window, and the one farthest off."""

    series: Series
    samples: int
    worst: float


class PossibleSamples(PassingOn):
    """A SampleSource in which samples and facts that can't be true are absent; the session keeps them.

    It answers for the series of ``counters`` that the session has now, in a ``window``; ``extend`` goes on
    with a longer one.
    """

    def __init__(
        self, source: SampleSource, values: PossibleValues, counters: Collection[str], window: TimeRange
    ) -> None:
        super().__init__(source)
        self._values, self._window = values, window
        self._counters = frozenset((*counters, *values.signs))
        self._series = source.series(self._counters)
        ids = [one.id for one in self._series]
        size = max(ids, default=0) + 1
        self._least, self._most = np.full(size, -np.inf), np.full(size, np.inf)
        keys = [(spec.counter, spec.unit) for spec in (one.spec for one in self._series)]
        limits = {key: values.limits(*key) for key in dict.fromkeys(keys)}
        self._least[ids] = [limits[key][0] for key in keys]
        self._most[ids] = [limits[key][1] for key in keys]
        self._sound_to = np.full(size, _NEVER)
        """Up to when all samples of a series, from the window's beginning on, are known to be possible."""
        self._wild: dict[int, tuple[int, float]] = {}
        self._is_silent = np.zeros(size, np.bool_)
        self.silences: Sequence[Silence] = self._silences(window)
        for silence in self.silences:
            self._is_silent[list(silence.series)] = True

    def is_as_before(self, window: TimeRange) -> bool:
        """Return True if a longer window says the same of what never counted."""
        return list(self._silences(window)) == list(self.silences)

    def extend(self, window: TimeRange) -> None:
        """Go on with a longer window, for which ``is_as_before``."""
        self._window = window
        self._sound_to[:] = _NEVER

    def left_out(self) -> Sequence[LeftOut]:
        """Return what was left out of the series whose statistics were asked for, the most samples first."""
        by_id = {one.id: one for one in self._series if one.id in self._wild}
        found = [LeftOut(by_id[number], *wild) for number, wild in self._wild.items()]
        return sorted(found, key=lambda one: (-one.samples, one.series.id))

    def with_left_out(self, ids: IntArray, counts: IntArray) -> IntArray:
        """Return the numbers of samples that series have in the session, of which ``counts`` are possible."""
        if not (self.silences or self._wild):
            return counts
        own = ids < self._is_silent.size
        silent = np.flatnonzero(own)[self._is_silent[ids[own]]]
        found = counts + np.array([self._wild.get(one, (0, 0.0))[0] for one in ids.tolist()], np.int64)
        if silent.size:
            found[silent] = self._source.stats(ids[silent], self._window).count
        return found

    def _silences(self, window: TimeRange) -> Sequence[Silence]:
        return silent_series(self._series, self._source, self._values, window)

    def series(self, counters: Collection[str] | None = None) -> Sequence[Series]:
        """Return all series, or those of the given counter keys, ordered by id."""
        if counters is None or not self._counters.issuperset(counters):
            return self._source.series(counters)
        return [one for one in self._series if one.spec.counter in counters]

    def facts(self) -> Sequence[Fact]:
        """Return the facts that can be true, ordered by start."""
        told = self._source.facts()
        names = {fact.name for fact in told}
        limits = {name: self._values.fact_limits(name) for name in names}
        return [fact for fact in told if _can_be(fact, *limits[fact.name])]

    def stats(self, ids: IntArray, window: TimeRange | None = None) -> SeriesStats:
        """Return statistics of each series over the window."""
        ids = np.asarray(ids, np.int64)
        found = self._source.stats(ids, window)
        is_wild = (found.minimum < self._least[ids]) | (found.maximum > self._most[ids])
        is_silent = self._is_silent[ids]
        if window is not None and window.start <= self._window.start:
            self._sound_to[ids[~is_wild & ~is_silent]] = window.end
        if not (is_wild.any() or is_silent.any()):
            return found
        found = copied(found)
        _make_absent(found, np.flatnonzero(is_silent))
        self._measure_again(found, ids, np.flatnonzero(is_wild & ~is_silent), window)
        return found

    def _measure_again(
        self, found: SeriesStats, ids: IntArray, wild: IntArray, window: TimeRange | None
    ) -> None:
        """Renew the statistics at the places ``wild`` from the samples that are possible."""
        places: dict[int, list[int]] = {}
        for place in wild.tolist():
            places.setdefault(int(ids[place]), []).append(place)
        is_whole = window is not None and window == self._window
        for frame in self._source.read(np.array(sorted(places), np.int64), window) if places else ():
            for number, column in zip(frame.ids.tolist(), frame.values.T, strict=True):
                with np.errstate(invalid="ignore"):
                    is_possible = (column >= self._least[number]) & (column <= self._most[number])
                kept, left = column[is_possible], column[~is_possible & ~np.isnan(column)]
                if is_whole and left.size:
                    self._wild[number] = left.size, float(left[np.argmax(np.abs(left))])
                for place in places[number]:
                    measure(found, place, kept)

    def read(self, ids: IntArray, window: TimeRange | None = None) -> list[Frame]:
        """Return the samples: one frame for each source that has any of the series."""
        return [self._possible(frame, window) for frame in self._source.read(ids, window)]

    def _possible(self, frame: Frame, window: TimeRange | None) -> Frame:
        ids, values = frame.ids, frame.values
        is_sound = np.zeros(ids.size, np.bool_)
        if window is not None and window.start >= self._window.start:
            is_sound = self._sound_to[ids] >= window.end
        if is_sound.all():
            return frame
        doubtful = np.flatnonzero(~is_sound)
        part = values[:, doubtful] if doubtful.size < ids.size else values
        some = ids[doubtful]
        with np.errstate(invalid="ignore"):
            is_wild = (part < self._least[some]) | (part > self._most[some])
        is_wild |= self._is_silent[some]
        if not is_wild.any():
            return frame
        values = values.copy()
        values[:, doubtful] = np.where(is_wild, np.nan, part)
        return replace(frame, values=values)


def _can_be(fact: Fact, least: float, most: float) -> bool:
    """Whether a fact has a possible number, if any, and does not end before it begins."""
    is_possible = isinstance(fact.value, (str, bool)) or least <= fact.value <= most
    return is_possible and (fact.end is None or fact.start <= fact.end)


def _make_absent(found: SeriesStats, places: IntArray) -> None:
    found.count[places] = 0
    for one in (found.minimum, found.maximum, found.mean):
        one[places] = np.nan
