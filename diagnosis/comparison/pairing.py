"""Which series of one side is compared with which of the other."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from diagnosis.comparison.joining import Joining
from diagnosis.comparison.records import Records
from diagnosis.comparison.values import CounterChange, Pair, Side
from sessions.model import EntityRef, FloatArray, IntArray, Series, SourceSpec


@dataclass(frozen=True)
class Present:
    """The series of a side that have samples in its window, with their numbers: arrays of one item for each.

    ``low`` and ``high`` are the least and the greatest value.
    """

    series: Sequence[Series]
    count: IntArray
    mean: FloatArray
    low: FloatArray
    high: FloatArray

    @cached_property
    def ids(self) -> IntArray:
        """The ids of the series."""
        return np.array([one.id for one in self.series], np.int64)

    def take(self, index: IntArray) -> Present:
        """Return the series at ``index``."""
        chosen = [self.series[at] for at in index.tolist()]
        return Present(chosen, self.count[index], self.mean[index], self.low[index], self.high[index])


def present(side: Side, chosen: Sequence[Series], step: Callable[[], None]) -> Present:
    """Return which of the chosen series have samples in the window, from statistics of blocks where these
    suffice. ``step`` is called now and then, and may raise to stop.
    """
    ids = np.array([one.id for one in chosen], np.int64)
    count = np.zeros(ids.size, np.int64)
    total = np.zeros(ids.size)
    low, high = np.full(ids.size, np.inf), np.full(ids.size, -np.inf)
    for piece in side.pieces:
        for first in range(0, ids.size, _AT_ONCE):
            step()
            part = slice(first, first + _AT_ONCE)
            stats = side.session.stats(ids[part], piece)
            count[part] += stats.count
            total[part] += np.where(stats.count > 0, stats.mean, 0.0) * stats.count
            low[part] = np.fmin(low[part], stats.minimum)
            high[part] = np.fmax(high[part], stats.maximum)
    there = np.flatnonzero(count)
    return Present(
        [chosen[at] for at in there.tolist()],
        count[there],
        np.clip(total[there] / count[there], low[there], high[there]),
        low[there],
        high[there],
    )


_AT_ONCE = 50_000
_Key = tuple[EntityRef, str, str]


def entities_of(records: Records, series: Iterable[Series]) -> Collection[EntityRef]:
    """Return the entities of the series, and all that these are part of."""
    own = dict.fromkeys(one.entity for one in series)
    above = dict.fromkeys(
        other for ref in own for other in records.ancestors(ref) if other in records.entities
    )
    return (own | above).keys()


@dataclass(frozen=True)
class Paired:
    """Pairs of series with their places in what was present on each side, and what found no partner.

    ``counters`` are counters that only one side has of an entity that both sides have.
    """

    pairs: Sequence[Pair]
    at_a: IntArray
    at_b: IntArray
    counters: Sequence[CounterChange]

    def only(self, is_meant: Callable[[Pair], bool]) -> Paired:
        """Return some of the pairs."""
        index = np.array([at for at, pair in enumerate(self.pairs) if is_meant(pair)], np.int64)
        some = [self.pairs[at] for at in index.tolist()]
        return Paired(some, self.at_a[index], self.at_b[index], self.counters)


def paired(sides: tuple[Side, Side], found: tuple[Present, Present], joining: Joining) -> Paired:
    """Pair the series by entity, counter and instance; of several sources the same one on both sides."""
    if sides[0].session is sides[1].session and np.array_equal(found[0].ids, found[1].ids):
        every = np.arange(len(found[0].series))
        return Paired([Pair(one, one, "identity") for one in found[0].series], every, every, [])
    sources = [{one.id: one.spec for one in side.session.sources()} for side in sides]
    others = _by_key(found[1].series)
    best: dict[tuple[int, str, str, _Key], tuple[int, int]] = {}
    lone_a: dict[str, set[EntityRef]] = {}
    for at, series in enumerate(found[0].series):
        partner = joining.partners.get(series.entity)
        if partner is None:
            continue
        key = (partner.ref, series.counter, series.spec.instance)
        mine = sources[0][series.source]
        candidates = others.get(key, [])
        if not candidates:
            lone_a.setdefault(series.counter, set()).add(series.entity)
            continue
        chosen = max(
            candidates,
            key=lambda j: (_likeness(mine, sources[1][found[1].series[j].source]), found[1].count[j]),
        )
        place = (found[1].series[chosen].id, mine.kind, mine.name, key)
        if place not in best or found[0].count[best[place][0]] < found[0].count[at]:
            best[place] = (at, chosen)
    rows = list(best.values())
    pairs = [
        Pair(a, found[1].series[j], joining.partners[a.entity].joined_by)
        for a, j in ((found[0].series[i], j) for i, j in rows)
    ]
    return Paired(
        pairs,
        np.array([i for i, _ in rows], np.int64),
        np.array([j for _, j in rows], np.int64),
        [*_changes(lone_a, "a"), *_changes(_lone_b(found, joining), "b")],
    )


def _likeness(a: SourceSpec, b: SourceSpec) -> int:
    return (a.kind == b.kind) * 2 + (a.name == b.name)


def _by_key(series: Sequence[Series]) -> dict[_Key, list[int]]:
    found: dict[_Key, list[int]] = {}
    for at, one in enumerate(series):
        found.setdefault((one.entity, one.counter, one.spec.instance), []).append(at)
    return found


def _lone_b(found: tuple[Present, Present], joining: Joining) -> dict[str, set[EntityRef]]:
    known = {(one.entity, one.counter, one.spec.instance) for one in found[0].series}
    lone: dict[str, set[EntityRef]] = {}
    for one in found[1].series:
        mine = joining.in_a.get(one.entity)
        if mine is not None and (mine, one.counter, one.spec.instance) not in known:
            lone.setdefault(one.counter, set()).add(one.entity)
    return lone


def _changes(lone: dict[str, set[EntityRef]], side: Literal["a", "b"]) -> list[CounterChange]:
    return [CounterChange(counter, side, len(refs)) for counter, refs in sorted(lone.items())]
