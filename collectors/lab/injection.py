"""Turns a scenario's injections into movements of knobs: which cells, from what to what, when."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from collectors.lab.inventory import POOLS, SHARED_LUNS, UPLINKS, Cast, Cluster
from collectors.lab.knobs import Index, Knobs
from collectors.lab.scenario import Inject, Range, Scenario
from collectors.lab.power import full_watts
from collectors.lab.speed import work_per_second
from collectors.lab.storage import LUN_SHARE, WRITE_COST, io_cost
from resources.failures import KnowledgeError
from sessions.model import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class Envelope:
    """When an injection acts, in seconds of lab time: 0 before ``start``, up in ``ramp``, 1 until ``end``.

    With ``period`` it recurs from ``start`` on, each time as long as ``length``.
    """

    start: float
    ramp: float
    end: float
    period: float
    length: float

    def at(self, seconds: float) -> float:
        """How far the injection is in effect, 0 to 1."""
        since = seconds - self.start
        if since < 0 or seconds >= self.end:
            return 0.0
        if self.period:
            since %= self.period
            if since >= self.length:
                return 0.0
        return min(1.0, since / self.ramp) if self.ramp > 0 else 1.0


@dataclass(frozen=True, slots=True)
class Movement:
    """Cells of one knob that go from ``base`` to ``target`` as the envelope says."""

    array: FloatArray
    cells: IntArray
    base: FloatArray
    target: FloatArray
    envelope: Envelope

    def reset(self) -> None:
        """Write the cells as they are when nothing is injected."""
        self.array.reshape(-1)[self.cells] = self.base

    def apply(self, seconds: float) -> None:
        """Write the cells as they are at this time; what was unlimited becomes limited at the ramp's end."""
        level = self.envelope.at(seconds)
        if level == 0.0:
            return
        if np.isinf(self.base).any():
            moved = self.target if level >= 1.0 else self.base
        else:
            moved = self.base + (self.target - self.base) * level
        self.array.reshape(-1)[self.cells] = moved


def apply_all(movements: Sequence[Movement], seconds: float) -> None:
    """Turn all knobs to where they stand at this time. Where two move one cell, the later one wins."""
    for movement in movements:
        movement.reset()
    for movement in movements:
        movement.apply(seconds)


Cells = Callable[[Cast, Inject, Cluster, Index], IntArray]


def _vcpus(cast: Cast, inject: Inject, _cluster: Cluster, index: Index) -> IntArray:
    members = np.array(cast.members)
    if inject.which == "first":
        return index.vcpu_start[members]
    if inject.which == "last":
        return index.vcpu_start[members] + index.vcpus[members].astype(np.int64) - 1
    return np.flatnonzero(np.isin(index.vcpu_vm, cast.members))


def _vms(cast: Cast, _inject: Inject, _cluster: Cluster, index: Index) -> IntArray:
    if cast.role.kind == "host":
        return np.flatnonzero(np.isin(index.vm_host, cast.members))
    return np.array(cast.members)


def _disks(cast: Cast, _inject: Inject, _cluster: Cluster, index: Index) -> IntArray:
    """The busiest disk of each VM (its last), or every disk on the devices of the role."""
    if cast.role.kind in ("device", "datastore"):
        return np.flatnonzero(np.isin(index.disk_lun, cast.members))
    ends = np.append(index.disk_start[1:], len(index.disk_vm)) - 1
    return np.asarray(ends[list(cast.members)])


def _background(cast: Cast, _inject: Inject, cluster: Cluster, index: Index) -> IntArray:
    """The vCPUs of a host's VMs but those that play a part of their own."""
    parts = {one for other in cluster.cast.values() if other.role.kind == "vm" for one in other.members}
    vms = [n for n in np.flatnonzero(np.isin(index.vm_host, cast.members)).tolist() if n not in parts]
    return np.flatnonzero(np.isin(index.vcpu_vm, vms))


def _members(cast: Cast, _inject: Inject, _cluster: Cluster, _index: Index) -> IntArray:
    return np.array(cast.members)


def _arrays(cast: Cast, _inject: Inject, cluster: Cluster, _index: Index) -> IntArray:
    if cast.role.kind == "array":
        return np.array(cast.members)
    return np.array([cluster.luns[one].array for one in cast.members])


def _pairs(cast: Cast, _inject: Inject, _cluster: Cluster, index: Index) -> IntArray:
    """(host, LUN) cells of a device on all hosts."""
    hosts = range(index.hosts)
    return np.array([host * index.luns + lun for host in hosts for lun in cast.members])


def _host_pairs(cast: Cast, _inject: Inject, _cluster: Cluster, index: Index) -> IntArray:
    """(host, LUN) cells of a host's shared LUNs."""
    return np.array([host * index.luns + lun for host in cast.members for lun in range(SHARED_LUNS)])


def _on_uplink(cast: Cast, _inject: Inject, cluster: Cluster, _index: Index) -> IntArray:
    """The VMs whose ports go out by an uplink."""
    return np.flatnonzero([vm.host * UPLINKS + vm.uplink in cast.members for vm in cluster.vms])


def _pools(cast: Cast, _inject: Inject, cluster: Cluster, _index: Index) -> IntArray:
    host = cluster.vms[cast.members[0]].host
    return np.array([host * len(POOLS) + POOLS.index(cast.role.pool)])


_KNOBS: Mapping[str, tuple[str, Cells]] = {
    "cpu.demand": ("demand", _vcpus),
    "cpu.spin": ("spin", _vcpus),
    "cpu.blocked": ("blocked", _vcpus),
    "cpu.limit": ("limit", _vms),
    "cpu.shares": ("shares", _vms),
    "cpu.activity": ("activity", _vms),
    "host.load": ("demand", _background),
    "cpu.pool_limit": ("pool_limit", _pools),
    "mem.touch": ("touch", _vms),
    "mem.active": ("active", _vms),
    "mem.limit": ("mem_limit", _vms),
    "mem.zero": ("zero", _vms),
    "mem.pool_limit": ("pool_memory", _pools),
    "net.tx": ("tx", _vms),
    "net.rx": ("rx", _vms),
    "net.packet": ("packet", _vms),
    "net.burst": ("burst", _vms),
    "net.ring": ("ring", _vms),
    "net.shape": ("shape", _vms),
    "net.vmkernel_tx": ("vmk_tx", _members),
    "net.vmkernel_rx": ("vmk_rx", _members),
    "nic.rx_loss": ("rx_loss", _members),
    "nic.tx": ("tx", _on_uplink),
    "disk.iops": ("iops", _disks),
    "disk.io_kb": ("io_kb", _disks),
    "disk.reads": ("reads", _disks),
    "disk.outstanding": ("outstanding", _disks),
    "disk.timeout": ("timeout", _disks),
    "device.depth": ("depth", _pairs),
    "device.load": ("iops", _disks),
    "host.path_loss": ("loss", _host_pairs),
    "array.capacity": ("capacity", _arrays),
    "array.read_ms": ("read_ms", _arrays),
    "array.write_ms": ("write_ms", _arrays),
    "host.frequency": ("frequency", _members),
    "host.parked": ("parked", _members),
    "host.power_cap": ("power_cap", _members),
    "host.kernel": ("kernel", _members),
    "host.variability": ("variability", _members),
    "host.hba_depth": ("hba_depth", _members),
    "lab.paused": ("paused", lambda _cast, _inject, _cluster, _index: np.array([0])),
}
"""Knob name in scenarios → array of ``Knobs``, and how a role becomes its cells."""

KNOB_NAMES = tuple(_KNOBS)
_UNITS: Mapping[str, Callable[[Cluster, Index, IntArray], FloatArray]] = {
    "cpu.limit": lambda _cluster, index, cells: index.vcpus[cells],
    "mem.pool_limit": lambda cluster, _index, cells: _pool_memory(cluster)[cells],
    "cpu.pool_limit": lambda cluster, _index, cells: _pool_demand(cluster)[cells],
    "net.tx": lambda cluster, _index, cells: np.full(len(cells), float(cluster.uplink_mbps)),
    "net.rx": lambda cluster, _index, cells: np.full(len(cells), float(cluster.uplink_mbps)),
    "nic.tx": lambda cluster, _index, cells: np.full(len(cells), cluster.uplink_mbps / len(cells)),
    "host.power_cap": lambda cluster, _index, cells: np.array(
        [full_watts(cluster.hosts[n].cores) for n in cells]
    ),
}
"""Knobs whose ``to`` is relative: a share of the VM's cores, the pool's usual use,
the uplink's speed (for ``nic.tx`` spread evenly over its VMs), the power that a busy host draws."""


def plan_injections(
    scenario: Scenario,
    cluster: Cluster,
    index: Index,
    knobs: Knobs,
    duration_s: float,
    rng: np.random.Generator,
) -> tuple[Movement, ...]:
    """The movements of a scenario on one cluster, in its order. Raises KnowledgeError for an unknown knob."""
    return tuple(
        _movement(inject, scenario, cluster, index, knobs, duration_s, rng) for inject in scenario.inject
    )


def _movement(
    inject: Inject, scenario: Scenario, cluster: Cluster, index: Index, knobs: Knobs, duration_s: float,
    rng: np.random.Generator,
) -> Movement:  # fmt: skip
    if inject.knob not in _KNOBS:
        raise KnowledgeError(
            f"The lab's scenario {scenario.id} turns a knob {inject.knob!r} that is not there."
        )
    attribute, cells_of = _KNOBS[inject.knob]
    array: FloatArray = getattr(knobs, attribute)
    cells = cells_of(cluster.cast[inject.on], inject, cluster, index)
    base = array.reshape(-1)[cells].copy()
    if inject.times is not None:
        target = base * float(rng.uniform(*inject.times))
    elif inject.knob == "device.load":
        target = base * _load_factor(
            float(rng.uniform(*_range(inject.to))), base, cells, cluster, index, knobs
        )
    elif inject.knob == "host.load":
        target = _scaled_to(float(rng.uniform(*_range(inject.to))), base, cells, cluster, index, knobs)
    else:
        level = float(rng.uniform(*_range(inject.to)))
        unit = _UNITS.get(inject.knob)
        target = np.full(len(cells), level) * (unit(cluster, index, cells) if unit else 1.0)
    return Movement(array, cells, base, target, _envelope(inject, duration_s, rng))


def _range(span: Range | None) -> Range:
    return span if span is not None else (0.0, 0.0)


def _envelope(inject: Inject, duration_s: float, rng: np.random.Generator) -> Envelope:
    start = float(rng.uniform(*inject.at))
    ramp = float(rng.uniform(*inject.ramp))
    if inject.every is not None:
        length = float(rng.uniform(*_range(inject.lasts)))
        return Envelope(start, ramp, duration_s, float(rng.uniform(*inject.every)), length)
    end = duration_s if inject.lasts is None else start + float(rng.uniform(*inject.lasts))
    return Envelope(start, ramp, end, 0.0, 0.0)


def _scaled_to(
    level: float, base: FloatArray, cells: IntArray, cluster: Cluster, index: Index, knobs: Knobs
) -> FloatArray:
    """Demand of a host's background at which its PCPUs are busy to ``level``, whatever the cast asks for.

    Demand is scaled evenly, but no vCPU is asked for more than it can do; the rest goes to the others.
    """
    host = int(index.vcpu_host[cells[0]])
    everyone = float(knobs.demand[index.vcpu_host == host].sum())
    done = (
        level
        * cluster.hosts[host].pcpus
        * work_per_second(level, powersaving=cluster.hosts[host].powersaving)
    )
    wanted = done - (everyone - float(base.sum()))
    target = base.copy()
    for _ in range(6):
        target = np.minimum(target * max(wanted, 0.0) / max(float(target.sum()), 1e-9), 0.5)
    return target


def _load_factor(
    level: float, base: FloatArray, cells: IntArray, cluster: Cluster, index: Index, knobs: Knobs
) -> float:
    """What to multiply the rates of a LUN's disks by, so that they ask for ``level`` of what it can serve."""
    lun = cluster.luns[int(index.disk_lun[cells[0]])]
    cost = io_cost(knobs.io_kb[cells], knobs.reads[cells], WRITE_COST[lun.array])
    asked = float((base * cost).sum()) / (LUN_SHARE * cluster.arrays[lun.array].iops)
    return level / max(asked, 1e-9)


def _pool_memory(cluster: Cluster) -> FloatArray:
    """Memory that the VMs of each pool on each host have touched, MB."""
    total = np.zeros(len(cluster.hosts) * len(POOLS))
    for vm in cluster.vms:
        total[vm.host * len(POOLS) + vm.pool] += vm.mem_mb * vm.touched
    return total


def _pool_demand(cluster: Cluster) -> FloatArray:
    """Cores that the VMs of each pool on each host usually ask for."""
    total = np.zeros(len(cluster.hosts) * len(POOLS))
    for vm in cluster.vms:
        total[vm.host * len(POOLS) + vm.pool] += vm.vcpus * vm.cpu
    return total
