"""The lab as an environment of tests: settings, workers, its clock, what it records, and its end."""

from __future__ import annotations

import itertools
import json
import tomllib
from collections.abc import Sequence

import numpy as np
import pytest

from collectors.fio.documents import Document, Job
from collectors.fio.histogram import merged
from resources.failures import NotFoundError, TimedOutError, UsageError
from resources.toml_files import RESOURCES
from sessions.model import EntityRef, FloatArray
from sessions.times import TimeRange
from tests.vsphere.feeds import MemoryFeed, Stop
from workloads.environment import DiskIdentity, Environment, TestObject, Work, Worker
from workloads.job_file import Disk
from workloads.lab import LAB_TESTS, LabEnvironment

DATABASE = {"depth": 32, "warm_up": 30, "runtime": 60}


def data_disk(worker: Worker) -> DiskIdentity:
    return next(disk for disk in worker.inspect().disks if not disk.in_use)


def work(worker: Worker, job: str = "database", **inputs: int) -> Work:
    disk = data_disk(worker)
    return Work(job, DATABASE | inputs, (Disk("data", disk.path),), (disk,))


def named(environment: Environment, name: str) -> TestObject:
    return next(one for one in environment.objects() if one.object.name == name)


def recorded(feed: MemoryFeed, counter: str, entity: EntityRef) -> FloatArray:
    """All samples of a counter of an entity, of all its instances."""
    mine = [there for (_, of, key, _), there in feed.samples.items() if (of, key) == (entity, counter)]
    return np.array([value for there in mine for value in there.values()])


def run_all(
    environment: Environment, workers: Sequence[Worker], job: str = "database", **inputs: int
) -> None:
    for worker in workers:
        worker.prepare("run-1", work(worker, job, **inputs))
    at = environment.now_ms() + 5000
    for worker in workers:
        worker.start(at)
    stop = Stop()
    while any(worker.poll().state in ("waiting", "running") for worker in workers):
        assert not environment.wait(10.0, stop)


def only_job(documents: Sequence[Document]) -> Job:
    (job,) = documents[-1].jobs
    return job


@pytest.mark.parametrize("address", LAB_TESTS)
def test_each_lab_opens_with_workers_on_all_hosts(address: str) -> None:
    environment = LabEnvironment(address)
    workers = environment.workers()
    assert len(workers) == 16
    assert len({worker.vm.parent for worker in workers[:4] if worker.vm}) == 4
    assert environment.address == address
    assert {one.object.kind for one in environment.objects()} == {
        "ServiceInstance", "ClusterComputeResource", "HostSystem", "Datastore", "VirtualMachine",
    }  # fmt: skip
    environment.close()


def test_a_scenario_without_workers_says_which_ones_have_some() -> None:
    with pytest.raises(UsageError, match="no VMs that tests could use"):
        LabEnvironment("lab:demo")
    with pytest.raises(NotFoundError, match="no scenario"):
        LabEnvironment("lab:nowhere")


def test_a_job_gives_samples_and_a_document_that_agree() -> None:
    environment = LabEnvironment("lab:default")
    worker = environment.workers()[0]
    worker.prepare("run-1", work(worker))
    assert worker.poll().state == "ready"
    worker.start(environment.now_ms() + 20_000)
    environment.wait(10.0, Stop())
    assert worker.poll().state == "waiting"
    environment.wait(120.0, Stop())
    progress = worker.poll()
    assert progress.state == "ended"
    assert len(progress.samples) == 18  # 30 s and 60 s, every 5 s
    measured = progress.samples[6:]
    job = only_job(worker.fetch())
    assert job.read.runtime == 60_000
    assert job.read.total_ios == round(sum(one.reads for one in measured) * 5)
    assert job.write.total_ios == round(sum(one.writes for one in measured) * 5)
    assert job.read.clat_ns.histogram.total == job.read.total_ios
    weighted = sum(one.reads * one.read_ms for one in measured) / sum(one.reads for one in measured)
    assert job.read.lat_ns.mean / 1e6 == pytest.approx(weighted, rel=0.02)
    both = job.read.total_ios * job.read.lat_ns.mean + job.write.total_ios * job.write.lat_ns.mean
    assert both / 1e9 / 60.0 == pytest.approx(32, rel=0.05)  # Little's law


def test_a_high_percentile_lies_above_the_mean_as_latencies_do() -> None:
    environment = LabEnvironment("lab:congested")
    workers = environment.workers()[:2]
    run_all(environment, workers)
    jobs = [only_job(worker.fetch()) for worker in workers]
    together = merged(job.read.clat_ns.histogram for job in jobs)
    mean = sum(job.read.lat_ns.mean for job in jobs) / 2
    assert mean < together.percentile(95) < together.percentile(99) < 4 * mean


def test_settings_are_read_back_as_they_were_written() -> None:
    environment = LabEnvironment("lab:default")
    settings, store = environment.settings, named(environment, "hybrid-ds01").object
    vm, cluster = named(environment, "sql-01").object, named(environment, "Cluster-01").object
    for changed, setting, before, after in (
        (store, "iorm.enabled", False, True), (store, "iorm.threshold_ms", None, 15.0),
        (vm, "disk.shares:scsi0:1", 1000.0, 2000.0), (vm, "disk.iops_limit:scsi0:1", -1.0, 500.0),
        (cluster, "drs.behaviour", "partiallyAutomated", "manual"), (cluster, "drs.rate", 3.0, 1.0),
        (vm, "power", True, False), (cluster, "attribute:vpw.lock", None, "run-1"),
        (store, "cache.enabled", False, True),
    ):  # fmt: skip
        assert settings.read(changed, setting) == before, setting
        settings.write(changed, setting, after)
        assert settings.read(changed, setting) == after, setting
        settings.write(changed, setting, before)
        assert settings.read(changed, setting) == before, setting


def test_what_no_server_takes_is_refused() -> None:
    environment = LabEnvironment("lab:default")
    settings, vm = environment.settings, named(environment, "sql-01").object
    with pytest.raises(UsageError, match="200 to 4000"):
        settings.write(vm, "disk.shares:scsi0:1", 9000)
    with pytest.raises(NotFoundError, match="no disk"):
        settings.read(vm, "disk.shares:scsi9:9")
    with pytest.raises(UsageError, match="no setting"):
        settings.read(vm, "colour")
    with pytest.raises(UsageError, match="no automation"):
        settings.write(named(environment, "Cluster-01").object, "drs.behaviour", "sometimes")


def test_a_disk_is_made_used_and_removed() -> None:
    environment = LabEnvironment("lab:default")
    worker = environment.workers()[0]
    vm, store = named(environment, worker.name).object, named(environment, "flash-ds05").object
    text = json.dumps({"run": "run-1", "size_bytes": 1 << 30, "datastore": store.id, "provisioning": "thin"})
    assert environment.settings.read(vm, "disk:test-1") is None
    environment.settings.write(vm, "disk:test-1", text)
    assert environment.settings.read(vm, "disk:test-1") == text
    (made,) = [disk for disk in worker.inspect().disks if disk.made_by == "run-1"]
    assert made.size_bytes == 1 << 30
    job = Work("fill", {"depth": 8}, (Disk("d", made.path),), (made,))
    worker.prepare("run-1", job)
    worker.start(environment.now_ms())
    environment.wait(600.0, Stop())
    assert worker.poll().state == "ended"
    assert only_job(worker.fetch()).write.io_bytes == pytest.approx(1 << 30, rel=0.02)
    environment.settings.write(vm, "disk:test-1", None)
    assert environment.settings.read(vm, "disk:test-1") is None
    with pytest.raises(UsageError, match="no longer"):
        worker.prepare("run-1", job)


def test_a_disk_that_is_in_use_or_another_one_is_refused() -> None:
    environment = LabEnvironment("lab:default")
    worker = environment.workers()[0]
    system = next(disk for disk in worker.inspect().disks if disk.in_use)
    with pytest.raises(UsageError, match="in use"):
        worker.prepare("run-1", Work("fill", {}, (Disk("d", system.path),), (system,)))
    disk = data_disk(worker)
    environment.lab.disks.resize(environment.lab.workers[0], "scsi0:1", disk.size_bytes * 2)
    with pytest.raises(UsageError, match="another disk"):
        worker.prepare("run-1", Work("fill", {}, (Disk("d", disk.path),), (disk,)))


def test_a_vm_that_is_powered_off_is_lost() -> None:
    environment = LabEnvironment("lab:default")
    worker = environment.workers()[0]
    worker.prepare("run-1", work(worker))
    worker.start(environment.now_ms())
    environment.wait(20.0, Stop())
    environment.settings.write(named(environment, worker.name).object, "power", False)
    progress = worker.poll()
    assert (progress.state, progress.why) == ("lost", "The VM was powered off.")
    with pytest.raises(TimedOutError, match="does not answer"):
        worker.fetch()


def test_stopping_ends_the_load_at_once_and_cleaning_up_forgets_it() -> None:
    environment = LabEnvironment("lab:default")
    worker = environment.workers()[0]
    place = worker.prepare("run-1", work(worker))
    assert place == worker.place("run-1")
    assert environment.settings.read(place, "folder") == place.id
    worker.start(environment.now_ms())
    environment.wait(20.0, Stop())
    assert environment.settings.read(place, "process") is not None
    worker.stop()
    assert worker.poll().state == "ended"
    environment.wait(20.0, Stop())
    assert (
        named(environment, "hybrid-ds01").facts["iops"]
        == named(environment, "hybrid-ds01").facts["other_iops"]
    )
    worker.clean_up()
    assert environment.settings.read(place, "folder") is None
    assert environment.settings.read(place, "process") is None


def test_undoing_a_folder_ends_what_runs_in_it() -> None:
    environment = LabEnvironment("lab:default")
    worker = environment.workers()[0]
    place = worker.prepare("run-1", work(worker))
    worker.start(environment.now_ms())
    environment.wait(10.0, Stop())
    environment.settings.write(place, "folder", None)
    assert worker.poll().state == "ended"
    assert environment.settings.read(place, "process") is None


def test_the_recording_shows_what_sioc_did() -> None:
    environment, feed = LabEnvironment("lab:congested"), MemoryFeed()
    environment.begin(feed)
    store = named(environment, "hybrid-ds01")
    environment.settings.write(store.object, "iorm.enabled", True)
    environment.settings.write(store.object, "iorm.threshold_ms", 30.0)
    run_all(environment, environment.workers()[:4], depth=48)
    environment.close()
    active = recorded(feed, "datastore.sioc_active", store.entity)
    device = EntityRef("device", str(store.facts["device"]))
    depth = recorded(feed, "disk.queue_depth", device)
    latency = recorded(feed, "datastore.size_normalized_latency", store.entity)
    assert active.max() == 100.0
    assert latency.max() > 30.0
    assert np.nanmin(depth) < 32
    assert np.nanmax(depth) == 32


def test_waiting_can_be_ended_and_time_is_the_labs() -> None:
    environment, stop = LabEnvironment("lab:default"), Stop()
    begun = environment.now_ms()
    assert not environment.wait(7.0, stop)
    assert environment.now_ms() == begun + 7000
    stop.set()
    assert environment.wait(3600.0, stop)
    assert environment.now_ms() == begun + 7000


def test_what_others_do_meanwhile_is_told() -> None:
    environment = LabEnvironment("lab:default")
    begun = environment.now_ms()
    lab = environment.lab
    lab.back_up(0, 120.0)
    lab.migrate(lab.workers[0], 3, "an admin")
    environment.wait(300.0, Stop())
    told = environment.disturbances(TimeRange(begun, environment.now_ms()))
    assert {one.kind for one in told} >= {"backup", "vMotion"}
    moved = next(one for one in told if one.kind == "vMotion" and "an admin" in one.text)
    assert moved.object is not None
    assert moved.object.name == "sql-01"
    assert not environment.disturbances(TimeRange(begun - 7200_000, begun - 3600_000))


def prepare_for_deduplication(seeds: Sequence[int]) -> float:
    """Percent of duplicates that the cluster reports after a disk for each seed was written."""
    environment = LabEnvironment("lab:default")
    store = named(environment, "vsanDatastore").object
    workers = environment.workers()[: len(seeds)]
    for worker, seed in zip(workers, seeds, strict=True):
        vm = named(environment, worker.name).object
        text = json.dumps({"run": "run-1", "size_bytes": 1 << 30, "datastore": store.id})
        environment.settings.write(vm, "disk:dedup-1", text)
        (disk,) = [one for one in worker.inspect().disks if one.made_by == "run-1"]
        inputs = {"dedupe": 0, "compress": 0, "seed": seed, "depth": 32}
        worker.prepare("run-1", Work("dedup-prepare", inputs, (Disk("d", disk.path),), (disk,)))
        worker.start(environment.now_ms())
    while any(worker.poll().state != "ended" for worker in workers):
        environment.wait(30.0, Stop())
    environment.wait(300.0, Stop())
    facts = named(environment, "Cluster-01").facts
    assert float(facts["write_buffer_free_percent"] or 0) >= 95.0
    return float(facts["dedup_percent"] or 0)


def test_the_plans_seeds_decide_what_deduplication_finds() -> None:
    """tests.md W1: five disks with equal seeds report 80 % where 0 % was asked."""
    assert prepare_for_deduplication([1, 1, 1, 1, 1]) == pytest.approx(80.0, abs=2.0)
    assert prepare_for_deduplication([1, 2, 3, 4, 5]) == pytest.approx(0.0, abs=2.0)


def test_cpu_work_is_done_at_its_rate_where_the_host_has_room() -> None:
    environment = LabEnvironment("lab:balanced")
    worker = environment.workers()[0]
    disk = data_disk(worker)
    inputs = {"rate": 250, "work_us": 2800, "warm_up": 30, "runtime": 60}
    worker.prepare("run-1", Work("cpu-work", inputs, (Disk("d", disk.path),), (disk,)))
    worker.start(environment.now_ms())
    environment.wait(120.0, Stop())
    job = only_job(worker.fetch())
    assert job.read.iops == pytest.approx(1000.0, rel=0.02)  # four vCPUs
    assert job.read.lat_ns.mean / 1e6 == pytest.approx(2.8, rel=0.3)
    assert job.usr_cpu + job.sys_cpu == pytest.approx(70.0, rel=0.02)


def test_documents_of_several_moments_add_up() -> None:
    environment = LabEnvironment("lab:default")
    worker = environment.workers()[0]
    run_all(environment, [worker], runtime=120)
    documents = worker.fetch()
    assert len(documents) == 12
    done = [one.jobs[0].read.total_ios for one in documents]
    assert done == sorted(done)
    for before, after in itertools.pairwise(documents):
        since = after.jobs[0].read.clat_ns.histogram.since(before.jobs[0].read.clat_ns.histogram)
        assert since.total == after.jobs[0].read.total_ios - before.jobs[0].read.total_ios


def test_every_fact_is_one_that_the_list_of_facts_explains() -> None:
    listed = tomllib.loads((RESOURCES / "tests" / "facts.toml").read_text(encoding="utf-8"))
    kinds = {one["name"]: set(one["of"]) for one in listed["fact"]}
    for one in LabEnvironment("lab:default").objects():
        for name in one.facts:
            assert one.object.kind in kinds.get(name, set()), (one.object.kind, name)
