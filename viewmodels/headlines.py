"""The headline of an entity: the one counter, and of it the series, that stand for the whole entity."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from resources.units import format_value
from resources.views import Headline
from sessions.model import EntityRef, Series
from viewmodels.snapshot import Snapshot, is_own


@dataclass(frozen=True, slots=True)
class HeadlineSeries:
    """The series of an entity's headline, one for each source that counts it, and the word after its unit."""

    series: Sequence[Series]
    suffix: str = ""

    def text(self, last: Mapping[int, float]) -> str:
        """``23 % rdy``: the first current value among ``last`` (by series id), empty where there is none."""
        for one in self.series:
            if one.id in last:
                return f"{format_value(last[one.id], one.spec.unit)} {self.suffix}".rstrip()
        return ""


def series_of_first_counter(counters: Collection[str], series: Iterable[Series]) -> Sequence[Series]:
    """The series of the first of ``counters`` that any entity has as a whole: no CPU, world or partition."""
    found: dict[str, list[Series]] = {}
    for one in series:
        if one.counter in counters and is_own(one):
            found.setdefault(one.counter, []).append(one)
    return next((found[counter] for counter in counters if counter in found), ())


def headline_of(
    ref: EntityRef, snapshot: Snapshot, headlines: Mapping[str, Headline]
) -> HeadlineSeries | None:
    """The headline of an entity, None where the session counts none of it; ``headlines`` by kind."""
    headline = headlines.get(ref.kind)
    if headline is None:
        return None
    series = series_of_first_counter(headline.counters, snapshot.series_of.get(ref, ()))
    if not series:
        return None
    is_first = series[0].counter == headline.counters[0]
    return HeadlineSeries(series, headline.suffix if is_first else "")


def headlines_of(snapshot: Snapshot, headlines: Mapping[str, Headline]) -> Mapping[EntityRef, HeadlineSeries]:
    """The headline of each entity that has one."""
    found = ((ref, headline_of(ref, snapshot, headlines)) for ref in snapshot.series_of)
    return {ref: one for ref, one in found if one is not None}


def common_headline(
    refs: Iterable[EntityRef], snapshot: Snapshot, headlines: Mapping[str, Headline]
) -> Sequence[Series]:
    """The headline series of several entities: of one counter, the first that any of them has.

    An entity's kind decides which counters can be its headline; the first entity that has one decides.
    """
    refs = list(refs)
    series = [one for ref in refs for one in snapshot.series_of.get(ref, ())]
    for kind in dict.fromkeys(ref.kind for ref in refs):
        headline = headlines.get(kind)
        found = series_of_first_counter(headline.counters, series) if headline else ()
        if found:
            return found
    return ()
