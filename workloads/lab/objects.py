"""The lab's objects with the facts that checks and pages need, as they are now."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping

import numpy as np

from lab.acted.simulation import VSAN_LUN
from lab.inventory import NFS_LUN
from lab.vcenter_inventory import device_uuid
from lab.worker_vms import WORKER
from sessions.journal import Setting
from sessions.model import Entity, EntityRef
from workloads.environment import TestObject
from workloads.lab.simulated import CLUSTER_ID, CLUSTER_NAME, Simulated

VERSION, BUILD = "8.0.2", "23305546"
_CAPACITY_BYTES = 4 << 40
_FREE_BYTES = 5 << 39
_CPU_MODEL = "Simulated CPU"
_MB = 1 << 20


class LabObjects:
    """Objects and entities of the simulation."""

    def __init__(self, simulated: Simulated) -> None:
        self._simulated = simulated
        seed = simulated.lab.cluster.worlds_seed
        self._prefix = f"lab-{seed}"

    # entities

    @property
    def server(self) -> EntityRef:
        """The entity of the lab itself."""
        return EntityRef("vcenter", self._prefix)

    @property
    def cluster(self) -> EntityRef:
        """The cluster's entity."""
        return EntityRef("cluster", f"{self._prefix}/{CLUSTER_ID}")

    def host(self, number: int) -> EntityRef:
        """The entity of a host."""
        return EntityRef("host", self._simulated.lab.cluster.hosts[number].name)

    def vm(self, number: int) -> EntityRef:
        """The entity of a VM."""
        name = self._simulated.lab.cluster.vms[number].name
        return EntityRef("vm", device_uuid(f"{self._prefix}/{name}"))

    def worker(self, number: int) -> EntityRef:
        """The entity of the worker in a VM."""
        return EntityRef("worker", f"{self.vm(number).key}/worker")

    def datastore(self, lun: int) -> EntityRef:
        """The entity of the datastore on a LUN."""
        return EntityRef("datastore", device_uuid(f"{self._prefix}/{self._simulated.lab.datastores[lun]}"))

    def device(self, lun: int) -> EntityRef:
        """The entity of a LUN."""
        return EntityRef("device", self._simulated.lab.cluster.luns[lun].name)

    def vdisk(self, vm: int, slot: str) -> EntityRef:
        """The entity of a VM's disk in a slot."""
        return EntityRef("vdisk", f"{self.vm(vm).key}/{slot}")

    def entities(self) -> Iterator[Entity]:
        """Yield all entities, parents first."""
        lab = self._simulated.lab
        yield Entity(self.server, self._simulated.address)
        yield Entity(self.cluster, CLUSTER_NAME, self.server)
        for number, host in enumerate(lab.cluster.hosts):
            yield Entity(self.host(number), host.name, self.cluster)
        for lun, name in lab.datastores.items():
            yield Entity(self.datastore(lun), name)
            if lun != NFS_LUN:
                yield Entity(self.device(lun), lab.cluster.luns[lun].name)
        for number, vm in enumerate(lab.cluster.vms):
            yield Entity(self.vm(number), vm.name)
            for disk in vm.disks:
                yield Entity(self.vdisk(number, disk.slot), disk.slot, self.vm(number))
        for number in lab.workers:
            yield Entity(self.worker(number), lab.cluster.vms[number].name, self.vm(number))

    # objects

    def all(self) -> list[TestObject]:
        """Return everything that a test can choose, with facts."""
        lab = self._simulated.lab
        return [
            self._server_object(),
            self._cluster_object(),
            *(self._host_object(n) for n in range(len(lab.cluster.hosts))),
            *(self._store_object(lun) for lun in lab.datastores),
            *(self.vm_object(n) for n in range(len(lab.cluster.vms))),
        ]

    def _server_object(self) -> TestObject:
        """The lab itself, as what a vCenter says of itself."""
        facts: dict[str, Setting] = {"version": VERSION, "build": BUILD, "clock_offset_ms": 0.0}
        return TestObject(self._simulated.server_object(), self.server, "", facts)

    def vm_object(self, number: int) -> TestObject:
        """Return a VM with its facts."""
        here, lab = self._simulated, self._simulated.lab
        vm = lab.cluster.vms[number]
        parent = here.host_object(int(lab.index.vm_host[number])).id
        is_worker = vm.workload.name == WORKER
        on = bool(lab.powered[number])
        facts: dict[str, Setting] = {
            "powered_on": on, "is_worker": is_worker, "tools_running": on and vm.tools,
            "guest_operations_ready": on and vm.tools, "snapshots": float(vm.snapshots),
            "consolidation_needed": False, "running_tasks": 0.0, "vcpus": float(vm.vcpus),
            "memory_bytes": vm.mem_mb * _MB, "cpu_limit_mhz": -1.0, "memory_limit_mb": -1.0,
            "has_affinity": False, "pool_is_limited": False, "drs_behaviour": lab.drs.behaviour,
            "disks": self._disks(number), "uuid_shown_to_guest": True,
        }  # fmt: skip
        if is_worker:
            facts["profile"] = "heavy" if number in lab.heavy else "light"
        return TestObject(here.vm_object(number), self.vm(number), parent, facts)

    def _disks(self, vm: int) -> str:
        here, lab = self._simulated, self._simulated.lab
        disks: list[Mapping[str, object]] = []
        for disk in lab.disks.of(vm):
            cell = here.disk_cell(vm, disk.name)
            limit = float(lab.storage.limit[cell])
            disks.append({
                "name": disk.name, "uuid": disk.uuid, "size_bytes": disk.size_bytes,
                "datastore": here.store_object(disk.lun).id, "shares": float(lab.storage.shares[cell]),
                "iops_limit": limit if math.isfinite(limit) else -1,
            })  # fmt: skip
        return json.dumps(disks)

    def _host_object(self, number: int) -> TestObject:
        here, host = self._simulated, self._simulated.lab.cluster.hosts[number]
        facts: dict[str, Setting] = {
            "version": VERSION, "build": BUILD, "clock_offset_ms": 0.0, "connected": True,
            "in_maintenance": False, "cpu_model": _CPU_MODEL, "cores": float(host.cores),
            "cpu_mhz": float(host.mhz), "memory_bytes": float(host.mem_mb * _MB),
            "power_policy": "dynamic" if host.powersaving else "static", "sample_age_s": 0.0, "vmotion": True,
        }  # fmt: skip
        return TestObject(here.host_object(number), self.host(number), CLUSTER_ID, facts)

    def _cluster_object(self) -> TestObject:
        here, lab = self._simulated, self._simulated.lab
        space = lab.space[VSAN_LUN]
        facts: dict[str, Setting] = {
            "drs_enabled": True, "drs_behaviour": lab.drs.behaviour, "drs_rate": float(lab.drs.rate),
            "drs_recommendations": float(len(lab.recommendations)), "drs_imbalance": lab.imbalance(),
            "migrations": float(sum(one.kind == "vMotion" for one in lab.happenings)),
            "running_tasks": float(len(lab.migrations.open)), "vsan_type": "OSA", "vsan_all_flash": True,
            "vsan_dedup": True, "vsan_healthy": True, "vsan_resync_bytes": 0.0, "dedup_ratio": space.ratio,
            "dedup_percent": 100.0 * space.duplicates, "write_buffer_free_percent": 100.0 * space.destaged,
        }  # fmt: skip
        return TestObject(here.cluster_object(), self.cluster, "", facts)

    def _hit_percent(self, lun: int) -> float:
        """The share of the workers' reads that the cache serves now, in percent; of an idle one, that it
        would serve."""
        lab = self._simulated.lab
        own = (lab.index.disk_lun == lun) & lab.disks.owned
        reads = (lab.storage.iops * lab.physics.parameters.reads)[own]
        weights = reads if reads.sum() > 0 else np.ones(int(own.sum()))
        return float(100.0 * (lab.storage.hits[own] @ weights) / weights.sum()) if weights.size else 0.0

    def _store_object(self, lun: int) -> TestObject:
        here, lab = self._simulated, self._simulated.lab
        is_vsan, is_nfs = lun == VSAN_LUN, lun == NFS_LUN
        used = sum(disk.size_bytes for vm in lab.workers for disk in lab.disks.of(vm) if disk.lun == lun)
        others = ~np.isin(lab.index.disk_vm, lab.workers)
        here_now = (lab.index.disk_lun == lun) & (lab.storage.iops > 0)
        rate = lab.storage.iops
        hosts = " ".join(here.host_object(n).id for n in range(len(lab.cluster.hosts)))
        bystander = here_now & others
        facts: dict[str, Setting] = {
            "type": "vsan" if is_vsan else "NFS" if is_nfs else "VMFS",
            "capacity_bytes": float(_CAPACITY_BYTES), "free_bytes": float(_FREE_BYTES - used),
            "extents": 1.0, "hosts": hosts, "iorm_supported": not is_vsan,
            "iops": float(rate[here_now].sum()), "other_iops": float(rate[bystander].sum()),
            "bystanders": float(len(set(lab.index.disk_vm[bystander].tolist()))),
            "bystander_ms": float(lab.storage.guest_ms[bystander].max(initial=0.0)),
            "rdm_workers": 0.0, "running_tasks": 0.0,
            "hit_percent": self._hit_percent(lun), "cache_enabled": lun in lab.cached,
            "device": lab.cluster.luns[lun].name,
        }  # fmt: skip
        return TestObject(here.store_object(lun), self.datastore(lun), "", facts)
