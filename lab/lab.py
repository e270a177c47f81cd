"""The lab itself: one scenario, one seed, one clock; every tick gives a row of values for each host."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from collectors.esxtop_names import ColumnPath
from lab.activity import Activity
from lab.building import build_cluster
from lab.cpu import Cpu
from lab.esxtop_cpu import CpuView
from lab.esxtop_memory import MemoryView
from lab.esxtop_network import NetworkView
from lab.esxtop_storage import StorageView
from lab.esxtop_tables import EsxtopTables
from lab.fields import FieldSet
from lab.grouping import run_sums
from lab.host_memory import Memory
from lab.injection import apply_all, plan_injections
from lab.inventory import NFS_LUN
from lab.layout import build_layouts_of, build_tables
from lab.network import Network
from lab.parameters import Index, LabState, Parameters
from lab.power import Power
from lab.printout import Printout
from lab.scenario import Scenario, load_workloads
from lab.storage import Storage
from lab.truth import GroundTruth, find_truth
from sessions.model import FloatArray

TICK_S = 5.0
_SWAP_IO_MB = 16.0 / 1024
_SYSTEM_US_PER_IO = 22.0
_SYSTEM_US_PER_PACKET = 0.9
_WARM_UP = 24


@dataclass(frozen=True, slots=True)
class Tick:
    """One sample: the instant in ms since 1970, and the row of each host, in the order of
    ``Lab.columns()``.
    """

    t_ms: int
    rows: tuple[FloatArray, ...]


class Lab:
    """A simulated cluster. The same scenario, seed and version of numpy give the same ticks on every machine.

    ``fields`` selects the counters: ``default`` (``esxtop -b``), ``all`` (``-b -a``) or ``diagnosis`` (those
    that problem cards read). Values are rounded to esxtop's decimals, so that recording directly and
    importing a printed capture give the same. ``state`` is the input of the next tick. Raises KnowledgeError
    when the scenario does not fit the lab.
    """

    def __init__(self, scenario: Scenario, *, seed: int, fields: FieldSet = "all") -> None:
        self.scenario = scenario
        self.seed = seed
        self.fields: FieldSet = fields
        rngs = [np.random.default_rng(one) for one in np.random.SeedSequence(seed).spawn(12)]
        self.cluster = build_cluster(scenario, load_workloads(), rngs[0])
        self.duration_s = _duration(scenario, rngs[1])
        self._build(rngs)
        self._ticks = 0
        for _ in range(_WARM_UP):
            self._physics(-1.0)

    def _build(self, rngs: Sequence[np.random.Generator]) -> None:
        cluster = self.cluster
        self.index = Index.of(cluster)
        self.parameters = Parameters.of(cluster, self.index, rngs[2])
        self.state = LabState(cluster, self.index, self.parameters)
        self.changes = plan_injections(self.scenario, self.state, self.duration_s, rngs[3])
        self.activity = Activity(self.index, TICK_S, rngs[4])
        self.cpu = Cpu(cluster, self.index, rngs[10])
        self.power = Power(cluster)
        self.memory = Memory(cluster, self.index, rngs[5])
        self.storage = Storage(cluster, self.index, rngs[6])
        self.network = Network(cluster, self.index, rngs[7])
        layouts = build_layouts_of(cluster)
        self.layouts = layouts
        self._tables = build_tables(cluster, layouts, self.fields)
        self._cpu_view = CpuView(cluster, self.index, layouts, self._tables, TICK_S, rngs[8])
        view, storage_rng, network_rng = rngs[9].spawn(3)
        self._memory_view = MemoryView(cluster, self.index, layouts, self._tables, self.memory, TICK_S, view)
        self._storage_view = StorageView(self.index, layouts, self._tables, TICK_S, storage_rng)
        self._network_view = NetworkView(self.index, layouts, self._tables, self.network, network_rng)
        self._defects_rng = rngs[11]

    @cached_property
    def _printout(self) -> Printout:
        """Columns and rows as esxtop prints them, built on first use: the view of a vCenter needs neither."""
        ticks = round(self.duration_s / TICK_S)
        return Printout(self._tables, self.layouts, self.fields, ticks, self._defects_rng)

    @property
    def hosts(self) -> tuple[str, ...]:
        """The hosts' names; each host is a source."""
        return tuple(host.name for host in self.cluster.hosts)

    @property
    def start_ms(self) -> int:
        """The time of the first tick in ms since 1970; determined by the seed."""
        return self.cluster.start_ms

    @property
    def now_ms(self) -> int:
        """The time of the next tick in ms since 1970."""
        return self.start_ms + round(self._ticks * TICK_S * 1000)

    def columns(self) -> tuple[tuple[ColumnPath, ...], ...]:
        """Return each host's columns, in esxtop's order."""
        return self._printout.columns

    def decimals(self) -> tuple[tuple[int, ...], ...]:
        """Return the printed decimals of each host's columns."""
        return self._printout.decimals

    @property
    def esxtop_tables(self) -> EsxtopTables:
        """All counters of the last tick, before they are rounded as esxtop prints them."""
        return self._tables

    def truth(self) -> GroundTruth:
        """The problems of this run, computed from scenario and seed, not from the simulated counters."""
        return find_truth(self.scenario, self.cluster, self.index, self.changes, self.duration_s)

    def tick(self) -> Tick | None:
        """Advance by one interval of 5 s; return None for a tick that the simulated collector misses."""
        number, now_ms = self._ticks, self.now_ms
        return Tick(now_ms, self._printout.rows(number)) if self.step() else None

    def step(self) -> bool:
        """Advance like ``tick``, without rows: ``esxtop_tables`` hold the values; False for a missed tick."""
        self._physics(self._ticks * TICK_S)
        self._ticks += 1
        if self.parameters.paused[0] > 0.5:
            return False
        self._cpu_view.update(self.cpu, self.memory, self.network, self.power, self.parameters)
        self._memory_view.update(self.memory, self.parameters)
        self._storage_view.update(self.storage, self.parameters)
        self._network_view.update(self.network)
        return True

    def _physics(self, seconds: float) -> None:
        """One step of everything, each subsystem on what the others did last."""
        index, parameters = self.index, self.parameters
        apply_all(self.changes, seconds)
        self.activity.step(parameters.activity)
        self.power.step(self.cpu.busy, parameters.frequency, parameters.power_cap)
        swap_disk = index.disk_start
        self.memory.step(parameters, self.activity.vm, self.storage.read_ms[swap_disk], TICK_S)
        swap = np.zeros(len(index.disk_vm))
        swap[swap_disk] = (self.memory.swap_in + self.memory.swap_out) / _SWAP_IO_MB
        self.storage.step(parameters, self.activity.disk, swap, self.cpu.queueing)
        stalled = self.memory.stall[index.vcpu_vm]
        self.cpu.step(parameters, self.activity.vcpu, stalled, self._system(), self.power.factor, TICK_S)
        shape = (index.hosts, index.luns)
        read, written = self.storage.mb_read.reshape(shape), self.storage.mb_written.reshape(shape)
        nfs = np.stack([read[:, NFS_LUN], written[:, NFS_LUN]], axis=1)
        self.network.step(parameters, self.activity.tx, self.activity.rx, self.cpu, nfs)

    def _system(self) -> FloatArray:
        """VMkernel time spent on each vCPU's I/O and packets, as a share of wall time."""
        index = self.index
        per_io = run_sums(self.storage.iops, index.disk_start) * _SYSTEM_US_PER_IO
        packets = (self.network.tx_packets + self.network.rx_packets) * _SYSTEM_US_PER_PACKET
        heavier = 1.0 + 30.0 * np.maximum(self.parameters.kernel - 0.02, 0.0)[index.vm_host]
        share = (per_io + packets) / 1e6 * heavier / index.vcpus
        result: FloatArray = np.minimum(share, 0.5)[index.vcpu_vm]
        return result


def _duration(scenario: Scenario, rng: np.random.Generator) -> float:
    if scenario.seconds:
        return float(scenario.seconds)
    low, high = scenario.minutes
    return float(rng.integers(low * 12, high * 12 + 1) * TICK_S)
