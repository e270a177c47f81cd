"""A place for one more disk on a VM: a free unit of a SCSI controller, else a controller of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pyVmomi import vim

from resources.failures import UsageError
from sessions.journal import ChangedObject
from workloads.vsphere.settings.devices import VmDevices

# vSphere Virtual Machine Administration, "SCSI and SATA storage controller limits": four controllers, units
# 0 to 15 of which 7 is the controller's own.
_UNITS = tuple(unit for unit in range(16) if unit != 7)
_BUSES = range(4)
_NEW_CONTROLLER = -101


@dataclass(frozen=True, slots=True)
class FreeSlot:
    """A free unit; ``new_controller`` is the controller to be added for it, None if there is one."""

    name: str
    controller_key: int
    unit: int
    new_controller: Any = None


def free_slot(devices: VmDevices, of: ChangedObject) -> FreeSlot:
    """Return the best place for a new disk: a paravirtual controller first. Raises UsageError if full."""
    controllers = [one for one in devices.devices if isinstance(one, vim.vm.device.VirtualSCSIController)]
    controllers.sort(key=lambda one: not isinstance(one, vim.vm.device.ParaVirtualSCSIController))
    for controller in controllers:
        taken = {one.unitNumber for one in devices.devices if one.controllerKey == controller.key}
        unit = next((unit for unit in _UNITS if unit not in taken), None)
        if unit is not None:
            return FreeSlot(f"scsi{controller.busNumber}:{unit}", controller.key, unit)
    used = {controller.busNumber for controller in controllers}
    bus = next((bus for bus in _BUSES if bus not in used), None)
    if bus is None:
        raise UsageError(
            f"{of.name} has no room for another disk.", advice="All its SCSI controllers are full."
        )
    made = vim.vm.device.ParaVirtualSCSIController(key=_NEW_CONTROLLER, busNumber=bus, sharedBus="noSharing")
    return FreeSlot(f"scsi{bus}:0", _NEW_CONTROLLER, 0, made)
