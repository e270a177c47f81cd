"""Capacity disks that are far slower than their siblings: a hot block, as duplicates or zeros make it."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan
from statistics import median

import numpy as np

from resources.study_numbers import DedupStudy
from wizards.flows.measured import Measured


@dataclass(frozen=True, slots=True)
class HotDisk:
    """A disk, its mean read latency in ms, and how many times the median of its disk group that is."""

    disk: str
    latency_ms: float
    factor: float


def slowest_disk(measured: Measured, study: DedupStudy) -> HotDisk | None:
    """Return the disk that stands out most from its group; None if none was observed.

    A disk's name is ``group/disk``; without a group all disks count as one.
    """
    groups: dict[str, dict[str, list[float]]] = {}
    for one in measured.rounds:
        for seen in one.counter(study.counters.capacity_latency):
            known = seen.values[~np.isnan(seen.values)]
            if known.size:
                group = seen.of.rpartition("/")[0]
                groups.setdefault(group, {}).setdefault(seen.of, []).append(float(known.mean()))
    found: list[HotDisk] = []
    for disks in groups.values():
        means = {name: max(values) for name, values in disks.items()}
        if len(means) > 1 and (middle := median(means.values())) > 0:
            found += [HotDisk(name, ms, ms / middle) for name, ms in means.items() if not isnan(ms)]
    return max(found, key=lambda disk: disk.factor, default=None)
