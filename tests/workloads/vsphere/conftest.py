"""vCenters to act on: the test vCenter, which fails on request, and vcsim, whose VMs have disk files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import msgspec
import pytest
from pyVmomi import vim

from connections.vsphere.address import parse_address
from connections.vsphere.session import VSphere
from resources.vcenter_acting import load_acting
from sessions.journal import ChangedObject
from tests.vcenter.conftest import start_vcenter, vcenter, vcsim
from tests.vcenter.running import PASSWORD, PlainVcsim, TestVCenter
from workloads.vsphere.settings.table import VSphereSettings
from workloads.vsphere.settings.values import Server
from workloads.vsphere.tasks import Tasks

__all__ = ["start_vcenter", "vcenter", "vcsim"]


@dataclass(frozen=True)
class Site:
    """A logged-in vCenter and what acts on it. ``told``: what the tasks reported, with the share done."""

    vsphere: VSphere
    tasks: Tasks
    settings: VSphereSettings
    told: list[tuple[str, float | None]]

    def all(self, kind: str) -> list[ChangedObject]:
        """The objects of a type, by name."""

        def question(connection: Any) -> list[ChangedObject]:
            content = connection.content
            view = content.viewManager.CreateContainerView(content.rootFolder, [getattr(vim, kind)], True)
            source = str(self.vsphere.address)
            return [ChangedObject(source, kind, one._moId, one.name) for one in view.view]

        return sorted(self.vsphere.ask("the inventory", question), key=lambda one: one.name)

    def first(self, kind: str) -> ChangedObject:
        return self.all(kind)[0]


Open = Callable[..., Site]


@pytest.fixture
def site() -> Iterator[Open]:
    """Log in: ``site(server)``; ``reconfigure_s=1`` and such replace waits, ``read_s`` the time-out."""
    with ExitStack() as opened:

        def connect(
            server: TestVCenter | PlainVcsim, read_s: float = 20.0, password: str = PASSWORD, **waits: float
        ) -> Site:
            vsphere = VSphere(
                parse_address(server.address),
                lambda: password,
                thumbprint=server.thumbprint,
                read_s=read_s,
            )
            opened.enter_context(vsphere)
            told: list[tuple[str, float | None]] = []
            known = load_acting()
            tasks = Tasks(
                vsphere,
                progress=lambda what, share: told.append((what, share)),
                waits=msgspec.structs.replace(known.waits, **waits),
            )
            return Site(vsphere, tasks, VSphereSettings(Server(vsphere, tasks, known)), told)

        yield connect
