"""The guests of a vCenter's VMs: workers in them, and the settings of their jobs' folders."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from connections.vsphere.faults import SoapFault
from connections.vsphere.properties import GONE, gone
from connections.vsphere.session import VSphere
from connections.vsphere.tools.calls import GuestLogin
from resources.failures import UsageError
from resources.fio_jobs import FioJobs, load_fio_jobs
from resources.foreign_text import shown
from resources.vcenter_acting import GuestCalls
from sessions.journal import ChangedObject, Setting
from sessions.model import EntityRef
from workloads.environment import TestObject
from workloads.guests.contract import base_folder, scratch_of
from workloads.guests.folders import is_job_name, read_setting, write_setting
from workloads.guests.transport import GuestTransport
from workloads.guests.worker import DEFAULTS, GuestOptions, GuestWorker
from workloads.vsphere.clock import ServerClock
from workloads.vsphere.settings.made_disk import made_disks
from workloads.vsphere.settings.table import VSphereSettings
from workloads.vsphere.settings.values import Server
from workloads.vsphere.tools.guest import ToolsGuest

KIND = "guest"

_VM = "VirtualMachine"
_WINDOWS = "windows"

_SETTING = "folder"


class VmTransport(GuestTransport, Protocol):
    """A way into the guest of a VM, which can look for a folder without running anything there."""

    def has_folder(self, path: str) -> bool:
        """Return True if a folder is there."""

    def remove_folder(self, path: str) -> None:
        """Remove a folder with everything in it; it is no error if it is gone."""


TransportOf = Callable[[VSphere, ChangedObject, ServerClock], VmTransport]
"""Makes the way into a VM's guest, which tells its clock against the server's; it does not connect yet."""


def through_tools(
    login_of: Callable[[ChangedObject], GuestLogin], limits: GuestCalls | None = None
) -> TransportOf:
    """Return the way into guests through VMware Tools; ``login_of`` gives the account of a VM's guest.

    ``limits`` are those of resources/vcenter/acting.toml, and shorter in tests.
    """

    def transport(vsphere: VSphere, vm: ChangedObject, clock: ServerClock) -> VmTransport:
        return ToolsGuest(vsphere, vm, login_of(vm), ahead_ms=lambda: clock.offset_ms, limits=limits)

    return transport


@dataclass(frozen=True, slots=True)
class GuestAccess:
    """How guests are entered, and how load is launched in them."""

    transport_of: TransportOf
    jobs: FioJobs | None = None
    options: GuestOptions = DEFAULTS


class VmGuests:
    """The guests of one vCenter's VMs, each entered when it is first needed."""

    def __init__(self, server: Server, access: GuestAccess | None, clock: ServerClock) -> None:
        self._server, self._access, self._clock = server, access, clock
        self._open: dict[str, VmTransport] = {}
        self._lock = threading.Lock()

    def workers(self, vms: Sequence[TestObject]) -> list[GuestWorker]:
        """Return a worker for each VM, in their order. Raises UsageError where there is no way in."""
        if not vms:
            return []
        access = self._need_access()
        windows = [shown(vm.object.name) for vm in vms if vm.facts.get("guest_family") == _WINDOWS]
        if windows:
            raise UsageError(
                f"{', '.join(windows)}: load is launched only in Linux guests through VMware Tools.",
                advice="Choose VMs with Linux as workers.",
            )
        jobs = access.jobs or load_fio_jobs()
        return [
            GuestWorker(
                vm.object.name,
                EntityRef("worker", vm.entity.key),
                self.transport(vm.object),
                jobs,
                _Placer(vm.object),
                vm=vm,
                workers=len(vms),
                options=access.options,
                now_ms=self._clock.now_ms,
                made_disks=partial(made_disks, self._server, vm.object),
            )
            for vm in vms
        ]

    def transport(self, vm: ChangedObject) -> VmTransport:
        """Return the way into a VM's guest. Raises UsageError if none was given."""
        access = self._need_access()
        with self._lock:
            if vm.id not in self._open:
                self._open[vm.id] = access.transport_of(self._server.vsphere, vm, self._clock)
            return self._open[vm.id]

    def read(self, changed: ChangedObject, setting: str) -> Setting:
        """Return the value of a job's folder, ``folder`` or ``process``, or of that of scripts beside it.

        Raises NotFoundError if the VM is gone.
        """
        vm, folder = _placed(changed)
        transport = self.transport(vm)
        with _while_there(vm):
            if _is_scratch(folder) and setting == _SETTING:
                return changed.id if transport.has_folder(folder) else None
            transport.keep_in(scratch_of(folder))
            return read_setting(transport, folder, changed.id, setting)

    def write(self, changed: ChangedObject, setting: str, value: Setting) -> None:
        """Remove a folder, or end the job in it; only None can be written.

        Raises NotFoundError if the VM is gone.
        """
        vm, folder = _placed(changed)
        transport = self.transport(vm)
        with _while_there(vm):
            if _is_scratch(folder) and (setting, value) == (_SETTING, None):
                transport.remove_folder(folder)
                return
            transport.keep_in(scratch_of(folder))
            write_setting(transport, folder, setting, value)

    def close(self) -> None:
        """Close all ways in; jobs that still run end by themselves. Never raises."""
        with self._lock:
            transports, self._open = list(self._open.values()), {}
        for transport in transports:
            transport.close()

    def _need_access(self) -> GuestAccess:
        if self._access is None:
            raise UsageError(
                "No way into the guests was given.",
                meaning="Load runs in guests, through VMware Tools with an account of the guest.",
                advice="Give the user and the password of the guests.",
            )
        return self._access


class EnvironmentSettings:
    """``workloads.environment.Settings`` of a vCenter and of the guests of its VMs."""

    def __init__(self, vsphere: VSphereSettings, guests: VmGuests) -> None:
        self._vsphere, self._guests = vsphere, guests

    def read(self, changed: ChangedObject, setting: str) -> Setting:
        """Return the present value. Raises NotFoundError if the object is gone."""
        own = self._guests if changed.kind == KIND else self._vsphere
        return own.read(changed, setting)

    def write(self, changed: ChangedObject, setting: str, value: Setting) -> None:
        """Set it, and return when that is done."""
        own = self._guests if changed.kind == KIND else self._vsphere
        own.write(changed, setting, value)


class _Placer:
    """Makes what the journal names of a folder in one VM's guest: ``vm-42:/var/tmp/…``."""

    def __init__(self, vm: ChangedObject) -> None:
        self._vm = vm

    def __call__(self, folder: str) -> ChangedObject:
        return ChangedObject(self._vm.source, KIND, f"{self._vm.id}:{folder}", self._vm.name)


@contextmanager
def _while_there(vm: ChangedObject) -> Iterator[None]:
    """Raise NotFoundError where the server says that it has no such VM: its guest was deleted with it."""
    try:
        yield
    except SoapFault as fault:
        if fault.type_name == GONE:
            raise gone(vm) from fault
        raise


def _is_scratch(folder: str) -> bool:
    job, base = folder[: -len(scratch_of(""))], base_folder("linux")
    return folder == scratch_of(job) and job.startswith(base) and is_job_name(job.removeprefix(base))


def _placed(changed: ChangedObject) -> tuple[ChangedObject, str]:
    """The VM and the folder that a journal's object names."""
    moid, _, folder = changed.id.partition(":")
    return ChangedObject(changed.source, _VM, moid, changed.name), folder
