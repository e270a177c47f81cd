"""Guests alone as the environment of a test: machines that are reached over ssh, and no vCenter."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from collectors.feed import Controls, Feed
from resources.failures import NotFoundError
from resources.fio_jobs import FioJobs, load_fio_jobs
from resources.foreign_text import shown
from sessions.journal import ChangedObject, Setting
from sessions.model import EntityRef
from sessions.times import TimeRange
from workloads.environment import Disturbance, Settings, TestObject, WorkerFacts
from workloads.guests.folders import read_setting, write_setting
from workloads.guests.lock_file import LOCK, read_lock, write_lock
from workloads.guests.transport import GuestTransport
from workloads.guests.worker import DEFAULTS, GuestOptions, GuestWorker
from workloads.together import on_all

KIND = "guest"


class GuestSettings:
    """The settings of jobs' folders in guests, and the guests' locks; guests are known by their addresses."""

    def __init__(self, guests: Mapping[str, GuestTransport]) -> None:
        self._guests = guests

    def read(self, changed: ChangedObject, setting: str) -> Setting:
        """Return the present value. Raises NotFoundError for a guest that this environment lacks."""
        guest = self._guest(changed)
        if setting == LOCK:
            return read_lock(guest)
        return read_setting(guest, changed.id, changed.id, setting)

    def write(self, changed: ChangedObject, setting: str, value: Setting) -> None:
        """Take or free the lock; remove a job's folder or end its job, which takes only None."""
        guest = self._guest(changed)
        if setting == LOCK:
            write_lock(guest, value)
        else:
            write_setting(guest, changed.id, setting, value)

    def _guest(self, changed: ChangedObject) -> GuestTransport:
        if changed.kind != KIND or changed.source not in self._guests:
            raise NotFoundError(
                f"{shown(changed.name)} is none of these guests.",
                meaning=f"Its address is {shown(changed.source)}.",
                advice="Name its address, too.",
            )
        return self._guests[changed.source]


class GuestsEnvironment:
    """Guests alone: workers, and nothing that could be changed but their own jobs.

    ``guests`` are open transports by address. Their entities are named after their addresses.
    """

    def __init__(
        self,
        guests: Mapping[str, GuestTransport],
        jobs: FioJobs | None = None,
        options: GuestOptions = DEFAULTS,
    ) -> None:
        self._guests = dict(guests)
        self._settings = GuestSettings(self._guests)
        known = load_fio_jobs() if jobs is None else jobs
        self._workers = [
            GuestWorker(
                transport.place,
                EntityRef("worker", transport.place),
                transport,
                known,
                _Placer(address, transport.place),
                workers=len(self._guests),
                options=options,
            )
            for address, transport in self._guests.items()
        ]

    @property
    def address(self) -> str:
        """The guests' addresses, without passwords."""
        return " ".join(self._guests)

    @property
    def settings(self) -> Settings:
        """The settings that can be changed here: locks, folders and processes of jobs."""
        return self._settings

    def objects(self) -> Sequence[TestObject]:
        """Return the guests, with what each said of itself when it was last inspected; this asks nobody."""
        return [
            TestObject(
                ChangedObject(address, KIND, address, worker.name), worker.entity, "", _facts(worker.facts)
            )
            for address, worker in zip(self._guests, self._workers, strict=True)
        ]

    def workers(self) -> Sequence[GuestWorker]:
        """Return a worker for each guest, in the order of the addresses."""
        return self._workers

    def privileges(
        self,
        needed: Mapping[str, Sequence[ChangedObject]],  # noqa: ARG002 - of the interface
    ) -> Mapping[str, Sequence[ChangedObject]]:
        """Return what is lacking of a vCenter's privileges: nothing, for there is none."""
        return {}

    def now_ms(self) -> int:
        """Return this machine's time: that of guests alone is measured against it."""
        return time.time_ns() // 1_000_000

    def begin(self, feed: Feed) -> None:
        """Record nothing: guests alone have no counters but the workers' own."""

    def wait(self, seconds: float, controls: Controls) -> bool:
        """Wait, and return True if the test should stop."""
        return controls.wait(seconds)

    def disturbances(self, window: TimeRange) -> Sequence[Disturbance]:  # noqa: ARG002 - of the interface
        """Return nothing: nobody tells what happens to guests alone."""
        return ()

    def close(self) -> None:
        """Close all connections; jobs that still run end by themselves."""
        on_all(list(self._guests.values()), lambda guest: guest.close())


def _facts(said: WorkerFacts | None) -> Mapping[str, Setting]:
    if said is None:
        return {}
    return {
        "fio_version": said.fio,
        "cpus": said.cpus,
        "free_bytes": said.free_bytes,
        "clock_offset_ms": said.clock_offset_ms,
    }


class _Placer:
    """Makes what the journal names of a folder in one guest."""

    def __init__(self, address: str, name: str) -> None:
        self._address, self._name = address, name

    def __call__(self, folder: str) -> ChangedObject:
        return ChangedObject(self._address, KIND, folder, self._name)
