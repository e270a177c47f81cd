"""What several sources say of one entity: how it was recognised, how far their numbers disagree."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, islice
from typing import NamedTuple

import numpy as np

from resources.units import format_change, format_count, format_duration, format_value
from sessions.current_records import with_current_names
from sessions.model import EntityRef, FloatArray, IntArray, SampleSource, Series
from sessions.times import TimeRange

JOINED_BY = "joined_by"
"""The fact that says how a VM of one source was recognised as one of another's."""
_GUESS = "guess"
_FEWEST = 3
"""Values that must be compared before two sources are said to agree or not."""
_COARSER = 2
"""A source whose samples are so many times as long apart gives averages that hide something."""


PartOf = Callable[[Series], str]
"""Which part of its entity a series is of."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One counter of one entity as a finer and a coarser source have it.

    ``relative`` is the mean difference of values of the same time, the finer ones averaged over each interval
    of the coarser, as a part of the coarser source's mean (of the finer's, where that is 0): 0.02 for 2 %.
    ``values`` were compared. ``means`` and ``steps_ms`` are those of the finer and of the coarser source,
    over the time that both cover. ``peak`` is the finer source's sample that is furthest above what the
    coarser one says of the interval that it lies in, and that: None where it is no further above its own mean
    of that interval than the two are apart anyway.
    """

    entity: EntityRef
    counter: str
    instance: str
    finer: int
    coarser: int
    relative: float
    values: int
    unit: str
    means: tuple[float, float]
    steps_ms: tuple[int, int]
    peak: tuple[float, float] | None


@dataclass(frozen=True, eq=False, slots=True)
class SideBySide:
    """Two sources' values of the same times.

    ``times`` (n,) are those of the coarser one's samples in ms, ``coarser`` (n,) what they are; ``finer`` and
    ``highest`` (n,) are the finer one's mean and highest sample in the interval that ends there.

    ``steps_ms`` are the usual times between samples of the finer and the coarser one. ``is_first_finer``: the
    finer one was given first.
    """

    times: IntArray
    finer: FloatArray
    coarser: FloatArray
    highest: FloatArray
    steps_ms: tuple[int, int]
    is_first_finer: bool

    def disagreement(self, finer: Series, coarser: Series) -> Disagreement | None:
        """Return how far they are apart; None where too little is known, or nothing goes on."""
        if self.times.size < _FEWEST:
            return None
        scale = float(np.abs(self.coarser).mean()) or float(np.abs(self.finer).mean())
        if not scale:
            return None
        top = int((self.highest - self.coarser).argmax())
        apart = float(np.abs(self.finer - self.coarser).mean())
        is_hidden = self.highest[top] > max(self.finer[top] + apart, self.coarser[top])
        return Disagreement(
            finer.entity,
            finer.counter,
            finer.spec.instance,
            finer.source,
            coarser.source,
            apart / scale,
            int(self.times.size),
            finer.spec.unit,
            (float(self.finer.mean()), float(self.coarser.mean())),
            self.steps_ms,
            (float(self.highest[top]), float(self.coarser[top])) if is_hidden else None,
        )


@dataclass(frozen=True, eq=False, slots=True)
class SourcesApart:
    """Two series of one quantity, by id: how far they are apart (``measured``), and what is compared.

    ``sentence`` says so; ``counter`` is the quantity's label.
    """

    finer: int
    coarser: int
    measured: Disagreement
    compared: SideBySide
    counter: str
    sentence: str


class _Within(NamedTuple):
    """Which intervals have finer values (indices), their means and their highest ones."""

    there: IntArray
    means: FloatArray
    highest: FloatArray


def _instance(series: Series) -> str:
    return series.spec.instance


def is_guess(how: str) -> bool:
    """True for what says that a VM was recognised by its name alone."""
    return how.endswith(_GUESS)


def guessed_names(session: SampleSource) -> list[str]:
    """Return the names of the VMs that were recognised by their names alone."""
    facts = session.facts()
    known = {fact.entity: str(fact.value) for fact in facts if fact.name == JOINED_BY and fact.end is None}
    guessed: list[EntityRef] = [ref for ref, how in known.items() if is_guess(how)]
    if not guessed:
        return []
    named = with_current_names(session.entities(), facts)
    return sorted(named[ref].name if ref in named else ref.key for ref in guessed)


def disagreements(
    session: SampleSource,
    series: Iterable[Series],
    window: TimeRange | None = None,
    most: int | None = None,
    part_of: PartOf = _instance,
) -> list[Disagreement]:
    """Return how far sources disagree on those of ``series`` that several have; ``most`` pairs at most.
    ``part_of`` is that of ``same_quantity``.
    """
    compared = (_compared(session, *pair, window) for pair in islice(same_quantity(series, part_of), most))
    return [one for one in compared if one is not None]


def same_quantity(series: Iterable[Series], part_of: PartOf = _instance) -> Iterator[tuple[Series, Series]]:
    """Yield those of the series that are one counter of one entity, of two sources each.

    ``part_of`` says which part of the entity a series is of: its instance, or who measured it.
    """
    by_key: dict[tuple[EntityRef, str, str], list[Series]] = {}
    for one in series:
        by_key.setdefault((one.entity, one.counter, part_of(one)), []).append(one)
    return (pair for same in by_key.values() for pair in combinations(same, 2))


def _compared(
    session: SampleSource, first: Series, second: Series, window: TimeRange | None
) -> Disagreement | None:
    found = side_by_side(_samples(session, first, window), _samples(session, second, window))
    if found is None:
        return None
    finer, coarser = (first, second) if found.is_first_finer else (second, first)
    return found.disagreement(finer, coarser)


def side_by_side(
    first: tuple[IntArray, FloatArray], second: tuple[IntArray, FloatArray]
) -> SideBySide | None:
    """Put two sources' samples, as (times in ms, values), beside each other; None if one has no two.

    The finer ones are averaged over each interval of the coarser.
    """
    steps = _step(first[0]), _step(second[0])
    if not all(steps):
        return None
    is_first_finer = steps[0] <= steps[1]
    fine, coarse = (first, second) if is_first_finer else (second, first)
    fine_ms, coarse_ms = sorted(steps)
    within = _within(*fine, coarse[0], coarse_ms, fine_ms)
    return SideBySide(
        coarse[0][within.there],
        within.means,
        coarse[1][within.there],
        within.highest,
        (fine_ms, coarse_ms),
        is_first_finer,
    )


def _samples(session: SampleSource, series: Series, window: TimeRange | None) -> tuple[IntArray, FloatArray]:
    times: list[IntArray] = []
    values: list[FloatArray] = []
    for frame in session.read(np.array([series.id], np.int64), window):
        there = ~np.isnan(frame.values[:, 0])
        times.append(frame.times[there])
        values.append(frame.values[there, 0])
    if not times:
        return np.zeros(0, np.int64), np.zeros(0)
    return np.concatenate(times), np.concatenate(values)


def _step(times: IntArray) -> int:
    """The usual time between two samples (ms); 0 where there is none."""
    return int(np.median(np.diff(times))) if times.size > 1 else 0


def _within(times: IntArray, values: FloatArray, at: IntArray, coarse_ms: int, fine_ms: int) -> _Within:
    """The finer values in the interval that ends at each of ``at``, where they cover it whole."""
    first, last = np.searchsorted(times, at - coarse_ms, "right"), np.searchsorted(times, at, "right")
    there = np.flatnonzero(last - first >= max(1, round(coarse_ms / fine_ms) - 1))
    first, last = first[there], last[there]
    sums = np.concatenate([np.zeros(1), np.cumsum(values)])
    bounds = np.column_stack([first, last]).ravel()
    highest = np.maximum.reduceat(np.append(values, -np.inf), bounds)[::2] if there.size else np.zeros(0)
    return _Within(there, (sums[last] - sums[first]) / (last - first), highest)


def sentence(one: Disagreement, name: str, sources: Mapping[int, str]) -> str:
    """Return the disagreement in words; ``sources`` are the sources' names, ``name`` is the entity's."""
    what = " ".join(part for part in (name, one.counter, one.instance) if part)
    finer, coarser = (format_value(mean, one.unit) for mean in one.means)
    apart = format_change(abs(one.means[0] - one.means[1]), one.unit).lstrip("+")
    fine, coarse = (format_duration(step / 1000) for step in one.steps_ms)
    return (
        f"{what}: {sources[one.finer]} {finer}, {sources[one.coarser]} {coarser}: {apart} apart, samples of "
        f"{fine} against {coarse}; they differ by {100 * one.relative:.1f} % on average "
        f"({format_count(one.values)} values compared){_after(hidden(one))}"
    )


def short_sentence(one: Disagreement, sources: Mapping[int, str]) -> str:
    """Return the disagreement in words, for below the title of a chart that says what it is of."""
    finer, coarser = (format_value(mean, one.unit) for mean in one.means)
    compared = f"{format_count(one.values)} intervals of {format_duration(one.steps_ms[1] / 1000)}"
    return (
        f"{sources[one.coarser]} {coarser}, {sources[one.finer]} {finer} at the same times: "
        f"{100 * one.relative:.1f} % apart ({compared}){_after(hidden(one))}"
    )


def _after(words: str) -> str:
    return f"; {words}" if words else ""


def hidden(one: Disagreement) -> str:
    """Return what the coarser source's averages hide; empty where both have samples as often."""
    fine_ms, coarse_ms = one.steps_ms
    if coarse_ms < _COARSER * fine_ms or one.peak is None:
        return ""
    peak, beside = (format_value(value, one.unit) for value in one.peak)
    fine, coarse = (format_duration(step / 1000) for step in one.steps_ms)
    return f"averages of {coarse} hide {peak} for {fine} where they say {beside}"
