"""Small synthetic sessions for the tests of diagnosis, written down as an admin would describe them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np

from diagnosis import Diagnosis, diagnose_session
from resources.catalogue import Catalogue, load_catalogue
from resources.problem_cards import Problems, load_problems
from sessions.findings import CauseVerdict, Finding
from sessions.model import (
    Entity,
    EntityRef,
    Event,
    Fact,
    FloatArray,
    Gap,
    Kind,
    SeriesSpec,
    SourceKind,
    SourceSpec,
)
from sessions.store import SessionWriter, encode_block
from tests.sessions.memory_session import MemorySession

START = 1_790_000_000_000
Level = float | Callable[[FloatArray], FloatArray] | Sequence[float] | FloatArray
"""A constant, a function of the seconds since the start, or the samples themselves."""


@cache
def problems() -> Problems:
    return load_problems()


@cache
def catalogue() -> Catalogue:
    return load_catalogue()


class Recording:
    """One host's capture in the making; ``session`` puts it (and more hosts) into memory."""

    def __init__(
        self,
        host: str = "esx01",
        *,
        seconds: float = 1200,
        interval: float = 5.0,
        source: SourceKind = "esxtop",
    ) -> None:
        self.interval, self.source = interval, source
        self.seconds = np.arange(0.0, seconds, interval)
        self.host = EntityRef("host", host)
        self._entities = [Entity(self.host, host)]
        self._specs: list[SeriesSpec] = []
        self._columns: list[FloatArray] = []
        self._facts: list[Fact] = []
        self._events: list[Event] = []
        self._gaps: list[Gap] = []

    def __len__(self) -> int:
        return len(self.seconds)

    def has(
        self, ref: EntityRef, counters: Mapping[str, Level], instance: str = "", label: str = ""
    ) -> EntityRef:
        """Give the entity these counters; ``label`` is the source's own spelling."""
        for counter, level in counters.items():
            known = catalogue().get(counter)
            assert known, counter
            self._specs.append(SeriesSpec(ref, counter, known.unit, instance, label=label))
            self._columns.append(self._samples(level))
        return ref

    def _samples(self, level: Level) -> FloatArray:
        if callable(level):
            return np.asarray(level(self.seconds), dtype=np.float64)
        if isinstance(level, (int, float)):
            return np.full(len(self), float(level))
        return np.asarray(level, dtype=np.float64)

    def on_host(self, counters: Mapping[str, Level], instance: str = "") -> EntityRef:
        """Counters of the host itself."""
        return self.has(self.host, counters, instance)

    def add(
        self, kind: Kind, name: str, counters: Mapping[str, Level], *, parent: EntityRef | None = None
    ) -> EntityRef:
        """A new entity, on the host unless it has another parent."""
        above = parent or self.host
        ref = EntityRef(kind, f"{above.key}/{kind}/{name}")
        self._entities.append(Entity(ref, name, above))
        return self.has(ref, counters)

    def another_host(
        self, name: str, counters: Mapping[str, Level], cluster: EntityRef | None = None
    ) -> EntityRef:
        """Another host in the same source, as a vCenter has it."""
        ref = EntityRef("host", name)
        self._entities.append(Entity(ref, name, cluster))
        return self.has(ref, counters)

    def cluster(self, name: str) -> EntityRef:
        """A cluster, without counters."""
        ref = EntityRef("cluster", name)
        self._entities.append(Entity(ref, name))
        return ref

    def namesake(self, name: str, group: int | str, counters: Mapping[str, Level]) -> EntityRef:
        """A VM that is known by its group, as in a capture, since another one has its name."""
        ref = EntityRef("vm", f"{self.host.key}/vm/{group}")
        self._entities.append(Entity(ref, name, self.host))
        return self.has(ref, counters)

    def vm(self, name: str, counters: Mapping[str, Level], *, vcpus: int = 2) -> EntityRef:
        """A VM with its number of vCPUs."""
        ref = self.add("vm", name, counters)
        return self.fact(ref, "vcpus", float(vcpus))

    def stays(self, ref: EntityRef, *hosts: tuple[float, EntityRef]) -> EntityRef:
        """Where a VM runs: from when (seconds) on which host."""
        for from_s, host in hosts:
            self.fact(ref, "host", host.key, from_s)
        return ref

    def fact(
        self,
        ref: EntityRef,
        name: str,
        value: float | str | bool,
        from_s: float = 0.0,
        until_s: float | None = None,
    ) -> EntityRef:
        """Something that holds of the entity from a time on, or until another."""
        end = None if until_s is None else START + round(until_s * 1000)
        self._facts.append(Fact(ref, name, value, START + round(from_s * 1000), end))
        return ref

    def event(
        self, ref: EntityRef, kind: str, text: str, at_s: float, lasted_s: float | None = None
    ) -> EntityRef:
        """Something that happened to the entity."""
        at = START + round(at_s * 1000)
        end = None if lasted_s is None else at + round(lasted_s * 1000)
        self._events.append(Event(at, kind, text, ref, end))
        return ref

    def shared(self, name: str, counters: Mapping[str, Level], kind: Kind = "device") -> EntityRef:
        """A LUN or volume that other hosts have too."""
        ref = EntityRef(kind, name)
        self._entities.append(Entity(ref, name))
        return self.has(ref, counters)

    def gap(self, first_s: float, last_s: float, ref: EntityRef | None = None) -> None:
        """Note that samples are missing."""
        self._gaps.append(Gap(0, START + int(first_s * 1000), START + int(last_s * 1000), "lost", ref))

    def into(self, session: MemorySession) -> MemorySession:
        values = np.stack(self._columns, axis=1) if self._columns else np.zeros((len(self), 0))
        session.add_source(
            SourceSpec(self.source, self.host.key, self.interval),
            START + (self.seconds * 1000).astype(np.int64),
            self._specs,
            values,
            entities=self._entities,
            facts=self._facts,
            events=self._events,
            gaps=self._gaps,
        )
        return session

    def store(self, path: Path) -> Path:
        """Write it as a session file."""
        values = np.stack(self._columns, axis=1)
        with SessionWriter.create(path, durable=False, bulk=True) as writer:
            writer.add_entities(self._entities)
            source = writer.add_source(SourceSpec(self.source, self.host.key, self.interval))
            layout = writer.add_layout(source, writer.add_series(source, self._specs))
            writer.add_block(layout, encode_block(START + (self.seconds * 1000).astype(np.int64), values))
            writer.add_facts(self._facts)
            writer.add_events(self._events)
        return path


def session(*recordings: Recording) -> MemorySession:
    made = MemorySession()
    for one in recordings:
        one.into(made)
    return made


def diagnosed(*recordings: Recording) -> Diagnosis:
    return diagnose_session(session(*recordings), problems(), catalogue())


def findings(*recordings: Recording, problem: str = "") -> list[Finding]:
    """Findings but for "too little data", or those of one problem."""
    found = diagnosed(*recordings).findings
    return [
        one for one in found if (one.problem == problem if problem else one.problem != "data.insufficient")
    ]


def only(*recordings: Recording, problem: str) -> Finding:
    """The one finding of a problem."""
    found = findings(*recordings, problem=problem)
    assert len(found) == 1, [(one.problem, one.entity_name) for one in found]
    return found[0]


def verdicts(finding: Finding) -> dict[str, str]:
    return {cause.cause: cause.verdict for cause in finding.causes}


def cause(finding: Finding, name: str) -> CauseVerdict:
    return next(one for one in finding.causes if one.cause == name)


def during(first_s: float, last_s: float, level: float, otherwise: float = 0.0) -> Level:
    """A level between two moments, another one outside."""
    return lambda t: np.where((t >= first_s) & (t <= last_s), level, otherwise)
