"""The test vCenter moves VMs, turns them on and off, and keeps what DRS is set to, as the documents say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pyVmomi import vim, vmodl

from tests.vcenter.peers import Peer
from tests.vcenter.running import TestVCenter

Start = Callable[..., TestVCenter]
Login = Callable[..., Peer]
ClusterSpec = vim.cluster.ConfigSpecEx
DrsInfo = vim.cluster.DrsConfigInfo


def _drs(peer: Peer, cluster: Any, modify: bool = True, **settings: object) -> Any:
    spec = ClusterSpec(drsConfig=DrsInfo(**settings))
    return peer.finish(cluster.ReconfigureComputeResource_Task(spec, modify))


def _relocate(peer: Peer, vm: Any, **spec: object) -> Any:
    return peer.finish(vm.RelocateVM_Task(vim.vm.RelocateSpec(**spec), "highPriority"))


@pytest.mark.parametrize("method", ["migrate", "relocate"])
def test_a_vm_moves_with_its_pool_and_tells_of_it(vcenter: TestVCenter, login: Login, method: str) -> None:
    peer = login(vcenter)
    vm = peer.all(vim.VirtualMachine)["vm-00002"]
    one, two = (peer.all(vim.HostSystem)[f"esx000{n}.lab"] for n in (1, 2))
    pool = vm.resourcePool
    assert (vm.runtime.host, pool.name) == (two, "cluster-01-production")
    if method == "migrate":
        info = peer.finish(vm.MigrateVM_Task(None, one, "defaultPriority", None))
    else:
        info = _relocate(peer, vm, host=one)
    assert info.descriptionId == f"VirtualMachine.{method}"
    assert vm.runtime.host == vm.summary.runtime.host == one
    assert (vm in one.vm, vm in two.vm, vm.resourcePool) == (True, False, pool)
    begun, moving, moved = peer.chain(info)
    assert (type(begun), type(moving), type(moved)) == (
        vim.event.TaskEvent,
        vim.event.VmBeingMigratedEvent,
        vim.event.VmMigratedEvent,
    )
    assert (moving.destHost.host, moved.sourceHost.host, moved.host.host) == (one, two, one)
    [cluster] = peer.all(vim.ClusterComputeResource).values()
    assert (cluster.summary.numVmotions, list(cluster.migrationHistory)) == (1, [])


def test_a_move_that_can_not_be_is_refused(start_vcenter: Start, login: Login) -> None:
    server = start_vcenter(clusters=2, hosts=4, vms=4, interval=1, history=60)
    peer = login(server)
    vm = peer.all(vim.VirtualMachine)["vm-00001"]
    hosts = peer.all(vim.HostSystem)
    there = vm.runtime.host
    with pytest.raises(vmodl.fault.InvalidArgument) as caught:
        _relocate(peer, vm, host=hosts["esx0002.lab"])  # of the other cluster, and no pool is given
    assert caught.value.invalidProperty == "spec.pool"
    with pytest.raises(vim.fault.InvalidPowerState):
        vm.MigrateVM_Task(None, hosts["esx0003.lab"], "defaultPriority", "poweredOff")
    with pytest.raises(vmodl.fault.ManagedObjectNotFound):
        _relocate(peer, vm, host=vim.HostSystem("host-none"))
    server.fault("host_maintenance", host="esx0003.lab", on=True)
    with pytest.raises(vim.fault.InvalidHostState):
        _relocate(peer, vm, host=hosts["esx0003.lab"])
    assert [type(one) for one in peer.events(vim.event.VmFailedMigrateEvent)] == [
        vim.event.VmFailedMigrateEvent
    ]
    assert vm.runtime.host == there
    pool = peer.all(vim.ClusterComputeResource)["cluster-02"].resourcePool
    _relocate(peer, vm, host=hosts["esx0002.lab"], pool=pool)
    assert (vm.runtime.host.name, vm.resourcePool, vm in pool.vm) == ("esx0002.lab", pool, True)


@pytest.mark.parametrize(("on", "needed"), [(True, "Resource.HotMigrate"), (False, "Resource.ColdMigrate")])
def test_moving_needs_its_privilege(vcenter: TestVCenter, login: Login, on: bool, needed: str) -> None:
    peer = login(vcenter)
    vm = peer.all(vim.VirtualMachine)["vm-00002"]
    if not on:
        vcenter.fault("vm_power", vm="vm-00002", on=False)
    vcenter.fault("deny", privileges=[needed])
    with pytest.raises(vim.fault.NoPermission) as caught:
        _relocate(peer, vm, host=peer.all(vim.HostSystem)["esx0001.lab"])
    assert (caught.value.privilegeId, caught.value.object) == (needed, vm)
    assert vm.runtime.host.name == "esx0002.lab"


def test_disks_move_to_another_datastore(vcenter: TestVCenter, login: Login) -> None:
    peer = login(vcenter)
    vm = peer.all(vim.VirtualMachine)["vm-00004"]
    stores = peer.all(vim.Datastore)
    old, new = vm.datastore[0], stores["datastore-001-1"]
    disks: list[Any] = [
        one for one in vm.config.hardware.device if isinstance(one, vim.vm.device.VirtualDisk)
    ]
    uuids = [one.backing.uuid for one in disks]
    second = vim.vm.RelocateSpec.DiskLocator(diskId=disks[1].key, datastore=new)
    _relocate(peer, vm, disk=[second])
    assert [one.name for one in vm.datastore] == [old.name, new.name]
    info = _relocate(peer, vm, datastore=new)
    assert isinstance(peer.chain(info)[-1], vim.event.VmRelocatedEvent)
    moved: list[Any] = [
        one for one in vm.config.hardware.device if isinstance(one, vim.vm.device.VirtualDisk)
    ]
    assert {one.backing.datastore for one in moved} == {new}
    assert all(one.backing.fileName.startswith("[datastore-001-1] vm-00004/") for one in moved)
    assert [one.backing.uuid for one in moved] == uuids
    assert vm.config.files.vmPathName == "[datastore-001-1] vm-00004/vm-00004.vmx"
    assert (vm in new.vm, vm in old.vm, list(vm.datastore)) == (True, False, [new])


def test_power(vcenter: TestVCenter, login: Login) -> None:
    peer = login(vcenter)
    vm = peer.all(vim.VirtualMachine)["vm-00001"]
    with pytest.raises(vim.fault.InvalidPowerState) as caught:
        peer.finish(vm.PowerOnVM_Task(None))
    assert caught.value.existingState == "poweredOn"
    info = peer.finish(vm.PowerOffVM_Task())
    assert isinstance(peer.chain(info)[-1], vim.event.VmPoweredOffEvent)
    assert (vm.runtime.powerState, vm.guest.guestOperationsReady) == ("poweredOff", False)
    assert (vm.runtime.bootTime, vm.guest.toolsRunningStatus) == (None, "guestToolsNotRunning")
    peer.finish(vm.PowerOnVM_Task(None))
    assert (vm.runtime.powerState, vm.guest.guestOperationsReady) == ("poweredOn", True)
    vcenter.fault("deny", privileges=["VirtualMachine.Interact.PowerOff"])
    with pytest.raises(vim.fault.NoPermission):
        vm.PowerOffVM_Task()


def test_drs_keeps_what_is_set(vcenter: TestVCenter, login: Login) -> None:
    peer = login(vcenter)
    [cluster] = peer.all(vim.ClusterComputeResource).values()
    option = vim.option.OptionValue(key="TryBalanceVmsPerHost", value="1")
    info = _drs(peer, cluster, defaultVmBehavior="manual", vmotionRate=5, option=[option])
    assert (info.entity, info.descriptionId) == (cluster, "ComputeResource.reconfigureEx")
    assert isinstance(peer.chain(info)[-1], vim.event.ClusterReconfiguredEvent)
    now = cluster.configurationEx.drsConfig
    assert (now.enabled, now.defaultVmBehavior, now.vmotionRate) == (True, "manual", 5)
    assert [(one.key, one.value) for one in now.option] == [("TryBalanceVmsPerHost", "1")]
    _drs(peer, cluster, defaultVmBehavior="partiallyAutomated")
    now = cluster.configurationEx.drsConfig
    assert (now.defaultVmBehavior, now.vmotionRate, len(now.option)) == ("partiallyAutomated", 5, 1)
    for rate in (6, -1):
        with pytest.raises(vmodl.fault.InvalidArgument) as caught:
            _drs(peer, cluster, vmotionRate=rate)
        assert caught.value.invalidProperty == "spec.drsConfig.vmotionRate"
    _drs(peer, cluster, modify=False, enabled=True, defaultVmBehavior="manual")
    now = cluster.configurationEx.drsConfig
    assert (now.vmotionRate, list(now.option or [])) == (3, []), "what is left out went back to the usual"
    vcenter.fault("deny", privileges=["Host.Inventory.EditCluster"])
    with pytest.raises(vim.fault.NoPermission):
        _drs(peer, cluster, vmotionRate=1)


def test_turning_drs_off_deletes_the_pools(vcenter: TestVCenter, login: Login) -> None:
    peer = login(vcenter)
    [cluster] = peer.all(vim.ClusterComputeResource).values()
    vm = peer.all(vim.VirtualMachine)["vm-00002"]
    assert [one.name for one in cluster.resourcePool.resourcePool] == ["cluster-01-production"]
    info = _drs(peer, cluster, enabled=False)
    assert vim.event.DrsDisabledEvent in map(type, peer.chain(info))
    assert list(cluster.resourcePool.resourcePool) == []
    assert vm.resourcePool == cluster.resourcePool
    info = _drs(peer, cluster, enabled=True)
    assert vim.event.DrsEnabledEvent in map(type, peer.chain(info))
    assert list(cluster.resourcePool.resourcePool) == []


def test_a_vms_own_automation_is_added_edited_and_removed(vcenter: TestVCenter, login: Login) -> None:
    peer = login(vcenter)
    [cluster] = peer.all(vim.ClusterComputeResource).values()
    vm = peer.all(vim.VirtualMachine)["vm-00001"]

    def change(operation: str, **info: object) -> None:
        own = vim.cluster.DrsVmConfigInfo(key=vm, **info) if operation != "remove" else None
        spec = vim.cluster.DrsVmConfigSpec(operation=operation, info=own, removeKey=None if own else vm)
        peer.finish(cluster.ReconfigureComputeResource_Task(ClusterSpec(drsVmConfigSpec=[spec]), True))

    with pytest.raises(vmodl.fault.InvalidArgument):
        change("edit", enabled=False)
    change("add", enabled=False)
    change("edit", behavior="manual")
    [own] = cluster.configurationEx.drsVmConfig
    assert (own.key, own.enabled, own.behavior) == (vm, False, "manual")
    change("remove")
    assert not cluster.configurationEx.drsVmConfig


def _heavy(server: TestVCenter, *names: str) -> None:
    """Let each of these VMs ask for a third of a host."""
    for name in names:
        server.fault("vm_load", vm=name, mhz=14_000)


@pytest.fixture
def uneven(start_vcenter: Start) -> TestVCenter:
    """A cluster of 2 hosts, whose first has all the heavy VMs; DRS runs on demand only."""
    server = start_vcenter(hosts=2, vms=8, interval=1, history=60, drs_period=0)
    _heavy(server, "vm-00001", "vm-00003", "vm-00005", "vm-00007")
    return server


def _placed(peer: Peer) -> dict[str, str]:
    return {name: vm.runtime.host.name for name, vm in peer.all(vim.VirtualMachine).items()}


def test_drs_recommends_and_the_client_applies(uneven: TestVCenter, login: Login) -> None:
    peer = login(uneven)
    [cluster] = peer.all(vim.ClusterComputeResource).values()
    before = _placed(peer)
    _drs(peer, cluster, defaultVmBehavior="manual", vmotionRate=1)
    assert cluster.summary.targetBalance == 50
    assert cluster.summary.currentBalance > 500
    cluster.RefreshRecommendation()
    found = list(cluster.recommendation)
    assert len(found) == 2
    assert _placed(peer) == before
    for one in found:
        assert (one.type, one.reason, one.target) == ("V1", "fairnessCpuAvg", cluster)
        assert 1 <= one.rating <= 5
        [action] = one.action
        assert isinstance(action, vim.cluster.MigrationAction)
        move: Any = action.drsMigration
        assert (move.source.name, move.destination.name) == ("esx0001.lab", "esx0002.lab")
        assert action.target == move.vm
        assert move.cpuLoad == 14_000
    first, second = found
    cluster.ApplyRecommendation(first.key)
    cluster.CancelRecommendation(second.key)
    moved = first.action[0].drsMigration.vm
    peer.until(lambda: moved.runtime.host.name == "esx0002.lab")
    assert list(cluster.recommendation) == []
    [told] = peer.events(vim.event.DrsVmMigratedEvent)
    assert (told.vm.vm, told.sourceHost.name) == (moved, "esx0001.lab")
    peer.until(lambda: len(cluster.migrationHistory) == 1)
    [history] = cluster.migrationHistory
    assert (history.vm, history.destination) == (moved, moved.runtime.host)
    assert [one.action.target for one in cluster.actionHistory] == [moved]
    for key in (first.key, second.key, "nonsense"):
        with pytest.raises(vmodl.fault.InvalidArgument):
            cluster.ApplyRecommendation(key)


def test_drs_moves_by_itself_when_it_may(uneven: TestVCenter, login: Login) -> None:
    peer = login(uneven)
    [cluster] = peer.all(vim.ClusterComputeResource).values()
    pools = {name: vm.resourcePool for name, vm in peer.all(vim.VirtualMachine).items()}
    _drs(peer, cluster, defaultVmBehavior="fullyAutomated", vmotionRate=1)
    assert len(peer.events(vim.event.DrsVmMigratedEvent)) == 0
    cluster.RefreshRecommendation()
    peer.until(lambda: len(cluster.migrationHistory) == 2)
    heavy = [_placed(peer)[f"vm-0000{n}"] for n in (1, 3, 5, 7)]
    assert sorted(heavy) == ["esx0001.lab", "esx0001.lab", "esx0002.lab", "esx0002.lab"]
    assert {name: vm.resourcePool for name, vm in peer.all(vim.VirtualMachine).items()} == pools
    assert not cluster.recommendation
    assert (cluster.summary.currentBalance or 0) <= 50
    cluster.RefreshRecommendation()
    assert len(peer.events(vim.event.DrsVmMigratedEvent)) == 2, "a balanced cluster moves nothing"


@pytest.mark.parametrize("rate", [1, 5])
def test_the_rate_says_how_much_is_borne(uneven: TestVCenter, login: Login, rate: int) -> None:
    peer = login(uneven)
    [cluster] = peer.all(vim.ClusterComputeResource).values()
    _drs(peer, cluster, defaultVmBehavior="manual", vmotionRate=rate)
    cluster.RefreshRecommendation()
    assert bool(cluster.recommendation) == (rate == 1)


def test_a_vm_that_drs_may_not_touch_stays(uneven: TestVCenter, login: Login) -> None:
    peer = login(uneven)
    [cluster] = peer.all(vim.ClusterComputeResource).values()
    heavy = [peer.all(vim.VirtualMachine)[f"vm-0000{n}"] for n in (1, 3, 5, 7)]
    specs = [
        vim.cluster.DrsVmConfigSpec(operation="add", info=vim.cluster.DrsVmConfigInfo(key=vm, enabled=False))
        for vm in heavy
    ]
    spec = ClusterSpec(drsConfig=DrsInfo(vmotionRate=1), drsVmConfigSpec=specs)
    peer.finish(cluster.ReconfigureComputeResource_Task(spec, True))
    cluster.RefreshRecommendation()
    assert not {one.vm for one in cluster.migrationHistory} & set(heavy)
    assert {vm.runtime.host.name for vm in heavy} == {"esx0001.lab"}


def test_drs_runs_by_the_clock_where_a_test_has_to_do_with_it(start_vcenter: Start, login: Login) -> None:
    server = start_vcenter(hosts=2, vms=8, interval=1, history=60, drs_period=0.2)
    _heavy(server, "vm-00001", "vm-00003", "vm-00005", "vm-00007")
    peer = login(server)
    [cluster] = peer.all(vim.ClusterComputeResource).values()
    peer.until(lambda: len(cluster.migrationHistory) == 2)


def test_newer_servers_have_scores_instead_of_balances(start_vcenter: Start, login: Login) -> None:
    server = start_vcenter(hosts=2, vms=8, interval=1, history=60, drs_period=0, about="8.0.3.0")
    peer = login(server)
    [cluster] = peer.all(vim.ClusterComputeResource).values()
    assert (cluster.summary.drsScore, list(cluster.summary.numVmsPerDrsScoreBucket)) == (100, [0, 0, 0, 0, 8])
    assert cluster.summary.currentBalance is None
    _heavy(server, "vm-00001", "vm-00003", "vm-00005", "vm-00007")
    assert cluster.summary.drsScore < 80
    assert list(cluster.summary.numVmsPerDrsScoreBucket) == [0, 0, 0, 4, 4]


def test_somebody_else_changes_drs(vcenter: TestVCenter, login: Login) -> None:
    peer = login(vcenter)
    [cluster] = peer.all(vim.ClusterComputeResource).values()
    vcenter.fault("drs_changed", cluster="cluster-01", behaviour="manual", rate=2, user="LAB\\Eve")
    now = cluster.configurationEx.drsConfig
    assert (now.defaultVmBehavior, now.vmotionRate) == ("manual", 2)
    assert peer.events(vim.event.ClusterReconfiguredEvent)[-1].userName == "LAB\\Eve"
