"""Runs the load of one phase: jobs are prepared, started together, followed, ended, and fetched."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf, nan

import numpy as np

from collectors.fio.documents import Document
from diagnosis.statistics.steady import SteadyLimits, steadiness
from resources.failures import HyperscopeError, UsageError
from resources.fio_jobs import FioJobs
from sessions.times import TimeRange
from wizards.flows.active_worker import ActiveWorker
from wizards.flows.costs import job_times, work_inputs
from wizards.flows.measured import Transfers, WorkerRound
from wizards.flows.plan import Plan, PlannedPhase, PlannedWork
from wizards.flows.run_record import RunRecord
from wizards.flows.windows import WorkDone, scaled, together, work_in
from workloads.environment import Environment, Work, WorkSample
from workloads.together import on_all

LEAD_S, LEAD_EACH_S = 4.0, 0.04
"""How long before its start a job is told: seconds, and more for each worker."""

GRACE_S = 30.0
"""How much longer than planned a job may take before it counts as hung."""


class StoppedError(HyperscopeError):
    """The run ends before its plan does: somebody stopped it, or a guard did."""

    def __init__(self, happened: str, *, by_guard: bool = False) -> None:
        super().__init__(happened)
        self.by_guard = by_guard


@dataclass
class LoadPhase:
    """One phase's load. ``workers`` are those that are still there, by name; ``pause`` lets time pass and
    raises StoppedError when the run is to end.
    """

    environment: Environment
    plan: Plan
    phase: PlannedPhase
    run: str
    workers: Mapping[str, ActiveWorker]
    record: RunRecord
    jobs: FioJobs
    limits: SteadyLimits
    pause: Callable[[], None]
    settled: Callable[[], bool] | None = None
    steady_note: str = ""
    _window: TimeRange | None = field(default=None, init=False)
    _lost: dict[str, str] = field(default_factory=dict, init=False)

    def fill(self) -> None:
        """Write until every job has written everything."""
        self._start_all()
        while any(one.is_running for one in self._busy()):
            self._follow()
        self._fetch()

    def measure(self) -> tuple[TimeRange, tuple[WorkerRound, ...]]:
        """Warm up, measure, end the load; return the common window and what each worker did in it."""
        begun = self._start_all()
        start = begun + round(self.phase.warm_up_s * 1000)
        self._follow_until(start)
        if self.settled is not None:
            start = self._wait_until(self.settled, start)
        elif self.phase.steady_s:
            start = self._wait_for_steady(begun, start)
        window = TimeRange(start, start + round(self.phase.measure_s * 1000))
        self._window = window
        self._follow_until(window.end)
        self._let_end(window.end + round(GRACE_S * 1000))
        self.stop()
        self._fetch()
        return window, tuple(self._rounds(window))

    def stop(self) -> None:
        """End every job now."""
        stopped = on_all(list(self.workers.values()), lambda one: one.worker.stop())
        for active, result in zip(self.workers.values(), stopped, strict=True):
            active.is_running = False
            if isinstance(result, HyperscopeError) and active.name not in self._lost:
                self._lost[active.name] = str(result)

    def _works(self) -> Iterator[tuple[ActiveWorker, PlannedWork]]:
        for work in self.phase.work:
            for name in work.workers:
                if name in self.workers:
                    yield self.workers[name], work

    def _busy(self) -> list[ActiveWorker]:
        return [active for active, _ in self._works() if active.name not in self._lost]

    def _start_all(self) -> int:
        """Put all jobs in place and start them at one instant; return it."""
        pairs = list(self._works())
        for active, _ in pairs:
            active.begin_phase(self.run)
        prepared = on_all(pairs, lambda pair: self._prepare(*pair))
        self._note_failures([active for active, _ in pairs], prepared)
        for active, _ in pairs:
            if active.name not in self._lost:
                active.confirm()
        at = self.environment.now_ms() + round((LEAD_S + LEAD_EACH_S * len(pairs)) * 1000)
        ready = self._busy()
        self._note_failures(ready, on_all(ready, lambda one: one.start(at)))
        return at

    def _prepare(self, active: ActiveWorker, work: PlannedWork) -> None:
        warm_up, runtime = job_times(self.phase, work)
        inputs = work_inputs(self.plan, self.phase, work, active.name, self.jobs)
        takes = "runtime" in self.jobs.inputs_of(self.jobs.jobs[work.job])
        depth = inputs.get("depth", self.jobs.jobs[work.job].options.get("iodepth", 1))
        active.depth = float(depth)
        active.jobs_each_disk = float(self.jobs.jobs[work.job].options.get("numjobs", 1))
        active.work = work
        active.use(work.disks)
        active.prepare(
            self.run,
            Work(
                work.job, inputs, active.disks, active.identities, float(warm_up + runtime) if takes else None
            ),
        )

    def _note_failures(self, actives: Sequence[ActiveWorker], results: Sequence[object]) -> None:
        """Take workers out that could not begin; a disk that is not what it must be ends the run."""
        for active, result in zip(actives, results, strict=True):
            if isinstance(result, UsageError):
                raise result
            if isinstance(result, HyperscopeError):
                self._lose(active, str(result))

    def _follow_until(self, at: int) -> None:
        while self.environment.now_ms() < at:
            self._follow()

    def _let_end(self, latest: int) -> None:
        """Give jobs that end by themselves the time to do so."""
        if self.phase.steady_s:
            return
        own = [active for active, work in self._works() if not work.on_s]
        while self.environment.now_ms() < latest and any(
            one.is_running for one in own if one.name not in self._lost
        ):
            self._follow()

    def _follow(self) -> None:
        """Let a moment pass, and hear from every worker."""
        self.pause()
        busy = [one for one in self._busy() if one.is_running]
        for active, progress in zip(busy, on_all(busy, lambda one: one.worker.poll()), strict=True):
            if isinstance(progress, HyperscopeError):
                self._lose(active, str(progress))
                continue
            active.samples.extend(progress.samples)
            self.record.add_samples(active.name, progress.samples)
            if progress.state in ("failed", "lost"):
                self._lose(active, progress.why)
            elif progress.state == "ended":
                self._ended(active)

    def _ended(self, active: ActiveWorker) -> None:
        active.is_running = False
        if active.work is not None and active.work.on_s and not self._is_over():
            self._again(active, active.work)

    def _is_over(self) -> bool:
        return self._window is not None and self.environment.now_ms() >= self._window.end

    def _again(self, active: ActiveWorker, work: PlannedWork) -> None:
        """Fetch what a worker did before its pause, and let it go on after it."""
        try:
            active.keep(active.worker.fetch())
            self._prepare(active, work)
            active.start(active.started_at + round((work.on_s + work.off_s) * 1000))
        except HyperscopeError as error:
            self._lose(active, str(error))

    def _lose(self, active: ActiveWorker, why: str) -> None:
        active.fail(why, self.environment.now_ms())
        self._lost[active.name] = active.error

    def _wait_until(self, settled: Callable[[], bool], start: int) -> int:
        """Follow the load until the environment has settled, at most as long as the plan allows."""
        latest = start + round(self.phase.steady_s * 1000)
        while self.environment.now_ms() < latest and not settled():
            self._follow()
        return self.environment.now_ms()

    def _wait_for_steady(self, begun: int, start: int) -> int:
        """Wait until the load of all workers together is steady, at most as long as the plan allows."""
        latest = start + round(self.phase.steady_s * 1000)
        limits = limits_over(self.limits, self.phase.warm_up_s)
        while self.environment.now_ms() < latest:
            values, interval = self._sums(begun)
            if values.size and steadiness(values, interval, limits).is_steady:
                self.steady_note = "steady"
                return self.environment.now_ms()
            self._follow()
        self.steady_note = "not steady"
        return latest

    def _sums(self, since: int) -> tuple[np.ndarray[tuple[int], np.dtype[np.float64]], float]:
        """Return the I/Os a second of all workers together, and how many seconds lie between two values."""
        rows = [[one for one in active.samples if one.at > since] for active in self._busy()]
        length = min((len(row) for row in rows), default=0)
        if length < 2:
            return np.zeros(0), 1.0
        values = np.nansum([[one.reads + one.writes for one in row[-length:]] for row in rows], axis=0)
        return values, (rows[0][-1].at - rows[0][-length].at) / (length - 1) / 1000

    def _fetch(self) -> None:
        """Fetch the documents of the last job of each worker."""
        actives = [active for active, _ in self._works()]
        for active, found in zip(actives, on_all(actives, lambda one: one.worker.fetch()), strict=True):
            if isinstance(found, HyperscopeError):
                active.fail(str(found), self.environment.now_ms())
            else:
                active.keep(found)
        for active in actives:
            for documents in active.documents:
                self.record.add_percentiles(active.name, documents)

    def _rounds(self, window: TimeRange) -> Iterator[WorkerRound]:
        grid = [one.at for active, work in self._works() if not work.on_s for one in active.samples]
        for active, work in self._works():
            documents = active.documents
            done = together(filter(None, (_done(each, window, active, work) for each in documents)))
            samples = tuple(one for one in active.samples if window.start < one.at <= window.end)
            if work.on_s:
                samples = with_pauses(samples, [at for at in grid if window.start < at <= window.end])
            yield _worker_round(active, done, samples, window)


def limits_over(limits: SteadyLimits, warm_up_s: float) -> SteadyLimits:
    """Return the limits for a warm-up that is shorter than their window: a ramp of the same slope is as
    little steady there, so its drift must be smaller by as much.
    """
    window_s = min(limits.window_s, max(warm_up_s, 10 * limits.block_s))
    return replace(
        limits,
        window_s=window_s,
        block_s=min(limits.block_s, window_s / 10),
        drift_percent=limits.drift_percent * window_s / limits.window_s,
    )


def _done(
    documents: Sequence[Document], window: TimeRange, active: ActiveWorker, work: PlannedWork
) -> WorkDone | None:
    """Return what a job did in the window; of one that works in turns, all of a turn that began in it."""
    times = [one.at for one in documents]
    if work.on_s and times and times[-1] < window.start:
        return None
    whole = TimeRange(0, window.end) if work.on_s else window
    return work_in(documents, whole, active.depth)


def with_pauses(samples: Sequence[WorkSample], grid: Sequence[int]) -> tuple[WorkSample, ...]:
    """Return a sample for each instant of ``grid``: the nearest one, or nothing done in a pause."""
    times = sorted(set(grid))
    step = min((b - a for a, b in itertools.pairwise(times) if b > a), default=inf)
    own = np.array([one.at for one in samples], np.int64)
    found = []
    for at in times:
        near = int(np.argmin(np.abs(own - at))) if own.size else -1
        if near >= 0 and abs(int(own[near]) - at) <= step:
            found.append(samples[near])
        else:
            found.append(WorkSample(at, 0.0, 0.0, 0.0, 0.0, nan, nan))
    return tuple(found)


def _worker_round(
    active: ActiveWorker, done: WorkDone | None, samples: tuple[WorkSample, ...], window: TimeRange
) -> WorkerRound:
    nothing = Transfers()
    seconds = window.seconds
    is_turns = active.work is not None and active.work.on_s
    reads, writes = (done.reads, done.writes) if done is not None else (nothing, nothing)
    if done is not None and not is_turns:
        reads, writes = (scaled(one, done.seconds, seconds) for one in (reads, writes))
    error = active.error or (done.error if done is not None else "It has no result.")
    return WorkerRound(
        worker=active.name,
        reads=reads,
        writes=writes,
        role=active.planned.role,
        host=active.host,
        outstanding=active.depth * active.jobs_each_disk * len(active.disks),
        samples=samples,
        depth_reached=done.depth_reached if done is not None else nan,
        cpu=done.cpu if done is not None else nan,
        error=error,
    )
