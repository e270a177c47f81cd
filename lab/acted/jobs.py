"""A load of the lab's workers: what each disk is asked, for how long, and what the CPUs do."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from lab.acted.latencies import LatencyCounts


@dataclass(frozen=True, slots=True)
class DiskLoad:
    """What a worker asks of one disk, known by its ``slot`` (``scsi0:1``).

    ``rate`` is the I/Os a second that it asks for, infinity for as many as possible; ``outstanding`` how many
    it keeps in flight at most. ``reads`` is a share. ``working_bytes`` is the part of the disk that is used.
    ``to_write`` bytes end the job on this disk, None for none. ``one_block`` is True if all I/Os go to one
    block, ``sequential`` if they follow each other. ``content`` says what writes put on the disk: seed, share
    of duplicates, share that compresses.
    """

    slot: str
    outstanding: float
    io_kb: float
    reads: float
    rate: float = np.inf
    working_bytes: float = 0.0
    to_write: float | None = None
    one_block: bool = False
    sequential: bool = False
    content: tuple[int, float, float] | None = None


@dataclass(frozen=True, slots=True)
class LabJob:
    """A job of one worker from ``begin_ms`` on: ``warm_up_s``, then ``run_s`` (None: until all is written).

    ``cpu`` is the share of each vCPU that its work takes, ``cpu_rate`` how many pieces of work that is a
    second; both 0 for a job of I/O. A job has disks or CPU work.
    """

    begin_ms: int
    disks: tuple[DiskLoad, ...]
    warm_up_s: float = 0.0
    run_s: float | None = None
    cpu: float = 0.0
    cpu_rate: float = 0.0

    @property
    def measured_ms(self) -> int:
        """The instant at which its warm-up ends."""
        return self.begin_ms + round(self.warm_up_s * 1000)

    @property
    def end_ms(self) -> int | None:
        """The instant at which it ends, None if it goes on until everything is written."""
        return None if self.run_s is None else self.measured_ms + round(self.run_s * 1000)


@dataclass(slots=True)
class DirectionTally:
    """What was done in one direction since the warm-up: I/Os, bytes, latencies."""

    ios: int = 0
    bytes: int = 0
    latencies: LatencyCounts = field(default_factory=LatencyCounts)

    def copy(self) -> DirectionTally:
        """Return what it is now, for a document of this moment."""
        return DirectionTally(self.ios, self.bytes, self.latencies.copy())


@dataclass(slots=True)
class DiskTally:
    """What was done on one disk. ``written`` bytes count from the start, warm-up included."""

    read: DirectionTally = field(default_factory=DirectionTally)
    write: DirectionTally = field(default_factory=DirectionTally)
    written: float = 0.0

    def copy(self) -> DiskTally:
        """Return what it is now, for a document of this moment."""
        return DiskTally(self.read.copy(), self.write.copy(), self.written)


@dataclass(frozen=True, slots=True)
class TickResult:
    """What a worker did in a tick that ended at ``at`` (ms): I/Os a second, MB a second, mean ms, NaN for
    none.
    """

    at: int
    reads: float
    writes: float
    read_mb: float
    write_mb: float
    read_ms: float
    write_ms: float
