"""Load in guests over real sshds with real fio: from inspection to the result, and every way out."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from connections.known_hosts import KnownHosts
from resources.failures import NotFoundError, UsageError
from tests.workloads.guests.machines import Machine, mixed, opened
from tests.workloads.guests.running import fios, wait_until
from workloads.environment import WorkerProgress, WorkSample
from workloads.guests.environment import GuestsEnvironment
from workloads.guests.worker import GuestWorker
from workloads.job_file import Disk
from workloads.together import on_all

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="the tests' guests are Linux"),
    pytest.mark.slow,
]


def follow(
    workers: Sequence[GuestWorker], until: Callable[[WorkerProgress], bool], within_s: float = 60.0
) -> tuple[list[WorkerProgress], list[list[WorkSample]]]:
    """Poll workers until that holds of each; their last progress, and all their samples."""
    samples: list[list[WorkSample]] = [[] for _ in workers]
    deadline = time.monotonic() + within_s
    while True:
        progress = [worker.poll() for worker in workers]
        for mine, one in zip(samples, progress, strict=True):
            mine.extend(one.samples)
        if all(until(one) for one in progress):
            return progress, samples
        assert time.monotonic() < deadline, progress
        time.sleep(0.1)


def is_over(progress: WorkerProgress) -> bool:
    return progress.state in ("ended", "failed")


def run_one(
    environment: GuestsEnvironment, disk: Disk, **inputs: int
) -> tuple[GuestWorker, list[WorkSample]]:
    worker = environment.workers()[0]
    worker.prepare("run-1", mixed(disk, **inputs))
    worker.start(environment.now_ms() + 1500)
    progress, samples = follow([worker], is_over)
    assert progress[0].state == "ended", progress[0].why
    return worker, samples[0]


def test_a_guest_says_what_it_is_and_has(machine: Machine, known: KnownHosts) -> None:
    environment = opened([machine], known)
    worker = environment.workers()[0]
    facts = worker.inspect()
    assert facts.fio.startswith(("3.", "4."))
    assert "libaio" in facts.engines
    assert facts.cpus == os.cpu_count()
    assert facts.free_bytes > 0
    assert abs(facts.clock_offset_ms) <= facts.clock_error_ms + 1
    assert facts.clock_error_ms < 500
    assert worker.name == machine.server.address.place
    assert environment.objects()[0].facts["fio_version"] == facts.fio
    environment.close()


def test_a_job_from_start_to_result(machine: Machine, known: KnownHosts) -> None:
    environment = opened([machine], known)
    worker, samples = run_one(environment, machine.file(), runtime=4)
    document = worker.fetch()[-1]
    job = document.workers[0]
    assert job.read.clat_ns.histogram.total == job.read.total_ios > 0
    assert job.write.clat_ns.histogram.total == job.write.total_ios > 0
    assert len(samples) >= 3
    runtime_s = job.read.runtime / 1000
    mean = sum(one.reads for one in samples) / len(samples)
    assert mean == pytest.approx(job.read.total_ios / runtime_s, rel=0.5)
    assert all(one.read_ms > 0 and one.write_mb >= 0 for one in samples)
    assert abs(samples[-1].at - time.time() * 1000) < 20_000
    worker.clean_up()
    assert not Path(worker.place("run-1").id).exists()
    environment.close()


def test_states_on_the_way(machine: Machine, known: KnownHosts) -> None:
    environment = opened([machine], known)
    worker = environment.workers()[0]
    assert worker.poll().state == "ready"
    worker.prepare("run-1", mixed(machine.file(), runtime=2))
    assert worker.poll().state == "ready"
    worker.start(environment.now_ms() + 3000)
    assert worker.poll().state == "waiting"
    follow([worker], lambda progress: progress.state == "running")
    follow([worker], lambda progress: progress.state == "ended")
    assert worker.poll().state == "ended"
    worker.clean_up()
    worker.clean_up()
    environment.close()


def test_what_the_journal_names_is_undone_by_its_setting(machine: Machine, known: KnownHosts) -> None:
    environment = opened([machine], known)
    worker = environment.workers()[0]
    place = worker.place("run-1")
    settings = environment.settings
    assert settings.read(place, "folder") is None
    assert settings.read(place, "process") is None
    assert worker.prepare("run-1", mixed(machine.file(), runtime=300)) == place
    assert settings.read(place, "folder") == place.id
    worker.start(environment.now_ms())
    wait_until(lambda: settings.read(place, "process") is not None)
    assert place.id in str(settings.read(place, "process"))
    environment.close()

    after_a_crash = opened([machine], known)
    after_a_crash.settings.write(place, "folder", None)
    assert after_a_crash.settings.read(place, "folder") is None
    assert not fios(place.id)
    after_a_crash.settings.write(place, "folder", None)  # restoring twice is no error
    with pytest.raises(UsageError, match="no setting"):
        after_a_crash.settings.read(place, "iorm.enabled")
    after_a_crash.close()


def test_a_guest_of_another_environment_is_not_touched(machine: Machine, known: KnownHosts) -> None:
    environment = opened([machine], known)
    place = environment.workers()[0].place("run-1")
    stranger = type(place)("ssh://root@other", place.kind, place.id, "other")
    with pytest.raises(NotFoundError, match="none of these guests"):
        environment.settings.read(stranger, "folder")
    environment.close()


def test_a_job_can_be_stopped_at_any_moment(machine: Machine, known: KnownHosts) -> None:
    environment = opened([machine], known)
    worker = environment.workers()[0]
    worker.stop()
    worker.prepare("run-1", mixed(machine.file(), runtime=300))
    worker.stop()
    worker.prepare("run-1", mixed(machine.file(), runtime=300))
    worker.start(environment.now_ms() + 600_000)
    worker.stop()
    assert not fios(worker.place("run-1").id)
    worker.prepare("run-1", mixed(machine.file(), runtime=300))
    worker.start(environment.now_ms())
    follow([worker], lambda progress: bool(progress.samples))
    worker.stop()
    assert not fios(worker.place("run-1").id)
    progress, _ = follow([worker], is_over)
    assert progress[0].state == "ended"
    assert worker.fetch()[-1].workers[0].read.total_ios > 0
    worker.clean_up()
    environment.close()


def test_only_our_own_folder_is_removed(machine: Machine, known: KnownHosts, tmp_path: Path) -> None:
    environment = opened([machine], known)
    worker = environment.workers()[0]
    foreign = tmp_path / "hyperscope-0123456789abcdef0123"
    foreign.mkdir()
    (foreign / "precious").touch()
    place = worker.place("run-1")
    with pytest.raises(UsageError, match="left alone"):
        environment.settings.write(type(place)(place.source, place.kind, str(foreign), "x"), "folder", None)
    with pytest.raises(UsageError, match="left alone"):
        environment.settings.write(type(place)(place.source, place.kind, str(tmp_path), "x"), "folder", None)
    assert (foreign / "precious").exists()
    environment.close()


def test_eight_guests_begin_together(eight: list[Machine], known: KnownHosts) -> None:
    environment = opened(eight, known)
    workers = environment.workers()
    by_worker = dict(zip(workers, eight, strict=True))
    assert not [
        one
        for one in on_all(
            workers, lambda one: one.prepare("run-1", mixed(by_worker[one].file(), runtime=3, depth=1))
        )
        if isinstance(one, Exception)
    ]
    at = environment.now_ms() + 6000
    assert on_all(workers, lambda one: one.start(at)) == [None] * 8
    progress, samples = follow(workers, is_over)
    assert {one.state for one in progress} == {"ended"}, progress
    assert all(samples)
    on_all(workers, GuestWorker.clean_up)
    environment.close()
