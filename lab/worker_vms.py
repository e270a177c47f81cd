"""The VMs of a scenario that do the load of tests: equal ones, spread over the hosts as the scenario says."""

from __future__ import annotations

from lab.inventory import Disk, RoleMembers, Vm
from lab.scenario import Role, Workers, Workload

WORKER = "worker"
"""The name of these VMs' workload."""
SYSTEM_SLOT, DATA_SLOT = "scsi0:0", "scsi0:1"
_ROLES = {"H": "heavy", "L": "light"}
_DATASTORE_LUN = 0
QUIET_LUN = 3
"""Where VMs that are no workers have their disks: a test on another datastore is none of their business."""
_PORT = 2
_WORKLOAD = Workload(
    name=WORKER, weight=0, vcpus=(4,), mem_gb=(5,), cpu=0.02, busy=0.0, iops=0.0, io_kb=8.0, read_share=0.7,
    outstanding=1.0, tx=0.2, rx=0.2, packet=500.0, touched=(0.6, 0.6), active=0.1,
)  # fmt: skip


def worker_vms(workers: Workers) -> list[Vm]:
    """Return the VMs, numbered across the hosts: the first of each host, then the second of each."""
    vms: list[Vm] = []
    for place in range(max(len(host) for host in workers.placement)):
        for host, profiles in enumerate(workers.placement):
            if place < len(profiles):
                vms.append(_vm(f"{workers.name}-{len(vms) + 1:02d}", host, workers))
    return vms


def members_by_role(workers: Workers, vms: list[Vm]) -> dict[str, RoleMembers]:
    """Return who plays ``workers``, ``heavy`` and ``light`` among the cluster's VMs."""
    found = {name: n for n, vm in enumerate(vms) if vm.workload.name == WORKER for name in [vm.name]}
    mine = [found[vm.name] for vm in worker_vms(workers)]
    letters = [
        profiles[place]
        for place in range(max(len(host) for host in workers.placement))
        for profiles in workers.placement
        if place < len(profiles)
    ]
    cast = {"workers": RoleMembers(Role("vm"), tuple(mine))}
    for letter, role in _ROLES.items():
        members = tuple(n for n, one in zip(mine, letters, strict=True) if one == letter)
        cast[role] = RoleMembers(Role("vm"), members)
    return cast


def _vm(name: str, host: int, workers: Workers) -> Vm:
    slots = [SYSTEM_SLOT, DATA_SLOT, *(f"scsi1:{n}" for n in range(workers.spare_disks))]
    return Vm(
        name=name, host=host, workload=_WORKLOAD, vcpus=workers.vcpus, mem_mb=workers.mem_gb * 1024.0,
        cpu=_WORKLOAD.cpu, touched=0.6, active=0.1, tx=_WORKLOAD.tx, rx=_WORKLOAD.rx,
        disks=[Disk(slot, _DATASTORE_LUN, 0.0, 8.0, 0.7, 1.0) for slot in slots],
        node=0, pool=0, uplink=_PORT,
    )  # fmt: skip
