"""Plain values of the properties that we read: what is left of a vSphere data object after reading."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias


class Ref(NamedTuple):
    """A managed object reference."""

    type: str
    moid: str


class Allocation(NamedTuple):
    """CPU (MHz) or memory (MB): ``limit`` None is unlimited."""

    limit: float | None
    reservation: float | None
    shares: float | None


class Disk(NamedTuple):
    """A virtual disk. ``slot`` is as counters spell it (``scsi0:1``), ``datastore`` a moid or empty."""

    slot: str
    controller: str
    datastore: str
    shares: float | None
    limit_iops: float | None
    mode: str


class VirtualNic(NamedTuple):
    """A VM's network adapter. ``network`` is a name, ``portgroup`` the moid of a distributed one."""

    key: str
    label: str
    type: str
    network: str
    portgroup: str


class Devices(NamedTuple):
    """The virtual hardware that counters and diagnosis know."""

    disks: tuple[Disk, ...]
    nics: tuple[VirtualNic, ...]


class Snapshots(NamedTuple):
    """A VM's snapshots: how many, the oldest one's time as the server writes it, all names."""

    number: int
    oldest: str
    names: tuple[str, ...]


class Lun(NamedTuple):
    """A host's SCSI device. ``key`` is what multipathing calls it."""

    name: str
    queue_depth: float | None
    vendor: str
    model: str
    local: bool | None


class Adapter(NamedTuple):
    """A host bus adapter."""

    name: str
    driver: str
    model: str


class Path(NamedTuple):
    """A path to a device. ``runtime`` is the name that esxtop shows: ``vmhba1:C0:T0:L0``."""

    runtime: str
    name: str
    state: str


class PhysicalNic(NamedTuple):
    """An uplink; ``speed_mbps`` None while its link is down."""

    name: str
    driver: str
    speed_mbps: float | None


class Switch(NamedTuple):
    """A virtual switch and its uplinks."""

    name: str
    nics: tuple[str, ...]


class DatastoreInfo(NamedTuple):
    """``names``: other spellings (VMFS UUID, NFS ``server:/path``); ``extents``: canonical device names."""

    names: tuple[str, ...]
    extents: tuple[str, ...]


class ClusterConfig(NamedTuple):
    """DRS and HA of a cluster; None is unset."""

    drs: bool | None
    behavior: str
    rate: float | None
    ha: bool | None


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
    | tuple[Ref, ...]
    | tuple[str, ...]
    | tuple[Lun, ...]
    | tuple[Adapter, ...]
    | tuple[Path, ...]
    | tuple[PhysicalNic, ...]
    | tuple[Switch, ...]
    | None
)
"""What a property's reader returns; None is unset."""
