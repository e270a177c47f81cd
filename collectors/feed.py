"""The interface between live collectors and the recorder: what a collector hands over, and how
it is controlled.

A collector runs in threads of its own and calls a ``Feed``; the recorder's single writer stores what it gets.
When the writer's queue is full the calls block: the collector then falls behind and reports that, and no
sample is dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

import numpy as np

from collectors.axis import Axis
from sessions.journal import JournalEntry, TestRun
from sessions.model import (
    Entity,
    EntityRef,
    Event,
    Fact,
    FloatArray,
    Gap,
    IntArray,
    Kind,
    SeriesSpec,
    SourceSpec,
)

PAUSED = "paused"
"""The reason of gaps that somebody wanted: the recording was paused."""
State = Literal["connecting", "recording", "reconnecting", "paused", "ended", "failed"]


@dataclass(frozen=True, slots=True)
class Layout:
    """Series that arrive together, numbered by the session.

    ``last`` (n,): time (ms) of the last stored sample of each series, 0 for none. ``scale`` (n,): the factor
    from the stored number of each series to the canonical one. A series that an earlier run created keeps the
    scale of that run. Both arrays are empty where nothing differs from what the collector asked for.
    """

    id: int
    last: IntArray
    scale: FloatArray = field(default_factory=lambda: np.zeros(0))


@dataclass(frozen=True, slots=True)
class Tick:
    """All samples of a layout at one instant.

    ``stored`` float64 (n,), in the layout's order: the numbers as the source gave them (canonical = stored ×
    scale), NaN where absent. The same instant may be handed over again with late samples: values fill in, NaN
    removes nothing.
    """

    layout: int
    t_ms: int
    stored: FloatArray


@dataclass(frozen=True, slots=True)
class Health:
    """The state of a source now. All counts are of this run.

    ``expected`` and ``received`` count the samples that should have arrived by now and those that did;
    ``gaps`` counts the gaps found so far, open ones included; ``behind_s`` is the age of the newest sample in
    seconds. ``message`` is one sentence for people, empty when all is well. ``refusal``: the exit code of
    what a person has to mend before samples come again (another certificate, a refused login), else 0.
    """

    state: State
    interval_s: float | None = None
    entities: int = 0
    series: int = 0
    expected: int = 0
    received: int = 0
    behind_s: float = 0.0
    gaps: int = 0
    last_ms: int | None = None
    message: str = ""
    details: tuple[tuple[str, str], ...] = field(default=())
    refusal: int = 0


class Feed(Protocol):
    """The recorder's interface for collectors; safe to call from any thread, blocks while the writer is busy.

    Every call may raise HyperscopeError when the writer has failed (a full disk): the collector lets it pass
    through.
    """

    @property
    def axis(self) -> Axis | None:
        """The time axis that all sources of the recording share; None: each keeps its own times."""

    def add_source(self, spec: SourceSpec) -> int:
        """Add a source and return its number; a source of the same kind and name in a resumed
        session is used again.
        """

    def update_source(
        self,
        source: int,
        *,
        interval_s: float | None = None,
        clock_offset_ms: int | None = None,
        attributes: Iterable[tuple[str, str]] | None = None,
    ) -> None:
        """Change the interval (s), clock offset (ms) or attributes of a source; None leaves one as it is."""

    def identify(self, kind: Kind, identities: Sequence[str], name: str) -> EntityRef:
        """Return the entity of an object that its source knows by lasting identities (UUID, moid),
        whatever its name.

        This is the entity that an earlier run or another source met under one of these identities, else the
        entity of that name, unless that one belongs to another object. The collector must add the identities
        as facts of the entity (``sessions.identities``).
        """

    def add_entities(self, entities: Sequence[Entity]) -> None:
        """Add entities, parents in the same call or before; entities that the session already has
        stay as they are.
        """

    def add_facts(self, facts: Sequence[Fact]) -> None:
        """Add facts.

        A fact with the same entity, name and start replaces the earlier one; a later start ends it.
        """

    def add_events(self, events: Sequence[Event]) -> None:
        """Add events.

        An event with the same id replaces the earlier one, but keeps its end, entity and name if set.
        """

    def add_gaps(self, gaps: Sequence[Gap]) -> None:
        """Add gaps.

        A gap with the same source, entity and start replaces the earlier one; ``ticks=0`` removes it.
        """

    def add_journal(self, entries: Sequence[JournalEntry]) -> None:
        """Add changes that were made to the environment.

        An entry with the same id replaces the earlier one, for example with the state that the change has
        reached.
        """

    def add_test_runs(self, runs: Sequence[TestRun]) -> None:
        """Add test runs. A run with the same id replaces the earlier one."""

    def add_layout(self, source: int, specs: Sequence[SeriesSpec]) -> Layout:
        """Add series that arrive together: up to about 50,000; a series is in only one
        layout of its source.
        """

    def add_ticks(self, ticks: Sequence[Tick]) -> None:
        """Store these ticks in one transaction."""

    def flush(self) -> None:
        """Return when everything that was handed over before is on disk, safe from a crash or a power loss.

        Code that is about to change somebody's datacenter calls this first. Raises HyperscopeError when any
        of the data was not stored.
        """

    def report(self, source: int, health: Health) -> None:
        """Hand over the state of the source; only the latest is kept, and this call never blocks."""


class Controls(Protocol):
    """The recorder's requests to a running collector: to pause, or to stop."""

    @property
    def paused(self) -> bool:
        """True if the collector should not poll the source now; samples missed meanwhile are a gap with the
        reason ``PAUSED``.
        """

    def is_set(self) -> bool:
        """Return True if the collector should stop."""

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the collector is asked to stop, at most ``timeout`` seconds; return True
        if it should stop.
        """


@dataclass(frozen=True, slots=True)
class Act:
    """What was done to a source that can be changed while it is recorded: a sentence, when (ms of its clock),
    and whether the source itself tells of it, by an event or a counter.
    """

    text: str
    at: int
    is_seen: bool


@runtime_checkable
class Actable(Protocol):
    """A collector whose source can be changed while it is recorded: the lab, which stands in for an
    environment in which an admin changes something.
    """

    def act(self, what: str, kind: str, name: str) -> Act:
        """Do ``what`` (an id of ``resources.lab_acts``) about an entity of this kind and name.

        Called from another thread than ``run``. Raises NotFoundError for an unknown act or entity, UsageError
        while nothing runs.
        """


class Collector(Protocol):
    """Something that records live from one connection."""

    @property
    def name(self) -> str:
        """The connection's name in messages: ``vcenter://user@host``."""

    def run(self, feed: Feed, controls: Controls) -> None:
        """Collect until asked to stop; recover from transient errors (time-outs, lost
        connections) without help.

        Raises HyperscopeError for errors that need a person: a wrong password, a changed certificate. When it
        returns or raises, none of its threads is alive and the source has been logged out of.
        """
