"""The ``Feed`` of a collector: every call becomes a job in the writer's queue, in the order of the calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from typing import Any

from collectors.axis import Axis
from collectors.feed import Health, Layout, Tick
from recorder.board import Board
from recorder.queue import Job, WriterQueue
from recorder.recorded_sources import attributes_of
from recorder.session_file import SessionFile
from resources.failures import HyperscopeError
from sessions.journal import JournalEntry, TestRun
from sessions.model import Entity, EntityRef, Event, Fact, Gap, Kind, SeriesSpec, SourceSpec

_OBJECT_BYTES = 400
"""About what an entity, a fact or a series' description takes in memory."""


class CollectorFeed:
    """The ``Feed`` of one collector (``collectors.feed``); safe to call from all of its threads.

    ``error`` is why no more data is accepted, None while it is: every call raises it.
    ``sources_with_samples`` are the numbers of the sources that had samples in this run. ``axis`` is the time
    axis that all collectors of the recording share.
    """

    def __init__(self, collector: int, queue: WriterQueue, board: Board, axis: Axis) -> None:
        self._collector, self._queue, self._board = collector, queue, board
        self._axis = axis
        self._sources: dict[int, int] = {}
        self.sources_with_samples: set[int] = set()
        self.error: HyperscopeError | None = None

    @property
    def axis(self) -> Axis | None:
        """The time axis of the recording."""
        return self._axis

    def add_source(self, spec: SourceSpec) -> int:
        """Add a source and return its number; a source of the same kind and name in a resumed
        session is used again.
        """
        source: int = self._ask(lambda file: file.sources.add(spec), 0)
        self._board.add(source, self._collector, spec)
        return source

    def update_source(
        self,
        source: int,
        *,
        interval_s: float | None = None,
        clock_offset_ms: int | None = None,
        attributes: Iterable[tuple[str, str]] | None = None,
    ) -> None:
        """Change the interval (s), clock offset (ms) or attributes of a source; None leaves one as it is."""
        pairs = attributes_of(attributes)
        self._submit(lambda file: file.sources.update(source, interval_s, clock_offset_ms, pairs), 0)

    def identify(self, kind: Kind, identities: Sequence[str], name: str) -> EntityRef:
        """Return the entity of an object that its source knows by lasting identities (UUID, moid)."""
        ref: EntityRef = self._ask(lambda file: file.records.identify(kind, identities, name), 0)
        return ref

    def add_entities(self, entities: Sequence[Entity]) -> None:
        """Add entities, parents in the same call or before."""
        self._submit(lambda file: file.records.add_entities(entities), len(entities))

    def add_facts(self, facts: Sequence[Fact]) -> None:
        """Add facts."""
        self._submit(lambda file: file.records.add_facts(facts), len(facts))

    def add_events(self, events: Sequence[Event]) -> None:
        """Add events; an event with the same id replaces the earlier one."""
        self._submit(lambda file: file.records.add_events(events), len(events))

    def add_gaps(self, gaps: Sequence[Gap]) -> None:
        """Add gaps."""
        self._submit(lambda file: file.records.add_gaps(gaps), len(gaps))

    def add_journal(self, entries: Sequence[JournalEntry]) -> None:
        """Add changes to the environment; an entry with the same id replaces the earlier one."""
        self._submit(lambda file: file.records.add_journal(entries), len(entries))

    def add_test_runs(self, runs: Sequence[TestRun]) -> None:
        """Add test runs; a run with the same id replaces the earlier one."""
        self._submit(lambda file: file.records.add_test_runs(runs), len(runs))

    def add_layout(self, source: int, specs: Sequence[SeriesSpec]) -> Layout:
        """Add series that arrive together; returns when everything handed over before is stored."""
        layout: Layout = self._ask(lambda file: file.layouts.add(source, specs), len(specs))
        self._sources[layout.id] = source
        return layout

    def add_ticks(self, ticks: Sequence[Tick]) -> None:
        """Store these ticks in one transaction."""
        if ticks:
            self.sources_with_samples.update(self._sources.get(tick.layout, 0) for tick in ticks)
            size = sum(tick.stored.nbytes for tick in ticks)
            self._put(Job(lambda file: file.layouts.add_ticks(ticks), size, refused=self._refused))

    def flush(self) -> None:
        """Return when everything that was handed over before is on disk."""
        self._ask(lambda file: file.require_on_disk(), 0)
        if self.error is not None:  # something of it was refused while we waited
            raise self.error

    def report(self, source: int, health: Health) -> None:
        """Store the source's health; only the latest is kept, and this call never blocks."""
        self._board.report(source, health)

    def _submit(self, run: Callable[[SessionFile], None], objects: int) -> None:
        self._put(Job(run, objects * _OBJECT_BYTES, refused=self._refused))

    def _ask(self, run: Callable[[SessionFile], Any], objects: int) -> Any:
        result: Future[Any] = Future()
        self._put(Job(run, objects * _OBJECT_BYTES, result, self._refused))
        return result.result()

    def _put(self, job: Job) -> None:
        if self.error is not None:
            raise self.error
        self._queue.put(job)

    def _refused(self, error: HyperscopeError) -> None:
        """What was handed over can't be stored: this collector is at its end, the others are not."""
        self.error = error
