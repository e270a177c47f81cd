"""The headline of an entity: the one counter, and its series, that stand for the entity as a whole."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from resources.units import format_value
from resources.views import Headline, LimitsByCounter
from sessions.model import EntityRef, Series
from viewmodels.entity_limits import EntityLimits
from viewmodels.limit_check import OverLimit, over_limit
from viewmodels.shared_devices import is_shared
from viewmodels.snapshot import SeriesIndex, Snapshot, is_own


@dataclass(frozen=True, slots=True)
class HeadlineSeries:
    """The series of an entity's headline counter, one for each source, and the word after its unit.

    ``shared``: the entity is a device or datastore of several hosts, and each series was measured by one of
    them.
    """

    series: Sequence[Series]
    suffix: str = ""
    shared: bool = False

    def text(self, last: Mapping[int, float]) -> str:
        """Return ``23 % rdy``: the first value in ``last`` (by series id); empty if there is none.

        For a device that several hosts share, the highest value is taken: that of the host that waits
        longest.
        """
        one = self.current(last)
        return "" if one is None else f"{format_value(last[one.id], one.spec.unit)} {self.suffix}".rstrip()

    def current(self, last: Mapping[int, float]) -> Series | None:
        """Return the series whose value is shown; None if none of them has a current value."""
        current = [one for one in self.series if one.id in last]
        if not current:
            return None
        return max(current, key=lambda series: last[series.id]) if self.shared else current[0]


@dataclass(frozen=True, slots=True)
class HeadlineNumbers:
    """The numbers beside entities at ``moment`` (ms): their texts, and which of them exceed their limit."""

    moment: int | None = None
    texts: Mapping[EntityRef, str] = field(default_factory=dict)
    over: Mapping[EntityRef, OverLimit] = field(default_factory=dict)


def headline_numbers(
    chosen: Mapping[EntityRef, HeadlineSeries],
    loads: Mapping[int, int],
    last: Mapping[int, float],
    moment: int,
    limits: EntityLimits,
) -> HeadlineNumbers:
    """Return the headlines as numbers; ``last`` has the value of each series that has one at ``moment``.

    ``loads`` come from ``load_series``.
    """
    texts: dict[EntityRef, str] = {}
    over: dict[EntityRef, OverLimit] = {}
    for ref, headline in chosen.items():
        series = headline.current(last)
        if series is None:
            continue
        texts[ref] = headline.text(last)
        exceeded = over_limit(series, last[series.id], limits, last.get(loads.get(series.id, 0)))
        if exceeded is not None:
            over[ref] = exceeded
    return HeadlineNumbers(moment, texts, over)


def load_series(
    chosen: Mapping[EntityRef, HeadlineSeries], snapshot: Snapshot, limits: LimitsByCounter
) -> Mapping[int, int]:
    """Return, by series id, the series of the load without which a number's limit does not count."""
    found: dict[int, int] = {}
    for ref, headline in chosen.items():
        for series in headline.series:
            known = limits.of(series.counter, ref.kind)
            if known is None or not known.load:
                continue
            place = (series.source, known.load, series.spec.instance)
            for other in snapshot.series_of.get(ref, ()):
                if (other.source, other.counter, other.spec.instance) == place:
                    found[series.id] = other.id
    return found


def series_of_first_counter(counters: Collection[str], series: Iterable[Series]) -> Sequence[Series]:
    """Return the series of the first of ``counters`` that has any; series of parts (CPUs) are ignored."""
    found: dict[str, list[Series]] = {}
    for one in series:
        if one.counter in counters and is_own(one):
            found.setdefault(one.counter, []).append(one)
    return next((found[counter] for counter in counters if counter in found), ())


def headline_of(
    ref: EntityRef, snapshot: Snapshot, headlines: Mapping[str, Headline]
) -> HeadlineSeries | None:
    """Return an entity's headline, None if the session has no counter for it; ``headlines`` are by kind."""
    headline = headlines.get(ref.kind)
    if headline is None:
        return None
    series = series_of_first_counter(headline.counters, snapshot.series_of.get(ref, ()))
    if not series:
        return None
    is_first = series[0].counter == headline.counters[0]
    return HeadlineSeries(series, headline.suffix if is_first else "", is_shared(ref, snapshot))


def headlines_of(snapshot: Snapshot, headlines: Mapping[str, Headline]) -> Mapping[EntityRef, HeadlineSeries]:
    """Return the headline of each entity that has one."""
    found = ((ref, headline_of(ref, snapshot, headlines)) for ref in snapshot.series_of)
    return {ref: one for ref, one in found if one is not None}


def common_headline(
    refs: Iterable[EntityRef], snapshot: Snapshot, headlines: Mapping[str, Headline]
) -> Sequence[Series]:
    """Return the headline series of several entities, all of one counter.

    The kinds of ``refs`` are tried in order; the first kind whose headline counter has series decides.
    """
    refs = list(refs)
    series = [one for ref in refs for one in snapshot.series_of.get(ref, ())]
    for kind in dict.fromkeys(ref.kind for ref in refs):
        headline = headlines.get(kind)
        found = series_of_first_counter(headline.counters, series) if headline else ()
        if found:
            return found
    return ()


@dataclass(frozen=True, slots=True)
class Headlines:
    """The headlines of a session's entities, and for some of their series (by id) that of their load."""

    chosen: Mapping[EntityRef, HeadlineSeries] = field(default_factory=dict)
    loads: Mapping[int, int] = field(default_factory=dict)

    @property
    def ids(self) -> Sequence[int]:
        """All series that are read for the numbers."""
        own = [one.id for headline in self.chosen.values() for one in headline.series]
        return [*own, *self.loads.values()]


class HeadlineCache:
    """Caches the headline of each entity until the session has other series; computed in a worker."""

    def __init__(self) -> None:
        self._known: tuple[SeriesIndex | None, Headlines] = (None, Headlines())

    def of(self, snapshot: Snapshot, wanted: Mapping[str, Headline], limits: LimitsByCounter) -> Headlines:
        """Return the headlines; ``wanted`` are the headline counters by kind of entity."""
        index, found = self._known
        if index is not snapshot.series_index:
            chosen = headlines_of(snapshot, wanted)
            found = Headlines(chosen, load_series(chosen, snapshot, limits))
            self._known = (snapshot.series_index, found)
        return found
