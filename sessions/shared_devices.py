"""Which entity a storage device or a datastore is, which several hosts may see."""

from __future__ import annotations

import re

from sessions.model import EntityRef

_WORLDWIDE = ("naa.", "eui.", "uuid.")
_DEVICE = re.compile(r"(?:naa|eui|uuid|t10|mpx)\.\S+")
PARTITION = r":\d+"
"""What a host writes after a device's name for a partition of it: ``naa.6:3``, ``mpx.vmhba0:C0:T0:L0:1``."""
_PARTITION_OF = re.compile(rf"(?P<device>.+?){PARTITION}")


def is_shared_device(device: str) -> bool:
    """Return True if a storage device's id is the same on every host that sees the device, and no other's.

    ``naa.``, ``eui.`` and ``uuid.`` ids are numbers that the device itself gives (NAA, EUI-64, UUID of an
    NVMe namespace). ``mpx.`` is invented by the host. ``t10.`` is made of maker, model and serial number:
    most are disks in the host, and cheap ones repeat their serial numbers; two hosts' disks must never
    become one.
    """
    return device.startswith(_WORLDWIDE)


def is_device_name(name: str) -> bool:
    """Return True if this is how a host names a storage device, or a partition of one."""
    return bool(_DEVICE.fullmatch(name))


def whole_device(name: str) -> str:
    """Return the name of the device that a device's partition is on; any other name as it is."""
    found = _PARTITION_OF.fullmatch(name) if is_device_name(name) else None
    return found["device"] if found else name


def device_ref(host: str, device: str) -> EntityRef:
    """Return the entity of a device that the host with this key calls ``device``."""
    return EntityRef("device", device if is_shared_device(device) else f"{host}/{device}")


def datastore_key(url: str) -> str:
    """Return a datastore's URL as vCenter writes it, which is its key: an ESXi host leaves out the scheme and
    the last slash.
    """
    return f"ds://{url.rstrip('/')}/" if url.startswith("/vmfs/volumes/") else url
