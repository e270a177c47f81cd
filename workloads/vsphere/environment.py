"""A vCenter that a test acts on: ``vcenter://user@host``."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from collectors.feed import Controls, Feed
from collectors.vsphere.collector import VSphereCollector
from collectors.vsphere.inventory.lookup import Identify
from collectors.vsphere.options import VSphereOptions
from connections.address import Address
from connections.known_hosts import KnownHosts
from connections.untrusted import Ask
from connections.vsphere.session import VSphere
from resources.failures import SourceError
from resources.vcenter_acting import load_acting
from sessions.identities import Identities
from sessions.journal import ChangedObject
from sessions.times import TimeRange
from workloads.environment import Disturbance, Settings, TestObject, Worker
from workloads.vsphere.clock import ServerClock
from workloads.vsphere.disturbances import DisturbanceReader
from workloads.vsphere.guests import EnvironmentSettings, GuestAccess, VmGuests
from workloads.vsphere.inventory.objects import Objects, ReadOptions
from workloads.vsphere.lacking import lacking_privileges
from workloads.vsphere.recording import Recording
from workloads.vsphere.settings.table import VSphereSettings
from workloads.vsphere.settings.values import Server
from workloads.vsphere.tasks import Progress, Tasks, no_progress

_READ_S = 60.0


@dataclass(frozen=True, slots=True)
class Access:
    """How to get into a vCenter: as for ``VSphere``. ``password`` is called for each login."""

    address: Address
    password: Callable[[], str]
    thumbprint: str | None = None
    known: KnownHosts | None = None
    ask: Ask | None = None


@dataclass(frozen=True, slots=True)
class VSphereChoice:
    """What of a vCenter a test uses.

    ``is_worker`` says of a VM's name whether it does the I/O; ``guests`` is the way into the VMs' guests,
    None if nothing runs there. ``recorded`` is what of the vCenter is recorded meanwhile.
    """

    is_worker: Callable[[str], bool] = lambda _name: False
    guests: GuestAccess | None = None
    recorded: VSphereOptions = field(default_factory=lambda: VSphereOptions(backfill=False, rollups=False))
    progress: Progress = no_progress


class VSphereEnvironment:
    """``workloads.environment.Environment`` of a vCenter. ``open`` before use, ``close`` after."""

    def __init__(self, access: Access, choice: VSphereChoice | None = None) -> None:
        self._access = access
        self._choice = choice or VSphereChoice()
        self._vsphere = VSphere(
            access.address,
            access.password,
            thumbprint=access.thumbprint,
            known=access.known,
            ask=access.ask,
            read_s=_READ_S,
        )
        self._known = load_acting()
        self._tasks = Tasks(self._vsphere, progress=self._choice.progress)
        self._clock = ServerClock(self._vsphere, self._known.waits)
        server = Server(self._vsphere, self._tasks, self._known)
        self._guests = VmGuests(server, self._choice.guests, self._clock)
        self._settings = EnvironmentSettings(VSphereSettings(server), self._guests)
        self._objects = Objects(self._vsphere, self._known, self._clock)
        self._disturbances = DisturbanceReader(self._vsphere)
        self._identify: Identify = Identities().identify
        self._recording: Recording | None = None
        self._workers: Sequence[Worker] | None = None
        self._lock = threading.Lock()

    def open(self) -> None:
        """Log in and measure the clock. Raises SourceError; after a failure it stays closed."""
        self._vsphere.open()
        try:
            self._clock.measure()
        except SourceError:
            self._vsphere.close()
            raise

    @property
    def address(self) -> str:
        """``vcenter://user@host``."""
        return str(self._access.address)

    @property
    def settings(self) -> Settings:
        """The settings that can be changed here: the vCenter's, and jobs' folders in its guests."""
        return self._settings

    @property
    def tasks(self) -> Tasks:
        """The tasks that changes wait for; they can be cancelled."""
        return self._tasks

    def objects(self) -> Sequence[TestObject]:
        """Return the vCenter, its clusters, hosts, datastores and VMs, with their facts as they are now."""
        return self._objects.read(ReadOptions(self._identify, self._choice.is_worker))

    def workers(self) -> Sequence[Worker]:
        """Return the workers, by the names of their VMs."""
        with self._lock:
            if self._workers is None:
                vms = [
                    one
                    for one in self.objects()
                    if one.object.kind == "VirtualMachine" and one.facts.get("is_worker")
                ]
                self._workers = self._guests.workers(vms)
            return self._workers

    def privileges(
        self, needed: Mapping[str, Sequence[ChangedObject]]
    ) -> Mapping[str, Sequence[ChangedObject]]:
        """Return the objects on which each needed privilege is lacking; empty where nothing lacks."""
        return lacking_privileges(self._vsphere, needed)

    def now_ms(self) -> int:
        """Return the vCenter's time, ms since 1970."""
        return self._clock.now_ms()

    def begin(self, feed: Feed) -> None:
        """Record the vCenter's counters, inventory and events into the feed until ``close``."""
        self._identify = feed.identify
        access = self._access
        collector = VSphereCollector(
            access.address,
            access.password,
            self._choice.recorded,
            thumbprint=access.thumbprint,
            known=access.known,
            ask=access.ask,
        )
        self._recording = Recording(collector, feed)
        self._recording.start()

    def wait(self, seconds: float, controls: Controls) -> bool:
        """Wait; return True if the test should stop. Raises what ended the recording, if something did."""
        if self._recording is not None:
            self._recording.check()
        return controls.wait(seconds)

    def disturbances(self, window: TimeRange) -> Sequence[Disturbance]:
        """Return what happened in a window of the vCenter's time, oldest first."""
        return self._disturbances.between(window)

    def close(self) -> None:
        """End the recording, log out, and end all threads. Never raises; may be repeated."""
        if self._recording is not None:
            self._recording.end()
        self._guests.close()
        self._vsphere.close()
