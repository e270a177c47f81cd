"""The VMs of an inventory as guests: by which name they are chosen, and whether VMware Tools answer there."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import unquote

from pyVmomi import vim, vmodl

from connections.vsphere.logged_in import Connection
from connections.vsphere.session import VSphere

_PATHS = (
    "name",
    "config.uuid",
    "config.template",
    "runtime.powerState",
    "guest.toolsRunningStatus",
    "guest.guestFamily",
)


@dataclass(frozen=True, slots=True)
class GuestVm:
    """A VM: its id, its name, the UUID of its BIOS (empty if unknown), and the state of its guest."""

    moid: str
    name: str
    uuid: str
    is_on: bool
    has_tools: bool
    is_windows: bool


def guest_vms(vsphere: VSphere) -> list[GuestVm]:
    """Return the VMs that the account sees, by name; no templates. Raises SourceError."""
    return vsphere.ask("its VMs", _vms)


def _vms(connection: Connection) -> list[GuestVm]:
    content = connection.content
    view = content.viewManager.CreateContainerView(content.rootFolder, [vim.VirtualMachine], True)
    paths = vmodl.query.PropertyCollector
    walk = paths.TraversalSpec(name="view", path="view", skip=False, type=vim.view.ContainerView)
    spec = paths.FilterSpec(
        objectSet=[paths.ObjectSpec(obj=view, skip=True, selectSet=[walk])],
        propSet=[paths.PropertySpec(type=vim.VirtualMachine, pathSet=list(_PATHS))],
    )
    try:
        found = content.propertyCollector.RetrieveContents([spec])
    finally:
        view.DestroyView()
    vms = []
    for one in found:
        told = {prop.name: prop.val for prop in one.propSet or ()}
        if told.get("name") and not told.get("config.template"):
            vms.append(
                GuestVm(
                    str(one.obj._moId),
                    unquote(str(told["name"])),
                    str(told.get("config.uuid", "") or "").lower(),
                    str(told.get("runtime.powerState", "poweredOn")) == "poweredOn",
                    str(told.get("guest.toolsRunningStatus", "")) != "guestToolsNotRunning",
                    str(told.get("guest.guestFamily", "")) == "windowsGuest",
                )
            )
    return sorted(vms, key=lambda vm: vm.name)
