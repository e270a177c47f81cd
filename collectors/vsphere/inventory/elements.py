"""Readers from the XML of one property to a plain value. Unset parts become None or empty, never an error."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TypeAlias
from urllib.parse import unquote

from lxml import etree

from collectors.vsphere.inventory.values import (
    Adapter,
    Allocation,
    ClusterConfig,
    ClusterSummary,
    DatastoreInfo,
    Devices,
    Disk,
    Lun,
    MemoryTier,
    Path,
    PhysicalNic,
    Ref,
    Snapshots,
    Switch,
    TierUse,
    Value,
    VirtualNic,
)

Element: TypeAlias = etree._Element
Reader: TypeAlias = Callable[[Element], Value]

NS = "{urn:vim25}"
_TYPE = "{http://www.w3.org/2001/XMLSchema-instance}type"
_UNLIMITED = -1.0
_NAME_LIMIT = 250
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")
_SLOTS = (("NVME", "nvme"), ("AHCI", "sata"), ("SATA", "sata"), ("IDE", "ide"), ("", "scsi"))
_TELLING = etree.XPath(
    "*[v:busNumber or v:capacityInKB or v:macAddress]", namespaces={"v": "urn:vim25"}, smart_strings=False
)
_SCREEN_NAME = re.compile(r"vmhba\d+:C\d+:T\d+:L\d+")
_DEVICE_OF_PATH = re.compile(r"-((?:naa|eui|t10|mpx)\..+)$")
_DEEPEST_CHAIN = 64
_TEAM = ("spec", "policy", "nicTeaming")


def tidy(text: str, limit: int = _NAME_LIMIT) -> str:
    """Put foreign text on one line of at most ``limit`` characters, without control or bidi characters."""
    plain = " ".join(_CONTROL.sub(" ", text).split())
    return plain if len(plain) <= limit else plain[: limit - 1] + "…"


def child(element: Element | None, *names: str) -> Element | None:
    """Return the descendant at the path of ``names``; None if there is none."""
    for name in names:
        if element is None:
            return None
        element = element.find(NS + name)
    return element


def text_at(element: Element | None, *names: str) -> str:
    """Return the text of the descendant at the path of ``names``; empty if there is none."""
    found = child(element, *names)
    return (found.text or "") if found is not None else ""


def type_of(element: Element) -> str:
    """Return the element's xsi:type without its namespace prefix."""
    return str(element.get(_TYPE) or "").rpartition(":")[2]


def text(element: Element) -> str:
    """Read a string, on one line and without control characters."""
    return tidy(element.text or "")


def name(element: Element) -> str:
    r"""Read an object's name; vSphere escapes the characters / \ and % in it as %2f, %5c and %25."""
    return tidy(unquote(element.text or ""))


def number(element: Element) -> float | None:
    """Read a number; None for text that is no number."""
    return _number(element.text or "")


def positive(element: Element) -> float | None:
    """Read a number that is 0 or −1 where there is nothing to count: None for these."""
    found = number(element)
    return found if found is not None and found > 0 else None


def protection(element: Element) -> str:
    """Read a VirtualMachineFaultToleranceState; empty for a VM without fault tolerance."""
    state = text(element)
    return "" if state == "notConfigured" else state


def tiering(element: Element) -> str:
    """Read a HostMemoryTieringType; empty for a host without memory tiering."""
    kind = text(element)
    return "" if kind == "noTiering" else kind


def memory_tiers(element: Element) -> tuple[MemoryTier, ...]:
    """Read an ArrayOfHostMemoryTierInfo."""
    found = ((tidy(text_at(one, "type")), _number(text_at(one, "size"))) for one in _items(element))
    return tuple(MemoryTier(kind, size) for kind, size in found if kind and size is not None and size > 0)


def tier_use(element: Element) -> tuple[TierUse, ...]:
    """Read an ArrayOfVirtualMachineQuickStatsMemoryTierStats."""
    found = (
        (tidy(text_at(one, "memoryTierType")), _number(text_at(one, "readBandwidth")))
        for one in _items(element)
    )
    return tuple(TierUse(kind, rate) for kind, rate in found if kind and rate is not None and rate >= 0)


def flag(element: Element) -> bool:
    """Read a boolean."""
    return (element.text or "").strip() in ("true", "1")


def reference(element: Element) -> Ref:
    """Read a managed object reference."""
    return Ref(str(element.get("type") or ""), element.text or "")


def references(element: Element) -> tuple[Ref, ...]:
    """Read an array of managed object references, sorted by moid."""
    return tuple(sorted(reference(one) for one in _items(element)))


def allocation(element: Element) -> Allocation:
    """Read a ResourceAllocationInfo: limit, reservation and shares."""
    limit = _number(text_at(element, "limit"))
    return Allocation(
        None if limit is None or limit <= _UNLIMITED else limit,
        _number(text_at(element, "reservation")),
        _number(text_at(element, "shares", "shares")),
    )


def affinity(element: Element) -> tuple[str, ...]:
    """Read a VirtualMachineAffinityInfo: the PCPU numbers."""
    return tuple(one.text or "" for one in element.findall(NS + "affinitySet"))


def level(element: Element) -> str:
    """Read a LatencySensitivity: its level."""
    return text_at(element, "level")


def extension(element: Element) -> str:
    """Read a ManagedByInfo: the key of the extension that made the VM and looks after it."""
    return tidy(text_at(element, "extensionKey"))


def policy(element: Element) -> str:
    """Read a PowerSystemInfo: the short name of the active power policy."""
    return text_at(element, "currentPolicy", "shortName")


def product(element: Element) -> str:
    """Read an AboutInfo: version and build."""
    version, build = text_at(element, "version"), text_at(element, "build")
    return tidy(f"{version} build-{build}" if build else version)


def hyperthreads(element: Element) -> bool:
    """Read a HostHyperThreadScheduleInfo: whether hyperthreading is active."""
    return text_at(element, "active") in ("true", "1")


def numa_nodes(element: Element) -> float | None:
    """Read a HostNumaInfo: the number of NUMA nodes."""
    return _number(text_at(element, "numNodes"))


def snapshots(element: Element) -> Snapshots:
    """Read a VirtualMachineSnapshotInfo: all snapshots of the tree."""
    nodes = [node for tag in ("rootSnapshotList", "childSnapshotList") for node in element.iter(NS + tag)]
    times = sorted(time for node in nodes if (time := text_at(node, "createTime")))
    names = tuple(tidy(unquote(text_at(node, "name"))) for node in nodes)
    return Snapshots(len(nodes), times[0] if times else "", names)


def devices(element: Element) -> Devices:
    """Read an ArrayOfVirtualDevice: disks and network adapters, recognised by their properties,
    not by their type.
    """
    found = _TELLING(element)
    controllers: dict[str, tuple[str, str, str]] = {}
    for one in found:
        bus = one.find(NS + "busNumber")
        if bus is not None:
            controllers[text_at(one, "key")] = (_slot(type_of(one)), bus.text or "0", type_of(one))
    disks, nics = [], []
    for one in found:
        if one.find(NS + "capacityInKB") is not None:
            disks.append(_disk(one, controllers))
        elif one.find(NS + "macAddress") is not None:
            nics.append(_nic(one))
    return Devices(tuple(disks), tuple(nics))


def luns(element: Element) -> tuple[Lun, ...]:
    """Read an ArrayOfScsiLun: disks only."""
    return tuple(
        _lun(
            tidy(text_at(one, "canonicalName")),
            _number(text_at(one, "queueDepth")),
            tidy(text_at(one, "vendor")),
            tidy(text_at(one, "model")),
            _flag(text_at(one, "localDisk")),
            _flag(text_at(one, "ssd")),
            tidy(text_at(one, "applicationProtocol")),
            _flag(text_at(one, "usedByMemoryTiering")) is True,
        )
        for one in _items(element)
        if text_at(one, "canonicalName") and text_at(one, "lunType") in ("disk", "")
    )


def adapters(element: Element) -> tuple[Adapter, ...]:
    """Read an ArrayOfHostHostBusAdapter."""
    return tuple(
        Adapter(tidy(text_at(one, "device")), tidy(text_at(one, "driver")), tidy(text_at(one, "model")))
        for one in _items(element)
        if text_at(one, "device")
    )


def paths(element: Element) -> tuple[Path, ...]:
    """Read a HostMultipathInfo: all paths of all devices."""
    return tuple(
        _path(one, tidy(text_at(lun, "policy", "policy")))
        for lun in element.findall(NS + "lun")
        for one in lun.findall(NS + "path")
        if text_at(one, "name")
    )


def physical_nics(element: Element) -> tuple[PhysicalNic, ...]:
    """Read an ArrayOfPhysicalNic."""
    return tuple(
        PhysicalNic(
            tidy(text_at(one, "device")),
            tidy(text_at(one, "driver")),
            _number(text_at(one, "linkSpeed", "speedMb")),
            _flag(text_at(one, "linkSpeed", "duplex")),
            tidy(text_at(one, "dpuId")),
            _fastest_link(one),
        )
        for one in _items(element)
        if text_at(one, "device")
    )


def _fastest_link(nic: Element) -> float | None:
    speeds = (_number(text_at(one, "speedMb")) for one in nic.findall(NS + "validLinkSpecification"))
    return max((speed for speed in speeds if speed is not None), default=None)


def switches(element: Element) -> tuple[Switch, ...]:
    """Read an ArrayOfHostVirtualSwitch or HostProxySwitch; an uplink's key is
    ``key-vim.host.PhysicalNic-vmnic0``.
    """
    return tuple(
        Switch(
            name(found) if (found := _first(one, "name", "dvsName")) is not None else "",
            tuple((nic.text or "").rpartition("-")[2] for nic in one.findall(NS + "pnic")),
            tidy(text_at(one, *_TEAM, "policy")),
            tuple(tidy(nic.text or "") for nic in _listed(one, *_TEAM, "nicOrder", "standbyNic")),
            _number(text_at(one, "mtu")),
        )
        for one in _items(element)
    )


def datastore_info(element: Element) -> DatastoreInfo:
    """Read a DatastoreInfo of any type (VMFS, NFS, vSAN …)."""
    nas = element.find(NS + "nas")
    names = [text_at(element, "vmfs", "uuid")]
    if nas is not None:
        names.append(f"{text_at(nas, 'remoteHost')}:{text_at(nas, 'remotePath')}")
    vmfs = element.find(NS + "vmfs")
    extents = () if vmfs is None else (text_at(one, "diskName") for one in vmfs.findall(NS + "extent"))
    return DatastoreInfo(tuple(tidy(one) for one in names if one), tuple(tidy(one) for one in extents if one))


def cluster_config(element: Element) -> ClusterConfig:
    """Read a ClusterConfigInfoEx: the DRS and HA settings."""
    return ClusterConfig(
        _flag(text_at(element, "drsConfig", "enabled")),
        text_at(element, "drsConfig", "defaultVmBehavior"),
        _number(text_at(element, "drsConfig", "vmotionRate")),
        _flag(text_at(element, "dasConfig", "enabled")),
        _flag(text_at(element, "dasConfig", "admissionControlEnabled")),
        float(sum(_flag(text_at(rule, "enabled")) is True for rule in element.findall(NS + "rule"))),
        float(len(element.findall(NS + "drsVmConfig"))),
    )


def cluster_summary(element: Element) -> ClusterSummary:
    """Read a ClusterComputeResourceSummary: what DRS makes of the cluster."""
    return ClusterSummary(
        _number(text_at(element, "drsScore")),
        _number(text_at(element, "currentBalance")),
        _number(text_at(element, "targetBalance")),
        tuple(_number(one.text or "") or 0.0 for one in element.findall(NS + "numVmsPerDrsScoreBucket")),
    )


def number_of_items(element: Element) -> float:
    """Read an array: how many items it has."""
    return float(sum(1 for _ in _items(element)))


@lru_cache(maxsize=10_000)
def _lun(
    name: str,
    queue_depth: float | None,
    vendor: str,
    model: str,
    local: bool | None,
    ssd: bool | None,
    protocol: str,
    is_memory_tier: bool,
) -> Lun:
    """Hosts of a cluster see the same devices: one value for all."""
    return Lun(name, queue_depth, vendor, model, local, ssd, protocol, is_memory_tier)


def _items(element: Element) -> Iterator[Element]:
    return (one for one in element if isinstance(one.tag, str))


def _listed(element: Element, *names: str) -> list[Element]:
    """The elements of the last name below the path of those before it."""
    above = child(element, *names[:-1])
    return above.findall(NS + names[-1]) if above is not None else []


def _number(written: str) -> float | None:
    try:
        return float(written)
    except ValueError:
        return None


def _flag(written: str) -> bool | None:
    return {"true": True, "1": True, "false": False, "0": False}.get(written)


def _first(element: Element, *names: str) -> Element | None:
    return next((found for one in names if (found := element.find(NS + one)) is not None), None)


def _slot(controller: str) -> str:
    return next(slot for sign, slot in _SLOTS if sign in controller)


def _disk(one: Element, controllers: dict[str, tuple[str, str, str]]) -> Disk:
    bus, number_, type_ = controllers.get(text_at(one, "controllerKey"), ("disk", "", ""))
    backing = one.find(NS + "backing")
    limit = _number(text_at(one, "storageIOAllocation", "limit"))
    slot = f"{bus}{number_}:{text_at(one, 'unitNumber')}" if type_ else f"disk-{text_at(one, 'key')}"
    return Disk(
        slot,
        type_,
        text_at(backing, "datastore"),
        _number(text_at(one, "storageIOAllocation", "shares", "shares")),
        None if limit is None or limit <= _UNLIMITED else limit,
        text_at(backing, "diskMode"),
        float(_chain(backing)),
        text_at(one, "key"),
        tidy(text_at(backing, "uuid")).lower(),
    )


def _chain(backing: Element | None) -> int:
    """The number of files of a virtual disk: its own and those of its parents."""
    length = 1
    parent = child(backing, "parent")
    while parent is not None and length < _DEEPEST_CHAIN:
        length, parent = length + 1, child(parent, "parent")
    return length


def _nic(one: Element) -> VirtualNic:
    backing = one.find(NS + "backing")
    key = text_at(one, "key")
    return VirtualNic(
        key,
        tidy(text_at(one, "deviceInfo", "label")) or f"nic {key}",
        type_of(one),
        tidy(unquote(text_at(backing, "deviceName") or text_at(backing, "opaqueNetworkId"))),
        text_at(backing, "port", "portgroupKey"),
        tidy(text_at(one, "macAddress")).lower(),
    )


def _path(one: Element, policy: str) -> Path:
    written = tidy(text_at(one, "name"))
    screen = _SCREEN_NAME.search(text_at(one, "key"))
    device = _DEVICE_OF_PATH.search(written)
    return Path(
        screen.group() if screen else written,
        written,
        text_at(one, "state") or text_at(one, "pathState"),
        device[1] if device else "",
        policy,
    )
