"""The simulation that a test acts on: jobs of workers, settings, migrations and DRS, tick by tick."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import msgspec
import numpy as np

from lab.acted.content import Space
from lab.acted.drs import CYCLE_S, Drs, Move, imbalance
from lab.acted.jobs import LabJob
from lab.acted.migration import CPU_CORES, Migration, Migrations
from lab.acted.running import RunningJob
from lab.acted.sioc import Sioc
from lab.acted.storage import ActedStorage
from lab.acted.virtual_disks import VirtualDisks
from lab.grouping import run_sums, sums
from lab.injection import ParameterChange
from lab.physics import TICK_S, Physics
from lab.scenario import Scenario
from lab.vcenter_names import datastore_names
from resources.failures import KnowledgeError, UsageError
from sessions.model import FloatArray

TICK_MS = round(TICK_S * 1000)
VSAN_LUN = 6
"""The flash LUN that is a vSAN datastore here."""
_SPARE_DISKS = 8
_IDLE_DEMAND = 0.02
_DEMAND_SMOOTH = 0.35
_BACKUP_OUTSTANDING = 24.0


def _lasting(change: ParameterChange) -> ParameterChange:
    """The same change without an end: a test may take longer than the scenario does."""
    return replace(change, envelope=replace(change.envelope, end=math.inf))


@dataclass(frozen=True, slots=True)
class Happening:
    """Something that happened: its time (ms), when it ended, its kind, a sentence, and the VM's number."""

    at: int
    end: int
    kind: str
    text: str
    vm: int
    by: str


class ActedLab:
    """A running simulation of a scenario with workers. The same scenario, seed and acts give the same.

    Settings are attributes of ``sioc``, ``drs``, ``storage`` and ``disks``, and methods where more is to be
    done; the next tick answers to them. Raises UsageError for a scenario without workers.
    """

    def __init__(self, scenario: Scenario, *, seed: int = 1) -> None:
        if scenario.workers is None:
            raise UsageError(
                f"The lab's scenario {scenario.id} has no VMs that tests could use.",
                advice="Use lab:default, lab:congested, lab:idle, lab:imbalanced or lab:balanced.",
            )
        workers = msgspec.structs.replace(scenario.workers, spare_disks=_SPARE_DISKS)
        self.physics = Physics(
            msgspec.structs.replace(scenario, workers=workers), seed=seed, make_storage=ActedStorage
        )
        self.physics.changes = tuple(_lasting(one) for one in self.physics.changes)
        storage = self.physics.storage
        if not isinstance(storage, ActedStorage):
            raise KnowledgeError("The lab's storage cannot be acted on.")
        self.storage = storage
        self.scenario, self.seed = scenario, seed
        self.cluster, self.index = self.physics.cluster, self.physics.index
        self.workers = self.cluster.cast["workers"].members
        self.heavy = frozenset(self.cluster.cast["heavy"].members)
        self.datastores: Mapping[int, str] = {**datastore_names(self.cluster), VSAN_LUN: "vsanDatastore"}
        self.sioc = Sioc(self.index, self.physics.parameters, storage)
        self.drs = Drs()
        self.disks = VirtualDisks(self.cluster, self.index, storage, self.workers)
        self.migrations = Migrations()
        self.recommendations: list[Move] = []
        self.happenings: list[Happening] = []
        self.powered = np.ones(self.index.vms, dtype=bool)
        self.cached: set[int] = set()
        self.space: dict[int, Space] = {VSAN_LUN: Space()}
        self.jobs: dict[int, RunningJob] = {}
        self.demand = np.zeros(self.index.vms)
        self._ticks = 0
        self._rng = np.random.default_rng([seed, 0xAC7ED])
        self._kernel = self.physics.parameters.kernel.copy()
        self._backups: list[tuple[int, int, int]] = []
        self.physics.warm_up()

    @property
    def now_ms(self) -> int:
        """The time of the next tick, ms since 1970."""
        return self.cluster.start_ms + self._ticks * TICK_MS

    def tick(self) -> None:
        """Advance by 5 s."""
        now = self.now_ms
        self._ask(now)
        self.physics.parameters.kernel[:] = self._kernel + self._migration_cost()
        self.physics.advance(self._ticks * TICK_S)
        self.sioc.step()
        self._account(now)
        self._move(now)
        self._balance()
        for lun, space in self.space.items():
            space.follow(self.disks.contents(lun), TICK_S)
        self._ticks += 1

    def skip_to(self, instant: int) -> None:
        """Set the clock to the first tick at ``instant`` (ms) or later; the time between is not simulated."""
        self._ticks = max(self._ticks, -(-(instant - self.cluster.start_ms) // TICK_MS))

    # acts

    def begin(self, vm: int, job: LabJob) -> RunningJob:
        """Let a worker run a job, instead of the one that it had."""
        running = RunningJob(job, int(self.index.vcpus[vm]))
        for load in job.disks:
            self.disks.number(vm, load.slot)
        self.jobs[vm] = running
        return running

    def end(self, vm: int) -> None:
        """End a worker's job now, if it has one."""
        if running := self.jobs.get(vm):
            running.stop()

    def migrate(self, vm: int, host: int, by: str) -> Migration | None:
        """Ask for a vMotion; None if the VM is there already."""
        source = int(self.index.vm_host[vm])
        if source == host:
            return None
        memory = float(self.physics.memory.touched[vm])
        return self.migrations.add(vm, source, host, by, memory)

    def place(self, vm: int, host: int) -> None:
        """Put a VM on a host at once, without a vMotion."""
        self.cluster.vms[vm].host = host
        index = self.index
        index.vm_host[vm] = host
        index.vcpu_host[index.vcpu_vm == vm] = host
        index.disk_host[index.disk_vm == vm] = host
        for part in (self.physics.cpu, self.physics.memory, self.physics.network, self.storage):
            part.place()

    def set_power(self, vm: int, *, on: bool) -> None:
        """Power a VM on or off; its job is lost when it goes off."""
        self.powered[vm] = on
        self.physics.parameters.activity[vm] = 1.0 if on else 0.0
        if not on and vm in self.jobs:
            self.jobs[vm].lose("The VM was powered off.")

    def back_up(self, lun: int, seconds: float) -> None:
        """Let a backup read from a datastore for so long, through a VM that is no worker."""
        vm = next(n for n in range(self.index.vms) if n not in self.workers)
        end = self.now_ms + round(seconds * 1000)
        self._backups.append((vm, lun, end))
        name, store = self.cluster.vms[vm].name, self.datastores[lun]
        text = f"A backup reads from {store} through {name}."
        self.happenings.append(Happening(self.now_ms, end, "backup", text, vm, "backup"))

    # what holds

    def host_loads(self) -> FloatArray:
        """Return the CPU demand on each host, in cores."""
        return sums(self.index.vm_host, self.demand, self.index.hosts)

    def imbalance(self) -> float:
        """Return the standard deviation of the hosts' CPU demand over their capacity."""
        return imbalance(self.host_loads(), self._capacity())

    def drs_score(self) -> float:
        """Return how much of the CPU time that all VMs ask for they get, in percent."""
        cpu = self.physics.cpu
        waited = float((cpu.ready + cpu.costop).sum())
        return 100.0 * (1.0 - waited / max(float(cpu.run.sum()) + waited, 1e-6))

    def _capacity(self) -> FloatArray:
        return np.array([float(host.pcpus) for host in self.cluster.hosts])

    # one tick

    def _ask(self, now: int) -> None:
        """Write what jobs and backups ask for into the physics."""
        storage, parameters = self.storage, self.physics.parameters
        storage.asked[self.disks.owned] = 0.0
        storage.asked[np.isfinite(storage.asked) & ~self.disks.owned] = np.nan
        storage.serial_ms[:] = 0.0
        storage.cold[:] = 1.0
        mine = np.isin(self.index.vcpu_vm, self.workers)
        parameters.demand[mine] = _IDLE_DEMAND
        self.physics.steady_vcpus[:] = mine
        for vm, running in self.jobs.items():
            if running.is_active(now) and self.powered[vm]:
                running.ask(now, vm, self.disks, parameters, self.index)
        self._ask_backups(now)
        self.disks.warm(self.cached)

    def _ask_backups(self, now: int) -> None:
        self._backups = [one for one in self._backups if one[2] > now]
        for vm, lun, _ in self._backups:
            disk = int(self.index.disk_start[vm])
            self.index.disk_lun[disk] = lun
            self.storage.asked[disk] = np.inf
            self.physics.parameters.outstanding[disk] = _BACKUP_OUTSTANDING
            self.physics.parameters.io_kb[disk] = 64.0
            self.physics.parameters.reads[disk] = 1.0
            self.storage.place()

    def _account(self, now: int) -> None:
        """Book what each job got done in the tick."""
        for vm, running in self.jobs.items():
            if running.is_active(now) and self.powered[vm]:
                running.account(now, vm, self.disks, self.physics, self._rng)
        self.disks.fill_caches(self.cached, TICK_S)

    def _migration_cost(self) -> FloatArray:
        running = np.array(self.migrations.running_on(self.index.hosts), dtype=float)
        cost: FloatArray = running * CPU_CORES / self._capacity()
        return cost

    def _move(self, now: int) -> None:
        for done in self.migrations.step(now, TICK_S):
            self.place(done.vm, done.target)
            names = [host.name for host in self.cluster.hosts]
            vm = self.cluster.vms[done.vm].name
            text = f"{vm} was moved from {names[done.source]} to {names[done.target]} by {done.by}."
            begun, ended = done.began_ms or now, done.ended_ms or now
            self.happenings.append(Happening(begun, ended, "vMotion", text, done.vm, done.by))

    def _balance(self) -> None:
        """Follow the VMs' demand, and once a minute look for moves."""
        now = run_sums(self.physics.cpu.wanted, self.index.vcpu_start)
        self.demand = self.demand + _DEMAND_SMOOTH * (now - self.demand)
        if self._ticks % round(CYCLE_S / TICK_S) or self.migrations.open:
            return
        moves = self.drs.recommend(self.demand, self.index.vm_host, self._capacity())
        if self.drs.behaviour == "fullyAutomated":
            for move in moves:
                self.migrate(move.vm, move.host, "DRS")
            self.recommendations = []
        else:
            self.recommendations = moves
