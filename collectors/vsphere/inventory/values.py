"""Plain values of the properties that are read: the part of a vSphere data object that is used here."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias


class Ref(NamedTuple):
    """A managed object reference."""

    type: str
    moid: str


class Allocation(NamedTuple):
    """Limit, reservation and shares of CPU (MHz) or memory (MB); ``limit`` None is unlimited."""

    limit: float | None
    reservation: float | None
    shares: float | None


class Disk(NamedTuple):
    """A virtual disk.

    ``slot`` is its instance name in counters (``scsi0:1``), ``datastore`` a moid or empty, ``chain`` the
    number of files that a read may go through: 1 without a snapshot; ``key`` the device's key in its VM.
    """

    slot: str
    controller: str
    datastore: str
    shares: float | None
    limit_iops: float | None
    mode: str
    chain: float = 1.0
    key: str = ""
    uuid: str = ""


class VirtualNic(NamedTuple):
    """A VM's network adapter. ``network`` is a name, ``portgroup`` the moid of a distributed port group."""

    key: str
    label: str
    type: str
    network: str
    portgroup: str
    mac: str = ""


class Devices(NamedTuple):
    """The virtual disks and network adapters of a VM."""

    disks: tuple[Disk, ...]
    nics: tuple[VirtualNic, ...]


class Snapshots(NamedTuple):
    """A VM's snapshots: their number, the time of the oldest as the server writes it, all names."""

    number: int
    oldest: str
    names: tuple[str, ...]


class Lun(NamedTuple):
    """A SCSI device of a host. ``is_memory_tier``: the host uses it as memory, not to store on."""

    name: str
    queue_depth: float | None
    vendor: str
    model: str
    local: bool | None
    ssd: bool | None = None
    protocol: str = ""
    is_memory_tier: bool = False


class Adapter(NamedTuple):
    """A host bus adapter."""

    name: str
    driver: str
    model: str


class Path(NamedTuple):
    """A storage path. ``runtime`` is the name that esxtop shows: ``vmhba1:C0:T0:L0``; ``device`` is the name
    of the device that it leads to, or empty, ``policy`` how the host chooses among that device's paths
    (``VMW_PSP_RR``), or empty.
    """

    runtime: str
    name: str
    state: str
    device: str = ""
    policy: str = ""


class PhysicalNic(NamedTuple):
    """A physical NIC (uplink); ``speed_mbps`` and ``is_full_duplex`` are None while its link is down. ``dpu``
    is the id of the DPU that it is on, or empty; ``max_speed_mbps`` the fastest link that it can have.
    """

    name: str
    driver: str
    speed_mbps: float | None
    is_full_duplex: bool | None = None
    dpu: str = ""
    max_speed_mbps: float | None = None


class MemoryTier(NamedTuple):
    """A kind of memory that a host has: ``type`` is DRAM, PMem or NVMe."""

    type: str
    bytes: float


class TierUse(NamedTuple):
    """How much a VM reads from a kind of memory, in MB/s; ``type`` is DRAM, PMem or NVMe."""

    type: str
    read_mbps: float


class Switch(NamedTuple):
    """A virtual switch and its uplinks.

    ``teaming`` is how it spreads its ports over them (``loadbalance_srcid``), ``standby`` those that wait for
    another's failure; both empty where the switch does not say (a distributed one). ``mtu`` is in bytes.
    """

    name: str
    nics: tuple[str, ...]
    teaming: str = ""
    standby: tuple[str, ...] = ()
    mtu: float | None = None


class DatastoreInfo(NamedTuple):
    """The other names of a datastore (VMFS UUID, NFS ``server:/path``) and its extents
    (canonical device names).
    """

    names: tuple[str, ...]
    extents: tuple[str, ...]


class ClusterConfig(NamedTuple):
    """The DRS and HA settings of a cluster; None for unset ones. ``rules`` and ``overrides`` are how many
    rules are in force, and how many VMs have a DRS setting of their own.
    """

    drs: bool | None
    behavior: str
    rate: float | None
    ha: bool | None
    admission_control: bool | None = None
    rules: float = 0.0
    overrides: float = 0.0


class ClusterSummary(NamedTuple):
    """What DRS makes of a cluster: its score in percent (7.0 and later), or the imbalance of the hosts and
    what it aims at, in thousandths (before); None for unset ones. ``buckets`` are the numbers of its VMs with
    a score of 0–20, 21–40, 41–60, 61–80, 81–100 %, empty before 7.0.
    """

    score: float | None
    balance: float | None
    target: float | None
    buckets: tuple[float, ...] = ()


Value: TypeAlias = (
    str
    | float
    | bool
    | Ref
    | Allocation
    | Devices
    | Snapshots
    | DatastoreInfo
    | ClusterConfig
    | ClusterSummary
    | tuple[Ref, ...]
    | tuple[str, ...]
    | tuple[Lun, ...]
    | tuple[Adapter, ...]
    | tuple[Path, ...]
    | tuple[PhysicalNic, ...]
    | tuple[Switch, ...]
    | tuple[MemoryTier, ...]
    | tuple[TierUse, ...]
    | None
)
"""What a property's reader returns; None is unset."""
