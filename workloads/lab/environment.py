"""The lab as an environment: one simulation in this process, with a clock of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from collectors.feed import Controls, Feed
from lab import Pace, find_scenario, load_scenarios
from lab.acted import ActedLab
from lab.acted.simulation import TICK_MS
from lab.live import parse_lab_address
from lab.physics import TICK_S
from resources.fio_jobs import load_fio_jobs
from sessions.journal import ChangedObject, JournalEntry
from sessions.times import TimeRange
from workloads.environment import Disturbance, TestObject, Worker
from workloads.lab.objects import LabObjects
from workloads.lab.recording import LabRecording
from workloads.lab.restoring import replay
from workloads.lab.settings import LabSettings
from workloads.lab.simulated import Simulated
from workloads.lab.worker import LabWorker

LAB_TESTS = ("lab:default", "lab:congested", "lab:idle", "lab:imbalanced", "lab:balanced")
"""The addresses of labs that tests can use; one of them decides how the simulation comes out."""


class LabEnvironment:
    """The lab at an address ``lab:SCENARIO[?seed=N]``.

    ``speed`` is seconds of the lab's time in a second of real time, 0 for as fast as it can. A lab is gone
    with its process: with the ``journal`` of a session the changes that still hold are made again in a new
    one of the same scenario and seed, whose clock goes on at ``resumed_at`` (ms). Raises UsageError,
    NotFoundError for an address that is none.
    """

    def __init__(
        self,
        address: str,
        *,
        speed: float = 0.0,
        journal: Sequence[JournalEntry] = (),
        resumed_at: int | None = None,
    ) -> None:
        parsed = parse_lab_address(address)
        scenario = find_scenario(load_scenarios(), parsed.scenario)
        self._simulated = Simulated(ActedLab(scenario, seed=parsed.seed), parsed)
        self._simulated.advance = self._let_pass
        self._speed = speed
        self._recording: LabRecording | None = None
        self._settings = LabSettings(self._simulated)
        self._objects = LabObjects(self._simulated)
        jobs = load_fio_jobs()
        lab = self._simulated.lab
        self._workers = tuple(
            LabWorker(self._simulated, vm, jobs, self._objects.worker(vm), self._objects.vm_object)
            for vm in lab.workers
        )
        if journal:
            replay(self._simulated, self._settings, journal)
        if resumed_at is not None:
            lab.skip_to(resumed_at)
        self._target_ms = lab.now_ms

    @property
    def address(self) -> str:
        """The lab's address."""
        return self._simulated.address

    @property
    def lab(self) -> ActedLab:
        """The simulation itself, for what others do in it meanwhile: back up, move, change."""
        return self._simulated.lab

    @property
    def settings(self) -> LabSettings:
        """The settings that can be changed here."""
        return self._settings

    def objects(self) -> Sequence[TestObject]:
        """Return cluster, hosts, datastores and VMs."""
        with self._simulated.lock:
            return self._objects.all()

    def workers(self) -> Sequence[Worker]:
        """Return the workers: the first of each host, then the second of each."""
        return self._workers

    def privileges(
        self, needed: Mapping[str, Sequence[ChangedObject]]
    ) -> Mapping[str, Sequence[ChangedObject]]:
        """Nothing lacks in the lab."""
        del needed  # the lab knows no privileges
        return {}

    def now_ms(self) -> int:
        """Return the lab's time."""
        with self._simulated.lock:
            return self._target_ms

    def begin(self, feed: Feed) -> None:
        """Record the simulation into the feed from now on."""
        with self._simulated.lock:
            self._recording = LabRecording(self._simulated.lab, self._objects, self._simulated.address, feed)

    def wait(self, seconds: float, controls: Controls) -> bool:
        """Let lab time pass; return True if the test should stop."""
        pace = Pace(self._speed, controls)
        passed = 0.0
        while passed < seconds:
            step = min(TICK_S, seconds - passed)
            passed += step
            if pace.wait(passed) is None:
                return True
            with self._simulated.lock:
                self._let_pass(step)
        return controls.is_set()

    def disturbances(self, window: TimeRange) -> Sequence[Disturbance]:
        """Return moves by others than the test, backups, and VMs that were switched off, in a window."""
        with self._simulated.lock:
            return [
                Disturbance(one.at, one.kind, one.text, self._simulated.vm_object(one.vm))
                for one in self._simulated.lab.happenings
                if one.at < window.end and one.end >= window.start
            ]

    def close(self) -> None:
        """End the recording; the simulation goes with this object."""
        with self._simulated.lock:
            if self._recording is not None:
                self._recording.end()
                self._recording = None

    def _let_pass(self, seconds: float) -> None:
        """Advance the clock, and the simulation by the ticks that are complete by then."""
        lab = self._simulated.lab
        self._target_ms += round(seconds * 1000)
        while lab.now_ms + TICK_MS <= self._target_ms:
            lab.tick()
            if self._recording is not None:
                self._recording.tick()
