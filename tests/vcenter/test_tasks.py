"""The test vCenter's tasks are slow, fail and are forbidden on request; others change the same things."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from pyVmomi import vim, vmodl

from tests.vcenter.peers import Peer
from tests.vcenter.running import TestVCenter

Login = Callable[..., Peer]
Sioc = vim.StorageResourceManager.IORMConfigSpec


def _begin(peer: Peer, store: Any, **settings: object) -> Any:
    return peer.content.storageResourceManager.ConfigureDatastoreIORM_Task(store, Sioc(**settings))


def test_a_slow_task_has_progress_and_acts_at_its_end(vcenter: TestVCenter, login: Login) -> None:
    peer = login(vcenter)
    store = peer.all(vim.Datastore)["datastore-001-1"]
    vcenter.fault("task_slow", method="ConfigureDatastoreIORM_Task", seconds=1, count=1)
    began = time.monotonic()
    task = _begin(peer, store, congestionThreshold=10)
    assert time.monotonic() - began < 0.5
    seen = []
    for progress in peer.watch(task, "info.progress"):
        seen.append(progress or 0)
        if seen[-1] > 40:
            break
    assert (task.info.state, store.iormConfiguration.congestionThreshold) == ("running", 30)
    assert task in peer.content.taskManager.recentTask
    assert task in store.recentTask
    assert seen == sorted(seen)
    assert len(set(seen)) > 3
    info = peer.finish(task)
    assert time.monotonic() - began >= 1
    assert store.iormConfiguration.congestionThreshold == 10
    assert timedelta(seconds=0.9) < info.completeTime - info.startTime < timedelta(seconds=5)
    assert peer.finish(_begin(peer, store, congestionThreshold=20)).progress is None, "the next one is fast"


def test_a_task_is_cancelled_and_has_changed_nothing(vcenter: TestVCenter, login: Login) -> None:
    peer = login(vcenter)
    vm = peer.all(vim.VirtualMachine)["vm-00001"]
    vcenter.fault("task_slow", method="RelocateVM_Task", seconds=60)
    task = vm.RelocateVM_Task(vim.vm.RelocateSpec(host=peer.all(vim.HostSystem)["esx0002.lab"]), None)
    assert task.info.cancelable
    task.CancelTask()
    with pytest.raises(vmodl.fault.RequestCanceled):
        peer.finish(task)
    assert task.info.cancelled
    vcenter.clear()
    assert vm.runtime.host.name == "esx0001.lab"


def test_tasks_that_are_slow_are_let_go(vcenter: TestVCenter, login: Login) -> None:
    peer = login(vcenter)
    vm = peer.all(vim.VirtualMachine)["vm-00001"]
    vcenter.fault("task_slow", method="*VM_Task", seconds=60)
    task = vm.PowerOffVM_Task()
    vcenter.clear()
    peer.finish(task)
    assert vm.runtime.powerState == "poweredOff"


@pytest.mark.parametrize(
    ("options", "fault", "text"),
    [
        ({"type": "TaskInProgress"}, vim.fault.TaskInProgress, "TaskInProgress"),
        ({"type": "GenericVmConfigFault", "text": "no luck"}, vim.fault.GenericVmConfigFault, "no luck"),
        ({"type": "Timedout", "text": "Operation timed out."}, vim.fault.Timedout, "timed out"),
        ({}, vmodl.fault.SystemError, ""),
        ({"type": "NoSuchFault", "text": "odd"}, vmodl.fault.SystemError, "odd"),
    ],
)
def test_a_task_fails_with_a_fault(
    vcenter: TestVCenter, login: Login, options: dict[str, object], fault: type[Exception], text: str
) -> None:
    peer = login(vcenter)
    vm = peer.all(vim.VirtualMachine)["vm-00001"]
    vcenter.fault("task_fails", method="ReconfigVM_Task", count=1, **options)
    task = vm.ReconfigVM_Task(vim.vm.ConfigSpec(annotation="one"))
    with pytest.raises(fault) as caught:
        peer.finish(task)
    assert text in str(caught.value)
    assert task.info.state == "error"
    assert task.info.completeTime is not None
    assert not vm.config.annotation
    peer.finish(vm.ReconfigVM_Task(vim.vm.ConfigSpec(annotation="two")))
    assert vm.config.annotation == "two"


def test_a_call_is_forbidden_by_name(vcenter: TestVCenter, login: Login) -> None:
    peer = login(vcenter)
    store = peer.all(vim.Datastore)["datastore-001-1"]
    vcenter.fault(
        "forbidden", method="ConfigureDatastoreIORM_Task", privilege="Datastore.ConfigIOManagement", count=1
    )
    with pytest.raises(vim.fault.NoPermission, match="Permission to perform") as caught:
        _begin(peer, store, enabled=False)
    assert caught.value.privilegeId == "Datastore.ConfigIOManagement"
    assert store.iormConfiguration.enabled
    peer.finish(_begin(peer, store, enabled=False))


def test_somebody_changes_it_just_before(vcenter: TestVCenter, login: Login) -> None:
    peer = login(vcenter)
    store = peer.all(vim.Datastore)["datastore-001-1"]
    vcenter.fault(
        "iorm_changed",
        datastore="datastore-001-1",
        threshold_ms=77,
        user="LAB\\Eve",
        before="ConfigureDatastoreIORM_Task",
    )
    assert store.iormConfiguration.congestionThreshold == 30
    peer.finish(_begin(peer, store, enabled=False))
    now = store.iormConfiguration
    assert (now.congestionThreshold, now.enabled) == (77, False)
    told = peer.events(vim.event.DatastoreIORMReconfiguredEvent)
    assert [one.userName for one in told] == ["LAB\\Eve", "VSPHERE.LOCAL\\Administrator"]


def test_somebody_changes_it_before_the_client_can_read_it_back(vcenter: TestVCenter, login: Login) -> None:
    peer = login(vcenter)
    vm = peer.all(vim.VirtualMachine)["vm-00001"]
    disk: Any = next(one for one in vm.config.hardware.device if isinstance(one, vim.vm.device.VirtualDisk))
    vcenter.fault("disk_changed", vm="vm-00001", disk="Hard disk 1", shares=333, after="ReconfigVM_Task")
    disk.storageIOAllocation.shares = vim.SharesInfo(level="custom", shares=444)
    edit = vim.vm.device.VirtualDeviceSpec(operation="edit", device=disk)
    for found in (333, 444):
        peer.finish(vm.ReconfigVM_Task(vim.vm.ConfigSpec(deviceChange=[edit])))
        [now] = [one for one in vm.config.hardware.device if one.key == disk.key]
        assert now.storageIOAllocation.shares.shares == found, "once only"


def test_clocks_differ(vcenter: TestVCenter, login: Login) -> None:
    peer = login(vcenter)
    one, two = (peer.all(vim.HostSystem)[f"esx000{n}.lab"] for n in (1, 2))

    def ahead(host: Any) -> float:
        there = host.configManager.dateTimeSystem.QueryDateTime()
        return float((there - peer.instance.CurrentTime()).total_seconds())

    assert abs(ahead(one)) < 1
    vcenter.fault("host_clock", host="esx0001.lab", seconds=30)
    assert ahead(one) == pytest.approx(30, abs=1)
    assert abs(ahead(two)) < 1
    before = peer.instance.CurrentTime()
    vcenter.jump(3600)
    assert (peer.instance.CurrentTime() - before).total_seconds() == pytest.approx(3600, abs=5)
    task = _begin(peer, peer.all(vim.Datastore)["datastore-001-1"], enabled=True)
    assert abs((peer.finish(task).startTime - peer.instance.CurrentTime()).total_seconds()) < 5
