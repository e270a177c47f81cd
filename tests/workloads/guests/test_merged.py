"""Merged percentiles of eight guests against every single I/O that they logged, and how they begin."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from collectors.fio.histogram import Histogram, bucket_of, merged
from collectors.fio.logs import read_log
from connections.known_hosts import KnownHosts
from tests.workloads.guests.machines import Machine, mixed, opened
from tests.workloads.guests.running import wait_until
from workloads.guests.worker import GuestOptions, GuestWorker
from workloads.together import on_all

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="the tests' guests are Linux"),
    pytest.mark.slow,
]


def test_percentiles_of_eight_guests_are_those_of_all_their_single_ios(
    eight: list[Machine], known: KnownHosts
) -> None:
    environment = opened(eight, known, GuestOptions(raw_logs=True))
    workers = environment.workers()
    for worker, machine in zip(workers, eight, strict=True):
        worker.prepare("run-1", mixed(machine.file(), runtime=4, depth=2))
    at = environment.now_ms() + 8000
    on_all(workers, lambda one: one.start(at))
    wait_until(lambda: all(one.poll().state in ("ended", "failed") for one in workers))
    assert {one.poll().state for one in workers} == {"ended"}
    results = [one.fetch() for one in workers]
    latencies, first_ios = [], []
    for worker in workers:
        folder = Path(worker.place("run-1").id)
        logs = [read_log(log.read_text(), log.name) for log in folder.glob("raw_clat.*.log")]
        latencies += [log.values.astype(np.int64) for log in logs]
        first_ios.append(min(int(log.times.min()) for log in logs))
    raw = Histogram.of_latencies(np.concatenate(latencies))
    last = [one[-1].workers[0] for one in results]
    together = merged(way.clat_ns.histogram for job in last for way in (job.read, job.write))
    assert together.total == raw.total
    for percent in (50, 95, 99, 99.9):
        mine, theirs = (
            int(bucket_of(np.array([int(one.percentile(percent))]))[0]) for one in (together, raw)
        )
        assert abs(mine - theirs) <= 1, percent
    averaged = np.mean([job.read.clat_ns.histogram.percentile(99) for job in last])
    assert averaged != together.percentile(99)  # what others do

    late = np.array(first_ios) - at
    assert (late >= 0).all()
    on_all(workers, GuestWorker.clean_up)
    environment.close()
