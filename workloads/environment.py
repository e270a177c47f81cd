"""The interface between a test and what it acts on: settings, workers, time and events.

There are three environments: guests alone (over ssh), a vCenter with its guests, and the lab, which answers
with its own physics and its own clock. A test knows only what is here. Every call may raise SourceError,
with a sentence for a person; nothing here knows a window.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from collectors.feed import Controls, Feed
from collectors.fio.documents import Document
from sessions.journal import ChangedObject, Setting
from sessions.model import EntityRef
from sessions.times import TimeRange
from workloads.job_file import Disk, Guest

WorkerState = Literal["ready", "waiting", "running", "ended", "failed", "lost"]
"""``waiting``: started, and it sleeps until the agreed instant; ``lost``: it no longer answers."""


@dataclass(frozen=True, slots=True)
class TestObject:
    """Something that a test can act on or observe, such as a datastore, a host, a VM, a cluster.

    ``entity`` is its entity in the session. ``facts`` are what the checks and pages need to know of it, by
    name (``free_bytes``, ``iorm_supported``, ``version``); None is a fact that could not be read.
    ``parent`` is the id of the object that holds it (a VM's host, a host's cluster), empty for none.
    """

    __test__ = False  # pytest: this is none of its tests

    object: ChangedObject
    entity: EntityRef
    parent: str = ""
    facts: Mapping[str, Setting] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DiskIdentity:
    """A disk as its guest sees it now. ``path`` is stable (``/dev/disk/by-id/…``); ``uuid`` is its serial
    number.

    ``made_by`` is the id of the test run that created it, ``made_as`` the disk's name in its plan; both are
    empty for a disk that was given. ``in_use`` holds what speaks against writing to it, one sentence each: a
    partition table, a filesystem, LVM, ZFS or a Windows volume, a mount, a device on top of it. A disk
    without objection has none.
    """

    path: str
    uuid: str
    size_bytes: int
    made_by: str = ""
    in_use: tuple[str, ...] = ()
    made_as: str = ""


@dataclass(frozen=True, slots=True)
class WorkerFacts:
    """What a worker's guest said of itself. ``fio`` is its version, empty if there is none.

    ``clock_offset_ms`` is the guest's clock minus the environment's, ``clock_error_ms`` the half width of
    what is known of it. ``engines`` are the ioengines that its fio has. ``cpus`` counts its vCPUs.
    """

    guest: Guest
    fio: str
    engines: tuple[str, ...]
    cpus: int
    clock_offset_ms: float
    clock_error_ms: float
    disks: tuple[DiskIdentity, ...]
    free_bytes: int


@dataclass(frozen=True, slots=True)
class Work:
    """One job of a worker: its id in resources/fio, the inputs that differ from the defaults, the disks.

    ``disks`` are those that fio uses, ``identities`` what each of them must still be, checked in the guest
    just before the job starts; a file instead of a disk has no identity. ``seconds`` is how long the job
    takes, warm-up included; None until it has written everything.
    """

    job: str
    inputs: Mapping[str, int]
    disks: tuple[Disk, ...]
    identities: tuple[DiskIdentity, ...] = ()
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class WorkSample:
    """What a worker did until ``at`` (ms, the environment's clock) since the sample before.

    I/Os a second, MB (2^20 bytes) a second, and mean latencies in ms; NaN where there was no I/O.
    """

    at: int
    reads: float
    writes: float
    read_mb: float
    write_mb: float
    read_ms: float
    write_ms: float


@dataclass(frozen=True, slots=True)
class WorkerProgress:
    """A worker's state, and its samples since the call before. ``why`` is a sentence for ``failed`` and
    ``lost``."""

    state: WorkerState
    samples: tuple[WorkSample, ...] = ()
    why: str = ""


class Worker(Protocol):
    """A VM (or a machine) that does a test's I/O. Its calls come from one thread at a time.

    ``prepare`` → ``start`` → ``poll`` … → ``fetch`` is one job; ``stop`` may come at any moment,
    ``clean_up`` on every way out. A job that nobody has polled for 30 s is ended by the guest itself.
    """

    @property
    def name(self) -> str:
        """The display name: the VM's, or the address of a guest that is reached alone."""

    @property
    def entity(self) -> EntityRef:
        """The worker's own entity (kind ``worker``) in the session."""

    @property
    def vm(self) -> TestObject | None:
        """Its VM, None where no vCenter is known."""

    def inspect(self) -> WorkerFacts:
        """Ask the guest what it is and has. It changes nothing."""

    def place(self, run: str) -> ChangedObject:
        """Return what ``prepare`` will make for a test run, for the journal; this asks nobody.

        Its id is the value that its setting ``folder`` then has. Setting that to None ends what runs there.
        """

    def scratch(self, run: str, /) -> ChangedObject | None:
        """Return what asking the guest anything leaves there meanwhile, for the journal; None if nothing.

        It is called before anything else is asked for a run. Its setting is ``folder``, as that of ``place``.
        """

    def prepare(self, run: str, work: Work) -> ChangedObject:
        """Put the job where it will run, and start nothing; return ``place(run)``.

        What an earlier job of the run left there is removed first. Raises UsageError if a disk is not what
        ``work.identities`` say.
        """

    def start(self, at_ms: int) -> None:
        """Let the job begin at an instant of the environment's clock, by the guest's own clock.

        A guest that hears of it too late begins at once.
        """

    def poll(self) -> WorkerProgress:
        """Return the state and the newest samples; this also tells the guest that somebody still listens."""

    def fetch(self) -> tuple[Document, ...]:
        """Return fio's documents of the job that ended, in their order and with the environment's times.

        Each tells everything since the job's start.
        """

    def stop(self) -> None:
        """End the job now; nothing of it runs when this returns. It is no error if none runs."""

    def clean_up(self) -> None:
        """Remove everything that ``prepare`` made. It is no error if nothing is there."""


class Settings(Protocol):
    """The settings that a test may change, each read and written by its name.

    What is made and removed is a setting, too: a disk (``disk``), a placement (``host``), a lock
    (``attribute:vpw.lock``), a guest's process (``process``). None stands for what is not there.
    """

    def read(self, changed: ChangedObject, setting: str) -> Setting:
        """Return the present value. Raises NotFoundError if the object is gone."""

    def write(self, changed: ChangedObject, setting: str, value: Setting) -> None:
        """Set it, and return when the server says that it is done; reading it back is the caller's part."""


@dataclass(frozen=True, slots=True)
class Disturbance:
    """Something that happened in the environment and can spoil a measurement: vMotion, backup, HA, resync."""

    at: int
    kind: str
    text: str
    object: ChangedObject | None = None


class Environment(Protocol):
    """What a test acts on, opened and logged in. ``close`` ends all connections and threads."""

    @property
    def address(self) -> str:
        """The address without a password: ``lab:congested``, ``vcenter://admin@vc01``."""

    @property
    def settings(self) -> Settings:
        """The settings that can be changed here."""

    def objects(self) -> Sequence[TestObject]:
        """Return what there is: clusters, hosts, datastores, VMs, with their facts as they are now."""

    def workers(self) -> Sequence[Worker]:
        """Return the workers that were named or marked, in a lasting order."""

    def privileges(
        self, needed: Mapping[str, Sequence[ChangedObject]]
    ) -> Mapping[str, Sequence[ChangedObject]]:
        """Return the objects on which each needed privilege is lacking; empty where nothing lacks."""

    def now_ms(self) -> int:
        """Return the environment's time, ms since 1970: a vCenter's clock, or the lab's simulated one."""

    def begin(self, feed: Feed) -> None:
        """Begin to record the environment's own counters into the feed, until ``close``."""

    def wait(self, seconds: float, controls: Controls) -> bool:
        """Let that much of the environment's time pass; return True if the test should stop.

        In the lab the simulation advances; elsewhere this waits.
        """

    def disturbances(self, window: TimeRange) -> Sequence[Disturbance]:
        """Return what happened in a window of time, oldest first."""

    def close(self) -> None:
        """End everything that ``begin`` began, and log out."""
