"""Events of a session: which VMs moved to which host, and what happened shortly before a problem."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import numpy as np

from diagnosis.event_words import EventWords
from resources.problem_cards import Signal
from resources.problem_changes import Changes
from resources.units import format_duration
from sessions.model import EntityRef, Event, Fact, FloatArray, IntArray

_FEW_MS = 1000
_Arrivals = Mapping[EntityRef, Mapping[EntityRef, Sequence[int]]]


def describe_change(event: Event, begun: int) -> tuple[str, str]:
    """Return when an event happened relative to ``begun`` (ms), and its text: ``3 min before``,
    ``… (took 42 s)``.
    """
    away = begun - event.at
    when = "as it began"
    if abs(away) >= _FEW_MS:
        when = f"{format_duration(abs(away) / 1000)} {'before' if away > 0 else 'after'}"
    took = (event.until - event.at) / 1000
    by = f", by {event.by}" if event.by else ""
    lasted = "lasted" if event.log else "took"
    return when, told_text(event) + by + (f" ({lasted} {format_duration(took)})" if took > 0 else "")


def told_text(event: Event) -> str:
    """Return an event's text, with the log that told it: ``vmnic0: its link is down [vmkernel.log]``."""
    return f"{event.text} [{event.log}]" if event.log else event.text


def length_s(event: Event) -> float:
    """Return how many seconds an event took; 1 for one that is told without an end."""
    return max(1.0, (event.until - event.at) / 1000)


def events_at(events: Iterable[Event], times: IntArray, signal: Signal) -> FloatArray:
    """Return the seconds that the longest event takes that happens at each sample, 0 where none does; or the
    number of events, where ``signal`` counts them.

    An event between two samples counts at the later one. Shape (times,), float64.
    """
    found = np.zeros(times.size)
    for event in events:
        if length_s(event) < signal.within_s:
            continue
        until = event.until + round(signal.after_s * 1000)
        first = int(np.searchsorted(times, event.at))
        last = max(first, int(np.searchsorted(times, until, side="right")) - 1)
        if first < times.size and until >= times[0]:
            part = slice(first, last + 1)
            is_counted = signal.reduce == "count"
            found[part] = found[part] + 1 if is_counted else np.maximum(found[part], length_s(event))
    return found


class SessionEvents:
    """The events of a session, looked up by the entity that they concern.

    ``places`` are the ``host`` facts, ordered by start. ``are_reported``: True if the session has a source
    that reports events; otherwise the number of arrivals is unknown, and so is what happened. ``are_told``:
    True if logs tell some: what they tell happened, what they don't tell is unknown.
    """

    def __init__(
        self,
        events: Sequence[Event],
        places: Iterable[Fact],
        changes: Changes,
        *,
        are_reported: bool,
        are_told: bool = False,
    ) -> None:
        self._changes = changes
        self.are_reported = are_reported
        self.are_told = are_told and not are_reported
        self._are_known = are_reported and bool(events)
        self._by_kind: dict[str, list[Event]] = {}
        for event in events:
            self._by_kind.setdefault(event.kind, []).append(event)
        self._stays: dict[EntityRef, list[tuple[int, str]]] = {}
        for fact in places:
            self._stays.setdefault(fact.entity, []).append((fact.start, str(fact.value)))
        self._of: dict[EntityRef, list[Event]] = {}
        self._on_host: dict[EntityRef, list[Event]] = {}
        for event in events:
            if event.entity is None:
                continue
            self._of.setdefault(event.entity, []).append(event)
            host = self._host_after(event)
            if host is not None:
                self._on_host.setdefault(host, []).append(event)
        self._came: dict[tuple[str, ...], _Arrivals] = {}
        self._words: dict[tuple[frozenset[str], frozenset[EntityRef]], EventWords] = {}

    def _host_after(self, event: Event) -> EntityRef | None:
        """Where the VM of an event was when the inventory had caught up with it."""
        stays = self._stays.get(event.entity) if event.entity is not None else None
        if not stays or event.entity is None or event.entity.kind != "vm":
            return None
        known_from = event.until + round(self._changes.inventory_delay_s * 1000)
        number = bisect_right(stays, known_from, key=lambda stay: stay[0])
        return EntityRef("host", stays[max(number - 1, 0)][1])

    def arrivals(
        self, hosts: Sequence[EntityRef], kinds: Collection[str], within_s: float, times: IntArray
    ) -> FloatArray:
        """Return how many VMs arrived on each host in the last ``within_s`` seconds, by
        events of these kinds.

        Shape (hosts, times), float64; NaN if no source reports events.
        """
        if not self._are_known:
            return np.full((len(hosts), times.size), np.nan)
        length = round(within_s * 1000)
        counts = np.zeros((len(hosts), times.size))
        came = self._by_host(tuple(sorted(kinds)))
        for row, host in enumerate(hosts):
            for instants in came.get(host, {}).values():
                recently = np.zeros(times.size, dtype=np.bool_)
                for at in instants:
                    begin, end = np.searchsorted(times, (at, at + length + 1))
                    recently[begin:end] = True
                counts[row] += recently
        return counts

    def has_any(self, kinds: Collection[str]) -> bool:
        """Return True if there is an event of one of these kinds, of whatever entity."""
        return not self._by_kind.keys().isdisjoint(kinds)

    def of_kinds(self, kinds: Iterable[str]) -> list[Event]:
        """Return all events of these kinds."""
        return [event for kind in kinds for event in self._by_kind.get(kind, ())]

    def happened(self, refs: Iterable[EntityRef], kinds: Collection[str]) -> list[Event]:
        """Return the events of these kinds and entities, in order of time."""
        found = [event for ref in refs for event in self._of.get(ref, ()) if event.kind in kinds]
        return sorted(found, key=lambda event: event.at)

    def naming(self, name: str, kinds: Collection[str], of: Iterable[EntityRef] = ()) -> Sequence[Event]:
        """Return the events of these kinds whose text names something as its own host does; of these
        entities, if some are given.
        """
        key = frozenset(kinds), frozenset(of)
        if key not in self._words:
            events = self.happened(sorted(key[1]), kinds) if key[1] else self.of_kinds(kinds)
            self._words[key] = EventWords(events)
        return self._words[key].naming(name)

    def _by_host(self, kinds: tuple[str, ...]) -> _Arrivals:
        """When which VM came to each host, by events of these kinds."""
        if kinds not in self._came:
            came: dict[EntityRef, dict[EntityRef, list[int]]] = {}
            for host, events in self._on_host.items():
                for event in events:
                    if event.kind in kinds and event.entity is not None:
                        came.setdefault(host, {}).setdefault(event.entity, []).append(event.at)
            self._came[kinds] = came
        return self._came[kinds]

    def before(
        self,
        start: int,
        own: Collection[EntityRef],
        host: EntityRef | None,
        stored: Collection[EntityRef],
    ) -> tuple[tuple[Event, ...], int]:
        """Return the events shortly before ``start`` (ms), in order of time, and the number
        of those left out.

        ``own``: the entity and what contains it; ``host``: where it runs; ``stored``: the VMs whose disks lie
        on it.
        """
        earliest = start - round(self._changes.before_s * 1000)
        latest = start + round(self._changes.after_s * 1000)
        found = {
            (event.at, event.entity, event.text): event
            for event in self._concerning(own, host, stored)
            if event.at <= latest and event.until >= earliest
        }
        nearest = sorted(found.values(), key=lambda event: abs(event.at - start))
        named = nearest[: self._changes.max_count]
        return tuple(sorted(named, key=lambda event: event.at)), len(nearest) - len(named)

    def at_end(self, end: int, own: Collection[EntityRef]) -> Sequence[Event]:
        """Return what happened to ``own`` about ``end`` (ms), when a problem ended."""
        near = round(self._changes.after_s * 1000)
        found = self._concerning(own, None, ())
        told = dict.fromkeys(one for one in found if abs(one.at - end) <= near)
        return sorted(told, key=lambda one: one.at)

    def _concerning(
        self, own: Collection[EntityRef], host: EntityRef | None, stored: Collection[EntityRef]
    ) -> Iterator[Event]:
        for refs, kinds in ((own, self._changes.own), (stored, self._changes.storing)):
            for ref in sorted(refs):  # a set's own order is another one in every process
                yield from (event for event in self._of.get(ref, ()) if event.kind in kinds)
        if host is not None:
            yield from (
                event for event in self._on_host.get(host, ()) if event.kind in self._changes.arriving
            )
