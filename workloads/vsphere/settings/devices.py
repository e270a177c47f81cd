"""The disks and controllers of a VM, and its reconfiguration against the version that was read.

The version (``config.changeVersion``) goes along with each change: if somebody else has changed the VM since
it was read, the server refuses, and the VM is read again before the change is tried again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pyVmomi import vim

from connections.vsphere.faults import SoapFault
from connections.vsphere.logged_in import Connection
from connections.vsphere.properties import managed, read_one
from resources.failures import NotFoundError
from resources.foreign_text import shown
from sessions.journal import ChangedObject
from workloads.vsphere.settings.values import Server

_PATHS = (
    "config.changeVersion",
    "config.hardware.device",
    "config.extraConfig",
    "config.files.vmPathName",
    "summary.config.vmPathName",
)
_TRIES = 3
_BUSES = (
    (vim.vm.device.VirtualSCSIController, "scsi"),
    (vim.vm.device.VirtualNVMEController, "nvme"),
    (vim.vm.device.VirtualSATAController, "sata"),
    (vim.vm.device.VirtualIDEController, "ide"),
)


@dataclass(frozen=True, slots=True)
class VmDevices:
    """A VM's devices (pyVmomi's), its advanced settings, and the version of the configuration.

    ``home`` is the path of its .vmx file: ``[datastore] folder/name.vmx``.
    """

    version: str
    devices: tuple[Any, ...]
    extra: Mapping[str, str]
    home: str

    @property
    def disks(self) -> Iterator[tuple[str, Any]]:
        """Yield the slot and the device of each disk."""
        for one in self.devices:
            if isinstance(one, vim.vm.device.VirtualDisk):
                yield self.slot(one), one

    def slot(self, disk: Any) -> str:
        """Return a disk's slot, ``scsi0:1``, as counters name it."""
        controller = next((one for one in self.devices if one.key == disk.controllerKey), None)
        bus = next((name for kind, name in _BUSES if isinstance(controller, kind)), "")
        return f"{bus}{controller.busNumber}:{disk.unitNumber}" if bus and controller else f"disk-{disk.key}"

    def disk(self, slot: str, of: ChangedObject) -> Any:
        """Return the disk in a slot. Raises NotFoundError."""
        found = next((disk for name, disk in self.disks if name == slot), None)
        if found is None:
            slots = ", ".join(name for name, _ in self.disks) or "none"
            raise NotFoundError(
                f"{of.name} has no disk {shown(slot, 60)}.", advice=f"Its disks are: {slots}."
            )
        return found


def read_devices(server: Server, of: ChangedObject) -> VmDevices:
    """Return the VM's devices as they are now. Raises SourceError, NotFoundError."""
    found = read_one(server.vsphere, "its disks", of, _PATHS)
    return VmDevices(
        version=str(found["config.changeVersion"] or ""),
        devices=tuple(found["config.hardware.device"] or ()),
        extra={str(one.key): str(one.value) for one in found["config.extraConfig"] or ()},
        home=str(found["config.files.vmPathName"] or found["summary.config.vmPathName"] or ""),
    )


def reconfigure(
    server: Server,
    of: ChangedObject,
    what: str,
    spec: Callable[[VmDevices], Any],
    holds: Callable[[], bool],
) -> None:
    """Reconfigure a VM as ``spec`` says of its present devices. Raises as ``Tasks.run``."""
    for tries_left in reversed(range(_TRIES)):
        asked = spec(read_devices(server, of))

        def start(connection: Connection, asked: Any = asked) -> Any:
            return managed(connection, of.kind, of.id).ReconfigVM_Task(asked)

        try:
            server.tasks.run(what, of, start, server.tasks.waits.reconfigure_s, holds)
        except SoapFault as fault:
            if fault.type_name != "ConcurrentAccess" or not tries_left:
                raise
        else:
            return
