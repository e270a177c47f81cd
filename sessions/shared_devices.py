"""Whether a storage device that several hosts see is one entity."""

from __future__ import annotations


def is_shared_device(device: str) -> bool:
    """Return True if a storage device's id is the same on every host that sees the device.

    ``naa.`` and ``eui.`` ids come from the device itself; others are invented by the host (``mpx.``).
    """
    return device.startswith(("naa.", "eui."))
