"""Keeps which VMs and datastores of the inventory a host tells of, and asks about those that are new."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from collectors.esxtop_names import HostColumns
from collectors.esxtop_service.reply import Reply
from collectors.esxtop_service.vm_identities import (
    GroupOfVm,
    Recognised,
    groups_of_vms,
    mounted_volumes,
    recognise,
    renaming,
)
from collectors.lasting_vms import Renaming
from connections.failures import ClosedError
from connections.vsphere.faults import SoapFault
from connections.vsphere.host_vms import (
    Above,
    VmProcess,
    cluster_of,
    datastores_on,
    processes_on,
    vms_on,
    vms_with,
)
from connections.vsphere.retry import is_transient
from connections.vsphere.session import VSphere
from resources.failures import SourceError
from sessions.model import Entity, EntityRef
from sessions.shared_devices import datastore_key

_ATTEMPTS = 3
"""For so many replies a VM that nobody knows is asked about: one that is just moving in is not listed yet."""
_log = logging.getLogger(__name__)


class VmBook:
    """The VMs of one host, ``moid`` in the inventory, whose entity is ``host``.

    ``above`` are the entities that the host and its VMs belong to, the outermost first.
    """

    def __init__(self, vsphere: VSphere, moid: str, host: EntityRef, name: str) -> None:
        self._vsphere, self._moid, self._host, self._name = vsphere, moid, host, name
        self._known: dict[int, Recognised] = {}
        self._attempts: dict[int, int] = {}
        self._parent: EntityRef | None = None
        self._is_placed = False
        self._urls: dict[str, str] = {}
        self._asked: frozenset[str] = frozenset()
        self._failures = 0
        self.above: tuple[Entity, ...] = ()

    def learn(self, reply: Reply) -> bool:
        """Ask about the groups that are new; return True if one that was stored already is known now.

        Raises SourceError for what passes.
        """
        self._place()
        self._look_at_volumes(mounted_volumes(reply))
        groups = groups_of_vms(reply)
        there = {group.id for group in groups}
        self._known = {number: one for number, one in self._known.items() if number in there}
        self._attempts = {number: count for number, count in self._attempts.items() if number in there}
        new = [one for one in groups if one.id not in self._known]
        new = [one for one in new if self._attempts.get(one.id, 0) < _ATTEMPTS]
        if not new:
            return False
        found = self._ask(groups)
        was_stored = any(self._attempts.get(group.id) and group.id in found for group in new)
        for group in new:
            self._attempts[group.id] = self._attempts.get(group.id, 0) + 1
        for number, one in found.items():
            self._known.setdefault(number, one)
        return was_stored

    def rename(self, columns: HostColumns, reply: Reply) -> tuple[HostColumns, Renaming]:
        """Return the columns with the lasting entities of VMs, and what these are."""
        made = renaming(columns, self._known, reply, self._host.key)
        for name in mounted_volumes(reply) & self._urls.keys():
            made.refs[EntityRef("datastore", name)] = EntityRef("datastore", datastore_key(self._urls[name]))
        parents = dict.fromkeys(made.how, self._parent or self._host)
        if self._parent is not None:
            parents[self._host] = self._parent
        return made.columns(columns, parents), made

    def host(self) -> Entity:
        """Return the host, below its cluster."""
        return Entity(self._host, self._name, self._parent)

    def _place(self) -> None:
        """Find the host's cluster, whose entities are those of a recording of the vCenter."""
        if self._is_placed:
            return
        about = self._vsphere.about
        site = about.instance_uuid or self._vsphere.address.host
        cluster = Above()
        if about.api_type == "VirtualCenter":
            try:
                cluster = cluster_of(self._vsphere, self._moid)
            except SourceError as error:
                self._raise_what_passes(error)
        if cluster.moid:
            server = EntityRef("vcenter", site)
            self._parent = EntityRef("cluster", f"{site}/{cluster.moid}")
            self.above = (
                Entity(server, self._vsphere.address.place),
                Entity(self._parent, cluster.name, server),
            )
        self._is_placed = True

    def _look_at_volumes(self, mounted: frozenset[str]) -> None:
        """Ask for the host's datastores when it has mounted one that nobody was asked about."""
        if mounted <= self._asked:
            return
        try:
            self._urls = datastores_on(self._vsphere, self._moid)
        except SourceError as error:
            self._raise_what_passes(error)
        self._asked = mounted

    def _ask(self, groups: Sequence[GroupOfVm]) -> dict[int, Recognised]:
        try:
            vms = vms_on(self._vsphere, self._moid)
        except SourceError as error:
            self._raise_what_passes(error)
            return {}
        self._failures = 0
        running = self._running()
        known = {vm.uuid for vm in vms}
        try:
            for one in running:  # a VM that is just moving in is still listed where it comes from
                if one.uuid and one.uuid not in known:
                    vms += vms_with(self._vsphere, one.uuid)
        except SourceError as error:
            self._raise_what_passes(error)
        return recognise(groups, list({vm.moid: vm for vm in vms}.values()), running)

    def _running(self) -> list[VmProcess]:
        """The host's own list; empty where the account, or the host, does not let it be asked."""
        try:
            return processes_on(self._vsphere, self._moid)
        except ClosedError:
            raise
        except SourceError as error:
            _log.info("esxcli does not tell a host's VMs: %s", type(error).__name__)
            return []

    def _raise_what_passes(self, error: SourceError) -> None:
        """Raise what may succeed later; what stays refused is done without."""
        self._failures += 1
        is_refusal = isinstance(error, SoapFault) or not is_transient(error)
        if isinstance(error, ClosedError) or (not is_refusal and self._failures < _ATTEMPTS):
            raise error
        _log.info("The VMs of a host are not told: %s", type(error).__name__)
