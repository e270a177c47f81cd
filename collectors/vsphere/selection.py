"""Which hosts and VMs of a vCenter are recorded: name patterns with * and ?; all of them by default."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from collectors.vsphere.inventory.objects import CLUSTER, DATASTORE, HOST, VM, Inventory, Managed
from resources.failures import UsageError

_TYPES = {"cluster": CLUSTER, "host": HOST, "vm": VM, "datastore": DATASTORE}


@dataclass(frozen=True, slots=True)
class Selection:
    """Pairs (type, name pattern), compared without regard to case; no pairs select everything.

    A cluster selects its hosts and their VMs, a host its VMs. The host of a selected VM is added, because
    diagnosis can't judge a VM without its host.
    """

    patterns: tuple[tuple[str, str], ...] = ()

    def of(self, inventory: Inventory) -> Mapping[str, Managed]:
        """Return the selected objects of the inventory by moid."""
        if not self.patterns:
            return inventory.objects
        objects = inventory.objects
        named = {moid for moid, one in objects.items() if self._names(one)}
        chosen = {moid for moid, one in objects.items() if _above(one, objects) & named}
        hosts = {objects[moid].host for moid in chosen if objects[moid].type == VM}
        return {moid: one for moid, one in objects.items() if moid in chosen or moid in hosts}

    def _names(self, one: Managed) -> bool:
        name = one.name.casefold()
        return any(kind == one.type and fnmatchcase(name, pattern) for kind, pattern in self.patterns)


def _above(one: Managed, objects: Mapping[str, Managed]) -> set[str]:
    """Its moid and those of its host and cluster."""
    host = objects.get(one.host) if one.host else None
    cluster = one.cluster or (host.cluster if host else None)
    return {moid for moid in (one.moid, one.host, cluster) if moid}


def parse_selection(words: Iterable[str]) -> Selection:
    """Parse patterns such as ``vm:SQL*``, ``host:esx0*``, ``cluster:Prod``, ``datastore:*``.

    Raises UsageError.
    """
    patterns: list[tuple[str, str]] = []
    for word in words:
        kind, colon, pattern = word.partition(":")
        if not colon or kind.lower() not in _TYPES or not pattern.strip():
            raise UsageError(
                f"{word!r} selects nothing.",
                advice="Write vm:NAME, host:NAME, cluster:NAME or datastore:NAME; * and ? stand for "
                "any characters.",
            )
        patterns.append((_TYPES[kind.lower()], pattern.strip().casefold()))
    return Selection(tuple(patterns))


def unmatched(selection: Selection, inventory: Inventory) -> Sequence[str]:
    """Return the patterns that match no object, as the user writes them."""
    words = {kind: word for word, kind in _TYPES.items()}
    return [
        f"{words[kind]}:{pattern}"
        for kind, pattern in selection.patterns
        if not any(Selection(((kind, pattern),))._names(one) for one in inventory.objects.values())
    ]
