"""What several sources say of one entity: how it was recognised, how far their numbers disagree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations, islice

import numpy as np

from resources.units import format_change, format_count, format_duration, format_value
from sessions.current_records import with_current_names
from sessions.model import EntityRef, FloatArray, IntArray, SampleSource, Series
from sessions.times import TimeRange

_JOINED_BY = "joined_by"
_GUESS = "guess"
_FEWEST = 3
"""Values that must be compared before two sources are said to agree or not."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One counter of one entity as a finer and a coarser source have it.

    ``relative`` is the mean difference of values of the same time, the finer ones averaged over each interval
    of the coarser, as a part of the coarser source's mean: 0.02 for 2 %. ``values`` were compared. ``means``
    and ``steps_ms`` are those of the finer and of the coarser source, over the time that both cover.
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


def guessed_names(session: SampleSource) -> list[str]:
    """Return the names of the VMs that were recognised by their names alone."""
    facts = session.facts()
    known = {fact.entity: str(fact.value) for fact in facts if fact.name == _JOINED_BY and fact.end is None}
    guessed: list[EntityRef] = [ref for ref, how in known.items() if how.endswith(_GUESS)]
    if not guessed:
        return []
    named = with_current_names(session.entities(), facts)
    return sorted(named[ref].name if ref in named else ref.key for ref in guessed)


def disagreements(
    session: SampleSource, series: Iterable[Series], window: TimeRange | None = None, most: int | None = None
) -> list[Disagreement]:
    """Return how far sources disagree on those of ``series`` that several have; ``most`` pairs at most."""
    by_key: dict[tuple[EntityRef, str, str], list[Series]] = {}
    for one in series:
        by_key.setdefault((one.entity, one.counter, one.spec.instance), []).append(one)
    pairs = (pair for same in by_key.values() for pair in combinations(same, 2))
    compared = (_compared(session, *pair, window) for pair in islice(pairs, most))
    return [one for one in compared if one is not None]


def _compared(
    session: SampleSource, first: Series, second: Series, window: TimeRange | None
) -> Disagreement | None:
    samples = {one.id: _samples(session, one, window) for one in (first, second)}
    steps = {number: _step(times) for number, (times, _) in samples.items()}
    if any(step == 0 for step in steps.values()):
        return None
    fine, coarse = sorted((first, second), key=lambda one: steps[one.id])
    there, averaged = _averaged(*samples[fine.id], samples[coarse.id][0], steps[coarse.id], steps[fine.id])
    values = samples[coarse.id][1][there]
    scale = float(np.abs(values).mean()) if values.size >= _FEWEST else 0.0
    if not scale:
        return None
    relative = float(np.abs(averaged - values).mean()) / scale
    return Disagreement(
        fine.entity,
        fine.counter,
        fine.spec.instance,
        fine.source,
        coarse.source,
        relative,
        int(values.size),
        fine.spec.unit,
        (float(averaged.mean()), float(values.mean())),
        (steps[fine.id], steps[coarse.id]),
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


def _averaged(
    times: IntArray, values: FloatArray, at: IntArray, coarse_ms: int, fine_ms: int
) -> tuple[IntArray, FloatArray]:
    """The finer values averaged over the interval that ends at each of ``at``, where they cover it whole.

    Return which of ``at`` these are, and the means.
    """
    first, last = np.searchsorted(times, at - coarse_ms, "right"), np.searchsorted(times, at, "right")
    sums = np.concatenate([np.zeros(1), np.cumsum(values)])
    count = last - first
    there = np.flatnonzero(count >= max(1, round(coarse_ms / fine_ms) - 1))
    return there, (sums[last[there]] - sums[first[there]]) / count[there]


def sentence(one: Disagreement, name: str, sources: Mapping[int, str]) -> str:
    """Return the disagreement in words; ``sources`` are the sources' names, ``name`` is the entity's."""
    what = " ".join(part for part in (name, one.counter, one.instance) if part)
    finer, coarser = (format_value(mean, one.unit) for mean in one.means)
    apart = format_change(abs(one.means[0] - one.means[1]), one.unit).lstrip("+")
    fine, coarse = (format_duration(step / 1000) for step in one.steps_ms)
    return (
        f"{what}: {sources[one.finer]} {finer}, {sources[one.coarser]} {coarser}: {apart} apart, samples of "
        f"{fine} against {coarse}; they differ by {100 * one.relative:.1f} % on average "
        f"({format_count(one.values)} values compared)"
    )
