"""A guest as a worker of a test: its job is put there, started at an instant, followed, ended, removed."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from collectors.fio.documents import Document
from resources.failures import HyperscopeError, SourceError
from resources.fio_jobs import FioJobs
from resources.foreign_text import shown
from resources.guest_limits import guest_limits
from resources.guest_scripts import guest_script
from sessions.journal import ChangedObject
from sessions.model import EntityRef
from workloads.disk_uuid import plain_uuid
from workloads.environment import TestObject, Work, WorkerFacts, WorkerProgress, WorkerState
from workloads.guests.contract import LaunchSettings, disks_text, folder_of, parse_ending, scratch_of
from workloads.guests.disks import refusal
from workloads.guests.ending import clock_jumped, state_at_end
from workloads.guests.folders import end_job, make_folder
from workloads.guests.inspecting import check_disks, fio_objection, inspect
from workloads.guests.jobs import launched_job
from workloads.guests.progress import Progress
from workloads.guests.shells import joined
from workloads.guests.transport import ClockReading, GuestTransport, News
from workloads.job_file import Guest

_FRESH_S = 120.0
"""Guests' clocks drift by some ms in that time."""
_MAX_SAID = 1 << 16
_FIO: Mapping[Guest, str] = {"linux": "fio", "windows": "fio.exe"}
_SCRIPTS: Mapping[Guest, tuple[str, ...]] = {
    "linux": ("run.sh", "barrier.sh", "disks.sh"),
    "windows": ("run.ps1", "disks.ps1"),
}
_GONE = {
    "gone": "The job's folder in {} was removed while it ran.",
    "dead": "The launcher in {} is gone: the guest was restarted, or somebody ended it.",
}


@dataclass(frozen=True, slots=True)
class GuestOptions:
    """How load in guests is launched.

    ``fio_binary`` is copied into guests whose fio is missing or too old, where given. ``raw_logs``: fio logs
    each I/O (only for short runs: a line each). ``silence_s`` and ``lost_after_s`` are those of
    resources/guests/limits.toml, and shorter in tests.
    """

    fio_binary: Path | None = None
    raw_logs: bool = False
    silence_s: int = guest_limits().silence_s
    lost_after_s: float = guest_limits().lost_after_s


DEFAULTS = GuestOptions()


class GuestWorker:
    """A worker in a guest, over any transport.

    ``place_of`` makes what the journal names out of a folder's path. ``workers`` is how many of them run
    together, which decides how often each tells what it did. ``now_ms`` is the environment's clock.
    ``made_disks`` tells the run and the name of each disk that a run made, by its plain UUID.
    """

    def __init__(
        self,
        name: str,
        entity: EntityRef,
        transport: GuestTransport,
        jobs: FioJobs,
        place_of: Callable[[str], ChangedObject],
        *,
        vm: TestObject | None = None,
        workers: int = 1,
        options: GuestOptions = DEFAULTS,
        now_ms: Callable[[], float] = lambda: time.time() * 1000,
        made_disks: Callable[[], Mapping[str, tuple[str, str]]] = dict,
    ) -> None:
        self._made_disks = made_disks
        self._name, self._entity, self._vm = name, entity, vm
        self._transport, self._jobs, self._place_of = transport, jobs, place_of
        self._workers, self._options, self._now_ms = workers, options, now_ms
        self._folder = ""
        self._work: Work | None = None
        self._settings: LaunchSettings | None = None
        self._clock: ClockReading | None = None
        self._measured = -math.inf
        self._facts: WorkerFacts | None = None
        self._run: _Run | None = None

    @property
    def name(self) -> str:
        """The display name."""
        return self._name

    @property
    def entity(self) -> EntityRef:
        """The worker's own entity in the session."""
        return self._entity

    @property
    def vm(self) -> TestObject | None:
        """Its VM, None where no vCenter is known."""
        return self._vm

    @property
    def transport(self) -> GuestTransport:
        """The way into its guest."""
        return self._transport

    def inspect(self) -> WorkerFacts:
        """Ask the guest what it is and has. It changes nothing."""
        facts = inspect(self._transport).facts(self._transport, self._read_clock())
        made = self._made_disks()
        disks = []
        for one in facts.disks:
            run, name = made.get(plain_uuid(one.uuid), ("", ""))
            disks.append(replace(one, made_by=run, made_as=name))
        self._facts = replace(facts, disks=tuple(disks))
        return self._facts

    @property
    def facts(self) -> WorkerFacts | None:
        """What the guest said when it was last inspected; None if it was not."""
        return self._facts

    def place(self, run: str) -> ChangedObject:
        """Return what ``prepare`` will make for a test run; this asks nobody."""
        return self._place_of(folder_of(run, self._name, self._transport.guest))

    def scratch(self, run: str, /) -> ChangedObject | None:
        """Return the folder in which every script of a test run will leave something while it runs, for the
        journal; None if none will.
        """
        folder = scratch_of(folder_of(run, self._name, self._transport.guest))
        return self._place_of(folder) if self._transport.keep_in(folder) else None

    def prepare(self, run: str, work: Work) -> ChangedObject:
        """Put the job where it will run, and start nothing; return ``place(run)``.

        Raises UsageError if a disk is not what ``work.identities`` say, SourceError if there is no fio.
        """
        transport, folder = self._transport, folder_of(run, self._name, self._transport.guest)
        job = launched_job(self._jobs, work, folder, transport.guest, raw_logs=self._options.raw_logs)
        disks = disks_text(work)
        objections = check_disks(transport, disks)
        if objections:
            raise refusal(work, transport.place, objections)
        copies = self._needs_copy()
        self._read_clock()  # now, so that starting many at once takes less time
        end_job(transport, folder, remove=True)
        limits = guest_limits()
        settings = LaunchSettings(
            limits.interval_s(self._workers, work.seconds),
            self._options.silence_s,
            limits.free_kb,
            joined(transport.guest, folder, _FIO[transport.guest]) if copies else "",
        )
        make_folder(transport, folder, _files(transport.guest, job, disks, settings))
        if copies and self._options.fio_binary is not None:
            transport.put(settings.fio, self._options.fio_binary.read_bytes(), executable=True)
        self._folder, self._work, self._settings, self._run = folder, work, settings, None
        return self._place_of(folder)

    def _needs_copy(self) -> bool:
        limits = guest_limits()
        if self._facts is not None and not limits.is_old(self._facts.fio):
            return False
        fio = self.inspect().fio
        error = fio_objection(fio, self._transport.place, limits.oldest_fio, is_old=limits.is_old(fio))
        if error is not None and self._options.fio_binary is None:
            raise error
        return error is not None

    def start(self, at_ms: int) -> None:
        """Let the job begin at an instant of the environment's clock, by the guest's own clock."""
        settings, work = self._settings, self._work
        if settings is None or work is None:
            raise SourceError(f"{self._name} has no job that could be started.")
        clock = self._read_clock()
        until_s = max(0.0, at_ms - self._now_ms()) / 1000
        wait_s = math.ceil(until_s) + guest_limits().late_s
        told = replace(settings, start_ms=round(at_ms + clock.offset_ms), wait_s=wait_s)
        self._transport.put(self._path("settings"), told.text().encode("ascii"))
        self._run = _Run(self._name, work, at_ms, Progress(clock.offset_ms))
        self._transport.launch(self._folder)

    def poll(self) -> WorkerProgress:
        """Return the state and the newest samples; this also tells the guest that somebody still listens."""
        run = self._run
        if run is None:
            return WorkerProgress("ready")
        if run.end is not None:
            return run.end
        try:
            news = self._transport.exchange(self._folder, run.progress.parts)
        except SourceError as error:
            run.failure, news = str(error), None
        if news is None:
            return run.unanswered(self._now_ms(), self._options.lost_after_s)
        run.waiting_since, run.failure = None, ""
        now = self._now_ms()
        samples = tuple(sample for part in news.parts for sample in run.progress.add(part, now))
        run.end = self._end(run, news)
        if run.end is None:
            return WorkerProgress(run.state(self._now_ms()), samples)
        return replace(run.end, samples=samples)

    def _end(self, run: _Run, news: News) -> WorkerProgress | None:
        """Return the state of a job that has ended or that is given up; None while it goes on."""
        if news.state in _GONE:
            return WorkerProgress("failed", why=_GONE[news.state].format(self._name))
        if run.progress.jumped_ms:
            return WorkerProgress("failed", why=clock_jumped(self._name, run.progress.jumped_ms))
        if not news.ending:
            return None
        ending = parse_ending(news.ending)
        said = _said(self._transport, self._folder) if ending.word == "ended" and ending.exit_code else ""
        return state_at_end(ending, run.work, self._name, said, self._options.silence_s)

    def _path(self, name: str) -> str:
        return joined(self._transport.guest, self._folder, name)

    def fetch(self) -> tuple[Document, ...]:
        """Return fio's documents of the job, in their order; of one that was lost, those that arrived.

        Their times are those of the environment's clock.
        """
        if self._run is None:
            raise SourceError(f"{self._name} has no job of which there could be a result.")
        return self._run.progress.documents(f"The output of {shown(self._name)}")

    def stop(self) -> None:
        """End the job now; nothing of it runs when this returns. It is no error if none runs."""
        if self._folder:
            end_job(self._transport, self._folder, remove=False)

    def clean_up(self) -> None:
        """Remove everything that ``prepare`` made. It is no error if nothing is there."""
        if self._folder:
            end_job(self._transport, self._folder, remove=True)

    def _read_clock(self) -> ClockReading:
        if self._clock is None or time.monotonic() - self._measured > _FRESH_S:
            self._clock, self._measured = self._transport.clock(), time.monotonic()
        return self._clock


def _said(transport: GuestTransport, folder: str) -> str:
    """Return what a job's fio printed beside its results."""
    try:
        parts = [transport.get(joined(transport.guest, folder, name), _MAX_SAID) for name in ("out", "err")]
    except HyperscopeError:
        return ""
    return b"\n".join(part for part in parts if part).decode("utf-8", "replace")


class _Run:
    """A job that was started: what is known of it so far."""

    def __init__(self, worker: str, work: Work, at_ms: int, progress: Progress) -> None:
        self._worker = worker
        self.work, self.at_ms, self.progress = work, at_ms, progress
        self.waiting_since: float | None = None
        self.failure = ""
        self.end: WorkerProgress | None = None

    def unanswered(self, now_ms: float, lost_after_s: float) -> WorkerProgress:
        """Return what it means that the guest did not answer a poll."""
        # From the first poll that got no answer: a controller that did not poll did not wait for the guest.
        now = time.monotonic()
        self.waiting_since = now if self.waiting_since is None else self.waiting_since
        waited_s = now - self.waiting_since
        if waited_s < lost_after_s:  # a broken connection is made again meanwhile
            return WorkerProgress(self.state(now_ms))
        why = self.failure or f"{self._worker} has not answered for {waited_s:.0f} s."
        return WorkerProgress("lost", why=why)

    def state(self, now_ms: float) -> WorkerState:
        """Return the state of a job that has not ended."""
        begun = self.progress.has_begun or now_ms >= self.at_ms
        return "running" if begun else "waiting"


def _files(guest: Guest, job: str, disks: str, settings: LaunchSettings) -> Mapping[str, str]:
    scripts = {name: guest_script(name) for name in _SCRIPTS[guest]}
    return {**scripts, "job.fio": job, "disks": disks, "settings": settings.text()}
