"""What the lab's cluster is made of: hosts, VMs, arrays, LUNs, uplinks, and who plays which part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from lab.scenario import LoadLevel, Role, Workload

CORE_THREADS = 2
NODES = 2
UPLINKS = 4
NORMAL_SHARES = 1000
"""CPU shares per vCPU of a VM at "normal"."""
POOLS = ("Production", "Test", "Infrastructure")
POOL_SHARES = (8000.0, 4000.0, 4000.0)


@dataclass(frozen=True, slots=True)
class Host:
    """An ESXi host. ``mhz`` is the nominal core frequency; ``mem_mb`` what the machine has."""

    name: str
    cores: int
    mhz: int
    mem_mb: int
    powersaving: bool
    host_cache: bool
    balloon_most: float

    @property
    def pcpus(self) -> int:
        """Logical processors: two hyper-threads a core."""
        return self.cores * CORE_THREADS


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
    """A VM as it is configured, and what it does at its usual load.

    Limits and reservations are shares of its size, absent as infinity and 0. ``swapped``, ``balloon`` are
    shares of memory at the start, ``hot`` the share of what is swapped that the guest uses.
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
    def wide(self) -> bool:
        """Whether the VM has more vCPUs than fit a NUMA node with comfort, so that it spans both."""
        return self.node < 0


@dataclass(frozen=True, slots=True)
class Lun:
    """A device. Shared LUNs have an ``array``; local ones are on each host's own adapter and disk."""

    name: str
    array: int
    target: int
    nfs: bool = False


@dataclass(frozen=True, slots=True)
class Array:
    """Something that serves I/O: its LUNs share ``iops`` (8 KB reads); ``read_ms``/``write_ms`` when idle."""

    name: str
    iops: float
    read_ms: float
    write_ms: float
    stream_mbps: float


@dataclass(frozen=True, slots=True)
class Cast:
    """Who plays a role: indices into the lists of the cluster. A nic is (host, uplink)."""

    role: Role
    members: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Cluster:
    """Everything that a seed fixes before time starts."""

    hosts: tuple[Host, ...]
    vms: tuple[Vm, ...]
    luns: tuple[Lun, ...]
    arrays: tuple[Array, ...]
    cast: Mapping[str, Cast]
    uplink_mbps: int
    queue_depth: int
    load: LoadLevel
    rate: float
    start_ms: int
    worlds_seed: int


SHARED_LUNS = 7
NFS_LUN = 7
LOCAL_LUN = 8
CDROM_LUN = 9
HYBRID_ARRAY, FLASH_ARRAY, NFS_ARRAY, LOCAL_ARRAY, CDROM_ARRAY = range(5)
