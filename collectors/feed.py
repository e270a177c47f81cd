"""The seam between live collectors and the recorder: what a collector hands over, and what it is told.

A collector runs in threads of its own and calls a ``Feed``; the recorder's one writer stores what comes. A
full queue makes the calls wait: a collector then falls behind and says so, and nothing is dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

import numpy as np

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

State = Literal["connecting", "recording", "reconnecting", "paused", "ended", "failed"]


@dataclass(frozen=True, slots=True)
class Layout:
    """Series that arrive together.

    ``last`` (n,): time of each one's last stored sample in ms, 0 for none. ``scale`` (n,): what each one's
    stored numbers are multiplied with, which is as it was first given: a series of an earlier run keeps its
    own. Empty where nothing differs from what was asked for.
    """

    id: int
    last: IntArray
    scale: FloatArray = field(default_factory=lambda: np.zeros(0))


@dataclass(frozen=True, slots=True)
class Tick:
    """One sampling instant of a layout.

    ``stored`` float64 (n,), in the layout's order, what the source said (canonical = stored × scale), NaN
    where absent. An instant may come again with what was late: values fill in, NaN takes nothing away.
    """

    layout: int
    t_ms: int
    stored: FloatArray


@dataclass(frozen=True, slots=True)
class Health:
    """How a source is doing now. Counts are of this run; ``behind_s`` is how late its newest sample came.

    ``expected`` and ``received`` count samples that should have come by now and that did; ``gaps`` are those
    that are open or were found so far. ``message`` is one sentence for people, empty when all is well.
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


class Feed(Protocol):
    """Where a collector puts what it got; safe to call from any thread, waits while the writer is busy.

    Every call may raise HyperscopeError when the writer has failed (a full disk): the collector lets it pass.
    """

    def add_source(self, spec: SourceSpec) -> int:
        """A source; one of the same kind and name in a resumed session is taken up again."""

    def update_source(
        self,
        source: int,
        *,
        interval_s: float | None = None,
        clock_offset_ms: int | None = None,
        attributes: Iterable[tuple[str, str]] | None = None,
    ) -> None:
        """Change what is said of a source."""

    def identify(self, kind: Kind, identities: Sequence[str], name: str) -> EntityRef:
        """The entity of an object that its source knows by lasting identities, whatever it is called.

        It is the one that an earlier run or another source met by one of them, else the one of that name,
        unless another object is that one. Its facts have to say them (``sessions.identities``).
        """

    def add_entities(self, entities: Sequence[Entity]) -> None:
        """Entities, parents in the same call or before; known ones are left as they are."""

    def add_facts(self, facts: Sequence[Fact]) -> None:
        """Facts. One of the same entity, name and start replaces the earlier; a later start ends one."""

    def add_events(self, events: Sequence[Event]) -> None:
        """Events. One of the same id replaces the earlier; an end, entity or name that was said stays."""

    def add_gaps(self, gaps: Sequence[Gap]) -> None:
        """Gaps. One of the same source, entity and start replaces the earlier; ``ticks=0`` takes it back."""

    def add_journal(self, entries: Sequence[JournalEntry]) -> None:
        """Changes to the environment. One of the same id replaces the earlier: it says how far it came."""

    def add_test_runs(self, runs: Sequence[TestRun]) -> None:
        """Test runs. One of the same id replaces the earlier."""

    def add_layout(self, source: int, specs: Sequence[SeriesSpec]) -> Layout:
        """Series that arrive together: up to about 50,000, each in one layout of its source only."""

    def add_ticks(self, ticks: Sequence[Tick]) -> None:
        """Store these instants in one transaction."""

    def flush(self) -> None:
        """Return when everything that was handed over before is on disk, safe from a crash or a power loss.

        Who is about to change somebody's datacenter waits for this first. Raises HyperscopeError when any of
        it was not stored.
        """

    def report(self, source: int, health: Health) -> None:
        """Say how the source is doing; only the latest is kept, and this never waits."""


class Controls(Protocol):
    """What the recorder asks of a collector."""

    @property
    def paused(self) -> bool:
        """Whether to leave the source alone for now; what is missed is a gap with the reason ``paused``."""

    def is_set(self) -> bool:
        """Whether to stop."""

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until asked to stop, at most so many seconds; returns whether to stop."""


class Collector(Protocol):
    """Something that records live from one connection."""

    @property
    def name(self) -> str:
        """What the connection is called in messages: ``vcenter://user@host``."""

    def run(self, feed: Feed, controls: Controls) -> None:
        """Collect until told to stop, getting over what passes by itself.

        Raises HyperscopeError for what does not pass: a wrong password, a changed certificate. When it
        returns or raises, none of its threads lives and the source knows that we left.
        """
