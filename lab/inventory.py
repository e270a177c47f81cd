"""The objects of the lab's cluster: hosts, VMs, arrays, LUNs, uplinks, and which of them have which role."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from lab.scenario import LoadLevel, Role, Workload

VsanKind = Literal["hybrid", "flash", "express"]
CORE_THREADS = 2
NODES = 2
UPLINKS = 4
VSAN_UPLINK = 2
"""The vmnic of each host that carries vSAN; the next one stands by."""
NORMAL_SHARES = 1000
"""CPU shares per vCPU of a VM at "normal"."""
MOVED = " (moved)"
"""What the lab's own name of a VM on the host that it moves to ends with."""
POOLS = ("Production", "Test", "Infrastructure")
POOL_SHARES = (8000.0, 4000.0, 4000.0)


@dataclass(frozen=True, slots=True)
class Host:
    """An ESXi host. ``mhz`` is the nominal core frequency; ``mem_mb`` the machine memory, of which
    ``dram_mb`` is DRAM and the rest NVMe (0: all of it is DRAM).
    """

    name: str
    cores: int
    mhz: int
    mem_mb: int
    powersaving: bool
    host_cache: bool
    balloon_most: float
    threads: int = CORE_THREADS
    dram_mb: float = 0.0

    @property
    def pcpus(self) -> int:
        """The number of logical processors: one for each hyper-thread of a core."""
        return self.cores * self.threads


@dataclass(frozen=True, slots=True)
class Disk:
    """A virtual disk. ``lun`` is the position in ``Cluster.luns``; ``iops`` the rate at normal load."""

    slot: str
    lun: int
    iops: float
    io_kb: float
    read_share: float
    outstanding: float


@dataclass(slots=True)
class Vm:
    """A VM: its configuration, and its usual load.

    Limits and reservations are fractions of its size; without one they are infinity and 0. ``swapped`` and
    ``balloon`` are fractions of memory at the start, ``hot`` the fraction of swapped memory that the guest
    uses.
    """

    name: str
    host: int
    workload: Workload
    vcpus: int
    mem_mb: float
    cpu: float
    touched: float
    active: float
    tx: float
    rx: float
    disks: list[Disk]
    node: int
    pool: int
    uplink: int
    shares: float = NORMAL_SHARES
    limit_share: float = np.inf
    cpu_reservation: float = 0.0
    mem_limit: float = np.inf
    mem_reservation: float = 0.0
    tools: bool = True
    ring: int = 1024
    pinned: int = 0
    swapped: float = 0.0
    hot: float = 0.0
    balloon: float = 0.0
    node_bound: bool = False
    compressible: float = 0.5
    snapshots: int = 0
    group_id: int = 0
    cartel: int = 0

    @property
    def shown_name(self) -> str:
        """The name that everybody sees: a VM that moves is two of the lab, one on each host."""
        return self.name.removesuffix(MOVED)

    @property
    def wide(self) -> bool:
        """True if the VM has more vCPUs than comfortably fit a NUMA node, so that it spans two nodes."""
        return self.node < 0


@dataclass(frozen=True, slots=True)
class Lun:
    """A storage device. Shared LUNs have an ``array``; a local one is on each host's own adapter and disk.
    vSAN's datastore is none of esxtop's devices.
    """

    name: str
    array: int
    target: int
    nfs: bool = False
    vsan: bool = False


@dataclass(frozen=True, slots=True)
class Array:
    """A storage array: its LUNs share ``iops`` (8 KB reads a second); ``read_ms`` and ``write_ms`` are its
    latencies when idle.
    """

    name: str
    iops: float
    read_ms: float
    write_ms: float
    stream_mbps: float


@dataclass(frozen=True, slots=True)
class RoleMembers:
    """The objects that have a role: indices into the lists of the cluster. A nic is (host, uplink)."""

    role: Role
    members: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Cluster:
    """Everything that the seed determines before the first tick."""

    hosts: tuple[Host, ...]
    vms: tuple[Vm, ...]
    luns: tuple[Lun, ...]
    arrays: tuple[Array, ...]
    cast: Mapping[str, RoleMembers]
    uplink_mbps: int
    queue_depth: int
    load: LoadLevel
    rate: float
    start_ms: int
    worlds_seed: int
    vsan: VsanKind | None = None


SHARED_LUNS = 7
NFS_LUN = 7
LOCAL_LUN = 8
CDROM_LUN = 9
VSAN_LUN = 10
"""vSAN's datastore, of clusters that have one."""
HYBRID_ARRAY, FLASH_ARRAY, NFS_ARRAY, LOCAL_ARRAY, CDROM_ARRAY, VSAN_ARRAY = range(6)
