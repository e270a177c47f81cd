"""A vCenter as an environment of tests: objects with facts, privileges, clock, disturbances, recording."""

from __future__ import annotations

import json
import threading
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from pyVmomi import vim

from connections.vsphere.address import parse_address
from resources.failures import LoginError
from resources.vcenter_disturbances import load_disturbances
from sessions.times import TimeRange
from tests.vcenter.peers import Peer
from tests.vcenter.running import PASSWORD, USER, TestVCenter
from tests.vsphere.feeds import MemoryFeed
from workloads.environment import Environment, TestObject
from workloads.made_disk import MadeDisk
from workloads.vsphere.environment import Access, VSphereChoice, VSphereEnvironment

FACTS = Path(__file__).parents[3] / "resources" / "tests" / "facts.toml"
Open = Callable[..., VSphereEnvironment]


@pytest.fixture
def opened() -> Iterator[Open]:
    """Open an environment: ``opened(server)``."""
    with ExitStack() as closing:

        def make(server: TestVCenter, password: str = PASSWORD, **choice: object) -> VSphereEnvironment:
            access = Access(parse_address(server.address), lambda: password, server.thumbprint)
            made = VSphereEnvironment(access, VSphereChoice(**choice))  # type: ignore[arg-type]
            closing.callback(made.close)
            made.open()
            return made

        yield make


def of_kind(objects: object, kind: str) -> list[TestObject]:
    assert isinstance(objects, list)
    return [one for one in objects if one.object.kind == kind]


def test_it_is_an_environment(vcenter: TestVCenter, opened: Open) -> None:
    here: Environment = opened(vcenter)
    assert here.address == vcenter.address
    assert abs(here.now_ms() - time.time() * 1000) < 2000
    assert list(here.workers()) == []
    assert not here.wait(0, Unstopped())


def test_each_object_tells_the_facts_that_the_checks_know(vcenter: TestVCenter, opened: Open) -> None:
    objects = opened(vcenter, is_worker=lambda name: name.endswith("1")).objects()
    known = {fact["name"]: fact["of"] for fact in tomllib.loads(FACTS.read_text("utf-8"))["fact"]}
    for one in objects:
        for name in one.facts:
            assert one.object.kind in known.get(name, ()), f"{name} of a {one.object.kind}"
    vm = of_kind(objects, "VirtualMachine")[0]
    host = next(one for one in objects if one.object.id == vm.parent)
    cluster = next(one for one in objects if one.object.id == host.parent)
    assert (vm.facts["powered_on"], vm.facts["tools_running"], vm.facts["is_worker"]) == (True, True, True)
    assert (vm.facts["snapshots"], vm.facts["cpu_limit_mhz"], vm.facts["pool_is_limited"]) == (0, -1, False)
    (disk,) = json.loads(str(vm.facts["disks"]))
    assert disk["name"] == "scsi0:0"
    assert disk["shares"] == 1000
    assert disk["uuid"]
    assert (host.facts["connected"], host.facts["in_maintenance"]) == (True, False)
    assert 0 <= float(host.facts["sample_age_s"] or 0) < 60
    assert (cluster.facts["drs_enabled"], cluster.facts["drs_rate"]) == (True, 3)
    (itself,) = of_kind(objects, "ServiceInstance")
    assert itself.facts["version"]
    stores = of_kind(objects, "Datastore")
    assert all(len(str(one.facts["hosts"]).split()) == 2 for one in stores)
    assert sum(float(one.facts["bystanders"] or 0) for one in stores) == 3
    assert any(float(one.facts["other_iops"] or 0) > 0 for one in stores)


def test_what_makes_a_worker_unfit_is_in_its_facts(vcenter: TestVCenter, opened: Open) -> None:
    here = opened(vcenter)
    vm = of_kind(here.objects(), "VirtualMachine")[0].object
    vcenter.fault("snapshot_created", vm=vm.name)
    vcenter.fault("vm_reconfigured", vm=vm.name, cpu_limit_mhz=500, mem_limit_mb=1024)
    vcenter.fault("task_started", vm=vm.name, name="VirtualMachine.reconfigure")
    vcenter.fault("vm_tools", vm=vm.name, tools="guestToolsNotRunning")
    facts = next(one.facts for one in here.objects() if one.object.id == vm.id)
    assert facts["snapshots"] == 1
    assert (facts["cpu_limit_mhz"], facts["memory_limit_mb"]) == (500, 1024)
    assert facts["running_tasks"] == 1
    assert facts["tools_running"] is False
    vcenter.fault("vm_power", vm=vm.name, on=False)
    assert next(one.facts for one in here.objects() if one.object.id == vm.id)["powered_on"] is False


def test_a_made_disk_is_known_as_made(vcenter: TestVCenter, opened: Open) -> None:
    here = opened(vcenter)
    vm = of_kind(here.objects(), "VirtualMachine")[0].object
    here.settings.write(vm, "disk:data", MadeDisk("run-7", 1 << 30).text())
    facts = next(one.facts for one in here.objects() if one.object.id == vm.id)
    made = {disk["name"]: disk for disk in json.loads(str(facts["disks"]))}
    assert made["scsi0:0"]["made_by"] == ""
    assert (made["scsi0:1"]["made_by"], made["scsi0:1"]["made_as"]) == ("run-7", "data")
    assert made["scsi0:1"]["size_bytes"] == 1 << 30
    here.settings.write(vm, "disk:data", None)


@pytest.mark.parametrize("setting", ["disk.EnableUUID", "disk.enableUUID", None])
def test_it_is_known_whether_a_guest_is_told_the_uuids_of_its_disks(
    vcenter: TestVCenter, opened: Open, setting: str | None
) -> None:
    here, peer = opened(vcenter), Peer(vcenter.place)

    def shown(name: str) -> object:
        return next(one.facts["uuid_shown_to_guest"] for one in here.objects() if one.object.name == name)

    assert shown("vm-00001") is False
    one = vim.option.OptionValue(key=setting, value="1") if setting else None
    spec = vim.vm.ConfigSpec(
        extraConfig=[one] if one else [], flags=None if one else vim.vm.FlagInfo(diskUuidEnabled=True)
    )
    try:
        peer.finish(peer.all(vim.VirtualMachine)["vm-00001"].ReconfigVM_Task(spec))
    finally:
        peer.close()
    assert shown("vm-00001") is True
    assert shown("vm-00002") is False


def test_a_vsan_cluster_tells_its_kind_health_and_ratio(vcenter: TestVCenter, opened: Open) -> None:
    here = opened(vcenter)

    def facts() -> object:
        (cluster,) = of_kind(here.objects(), "ClusterComputeResource")
        names = ("vsan_type", "vsan_dedup", "dedup_ratio", "vsan_healthy", "vsan_resync_bytes")
        return tuple(cluster.facts.get(name) for name in names)

    assert facts() == (None, None, None, None, None)
    vcenter.fault("vsan", cluster="cluster-01", used_bytes=10 << 30, logical_bytes=40 << 30)
    assert facts() == ("OSA", True, 4.0, True, 0.0)
    vcenter.fault("vsan", cluster="cluster-01", esa=True, unhealthy=2, resync_bytes=5 << 30)
    assert facts() == ("ESA", True, 4.0, False, float(5 << 30))


def test_few_requests_read_everything(start_vcenter: type[TestVCenter], opened: Open) -> None:
    server = start_vcenter(hosts=4, vms=120, interval=1, history=5, rollup_days=0)
    here = opened(server)
    here.objects()
    before = sum(server.stats()["requests"].values())
    found = here.objects()
    assert len(of_kind(found, "VirtualMachine")) == 120
    assert sum(server.stats()["requests"].values()) - before <= 20


def test_lacking_privileges_are_named_with_their_objects(vcenter: TestVCenter, opened: Open) -> None:
    here = opened(vcenter)
    objects = here.objects()
    vm, store = of_kind(objects, "VirtualMachine")[0].object, of_kind(objects, "Datastore")[0].object
    needed = {"VirtualMachine.Config.Resource": [vm], "Datastore.ConfigIOManagement": [store]}
    assert here.privileges(needed) == {}
    vcenter.fault("deny", user=USER, privileges=["Datastore.ConfigIOManagement"])
    assert here.privileges(needed) == {"Datastore.ConfigIOManagement": (store,)}
    vcenter.clear()
    vcenter.fault("deny", user=USER)
    # an object that is gone fails the whole question: each is asked for alone, and what is gone lacks all
    vcenter.fault("fault", method="HasPrivilegeOnEntities", type="ManagedObjectNotFound", count=2)
    lacking = here.privileges({"VirtualMachine.Config.Resource": [vm, store]})
    assert lacking == {"VirtualMachine.Config.Resource": (vm,)}
    assert here.privileges({}) == {}


def test_what_happened_in_a_window_is_told(vcenter: TestVCenter, opened: Open) -> None:
    here = opened(vcenter)
    vms = [one.object for one in of_kind(here.objects(), "VirtualMachine")]
    hosts = [one.object for one in of_kind(here.objects(), "HostSystem")]
    start = here.now_ms() - 1000
    at = {vm.id: here.settings.read(vm, "host") for vm in vms}
    other = next(host for host in hosts if host.id != at[vms[0].id])
    vcenter.fault("vm_moved", vm=vms[0].name, host=other.name, drs=True)
    vcenter.fault("snapshot_created", vm=vms[1].name)
    vcenter.fault("vm_renamed", vm=vms[2].name, name="another")  # spoils nothing
    problem = "esx.problem.scsi.device.io.latency.high"
    vcenter.fault("event", type=problem, host=hosts[0].name, text="Device naa.1 is slow")
    text = "Alarm 'Datastore usage on disk' on ds1 changed from Green to Yellow"
    vcenter.fault("event", type="AlarmStatusChangedEvent", host=hosts[0].name, text=text)
    text = "Alarm 'Host CPU usage' on esx1 changed from Green to Yellow"
    vcenter.fault("event", type="AlarmStatusChangedEvent", host=hosts[0].name, text=text)
    found = here.disturbances(TimeRange(start, here.now_ms() + 1000))
    kinds = {one.kind for one in found}
    assert {"drs", "snapshot", "storage"} <= kinds
    assert {one.object for one in found if one.kind == "drs"} == {vms[0]}
    assert not any("Host CPU usage" in one.text or "another" in one.text for one in found)
    assert [one.at for one in found] == sorted(one.at for one in found)
    assert list(here.disturbances(TimeRange(start - 20_000, start - 10_000))) == []


def test_each_kind_of_disturbance_is_of_a_known_type() -> None:
    known = load_disturbances()
    assert known.events["esx.problem.iorm.nonviworkload"].kind == "external_load"
    assert known.events["DatastoreIORMReconfiguredEvent"].by_others
    assert known.tasks["VirtualMachine.createSnapshot"].kind == "snapshot"


def test_its_counters_are_recorded_into_the_feed(vcenter: TestVCenter, opened: Open) -> None:
    here = opened(vcenter)
    feed = MemoryFeed()
    here.begin(feed)
    deadline = time.monotonic() + 30
    while not feed.samples and time.monotonic() < deadline:
        time.sleep(0.1)
    hosts = {one.entity for one in of_kind(here.objects(), "HostSystem")}
    here.close()
    assert feed.samples
    assert hosts <= set(feed.entities)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("vsphere")]


def test_a_wrong_password_is_said_at_once(vcenter: TestVCenter, opened: Open) -> None:
    with pytest.raises(LoginError, match="wrong user name or password"):
        opened(vcenter, password="no")


class Unstopped:
    """Controls of a test that nobody stops."""

    paused = False

    def is_set(self) -> bool:
        return False

    def wait(self, timeout: float | None = None) -> bool:
        return False
