"""The parameters that scenarios can change, by name: which array cells belong to a role,
and in which unit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lab.core_speed import work_per_second
from lab.grouping import sums
from lab.inventory import POOLS, SHARED_LUNS, UPLINKS, RoleMembers
from lab.lun_work import LUN_SHARE, WRITE_COST, io_cost
from lab.parameters import LabState
from lab.power import full_watts
from sessions.model import FloatArray, IntArray

_MAX_DEMAND = 0.5
"""Background vCPUs are never asked for more than half a core: a busy host is not made of saturated guests."""


Cells = Callable[[RoleMembers, str, LabState], IntArray]
Level = Callable[[float, IntArray, FloatArray, LabState], FloatArray]


def _plain(level: float, cells: IntArray, _base: FloatArray, _state: LabState) -> FloatArray:
    return np.full(len(cells), level)


@dataclass(frozen=True, slots=True)
class Control:
    """A parameter that scenarios can change: one attribute of ``Parameters`` with its cells and unit.

    ``cells`` maps a role to flat positions in the attribute's array; ``level`` converts a scenario's number
    to values for these cells (``CONTROLS`` says what the number is relative to).
    """

    attribute: str
    cells: Cells
    level: Level = _plain


def _vcpus(cast: RoleMembers, which: str, state: LabState) -> IntArray:
    members, index = np.array(cast.members), state.index
    first: IntArray = index.vcpu_start[members]
    if which == "first":
        return first
    if which == "last":
        return np.asarray(first + index.vcpus[members].astype(np.int64) - 1)
    return np.flatnonzero(np.isin(index.vcpu_vm, members))


def _background(cast: RoleMembers, _which: str, state: LabState) -> IntArray:
    """The vCPUs of a host's VMs but those that play a part of their own."""
    parts = {one for other in state.cluster.cast.values() if other.role.kind == "vm" for one in other.members}
    on_host = np.flatnonzero(np.isin(state.index.vm_host, cast.members))
    return np.flatnonzero(np.isin(state.index.vcpu_vm, [n for n in on_host.tolist() if n not in parts]))


def _vms(cast: RoleMembers, _which: str, state: LabState) -> IntArray:
    if cast.role.kind == "host":
        return np.flatnonzero(np.isin(state.index.vm_host, cast.members))
    return np.array(cast.members)


def _on_uplink(cast: RoleMembers, _which: str, state: LabState) -> IntArray:
    """The VMs whose ports go out by an uplink."""
    return np.flatnonzero([vm.host * UPLINKS + vm.uplink in cast.members for vm in state.cluster.vms])


def _disks(cast: RoleMembers, _which: str, state: LabState) -> IntArray:
    """The busiest disk of each VM (its last), or every disk on the devices of the role."""
    index = state.index
    if cast.role.kind in ("device", "datastore"):
        return np.flatnonzero(np.isin(index.disk_lun, cast.members))
    ends = np.append(index.disk_start[1:], len(index.disk_vm)) - 1
    return np.asarray(ends[list(cast.members)])


def _members(cast: RoleMembers, _which: str, _state: LabState) -> IntArray:
    return np.array(cast.members)


def _arrays(cast: RoleMembers, _which: str, state: LabState) -> IntArray:
    if cast.role.kind == "array":
        return np.array(cast.members)
    return np.array([state.cluster.luns[one].array for one in cast.members])


def _pairs(cast: RoleMembers, _which: str, state: LabState) -> IntArray:
    """(host, LUN) cells of a device on all hosts."""
    return np.array(
        [host * state.index.luns + lun for host in range(state.index.hosts) for lun in cast.members]
    )


def _pairs_of_role(cast: RoleMembers, which: str, state: LabState) -> IntArray:
    """(host, LUN) cells of a device on all hosts, or of a host's shared LUNs."""
    chosen = _host_pairs if cast.role.kind == "host" else _pairs
    return chosen(cast, which, state)


def _host_pairs(cast: RoleMembers, _which: str, state: LabState) -> IntArray:
    """(host, LUN) cells of a host's shared LUNs."""
    return np.array([host * state.index.luns + lun for host in cast.members for lun in range(SHARED_LUNS)])


def _pools(cast: RoleMembers, _which: str, state: LabState) -> IntArray:
    return np.array([state.cluster.vms[cast.members[0]].host * len(POOLS) + POOLS.index(cast.role.pool)])


def _only(_cast: RoleMembers, _which: str, _state: LabState) -> IntArray:
    return np.array([0])


def _hosts(cast: RoleMembers, _which: str, state: LabState) -> IntArray:
    """A host, or with the role of the cluster every host."""
    return np.arange(state.index.hosts) if cast.role.kind == "cluster" else np.array(cast.members)


def _of_vm_cores(level: float, cells: IntArray, _base: FloatArray, state: LabState) -> FloatArray:
    return level * state.index.vcpus[cells]


def _of_uplink(level: float, cells: IntArray, _base: FloatArray, state: LabState) -> FloatArray:
    return np.full(len(cells), level * state.cluster.uplink_mbps)


def _evenly_of_uplink(level: float, cells: IntArray, _base: FloatArray, state: LabState) -> FloatArray:
    return np.full(len(cells), level * state.cluster.uplink_mbps / len(cells))


def _of_full_power(level: float, cells: IntArray, _base: FloatArray, state: LabState) -> FloatArray:
    return level * np.array([full_watts(state.cluster.hosts[host].cores) for host in cells])


def _of_pool_memory(level: float, cells: IntArray, _base: FloatArray, state: LabState) -> FloatArray:
    """Of the memory that the pool's VMs have touched, MB."""
    return level * _per_pool(state, [vm.mem_mb * vm.touched for vm in state.cluster.vms])[cells]


def _of_pool_demand(level: float, cells: IntArray, _base: FloatArray, state: LabState) -> FloatArray:
    """Of the cores that the pool's VMs usually ask for."""
    return level * _per_pool(state, [vm.vcpus * vm.cpu for vm in state.cluster.vms])[cells]


def _per_pool(state: LabState, values: Sequence[float]) -> FloatArray:
    pools = np.array([vm.host * len(POOLS) + vm.pool for vm in state.cluster.vms])
    return sums(pools, np.array(values), state.index.hosts * len(POOLS))


def _of_lun(level: float, cells: IntArray, base: FloatArray, state: LabState) -> FloatArray:
    """Of what the LUN can serve: its disks' rates, scaled alike."""
    parameters = state.parameters
    lun = state.cluster.luns[int(state.index.disk_lun[cells[0]])]
    cost = io_cost(parameters.io_kb[cells], parameters.reads[cells], WRITE_COST[lun.array])
    usual_load = float((base * cost).sum()) / (LUN_SHARE * state.cluster.arrays[lun.array].iops)
    return base * (level / max(usual_load, 1e-9))


def _of_host(level: float, cells: IntArray, base: FloatArray, state: LabState) -> FloatArray:
    """Of the host's PCPU time: background demand at which its PCPUs are so busy, with what its cast VMs
    usually ask for and what the VMkernel takes. Demand is scaled evenly, but no vCPU is asked for more than
    ``_MAX_DEMAND``.
    """
    number = int(state.index.vcpu_host[cells[0]])
    host = state.cluster.hosts[number]
    everyone = float(state.parameters.demand[state.index.vcpu_host == number].sum())
    for_vms = level - float(state.parameters.kernel[number])
    done = for_vms * host.pcpus * work_per_second(level, powersaving=host.powersaving)
    wanted = max(done - (everyone - float(base.sum())), 0.0)
    target = base
    for _ in range(6):
        target = np.minimum(target * (wanted / max(float(target.sum()), 1e-9)), _MAX_DEMAND)
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
    "vm.away": Control("away", _vms),
    "host.down": Control("down", _members),
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
    "cpu.system": Control("system", _vcpus),
    "mem.remote": Control("remote", _vms),
    "mem.rebalances": Control("rebalances", _vms),
    "net.single_queue": Control("single_queue", _vms),
    "net.ft": Control("ft_tx", _members),
    "nic.speed": Control("speed", _members),
    "nic.frame_errors": Control("frame_errors", _members),
    "disk.iops_limit": Control("iops_limit", _disks),
    "disk.chain": Control("chain", _disks),
    "disk.first_writes": Control("first_writes", _disks),
    "device.dead": Control("dead", _pairs_of_role),
    "device.conflicts": Control("conflicts", _pairs_of_role),
    "device.sioc_ms": Control("sioc_ms", _members),
    "vsan.working_set_gb": Control("vsan_working_set", _only),
    "vsan.resync_mb": Control("vsan_resync", _only),
    "vsan.destage": Control("vsan_destage", _hosts),
    "vsan.log_drain": Control("vsan_log_drain", _hosts),
    "vsan.loss": Control("vsan_loss", _hosts),
    "vsan.hot_block": Control("vsan_hot", _hosts),
    "vsan.slow_disk_ms": Control("vsan_slow_ms", _hosts),
    "path.second_share": Control("second_path", _pairs_of_role),
    "path.second_ms": Control("path_ms", _pairs_of_role),
}
"""Parameter name in scenarios → control. A plain ``to`` is in the unit of ``Parameters``; the others' are
shares: of the VM's cores, the pool's usual use, the uplink's speed, the power of a busy host, what a LUN can
serve, a host's PCPU time.
"""
