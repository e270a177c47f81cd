"""A worker that takes part in a run: its disks, its place in the journal, what it did in this phase."""

from __future__ import annotations

from collections.abc import Sequence

from collectors.fio.documents import Document
from resources.foreign_text import shown
from sessions.journal import JournalEntry
from wizards.flows.plan import PlannedWork, PlannedWorker
from workloads.environment import DiskIdentity, Work, Worker, WorkSample
from workloads.job_file import Disk
from workloads.journal import Changes, Wanted

FOLDER = "folder"


class ActiveWorker:
    """One worker of a run.

    ``identities`` are its disks as they must be. ``samples`` and ``documents`` (a list for each job) are
    those of the present phase; ``error`` is why it is out of it since ``failed_at`` (ms), empty while all is
    well.
    """

    def __init__(
        self,
        worker: Worker,
        planned: PlannedWorker,
        identities: Sequence[DiskIdentity],
        changes: Changes,
    ) -> None:
        self.worker, self.planned = worker, planned
        self.name = planned.name
        self.identities = tuple(identities)
        names = [disk.name for disk in planned.disks]
        self.disks = tuple(Disk(name, one.path) for name, one in zip(names, identities, strict=True))
        self._all_disks, self._all_identities = self.disks, self.identities
        self.host = planned.host
        self.work: PlannedWork | None = None
        self.depth = self.jobs_each_disk = 1.0
        self.samples: list[WorkSample] = []
        self.documents: list[tuple[Document, ...]] = []
        self.is_running = False
        self.started_at = self.failed_at = 0
        self.error = ""
        self._changes = changes
        self._place: JournalEntry | None = None

    def begin_phase(self, run: str) -> None:
        """Forget the phase before; write down the folder that the job will be in before it is made."""
        self.samples, self.documents, self.error = [], [], ""
        self.work, self.is_running = None, False
        if self._place is None:
            place = self.worker.place(run)
            self._place = self._changes.intend(Wanted(place, FOLDER, place.id))

    def fail(self, why: str, at: int) -> None:
        """Take it out of the phase; the first reason counts."""
        self.is_running = False
        if not self.error:
            self.error, self.failed_at = why or f"{shown(self.name)} was lost.", at

    def confirm(self) -> None:
        """Write down that the folder is there."""
        if self._place is not None:
            self._place = self._changes.confirm(self._place)

    @property
    def kept_change(self) -> str:
        """The id of the change that stands for the folder, empty before there is one."""
        return self._place.id if self._place is not None else ""

    def use(self, names: Sequence[str]) -> None:
        """Choose the disks of the next job by name, all if none is named."""
        chosen = [
            (disk, identity)
            for disk, identity in zip(self._all_disks, self._all_identities, strict=True)
            if not names or disk.name in names
        ]
        self.disks = tuple(disk for disk, _ in chosen)
        self.identities = tuple(identity for _, identity in chosen)

    def prepare(self, run: str, work: Work) -> None:
        """Put a job in place."""
        self.worker.prepare(run, work)

    def start(self, at_ms: int) -> None:
        """Start the prepared job at an instant of the environment's clock."""
        self.worker.start(at_ms)
        self.started_at, self.is_running = at_ms, True

    def keep(self, documents: Sequence[Document]) -> None:
        """Keep what a job's fio wrote."""
        if documents:
            self.documents.append(tuple(documents))
