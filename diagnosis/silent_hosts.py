"""Hosts of which a recording never counted anything, or nothing of an area: their zeros say nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from resources.possible_values import NeverZero, PossibleValues
from sessions.model import Entity, EntityRef, IntArray, SampleSource, Series
from sessions.times import TimeRange


@dataclass(frozen=True, slots=True)
class Silence:
    """The ``series`` of a host in a source that say nothing, of these ``counters``, and ``why``. ``is_all``:
    nothing of the host ever counted.
    """

    source: int
    host: EntityRef
    why: str
    series: frozenset[int]
    counters: frozenset[str]
    is_all: bool = False


def silent_series(
    series: Sequence[Series], session: SampleSource, values: PossibleValues, window: TimeRange
) -> Sequence[Silence]:
    """Return what never counted in the window, for each host of each source that has counters which a running
    host never has at 0 throughout.
    """
    areas = _zero_areas(series, session, values, window)
    if not areas:
        return ()
    places = _Places(session.entities())
    of: dict[tuple[int, EntityRef | None], list[Series]] = {}
    zeros = _zeros(series, session, window)
    sources = {source for source, _ in areas}
    for one in series:
        if one.source in sources:
            of.setdefault((one.source, places.host(one.entity)), []).append(one)
    found = []
    for (source, host), dead in areas.items():
        own = [*of.get((source, host), ())]
        if sum(key[0] == source and key[1] is not None for key in of) == 1:
            own += of.get((source, None), ())  # devices that hosts may share, of a source with one host
        found.append(_silence(source, host, dead, own, zeros))
    return found


def _zero_areas(
    series: Sequence[Series], session: SampleSource, values: PossibleValues, window: TimeRange
) -> Mapping[tuple[int, EntityRef], Sequence[NeverZero]]:
    """Return the areas whose signs are all there is of them, and 0 throughout, by source and host."""
    wanted = values.signs
    signs = [one for one in series if one.spec.counter in wanted and one.entity.kind == "host"]
    if not signs:
        return {}
    stats = session.stats(np.array([one.id for one in signs], np.int64), window)
    is_zero = (stats.minimum == 0) & (stats.maximum == 0) & (stats.count >= values.samples.least)
    counted: dict[tuple[int, EntityRef], set[str]] = {}
    zero: dict[tuple[int, EntityRef], set[str]] = {}
    for one, is_it, count in zip(signs, is_zero.tolist(), stats.count.tolist(), strict=True):
        if count:
            (zero if is_it else counted).setdefault((one.source, one.entity), set()).add(one.counter)
    found = {}
    for key, keys in zero.items():
        dead = [
            area
            for area in values.never_zero
            if keys & {*area.signs} and not counted.get(key, set()) & {*area.signs}
        ]
        if dead:
            found[key] = dead
    return found


def _zeros(series: Sequence[Series], session: SampleSource, window: TimeRange) -> frozenset[int]:
    """Return the series that have nothing but zeros, or nothing."""
    ids: IntArray = np.array([one.id for one in series], np.int64)
    stats = session.stats(ids, window)
    is_zero = (stats.count == 0) | ((stats.minimum == 0) & (stats.maximum == 0))
    return frozenset(ids[is_zero].tolist())


def _silence(
    source: int,
    host: EntityRef,
    dead: Sequence[NeverZero],
    own: Sequence[Series],
    zeros: frozenset[int],
) -> Silence:
    is_all = all(one.id in zeros for one in own)
    mine = [one for one in own if one.id in zeros and (is_all or any(area.has(one.counter) for area in dead))]
    ids, counters = frozenset(one.id for one in mine), frozenset(one.counter for one in mine)
    return Silence(source, host, " and ".join(area.what for area in dead), ids, counters, is_all)


class _Places:
    """Which host an entity is on, as its parents say."""

    def __init__(self, entities: Mapping[EntityRef, Entity]) -> None:
        self._entities = entities

    def host(self, ref: EntityRef) -> EntityRef | None:
        """Return the host, None for what is on none, or on several."""
        seen = set()
        above: EntityRef | None = ref
        while above is not None and above not in seen:
            if above.kind == "host":
                return above
            seen.add(above)
            entity = self._entities.get(above)
            above = entity.parent if entity is not None else None
        return None
