"""Which privileges for recording the account lacks; an account that sees no object at all is an error."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any

from pyVmomi import vim, vmodl

from connections.vsphere.faults import SoapFault
from connections.vsphere.logged_in import Connection
from connections.vsphere.session import VSphere, session_key
from resources.failures import PrivilegeError
from resources.vcenter_privileges import Privilege, privileges

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Missing:
    """A privilege that the account lacks on the root folder, and what it is needed for."""

    privilege: str
    gives: str

    def __str__(self) -> str:
        return f"The account lacks {self.privilege} on the root of the inventory: {self.gives}."


def missing_privileges(vsphere: VSphere) -> tuple[Missing, ...]:
    """Return the privileges that the account lacks on the root folder; it may have more further down.

    Raises PrivilegeError when it sees no host and no VM at all, SourceError.
    """
    wanted = privileges(vsphere.address.scheme)
    try:
        granted = vsphere.ask("its privileges", lambda connection: _granted(connection, wanted))
    except SoapFault as fault:  # it is no reason to end that a server can't say what an account may do
        _log.info("Privileges are not known: %s", fault.type_name)
        return ()
    lacking = tuple(one for one in wanted if one.id not in granted)
    needed = [one.id for one in lacking if one.in_read_only]
    if needed and not vsphere.ask("the list of hosts", _sees_anything):
        names = " and ".join(needed)
        raise PrivilegeError(
            f"{vsphere.address.user} sees no host and no VM of {vsphere.address.place}.",
            meaning=f"The account lacks {names} on the root of the inventory and on what is below it.",
            advice="Give it the read-only role on the root of the inventory, propagating to its children.",
        )
    return tuple(Missing(one.id, one.gives) for one in lacking)


def _granted(connection: Connection, wanted: tuple[Privilege, ...]) -> set[str]:
    manager = connection.content.authorizationManager
    root = connection.content.rootFolder
    try:
        key = session_key(connection) or ""
        answers = manager.HasPrivilegeOnEntities([root], key, [p.id for p in wanted])
    except vim.fault.NotAuthenticated:
        raise
    except (vim.fault.NoPermission, vmodl.fault.SecurityError):
        return set()
    return {item.privId for answer in answers for item in answer.privAvailability or () if item.isGranted}


def _sees_anything(connection: Connection) -> bool:
    try:
        return any(_count(connection, kind) for kind in (vim.HostSystem, vim.VirtualMachine))
    except vim.fault.NotAuthenticated:
        raise
    except vim.fault.NoPermission:
        return False


def _count(connection: Connection, kind: Any) -> int:
    content = connection.content
    view = content.viewManager.CreateContainerView(content.rootFolder, [kind], True)
    paths = vmodl.query.PropertyCollector
    spec = paths.FilterSpec(
        objectSet=[paths.ObjectSpec(obj=view)],
        propSet=[paths.PropertySpec(type=vim.view.ContainerView, pathSet=["view"])],
    )
    try:
        found = content.propertyCollector.RetrieveContents([spec])
        return sum(len(prop.val) for item in found for prop in item.propSet or ())
    finally:
        view.DestroyView()
