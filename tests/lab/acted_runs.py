"""Runs of the lab that a test acts on: the same load on several VMs, and what each of them got."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lab import find_scenario, load_scenarios
from lab.acted import ActedLab, DiskLoad, LabJob
from sessions.model import FloatArray

DATA = "scsi0:1"
Acts = Callable[[ActedLab], None]


def acted(scenario: str, seed: int = 1) -> ActedLab:
    """A lab whose DRS stands still."""
    lab = ActedLab(find_scenario(load_scenarios(), scenario), seed=seed)
    lab.drs.behaviour = "manual"
    return lab


@dataclass
class Outcome:
    """Of each worker with load its I/Os a second and mean latency (ms), by tick after the warm-up."""

    iops: FloatArray
    latency: FloatArray
    active: float
    normalised_ms: float
    queue_depths: FloatArray


def run(lab: ActedLab, workers: Sequence[int], loads: Sequence[DiskLoad], *, minutes: float = 5) -> Outcome:
    """Run these loads on the workers together, one minute of warm-up first."""
    for place, load in zip(workers, loads, strict=True):
        lab.begin(lab.workers[place], LabJob(lab.now_ms, (load,), 60.0, minutes * 60.0))
    active, normalised, depths = [], [], []
    for tick in range(12 + round(minutes * 12)):
        lab.tick()
        if tick >= 12:
            active.append(float(lab.sioc.active[0]))
            normalised.append(float(lab.sioc.latency_ms[0]))
            depths.append(lab.sioc.queue_depths()[:, 0])
    results = [lab.jobs[lab.workers[place]].results[12:] for place in workers]
    iops = np.array([[one.reads + one.writes for one in mine] for mine in results])
    weighted = [
        [np.nan_to_num(one.read_ms) * one.reads + np.nan_to_num(one.write_ms) * one.writes for one in mine]
        for mine in results
    ]
    latency = np.array(weighted) / np.maximum(iops, 1e-9)
    return Outcome(
        iops, latency, float(np.mean(active)), float(np.mean(normalised)), np.stack(depths).mean(axis=0)
    )


def database(outstanding: float, rate: float = math.inf) -> DiskLoad:
    """8 KB, 70 % reads."""
    return DiskLoad(DATA, outstanding, 8.0, 0.7, rate)


def set_shares(lab: ActedLab, shares: Mapping[int, float]) -> None:
    """Give the data disks of workers (by their place) so many shares."""
    for place, count in shares.items():
        vm = lab.workers[place]
        lab.storage.shares[lab.disks.number(vm, DATA)] = count


def switch_sioc_on(lab: ActedLab, threshold_ms: float = 30.0) -> None:
    """On the first datastore."""
    lab.sioc.enabled[0] = True
    lab.sioc.threshold_ms[0] = threshold_ms
