"""The virtual disks of workers: which are there, where they lie, what they hold, what is cached of them."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lab.acted.content import DiskContent
from lab.acted.storage import ActedStorage
from lab.inventory import Cluster
from lab.parameters import Index
from lab.worker_vms import DATA_SLOT, SYSTEM_SLOT
from resources.failures import NotFoundError, UsageError

_GB = 1 << 30
_SYSTEM_BYTES, _DATA_BYTES = 40 * _GB, 8 * _GB
_FULL_HITS = 0.995
_NAMESPACE = uuid.UUID("0c5a1a52-5b0e-5e0e-8e4f-6d0a4e6b7a11")


@dataclass(frozen=True, slots=True)
class VirtualDisk:
    """A disk that is there: its name and slot, size, serial number, LUN, and the test run that made it."""

    name: str
    slot: str
    size_bytes: int
    uuid: str
    lun: int
    made_by: str = ""


class VirtualDisks:
    """The disks of all workers. ``owned`` marks the cells of their slots among all disks of the lab."""

    def __init__(self, cluster: Cluster, index: Index, storage: ActedStorage, workers: Sequence[int]) -> None:
        self._cluster, self._index, self.storage = cluster, index, storage
        self.owned = np.isin(index.disk_vm, workers)
        self._there: dict[tuple[int, str], VirtualDisk] = {}
        self._content: dict[int, DiskContent] = {}
        self._cached_bytes = np.zeros(len(index.disk_vm))
        self.working_bytes = np.full(len(index.disk_vm), float(_DATA_BYTES))
        storage.asked[self.owned] = 0.0
        for vm in workers:
            for slot, size in ((SYSTEM_SLOT, _SYSTEM_BYTES), (DATA_SLOT, _DATA_BYTES)):
                self._put(vm, VirtualDisk(slot, slot, size, self._uuid(vm, slot), 0))

    def of(self, vm: int) -> list[VirtualDisk]:
        """Return a worker's disks, in the order in which they were added."""
        return [disk for (owner, _), disk in self._there.items() if owner == vm]

    def named(self, vm: int, name: str) -> VirtualDisk | None:
        """Return a worker's disk by its name or slot, None if it is not there."""
        return next((disk for disk in self.of(vm) if name in (disk.name, disk.slot)), None)

    def add(self, vm: int, name: str, size_bytes: int, lun: int, made_by: str) -> VirtualDisk:
        """Add a disk in the first free slot. Raises UsageError if none is free or the size is none."""
        if size_bytes <= 0:
            raise UsageError(f"A disk of {size_bytes} bytes cannot be made.")
        taken = {disk.slot for disk in self.of(vm)}
        free = [one.slot for one in self._cluster.vms[vm].disks if one.slot not in taken]
        if not free:
            raise UsageError(
                f"{self._cluster.vms[vm].name} has no slot left for another disk.",
                advice="Remove a disk of an earlier run, or use fewer disks.",
            )
        made = VirtualDisk(name, free[0], size_bytes, self._uuid(vm, f"{name}/{made_by}"), lun, made_by)
        self._put(vm, made)
        return made

    def remove(self, vm: int, name: str) -> None:
        """Remove a disk; it is no error if it is not there."""
        disk = self.named(vm, name)
        if disk is not None:
            cell = self.number(vm, disk.slot)
            self._there.pop((vm, disk.slot))
            self._content.pop(cell, None)
            self._cached_bytes[cell] = 0.0
            self.storage.limit[cell] = np.inf

    def resize(self, vm: int, name: str, size_bytes: int) -> None:
        """Change a disk's size, as somebody else could do during a test."""
        disk = self.named(vm, name)
        if disk is not None:
            self._there[vm, disk.slot] = replace(disk, size_bytes=size_bytes)

    def number(self, vm: int, slot: str) -> int:
        """Return the cell of a disk that is there. Raises NotFoundError."""
        if (vm, slot) not in self._there:
            raise NotFoundError(f"{self._cluster.vms[vm].name} has no disk {slot}.")
        slots = [one.slot for one in self._cluster.vms[vm].disks]
        return int(self._index.disk_start[vm]) + slots.index(slot)

    def content(self, cell: int) -> DiskContent:
        """Return what the disk at a cell holds."""
        return self._content[cell]

    def contents(self, lun: int) -> Iterator[DiskContent]:
        """Yield what the disks on a LUN hold."""
        for (vm, slot), disk in self._there.items():
            if disk.lun == lun:
                yield self._content[self.number(vm, slot)]

    def warm(self, cached_luns: Collection[int]) -> None:
        """Set which share of reads each disk's cache serves; a cache that is switched off forgets."""
        on = np.isin(self._index.disk_lun, list(cached_luns))
        self._cached_bytes[~on] = 0.0
        known = np.minimum(self._cached_bytes / np.maximum(self.working_bytes, 1.0), 1.0)
        self.storage.hits[:] = _FULL_HITS * known

    def fill_caches(self, cached_luns: Collection[int], seconds: float) -> None:
        """Cache what was read from the LUN and what was written."""
        if not cached_luns:
            return
        storage = self.storage
        on = np.isin(self._index.disk_lun, list(cached_luns)) & self.owned
        self._cached_bytes += np.where(on, storage.uncached_kb * 1024.0 * seconds, 0.0)
        np.minimum(self._cached_bytes, self.working_bytes, out=self._cached_bytes)

    def _put(self, vm: int, disk: VirtualDisk) -> None:
        self._there[vm, disk.slot] = disk
        cell = self.number(vm, disk.slot)
        self._index.disk_lun[cell] = disk.lun
        self._content[cell] = DiskContent(float(disk.size_bytes))
        self.storage.shares[cell] = 1000.0
        self.storage.place()

    def _uuid(self, vm: int, name: str) -> str:
        text = f"{self._cluster.worlds_seed}/{self._cluster.vms[vm].name}/{name}"
        return uuid.uuid5(_NAMESPACE, text).hex
