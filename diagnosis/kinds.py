"""What admins call several entities of a kind."""

from __future__ import annotations

_PLURAL = {
    "vm": "VMs", "vcpu": "vCPUs", "nic": "uplinks", "vdisk": "virtual disks", "pool": "resource pools",
    "vcenter": "vCenters", "vsan": "parts of vSAN",
}  # fmt: skip
"""Kinds whose plural is no word that ends in s, or that admins call otherwise."""


def plural(kind: str) -> str:
    """Return the word for several entities of a kind: ``VMs``, ``hosts``, ``uplinks``."""
    return _PLURAL.get(kind, f"{kind}s")
