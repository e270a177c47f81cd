"""The lab's cluster as a vCenter lists it: hosts, pools, datastores, VMs and their configuration."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence

import numpy as np

from lab.injection import ParameterChange
from lab.inventory import (
    LOCAL_LUN,
    MOVED,
    NODES,
    POOLS,
    UPLINKS,
    Cluster,
    Vm,
)
from lab.lab import Lab
from lab.layout import ADAPTERS
from lab.parameters import Parameters
from lab.vcenter_names import CLUSTER_NAME, datastore_names, limited_pool_name
from sessions.model import FloatArray

Json = dict[str, object]

NIC_KEY = 4000
"""Device key of a VM's first network adapter: what vCenter calls its instance."""
_NETWORK = "VM Network"
_MEMORY_SHARES_PER_MB = 10.0
_TOLD_ANEW = 0.5
"""By how much what a VM reads from a tier changes before a recording tells it again (resources/vcenter)."""
_TERABYTE_MB = 1024 * 1024
_DISK_MB = (61_440, 204_800)
_NAMESPACE = uuid.UUID("5d6f7c0e-4b1a-5c3d-9e2f-7a8b9c0d1e2f")


class LowestLimits:
    """The lowest limit of each VM and pool at any moment of a run; infinity if there never was one."""

    def __init__(self, parameters: Parameters) -> None:
        self.cpu: FloatArray = parameters.limit.copy()
        self.memory: FloatArray = parameters.mem_limit.copy()
        self.pool_cpu: FloatArray = parameters.pool_limit.copy()
        self.pool_memory: FloatArray = parameters.pool_memory.copy()
        self.began: dict[tuple[str, int], int] = {}

    def update(self, parameters: Parameters, samples: Sequence[int]) -> None:
        """Update the lowest limits by ``parameters`` with a leading axis of ticks; for a new limit it is
        remembered in which of the ``samples``, one for each tick, it came.
        """
        limits = (
            ("cpu", self.cpu, parameters.limit), ("memory", self.memory, parameters.mem_limit),
            ("pool_cpu", self.pool_cpu, parameters.pool_limit),
            ("pool_memory", self.pool_memory, parameters.pool_memory),
        )  # fmt: skip
        new = [
            (tick, order, cell)
            for order, (_, lowest, now) in enumerate(limits)
            for tick, cell in np.argwhere(np.isinf(lowest) & np.isfinite(now)).tolist()
        ]
        for tick, order, cell in sorted(new):
            self.began.setdefault((limits[order][0], cell), samples[tick])
        for _, lowest, now in limits:
            np.minimum(lowest, now.min(axis=0), out=lowest)


def vm_uuid(cluster: Cluster, vm: Vm) -> str:
    """Return a VM's instance UUID, which stays wherever it runs."""
    return str(uuid.uuid5(_NAMESPACE, f"{cluster.worlds_seed}/{vm.name}"))


def device_uuid(name: str) -> str:
    """Return a VMFS UUID (8-8-4-12 hex digits) that depends only on ``name``."""
    digits = uuid.uuid5(_NAMESPACE, name).hex
    return f"{digits[:8]}-{digits[8:16]}-{digits[16:20]}-{digits[20:]}"


class TierReads:
    """What each VM reads from the slow tier of its host's memory: a fact, told anew when it has changed."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        hosts = lab.cluster.hosts
        self._has_tiers = np.array([bool(hosts[vm.host].dram_mb) for vm in lab.cluster.vms])
        self._told: dict[str, float] = {}
        self.facts: list[Json] = []

    def take(self, rates: FloatArray, seconds: float) -> None:
        """Look at the quick statistics of a moment: MB/s of each VM, of which a vCenter shows whole ones."""
        if not self._has_tiers.any():
            return
        for vm, rate, is_tiered in zip(
            self._lab.cluster.vms, rates.tolist(), self._has_tiers.tolist(), strict=True
        ):
            if not is_tiered:
                continue
            last, now = self._told.get(vm.name), float(round(rate))
            if last is None or abs(now - last) > _TOLD_ANEW * last:
                self._told[vm.name] = now
                what = {"object": f"vm:{vm.shown_name}", "name": "tier.nvme.read_mbps", "value": now}
                self.facts.append({**what, "from_s": seconds if last is not None else 0.0})


def inventory(lab: Lab, limits: LowestLimits, more_facts: Sequence[Json] = ()) -> Json:
    """Return clusters, hosts, datastores, pools, VMs and events of the run, as the exported file has them."""
    return {
        "clusters": [{"name": CLUSTER_NAME, "drs": True}],
        "hosts": [_host(lab, number) for number in range(len(lab.cluster.hosts))],
        "datastores": _datastores(lab.cluster),
        "pools": _pools(lab, limits),
        "vms": [_vm(lab, number, limits) for number, vm in enumerate(lab.cluster.vms)
                if not vm.name.endswith(MOVED)],
        "events": _events(lab.cluster, limits),
        "facts": [*_known_facts(lab), *_link_speeds(lab), *_whereabouts(lab), *_failures(lab),
                  *_lifted_limits(lab), *_memory_tiers(lab), *more_facts],
        "happened": list(_told_events(lab)),
    }  # fmt: skip


def _whereabouts(lab: Lab) -> Iterator[Json]:
    """When VMs are powered on or off in the run, and when those that move have come to their new host."""
    movers = {vm.shown_name for vm in lab.cluster.vms if vm.name.endswith(MOVED)}
    for change in lab.changes:
        if change.array is not lab.parameters.away:
            continue
        start, end = change.envelope.start, change.envelope.end
        for cell in change.cells.tolist():
            vm = lab.cluster.vms[cell]
            what = f"vm:{vm.shown_name}"
            if vm.name.endswith(MOVED):
                yield _fact(what, "host", lab.cluster.hosts[vm.host].name, end)
            elif vm.name not in movers:
                if start > 0:
                    yield _fact(what, "power_state", "poweredOff", start)
                if end < lab.duration_s:
                    yield _fact(what, "power_state", "poweredOn", end)


def _failures(lab: Lab) -> Iterator[Json]:
    """When the vCenter heard the last of hosts that fail."""
    for change in lab.changes:
        if change.array is lab.parameters.down:
            for host in change.cells.tolist():
                what = f"host:{lab.cluster.hosts[host].name}"
                yield _fact(what, "connection_state", "notResponding", change.envelope.start)


def _lifted_limits(lab: Lab) -> Iterator[Json]:
    """CPU limits of VMs that are taken away again in the run."""
    for change in _lifting(lab):
        for cell, cores in zip(change.cells.tolist(), change.target.tolist(), strict=True):
            vm = lab.cluster.vms[cell]
            mhz = int(cores * lab.cluster.hosts[vm.host].mhz)
            set_s, lifted_s = change.envelope.start, change.envelope.end
            yield {**_fact(f"vm:{vm.shown_name}", "cpu.limit_mhz", mhz, set_s), "until_s": lifted_s}


def _lifting(lab: Lab) -> Iterator[ParameterChange]:
    for change in lab.changes:
        if change.array is lab.parameters.limit and change.envelope.end < lab.duration_s:
            yield change


def _fact(what: str, name: str, value: float | str | bool, from_s: float) -> Json:
    return {"object": what, "name": name, "value": value, "from_s": from_s}


def _known_facts(lab: Lab) -> Iterator[Json]:
    """Facts that the scenario gives the vCenter."""
    for one in lab.scenario.knows:
        start = 0.0 if one.inject is None else lab.changes[one.inject].envelope.start
        for what, _ in _objects(lab, one.on):
            yield {"object": what, "name": one.name, "value": one.value, "from_s": start}


def _link_speeds(lab: Lab) -> Iterator[Json]:
    """Link speeds that change in the run."""
    for change in lab.changes:
        if change.array is lab.parameters.speed:
            for cell, speed in zip(change.cells.tolist(), change.target.tolist(), strict=True):
                name = f"{lab.cluster.hosts[cell // UPLINKS].name}/vmnic{cell % UPLINKS}"
                start = change.envelope.start
                yield {"object": f"nic:{name}", "name": "nic.speed_mbps", "value": speed, "from_s": start}


def _memory_tiers(lab: Lab) -> Iterator[Json]:
    """What a vCenter knows of hosts with memory tiering: the kind, and the size of each tier."""
    for host in lab.cluster.hosts:
        if host.dram_mb:
            sizes = {"tier.dram_mb": host.dram_mb, "tier.nvme_mb": host.mem_mb - host.dram_mb}
            for name, value in {"mem.tiering": "softwareTiering", **sizes}.items():
                yield {"object": f"host:{host.name}", "name": name, "value": value, "from_s": 0.0}


def _told_events(lab: Lab) -> Iterator[Json]:
    """Events of the scenario, each at the time of its injection."""
    for one in lab.scenario.tells:
        envelope = lab.changes[one.inject].envelope
        at = envelope.end if one.at_end else envelope.start
        lasted = envelope.end - envelope.start if one.lasts and not one.at_end else None
        new = {vm.shown_name: vm.host for vm in lab.cluster.vms if vm.name.endswith(MOVED)}
        for what, host in _objects(lab, one.on):
            name = what.partition(":")[2]
            to = lab.cluster.hosts[new[name]].name if name in new else "another host"
            text = one.text.format(name=name, host=host, to=to)
            yield {"at_s": at, "lasted_s": lasted, "kind": one.kind, "object": what, "text": text}


def _objects(lab: Lab, role: str) -> Iterator[tuple[str, str]]:
    """The entities of a role as ``kind:name``, and the host of each VM; of a device its datastore."""
    cluster, cast = lab.cluster, lab.cluster.cast[role]
    stores = datastore_names(cluster)
    for one in cast.members:
        if cast.role.kind in ("vm", "pool"):
            yield f"vm:{cluster.vms[one].shown_name}", cluster.hosts[cluster.vms[one].host].name
        elif cast.role.kind == "host":
            yield f"host:{cluster.hosts[one].name}", cluster.hosts[one].name
        elif cast.role.kind == "cluster":
            yield f"cluster:{CLUSTER_NAME}", ""
        elif cast.role.kind == "nic":
            yield f"nic:{cluster.hosts[one // UPLINKS].name}/vmnic{one % UPLINKS}", ""
        else:
            yield f"datastore:{stores[one]}", ""


def _host(lab: Lab, number: int) -> Json:
    host, cluster = lab.cluster.hosts[number], lab.cluster
    speed = lab.usual_speed.reshape(-1, UPLINKS)[number]
    depth = lab.parameters.depth[number]
    return {
        "name": host.name, "cluster": CLUSTER_NAME,
        "cores": host.cores, "threads": host.pcpus, "mhz": host.mhz,
        "memory_mb": host.mem_mb, "numa_nodes": NODES,
        "power_policy": "dynamic" if host.powersaving else "static",
        "nics": [{"name": f"vmnic{n}", "speed_mbps": int(speed[n]), "switch": f"vSwitch{n // 2}"}
                 for n in range(UPLINKS)],
        "devices": [{"name": lun.name, "queue_depth": int(depth[position]), "local": position >= LOCAL_LUN}
                    for position, lun in enumerate(cluster.luns) if not lun.nfs and not lun.vsan],
        "adapters": list(ADAPTERS),
    }  # fmt: skip


def _datastores(cluster: Cluster) -> list[Json]:
    hosts = [host.name for host in cluster.hosts]
    found: list[Json] = []
    for position, name in datastore_names(cluster).items():
        lun = cluster.luns[position]
        file_system = device_uuid(f"{cluster.worlds_seed}/{lun.name}")
        found.append({
            "name": name, "type": "NFS" if lun.nfs else "vsan" if lun.vsan else "VMFS",
            "url": f"ds:///vmfs/volumes/{'vsan:' if lun.vsan else ''}{file_system}/",
            "uuid": file_system, "capacity_mb": 4 * _TERABYTE_MB, "free_mb": 3 * _TERABYTE_MB // 2,
            "device": None if lun.nfs or lun.vsan else lun.name, "hosts": hosts,
        })  # fmt: skip
    return found


def _pools(lab: Lab, limits: LowestLimits) -> list[Json]:
    """The cluster's pools; one that is limited is a pool within them for the VMs that the limit holds.

    Their shares grow with what is in them (scalable shares), because the lab's scheduler knows no pools.
    """
    inside: dict[str, float] = {}
    for number, vm in enumerate(lab.cluster.vms):
        for name in {POOLS[vm.pool], _pool_of(vm, limits)}:
            inside[name] = inside.get(name, 0.0) + float(lab.parameters.shares[number]) * vm.vcpus
    found = [_pool(name, None, inside.get(name, 0.0)) for name in POOLS]
    for cell in _limited(limits):
        name, mhz = limited_pool_name(*divmod(cell, len(POOLS))), lab.cluster.hosts[cell // len(POOLS)].mhz
        found.append(
            _pool(
                name, POOLS[cell % len(POOLS)], inside.get(name, 0.0),
                _finite(limits.pool_cpu[cell] * mhz), _finite(limits.pool_memory[cell]),
            )
        )  # fmt: skip
    return found


def _pool(
    name: str, parent: str | None, shares: float, cpu: int | None = None, memory: int | None = None
) -> Json:
    return {
        "name": name, "parent": parent, "cluster": CLUSTER_NAME,
        "cpu_limit_mhz": cpu, "cpu_shares": int(shares),
        "cpu_reservation_mhz": 0, "mem_limit_mb": memory, "mem_reservation_mb": 0,
    }  # fmt: skip


def _limited(limits: LowestLimits) -> list[int]:
    """Cells of (host, pool) that had a limit."""
    cells: list[int] = np.flatnonzero(np.isfinite(limits.pool_cpu) | np.isfinite(limits.pool_memory)).tolist()
    return cells


def _pool_of(vm: Vm, limits: LowestLimits) -> str:
    cell = vm.host * len(POOLS) + vm.pool
    return limited_pool_name(*divmod(cell, len(POOLS))) if cell in _limited(limits) else POOLS[vm.pool]


def _vm(lab: Lab, number: int, limits: LowestLimits) -> Json:
    cluster, vm = lab.cluster, lab.cluster.vms[number]
    mhz, stores = cluster.hosts[vm.host].mhz, datastore_names(cluster)
    lifted = any(number in change.cells for change in _lifting(lab))
    return {
        "name": vm.name, "uuid": vm_uuid(cluster, vm),
        "host": cluster.hosts[vm.host].name, "pool": _pool_of(vm, limits), "vcpus": vm.vcpus,
        "memory_mb": int(vm.mem_mb), "power": "off" if lab.absent_at_start[number] else "on",
        "datastore": stores[vm.disks[0].lun],
        "cpu_limit_mhz": None if lifted else _finite(limits.cpu[number] * mhz),
        "cpu_shares": int(lab.parameters.shares[number] * vm.vcpus),
        "cpu_reservation_mhz": int(vm.cpu_reservation * vm.vcpus * mhz),
        "cpu_affinity": _affinity(lab, number),
        "mem_limit_mb": _finite(min(limits.memory[number], 1e6) * vm.mem_mb)
        if np.isfinite(limits.memory[number]) else None,
        "mem_reservation_mb": int(vm.mem_reservation * vm.mem_mb),
        "mem_shares": int(vm.mem_mb * _MEMORY_SHARES_PER_MB),
        "tools": "running" if vm.tools else "notRunning", "snapshots": vm.snapshots,
        "disks": [{"unit": disk.slot, "size_mb": _DISK_MB[min(n, 1)], "datastore": stores[disk.lun]}
                  for n, disk in enumerate(vm.disks)],
        "nics": [{"key": NIC_KEY, "label": "Network adapter 1", "network": _NETWORK}],
    }  # fmt: skip


def _affinity(lab: Lab, number: int) -> list[int]:
    """The PCPUs that a pinned VM may use: the same for all pinned VMs of its host."""
    vm = lab.cluster.vms[number]
    if not vm.pinned:
        return []
    first = int(lab.cpu.pcpu_sets.first[vm.host])
    return list(range(first, first + int(lab.cpu.pcpu_sets.size[vm.host])))


def _finite(value: float) -> int | None:
    return int(value) if np.isfinite(value) else None


def _events(cluster: Cluster, limits: LowestLimits) -> list[Json]:
    """Reconfigurations in the run: limits that came into force."""
    return [
        {
            "tick": tick, "type": "VmReconfiguredEvent", "vm": cluster.vms[cell].name,
            "from": None, "to": None,
            "text": f"Reconfigured {cluster.vms[cell].name}: {name} limit",
        }
        for (name, cell), tick in sorted(limits.began.items(), key=lambda item: item[1])
        if name in ("cpu", "memory")
    ]  # fmt: skip
