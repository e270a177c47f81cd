"""Compares two windows of one session or of two: every counter of every entity, corrected, ranked."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol, runtime_checkable

import numpy as np

from diagnosis.comparison.distributions import Distributions, distributions
from diagnosis.comparison.joining import Joining
from diagnosis.comparison.load import Sides, load_of
from diagnosis.comparison.measuring import measured
from diagnosis.comparison.pairing import Paired, Present, entities_of, paired, present
from diagnosis.comparison.ranking import Importance, order
from diagnosis.comparison.records import Records
from diagnosis.comparison.surroundings import entity_changes, events_between
from diagnosis.comparison.values import (
    VERDICTS,
    Change,
    CounterChange,
    Load,
    Pair,
    Row,
    Sample,
    Side,
    Verdict,
)
from diagnosis.comparison.verdicts import Differences, differences, margins, ratio_interval, why
from diagnosis.statistics.means import Means
from diagnosis.statistics.student_arrays import two_sided_reach
from resources.catalogue import Catalogue
from resources.comparison_rules import ComparisonRules
from resources.failures import CancelledError
from resources.problem_cards import Problems
from resources.stopping import StopSignal
from resources.views import load_headlines, load_limits
from sessions.model import EntityRef, Event, FloatArray, IntArray, SampleSource

Progress = Callable[[float | None, str], None]
_ALL: Collection[EntityRef] = ()


@runtime_checkable
class ReadsRepeatedly(Protocol):
    """A session that can be read several times without doing all the work again."""

    def read_repeatedly(self) -> AbstractContextManager[None]:
        """Return a block within which all reads see one state."""


_PARTS = frozenset({"vcpu", "world", "vdisk", "port", "path", "adapter", "nic"})


def every_counter(_counter: str) -> bool:
    """Choose all counters."""
    return True


@dataclass(frozen=True)
class Choice:
    """What is compared: entities (none: all), given for each side, and counters by a predicate."""

    entities: tuple[Collection[EntityRef], Collection[EntityRef]] = (_ALL, _ALL)
    counter: Callable[[str], bool] = every_counter

    @property
    def is_everything(self) -> bool:
        """True if nothing is left out."""
        return self.counter is every_counter and not any(self.entities)

    def has(self, pair: Pair) -> bool:
        """Return True if a pair is meant."""
        if not self.counter(pair.a.counter):
            return False
        if not any(self.entities):
            return True
        return pair.a.entity in self.entities[0] or pair.b.entity in self.entities[1]


@dataclass(frozen=True)
class Comparison:
    """The result. ``order`` are the places of the pairs, what matters most first."""

    sides: tuple[Side, Side]
    pairs: Sequence[Pair]
    means: tuple[Means, Means]
    differences: Differences
    order: IntArray
    load: Load
    changes: Sequence[Change]
    counters: Sequence[CounterChange]
    events: Sequence[Event]
    records: tuple[Records, Records]
    importance: Importance

    @cached_property
    def counts(self) -> dict[Verdict, int]:
        """How many pairs have each verdict."""
        found = Counter(self.differences.verdict.tolist())
        return {verdict: found[at] for at, verdict in enumerate(VERDICTS)}

    @cached_property
    def judged(self) -> dict[str, int]:
        """How many changes are better, worse, or to know."""
        of = self.differences
        changed = np.flatnonzero(of.verdict < 2).tolist()
        return dict(
            Counter(self.importance.judged(self.pairs[at].a.counter, of.verdict_of(at)) for at in changed)
        )

    @cached_property
    def indicative(self) -> dict[str, int]:
        """How many changes of each judgement have too few independent samples to be more than indicative."""
        of, least = self.differences, self.importance.rules.confidence.independent_least.value
        few = np.minimum(*(np.nan_to_num(one.effective) for one in self.means)) < least
        unsure = np.flatnonzero(few & (of.verdict < 2)).tolist()
        return dict(
            Counter(self.importance.judged(self.pairs[at].a.counter, of.verdict_of(at)) for at in unsure)
        )

    def rows(
        self, ranks: Sequence[int] | None = None, step: Callable[[float], None] = lambda _: None
    ) -> Iterator[Row]:
        """Yield the rows at these places of the order, counted from 0, or all of them.

        Percentiles and effects are of raw samples, which are read now. ``step`` is called with the part that
        is done, and may raise to stop.
        """
        chosen = range(len(self.pairs)) if ranks is None else ranks
        places = [int(self.order[rank]) for rank in chosen]
        found = distributions(self.sides, [self.pairs[at] for at in places], step)
        for number, (rank, at) in enumerate(zip(chosen, places, strict=True)):
            yield self._row(rank, at, (found, number))

    def outline_of(self, ranks: Sequence[int]) -> Iterator[Row]:
        """Yield the rows at these places without reading samples: percentiles and effects are NaN."""
        for rank in ranks:
            yield self._row(rank, int(self.order[rank]), None)

    def read_by(self, a: SampleSource, b: SampleSource) -> Comparison:
        """Return the same with other readers of the same two sessions: those that compared may be closed."""
        first, second = (
            replace(side, session=session) for side, session in zip(self.sides, (a, b), strict=True)
        )
        return replace(self, sides=(first, second))

    def _row(self, rank: int, at: int, found: tuple[Distributions, int] | None) -> Row:
        pair, of = self.pairs[at], self.differences
        samples = [
            _sample(means, at, None if found is None else found[0].percentiles[side, found[1]])
            for side, means in enumerate(self.means)
        ]
        names = [
            self.records[side].name(series.entity, self.sides[side].window.end)
            for side, series in enumerate((pair.a, pair.b))
        ]
        verdict, unit = of.verdict_of(at), pair.a.spec.unit
        rules, (mean_a, mean_b) = self.importance.rules, (float(one.mean[at]) for one in self.means)
        low, high = float(of.low[at]), float(of.high[at])
        is_known = bool(np.isfinite(low) and np.isfinite(high))
        return Row(
            rank=rank + 1,
            entity=pair.b.entity,
            name=names[0],
            name_in_b=names[1],
            owner=self._owner(pair.b.entity),
            counter=pair.a.counter,
            instance=pair.a.spec.instance,
            unit=unit,
            source=self._source(pair),
            joined_by=pair.joined_by,
            a=samples[0],
            b=samples[1],
            difference=float(of.difference[at]),
            interval=(low, high) if is_known else None,
            ratio=_finite(mean_b / mean_a) if mean_a else None,
            ratio_interval=self._ratio_interval(at) if is_known else None,
            chance=float(of.chance[at]),
            corrected=float(of.corrected[at]),
            effect=float("nan") if found is None else float(found[0].effect[found[1]]),
            verdict=verdict,
            judged=self.importance.judged(pair.a.counter, verdict),
            margin=float(of.margin[at]),
            why=why(of, at, samples, unit, rules),
        )

    def _owner(self, ref: EntityRef) -> str:
        """The VM or host that an entity is a part of; empty for what stands for itself."""
        if ref.kind not in _PARTS:
            return ""
        above = [one for one in self.records[1].ancestors(ref) if one.kind in {"vm", "host"}]
        return self.records[1].name(above[0], self.sides[1].window.end) if above else ""

    @cached_property
    def _source_names(self) -> tuple[dict[int, str], dict[int, str]]:
        a, b = ({one.id: one.spec.name for one in side.session.sources()} for side in self.sides)
        return a, b

    def _source(self, pair: Pair) -> str:
        a, b = (names[one.source] for names, one in zip(self._source_names, (pair.a, pair.b), strict=True))
        return a if a == b else f"{a} → {b}"

    def _ratio_interval(self, at: int) -> tuple[float, float] | None:
        a, b = ((float(one.mean[at]), float(one.error[at])) for one in self.means)
        freedom = np.array([np.fmin(*(one.freedom[at] for one in self.means))])
        confidence = self.importance.rules.judging.confidence.value
        found = ratio_interval(a, b, float(two_sided_reach(confidence, freedom)[0]))
        return found if found and all(map(math.isfinite, found)) else None


def _finite(ratio: float) -> float | None:
    """The ratio; None of a number that is as good as nothing, which no number can be compared with."""
    return ratio if math.isfinite(ratio) else None


def _sample(means: Means, at: int, of: FloatArray | None) -> Sample:
    p50, p95, p99 = (float("nan"),) * 3 if of is None else of.tolist()
    effective = float(means.effective[at])
    return Sample(
        int(means.count[at]),
        effective if np.isfinite(effective) else 0.0,
        float(means.mean[at]),
        p50,
        p95,
        p99,
    )


def compare(
    a: Side,
    b: Side,
    choice: Choice,
    knowledge: tuple[Catalogue, Problems, ComparisonRules],
    *,
    progress: Progress | None = None,
    cancel: StopSignal | None = None,
) -> Comparison:
    """Compare side B with side A. Raises CancelledError once ``cancel`` is set.

    A session that is being recorded is compared as it is at the beginning.
    """
    with ExitStack() as held:
        for session in {id(side.session): side.session for side in (a, b)}.values():
            if isinstance(session, ReadsRepeatedly):
                held.enter_context(session.read_repeatedly())
        return _compared((a, b), choice, knowledge, progress, cancel)


def _compared(
    sides: tuple[Side, Side],
    choice: Choice,
    knowledge: tuple[Catalogue, Problems, ComparisonRules],
    progress: Progress | None,
    cancel: StopSignal | None,
) -> Comparison:
    catalogue, problems, rules = knowledge
    a, b = sides
    step = _steps(progress, cancel)
    is_one = a.session is b.session
    first = Records(a.session)
    records = (first, first if is_one else Records(b.session))
    step("what was measured", 0.1)
    series = a.session.series()
    found = (
        present(a, series, lambda: step("what was measured", 0.2)),
        present(b, series if is_one else b.session.series(), lambda: step("what was measured", 0.4)),
    )
    there = [entities_of(record, part.series) for record, part in zip(records, found, strict=True)]
    joining = Joining(*records, *there, is_one_session=is_one)
    both = paired(sides, found, joining)
    meant = both if choice.is_everything else both.only(choice.has)
    means = _means(sides, found, meant, step)
    step("differences", 0.8)
    margin = margins(meant.pairs, means[0].mean, rules)
    of = differences(*means, margin, rules)
    importance = Importance(catalogue, rules, load_limits(problems), load_headlines(catalogue))
    scope = _scope(choice, joining, records)
    load = load_of(Sides(sides, found, records, joining, rules), scope, lambda: step("the load", 0.9))
    in_scope = {*scope[0], *scope[1]}
    return Comparison(
        sides,
        meant.pairs,
        means,
        of,
        order(meant.pairs, means, of, importance),
        load,
        [one for one in entity_changes(sides, records, joining) if not in_scope or one.entity in in_scope],
        [one for one in both.counters if choice.counter(one.counter)],
        [
            one
            for one in events_between(sides)
            if not in_scope or one.entity is None or one.entity in in_scope
        ],
        records,
        importance,
    )


def _means(
    sides: tuple[Side, Side],
    found: tuple[Present, Present],
    meant: Paired,
    step: Callable[[str, float], None],
) -> tuple[Means, Means]:
    return (
        measured(sides[0], found[0].take(meant.at_a), lambda: step("means of A", 0.5)),
        measured(sides[1], found[1].take(meant.at_b), lambda: step("means of B", 0.7)),
    )


def _scope(
    choice: Choice, joining: Joining, records: tuple[Records, Records]
) -> tuple[Collection[EntityRef], Collection[EntityRef]]:
    """The chosen entities of each side with their parts, and their partners on the other; empty for all."""
    if not any(choice.entities):
        return _ALL, _ALL
    back, forth = joining.in_a, joining.partners
    a = {*choice.entities[0], *(back[ref] for ref in choice.entities[1] if ref in back)}
    b = {*choice.entities[1], *(forth[ref].ref for ref in choice.entities[0] if ref in forth)}
    return a | records[0].parts_of(a), b | records[1].parts_of(b)


def _steps(progress: Progress | None, cancel: StopSignal | None) -> Callable[[str, float], None]:
    def step(what: str, part: float) -> None:
        if cancel is not None and cancel.is_set():
            raise CancelledError("Comparing was stopped.")
        if progress is not None:
            progress(part, what)

    return step
