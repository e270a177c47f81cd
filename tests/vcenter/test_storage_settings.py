"""The test vCenter's Storage I/O Control, disk shares and disks behave as the API's documents say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pyVmomi import vim, vmodl

from tests.vcenter.peers import Peer
from tests.vcenter.running import TestVCenter

Login = Callable[..., Peer]
StorageManager = vim.StorageResourceManager
DeviceSpec = vim.vm.device.VirtualDeviceSpec
VIRTUAL_DISK = vim.vm.device.VirtualDisk


def _sioc(peer: Peer, store: Any, **settings: object) -> Any:
    manager = peer.content.storageResourceManager
    task = manager.ConfigureDatastoreIORM_Task(store, StorageManager.IORMConfigSpec(**settings))
    return peer.finish(task)


def _disks(vm: Any) -> dict[str, Any]:
    devices: list[Any] = [one for one in vm.config.hardware.device if isinstance(one, VIRTUAL_DISK)]
    return {one.deviceInfo.label: one for one in devices}


def _edit(disk: Any, **allocation: object) -> Any:
    disk.storageIOAllocation = StorageManager.IOAllocationInfo(**allocation)
    return DeviceSpec(operation="edit", device=disk)


def _new_disk(key: int, unit: int | None, size_kb: int = 1 << 20, name: str = "", **backing: object) -> Any:
    flat = VIRTUAL_DISK.FlatVer2BackingInfo(fileName=name, diskMode="persistent", **backing)
    disk = VIRTUAL_DISK(key=key, controllerKey=1000, unitNumber=unit, capacityInKB=size_kb, backing=flat)
    return DeviceSpec(operation="add", fileOperation="create", device=disk)


def _reconfigure(peer: Peer, vm: Any, *changes: Any, **settings: object) -> Any:
    return peer.finish(vm.ReconfigVM_Task(vim.vm.ConfigSpec(deviceChange=list(changes), **settings)))


def test_sioc_keeps_what_is_set_and_leaves_what_is_not(vcenter: TestVCenter, login: Login) -> None:
    peer = login(vcenter)
    store = peer.all(vim.Datastore)["datastore-001-1"]
    assert store.capability.storageIORMSupported
    assert store.iormConfiguration.enabled
    info = _sioc(peer, store, congestionThresholdMode="manual", congestionThreshold=15)
    assert (info.entity, info.descriptionId) == (store, "StorageResourceManager.ConfigureDatastoreIORM")
    now = store.iormConfiguration
    assert (now.enabled, now.congestionThresholdMode, now.congestionThreshold) == (True, "manual", 15)
    _sioc(peer, store, enabled=False)
    _sioc(peer, store, congestionThresholdMode="automatic", percentOfPeakThroughput=80)
    now = store.iormConfiguration
    assert (now.enabled, now.congestionThresholdMode, now.percentOfPeakThroughput) == (False, "automatic", 80)
    assert now.congestionThreshold == 15


def test_sioc_says_what_can_be_set(vcenter: TestVCenter, login: Login) -> None:
    peer = login(vcenter)
    manager = peer.content.storageResourceManager
    option = manager.QueryIORMConfigOption(peer.all(vim.HostSystem)["esx0001.lab"])
    threshold = option.congestionThresholdOption
    assert (threshold.min, threshold.max, threshold.defaultValue) == (5, 100, 30)
    [summary] = manager.QueryDatastorePerformanceSummary(peer.all(vim.Datastore)["datastore-001-1"])
    assert set(summary.datastoreVmLatency) == {0}


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"congestionThreshold": 4}, "spec.congestionThreshold"),
        ({"congestionThreshold": 101}, "spec.congestionThreshold"),
        ({"percentOfPeakThroughput": 49}, "spec.percentOfPeakThroughput"),
        ({"congestionThresholdMode": "maybe"}, "spec.congestionThresholdMode"),
    ],
)
def test_sioc_refuses_what_is_out_of_range(
    vcenter: TestVCenter, login: Login, wrong: dict[str, object], named: str
) -> None:
    peer = login(vcenter)
    with pytest.raises(vmodl.fault.InvalidArgument) as caught:
        _sioc(peer, peer.all(vim.Datastore)["datastore-001-1"], **wrong)
    assert caught.value.invalidProperty == named


def test_sioc_is_an_event_of_its_task_and_its_user(vcenter: TestVCenter, login: Login) -> None:
    peer = login(vcenter)
    store = peer.all(vim.Datastore)["datastore-001-2"]
    info = _sioc(peer, store, enabled=True)
    begun, told = peer.chain(info)
    assert (type(begun), type(told)) == (vim.event.TaskEvent, vim.event.DatastoreIORMReconfiguredEvent)
    assert (told.datastore.datastore, told.ds.name) == (store, "datastore-001-2")
    assert told.userName == info.reason.userName == "VSPHERE.LOCAL\\Administrator"


def test_sioc_is_refused_where_hosts_cannot(vcenter: TestVCenter, login: Login) -> None:
    peer = login(vcenter)
    store = peer.all(vim.Datastore)["datastore-001-1"]
    vcenter.fault("iorm_changed", datastore="datastore-001-1", supported=False)
    assert not store.capability.storageIORMSupported
    with pytest.raises(vim.fault.IORMNotSupportedHostOnDatastore) as caught:
        _sioc(peer, store, enabled=False)
    assert caught.value.datastoreName == "datastore-001-1"
    assert store.iormConfiguration.enabled


def test_a_user_without_the_privilege_changes_nothing(vcenter: TestVCenter, login: Login) -> None:
    peer = login(vcenter)
    store = peer.all(vim.Datastore)["datastore-001-1"]
    vm = peer.all(vim.VirtualMachine)["vm-00001"]
    [disk] = _disks(vm).values()
    vcenter.fault(
        "deny",
        privileges=[
            "Datastore.ConfigIOManagement",
            "VirtualMachine.Config.Resource",
            "VirtualMachine.Config.AddNewDisk",
        ],
    )
    for call, needed, named in (
        (lambda: _sioc(peer, store, enabled=False), "Datastore.ConfigIOManagement", store),
        (lambda: _reconfigure(peer, vm, _edit(disk, limit=500)), "VirtualMachine.Config.Resource", vm),
        (lambda: _reconfigure(peer, vm, _new_disk(-1, 3)), "VirtualMachine.Config.AddNewDisk", vm),
    ):
        with pytest.raises(vim.fault.NoPermission, match="Permission to perform") as caught:
            call()
        assert (caught.value.privilegeId, caught.value.object) == (needed, named)
    assert store.iormConfiguration.enabled
    vcenter.fault("deny", privileges=[])
    _sioc(peer, store, enabled=False)
    assert not store.iormConfiguration.enabled


def test_disk_shares_and_limits_are_kept(vcenter: TestVCenter, login: Login) -> None:
    peer = login(vcenter)
    vm = peer.all(vim.VirtualMachine)["vm-00004"]
    first, second = _disks(vm).values()
    custom = vim.SharesInfo(level="custom", shares=3500)
    _reconfigure(peer, vm, _edit(first, limit=1000), _edit(second, shares=custom))
    first, second = (one.storageIOAllocation for one in _disks(vm).values())
    assert (first.limit, first.shares.level, first.shares.shares) == (1000, "normal", 1000)
    assert (second.limit, second.shares.level, second.shares.shares) == (-1, "custom", 3500)
    disk = _disks(vm)["Hard disk 1"]
    _reconfigure(peer, vm, _edit(disk, limit=-1, shares=vim.SharesInfo(level="high", shares=0)))
    now = _disks(vm)["Hard disk 1"].storageIOAllocation
    assert (now.limit, now.shares.level, now.shares.shares) == (-1, "high", 2000)


def test_shares_out_of_range_change_nothing_of_the_whole_specification(
    vcenter: TestVCenter, login: Login
) -> None:
    peer = login(vcenter)
    vm = peer.all(vim.VirtualMachine)["vm-00004"]
    first, second = _disks(vm).values()
    for shares in (199, 4001):
        wrong = vim.SharesInfo(level="custom", shares=shares)
        with pytest.raises(vim.fault.InvalidDeviceSpec) as caught:
            _reconfigure(peer, vm, _edit(first, limit=700), _edit(second, shares=wrong))
        assert caught.value.deviceIndex == 1
    assert {one.storageIOAllocation.limit for one in _disks(vm).values()} == {-1}


def test_resources_are_kept_and_reconfiguring_is_an_event(vcenter: TestVCenter, login: Login) -> None:
    peer = login(vcenter)
    vm = peer.all(vim.VirtualMachine)["vm-00001"]
    low = vim.ResourceAllocationInfo(limit=2000, shares=vim.SharesInfo(level="low", shares=0))
    marked = [vim.option.OptionValue(key="hyperscope.test", value="yes")]
    info = _reconfigure(peer, vm, cpuAllocation=low, extraConfig=marked)
    cpu = vm.config.cpuAllocation
    assert (cpu.limit, cpu.shares.shares, cpu.reservation) == (2000, vm.config.hardware.numCPU * 500, 0)
    assert {one.key: one.value for one in vm.config.extraConfig} == {"hyperscope.test": "yes"}
    _reconfigure(peer, vm, extraConfig=[vim.option.OptionValue(key="hyperscope.test", value="")])
    assert not vm.config.extraConfig
    begun, told = peer.chain(info)
    assert (type(begun), type(told)) == (vim.event.TaskEvent, vim.event.VmReconfiguredEvent)
    assert told.vm.vm == vm
    assert told.configSpec.cpuAllocation.limit == 2000


def test_an_old_change_version_is_refused(vcenter: TestVCenter, login: Login) -> None:
    peer = login(vcenter)
    vm = peer.all(vim.VirtualMachine)["vm-00001"]
    read = vm.config.changeVersion
    _reconfigure(peer, vm, annotation="somebody else", changeVersion=read)
    with pytest.raises(vim.fault.ConcurrentAccess):
        _reconfigure(peer, vm, annotation="me", changeVersion=read)
    assert vm.config.annotation == "somebody else"


def test_a_vm_that_runs_gets_no_more_cpus(vcenter: TestVCenter, login: Login) -> None:
    peer = login(vcenter)
    vm = peer.all(vim.VirtualMachine)["vm-00001"]
    with pytest.raises(vim.fault.CpuHotPlugNotSupported):
        _reconfigure(peer, vm, numCPUs=16)
    with pytest.raises(vmodl.fault.NotSupported):
        _reconfigure(peer, vm, firmware="efi")


def test_disks_are_added_and_removed_with_their_files(vcenter: TestVCenter, login: Login) -> None:
    peer = login(vcenter)
    vm = peer.all(vim.VirtualMachine)["vm-00001"]
    store = peer.all(vim.Datastore)["datastore-001-2"]
    free = store.summary.freeSpace
    name = "[datastore-001-2] vm-00001/hyperscope.vmdk"
    size_kb = 8 << 20
    _reconfigure(
        peer,
        vm,
        _new_disk(-1, 1, size_kb, name, eagerlyScrub=True, thinProvisioned=False),
        _new_disk(-2, 2, thinProvisioned=True),
    )
    disks = _disks(vm)
    assert list(disks) == ["Hard disk 1", "Hard disk 2", "Hard disk 3"]
    thick, thin = disks["Hard disk 2"], disks["Hard disk 3"]
    assert (thick.key, thick.capacityInBytes, thick.capacityInKB) == (2001, size_kb << 10, size_kb)
    assert (thick.backing.fileName, thick.backing.datastore) == (name, store)
    assert thin.backing.fileName == "[datastore-001-1] vm-00001/vm-00001.vmdk"
    uuids = {one.backing.uuid for one in disks.values()}
    assert len(uuids) == 3
    assert all(len(one) == 36 for one in uuids)
    assert thick.backing.uuid.startswith("6000C29")
    assert store.summary.freeSpace == free - (size_kb << 10)
    assert {one.name for one in vm.datastore} == {"datastore-001-1", "datastore-001-2"}
    with pytest.raises(vim.fault.FileAlreadyExists):
        _reconfigure(peer, vm, _new_disk(-1, 3, name=name))
    _reconfigure(peer, vm, DeviceSpec(operation="remove", device=thin))
    attached = _new_disk(-1, 4, name=thin.backing.fileName)
    attached.fileOperation = None
    _reconfigure(peer, vm, attached)
    again = _disks(vm)["Hard disk 3"]
    assert (again.backing.uuid, again.capacityInKB) == (thin.backing.uuid, thin.capacityInKB)
    gone = [DeviceSpec(operation="remove", fileOperation="destroy", device=one) for one in (thick, again)]
    _reconfigure(peer, vm, *gone)
    assert list(_disks(vm)) == ["Hard disk 1"]
    assert store.summary.freeSpace == free
    with pytest.raises(vim.fault.FileNotFound):
        _reconfigure(peer, vm, attached)


def test_a_disk_that_fits_nowhere_is_refused(vcenter: TestVCenter, login: Login) -> None:
    peer = login(vcenter)
    vm = peer.all(vim.VirtualMachine)["vm-00001"]
    for unit in (None, 0, 7, 64):
        with pytest.raises(vim.fault.InvalidDeviceSpec, match="Invalid configuration for device '0'"):
            _reconfigure(peer, vm, _new_disk(-1, unit))
    lost = _new_disk(-1, 1)
    lost.device.controllerKey = 1001
    with pytest.raises(vim.fault.InvalidDeviceSpec):
        _reconfigure(peer, vm, lost)
    with pytest.raises(vim.fault.NoDiskSpace) as caught:
        _reconfigure(peer, vm, _new_disk(-1, 1, 2 << 30))
    assert caught.value.datastore == "datastore-001-1"
    with pytest.raises(vim.fault.InvalidDatastorePath):
        _reconfigure(peer, vm, _new_disk(-1, 1, name="[nowhere] a.vmdk"))
    assert list(_disks(vm)) == ["Hard disk 1"]


def test_a_disk_comes_with_its_controller_and_grows_but_never_shrinks(
    vcenter: TestVCenter, login: Login
) -> None:
    peer = login(vcenter)
    vm = peer.all(vim.VirtualMachine)["vm-00001"]
    controller = vim.vm.device.ParaVirtualSCSIController(key=-10, busNumber=1, sharedBus="noSharing")
    disk = _new_disk(-11, 0)
    disk.device.controllerKey = -10
    _reconfigure(peer, vm, DeviceSpec(operation="add", device=controller), disk)
    added = _disks(vm)["Hard disk 2"]
    assert (added.controllerKey, added.unitNumber) == (1001, 0)
    added.capacityInKB, added.capacityInBytes = 4 << 20, 4 << 30
    _reconfigure(peer, vm, DeviceSpec(operation="edit", device=added))
    assert _disks(vm)["Hard disk 2"].capacityInBytes == 4 << 30
    added.capacityInKB, added.capacityInBytes = 1 << 20, 1 << 30
    with pytest.raises(vim.fault.InvalidDeviceOperation):
        _reconfigure(peer, vm, DeviceSpec(operation="edit", device=added))
