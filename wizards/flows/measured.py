"""What a test measured, as values: rounds, what each worker did in them, and the environment's counters.

The engine makes these values from the common window of all workers; a verdict is a pure function of them.
IOPS and MB/s of several workers are summed, mean latencies are weighted by I/Os, percentiles come from
merged histograms.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import isnan, nan
from typing import Literal

import numpy as np

from collectors.fio.histogram import Histogram, merged
from resources.foreign_text import shown
from resources.units import format_duration
from sessions.model import FloatArray, IntArray
from sessions.times import TimeRange
from workloads.environment import Disturbance, WorkSample

Role = Literal["", "critical", "competing", "heavy", "light"]
_MAX_WHY = 300

_NO_LATENCIES = Histogram(np.zeros(0, np.int64), np.zeros(0, np.int64))


@dataclass(frozen=True, slots=True)
class Transfers:
    """The reads or the writes of a worker in a round: how many, how many bytes, how long they took.

    ``mean_ms`` is NaN without I/O; ``latencies`` (ns) is empty where fio gave no histogram.
    """

    ios: int = 0
    bytes: int = 0
    mean_ms: float = nan
    latencies: Histogram = _NO_LATENCIES


@dataclass(frozen=True, slots=True)
class WorkerRound:
    """What one worker did in the common window of a round.

    ``host`` is the name of the host that its VM ran on, empty if unknown. ``samples`` are those of the
    window, oldest first. ``outstanding`` is the number of I/Os that its job keeps outstanding over all of
    its disks. ``depth_reached`` is the share of the time (0 to 1) in which it did, ``cpu`` the percent of
    one vCPU that fio took for each of its jobs; NaN where unknown. ``error`` is a sentence if its job
    failed.
    """

    worker: str
    reads: Transfers
    writes: Transfers
    role: Role = ""
    host: str = ""
    outstanding: float = nan
    samples: tuple[WorkSample, ...] = ()
    depth_reached: float = nan
    cpu: float = nan
    error: str = ""


@dataclass(frozen=True, slots=True)
class Observed:
    """The samples of one counter of one object in a round: ``counter`` is its key, ``of`` the display name.

    ``times`` (ms) increase; ``values`` have the counter's canonical unit, NaN where a sample is absent.
    """

    counter: str
    of: str
    times: IntArray
    values: FloatArray


@dataclass(frozen=True, slots=True)
class Round:
    """One phase of a test, measured once.

    ``step`` is the phase in the plan's words (``off``, ``weighted``, ``a``, ``depth 16``), ``number``
    counts its repetitions from 1, and the rounds of a test are given in the order in which they were
    measured. ``setting`` is the value of what a sweep varies, NaN in other tests. ``window`` is the time
    that all workers have in common. ``disturbances`` are what happened in it that can spoil it.
    ``observed`` are the counters of the environment, ``facts`` numbers that were read once at its end
    (``dedup_percent``, ``migrations``). ``phase`` is the name of the phase in the plan: several phases can
    be of one step, such as each worker alone.
    """

    step: str
    number: int
    window: TimeRange
    workers: tuple[WorkerRound, ...]
    setting: float = nan
    planned_seconds: float = nan
    observed: tuple[Observed, ...] = ()
    disturbances: tuple[Disturbance, ...] = ()
    facts: Mapping[str, float] = field(default_factory=dict)
    phase: str = ""

    @property
    def seconds(self) -> float:
        """The length of the common window."""
        return self.window.seconds

    def of_role(self, *roles: Role) -> tuple[WorkerRound, ...]:
        """Return the workers of these roles; all of them if none is named."""
        return tuple(one for one in self.workers if not roles or one.role in roles)

    def iops(self, *roles: Role) -> float:
        """Return the I/Os a second of these workers together."""
        return sum(one.reads.ios + one.writes.ios for one in self.of_role(*roles)) / self.seconds

    def mb_per_second(self, *roles: Role) -> float:
        """Return MB (2^20 bytes) a second of these workers together."""
        total = sum(one.reads.bytes + one.writes.bytes for one in self.of_role(*roles))
        return total / self.seconds / (1 << 20)

    def latency_ms(self, *roles: Role) -> float:
        """Return the mean latency over all I/Os of these workers; NaN without I/O."""
        return mean_ms(side for one in self.of_role(*roles) for side in (one.reads, one.writes))

    def percentile_ms(self, percent: float, *roles: Role) -> float:
        """Return a percentile of all I/Os of these workers, from their merged histograms; NaN without."""
        sides = (side for one in self.of_role(*roles) for side in (one.reads, one.writes))
        return merged(side.latencies for side in sides).percentile(percent) / 1e6

    def counter(self, keys: Iterable[str]) -> tuple[Observed, ...]:
        """Return what was observed of a counter, by the first of its keys that has any."""
        for key in keys:
            if found := tuple(one for one in self.observed if one.counter == key):
                return found
        return ()


@dataclass(frozen=True, slots=True)
class LostWorker:
    """A worker that failed or no longer answered, and took no part in the run from then on.

    ``phase`` is the title of the phase in which that was noticed at ``at`` (ms), ``after_s`` how many
    seconds after its beginning; ``why`` is a sentence.
    """

    worker: str
    phase: str
    at: int
    after_s: float
    why: str

    def sentence(self) -> str:
        """Return who was lost when and why, and what that means for the figures."""
        when = f"{format_duration(self.after_s)} after “{shown(self.phase, 80)}” began"
        return (
            f"{shown(self.worker)} was lost {when}: {shown(self.why, _MAX_WHY).rstrip('.')}. "
            "The round in which it failed is left out."
        )


@dataclass(frozen=True, slots=True)
class Measured:
    """All rounds of a test run, in the order in which they were measured.

    ``inputs`` are the numbers that the plan set (``dedupe_percent``, ``latency_threshold_ms``),
    ``shares`` those of each worker's disks. ``before`` says what was so before the test began (as
    ``Round.facts``), ``placements`` who ran where: by step, the host of each VM. ``worker_count`` is how
    many were planned. ``after_fill`` are facts that were read when the disks had been written, before
    anything was measured and overwritten. ``lost`` are the workers that failed, in the order in which
    they did.
    """

    rounds: tuple[Round, ...]
    worker_count: int = 0
    inputs: Mapping[str, float] = field(default_factory=dict)
    shares: Mapping[str, float] = field(default_factory=dict)
    before: Mapping[str, float] = field(default_factory=dict)
    placements: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    after_fill: Mapping[str, float] = field(default_factory=dict)
    lost: tuple[LostWorker, ...] = ()

    def of_step(self, step: str) -> tuple[Round, ...]:
        """Return the rounds of a step, in the order in which they were measured."""
        return tuple(one for one in self.rounds if one.step == step)

    def steps(self) -> tuple[str, ...]:
        """Return the steps, in the order in which they were measured first."""
        return tuple(dict.fromkeys(one.step for one in self.rounds))

    def disturbances(self) -> Iterator[Disturbance]:
        """Yield what disturbed the rounds, in their order."""
        for one in self.rounds:
            yield from one.disturbances


NOTHING_MEASURED = Measured(())


def mean_ms(sides: Iterable[Transfers]) -> float:
    """Return the mean latency of several transfers, weighted by their I/Os; NaN without I/O."""
    known = [side for side in sides if side.ios and not isnan(side.mean_ms)]
    total = sum(side.ios for side in known)
    return sum(side.mean_ms * side.ios for side in known) / total if total else nan
