"""The running simulation that settings, workers and the recording of one lab environment share."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass

from lab.acted import ActedLab
from lab.acted.virtual_disks import VirtualDisk
from lab.live import LabAddress
from resources.failures import NotFoundError
from sessions.journal import ChangedObject

CLUSTER_ID, CLUSTER_NAME = "domain-c8", "Cluster-01"
_HOST, _VM, _STORE = "host-", "vm-", "datastore-"
_FIRST_HOST, _FIRST_VM, _FIRST_STORE = 11, 101, 21


@dataclass(frozen=True, slots=True)
class MadeDisk:
    """What the setting ``disk:<name>`` says: the run that made it, its size, its datastore's id."""

    run: str
    size_bytes: int
    datastore: str


class Simulated:
    """The simulation, the ids of its objects, and one lock for all who use it.

    ``advance`` is set by the environment: it lets time pass, so many seconds, for changes that take time.
    """

    def __init__(self, lab: ActedLab, address: LabAddress) -> None:
        self.lab = lab
        self.address = str(address)
        self.lock = threading.RLock()
        self.advance: Callable[[float], None] = lambda _seconds: None
        self.attributes: dict[tuple[str, str], str] = {}
        self.folders: dict[int, str] = {}
        self.disk_texts: dict[tuple[int, str], str] = {}

    # ids

    def host_object(self, number: int) -> ChangedObject:
        """Return the object of a host by its number."""
        name = self.lab.cluster.hosts[number].name
        return ChangedObject(self.address, "HostSystem", f"{_HOST}{_FIRST_HOST + number}", name)

    def vm_object(self, number: int) -> ChangedObject:
        """Return the object of a VM by its number."""
        name = self.lab.cluster.vms[number].name
        return ChangedObject(self.address, "VirtualMachine", f"{_VM}{_FIRST_VM + number}", name)

    def store_object(self, lun: int) -> ChangedObject:
        """Return the object of the datastore on a LUN."""
        name = self.lab.datastores[lun]
        return ChangedObject(self.address, "Datastore", f"{_STORE}{_FIRST_STORE + lun}", name)

    def server_object(self) -> ChangedObject:
        """Return the object that the lab itself is."""
        return ChangedObject(self.address, "ServiceInstance", "ServiceInstance", self.address)

    def cluster_object(self) -> ChangedObject:
        """Return the only cluster's object."""
        return ChangedObject(self.address, "ClusterComputeResource", CLUSTER_ID, CLUSTER_NAME)

    def vm_number(self, changed: ChangedObject) -> int:
        """Return the number of a VM. Raises NotFoundError."""
        return self._number(changed.id, _VM, _FIRST_VM, len(self.lab.cluster.vms), changed.name)

    def host_number(self, moid: str) -> int:
        """Return the number of a host by its id. Raises NotFoundError."""
        return self._number(moid, _HOST, _FIRST_HOST, len(self.lab.cluster.hosts), moid)

    def lun_of(self, moid: str) -> int:
        """Return the LUN of a datastore by its id. Raises NotFoundError."""
        lun = self._number(moid, _STORE, _FIRST_STORE, max(self.lab.datastores) + 1, moid)
        if lun not in self.lab.datastores:
            raise NotFoundError(f"The lab has no datastore {moid}.")
        return lun

    def _number(self, moid: str, prefix: str, first: int, count: int, name: str) -> int:
        digits = moid.removeprefix(prefix)
        number = int(digits) - first if digits.isascii() and digits.isdigit() and len(digits) < 9 else -1
        if not moid.startswith(prefix) or not 0 <= number < count:
            raise NotFoundError(f"{name or moid} is not in the lab.")
        return number

    # disks

    def disk(self, vm: int, name: str) -> VirtualDisk:
        """Return a disk of a VM by its name. Raises NotFoundError."""
        found = self.lab.disks.named(vm, name)
        if found is None:
            raise NotFoundError(f"{self.lab.cluster.vms[vm].name} has no disk {name}.")
        return found

    def disk_cell(self, vm: int, name: str) -> int:
        """Return where a disk of a VM stands among all disks. Raises NotFoundError."""
        return self.lab.disks.number(vm, self.disk(vm, name).slot)

    def disk_text(self, vm: int, name: str) -> str | None:
        """Return the value of the setting ``disk:<name>``, None if it is not there."""
        found = self.lab.disks.named(vm, name)
        if found is None:
            return None
        made = {
            "run": found.made_by,
            "size_bytes": found.size_bytes,
            "datastore": self.store_object(found.lun).id,
            "provisioning": "thin",
        }
        return self.disk_texts.get((vm, name)) or json.dumps(made, sort_keys=True, separators=(",", ":"))
