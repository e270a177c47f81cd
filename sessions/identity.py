"""When names that several sources give mean one entity."""

from __future__ import annotations


def is_shared_device(device: str) -> bool:
    """True if a storage device's id is the same on every host that sees it, so that it is one entity.

    ``naa.`` and ``eui.`` ids come from the device itself; a host makes up others (``mpx.``).
    """
    return device.startswith(("naa.", "eui."))
