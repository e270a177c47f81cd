"""Writes a test run into the session while it goes on: phases as events, workers, journal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from math import nan

import numpy as np

from collectors.feed import Feed, Health, Tick
from collectors.fio.documents import Document
from collectors.fio.intervals import COUNTERS, intervals
from resources.failures import HyperscopeError
from sessions.journal import JournalEntry, Phase, PhaseState, TestRun
from sessions.model import Entity, EntityRef, Event, FloatArray, SeriesSpec, SourceSpec
from wizards.flows.measured import LostWorker
from workloads.environment import Disturbance, TestObject, Worker, WorkSample

PHASE_EVENT, STOP_EVENT, DISTURBANCE_EVENT = "test phase", "test stopped", "test disturbed"
LOST_EVENT = "test worker lost"
_COLUMN = {key: number for number, (key, _) in enumerate(COUNTERS)}
_PERCENTILES = [
    number for key, number in _COLUMN.items() if key.rpartition("_")[2] in ("p50", "p95", "p99", "p999")
]


class RunRecord:
    """The record of one run in a feed. Its calls come from one thread."""

    def __init__(self, feed: Feed, run: TestRun, source: str, now_ms: Callable[[], int]) -> None:
        self._feed, self._now_ms = feed, now_ms
        self.run = run
        self._written: TestRun | None = None
        self._source = feed.add_source(SourceSpec("fio", source, 1.0, attributes=(("test run", run.id),)))
        self._layouts: dict[str, int] = {}
        self._events: dict[int, Event] = {}
        self._samples = 0
        self._must_store = True
        self._write()

    def outlive_the_session(self) -> None:
        """Raise nothing from now on if the session takes nothing more: everything is put back first.

        What stays unwritten is found undone by a later ``restore``.
        """
        self._must_store = False

    @contextmanager
    def _storing(self) -> Iterator[None]:
        try:
            yield
        except HyperscopeError:
            if self._must_store:
                raise

    def add_workers(self, workers: Sequence[Worker]) -> None:
        """Add the workers as entities under their VMs, with their series."""
        for worker in workers:
            vm: TestObject | None = worker.vm
            parents = [Entity(vm.entity, vm.object.name)] if vm is not None else []
            parent = vm.entity if vm is not None else None
            self._feed.add_entities([*parents, Entity(worker.entity, worker.name, parent)])
            specs = [SeriesSpec(worker.entity, key, unit) for key, unit in COUNTERS]
            self._layouts[worker.name] = self._feed.add_layout(self._source, specs).id
        self._feed.report(self._source, Health("recording", 1.0, len(workers), len(workers) * len(COUNTERS)))

    def add_samples(self, worker: str, samples: Iterable[WorkSample]) -> None:
        """Store what a worker did as it is told live: rates and means."""
        ticks = []
        for one in samples:
            stored = self._nothing()
            for key, value in (
                ("work.reads", one.reads),
                ("work.writes", one.writes),
                ("work.read_mb", one.read_mb),
                ("work.write_mb", one.write_mb),
                ("work.read_latency", one.read_ms),
                ("work.write_latency", one.write_ms),
            ):
                stored[_COLUMN[key]] = value
            ticks.append(Tick(self._layouts[worker], one.at, stored))
        self._store(ticks)

    def add_percentiles(self, worker: str, documents: Sequence[Document]) -> None:
        """Store the percentiles of each interval between a job's documents."""
        ticks = []
        found = list(intervals(documents))
        is_several = any(one.worker < 0 for one in found)
        for one in found:
            if one.worker == (-1 if is_several else 0):
                stored = self._nothing()
                stored[_PERCENTILES] = np.array(one.values)[_PERCENTILES]
                ticks.append(Tick(self._layouts[worker], one.at, stored))
        self._store(ticks)

    def record(self, entries: Sequence[JournalEntry]) -> None:
        """The journal's book: store changes and return when they are on disk."""
        with self._storing():
            self._feed.add_journal(entries)
            self._feed.flush()

    def begin_phase(self, number: int, title: str) -> None:
        """Note that phase ``number`` begins now."""
        self._event(number, title, None)
        self._set_phase(number, replace(self.run.phases[number], state="running", start=self._now_ms()))

    def end_phase(self, number: int, state: PhaseState = "done") -> None:
        """Note that a phase ends now, in a state."""
        now = max(self._now_ms(), self.run.phases[number].start or 0)
        event = self._events.get(number)
        if event is not None:
            self._event(number, event.text, now)
        end = now if event is not None else None
        self._set_phase(number, replace(self.run.phases[number], state=state, end=end))

    def seconds_into_phase(self, at: int) -> float:
        """Return how long after the beginning of the present phase an instant (ms) is."""
        begun = next((one.start for one in reversed(self.run.phases) if one.state == "running"), None)
        return max(0.0, (at - (begun or at)) / 1000)

    def note_disturbances(self, happened: Iterable[Disturbance]) -> None:
        """Put what disturbed a measurement on the time axis."""
        self._feed.add_events([Event(one.at, DISTURBANCE_EVENT, one.text) for one in happened])

    def note_lost(self, lost: LostWorker, worker: EntityRef) -> None:
        """Put on the time axis that a worker was lost, and why."""
        text = lost.why if lost.worker in lost.why else f"{lost.worker} was lost: {lost.why}"
        with self._storing():
            self._feed.add_events([Event(lost.at, LOST_EVENT, text, worker)])

    def note_stop(self, why: str) -> None:
        """Put on the time axis that the run was stopped, and why."""
        self._feed.add_events([Event(self._now_ms(), STOP_EVENT, why)])

    def change(self, **new: object) -> None:
        """Change the run's result and write it."""
        self.run = replace(self.run, **new)  # type: ignore[arg-type]
        self._write()

    def end(self, **new: object) -> None:
        """End the run: no phase goes on, and everything is on disk."""
        phases = tuple(
            replace(one, state="skipped") if one.state == "planned" else one for one in self.run.phases
        )
        self.change(end=max(self._now_ms(), self.run.start), phases=phases, **new)
        self._feed.report(self._source, Health("ended", 1.0, received=self._samples, expected=self._samples))
        with self._storing():
            self._feed.flush()

    def _set_phase(self, number: int, phase: Phase) -> None:
        phases = list(self.run.phases)
        phases[number] = phase
        self.run = replace(self.run, phases=tuple(phases))
        self._write()

    def _event(self, number: int, title: str, end: int | None) -> None:
        begun = self._events.get(number)
        at = begun.at if begun is not None else self._now_ms()
        event = Event(at, PHASE_EVENT, title, end=end, id=f"{self.run.id}/phase/{number}")
        self._events[number] = event
        with self._storing():
            self._feed.add_events([event])

    def _store(self, ticks: Sequence[Tick]) -> None:
        self._feed.add_ticks(ticks)
        self._samples += sum(int(np.isfinite(tick.stored).sum()) for tick in ticks)

    def _nothing(self) -> FloatArray:
        return np.full(len(COUNTERS), nan)

    def _write(self) -> None:
        with self._storing():
            self._feed.add_test_runs([_without_texts_of(self._written, self.run)])
        self._written = self.run


def _without_texts_of(before: TestRun | None, run: TestRun) -> TestRun:
    """Return a run without the long texts that were written before, which its session keeps."""
    if before is None:
        return run
    plan = "" if before.plan == run.plan else run.plan
    details = "" if before.details == run.details else run.details
    return replace(run, plan=plan, details=details)
