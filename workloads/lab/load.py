"""What a job of resources/fio asks of the lab's disks and CPUs: its options as numbers of the simulation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from lab.acted import DiskLoad, LabJob
from lab.acted.virtual_disks import VirtualDisk
from resources.failures import UsageError
from resources.fio_jobs import FioJob, FioJobs
from workloads.environment import Work
from workloads.job_file import checked_inputs

_SUFFIXES = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
_SEEDS = 1 << 32


def lab_job(jobs: FioJobs, work: Work, disks: Sequence[VirtualDisk], begin_ms: int) -> LabJob:
    """Return the load of a job on these disks, which are those of ``work.disks`` in their order.

    Raises UsageError for an unknown job or a value outside its limits.
    """
    job = jobs.jobs.get(work.job)
    if job is None:
        raise UsageError(f"There is no job {work.job!r}.", advice="The jobs are in resources/fio.")
    options = _Options(job, checked_inputs(jobs.inputs_of(job), work.inputs))
    timed = bool(options.number("time_based", 0))
    warm_up = options.number("ramp_time", 0) if timed else 0
    run = options.number("runtime", 60) if timed or options.reads == 1.0 else None
    spin = options.number("thinktime_spin", 0)
    if spin:
        rate, count = options.number("rate_iops", 1), options.number("numjobs", 1)
        return LabJob(begin_ms, (), warm_up, run, cpu=min(rate * spin / 1e6, 1.0), cpu_rate=rate * count)
    loads = tuple(options.disk_load(disk, number, timed) for number, disk in enumerate(disks))
    return LabJob(begin_ms, loads, warm_up, run)


class _Options:
    """The options of a job with its inputs in them."""

    def __init__(self, job: FioJob, values: Mapping[str, int]) -> None:
        self._options = job.options
        self._values = values
        rates = self._rates()
        self.reads = self._reads(rates)
        self.rate = sum(rates) * self.number("numjobs", 1) if rates else math.inf

    def number(self, option: str, default: float) -> float:
        """Return an option's number: bytes for sizes, a share for percentages of a disk."""
        text = self._text(option)
        if not text:
            return default
        if text.endswith("%"):
            return float(text[:-1]) / 100.0
        unit = _SUFFIXES.get(text[-1], 0)
        return float(text[:-1]) * unit if unit else float(text)

    def disk_load(self, disk: VirtualDisk, number: int, timed: bool) -> DiskLoad:
        """Return what the job asks of one disk, the ``number``-th from 0."""
        block = self.number("bs", 4096)
        whole = self._extent(disk) * self.number("numjobs", 1) if "offset_increment" in self._options else 0.0
        extent = min(max(whole, self._extent(disk)), float(disk.size_bytes))
        return DiskLoad(
            slot=disk.slot,
            outstanding=self.number("iodepth", 1) * self.number("numjobs", 1),
            io_kb=block / 1024.0,
            reads=self.reads,
            rate=self.rate,
            working_bytes=extent,
            to_write=None if timed or self.reads == 1.0 else extent,
            one_block=extent <= block,
            sequential=not self._text("rw").startswith("rand"),
            content=self._content(number),
        )

    def _extent(self, disk: VirtualDisk) -> float:
        """The bytes of the disk that one job uses."""
        text = self._text("size")
        if not text:
            return float(disk.size_bytes)
        value = self.number("size", 1.0)
        is_share = text.endswith("%") or self._options.get("size") == "{working_set}"
        if is_share and not text.endswith("%"):
            value /= 100.0
        return value * disk.size_bytes if is_share else value

    def _content(self, number: int) -> tuple[int, float, float] | None:
        if self.reads == 1.0:
            return None
        seed = int(self.number("randseed", 0) + number) % _SEEDS
        dedupe = self.number("dedupe_percentage", 0) / 100.0
        return seed, dedupe, self.number("buffer_compress_percentage", 0) / 100.0

    def _reads(self, rates: Sequence[float]) -> float:
        if len(rates) == 2:
            return rates[0] / sum(rates)
        kind = self._text("rw").removeprefix("rand")
        if kind == "rw":
            return self.number("rwmixread", 50) / 100.0
        return 1.0 if kind == "read" else 0.0

    def _rates(self) -> list[float]:
        text = self._text("rate_iops")
        return [float(part) for part in text.split(",")] if text else []

    def _text(self, option: str) -> str:
        template = str(self._options.get(option, ""))
        return str(self._values[template[1:-1]]) if template.startswith("{") else template
