"""A feed that keeps everything in memory and checks what the recorder would refuse."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np

from collectors.axis import Axis
from collectors.feed import Health, Layout, Tick
from sessions.identities import Identities
from sessions.model import Entity, EntityRef, Event, Fact, Gap, Kind, SeriesSpec, SourceSpec


class MemoryFeed:
    """``samples[spec][t_ms]`` is what was stored; a sample that comes twice fails the test."""

    def __init__(self) -> None:
        self.axis: Axis | None = None
        self.sources: dict[int, SourceSpec] = {}
        self.entities: dict[EntityRef, Entity] = {}
        self.facts: list[Fact] = []
        self.events: list[Event] = []
        self.layouts: list[tuple[int, list[SeriesSpec]]] = []
        self.samples: dict[tuple[int, EntityRef, str, str], dict[int, float]] = {}
        self.specs: dict[tuple[int, EntityRef, str, str], SeriesSpec] = {}
        self.gap_rows: dict[tuple[int, EntityRef | None, int], Gap] = {}
        self.health: dict[int, Health] = {}
        self.history: list[Health] = []
        self.twice: list[tuple[EntityRef, str, int]] = []
        self.calls = 0
        self._changed = threading.Condition()
        self._identities = Identities()

    def add_source(self, spec: SourceSpec) -> int:
        with self._changed:
            for source, known in self.sources.items():
                if (known.kind, known.name) == (spec.kind, spec.name):
                    return source
            self.sources[len(self.sources) + 1] = spec
            return len(self.sources)

    def update_source(
        self,
        source: int,
        *,
        interval_s: float | None = None,
        clock_offset_ms: int | None = None,
        attributes: Iterable[tuple[str, str]] | None = None,
    ) -> None:
        with self._changed:
            spec = self.sources[source]
            self.sources[source] = replace(
                spec,
                interval_s=spec.interval_s if interval_s is None else interval_s,
                clock_offset_ms=spec.clock_offset_ms if clock_offset_ms is None else clock_offset_ms,
                attributes=spec.attributes if attributes is None else tuple(attributes),
            )

    def identify(self, kind: Kind, identities: Sequence[str], name: str) -> EntityRef:
        with self._changed:
            return self._identities.identify(kind, identities, name)

    def add_entities(self, entities: Sequence[Entity]) -> None:
        with self._changed:
            known = {entity.ref for entity in entities} | self.entities.keys()
            for entity in entities:
                assert entity.parent is None or entity.parent in known, f"{entity} has no parent"
                self.entities.setdefault(entity.ref, entity)

    def add_facts(self, facts: Sequence[Fact]) -> None:
        with self._changed:
            self.facts += facts

    def add_events(self, events: Sequence[Event]) -> None:
        with self._changed:
            self.events += events

    def add_gaps(self, gaps: Sequence[Gap]) -> None:
        with self._changed:
            for gap in gaps:
                self.gap_rows[gap.source, gap.entity, gap.start] = gap

    def add_layout(self, source: int, specs: Sequence[SeriesSpec]) -> Layout:
        with self._changed:
            last = []
            for spec in specs:
                assert spec.entity in self.entities, f"{spec.entity} was not added"
                key = (source, spec.entity, spec.counter, spec.instance)
                assert key not in self.specs or not self.calls or key in self.samples
                self.specs[key] = spec
                last.append(max(self.samples.setdefault(key, {}), default=0))
            assert len({(s.entity, s.counter, s.instance) for s in specs}) == len(specs)
            self.layouts.append((source, list(specs)))
            return Layout(len(self.layouts) - 1, np.array(last, np.int64))

    def add_ticks(self, ticks: Sequence[Tick]) -> None:
        with self._changed:
            self.calls += 1
            for tick in ticks:
                source, specs = self.layouts[tick.layout]
                assert tick.stored.size == len(specs)
                for at in np.flatnonzero(~np.isnan(tick.stored)).tolist():
                    spec = specs[at]
                    there = self.samples[source, spec.entity, spec.counter, spec.instance]
                    if tick.t_ms in there:
                        self.twice.append((spec.entity, spec.counter, tick.t_ms))
                    there[tick.t_ms] = float(tick.stored[at])
            self._changed.notify_all()

    def add_journal(self, entries: Sequence[object]) -> None:
        raise AssertionError("no test here")

    def add_test_runs(self, runs: Sequence[object]) -> None:
        raise AssertionError("no test here")

    def flush(self) -> None:
        """Nothing waits."""

    def report(self, source: int, health: Health) -> None:
        with self._changed:
            self.health[source] = health
            self.history.append(health)
            self._changed.notify_all()

    def wake(self) -> None:
        """Look again at what is waited for."""
        with self._changed:
            self._changed.notify_all()

    @property
    def gaps(self) -> list[Gap]:
        with self._changed:
            return [gap for gap in self.gap_rows.values() if gap.ticks]

    def count(self, source: int = 1) -> int:
        with self._changed:
            return sum(len(there) for key, there in self.samples.items() if key[0] == source)

    def until(self, holds: Callable[[], bool], timeout: float = 60.0) -> None:
        """Wait until ``holds``, looked at after each change."""
        with self._changed:
            assert self._changed.wait_for(holds, timeout), f"it did not happen: {self.health}"


class Stop:
    """Controls that a test sets."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self.paused = False

    def set(self) -> None:
        self._event.set()

    def is_set(self) -> bool:
        return self._event.is_set()

    def wait(self, timeout: float | None = None) -> bool:
        return self._event.wait(timeout)
