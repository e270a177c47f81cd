"""Where a VM runs: the host, within its cluster; moved by vMotion, or while it is off."""

from __future__ import annotations

from typing import Any

from pyVmomi import vim

from connections.vsphere.logged_in import Connection
from connections.vsphere.properties import managed, read_one
from resources.failures import UsageError
from sessions.journal import ChangedObject, Setting
from workloads.vsphere.settings.values import Server, as_text

_HOST = "runtime.host"


def read(server: Server, of: ChangedObject, _name: str) -> Setting:
    """Return the moid of the VM's host."""
    host = read_one(server.vsphere, "its host", of, [_HOST])[_HOST]
    return None if host is None else str(host._moId)


def write(server: Server, of: ChangedObject, _name: str, value: Setting) -> None:
    """Move the VM to another host of its cluster; its resource pool, folder and disks stay.

    Raises UsageError for a host of another cluster: there the VM would lose its resource pool.
    """
    target = as_text("host", value)
    present = read(server, of, "")
    if present == target:
        return
    there = _host(server, target)
    if isinstance(present, str) and _parent(server, present) != _parent(server, target):
        raise UsageError(
            f"{of.name} can't be moved to a host of another cluster.",
            meaning="It would leave its resource pool, which can't be put back.",
            advice="Choose a host of the same cluster.",
        )

    def start(connection: Connection) -> Any:
        spec = vim.vm.RelocateSpec(host=managed(connection, "HostSystem", target))
        return managed(connection, of.kind, of.id).RelocateVM_Task(spec)

    name = read_one(server.vsphere, "its hosts", there, ["name"])["name"]
    server.tasks.run(
        f"moving {of.name} to {name}",
        of,
        start,
        server.tasks.waits.relocate_s,
        lambda: read(server, of, "") == target,
    )


def _host(server: Server, moid: str) -> ChangedObject:
    return ChangedObject(str(server.vsphere.address), "HostSystem", moid, f"The host {moid}")


def _parent(server: Server, host: str) -> str:
    """The moid of the compute resource that a host belongs to."""
    parent = read_one(server.vsphere, "its hosts", _host(server, host), ["parent"])["parent"]
    return "" if parent is None else str(parent._moId)
