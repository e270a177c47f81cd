"""A feed that also keeps the newest samples of some counters, so that a run can look at them at once."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Sequence
from math import isnan

import numpy as np

from collectors.axis import Axis
from collectors.feed import Feed, Health, Layout, Tick
from sessions.journal import JournalEntry, TestRun
from sessions.model import Entity, EntityRef, Event, Fact, FloatArray, Gap, Kind, SeriesSpec, SourceSpec
from sessions.times import TimeRange
from wizards.flows.measured import Observed

_MAX_SAMPLES = 200_000
"""Of all watched series together; the oldest are dropped (the session has them all)."""


class ObservingFeed:
    """Hands everything on to another feed, and keeps samples of ``counters`` (keys of the catalogue)."""

    def __init__(self, feed: Feed, counters: Collection[str]) -> None:
        self._feed, self._counters = feed, frozenset(counters)
        self._lock = threading.Lock()
        self._names: dict[EntityRef, str] = {}
        self._columns: dict[int, list[tuple[int, SeriesSpec, float]]] = {}
        self._chosen: frozenset[EntityRef] = frozenset()
        self._devices: frozenset[str] = frozenset()
        self._samples: list[tuple[int, SeriesSpec, float]] = []

    @property
    def axis(self) -> Axis | None:
        """The time axis of the other feed."""
        return self._feed.axis

    def choose(self, objects: Collection[EntityRef], devices: Collection[str] = ()) -> None:
        """Leave out datastores that are none of these, and devices with other names, unless none is known:
        what an idle one counts would hide a busy one, and the queue of another LUN proves nothing here.
        """
        with self._lock:
            self._chosen = frozenset(one for one in objects if one.kind == "datastore")
            self._devices = frozenset(devices)

    def observed(self, window: TimeRange) -> tuple[Observed, ...]:
        """Return what was seen of the counters in a window, a value for each series that has any."""
        with self._lock:
            found: dict[tuple[EntityRef, str, str], list[tuple[int, float]]] = {}
            for at, spec, value in self._samples:
                if window.start <= at <= window.end and self._is_wanted(spec.entity):
                    found.setdefault((spec.entity, spec.counter, spec.instance), []).append((at, value))
            return tuple(
                Observed(
                    counter,
                    self._names.get(entity, entity.key) + (f" {instance}" if instance else ""),
                    np.array([at for at, _ in samples], np.int64),
                    np.array([value for _, value in samples], np.float64),
                )
                for (entity, counter, instance), samples in found.items()
            )

    def _is_wanted(self, entity: EntityRef) -> bool:
        if entity.kind == "device" and self._devices:
            return self._names.get(entity, entity.key) in self._devices
        return entity.kind != "datastore" or not self._chosen or entity in self._chosen

    def add_entities(self, entities: Sequence[Entity]) -> None:
        """Hand on, and remember the names."""
        with self._lock:
            self._names.update({one.ref: one.name for one in entities})
        self._feed.add_entities(entities)

    def add_layout(self, source: int, specs: Sequence[SeriesSpec]) -> Layout:
        """Hand on, and remember where the watched series are."""
        layout = self._feed.add_layout(source, specs)
        scales: FloatArray = layout.scale if layout.scale.size else np.array([one.scale for one in specs])
        watched = [
            (column, spec, float(scales[column]))
            for column, spec in enumerate(specs)
            if spec.counter in self._counters
        ]
        with self._lock:
            if watched:
                self._columns[layout.id] = watched
        return layout

    def add_ticks(self, ticks: Sequence[Tick]) -> None:
        """Hand on, and keep the watched samples."""
        with self._lock:
            for tick in ticks:
                for column, spec, scale in self._columns.get(tick.layout, ()):
                    value = float(tick.stored[column]) * scale
                    if not isnan(value):
                        self._samples.append((tick.t_ms, spec, value))
            del self._samples[:-_MAX_SAMPLES]
        self._feed.add_ticks(ticks)

    def add_source(self, spec: SourceSpec) -> int:
        """Hand on."""
        return self._feed.add_source(spec)

    def update_source(
        self,
        source: int,
        *,
        interval_s: float | None = None,
        clock_offset_ms: int | None = None,
        attributes: Iterable[tuple[str, str]] | None = None,
    ) -> None:
        """Hand on."""
        self._feed.update_source(
            source, interval_s=interval_s, clock_offset_ms=clock_offset_ms, attributes=attributes
        )

    def identify(self, kind: Kind, identities: Sequence[str], name: str) -> EntityRef:
        """Hand on."""
        return self._feed.identify(kind, identities, name)

    def add_facts(self, facts: Sequence[Fact]) -> None:
        """Hand on."""
        self._feed.add_facts(facts)

    def add_events(self, events: Sequence[Event]) -> None:
        """Hand on."""
        self._feed.add_events(events)

    def add_gaps(self, gaps: Sequence[Gap]) -> None:
        """Hand on."""
        self._feed.add_gaps(gaps)

    def add_journal(self, entries: Sequence[JournalEntry]) -> None:
        """Hand on."""
        self._feed.add_journal(entries)

    def add_test_runs(self, runs: Sequence[TestRun]) -> None:
        """Hand on."""
        self._feed.add_test_runs(runs)

    def flush(self) -> None:
        """Hand on."""
        self._feed.flush()

    def report(self, source: int, health: Health) -> None:
        """Hand on."""
        self._feed.report(source, health)
