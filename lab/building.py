"""Draws the lab's cluster from a seed: hosts, VMs, arrays and LUNs, and which of them have the
scenario's roles.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from lab.arrays import draw_storage, vsan_kind
from lab.core_speed import work_per_second
from lab.inventory import (
    FLASH_ARRAY,
    HYBRID_ARRAY,
    MOVED,
    NFS_LUN,
    NODES,
    POOLS,
    SHARED_LUNS,
    UPLINKS,
    VSAN_LUN,
    Cluster,
    Disk,
    Host,
    RoleMembers,
    Vm,
)
from lab.names import Names
from lab.placement import spread_disks
from lab.scenario import (
    CLUSTER_ROLE,
    STAGES,
    VCENTER_ROLE,
    LoadLevel,
    Range,
    Role,
    Scenario,
    Workers,
    Workload,
    Workloads,
)
from lab.worker_vms import QUIET_LUN, members_by_role, worker_vms

_HOST_MEMORY_GB = (32, 48, 64, 96, 128, 160, 192, 256, 384, 512, 768)
_QUIET_ROLE, _QUIET_CPU = "web", 0.02
"""What the other VMs beside workers do, and how busy they make a host."""
_MIN_BACKGROUND = 0.35
"""Of a host's load level, what is left at least to VMs that have no demand of their own from the scenario."""


def build_cluster(scenario: Scenario, workloads: Workloads, rng: np.random.Generator) -> Cluster:
    """Draw a cluster with all roles of the scenario. All randomness comes from ``rng``."""
    load: LoadLevel = scenario.load[int(rng.integers(len(scenario.load)))]
    builder = _Builder(scenario, workloads, rng, load)
    return builder.build()


class _Builder:
    """Draws one cluster; kept apart from the frozen result because casting changes VMs as it goes."""

    def __init__(
        self, scenario: Scenario, workloads: Workloads, rng: np.random.Generator, load: LoadLevel
    ) -> None:
        self.scenario = scenario
        self.site = scenario.site
        self.workloads = {role.name: role for role in workloads.role}
        self.rng = rng
        self.load = load
        self.level = workloads.load[load]
        self.names = Names(rng)
        self.cores = int(rng.choice(self.site.cores))
        self.stage_order = tuple(int(one) for one in rng.permutation(self.site.hosts))
        self.luns, self.arrays = draw_storage(self.site.storage, rng)
        self.vms: list[Vm] = []
        self.taken: set[int] = set()
        self.fixed: set[str] = set()
        self.settled: set[str] = set()
        self.placed: set[str] = set()

    def build(self) -> Cluster:
        workers = self.scenario.workers
        if workers is not None:
            self._add_workers(workers)
        per_host = 0 if workers is not None else self.site.per_host or 8 + self.cores // 3
        for host in range(self.site.hosts):
            crowd = self._crowd() if host == self.stage_order[0] else 0
            self.vms += [self._vm(host, self._role()) for _ in range(per_host)]
            self.vms += [self._vm(host, self.workloads["vdi"]) for _ in range(crowd)]
        picks = self._cast_all()
        staying = [vm for vm in self.vms if not vm.name.endswith(MOVED)]
        spread_disks(staying, self.luns, self.arrays, self.level.rate, self.placed)
        self.vms, moved = self._by_host(self.vms)
        cast = {
            name: RoleMembers(
                role, tuple(moved[one] for one in members) if role.kind in ("vm", "pool") else members
            )
            for name, (role, members) in picks.items()
        }
        if workers is not None:
            cast |= members_by_role(workers, self.vms)
        _number_groups(self.vms, self.rng)
        hosts = tuple(self._host(index) for index in range(self.site.hosts))
        return Cluster(
            hosts=self._scaled(hosts), vms=tuple(self.vms), luns=self.luns, arrays=self.arrays, cast=cast,
            uplink_mbps=int(self.rng.choice(self.site.uplink_mbps)),
            queue_depth=int(self.rng.choice(self.site.depth)), load=self.load, rate=self.level.rate,
            start_ms=self._start(), worlds_seed=int(self.rng.integers(2**31)),
            vsan=vsan_kind(self.site.storage),
        )  # fmt: skip

    def _add_workers(self, workers: Workers) -> None:
        self.vms += worker_vms(workers)
        for vm in self.vms:
            self.fixed.add(vm.name)
            self.placed.add(vm.name)
        quiet = self.workloads[_QUIET_ROLE]
        others = [self._vm(host, quiet) for host in range(self.site.hosts) for _ in range(workers.background)]
        for vm in others:
            self.placed.add(vm.name)
            vm.disks = [replace(disk, lun=QUIET_LUN) for disk in vm.disks]
        self.vms += others

    def _crowd(self) -> int:
        low, high = self.site.crowd
        return int(self.rng.integers(low, high + 1))

    def _start(self) -> int:
        """A whole second in 2026, at any hour."""
        return (1_767_225_600 + int(self.rng.integers(300 * 86_400))) * 1000

    def _role(self) -> Workload:
        wanted = self.site.workloads
        roles = [role for role in self.workloads.values() if not wanted or role.name in wanted]
        weights = np.array([float(role.weight or bool(wanted)) for role in roles])
        return roles[int(self.rng.choice(len(roles), p=weights / weights.sum()))]

    def draw(self, span: Range) -> float:
        """A number from a range, uniformly."""
        return float(self.rng.uniform(*span))

    def _host(self, index: int) -> Host:
        role = self.stage_order.index(index)
        used = sum(vm.mem_mb * 1.02 for vm in self.vms if vm.host == index)
        headroom = self.draw(self.site.headroom) if role == 0 else self.draw((1.3, 1.7))
        policy = self.site.policy
        saving = bool(self.rng.random() < 0.5) if policy == "any" else policy == "balanced"
        mem_mb = used * headroom
        if headroom >= 1.3:
            mem_mb = min((gb * 1024 for gb in _HOST_MEMORY_GB if gb * 1024 >= mem_mb), default=mem_mb)
        mem_mb = int(mem_mb - self.rng.integers(12, 60))
        tiers = self.site.tiering
        return Host(
            name=f"esx{index + 1:02d}.lab.local", cores=self.cores,
            mhz=(2100, 2300, 2400, 2600)[self.cores % 4],
            mem_mb=mem_mb, powersaving=saving, dram_mb=mem_mb / (1.0 + tiers) if tiers else 0.0,
            host_cache=self.site.host_cache and role == 0,
            balloon_most=self.site.balloon_most if role == 0 else 0.65, threads=self.site.threads,
        )  # fmt: skip

    def _scaled(self, hosts: Sequence[Host]) -> tuple[Host, ...]:
        """Scale each host's CPU demand to the load level. VMs that are cast with a demand keep it; the others
        have what they leave of the level, but no less than a part of it.
        """
        for index, host in enumerate(hosts):
            level = self.draw(self.level.cpu) if self.scenario.workers is None else _QUIET_CPU
            target = level * host.pcpus * work_per_second(level, powersaving=host.powersaving)
            here = [vm for vm in self.vms if vm.host == index and not vm.name.endswith(MOVED)]
            mine = [vm for vm in here if vm.name not in self.fixed]
            cast = sum(vm.cpu * vm.vcpus for vm in here if vm.name in self.fixed)
            target = max(target - cast, _MIN_BACKGROUND * target)
            total = sum(vm.cpu * vm.vcpus for vm in mine)
            for vm in mine:
                vm.cpu = min(0.5, vm.cpu * target / total)
        self._alike_where_they_move()
        return tuple(hosts)

    def _alike_where_they_move(self) -> None:
        """A VM that moves has the load and the disks there that it has here."""
        before = {vm.name: vm for vm in self.vms}
        for vm in self.vms:
            if vm.name.endswith(MOVED):
                same = before[vm.shown_name]
                vm.cpu, vm.disks = same.cpu, list(same.disks)

    def _vm(self, host: int, work: Workload) -> Vm:
        rng = self.rng
        vcpus = int(rng.choice(work.vcpus))
        uneven = float(rng.lognormal(0.0, 0.25))
        lun = int(rng.integers(SHARED_LUNS))
        return Vm(
            name=self.names.take(work.name), host=host, workload=work, vcpus=vcpus,
            mem_mb=float(rng.choice(work.mem_gb)) * 1024.0, cpu=work.cpu * uneven,
            touched=self.draw(work.touched), active=work.active * float(rng.lognormal(0.0, 0.2)),
            tx=work.tx * float(rng.lognormal(0.0, 0.4)), rx=work.rx * float(rng.lognormal(0.0, 0.4)),
            disks=self._disks(work, lun), node=int(rng.integers(NODES)),
            pool=int(rng.choice(len(POOLS), p=(0.6, 0.2, 0.2))), uplink=2 + int(rng.integers(2)),
        )  # fmt: skip

    def _disks(self, work: Workload, lun: int) -> list[Disk]:
        """A quiet system disk, and for I/O-heavy roles a busy data disk; some lie on NFS."""
        rng = self.rng
        iops = work.iops * float(rng.lognormal(0.0, 0.3))
        if self.site.storage == "nfs":
            return [Disk("scsi0:0", NFS_LUN, iops, work.io_kb, work.read_share, work.outstanding)]
        if vsan_kind(self.site.storage):
            return [
                Disk("scsi0:0", VSAN_LUN, iops * 0.1, 8.0, 0.4, 32.0),
                Disk("scsi0:1", VSAN_LUN, iops * 0.9, work.io_kb, work.read_share, work.outstanding),
            ]
        if work.iops < 40:
            on_nfs = rng.random() < 0.12
            where = NFS_LUN if on_nfs else lun
            return [Disk("scsi0:0", where, iops, work.io_kb, work.read_share, work.outstanding)]
        data = int(rng.integers(SHARED_LUNS))
        return [
            Disk("scsi0:0", lun, iops * 0.1, 8.0, 0.4, 32.0),
            Disk("scsi0:1", data, iops * 0.9, work.io_kb, work.read_share, work.outstanding),
        ]

    def _cast_all(self) -> dict[str, tuple[Role, tuple[int, ...]]]:
        picks: dict[str, tuple[Role, tuple[int, ...]]] = {}
        picks[CLUSTER_ROLE] = (Role("cluster"), (0,))
        picks[VCENTER_ROLE] = (Role("vcenter"), (0,))
        for position, name in enumerate(STAGES[: self.site.hosts]):
            picks[name] = (Role("host", on=name), (self.stage_order[position],))
        order = {"device": 0, "datastore": 0, "array": 1, "nic": 1, "pool": 3}
        for name, role in sorted(self.scenario.cast.items(), key=lambda item: order.get(item[1].kind, 2)):
            picks[name] = (role, self._cast(role, picks))
        return picks

    def _cast(self, role: Role, picks: Mapping[str, tuple[Role, tuple[int, ...]]]) -> tuple[int, ...]:
        host = self.stage_order[STAGES.index(role.on)]
        if role.kind == "vm":
            return self._cast_vms(role, host, picks)
        if role.kind == "device":
            busy = {members[0] for one, members in picks.values() if one.kind == "device"}
            choice = [n for n, lun in enumerate(self.luns[:SHARED_LUNS]) if lun.array == _array(role)]
            return (int(self.rng.choice([n for n in choice if n not in busy])),)
        alone = {
            "array": _array(role), "vsan_disk": host,
            "datastore": VSAN_LUN if vsan_kind(self.site.storage) else NFS_LUN,
        }  # fmt: skip
        if role.kind in alone:
            return (alone[role.kind],)
        if role.kind == "nic":
            return (host * UPLINKS + int(self.rng.choice(role.uplink or (2, 3))),)
        pool = POOLS.index(role.pool)
        return tuple(n for n, vm in enumerate(self.vms) if vm.host == host and vm.pool == pool)

    def _cast_vms(
        self, role: Role, host: int, picks: Mapping[str, tuple[Role, tuple[int, ...]]]
    ) -> tuple[int, ...]:
        if role.moved_from:
            return self._moved_vms(role, host, picks)
        count = int(self.rng.integers(role.count[0], role.count[1] + 1))
        free = [n for n, vm in enumerate(self.vms) if vm.host == host and n not in self.taken]
        if role.extra or len(free) < count:
            self.vms += [self._vm(host, self._role()) for _ in range(count)]
            free = list(range(len(self.vms) - count, len(self.vms)))
        members = tuple(int(one) for one in self.rng.permutation(free)[:count])
        self.taken.update(members)
        for member in members:
            self.vms[member] = self._configured(self.vms[member], role, picks)
        return members

    def _moved_vms(
        self, role: Role, host: int, picks: Mapping[str, tuple[Role, tuple[int, ...]]]
    ) -> tuple[int, ...]:
        """The VMs of an earlier role once more, as they are on another host."""
        members = picks[role.moved_from][1]
        first = len(self.vms)
        for member in members:
            vm = self.vms[member]
            self.vms.append(replace(vm, name=vm.name + MOVED, host=host, disks=list(vm.disks)))
            for names in (self.fixed, self.placed, self.settled):
                if vm.name in names:
                    names.add(vm.name + MOVED)
        self.taken.update(range(first, len(self.vms)))
        return tuple(range(first, len(self.vms)))

    def _configured(self, vm: Vm, role: Role, picks: Mapping[str, tuple[Role, tuple[int, ...]]]) -> Vm:
        if role.workload:
            vm = self._vm(vm.host, self.workloads[role.workload])
        self._configure_cpu(vm, role)
        self._configure_memory(vm, role)
        if role.disk_on:
            lun = picks[role.disk_on][1][0]
            self.placed.add(vm.name)
            vm.disks = [
                Disk(one.slot, lun, one.iops, one.io_kb, one.read_share, one.outstanding) for one in vm.disks
            ]
        if role.ring is not None:
            vm.ring = role.ring
        vm.snapshots = role.snapshots
        if role.uplink:
            vm.uplink = int(self.rng.choice(role.uplink))
        if role.pool:
            vm.pool = POOLS.index(role.pool)
        return vm

    def _configure_cpu(self, vm: Vm, role: Role) -> None:
        if role.vcpus:
            vm.vcpus = int(self.rng.choice(role.vcpus))
        if role.cpu is not None:
            vm.cpu = self.draw(role.cpu)
            self.fixed.add(vm.name)
        if role.cpu_shares is not None:
            vm.shares = role.cpu_shares
        if role.cpu_limit is not None:
            vm.limit_share = self.draw(role.cpu_limit)
        if role.cpu_reservation is not None:
            vm.cpu_reservation = self.draw(role.cpu_reservation)
        if role.node is not None:
            vm.node, vm.node_bound = role.node, True
            self.settled.add(vm.name)
        vm.pinned = role.pcpus
        if vm.pinned:
            vm.node = NODES - 1
            self.settled.add(vm.name)

    def _configure_memory(self, vm: Vm, role: Role) -> None:
        if role.mem_gb:
            vm.mem_mb = float(self.rng.choice(role.mem_gb)) * 1024.0
        for name in ("touched", "active", "mem_limit", "mem_reservation", "swapped", "hot", "balloon"):
            span: Range | None = getattr(role, name)
            if span is not None:
                setattr(vm, name, self.draw(span))
        if role.tools is not None:
            vm.tools = role.tools
        if role.compressible is not None:
            vm.compressible = role.compressible

    def _by_host(self, vms: Sequence[Vm]) -> tuple[list[Vm], dict[int, int]]:
        """VMs sorted by host, with old position → new; wide VMs span nodes, the others are spread evenly."""
        order = sorted(range(len(vms)), key=lambda n: (vms[n].host, n))
        loads = np.zeros((self.site.hosts, NODES))
        by_size = sorted(vms, key=lambda vm: (vm.name not in self.settled, -vm.vcpus * vm.cpu))
        for vm in by_size:
            if vm.name in self.settled:
                loads[vm.host, vm.node] += vm.vcpus * vm.cpu
            elif vm.vcpus > self.cores // NODES + 2:
                vm.node = -1
            else:
                vm.node = int(np.argmin(loads[vm.host]))
                loads[vm.host, vm.node] += vm.vcpus * vm.cpu
        return [vms[n] for n in order], {old: new for new, old in enumerate(order)}


def _array(role: Role) -> int:
    return FLASH_ARRAY if role.array == "flash" else HYBRID_ARRAY


def _number_groups(vms: Sequence[Vm], rng: np.random.Generator) -> None:
    """Group and world ids as ESXi hands them out: rising, in the order in which VMs were powered on."""
    group, world = int(rng.integers(20_000, 60_000)), int(rng.integers(2_100_000, 2_300_000))
    for vm in vms:
        group += int(rng.integers(20, 900))
        world += 24 + vm.vcpus + int(rng.integers(0, 3000))
        vm.group_id, vm.cartel = group, world
