"""Shares and IOPS limit of a VM's disks.

A disk is named by its slot (``scsi0:1``), as in the counters; one that a test made, by its name in the test
(``test-a``). Shares of disks are deprecated from vSphere 8.0 U3 on, the limit is not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyVmomi import vim

from resources.vcenter_acting import Acting
from sessions.journal import ChangedObject, Setting
from workloads.vsphere.settings.devices import VmDevices, read_devices, reconfigure
from workloads.vsphere.settings.made_disk import marked
from workloads.vsphere.settings.values import Server, as_whole

NO_LIMIT = -1.0


def read_shares(server: Server, of: ChangedObject, disk: str) -> Setting:
    """Return the disk's number of shares; where none are set they are normal."""
    allocation = _allocation(server, of, disk)
    shares = None if allocation is None else allocation.shares
    return float(server.known.normal_shares if shares is None else shares.shares)


def write_shares(server: Server, of: ChangedObject, disk: str, value: Setting) -> None:
    """Set the disk's shares; a number that is a level's becomes that level."""
    shares = as_whole(f"disk.shares:{disk}", value, server.known.values.disk_shares)

    def change(allocation: Any) -> None:
        allocation.shares = _shares_info(server.known, shares)

    what = f"setting the shares of {disk} of {of.name} to {shares}"
    _reallocate(server, of, disk, what, change, lambda: read_shares(server, of, disk) == shares)


def read_limit(server: Server, of: ChangedObject, disk: str) -> Setting:
    """Return the disk's limit in I/Os a second, -1 for none."""
    allocation = _allocation(server, of, disk)
    limit = None if allocation is None else allocation.limit
    return NO_LIMIT if limit is None or limit < 0 else float(limit)


def write_limit(server: Server, of: ChangedObject, disk: str, value: Setting) -> None:
    """Set the disk's limit in I/Os a second; -1 takes it away."""
    limits = server.known.values.disk_iops_limit
    limit = (
        -1 if value == NO_LIMIT else as_whole(f"disk.iops_limit:{disk}", value, limits, " (I/Os a second)")
    )

    def change(allocation: Any) -> None:
        allocation.limit = limit

    what = f"setting the IOPS limit of {disk} of {of.name} to {'none' if limit < 0 else limit}"
    _reallocate(server, of, disk, what, change, lambda: read_limit(server, of, disk) == limit)


def _allocation(server: Server, of: ChangedObject, disk: str) -> Any:
    return _device(read_devices(server, of), disk, of).storageIOAllocation


def _device(devices: VmDevices, disk: str, of: ChangedObject) -> Any:
    made = marked(devices, disk)
    return devices.disk(disk, of) if made is None else made


def _shares_info(known: Acting, shares: int) -> Any:
    return vim.SharesInfo(level=known.share_levels.get(shares, "custom"), shares=shares)


def _reallocate(
    server: Server,
    of: ChangedObject,
    disk: str,
    what: str,
    change: Callable[[Any], None],
    holds: Callable[[], bool],
) -> None:
    def spec(devices: VmDevices) -> Any:
        device = _device(devices, disk, of)
        if device.storageIOAllocation is None:
            device.storageIOAllocation = vim.StorageResourceManager.IOAllocationInfo()
        change(device.storageIOAllocation)
        edit = vim.vm.device.VirtualDeviceSpec(operation="edit", device=device)
        return vim.vm.ConfigSpec(changeVersion=devices.version or None, deviceChange=[edit])

    reconfigure(server, of, what, spec, holds)
