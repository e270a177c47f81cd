"""esxtop's view of the scheduler: PCPUs, worlds, groups, power states, interrupts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
from lab.seen import Seen
from lab.worlds import GS_SWAP_REFILL, NO_OWNER, World
from sessions.model import FloatArray

_UNLIMITED, _NORMAL = -1.0, -3.0
_TIMES = ("% Used", "% Run", "% System", "% Wait", "% VmWait", "% Ready", "% Idle", "% Overlap", "% CoStop",
          "% Max Limited", "% Swap Wait")  # fmt: skip
_EVENTS = ("Switches/sec", "Migrates/sec", "Quantum Expires/sec", "Wakeups/sec")
_SUMMED = (*_TIMES, *_EVENTS, "% CPU Latency", "% Memory Latency", "% Demand")
_PCPU_SPREAD = 0.18
_ACCOUNTING_NOISE = 0.02
_LATE_ROWS = 0.04
_OF_VECTORS = np.array([0.0, 0.002, 0.1, 0.15, 0.25, 0.2, 1.0, 0.3])
"""How often each vector of ``VECTORS`` interrupts, over what the host does."""


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
        self._core_host = self._pcpu_host[::2]
        self._threaded = np.array([host.threads > 1 for host in cluster.hosts])
        vectors = np.arange(len(VECTORS))
        self._rate_of_cell = np.concatenate(
            [np.repeat(host * len(VECTORS) + vectors, count) for host, count in enumerate(self._pcpu_count)]
        )
        self._by_vcpu = self._vcpu_worlds[np.argsort(self._vcpu_of_world)]
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
        group.ticks["Alloc Shares"][:, self._vm_groups] = np.where(normal, _NORMAL, shares)
        world.set({"Alloc Max": _UNLIMITED, "Alloc Shares": _NORMAL, "Alloc Min Limited": _UNLIMITED})
        floor = np.array([vm.cpu_reservation for vm in cluster.vms]) * self._index.vcpus
        group.ticks["Alloc Min"][:, self._vm_groups] = floor * self._mhz[self._index.vm_host]
        steps = np.linspace(1.0, 0.38, P_STATES)
        self._tables[P_STATE_TABLE].set(
            {"P-State MHZ": np.concatenate([self._mhz[h] * steps for h in range(len(self._mhz))])}
        )
        world.ticks["Physical Cpu"][...] = np.arange(len(worlds)) % 8

    def update(self, seen: Seen) -> None:
        """Write the values of the ticks that were seen."""
        cpu, parameters = seen.cpu, seen.parameters
        chance = _Chance.of([self._draw() for _ in range(len(seen))])
        pcpu = self._pcpus(cpu, seen.power.factor, chance.lean)
        self._worlds(cpu, seen.memory, parameters, chance, pcpu)
        self._groups(cpu, parameters)
        self._power(cpu, seen.power, parameters, chance.lean, pcpu)
        if self._tables["Interrupt Cookie"].wanted:
            self._interrupts(seen.network, cpu)

    def _draw(self) -> _Chance:
        """What is left to chance in one tick."""
        late = np.where(self._rng.random(self._index.hosts) < _LATE_ROWS, self._rng.uniform(0.4, 2.7), 0.0)
        self._lean = 0.9 * self._lean + 0.436 * self._drift.take()
        return _Chance(late, self._lean, self._noise.take(), self._rng.random(len(self._index.vcpu_vm)))

    def _pcpus(self, cpu: Cpu, frequency: FloatArray, lean: FloatArray) -> FloatArray:
        """Utilisation of each PCPU: the mean of its set, unevenly and drifting. Returns percent.

        Two busy threads share in USED what their core does, half each [MON70].
        """
        mean = cpu.pcpu_sets.pcpu_busy(cpu.load, cpu.kernel)
        busy = mean * np.exp(_PCPU_SPREAD * lean * (1.0 - mean))
        for _ in range(2):
            found = run_sums(busy, self._pcpu_start) / self._pcpu_count
            busy = np.minimum(busy * (cpu.busy / np.maximum(found, 1e-9))[:, self._pcpu_host], 1.0)
        percent = 100.0 * busy
        pairs = percent.reshape(len(percent), -1, 2)
        overlap = 1.0 - 0.5 * shared_cores(cpu.busy)[:, self._core_host]
        both = np.maximum(pairs.sum(axis=2), 1e-9)
        core = between(both * overlap, pairs.max(axis=2), 100.0)
        part = np.where(self._threaded[self._core_host], core / both, 1.0)
        core, part = np.repeat(core, 2, axis=1), np.repeat(part, 2, axis=1)
        used = percent * part * frequency[:, self._pcpu_host]
        for name, values in (
            ("% Processor Time", used),
            ("% Util Time", percent),
            ("% Core Util Time", core),
        ):
            row = self._tables["Physical Cpu"].ticks[name]
            row[:, self._pcpu_cells] = values
            row[:, self._total_cells] = run_sums(values, self._pcpu_start) / self._pcpu_count
        return percent

    def _worlds(
        self, cpu: Cpu, memory: Memory, parameters: Parameters, chance: _Chance, pcpu: FloatArray
    ) -> None:
        """Per world: the VMkernel's own hover near their usual, vCPUs show what the scheduler did."""
        table = self._tables["Vcpu"]
        row, noise, host = table.ticks, chance.noise, self._world_host
        mine, vcpu = self._vcpu_worlds, self._vcpu_of_world
        run = (
            self._base_run
            * np.exp(0.35 * noise)
            * (1.0 + 40.0 * np.maximum(parameters.kernel - 0.01, 0.0))[:, host]
        )
        row["% Run"][...] = run
        row["% Used"][...] = run * cpu.speed[:, host]
        row["% Ready"][...] = run * (0.02 + 0.5 * cpu.queueing)[:, host]
        for name, share in (
            ("% Run", cpu.run), ("% Used", cpu.used), ("% System", cpu.system), ("% Ready", cpu.ready),
            ("% Overlap", cpu.overlap), ("% CoStop", cpu.costop), ("% Max Limited", cpu.limited),
            ("% CPU Latency", cpu.latency), ("% Demand", cpu.demand),
        ):  # fmt: skip
            row[name][:, mine] = (100.0 * share)[:, vcpu]
        vm = self._index.vcpu_vm[vcpu]
        stall = (100.0 * memory.stall)[:, vm]
        row["% Swap Wait"][:, self._refill] = between(47.0 + 6.0 * noise[:, self._refill], 0.0, 100.0)
        tier = (100.0 * memory.tier_wait)[:, vm]
        row["% Memory Latency"][:, mine] = stall + tier
        wait = 100.0 - row["% Run"] - row["% Ready"] - row["% CoStop"] - chance.late[:, host]
        wait = between(wait + _ACCOUNTING_NOISE * noise, 0.0, 100.0)
        row["% Wait"][...] = wait
        row["% VmWait"][...] = wait
        blocked = (100.0 * parameters.blocked)[:, vcpu] + stall + 0.03 * np.abs(noise[:, mine])
        waiting = wait[:, mine]
        stopped = np.minimum(blocked, waiting)
        row["% VmWait"][:, mine] = stopped
        row["% Swap Wait"][:, mine] = np.minimum(stall, waiting)
        row["% Idle"][:, mine] = np.maximum(waiting - stopped, 0.0)
        self._idle(row, pcpu, noise)
        self._events(cpu, row, chance.place)

    def _idle(self, row: dict[str, FloatArray], pcpu: FloatArray, noise: FloatArray) -> None:
        """Idle worlds run when their PCPU does not, and are "ready" while it does: the trap in 1:system."""
        idle = self._idle_worlds
        off = np.abs(noise[:, idle])
        row["% Run"][:, idle] = between(100.0 - pcpu + 0.4 * off, 0.0, 100.0)
        row["% Ready"][:, idle] = between(pcpu + 0.3 * off, 0.0, 100.0)
        for name in ("% Wait", "% VmWait", "% Used", "% Idle"):
            row[name][:, idle] = 0.0

    def _events(self, cpu: Cpu, row: dict[str, FloatArray], place: FloatArray) -> None:
        mine = self._vcpu_worlds
        run = row["% Run"][:, mine]
        often = run**0.7
        row["Switches/sec"][:, mine] = 60.0 + 42.0 * often
        row["Wakeups/sec"][:, mine] = 35.0 + 26.0 * often
        row["Migrates/sec"][:, mine] = 0.2 + 0.06 * row["% Ready"][:, mine] + 0.02 * run
        row["Quantum Expires/sec"][:, mine] = 0.05 * run
        row["Physical Cpu"][:, mine] = self._where(cpu, place)

    def _where(self, cpu: Cpu, chance: FloatArray) -> FloatArray:
        """The PCPU that each vCPU last ran on: any of its host, or of the set that it is confined to."""
        index, pcpu_sets = self._index, cpu.pcpu_sets
        host = index.vcpu_host
        confined = pcpu_sets.of_vcpu >= index.hosts
        first = np.where(confined, pcpu_sets.first[host], 0)
        width = np.where(confined, pcpu_sets.size[host], self._pcpu_count[host])
        place = first + np.floor(chance * width)
        by_world: FloatArray = place[:, self._vcpu_of_world]
        return by_world

    def _groups(self, cpu: Cpu, parameters: Parameters) -> None:
        """Groups are plain sums over their worlds; allocations are the VM's."""
        group, world = self._tables["Group Cpu"], self._tables["Vcpu"]
        for name in _SUMMED:
            if name not in group.wanted:
                continue
            group.ticks[name][...] = run_sums(world.ticks[name], self._group_start)
        row = group.ticks
        blocked = world.ticks["% VmWait"][:, self._by_vcpu]
        row["% VmWait"][:, self._vm_groups] = run_sums(blocked, self._index.vcpu_start)
        mine, index = self._vm_groups, self._index
        mhz = self._mhz[index.vm_host]
        row["Alloc Max"][:, mine] = np.where(
            np.isinf(parameters.limit), _UNLIMITED, np.minimum(parameters.limit, 1e6) * mhz
        )
        row["Effective Min (MHz)"][:, mine] = run_sums(cpu.run, index.vcpu_start) * mhz
        row["Timers/sec"][:, mine] = 60.0 + 90.0 * index.vcpus
        row["Power Usage Watts"][:, mine] = run_sums(cpu.used, index.vcpu_start) * 6.0

    def _power(
        self, cpu: Cpu, power: Power, parameters: Parameters, lean: FloatArray, pcpu: FloatArray
    ) -> None:
        host = self._pcpu_host
        table = self._tables["PCPU Power State"]
        table.set({APERF: (100.0 * power.factor)[:, host] + 0.6 * lean})
        if "%C-State C0" in table.wanted:
            self._states(power, parameters, pcpu)
        self._tables["Power"].set({
            "Power Usage Now Watts": power.watts, "Power Usage Cap Watts": parameters.power_cap,
        })  # fmt: skip
        loads = self._averages(cpu.busy * 1.0 + cpu.queueing * cpu.busy)
        self._tables["Physical Cpu Load"].set(
            {f"Cpu Load ({minutes} Minute Avg)": loads[:, :, n] for n, minutes in enumerate((1, 5, 15))}
        )

    def _averages(self, load: FloatArray) -> FloatArray:
        """The decaying averages after each tick, shape (ticks, hosts, minutes)."""
        found = []
        for now in load[:, :, None]:
            self._loads = now + (0.0 if self._fresh else 1.0) * self._decay * (self._loads - now)
            self._fresh = False
            found.append(self._loads)
        return np.stack(found)

    def _states(self, power: Power, parameters: Parameters, pcpu: FloatArray) -> None:
        """How much of the time each PCPU was in each C-, P- and T-state."""
        host = self._pcpu_host
        table = self._tables["PCPU Power State"]
        awake = between(pcpu + 0.8, 0.0, 100.0)
        table.ticks["%C-State C0"][...] = awake
        deep = between(0.25 + parameters.parked, 0.0, 0.95)[:, host]
        for state in range(1, C_STATES):
            share = deep if state == C_STATES - 1 else 1.0 - deep
            table.ticks[f"%C-State C{state}"][...] = (100.0 - awake) * share
        slow = between((1.02 - power.factor) / 0.64 * (P_STATES - 1), 0.0, P_STATES - 1)[:, host]
        for state in range(P_STATES):
            table.ticks[f"%P-State P{state}"][...] = 100.0 * np.maximum(0.0, 1.0 - np.abs(slow - state))
        table.ticks["%T-State T0"][...] = 100.0

    def _interrupts(self, network: Network, cpu: Cpu) -> None:
        """Timer, storage and network vectors; totals are the sums over PCPUs."""
        table, per_cpu = self._tables["Interrupt Cookie"], self._tables[INTERRUPT_PER_CPU]
        both = network.nic_rx_packets + network.nic_tx_packets
        packets = both.reshape(len(both), self._index.hosts, -1).sum(axis=2)
        rates = (100.0 + 900.0 * cpu.busy + 0.05 * packets)[:, :, None] * _OF_VECTORS
        shares = (rates / self._pcpu_count[:, None]).reshape(len(both), -1)[:, self._rate_of_cell]
        for one, values in ((table, rates.reshape(len(both), -1)), (per_cpu, shares)):
            one.set({
                "Interrupts/second": values,
                "Processing Time MicroSec/Interrupt": np.where(values > 0, 1.6, 0.0),
            })  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Chance:
    """What is left to chance, of one tick or with a leading axis of ticks: rows that come ``late`` (hosts),
    how PCPUs ``lean`` from their mean, the ``noise`` of worlds, and the ``place`` of vCPUs.
    """

    late: FloatArray
    lean: FloatArray
    noise: FloatArray
    place: FloatArray

    @staticmethod
    def of(ticks: Sequence[_Chance]) -> _Chance:
        """Put ticks together."""
        return _Chance(
            np.stack([one.late for one in ticks]), np.stack([one.lean for one in ticks]),
            np.stack([one.noise for one in ticks]), np.stack([one.place for one in ticks]),
        )  # fmt: skip
