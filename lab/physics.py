"""The physics of one scenario and seed: every subsystem of the cluster, advanced together tick by tick."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from lab.activity import Activity
from lab.building import build_cluster
from lab.cpu import Cpu
from lab.grouping import between, run_sums
from lab.host_memory import Memory
from lab.injection import apply_all, plan_injections
from lab.inventory import NFS_LUN, VSAN_LUN, Cluster
from lab.network import Network
from lab.parameters import BoolArray, Index, LabState, Parameters
from lab.power import Power
from lab.scenario import Scenario, load_workloads
from lab.storage import Storage
from lab.vsan import Vsan
from sessions.model import FloatArray

TICK_S = 5.0
"""How often the lab is computed, unless its samples are closer together."""
_SWAP_IO_MB = 16.0 / 1024
_SYSTEM_US_PER_IO = 22.0
_SYSTEM_US_PER_PACKET = 0.9
_BUNDLED_FROM_BYTES, _MOST_BUNDLED = 150.0, 10.0
"""TSO and LRO hand full frames over in bundles, each of which costs what one small packet does."""
_WARM_UP_S = 120.0
_RNGS = 12


class Physics:
    """The simulated cluster without the counters that show it.

    ``state`` is the input of the next tick; vCPUs in ``steady_vcpus`` ask for exactly their demand, without
    the ups and downs of activity. ``make_storage`` makes the storage subsystem, ``tick_s`` is the length of a
    step in seconds. Raises KnowledgeError when the scenario does not fit the lab.
    """

    def __init__(
        self,
        scenario: Scenario,
        *,
        seed: int,
        make_storage: Callable[[Cluster, Index, np.random.Generator], Storage] = Storage,
        tick_s: float = TICK_S,
    ) -> None:
        self.scenario = scenario
        self.seed = seed
        self.tick_s = tick_s
        self.rngs = [np.random.default_rng(one) for one in np.random.SeedSequence(seed).spawn(_RNGS)]
        rngs = self.rngs
        self.cluster = build_cluster(scenario, load_workloads(), rngs[0])
        self.duration_s = _duration(scenario, rngs[1])
        cluster = self.cluster
        self.index = Index.of(cluster)
        self.parameters = Parameters.of(cluster, self.index, rngs[2])
        self.state = LabState(cluster, self.index, self.parameters)
        self.changes = plan_injections(self.scenario, self.state, self.duration_s, rngs[3])
        self.activity = Activity(self.index, tick_s, rngs[4])
        self.cpu = Cpu(cluster, self.index, rngs[10])
        self.power = Power(cluster)
        self.memory = Memory(cluster, self.index, rngs[5])
        self.storage = make_storage(cluster, self.index, rngs[6])
        self.network = Network(cluster, self.index, rngs[7])
        vsan_rng = np.random.default_rng([seed, VSAN_LUN])
        self.vsan = Vsan(cluster, self.index, vsan_rng) if cluster.vsan else None
        self.usual_speed = self.parameters.speed.copy()
        self.steady_vcpus = np.zeros(len(self.index.vcpu_vm), dtype=bool)
        self.absent_at_start = self._absent_at_start()

    def go_on(self, seconds: float | None = None) -> None:
        """Let what is injected up to the end of the scenario go on for good; ``seconds`` is how long the lab
        is recorded instead of the scenario's own duration (None: as before).
        """
        self.changes = tuple(
            replace(one, envelope=replace(one.envelope, end=math.inf))
            if one.envelope.end >= self.duration_s
            else one
            for one in self.changes
        )
        if seconds is not None:
            self.duration_s = seconds

    def warm_up(self) -> None:
        """Run for two minutes before the first tick, so that queues and balloons are as they usually are."""
        for _ in range(round(_WARM_UP_S / self.tick_s)):
            self.advance(-1.0)

    def absent(self) -> BoolArray:
        """Return which VMs do not run where they are: powered off, somewhere else, on a host that failed."""
        result: BoolArray = (self.parameters.away > 0.5) | self.failed()[self.index.vm_host]
        return result

    def failed(self) -> BoolArray:
        """Return which hosts have failed."""
        result: BoolArray = self.parameters.down > 0.5
        return result

    def _absent_at_start(self) -> BoolArray:
        """Which VMs are not there in the first tick, and so not before it either."""
        apply_all(self.changes, 0.0)
        found = self.absent()
        apply_all(self.changes, -1.0)
        return found

    def advance(self, seconds: float) -> None:
        """One step of everything at ``seconds`` of lab time, each subsystem on what the others did last."""
        index, parameters = self.index, self.parameters
        apply_all(self.changes, seconds)
        absent = self.absent() if seconds >= 0 else self.absent_at_start
        self.activity.step(parameters.activity * ~absent)
        self.power.step(self.cpu.busy, parameters.frequency, parameters.power_cap)
        swap_disk = index.disk_start
        self.memory.leave(absent)
        self.memory.step(parameters, self.activity.vm, self.storage.read_ms[swap_disk], self.tick_s)
        swap = np.zeros(len(index.disk_vm))
        swap[swap_disk] = (self.memory.swap_in + self.memory.swap_out) / _SWAP_IO_MB
        if self.vsan is not None:
            self.vsan.step(parameters, self.storage, self.network, self.tick_s)
        self.storage.step(parameters, self.activity.disk, swap, self.cpu.queueing)
        stalled = (self.memory.stall + self.memory.tier_wait)[index.vcpu_vm]
        activity = np.where(self.steady_vcpus, 1.0, self.activity.vcpu)
        self.cpu.step(parameters, activity, stalled, self._system(), self.power.factor, self.tick_s)
        shape = (index.hosts, index.luns)
        read, written = self.storage.mb_read.reshape(shape), self.storage.mb_written.reshape(shape)
        nfs = np.stack([read[:, NFS_LUN], written[:, NFS_LUN]], axis=1)
        vsan = None if self.vsan is None else self.vsan.traffic
        self.network.step(parameters, self.activity.tx, self.activity.rx, self.cpu, nfs, vsan)

    def _system(self) -> FloatArray:
        """VMkernel time spent on each vCPU's I/O and packets, as a share of wall time."""
        index = self.index
        per_io = run_sums(self.storage.iops, index.disk_start) * _SYSTEM_US_PER_IO
        bundled = between(self.network.packet / _BUNDLED_FROM_BYTES, 1.0, _MOST_BUNDLED)
        packets = (self.network.tx_packets + self.network.rx_packets) / bundled * _SYSTEM_US_PER_PACKET
        heavier = 1.0 + 30.0 * np.maximum(self.parameters.kernel - 0.02, 0.0)[index.vm_host]
        share = (per_io + packets) / 1e6 * heavier / index.vcpus
        result: FloatArray = np.minimum(share[index.vcpu_vm] + self.parameters.system, 0.5)
        return result


def _duration(scenario: Scenario, rng: np.random.Generator) -> float:
    if scenario.seconds:
        return float(scenario.seconds)
    low, high = scenario.minutes
    return float(rng.integers(low * 12, high * 12 + 1) * TICK_S)
