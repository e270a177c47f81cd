"""Finds counters by what people call them: ``ready``, ``%RDY``, ``CPU ready``, ``cpu.ready``, ``latency``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from resources.catalogue import Catalogue
from resources.counter_schema import Counter
from resources.views import LimitsByCounter
from sessions.model import EntityRef, Series
from viewmodels.entity_words import kind_of
from viewmodels.scope_filter import ScopeFilter
from viewmodels.snapshot import Snapshot, is_own

_LONGEST = 6
"""Words of the longest phrase that names a counter."""


class CounterWords:
    """The words for counters; those with limits come first where a word fits several."""

    def __init__(self, catalogue: Catalogue, limits: LimitsByCounter) -> None:
        limited = dict.fromkeys(counter for (counter, _), _ in limits.items())
        order = {key: number for number, key in enumerate(limited)}
        counters = sorted(catalogue.counters(), key=lambda one: order.get(one.key, len(order)))
        self._by_phrase: dict[str, list[Counter]] = {}
        for phrases in (_names, _tail_words):
            for counter in counters:
                for phrase in phrases(counter):
                    known = self._by_phrase.setdefault(phrase.casefold(), [])
                    if counter not in known:
                        known.append(counter)

    def phrase_at(self, words: Sequence[str]) -> tuple[int, Sequence[Counter]]:
        """Return how many of ``words`` name a counter, and which it may be; the longest phrase counts."""
        for count in range(min(len(words), _LONGEST), 0, -1):
            found = self._by_phrase.get(" ".join(words[:count]).casefold())
            if found:
                return count, found
        return 0, ()

    @property
    def phrases(self) -> Mapping[str, Sequence[Counter]]:
        """All phrases in small letters, with the counters that they may name."""
        return self._by_phrase


@cache
def counter_words(catalogue: Catalogue, limits: LimitsByCounter) -> CounterWords:
    """Return the words for the counters of a catalogue, made once."""
    return CounterWords(catalogue, limits)


def series_of(
    candidates: Sequence[Counter], refs: Sequence[EntityRef], snapshot: Snapshot
) -> tuple[Counter, Sequence[Series]] | None:
    """Return the first of the counters that the entities or their parts have, with their series."""
    for counter in candidates:
        found = [
            one
            for ref in refs
            for one in snapshot.series_of.get(ref, ())
            if one.counter == counter.key and is_own(one)
        ]
        if found:
            return counter, found
    below = ScopeFilter(frozenset(refs), None, snapshot)
    keys = {counter.key for counter in candidates}
    parts = [
        one for one in snapshot.series if one.counter in keys and is_own(one) and below.covers(one.entity)
    ]
    for counter in candidates:
        found = [one for one in parts if one.counter == counter.key] if refs else []
        if found:
            return counter, found
    return None


def _names(counter: Counter) -> list[str]:
    tail = counter.key.partition(".")[2]
    names = [counter.key, counter.label, counter.short, tail.replace("_", " "), tail]
    return [name for name in dict.fromkeys(names) if name and kind_of(name) is None]


def _tail_words(counter: Counter) -> list[str]:
    tail = counter.key.partition(".")[2]
    return [word for word in tail.split("_") if len(word) > 3 and kind_of(word) is None]
