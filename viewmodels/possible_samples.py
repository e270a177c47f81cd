"""Samples as views show them: what no host can have (``resources.possible_values``) is absent, as in judging.

One sample of 1e15 % would else be the whole scale of its chart, and the first row of every ranking.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np

from resources.possible_values import load_possible_values
from resources.units import format_count, format_value
from sessions.model import FloatArray, Frame, IntArray, Overview, SampleSource, Series, SeriesStats
from sessions.passing_on import PassingOn
from sessions.series_statistics import copied, measure
from sessions.store import SessionReader
from sessions.times import TimeRange


def _no_numbers() -> FloatArray:
    return np.zeros(0)


def _no_ids() -> IntArray:
    return np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Samples that were left out: their times (ms), series ids and values, arrays of one length."""

    times: IntArray = field(default_factory=_no_ids)
    ids: IntArray = field(default_factory=_no_ids)
    values: FloatArray = field(default_factory=_no_numbers)

    def of(self, series: int, window: TimeRange) -> FloatArray:
        """Return the values of a series in a window."""
        found: FloatArray = self.values[self._within(window) & (self.ids == series)]
        return found

    def beside(self, part: TimeRange) -> LeftOut:
        """Return the samples without those in a part of the time."""
        kept = ~self._within(part)
        return LeftOut(self.times[kept], self.ids[kept], self.values[kept]) if self.ids.size else self

    def added(self, more: LeftOut) -> LeftOut:
        """Return these samples and more."""
        if not more.ids.size:
            return self
        return LeftOut(
            np.concatenate([self.times, more.times]),
            np.concatenate([self.ids, more.ids]),
            np.concatenate([self.values, more.values]),
        )

    def _within(self, window: TimeRange) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        return (self.times >= window.start) & (self.times <= window.end)


class PossibleReader:
    """Reads samples and statistics of ``series`` without what no host can have; others are read as they are.

    ``left_out`` are the ids of series of which ``read`` has left samples out.
    """

    def __init__(self, source: SampleSource, series: Iterable[Series]) -> None:
        self._source = source
        self.left_out: set[int] = set()
        self._limits = {one.id: limits_of(one.counter, one.spec.unit) for one in series}

    def read(self, ids: IntArray, window: TimeRange | None = None) -> list[Frame]:
        """Return the samples: one frame for each source that has any of the series."""
        pairs = [without_impossible(frame, self._limits) for frame in self._source.read(ids, window)]
        self.left_out.update(number for _frame, left in pairs for number in left.ids.tolist())
        return [frame for frame, _left in pairs]

    def stats(self, ids: IntArray, window: TimeRange | None = None) -> SeriesStats:
        """Return statistics of each series over the window."""
        found = self._source.stats(ids, window)
        least, most = _bounds(ids, self._limits)
        wild = np.flatnonzero((found.minimum < least) | (found.maximum > most))
        if not wild.size:
            return found
        found = copied(found)
        columns = {
            number: column[~np.isnan(column)]
            for frame in self.read(np.unique(ids[wild]), window)
            for number, column in zip(frame.ids.tolist(), frame.values.T, strict=True)
        }
        for place in wild.tolist():
            measure(found, place, columns.get(int(ids[place]), np.zeros(0)))
        return found


class PossibleSource(PassingOn):
    """A session without what no host can have, for what takes a whole session: comparing, correlating."""

    def __init__(self, session: SessionReader) -> None:
        super().__init__(session)
        self._session = session
        self._reader = PossibleReader(session, session.series())

    @property
    def left_out(self) -> int:
        """Of how many series samples have been left out so far."""
        return len(self._reader.left_out)

    def stats(self, ids: IntArray, window: TimeRange | None = None) -> SeriesStats:
        """Return statistics of each series over the window."""
        return self._reader.stats(np.asarray(ids, np.int64), window)

    def read(self, ids: IntArray, window: TimeRange | None = None) -> list[Frame]:
        """Return the samples: one frame for each source that has any of the series."""
        return self._reader.read(ids, window)

    def block_means(self, ids: IntArray, window: TimeRange | None, most: int) -> FloatArray:
        """Return means of each series over stretches of the window, in order of time, without samples: NaN of
        series of which samples have been left out, whose means they would tell of, too.
        """
        means = self._session.block_means(ids, window, most)
        means[np.isin(ids, list(self._reader.left_out))] = np.nan
        return means

    def read_repeatedly(self) -> AbstractContextManager[None]:
        """Return a block within which all reads see one state."""
        return self._session.read_repeatedly()


def without_impossible_samples(sessions: Sequence[SessionReader]) -> list[PossibleSource]:
    """Return these sessions without what no host can have; one that is there twice stays one."""
    made = {id(one): PossibleSource(one) for one in sessions}
    return [made[id(one)] for one in sessions]


Limits = Mapping[int, tuple[float, float]]
"""The lowest and highest possible sample by series id; without an entry everything is possible."""


@cache
def limits_of(counter: str, unit: str) -> tuple[float, float]:
    """Return the lowest and the highest possible sample of a counter."""
    return load_possible_values().limits(counter, unit)


def without_impossible(frame: Frame, limits: Limits) -> tuple[Frame, LeftOut]:
    """Return a frame in which impossible samples are absent, and these."""
    least, most = _bounds(frame.ids, limits)
    with np.errstate(invalid="ignore"):
        is_wild = (frame.values < least) | (frame.values > most)
    if not is_wild.any():
        return frame, LeftOut()
    rows, columns = np.nonzero(is_wild)
    left = LeftOut(frame.times[rows], frame.ids[columns], frame.values[rows, columns])
    return replace(frame, values=np.where(is_wild, np.nan, frame.values)), left


def possible_parts(overview: Overview, limits: tuple[float, float]) -> Overview:
    """Return an overview without the buckets that have an impossible sample."""
    is_wild = (overview.minimum < limits[0]) | (overview.maximum > limits[1])
    if not is_wild.any():
        return overview
    return Overview(*(getattr(overview, name)[~is_wild] for name in Overview.__slots__))


def left_out_text(values: FloatArray, unit: str) -> str:
    """Return ``2 samples that no host can have are left out, as 1e15 %``; empty for none."""
    if not values.size:
        return ""
    farthest = format_value(float(values[np.argmax(np.abs(values))]), unit)
    if values.size == 1:
        return f"1 sample that no host can have is left out: {farthest}"
    return f"{format_count(values.size)} samples that no host can have are left out, such as {farthest}"


def left_out_count(numbers: int) -> str:
    """Return ``2 numbers that no host can have are left out``."""
    if numbers == 1:
        return "1 number that no host can have is left out"
    return f"{format_count(numbers)} numbers that no host can have are left out"


def left_out_of(many: int) -> str:
    """Return ``numbers that no host can have are left out of 2``; empty for none."""
    return f"numbers that no host can have are left out of {format_count(many)}" if many else ""


def series_left_out(sessions: Iterable[SampleSource]) -> str:
    """Return ``2 series have samples that no host can have: they are left out.``; empty for none."""
    number = sum(
        one.left_out for one in {id(one): one for one in sessions}.values() if isinstance(one, PossibleSource)
    )
    if not number:
        return ""
    have = "1 series has" if number == 1 else f"{format_count(number)} series have"
    return f"{have} samples that no host can have: they are left out."


def _bounds(ids: IntArray, limits: Limits) -> tuple[FloatArray, FloatArray]:
    known = [limits.get(number, (-math.inf, math.inf)) for number in ids.tolist()]
    pairs = np.array(known, np.float64).reshape(len(known), 2)
    return pairs[:, 0], pairs[:, 1]
