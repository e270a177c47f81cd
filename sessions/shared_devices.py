"""Which entity a storage device or a datastore is, which several hosts may see."""

from __future__ import annotations

from sessions.model import EntityRef

_WORLDWIDE = ("naa.", "eui.", "uuid.")


def is_shared_device(device: str) -> bool:
    """Return True if a storage device's id is the same on every host that sees the device, and no other's.

    ``naa.``, ``eui.`` and ``uuid.`` ids are numbers that the device itself gives (NAA, EUI-64, UUID of an
    NVMe namespace). ``mpx.`` is invented by the host. ``t10.`` is made of maker, model and serial number:
    most are disks in the host, and cheap ones repeat their serial numbers; two hosts' disks must never
    become one.
    """
    return device.startswith(_WORLDWIDE)


def device_ref(host: str, device: str) -> EntityRef:
    """Return the entity of a device that the host with this key calls ``device``."""
    return EntityRef("device", device if is_shared_device(device) else f"{host}/{device}")


def datastore_key(url: str) -> str:
    """Return a datastore's URL as vCenter writes it, which is its key: an ESXi host leaves out the scheme and
    the last slash.
    """
    return f"ds://{url.rstrip('/')}/" if url.startswith("/vmfs/volumes/") else url
