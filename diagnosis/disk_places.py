"""On which datastores the disks of VMs lie, and which VMs have disks on a datastore, in a window."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from functools import cached_property

from diagnosis.facts import FactTable
from sessions.model import DISK_PLACE, EntityRef


class DiskPlaces:
    """Where disks lie by the facts of an inventory; read once, when somebody asks."""

    def __init__(self, facts: FactTable) -> None:
        self._facts = facts

    def vms_on(self, store: str) -> Collection[EntityRef]:
        """Return the VMs that are known to have disks on the datastore with this key."""
        return self._vms.get(store, ())

    def stores_of(self, vm: EntityRef) -> Sequence[EntityRef]:
        """Return the datastores on which a VM is known to have disks."""
        return list(self._stores.get(vm, ()))

    def store_on(self, device: EntityRef) -> EntityRef | None:
        """Return the datastore that lies on a device, where that is known; of a host's view, of the device
        itself.
        """
        key = self._facts.latest("device.datastore").get(device)
        return None if key is None else EntityRef("datastore", str(key))

    @cached_property
    def _vms(self) -> dict[str, set[EntityRef]]:
        found: dict[str, set[EntityRef]] = defaultdict(set)
        for fact in self._facts.holding(DISK_PLACE):
            found[str(fact.value)].add(fact.entity)
        return dict(found)

    @cached_property
    def _stores(self) -> dict[EntityRef, dict[EntityRef, None]]:
        found: dict[EntityRef, dict[EntityRef, None]] = defaultdict(dict)
        for fact in self._facts.holding(DISK_PLACE):
            found[fact.entity][EntityRef("datastore", str(fact.value))] = None
        return dict(found)
