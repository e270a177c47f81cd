"""Merged percentiles of guests through VMware Tools against every single I/O that they logged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from collectors.fio.histogram import Histogram, bucket_of, merged
from collectors.fio.logs import read_log
from connections.vsphere.address import parse_address
from connections.vsphere.tools.calls import GuestLogin
from tests.vcenter.load_site import LoadSite, needs_own_systems, scenario
from tests.vcenter.running import GUEST_PASSWORD, GUEST_USER, PASSWORD, TestVCenter
from tests.workloads.guests.running import needs_fio, wait_until
from tests.workloads.vsphere.test_tools import QUICK
from workloads.environment import Work, Worker
from workloads.guests.worker import GuestOptions
from workloads.job_file import Disk
from workloads.together import on_all
from workloads.vsphere.environment import Access, VSphereChoice, VSphereEnvironment
from workloads.vsphere.guests import GuestAccess, through_tools

pytestmark = pytest.mark.slow


def test_percentiles_of_four_guests_are_those_of_all_their_single_ios(
    start_vcenter: Callable[..., TestVCenter], tmp_path: Path
) -> None:
    needs_own_systems()
    needs_fio()
    server = start_vcenter(scenario(tmp_path, vms=4), rollup_days=0, guest_machines=True, disk_uuids=True)
    login = through_tools(lambda _vm: GuestLogin(GUEST_USER, lambda: GUEST_PASSWORD), QUICK)
    access = GuestAccess(login, options=GuestOptions(raw_logs=True))
    environment = VSphereEnvironment(
        Access(parse_address(server.address), lambda: PASSWORD, server.thumbprint),
        VSphereChoice(is_worker=lambda _name: True, guests=access),
    )
    environment.open()
    try:
        workers = environment.workers()
        on_all(workers, _prepare)
        at = environment.now_ms() + 8000
        on_all(workers, lambda one: one.start(at))
        wait_until(lambda: all(one.poll().state in ("ended", "failed") for one in workers))
        assert [one.poll().state for one in workers] == ["ended"] * 4
        latencies = []
        for worker in workers:
            moid, _, folder = worker.place("run-1").id.partition(":")
            [inside] = server.folder.glob(f"testvc-guests-*/{moid}/var-tmp/{Path(folder).name}")
            logs = [read_log(log.read_text(), log.name) for log in inside.glob("raw_clat.*.log")]
            latencies += [log.values.astype(np.int64) for log in logs]
        raw = Histogram.of_latencies(np.concatenate(latencies))
        last = [one.fetch()[-1].workers[0] for one in workers]
        together = merged(way.clat_ns.histogram for job in last for way in (job.read, job.write))
        assert together.total == raw.total
        for percent in (50, 95, 99, 99.9):
            mine, theirs = (
                int(bucket_of(np.array([int(one.percentile(percent))]))[0]) for one in (together, raw)
            )
            assert abs(mine - theirs) <= 1, percent
        on_all(workers, lambda one: one.clean_up())
        assert set().union(*LoadSite(server).files().values()) == set()
    finally:
        environment.close()


def _prepare(worker: Worker) -> None:
    [disk] = [one for one in worker.inspect().disks if not one.in_use]
    told = {"depth": 2, "warm_up": 0, "runtime": 4}
    worker.prepare("run-1", Work("random-mixed", told, (Disk("test", disk.path),), (disk,), seconds=4.0))
