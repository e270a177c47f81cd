"""esxtop's view of the scheduler: PCPUs, worlds, groups, power states, interrupts."""

from __future__ import annotations

import numpy as np

from lab.activity import NormalNoise
from lab.core_speed import shared_cores
from lab.cpu import Cpu
from lab.esxtop_tables import INTERRUPT_PER_CPU, P_STATE_TABLE, EsxtopTables
from lab.fields import APERF, C_STATES, P_STATES
from lab.grouping import between, run_sums
from lab.host_memory import Memory
from lab.inventory import NORMAL_SHARES, Cluster
from lab.layout import VECTORS, HostLayout
from lab.network import Network
from lab.parameters import Index, Parameters
from lab.power import Power
from lab.worlds import GS_SWAP_REFILL, NO_OWNER, World
from sessions.model import FloatArray, IntArray

_UNLIMITED, _NORMAL = -1.0, -3.0
_TIMES = ("% Used", "% Run", "% System", "% Wait", "% VmWait", "% Ready", "% Idle", "% Overlap", "% CoStop",
          "% Max Limited", "% Swap Wait")  # fmt: skip
_EVENTS = ("Switches/sec", "Migrates/sec", "Quantum Expires/sec", "Wakeups/sec")
_SUMMED = (*_TIMES, *_EVENTS, "% CPU Latency", "% Memory Latency", "% Demand")
_PCPU_SPREAD = 0.18
_ACCOUNTING_NOISE = 0.02
_LATE_ROWS = 0.04


class CpuView:
    """Fills the CPU tables from the scheduler's results."""

    def __init__(
        self, cluster: Cluster, index: Index, layouts: tuple[HostLayout, ...], tables: EsxtopTables,
        tick_s: float, rng: np.random.Generator,
    ) -> None:  # fmt: skip
        self._index = index
        self._rng = rng
        self._tables = tables
        worlds = [world for one in layouts for group in one.groups for world in group.worlds]
        groups = [group for one in layouts for group in one.groups]
        counts = [len(group.worlds) for group in groups]
        self._group_start = np.cumsum([0, *counts[:-1]])
        owner = np.array([world.vcpu for world in worlds])
        self._vcpu_worlds = np.flatnonzero(owner != NO_OWNER)
        self._vcpu_of_world = owner[self._vcpu_worlds]
        self._idle_worlds = np.flatnonzero([world.pcpu != NO_OWNER for world in worlds])
        self._world_host = np.repeat(
            np.arange(len(layouts)), [sum(len(g.worlds) for g in one.groups) for one in layouts]
        )
        self._base_run = np.array([world.run for world in worlds])
        self._refill = np.flatnonzero([world.name == GS_SWAP_REFILL for world in worlds])
        self._noise = NormalNoise(rng, len(worlds))
        self._pcpu_count = np.array([host.pcpus for host in cluster.hosts])
        self._pcpu_start = np.cumsum(self._pcpu_count) - self._pcpu_count
        self._pcpu_host = np.repeat(np.arange(index.hosts), self._pcpu_count)
        self._pcpu_cells = np.arange(self._pcpu_count.sum()) + self._pcpu_host
        self._total_cells = np.cumsum(self._pcpu_count + 1) - 1
        self._drift = NormalNoise(rng, len(self._pcpu_host))
        self._lean = self._drift.take().copy()
        self._mhz = np.array([float(host.mhz) for host in cluster.hosts])
        self._vm_groups = np.flatnonzero([group.vm != NO_OWNER for group in groups])
        self._loads = np.zeros((len(cluster.hosts), 3))
        self._decay = np.exp(-tick_s / np.array([60.0, 300.0, 900.0]))
        self._fresh = True
        self._pinned = np.array([vm.pinned for vm in cluster.vms])
        self._constants(cluster, counts, worlds)

    def _constants(self, cluster: Cluster, counts: list[int], worlds: list[World]) -> None:
        """What does not change in a run: members, allocations, the P-state table."""
        group, world = self._tables["Group Cpu"], self._tables["Vcpu"]
        group.set(
            {"Members": np.array(counts, dtype=float), "Alloc Min Limited": _UNLIMITED, "Alloc Min": 0.0}
        )
        group.set({"Alloc Max": _UNLIMITED, "Alloc Shares": _NORMAL})
        shares = np.array([vm.shares for vm in cluster.vms]) * self._index.vcpus
        normal = np.array([vm.shares == NORMAL_SHARES for vm in cluster.vms])
        group.row["Alloc Shares"][self._vm_groups] = np.where(normal, _NORMAL, shares)
        world.set({"Alloc Max": _UNLIMITED, "Alloc Shares": _NORMAL, "Alloc Min Limited": _UNLIMITED})
        floor = np.array([vm.cpu_reservation for vm in cluster.vms]) * self._index.vcpus
        group.row["Alloc Min"][self._vm_groups] = floor * self._mhz[self._index.vm_host]
        steps = np.linspace(1.0, 0.38, P_STATES)
        self._tables[P_STATE_TABLE].set(
            {"P-State MHZ": np.concatenate([self._mhz[h] * steps for h in range(len(self._mhz))])}
        )
        world.row["Physical Cpu"][...] = np.arange(len(worlds)) % 8

    def update(
        self, cpu: Cpu, memory: Memory, network: Network, power: Power, parameters: Parameters
    ) -> None:
        """Write the values of one tick."""
        late = np.where(self._rng.random(self._index.hosts) < _LATE_ROWS, self._rng.uniform(0.4, 2.7), 0.0)
        pcpu = self._pcpus(cpu)
        self._worlds(cpu, memory, parameters, late, pcpu)
        self._groups(cpu, parameters)
        self._power(cpu, power, parameters, pcpu)
        if self._tables["Interrupt Cookie"].wanted:
            self._interrupts(network, cpu)

    def _pcpus(self, cpu: Cpu) -> FloatArray:
        """Utilisation of each PCPU: the mean of its set, unevenly and drifting. Returns percent."""
        self._lean = 0.9 * self._lean + 0.436 * self._drift.take()
        mean = np.concatenate(cpu.pcpu_sets.pcpu_busy(cpu.load, cpu.kernel))
        busy = mean * np.exp(_PCPU_SPREAD * self._lean * (1.0 - mean))
        for _ in range(2):
            found = run_sums(busy, self._pcpu_start) / self._pcpu_count
            busy = np.minimum(busy * (cpu.busy / np.maximum(found, 1e-9))[self._pcpu_host], 1.0)
        percent = 100.0 * busy
        pairs = percent.reshape(-1, 2)
        overlap = 1.0 - 0.5 * shared_cores(cpu.busy)[self._pcpu_host[::2]]
        core = np.repeat(between(pairs.sum(axis=1) * overlap, pairs.max(axis=1), 100.0), 2)
        used = percent * cpu.speed[self._pcpu_host]
        for name, values in (
            ("% Processor Time", used),
            ("% Util Time", percent),
            ("% Core Util Time", core),
        ):
            row = self._tables["Physical Cpu"].row[name]
            row[self._pcpu_cells] = values
            row[self._total_cells] = run_sums(values, self._pcpu_start) / self._pcpu_count
        return percent

    def _worlds(
        self, cpu: Cpu, memory: Memory, parameters: Parameters, late: FloatArray, pcpu: FloatArray
    ) -> None:
        """Per world: the VMkernel's own hover near their usual, vCPUs show what the scheduler did."""
        table = self._tables["Vcpu"]
        row, noise = table.row, self._noise.take()
        mine, vcpu = self._vcpu_worlds, self._vcpu_of_world
        run = (
            self._base_run
            * np.exp(0.35 * noise)
            * (1.0 + 40.0 * np.maximum(parameters.kernel[self._world_host] - 0.01, 0.0))
        )
        row["% Run"][...] = run
        row["% Used"][...] = run * cpu.speed[self._world_host]
        row["% Ready"][...] = run * (0.02 + 0.5 * cpu.queueing[self._world_host])
        for name, share in (
            ("% Run", cpu.run), ("% Used", cpu.used), ("% System", cpu.system), ("% Ready", cpu.ready),
            ("% Overlap", cpu.overlap), ("% CoStop", cpu.costop), ("% Max Limited", cpu.limited),
            ("% CPU Latency", cpu.latency), ("% Demand", cpu.demand),
        ):  # fmt: skip
            row[name][mine] = 100.0 * share[vcpu]
        stall = 100.0 * memory.stall[self._index.vcpu_vm][vcpu]
        row["% Swap Wait"][self._refill] = between(47.0 + 6.0 * noise[self._refill], 0.0, 100.0)
        tier = 100.0 * memory.tier_wait[self._index.vcpu_vm][vcpu]
        row["% Memory Latency"][mine] = stall + tier
        wait = 100.0 - row["% Run"] - row["% Ready"] - row["% CoStop"] - late[self._world_host]
        wait = between(wait + _ACCOUNTING_NOISE * noise, 0.0, 100.0)
        row["% Wait"][...] = wait
        row["% VmWait"][...] = wait
        blocked = 100.0 * parameters.blocked[vcpu] + stall + 0.03 * np.abs(noise[mine])
        row["% VmWait"][mine] = np.minimum(blocked, wait[mine])
        row["% Swap Wait"][mine] = np.minimum(stall, wait[mine])
        row["% Idle"][mine] = np.maximum(wait[mine] - row["% VmWait"][mine], 0.0)
        self._idle(row, pcpu, noise)
        self._events(cpu, row, mine)

    def _idle(self, row: dict[str, FloatArray], pcpu: FloatArray, noise: FloatArray) -> None:
        """Idle worlds run when their PCPU does not, and are "ready" while it does: the trap in 1:system."""
        idle = self._idle_worlds
        row["% Run"][idle] = between(100.0 - pcpu + 0.4 * np.abs(noise[idle]), 0.0, 100.0)
        row["% Ready"][idle] = between(pcpu + 0.3 * np.abs(noise[idle]), 0.0, 100.0)
        for name in ("% Wait", "% VmWait", "% Used", "% Idle"):
            row[name][idle] = 0.0

    def _events(self, cpu: Cpu, row: dict[str, FloatArray], mine: IntArray) -> None:
        run = row["% Run"][mine]
        row["Switches/sec"][mine] = 60.0 + 42.0 * run**0.7
        row["Wakeups/sec"][mine] = 35.0 + 26.0 * run**0.7
        row["Migrates/sec"][mine] = 0.2 + 0.06 * row["% Ready"][mine] + 0.02 * run
        row["Quantum Expires/sec"][mine] = 0.05 * run
        row["Physical Cpu"][mine] = self._where(cpu)

    def _where(self, cpu: Cpu) -> FloatArray:
        """The PCPU that each vCPU last ran on: any of its host, or of the set that it is confined to."""
        index, pcpu_sets = self._index, cpu.pcpu_sets
        host = index.vcpu_host
        confined = pcpu_sets.of_vcpu >= index.hosts
        first = np.where(confined, pcpu_sets.first[host], 0)
        width = np.where(confined, pcpu_sets.size[host], self._pcpu_count[host])
        place = first + np.floor(self._rng.random(len(host)) * width)
        by_world: FloatArray = place[self._vcpu_of_world]
        return by_world

    def _groups(self, cpu: Cpu, parameters: Parameters) -> None:
        """Groups are plain sums over their worlds; allocations are the VM's."""
        group, world = self._tables["Group Cpu"], self._tables["Vcpu"]
        for name in _SUMMED:
            if name not in group.wanted:
                continue
            group.row[name][...] = run_sums(world.row[name], self._group_start)
        blocked = world.row["% VmWait"][self._vcpu_worlds][np.argsort(self._vcpu_of_world)]
        group.row["% VmWait"][self._vm_groups] = run_sums(blocked, self._index.vcpu_start)
        mine, index = self._vm_groups, self._index
        mhz = self._mhz[index.vm_host]
        group.row["Alloc Max"][mine] = np.where(
            np.isinf(parameters.limit), _UNLIMITED, np.minimum(parameters.limit, 1e6) * mhz
        )
        group.row["Effective Min (MHz)"][mine] = run_sums(cpu.run, index.vcpu_start) * mhz
        group.row["Timers/sec"][mine] = 60.0 + 90.0 * index.vcpus
        group.row["Power Usage Watts"][mine] = run_sums(cpu.used, index.vcpu_start) * 6.0

    def _power(self, cpu: Cpu, power: Power, parameters: Parameters, pcpu: FloatArray) -> None:
        host = self._pcpu_host
        table = self._tables["PCPU Power State"]
        table.row[APERF][...] = 100.0 * power.factor[host] + 0.6 * self._lean
        if "%C-State C0" in table.wanted:
            self._states(power, parameters, pcpu)
        self._tables["Power"].set({
            "Power Usage Now Watts": power.watts, "Power Usage Cap Watts": parameters.power_cap,
        })  # fmt: skip
        now = cpu.busy * 1.0 + cpu.queueing * cpu.busy
        self._loads = now[:, None] + (0.0 if self._fresh else 1.0) * self._decay * (
            self._loads - now[:, None]
        )
        self._fresh = False
        for column, minutes in enumerate((1, 5, 15)):
            self._tables["Physical Cpu Load"].row[f"Cpu Load ({minutes} Minute Avg)"][...] = self._loads[
                :, column
            ]

    def _states(self, power: Power, parameters: Parameters, pcpu: FloatArray) -> None:
        """How much of the time each PCPU was in each C-, P- and T-state."""
        host = self._pcpu_host
        table = self._tables["PCPU Power State"]
        awake = between(pcpu + 0.8, 0.0, 100.0)
        table.row["%C-State C0"][...] = awake
        deep = between(0.25 + parameters.parked[host], 0.0, 0.95)
        for state in range(1, C_STATES):
            share = deep if state == C_STATES - 1 else 1.0 - deep
            table.row[f"%C-State C{state}"][...] = (100.0 - awake) * share
        slow = between((1.02 - power.factor) / 0.64 * (P_STATES - 1), 0.0, P_STATES - 1)[host]
        for state in range(P_STATES):
            table.row[f"%P-State P{state}"][...] = 100.0 * np.maximum(0.0, 1.0 - np.abs(slow - state))
        table.row["%T-State T0"][...] = 100.0

    def _interrupts(self, network: Network, cpu: Cpu) -> None:
        """Timer, storage and network vectors; totals are the sums over PCPUs."""
        table, per_cpu = self._tables["Interrupt Cookie"], self._tables[INTERRUPT_PER_CPU]
        packets = (network.nic_rx_packets + network.nic_tx_packets).reshape(self._index.hosts, -1).sum(axis=1)
        rates = np.outer(
            100.0 + 900.0 * cpu.busy + 0.05 * packets, np.array([0.0, 0.002, 0.1, 0.15, 0.25, 0.2, 1.0, 0.3])
        )
        table.row["Interrupts/second"][...] = rates.reshape(-1)
        table.row["Processing Time MicroSec/Interrupt"][...] = np.where(rates.reshape(-1) > 0, 1.6, 0.0)
        shares = np.concatenate([
            np.repeat(rates[host] / count, count) for host, count in enumerate(self._pcpu_count)
        ])  # fmt: skip
        per_cpu.row["Interrupts/second"][...] = shares
        per_cpu.row["Processing Time MicroSec/Interrupt"][...] = np.where(shares > 0, 1.6, 0.0)
        assert len(VECTORS) == rates.shape[1]
