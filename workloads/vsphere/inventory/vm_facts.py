"""The facts of a VM, and its disks."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from collectors.vsphere.inventory import elements
from collectors.vsphere.inventory.elements import NS, Element, child, text_at
from collectors.vsphere.inventory.values import Allocation, Snapshots
from resources.failures import UsageError
from sessions.journal import Setting
from workloads.made_disk import NAME, parse_made_disk
from workloads.vsphere.inventory.reading import Seen, as_flag, as_number
from workloads.vsphere.settings.made_disk import TAG

NO_LIMIT = -1.0

VM_PATHS = (
    "name",
    "config.template",
    "config.instanceUuid",
    "config.hardware.numCPU",
    "config.hardware.memoryMB",
    "config.cpuAllocation",
    "config.memoryAllocation",
    "config.cpuAffinity",
    "runtime.connectionState",
    "runtime.powerState",
    "runtime.host",
    "runtime.consolidationNeeded",
    "resourcePool",
    "datastore",
    "snapshot",
    "customValue",
    "guest.toolsRunningStatus",
    "guest.guestOperationsReady",
    "guest.guestFamily",
)
DETAIL_PATHS = ("config.hardware.device", "config.extraConfig", "config.flags.diskUuidEnabled")
_ENABLE_UUID = "disk.enableuuid"
"""The advanced setting behind ``diskUuidEnabled``, in small letters: the case of its name does not matter."""


@dataclass(frozen=True, slots=True)
class VirtualDisk:
    """A virtual disk of a VM. ``name`` is its slot (``scsi0:1``), ``datastore`` a moid.

    ``made_by`` is the id of the test run that made it, ``made_as`` its name there; both empty otherwise.
    """

    name: str
    uuid: str
    size_bytes: int
    datastore: str
    shares: float | None
    iops_limit: float
    is_raw: bool
    made_by: str = ""
    made_as: str = ""


def vm_facts(seen: Seen) -> Iterator[tuple[str, Setting]]:
    """Yield the facts that the light properties of a VM give."""
    yield "powered_on", _is(seen.text("runtime.powerState"), "poweredOn")
    yield "tools_running", _is(seen.text("guest.toolsRunningStatus"), "guestToolsRunning")
    yield "guest_operations_ready", seen.flag("guest.guestOperationsReady")
    yield "guest_family", seen.text("guest.guestFamily").removesuffix("Guest") or None
    yield "snapshots", _snapshots(seen)
    yield "consolidation_needed", seen.flag("runtime.consolidationNeeded")
    yield "vcpus", seen.number("config.hardware.numCPU")
    yield "memory_bytes", _scaled(seen.number("config.hardware.memoryMB"), 1 << 20)
    yield "cpu_limit_mhz", _limit(seen.element("config.cpuAllocation"))
    yield "memory_limit_mb", _limit(seen.element("config.memoryAllocation"))
    yield "has_affinity", _has_affinity(seen)


def detail_facts(detail: Seen) -> Iterator[tuple[str, Setting]]:
    """Yield the facts of a VM's devices and advanced settings."""
    disks = list(read_disks(detail))
    listed = [
        {
            "name": one.name,
            "uuid": one.uuid,
            "size_bytes": one.size_bytes,
            "datastore": one.datastore,
            "shares": one.shares,
            "iops_limit": one.iops_limit,
            "is_raw": one.is_raw,
            "made_by": one.made_by,
            "made_as": one.made_as,
        }
        for one in disks
    ]
    yield "disks", json.dumps(listed, ensure_ascii=False) if _is_read(detail) else None
    yield "uuid_shown_to_guest", _shows_uuids(detail)


def read_disks(detail: Seen) -> Iterator[VirtualDisk]:
    """Yield the disks of a VM, of which ``config.hardware.device`` was read."""
    array = detail.element("config.hardware.device")
    if array is None:
        return
    slots = elements.devices(array).disks
    made = _made(_extra(detail))
    found = [one for one in array if isinstance(one.tag, str) and child(one, "capacityInKB") is not None]
    for one, known in zip(found, slots, strict=False):
        slot, backing = known.slot, child(one, "backing")
        uuid = text_at(backing, "uuid") or text_at(backing, "lunUuid")
        name, run = made.get(uuid or slot) or made.get(slot) or ("", "")
        yield VirtualDisk(
            name=slot,
            uuid=uuid,
            size_bytes=_size(one),
            datastore=known.datastore,
            shares=known.shares,
            iops_limit=NO_LIMIT if known.limit_iops is None else known.limit_iops,
            is_raw=child(backing, "lunUuid") is not None,
            made_by=run,
            made_as=name,
        )


def listed_disks(facts: Mapping[str, Setting]) -> list[dict[str, object]]:
    """Return the disks that the fact ``disks`` lists; none where they were not read."""
    text = facts.get("disks")
    found: list[dict[str, object]] = json.loads(text) if isinstance(text, str) else []
    return found


def _size(disk: Element) -> int:
    exact = as_number(text_at(disk, "capacityInBytes"))
    kilobytes = as_number(text_at(disk, "capacityInKB")) or 0.0
    return int(exact or kilobytes * 1024)


def _made(extra: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """UUID (slot, while the UUID is not known) → name and run of the disks that test runs made."""
    found: dict[str, tuple[str, str]] = {}
    for key, text in extra.items():
        name = key.removeprefix(TAG)
        if not key.startswith(TAG) or not NAME.fullmatch(name):
            continue
        try:
            run = parse_made_disk(text).run
            mark = json.loads(extra.get(f"{key}.is", "{}"))
        except (UsageError, ValueError):
            continue
        if isinstance(mark, dict):
            found[str(mark.get("uuid") or mark.get("slot") or "")] = name, run
    return found


def _extra(detail: Seen) -> dict[str, str]:
    array = detail.element("config.extraConfig")
    options = [] if array is None else array.findall(NS + "OptionValue")
    return {text_at(one, "key"): text_at(one, "value") for one in options}


def _shows_uuids(detail: Seen) -> bool | None:
    """Whether a guest is told the UUIDs of its disks; None where that could not be read."""
    if detail.flag("config.flags.diskUuidEnabled"):
        return True
    if "config.extraConfig" not in detail.values:
        return None
    return any(key.lower() == _ENABLE_UUID and _as_bool(text) for key, text in _extra(detail).items())


def _is_read(detail: Seen) -> bool:
    return "config.hardware.device" in detail.values


def _snapshots(seen: Seen) -> float:
    tree = seen.element("snapshot")
    found = None if tree is None else elements.snapshots(tree)
    return float(found.number) if isinstance(found, Snapshots) else 0.0


def _limit(element: Element | None) -> float | None:
    if element is None:
        return None
    found = elements.allocation(element)
    return NO_LIMIT if not isinstance(found, Allocation) or found.limit is None else found.limit


def _has_affinity(seen: Seen) -> bool:
    pinned = seen.element("config.cpuAffinity")
    return pinned is not None and bool(elements.affinity(pinned))


def _is(text: str, wanted: str) -> bool | None:
    return text == wanted if text else None


def _scaled(number: float | None, factor: int) -> float | None:
    return None if number is None else number * factor


def _as_bool(text: str) -> bool:
    return bool(as_flag(text.lower()))
