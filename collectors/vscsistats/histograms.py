"""The histograms that a host keeps of a virtual disk's commands, as values.

Documented (VMware, "Using vscsiStats for Storage Performance Analysis"; ``vscsiStats -h``): six
quantities, each of all commands, and most of them of reads and writes apart; counted since the
collection was started or reset; a bucket counts the values above the limit before it, up to its own.
Inferred from a capture of an ESXi host: the last limit stands there twice, and its second bucket counts
what lies above it; a new command counts itself as outstanding.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import nan
from typing import Literal

import numpy as np

from sessions.model import FloatArray, IntArray

Quantity = Literal["size", "distance", "distance of 16", "latency", "outstanding", "interarrival"]
"""Bytes; blocks of 512 B from the end of the last command, and from the nearest of the last 16; µs;
commands; µs.
"""

Side = Literal["all", "reads", "writes"]


@dataclass(frozen=True, slots=True)
class CommandHistogram:
    """How many commands had which value: ``counts[i]`` up to ``limits[i]``, which increase.

    ``above`` counts those above the last limit. ``least``, ``most`` and ``mean`` are what the host printed.
    """

    limits: IntArray
    counts: IntArray
    above: int
    least: float
    most: float
    mean: float

    @property
    def total(self) -> int:
        """The number of commands."""
        return int(self.counts.sum()) + self.above

    @property
    def shares(self) -> FloatArray:
        """The part (0 to 1) of each bucket, what is above the last limit at the end; NaN without commands."""
        counts = np.append(self.counts, self.above).astype(np.float64)
        result: FloatArray = counts / (self.total or nan)
        return result

    def plus(self, other: CommandHistogram) -> CommandHistogram:
        """Return the commands of both. Raises ValueError if their buckets differ."""
        if self.limits.tolist() != other.limits.tolist():
            raise ValueError("histograms of other buckets")
        total = self.total + other.total
        mean = (self.mean * self.total + other.mean * other.total) / total if total else nan
        return CommandHistogram(
            self.limits,
            self.counts + other.counts,
            self.above + other.above,
            min(self.least, other.least),
            max(self.most, other.most),
            mean,
        )

    def is_continued_by(self, later: CommandHistogram) -> bool:
        """Return True if ``later`` can be the same histogram some time after, without a reset between."""
        same = self.limits.tolist() == later.limits.tolist()
        return same and bool((later.counts >= self.counts).all()) and later.above >= self.above


@dataclass(frozen=True, slots=True)
class DiskHistograms:
    """All histograms of a virtual disk. ``world_group`` is its VM's, ``handle`` its own, ``name`` as
    ``scsi0:0``.
    """

    world_group: str
    handle: str
    name: str
    histograms: Mapping[tuple[Quantity, Side], CommandHistogram]

    def of(self, quantity: Quantity, side: Side = "all") -> CommandHistogram | None:
        """Return a histogram; None if the host did not print it."""
        return self.histograms.get((quantity, side))

    def count(self, side: Side = "all") -> int:
        """Return how many commands there were."""
        found = self.of("size", side)
        return found.total if found is not None else 0
