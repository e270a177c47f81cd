"""Settings of a vCenter are changed, read back and put back; what can't be is said in one sentence."""

from __future__ import annotations

import pytest

from connections.vsphere.faults import NotAllowedError, SoapFault
from resources.failures import AlreadyExistsError, NotFoundError, UsageError
from resources.vcenter_acting import load_acting
from sessions.journal import ChangedObject, Setting
from tests.vcenter.running import USER, PlainVcsim, TestVCenter
from tests.workloads.vsphere.conftest import Open, Site
from workloads.made_disk import MadeDisk, parse_made_disk
from workloads.vsphere.settings.devices import read_devices
from workloads.vsphere.settings.values import Server

GIB = 1 << 30


def changed_and_put_back(site: Site, of: ChangedObject, setting: str, value: Setting) -> None:
    before = site.settings.read(of, setting)
    assert before != value
    site.settings.write(of, setting, value)
    assert site.settings.read(of, setting) == value
    site.settings.write(of, setting, before)
    assert site.settings.read(of, setting) == before


def test_a_disk_gets_shares_and_a_limit_and_loses_them_again(vcsim: PlainVcsim, site: Open) -> None:
    here = site(vcsim)
    vm = here.first("VirtualMachine")
    changed_and_put_back(here, vm, "disk.shares:scsi0:0", 2000.0)
    changed_and_put_back(here, vm, "disk.shares:scsi0:0", 750.0)
    changed_and_put_back(here, vm, "disk.iops_limit:scsi0:0", 500.0)
    here.settings.write(vm, "disk.shares:scsi0:0", 2000)
    here.settings.write(vm, "disk.iops_limit:scsi0:0", 640)
    assert here.settings.read(vm, "disk.shares:scsi0:0") == 2000  # the other one stays as it is
    (disk,) = (one for _, one in read_devices(_server(here), vm).disks)
    assert disk.storageIOAllocation.shares.level == "high"
    here.settings.write(vm, "disk.shares:scsi0:0", 1000)
    here.settings.write(vm, "disk.iops_limit:scsi0:0", -1)


def test_storage_io_control_is_turned_on_and_back(vcenter: TestVCenter, site: Open) -> None:
    here = site(vcenter)
    store = here.first("Datastore")
    changed_and_put_back(here, store, "iorm.enabled", not here.settings.read(store, "iorm.enabled"))
    here.settings.write(store, "iorm.threshold_ms", None)
    assert here.settings.read(store, "iorm.threshold_ms") is None
    changed_and_put_back(here, store, "iorm.threshold_ms", 15.0)
    here.settings.write(store, "iorm.enabled", True)
    here.settings.write(store, "iorm.threshold_ms", 5)
    assert here.settings.read(store, "iorm.enabled") is True  # what is not sent stays as it is
    vcenter.fault("iorm_changed", datastore=store.name, enabled=False)
    assert here.settings.read(store, "iorm.enabled") is False
    assert here.settings.read(store, "iorm.threshold_ms") == 5


def test_a_host_without_storage_io_control_is_said(vcenter: TestVCenter, site: Open) -> None:
    here = site(vcenter)
    store = here.first("Datastore")
    vcenter.fault("iorm_changed", datastore=store.name, supported=False)
    with pytest.raises(SoapFault, match=r"turning Storage I/O Control of .* on"):
        here.settings.write(store, "iorm.enabled", True)


def test_drs_is_frozen_and_thawed_but_never_turned_off(vcenter: TestVCenter, site: Open) -> None:
    here = site(vcenter)
    cluster = here.first("ClusterComputeResource")
    changed_and_put_back(here, cluster, "drs.behaviour", "manual")
    changed_and_put_back(here, cluster, "drs.rate", 1.0)
    with pytest.raises(UsageError, match="one of manual, partiallyAutomated, fullyAutomated"):
        here.settings.write(cluster, "drs.behaviour", False)
    with pytest.raises(UsageError, match="from 1 to 5"):
        here.settings.write(cluster, "drs.rate", 6)


def test_a_vm_moves_to_another_host_and_back(vcenter: TestVCenter, site: Open) -> None:
    here = site(vcenter)
    vm = here.first("VirtualMachine")
    other = next(one for one in here.all("HostSystem") if one.id != here.settings.read(vm, "host"))
    changed_and_put_back(here, vm, "host", other.id)
    assert (f"moving {vm.name} to {other.name}", 1.0) in here.told
    tasks = vcenter.stats()["requests"]["RelocateVM_Task"]
    here.settings.write(vm, "host", here.settings.read(vm, "host"))
    assert vcenter.stats()["requests"]["RelocateVM_Task"] == tasks  # it is there already


def test_a_vm_does_not_leave_its_cluster(vcsim: PlainVcsim, site: Open) -> None:
    here = site(vcsim)
    vm = next(one for one in here.all("VirtualMachine") if "_C0_" in one.name)
    alone = next(one for one in here.all("HostSystem") if "_C0_" not in one.name)
    with pytest.raises(UsageError, match="host of another cluster"):
        here.settings.write(vm, "host", alone.id)


def test_a_guest_is_shut_down_and_started(vcenter: TestVCenter, site: Open) -> None:
    here = site(vcenter)
    changed_and_put_back(here, here.first("VirtualMachine"), "power", False)
    assert vcenter.stats()["requests"].get("PowerOffVM_Task") is None


@pytest.mark.parametrize("kind", ["VirtualMachine", "Datastore", "HostSystem", "ClusterComputeResource"])
def test_a_lock_is_set_and_taken_away(vcenter: TestVCenter, site: Open, kind: str) -> None:
    here = site(vcenter)
    changed_and_put_back(here, here.first(kind), "attribute:vpw.lock", "run-1 since 12:00 <&> \u202e")
    here.settings.write(here.first(kind), "attribute:never.there", None)
    assert here.settings.read(here.first(kind), "attribute:never.there") is None


def test_a_made_disk_is_there_once_and_goes_with_its_marks(vcsim: PlainVcsim, site: Open) -> None:
    here = site(vcsim)
    vm = here.first("VirtualMachine")
    before = read_devices(_server(here), vm)
    wanted = MadeDisk("run-1", GIB, provisioning="eager").text()
    here.settings.write(vm, "disk:data", wanted)
    assert here.settings.read(vm, "disk:data") == wanted
    made = read_devices(_server(here), vm)
    (slot,) = {slot for slot, _ in made.disks} - {slot for slot, _ in before.disks}
    disk = made.disk(slot, vm)
    assert disk.capacityInKB == GIB // 1024
    assert disk.backing.fileName.endswith("/vpw-run-1-data.vmdk")
    with pytest.raises(AlreadyExistsError, match="already has a disk data"):
        here.settings.write(vm, "disk:data", wanted)
    here.settings.write(vm, "disk:data", None)
    after = read_devices(_server(here), vm)
    assert here.settings.read(vm, "disk:data") is None
    assert {slot for slot, _ in after.disks} == {slot for slot, _ in before.disks}
    assert after.extra == before.extra
    here.settings.write(vm, "disk:data", None)  # once more is no error


def test_a_made_disk_gets_shares_and_a_limit_by_its_name(vcenter: TestVCenter, site: Open) -> None:
    here = site(vcenter)
    vm = here.first("VirtualMachine")
    here.settings.write(vm, "disk:test-a", MadeDisk("run-7", 1 << 30).text())
    changed_and_put_back(here, vm, "disk.shares:test-a", 2000.0)
    changed_and_put_back(here, vm, "disk.iops_limit:test-a", 500.0)
    here.settings.write(vm, "disk.shares:test-a", 500)
    assert here.settings.read(vm, "disk.shares:scsi0:1") == 500
    assert here.settings.read(vm, "disk.shares:scsi0:0") == 1000
    here.settings.write(vm, "disk:test-a", None)
    with pytest.raises(NotFoundError, match="has no disk test-a"):
        here.settings.read(vm, "disk.shares:test-a")


def test_a_vm_whose_controllers_are_full_gets_one_that_goes_again(vcsim: PlainVcsim, site: Open) -> None:
    here = site(vcsim)
    vm = here.first("VirtualMachine")
    before = {one.key for one in read_devices(_server(here), vm).devices}
    names = [f"d{at}" for at in range(16)]
    for name in names:
        here.settings.write(vm, f"disk:{name}", MadeDisk("run-1", 1 << 20).text())
    slots = {slot for slot, _ in read_devices(_server(here), vm).disks}
    assert {"scsi0:15", "scsi1:0"} <= slots
    assert "scsi0:7" not in slots
    for name in names:
        here.settings.write(vm, f"disk:{name}", None)
    assert {one.key for one in read_devices(_server(here), vm).devices} == before


@pytest.mark.parametrize(
    "text",
    ["", "{}", "17", '{"run":"r","size_bytes":1}', '{"run":"../r","size_bytes":1048576}',
     '{"run":"r","size_bytes":1048577}', '{"run":"r","size_bytes":1048576,"provisioning":"fast"}',
     '{"run":"r","size_bytes":1048576,"path":"[x] y"}'],
)  # fmt: skip
def test_a_disk_that_makes_no_sense_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse_made_disk(text)


@pytest.mark.parametrize(
    ("kind", "setting", "value", "said"),
    [
        ("VirtualMachine", "iorm.enabled", True, "it is a VirtualMachine"),
        ("Datastore", "iorm.enabled", "yes", "true or false"),
        ("Datastore", "iorm.threshold_ms", 4, "from 5 to 100"),
        ("Datastore", "iorm.threshold_ms", 5.5, "a whole number"),
        ("VirtualMachine", "disk.shares:scsi0:0", 199, "from 200 to 4,000"),
        ("VirtualMachine", "disk.iops_limit:scsi0:0", 0, "from 16"),
        ("VirtualMachine", "disk.shares", 1000, "has no setting"),
        ("VirtualMachine", "power:now", True, "has no setting"),
        ("VirtualMachine", "colour", "red", "has no setting"),
        ("VirtualMachine", "disk:../x", "{}", "can't be called"),
        ("VirtualMachine", "host", True, "It takes text"),
    ],
)
def test_nonsense_never_reaches_the_server(
    vcsim: PlainVcsim, site: Open, kind: str, setting: str, value: Setting, said: str
) -> None:
    here = site(vcsim)
    with pytest.raises(UsageError, match=said):
        here.settings.write(here.first(kind), setting, value)


def test_what_is_gone_or_not_there_is_said(vcsim: PlainVcsim, site: Open) -> None:
    here = site(vcsim)
    vm = here.first("VirtualMachine")
    with pytest.raises(NotFoundError, match="Its disks are: scsi0:0"):
        here.settings.read(vm, "disk.shares:scsi3:9")
    lost = ChangedObject(vm.source, vm.kind, "vm-4711", "web01")
    with pytest.raises(NotFoundError, match="web01 is no longer there"):
        here.settings.read(lost, "power")
    with pytest.raises(NotFoundError, match="web01 is no longer there"):
        here.settings.write(lost, "attribute:vpw.lock", "run-1")


def test_a_server_without_storage_io_control_says_so(vcsim: PlainVcsim, site: Open) -> None:
    here = site(vcsim)
    store = here.first("Datastore")
    assert here.settings.read(store, "iorm.enabled") is False
    assert here.settings.read(store, "iorm.threshold_ms") is None
    with pytest.raises(SoapFault, match="licence does not have that") as caught:
        here.settings.write(store, "iorm.enabled", True)
    assert "turning Storage I/O Control of" in caught.value.happened


def test_each_refusal_says_what_it_means_and_what_to_try() -> None:
    known = load_acting()
    assert all(one.meaning.endswith(".") and one.advice.endswith(".") for one in known.refusals.values())
    assert known.share_levels[1000] == "normal"
    assert known.normal_shares == 1000


def test_a_missing_privilege_is_named(start_vcenter: type[TestVCenter], site: Open) -> None:
    server = start_vcenter(hosts=2, vms=2, interval=1, history=5, rollup_days=0)
    here = site(server)
    vm = here.first("VirtualMachine")
    server.fault("fault", method="SetField", type="NoPermission", text="", count=1)
    with pytest.raises(NotAllowedError, match=USER):
        here.settings.write(vm, "attribute:vpw.lock", "run-1")
    assert here.settings.read(vm, "attribute:vpw.lock") is None


def _server(site: Site) -> Server:
    return Server(site.vsphere, site.tasks, load_acting())
