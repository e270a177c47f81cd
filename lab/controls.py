"""The knobs that scenarios can turn, by name: which inputs of the physics a role means, in what unit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lab.grouping import sums
from lab.inventory import POOLS, SHARED_LUNS, UPLINKS, Cast, Cluster
from lab.knobs import Index, Knobs
from lab.lun_work import LUN_SHARE, WRITE_COST, io_cost
from lab.power import full_watts
from lab.speed import work_per_second
from sessions.model import FloatArray, IntArray

_MOST_DEMAND = 0.5
"""Background vCPUs are never asked for more than half a core: a busy host is not made of saturated guests."""


@dataclass(frozen=True, slots=True)
class Bench:
    """What a control needs to know of the lab that it acts on."""

    cluster: Cluster
    index: Index
    knobs: Knobs


Cells = Callable[[Cast, str, Bench], IntArray]
Level = Callable[[float, IntArray, FloatArray, Bench], FloatArray]


def _plain(level: float, cells: IntArray, _base: FloatArray, _bench: Bench) -> FloatArray:
    return np.full(len(cells), level)


@dataclass(frozen=True, slots=True)
class Control:
    """``attribute`` of ``Knobs``; ``cells`` turns a role into flat positions in it, ``level`` a scenario's
    number into values there (what the number is relative to is said in ``CONTROLS``).
    """

    attribute: str
    cells: Cells
    level: Level = _plain


def _vcpus(cast: Cast, which: str, bench: Bench) -> IntArray:
    members, index = np.array(cast.members), bench.index
    first: IntArray = index.vcpu_start[members]
    if which == "first":
        return first
    if which == "last":
        return np.asarray(first + index.vcpus[members].astype(np.int64) - 1)
    return np.flatnonzero(np.isin(index.vcpu_vm, members))


def _background(cast: Cast, _which: str, bench: Bench) -> IntArray:
    """The vCPUs of a host's VMs but those that play a part of their own."""
    parts = {one for other in bench.cluster.cast.values() if other.role.kind == "vm" for one in other.members}
    on_host = np.flatnonzero(np.isin(bench.index.vm_host, cast.members))
    return np.flatnonzero(np.isin(bench.index.vcpu_vm, [n for n in on_host.tolist() if n not in parts]))


def _vms(cast: Cast, _which: str, bench: Bench) -> IntArray:
    if cast.role.kind == "host":
        return np.flatnonzero(np.isin(bench.index.vm_host, cast.members))
    return np.array(cast.members)


def _on_uplink(cast: Cast, _which: str, bench: Bench) -> IntArray:
    """The VMs whose ports go out by an uplink."""
    return np.flatnonzero([vm.host * UPLINKS + vm.uplink in cast.members for vm in bench.cluster.vms])


def _disks(cast: Cast, _which: str, bench: Bench) -> IntArray:
    """The busiest disk of each VM (its last), or every disk on the devices of the role."""
    index = bench.index
    if cast.role.kind in ("device", "datastore"):
        return np.flatnonzero(np.isin(index.disk_lun, cast.members))
    ends = np.append(index.disk_start[1:], len(index.disk_vm)) - 1
    return np.asarray(ends[list(cast.members)])


def _members(cast: Cast, _which: str, _bench: Bench) -> IntArray:
    return np.array(cast.members)


def _arrays(cast: Cast, _which: str, bench: Bench) -> IntArray:
    if cast.role.kind == "array":
        return np.array(cast.members)
    return np.array([bench.cluster.luns[one].array for one in cast.members])


def _pairs(cast: Cast, _which: str, bench: Bench) -> IntArray:
    """(host, LUN) cells of a device on all hosts."""
    return np.array(
        [host * bench.index.luns + lun for host in range(bench.index.hosts) for lun in cast.members]
    )


def _host_pairs(cast: Cast, _which: str, bench: Bench) -> IntArray:
    """(host, LUN) cells of a host's shared LUNs."""
    return np.array([host * bench.index.luns + lun for host in cast.members for lun in range(SHARED_LUNS)])


def _pools(cast: Cast, _which: str, bench: Bench) -> IntArray:
    return np.array([bench.cluster.vms[cast.members[0]].host * len(POOLS) + POOLS.index(cast.role.pool)])


def _only(_cast: Cast, _which: str, _bench: Bench) -> IntArray:
    return np.array([0])


def _of_vm_cores(level: float, cells: IntArray, _base: FloatArray, bench: Bench) -> FloatArray:
    return level * bench.index.vcpus[cells]


def _of_uplink(level: float, cells: IntArray, _base: FloatArray, bench: Bench) -> FloatArray:
    return np.full(len(cells), level * bench.cluster.uplink_mbps)


def _evenly_of_uplink(level: float, cells: IntArray, _base: FloatArray, bench: Bench) -> FloatArray:
    return np.full(len(cells), level * bench.cluster.uplink_mbps / len(cells))


def _of_full_power(level: float, cells: IntArray, _base: FloatArray, bench: Bench) -> FloatArray:
    return level * np.array([full_watts(bench.cluster.hosts[host].cores) for host in cells])


def _of_pool_memory(level: float, cells: IntArray, _base: FloatArray, bench: Bench) -> FloatArray:
    """Of the memory that the pool's VMs have touched, MB."""
    return level * _per_pool(bench, [vm.mem_mb * vm.touched for vm in bench.cluster.vms])[cells]


def _of_pool_demand(level: float, cells: IntArray, _base: FloatArray, bench: Bench) -> FloatArray:
    """Of the cores that the pool's VMs usually ask for."""
    return level * _per_pool(bench, [vm.vcpus * vm.cpu for vm in bench.cluster.vms])[cells]


def _per_pool(bench: Bench, values: Sequence[float]) -> FloatArray:
    pools = np.array([vm.host * len(POOLS) + vm.pool for vm in bench.cluster.vms])
    return sums(pools, np.array(values), bench.index.hosts * len(POOLS))


def _of_lun(level: float, cells: IntArray, base: FloatArray, bench: Bench) -> FloatArray:
    """Of what the LUN can serve: its disks' rates, scaled alike."""
    knobs = bench.knobs
    lun = bench.cluster.luns[int(bench.index.disk_lun[cells[0]])]
    cost = io_cost(knobs.io_kb[cells], knobs.reads[cells], WRITE_COST[lun.array])
    asked = float((base * cost).sum()) / (LUN_SHARE * bench.cluster.arrays[lun.array].iops)
    return base * (level / max(asked, 1e-9))


def _of_host(level: float, cells: IntArray, base: FloatArray, bench: Bench) -> FloatArray:
    """Of the host's PCPU time: background demand at which its PCPUs are so busy, with what its cast VMs
    usually ask for and what the VMkernel takes. Demand is scaled evenly, but no vCPU is asked for more than
    ``_MOST_DEMAND``.
    """
    number = int(bench.index.vcpu_host[cells[0]])
    host = bench.cluster.hosts[number]
    everyone = float(bench.knobs.demand[bench.index.vcpu_host == number].sum())
    for_vms = level - float(bench.knobs.kernel[number])
    done = for_vms * host.pcpus * work_per_second(level, powersaving=host.powersaving)
    wanted = max(done - (everyone - float(base.sum())), 0.0)
    target = base
    for _ in range(6):
        target = np.minimum(target * (wanted / max(float(target.sum()), 1e-9)), _MOST_DEMAND)
    return target


CONTROLS: Mapping[str, Control] = {
    "cpu.demand": Control("demand", _vcpus),
    "cpu.spin": Control("spin", _vcpus),
    "cpu.blocked": Control("blocked", _vcpus),
    "cpu.limit": Control("limit", _vms, _of_vm_cores),
    "cpu.shares": Control("shares", _vms),
    "cpu.activity": Control("activity", _vms),
    "cpu.pool_limit": Control("pool_limit", _pools, _of_pool_demand),
    "mem.touch": Control("touch", _vms),
    "mem.active": Control("active", _vms),
    "mem.limit": Control("mem_limit", _vms),
    "mem.zero": Control("zero", _vms),
    "mem.pool_limit": Control("pool_memory", _pools, _of_pool_memory),
    "net.tx": Control("tx", _vms, _of_uplink),
    "net.rx": Control("rx", _vms, _of_uplink),
    "net.packet": Control("packet", _vms),
    "net.burst": Control("burst", _vms),
    "net.ring": Control("ring", _vms),
    "net.shape": Control("shape", _vms),
    "net.vmkernel_tx": Control("vmk_tx", _members),
    "net.vmkernel_rx": Control("vmk_rx", _members),
    "nic.tx": Control("tx", _on_uplink, _evenly_of_uplink),
    "nic.rx_loss": Control("rx_loss", _members),
    "disk.iops": Control("iops", _disks),
    "disk.io_kb": Control("io_kb", _disks),
    "disk.reads": Control("reads", _disks),
    "disk.outstanding": Control("outstanding", _disks),
    "disk.timeout": Control("timeout", _disks),
    "device.load": Control("iops", _disks, _of_lun),
    "device.depth": Control("depth", _pairs),
    "array.capacity": Control("capacity", _arrays),
    "array.read_ms": Control("read_ms", _arrays),
    "array.write_ms": Control("write_ms", _arrays),
    "host.load": Control("demand", _background, _of_host),
    "host.frequency": Control("frequency", _members),
    "host.parked": Control("parked", _members),
    "host.power_cap": Control("power_cap", _members, _of_full_power),
    "host.kernel": Control("kernel", _members),
    "host.variability": Control("variability", _members),
    "host.hba_depth": Control("hba_depth", _members),
    "host.path_loss": Control("loss", _host_pairs),
    "lab.paused": Control("paused", _only),
}
"""Knob name in scenarios → control. A plain ``to`` is in the unit of ``Knobs``; the others' are shares: of
the VM's cores, the pool's usual use, the uplink's speed, the power of a busy host, what a LUN can serve,
a host's PCPU time.
"""
