"""The parameters of the physics: the load on the cluster and its configuration, as arrays.

Injections change parameters; every counter follows from them. No parameter is itself a symptom.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lab.grouping import run_sums
from lab.inventory import POOLS, UPLINKS, Cluster
from sessions.model import FloatArray, IntArray

BoolArray = NDArray[np.bool_]
_VSAN_DEPTH = 16_384.0
"""Commands that vSAN takes before they wait in the kernel: more than VMs ever send."""
_VSAN_WORKING_SET_GB = 500.0
_KERNEL_UPLINK_MBPS = 1000.0
"""Speed of vmnic0 and vmnic1, which carry the vmkernel's traffic."""


@dataclass(frozen=True, slots=True)
class Index:
    """Which vCPU, disk and port belongs to which VM and host; all sorted by host, then VM.

    ``vcpu_vm``, ``disk_vm`` … are positions of the owner; ``vcpu_start`` is where each VM's vCPUs begin.
    ``disk_lun`` are positions in ``Cluster.luns``.
    """

    hosts: int
    vms: int
    luns: int
    vcpu_vm: IntArray
    vcpu_start: IntArray
    vcpu_host: IntArray
    vcpus: FloatArray
    vm_host: IntArray
    vm_start: IntArray
    disk_vm: IntArray
    disk_start: IntArray
    disk_host: IntArray
    disk_lun: IntArray

    @staticmethod
    def of(cluster: Cluster) -> Index:
        """Build the index of a cluster."""
        vms = cluster.vms
        counts = np.array([vm.vcpus for vm in vms])
        disks = np.array([len(vm.disks) for vm in vms])
        vm_host = np.array([vm.host for vm in vms])
        vcpu_vm = np.repeat(np.arange(len(vms)), counts)
        disk_vm = np.repeat(np.arange(len(vms)), disks)
        return Index(
            hosts=len(cluster.hosts), vms=len(vms), luns=len(cluster.luns), vcpu_vm=vcpu_vm,
            vcpu_start=np.cumsum(counts) - counts, vcpu_host=vm_host[vcpu_vm],
            vcpus=counts.astype(float), vm_host=vm_host,
            vm_start=np.searchsorted(vm_host, np.arange(len(cluster.hosts))), disk_vm=disk_vm,
            disk_start=np.cumsum(disks) - disks, disk_host=vm_host[disk_vm],
            disk_lun=np.array([disk.lun for vm in vms for disk in vm.disks]),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Parameters:
    """Every outside influence on the physics; arrays are written in place by injections.

    Per vCPU: ``demand`` share of a core at usual activity, ``spin`` share of time that loops take whatever
    the activity and the speed, ``blocked`` share of time stuck in the kernel, ``system`` share of time that
    the VMkernel works for it beside its usual I/O.

    Per VM: ``limit`` cores, ``shares`` per vCPU, ``activity`` factor; ``touch`` and ``active`` shares of
    memory, ``mem_limit`` share, ``zero`` share that holds zeros; ``tx``/``rx`` Mbit/s, ``packet`` bytes,
    ``burst`` packets that arrive back to back, ``ring`` receive buffers, ``shape`` Mbit/s, ``single_queue``
    (1 if vCPU 0 alone takes packets in); ``away`` (1 while it does not run on its host); ``remote`` share of
    memory on another NUMA node (NaN: as the VM happens to lie), ``rebalances`` moves to another home node a
    second.

    Per disk: ``iops``, ``io_kb``, ``reads`` share, ``outstanding`` I/Os, ``timeout`` seconds, ``iops_limit``,
    ``chain`` files of snapshots that are searched before the disk itself, ``first_writes`` share of writes
    that go to blocks which nobody has written before.

    Per host: ``frequency`` factor, ``parked`` share of PCPUs, ``power_cap`` watts (0 none), ``kernel`` share
    of all PCPUs, ``down`` (1 while it has failed), ``variability`` of arrivals, ``vmk_tx``/``vmk_rx`` Mbit/s
    of the VMkernel through uplink ``vmk_uplink``, ``ft_tx`` Mbit/s of fault-tolerance logging through the
    same, ``hba_depth`` commands.

    Per array: ``capacity`` factor, ``read_ms``, ``write_ms``. Per host and LUN: ``depth``, ``loss`` of
    commands, ``dead`` share that is never answered, ``conflicts`` share that meets another host's
    reservation, ``second_path`` share that takes the second path, ``path_ms`` how much longer that takes,
    ``network_ms`` how long each command is under way beside.
    Per LUN: ``sioc_ms``, the threshold of Storage I/O Control (0: off). Per uplink: ``rx_loss``, ``speed``
    Mbit/s, ``frame_errors`` share of frames. Per host and pool: ``pool_limit`` cores, ``pool_memory`` MB.
    vSAN: ``vsan_working_set`` GB that VMs read, ``vsan_resync`` MB/s that are copied (one cell each); per
    host ``vsan_destage`` and ``vsan_log_drain``, factors of how fast buffer and log empty, ``vsan_loss``
    share of packets that get lost on the way to it, ``vsan_hot`` share of its reads that are of one block,
    ``vsan_slow_ms`` how much longer one of its disks takes.
    ``paused`` (one cell) is whether the collector sleeps.
    """

    demand: FloatArray
    spin: FloatArray
    blocked: FloatArray
    limit: FloatArray
    shares: FloatArray
    activity: FloatArray
    touch: FloatArray
    active: FloatArray
    mem_limit: FloatArray
    zero: FloatArray
    tx: FloatArray
    rx: FloatArray
    packet: FloatArray
    burst: FloatArray
    ring: FloatArray
    shape: FloatArray
    iops: FloatArray
    io_kb: FloatArray
    reads: FloatArray
    outstanding: FloatArray
    timeout: FloatArray
    frequency: FloatArray
    parked: FloatArray
    power_cap: FloatArray
    kernel: FloatArray
    variability: FloatArray
    vmk_tx: FloatArray
    vmk_rx: FloatArray
    vmk_uplink: FloatArray
    hba_depth: FloatArray
    capacity: FloatArray
    read_ms: FloatArray
    write_ms: FloatArray
    depth: FloatArray
    loss: FloatArray
    rx_loss: FloatArray
    pool_limit: FloatArray
    pool_memory: FloatArray
    paused: FloatArray
    system: FloatArray
    remote: FloatArray
    rebalances: FloatArray
    single_queue: FloatArray
    iops_limit: FloatArray
    chain: FloatArray
    first_writes: FloatArray
    dead: FloatArray
    conflicts: FloatArray
    second_path: FloatArray
    path_ms: FloatArray
    sioc_ms: FloatArray
    ft_tx: FloatArray
    speed: FloatArray
    frame_errors: FloatArray
    away: FloatArray
    down: FloatArray
    network_ms: FloatArray
    vsan_working_set: FloatArray
    vsan_resync: FloatArray
    vsan_destage: FloatArray
    vsan_log_drain: FloatArray
    vsan_loss: FloatArray
    vsan_hot: FloatArray
    vsan_slow_ms: FloatArray

    @staticmethod
    def of(cluster: Cluster, index: Index, rng: np.random.Generator) -> Parameters:
        """Return the parameters of a cluster as the seed drew them, before any injection."""
        vms, hosts = cluster.vms, cluster.hosts
        disks = [disk for vm in vms for disk in vm.disks]
        rate = cluster.rate
        depth = np.full((len(hosts), len(cluster.luns)), float(cluster.queue_depth))
        for position, lun in enumerate(cluster.luns):
            if lun.array >= 3:
                depth[:, position] = 31.0
            elif lun.nfs:
                depth[:, position] = 256.0
            if lun.vsan:
                depth[:, position] = _VSAN_DEPTH
        return Parameters(
            demand=_demand(cluster, index, rng),
            spin=np.zeros(len(index.vcpu_vm)), blocked=np.zeros(len(index.vcpu_vm)),
            limit=np.array([vm.limit_share * vm.vcpus for vm in vms]),
            shares=np.array([vm.shares for vm in vms]), activity=np.ones(len(vms)),
            touch=np.array([vm.touched for vm in vms]), active=np.array([vm.active for vm in vms]),
            mem_limit=np.array([vm.mem_limit for vm in vms]),
            zero=np.zeros(len(vms)),
            tx=np.array([vm.tx * rate for vm in vms]), rx=np.array([vm.rx * rate for vm in vms]),
            packet=np.array([vm.workload.packet for vm in vms]), burst=np.full(len(vms), 40.0),
            ring=np.array([float(vm.ring) for vm in vms]), shape=np.full(len(vms), np.inf),
            iops=np.array([disk.iops * rate for disk in disks]),
            io_kb=np.array([disk.io_kb for disk in disks]),
            reads=np.array([disk.read_share for disk in disks]),
            outstanding=np.array([disk.outstanding for disk in disks]),
            timeout=np.where(rng.random(len(disks)) < 0.6, 60.0, 30.0),
            frequency=np.ones(len(hosts)), parked=np.zeros(len(hosts)), power_cap=np.zeros(len(hosts)),
            kernel=rng.uniform(0.006, 0.014, len(hosts)), variability=np.ones(len(hosts)),
            vmk_tx=rng.uniform(0.5, 4.0, len(hosts)), vmk_rx=rng.uniform(0.5, 4.0, len(hosts)),
            vmk_uplink=np.zeros(len(hosts)), hba_depth=np.full(len(hosts), 2 * 2176.0),
            capacity=np.ones(len(cluster.arrays)),
            read_ms=np.array([array.read_ms for array in cluster.arrays]),
            write_ms=np.array([array.write_ms for array in cluster.arrays]),
            depth=depth, loss=np.zeros((len(hosts), len(cluster.luns))),
            rx_loss=np.zeros(len(hosts) * UPLINKS),
            pool_limit=np.full(len(hosts) * len(POOLS), np.inf),
            pool_memory=np.full(len(hosts) * len(POOLS), np.inf),
            paused=np.zeros(1),
            system=np.zeros(len(index.vcpu_vm)), remote=np.full(len(vms), np.nan),
            rebalances=np.zeros(len(vms)), single_queue=np.zeros(len(vms)),
            iops_limit=np.full(len(disks), np.inf), chain=np.zeros(len(disks)),
            first_writes=np.zeros(len(disks)),
            dead=np.zeros_like(depth), conflicts=np.zeros_like(depth), second_path=np.full_like(depth, 0.5),
            path_ms=np.zeros_like(depth), sioc_ms=np.zeros(len(cluster.luns)), ft_tx=np.zeros(len(hosts)),
            speed=_link_speeds(cluster), frame_errors=np.zeros(len(hosts) * UPLINKS),
            away=np.zeros(len(vms)), down=np.zeros(len(hosts)),
            network_ms=np.zeros_like(depth),
            vsan_working_set=np.full(1, _VSAN_WORKING_SET_GB), vsan_resync=np.zeros(1),
            vsan_destage=np.ones(len(hosts)), vsan_log_drain=np.ones(len(hosts)),
            vsan_loss=np.zeros(len(hosts)), vsan_hot=np.zeros(len(hosts)), vsan_slow_ms=np.zeros(len(hosts)),
        )  # fmt: skip


def _link_speeds(cluster: Cluster) -> FloatArray:
    """Mbit/s of each uplink: vmnic0 and vmnic1 carry the VMkernel's traffic, the others the VMs'."""
    count = len(cluster.hosts) * UPLINKS
    fast = np.arange(count) % UPLINKS >= 2
    speed: FloatArray = np.where(fast, float(cluster.uplink_mbps), _KERNEL_UPLINK_MBPS)
    return speed


def _demand(cluster: Cluster, index: Index, rng: np.random.Generator) -> FloatArray:
    """Each VM's mean demand spread unevenly over its vCPUs, as guests' schedulers do."""
    mean = np.array([vm.cpu for vm in cluster.vms])[index.vcpu_vm]
    uneven = np.array([vm.workload.busy for vm in cluster.vms])[index.vcpu_vm]
    demand = mean * np.exp(uneven * rng.standard_normal(len(mean)))
    total = run_sums(demand, index.vcpu_start)
    wanted = np.array([vm.cpu for vm in cluster.vms]) * index.vcpus
    spread: FloatArray = np.minimum(demand * (wanted / total)[index.vcpu_vm], 0.8)
    return spread


@dataclass(frozen=True, slots=True)
class LabState:
    """The input of each tick, which injections and actions change while the lab runs.

    The arrays of ``parameters`` are written in place, and the next tick reads them.

    ``cluster`` is the configuration as drawn, ``index`` the relations between the arrays. Cells that an
    injection changes are written by it before each tick.
    """

    cluster: Cluster
    index: Index
    parameters: Parameters
