"""What the kinds of entities are called, one and many."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from resources.units import format_count
from sessions.model import EntityRef, Kind

KINDS: Mapping[Kind, tuple[str, ...]] = {
    "vm": ("VM", "VMs"),
    "host": ("host", "hosts"),
    "cluster": ("cluster", "clusters"),
    "pool": ("pool", "pools"),
    "datastore": ("datastore", "datastores"),
    "device": ("device", "devices", "LUN", "LUNs"),
    "nic": ("uplink", "uplinks", "nic", "nics"),
    "adapter": ("adapter", "adapters"),
    "vcpu": ("vCPU", "vCPUs"),
    "vdisk": ("disk", "disks"),
    "port": ("port", "ports"),
    "path": ("path", "paths"),
    "world": ("world", "worlds"),
    "vcenter": ("vCenter", "vCenters"),
    "guest": ("guest", "guests"),
    "vsan": ("vSAN", "vSANs"),
    "worker": ("worker", "workers"),
}
"""What each kind is called, one and many, and further words for it; in the order of the offers."""

_KIND_OF = {word.casefold(): kind for kind, words in KINDS.items() for word in words}
_ORDER = {kind: number for number, kind in enumerate(KINDS)}


def kind_of(word: str) -> Kind | None:
    """Return the kind that a word names: ``VMs``; None for other words."""
    return _KIND_OF.get(word.casefold())


def kind_label(kind: str) -> str:
    """Return what one of a kind is called: ``VM``; a kind without a word of its own keeps its id."""
    words = KINDS.get(kind)  # type: ignore[call-overload]  # any text may be asked for
    return words[0] if words else kind


def kind_order(kind: str) -> int:
    """Return the place of a kind where VMs come first, then hosts, then their parts."""
    return _ORDER.get(kind, len(_ORDER))  # type: ignore[call-overload, no-any-return]


def counted(refs: Collection[EntityRef]) -> str:
    """Return how many entities of which kinds there are: ``2 VMs, 1 host``."""
    kinds = [ref.kind for ref in refs]
    parts = []
    for kind in sorted(set(kinds), key=kind_order):
        count = kinds.count(kind)
        parts.append(f"{format_count(count)} {KINDS[kind][0 if count == 1 else 1]}")
    return ", ".join(parts)
