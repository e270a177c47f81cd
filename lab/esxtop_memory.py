"""esxtop's view of memory: the host's counters and those of each group."""

from __future__ import annotations

import numpy as np

from lab.esxtop_tables import EsxtopTables
from lab.grouping import run_sums
from lab.host_memory import Memory
from lab.inventory import NODES, Cluster
from lab.layout import HostLayout
from lab.parameters import Index, Parameters
from lab.seen import Seen
from lab.worlds import NO_OWNER
from sessions.model import FloatArray

_UNLIMITED, _NORMAL = -1.0, -3.0
_MANAGED_LESS_MB = 40.0
_SAMPLE_S = 60.0
"""How often ESXi estimates each VM's active memory (Mem.SamplePeriod)."""
_OF_USER_WORLDS = {
    "Memory Size MBytes": 1.9,
    "Memory Granted Size MBytes": 1.0,
    "Memory Consumed Size MBytes": 1.0,
    "Target Size MBytes": 1.1,
    "Touched MBytes": 0.4,
    "Touched Write MBytes": 0.15,
    "Overhead UW MBytes": 0.2,
}
"""Memory of a user world's group over what it consumes."""


class MemoryView:
    """Fills the memory tables."""

    def __init__(
        self,
        cluster: Cluster,
        index: Index,
        layouts: tuple[HostLayout, ...],
        tables: EsxtopTables,
        memory: Memory,
        tick_s: float,
        rng: np.random.Generator,
    ) -> None:
        self._index = index
        self._tables = tables
        groups = [group for one in layouts for group in one.memory_groups]
        self._vm_groups = np.flatnonzero([group.vm != NO_OWNER for group in groups])
        self._user_groups = np.flatnonzero([group.vm == NO_OWNER for group in groups])
        self._user_mb = rng.lognormal(2.6, 0.9, len(self._user_groups))
        self._home = np.array([float(vm.node) if vm.node >= 0 else float(NODES) for vm in cluster.vms])
        # N%L counts all home nodes: a VM of 42 vCPUs on both nodes has 100 % in a reply of a real host.
        self._local = np.where(self._home < NODES, rng.uniform(0.93, 1.0, index.vms), 1.0)
        self._tick_s = tick_s
        self._every = round(_SAMPLE_S / tick_s)
        self._phase = rng.integers(0, self._every, index.vms)
        self._active: FloatArray = memory.active.copy()
        self._rng = rng
        self._ticks = 0
        self._constants(len(groups), [len(group.worlds) for group in groups], memory)

    def _constants(self, count: int, members: list[int], memory: Memory) -> None:
        table = self._tables["Group Memory"]
        table.set(
            {"Members": np.array(members, dtype=float), "Alloc Max": _UNLIMITED, "Alloc Shares": _NORMAL}
        )
        table.set({"Alloc Min Limited": _UNLIMITED, "Memctl?": 0.0, "Commit Pages Per Share": 100.0})
        users = self._user_mb
        for name, share in _OF_USER_WORLDS.items():
            table.ticks[name][:, self._user_groups] = users * share
        for name, values in (
            ("Memory Size MBytes", memory.size), ("Memctl?", memory.tools),
            ("Memctl Max MBytes", memory.balloon_max), ("Alloc Min", memory.reserved),
            ("Overhead MBytes", memory.overhead), ("Overhead Max MBytes", memory.overhead * 1.25),
            ("Overhead UW MBytes", 8.0 + 0.0002 * memory.size),
            ("Numa Home Nodes", np.where(self._home < NODES, self._home, 0.0)),
        ):  # fmt: skip
            table.ticks[name][:, self._vm_groups] = values
        assert count == table.size

    def update(self, seen: Seen) -> None:
        """Write the values of the ticks that were seen."""
        estimated = np.stack([self._estimate(active) for active in seen.memory.active])
        self._vms(seen.memory, seen.parameters, estimated)
        self._hosts(seen.memory)

    def _estimate(self, active: FloatArray) -> FloatArray:
        """What ESXi thinks that each VM uses, which it finds out once a minute."""
        due = (self._ticks + self._phase) % self._every == 0
        self._active = np.where(due, active, self._active)
        self._ticks += 1
        return self._active

    def _vms(self, memory: Memory, parameters: Parameters, estimated: FloatArray) -> None:
        row, mine = self._tables["Group Memory"].ticks, self._vm_groups
        local = np.where(np.isnan(parameters.remote), self._local, 1.0 - parameters.remote)
        moves = parameters.rebalances * self._tick_s
        consumed = memory.consumed()
        granted = np.maximum(memory.touched - memory.balloon - memory.swapped, consumed)
        active = np.rint(100.0 * estimated / memory.size)
        values: dict[str, FloatArray] = {
            "Memory Granted Size MBytes": granted,
            "Memory Consumed Size MBytes": consumed,
            "Target Size MBytes": np.minimum(consumed * 1.02 + 4.0, memory.size),
            "Touched MBytes": estimated,
            "Touched Write MBytes": estimated * 0.4,
            "% Active Estimate": active,
            "% Active Slow Estimate": np.rint(0.96 * active),
            "% Active Fast Estimate": np.rint(1.02 * active),
            "% Active Next Estimate": active,
            "Memctl MBytes": memory.balloon,
            "Memctl Target MBytes": memory.balloon_target,
            "Swapped MBytes": memory.swapped,
            "Swap Target MBytes": memory.swap_target,
            "Swap Read MBytes/sec": memory.swap_in,
            "Swap Written MBytes/sec": memory.swap_out,
            "Llswap Read MBytes/sec": memory.cache_in,
            "Llswap Written MBytes/sec": memory.cache_out,
            "Zero MBytes": 0.4 * memory.saved,
            "Shared MBytes": 1.15 * memory.saved,
            "Shared Saved MBytes": memory.saved,
            "Compressed Memory MBytes": memory.zipped,
            "Used Compressed Memory MBytes": 0.5 * memory.zipped,
            "Compression MBytes/sec": memory.zip_rate,
            "Decompression MBytes/sec": memory.unzip_rate,
            "Numa Local Memory MBytes": consumed * local,
            "Numa Remote Memory MBytes": consumed * (1.0 - local),
            "Numa % Local": np.floor(100.0 * local),
            "Numa Rebalance Count Delta": self._moved(moves),
            "Commit Charged MBytes": consumed,
            "Commit Target MBytes": consumed,
            "Min Commit Target MBytes": memory.reserved,
        }
        for name, value in values.items():
            row[name][:, mine] = value
        limit = np.minimum(parameters.mem_limit, 1e3) * memory.size
        row["Alloc Max"][:, mine] = np.where(np.isinf(parameters.mem_limit), _UNLIMITED, limit)

    def _moved(self, moves: FloatArray) -> FloatArray:
        """Whole moves to another home node; in a tick that moves nothing nothing is left to chance."""
        counted = moves.copy()
        for tick in np.flatnonzero(moves.any(axis=1)).tolist():
            counted[tick] = self._rng.poisson(moves[tick])
        return counted

    def _hosts(self, memory: Memory) -> None:
        start = self._index.vm_start

        def total(values: FloatArray) -> FloatArray:
            result: FloatArray = run_sums(values, start)
            return result

        managed = memory.machine - _MANAGED_LESS_MB
        reserved = 0.55 * memory.kernel + total(memory.overhead + memory.reserved)
        shared = total(memory.saved)
        self._tables["Memory"].set({
            "Machine MBytes": memory.machine,
            "Kernel MBytes": memory.kernel,
            "NonKernel MBytes": memory.machine - memory.kernel - memory.free,
            "Free MBytes": memory.free,
            "Kernel Managed MBytes": managed,
            "Kernel MinFree MBytes": memory.min_free,
            "Kernel Reserved MBytes": np.minimum(reserved, managed),
            "Kernel Unreserved MBytes": np.maximum(managed - reserved, 0.0),
            "Kernel State": memory.state.astype(float),
            "PShare Shared MBytes": 1.15 * shared,
            "PShare Common MBytes": 0.15 * shared,
            "PShare Savings MBytes": shared,
            "Swap Used MBytes": total(memory.swapped),
            "Swap Target MBytes": total(memory.swap_target),
            "Swap MBytes Read/sec": total(memory.swap_in),
            "Swap MBytes Write/sec": total(memory.swap_out),
            "Total Compressed MBytes": total(memory.zipped),
            "Total Saved By Compression MBytes": total(0.5 * memory.zipped),
            "Memctl Current MBytes": total(memory.balloon),
            "Memctl Target MBytes": total(memory.balloon_target),
            "Memctl Max MBytes": total(memory.balloon_max),
        })  # fmt: skip
        sizes = total(memory.size + memory.overhead)
        over = np.maximum(sizes / (memory.machine - memory.kernel) - 1.0, 0.0)
        self._tables["Memory"].set(
            {f"Memory Overcommit ({minutes} Minute Avg)": over for minutes in (1, 5, 15)}
        )
