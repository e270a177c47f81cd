"""What ticks leave behind for those who look: the subsystems with a leading axis of ticks.

Nothing that is shown feeds back into the physics, so a view may look at many ticks at once, which costs
hardly more than one.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from lab.cpu import Cpu
from lab.host_memory import Memory
from lab.network import Network
from lab.parameters import BoolArray, Parameters
from lab.power import Power
from lab.storage import Storage
from lab.vsan import Vsan
from sessions.model import FloatArray

if TYPE_CHECKING:
    from lab.physics import Physics

Part = TypeVar("Part")
TOGETHER = 16
"""Ticks that are best shown together: what they take still fits into a core's cache."""

_SHOWN = {
    "cpu": (
        "run", "ready", "costop", "limited", "system", "overlap", "used", "latency", "demand",
        "busy", "load", "queueing", "speed", "kernel",
    ),
    "power": (
        "factor", "watts",
    ),
    "memory": (
        "touched", "balloon", "swap_hot", "swap_cold", "swap_dead", "zipped", "saved",
        "balloon_target", "swap_target", "swap_in", "swap_out", "cache_in", "cache_out", "zip_rate",
        "unzip_rate", "stall", "active", "tier_read", "tier_wait", "free", "state", "kernel",
        "absent",
    ),
    "storage": (
        "iops", "read_ms", "write_ms", "at_device", "disk_aborts", "commands", "read_share",
        "mb_read", "mb_written", "device_ms", "kernel_ms", "queue_ms", "device_read_ms",
        "device_write_ms", "active", "queued", "aborts", "resets", "failed", "conflicts",
        "throttled", "second_ms", "zeroed", "second_path", "depth",
    ),
    "network": (
        "tx", "rx", "tx_packets", "rx_packets", "tx_drops", "rx_drops", "speed", "nic_tx", "nic_rx",
        "nic_tx_packets", "nic_rx_packets", "nic_rx_drops", "nic_errors", "vmk_tx", "vmk_rx",
    ),
    "vsan": (
        "reads", "writes", "mb_read", "mb_written", "back_reads", "back_writes", "back_mb_read",
        "back_mb_written", "hit", "filled", "group_read_ms", "group_write_ms", "front_read_ms",
        "front_write_ms", "resync", "lost", "damaged", "dropped", "dropped_tx", "disk_reads",
        "disk_writes", "disk_read_ms", "disk_write_ms", "disk_mb_written", "traffic",
        "ssd_congestion", "log_congestion", "iops_congestion",
    ),
    "parameters": (
        "blocked", "limit", "mem_limit", "remote", "rebalances", "away", "io_kb", "reads",
        "outstanding", "parked", "power_cap", "kernel", "down", "vmk_tx", "vmk_rx", "vmk_uplink",
        "ft_tx", "hba_depth", "loss", "rx_loss", "pool_limit", "pool_memory", "vsan_slow_ms",
    ),
}  # fmt: skip
"""Results of each subsystem, and inputs, that some view shows."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an array of one subsystem stands in what is kept of a tick."""

    part: str
    name: str
    cells: slice
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    def of(self, kept: FloatArray) -> FloatArray:
        """The array of each tick, shape (ticks, …)."""
        values: FloatArray = kept[:, self.cells].reshape(len(kept), *self.shape)
        return values if self.dtype == values.dtype else values.astype(self.dtype)


class Keeper:
    """Keeps what a tick has shown, while the physics goes on to the next."""

    def __init__(self, physics: Physics) -> None:
        self._physics = physics
        parts = [(getattr(physics, part), names) for part, names in _SHOWN.items()]
        self._parts = [(part, attrgetter(*names)) for part, names in parts if part is not None]
        self._places: tuple[_Place, ...] = ()
        self._kept: list[FloatArray] = []
        self._times: list[int] = []
        self._taken: list[bool] = []

    def keep(self, now_ms: int) -> None:
        """Keep the tick that the physics has just computed, which began at ``now_ms``."""
        arrays = [array for part, shown in self._parts for array in shown(part)]
        if not self._places:
            self._places = tuple(self._plan(arrays))
        self._kept.append(np.concatenate(arrays, axis=None))
        self._times.append(now_ms)
        self._taken.append(not self._physics.parameters.paused[0] > 0.5)

    def together(self) -> Seen:
        """Return what was kept, and forget it."""
        seen = Seen(
            self._physics, self._places, np.stack(self._kept), tuple(self._times), np.array(self._taken)
        )
        self._kept, self._times, self._taken = [], [], []
        return seen

    def _plan(self, arrays: Sequence[FloatArray]) -> list[_Place]:
        names = [(part, name) for part, names in _SHOWN.items() for name in names]
        names = [one for one in names if getattr(self._physics, one[0]) is not None]
        ends = np.cumsum([array.size for array in arrays]).tolist()
        return [
            _Place(part, name, slice(end - array.size, end), array.shape, array.dtype)
            for (part, name), array, end in zip(names, arrays, ends, strict=True)
        ]


class Seen:
    """Several ticks: subsystems whose shown arrays have a leading axis of ticks; the others are as always.

    ``times_ms`` is when each tick began, ``is_taken`` whether a collector sampled it.
    """

    def __init__(
        self,
        physics: Physics,
        places: tuple[_Place, ...],
        kept: FloatArray,
        times_ms: tuple[int, ...],
        is_taken: BoolArray,
    ) -> None:
        self._physics, self._places, self._kept = physics, places, kept
        self.times_ms, self.is_taken = times_ms, is_taken

    def __len__(self) -> int:
        return len(self.times_ms)

    def taken(self) -> Seen:
        """Return the ticks that a collector sampled."""
        if self.is_taken.all():
            return self
        times = tuple(
            at for at, is_taken in zip(self.times_ms, self.is_taken.tolist(), strict=True) if is_taken
        )
        mine = self.is_taken
        return Seen(self._physics, self._places, self._kept[mine], times, mine[mine])

    @cached_property
    def cpu(self) -> Cpu:
        """The scheduler."""
        return self._with_ticks(self._physics.cpu, "cpu")

    @cached_property
    def power(self) -> Power:
        """Frequency and power."""
        return self._with_ticks(self._physics.power, "power")

    @cached_property
    def memory(self) -> Memory:
        """The hosts' memory."""
        return self._with_ticks(self._physics.memory, "memory")

    @cached_property
    def storage(self) -> Storage:
        """Disks, devices, arrays."""
        return self._with_ticks(self._physics.storage, "storage")

    @cached_property
    def network(self) -> Network:
        """Ports and uplinks."""
        return self._with_ticks(self._physics.network, "network")

    @cached_property
    def vsan(self) -> Vsan:
        """The cluster's vSAN, which it must have."""
        assert self._physics.vsan is not None
        return self._with_ticks(self._physics.vsan, "vsan")

    @cached_property
    def parameters(self) -> Parameters:
        """The inputs."""
        return replace(self._physics.parameters, **self._arrays("parameters"))

    @cached_property
    def failed(self) -> BoolArray:
        """Which hosts had failed, shape (ticks, hosts)."""
        result: BoolArray = self.parameters.down > 0.5
        return result

    @cached_property
    def absent(self) -> BoolArray:
        """Which VMs did not run where they are, shape (ticks, VMs)."""
        result: BoolArray = (self.parameters.away > 0.5) | self.failed[:, self._physics.index.vm_host]
        return result

    def _arrays(self, part: str) -> dict[str, Any]:
        return {place.name: place.of(self._kept) for place in self._places if place.part == part}

    def _with_ticks(self, part: Part, name: str) -> Part:
        found = copy(part)
        vars(found).update(self._arrays(name))
        return found
