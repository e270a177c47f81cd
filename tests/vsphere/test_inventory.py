"""From plain values to entities, facts and the inventory."""

from __future__ import annotations

import pytest

from collectors.vsphere.inventory.values import (
    Ref,
)
from sessions.model import Entity, EntityRef
from tests.vsphere.inventories import instances, loaded, update
from tests.vsphere.small_world import (
    HOST,
    VM,
    WORLD,
    host,
    vm,
)


def test_a_vm_as_facts() -> None:
    _, feed = loaded(*WORLD)
    assert feed.facts(VM) == {
        "host": "esx01",
        "pool": "vc/resgroup-2",
        "power_state": "poweredOn",
        "vcpus": 2.0,
        "mem.size_mb": 4096.0,
        "cpu.reservation_mhz": 0.0,
        "cpu.shares": 2000.0,
        "snapshots": 0.0,
        "tools": "guestToolsRunning",
        "vdisk.scsi0:0.controller": "pvscsi",
        "vdisk.scsi0:0.datastore": "ds:///vmfs/volumes/5c3f-aa/",
        "vdisk.scsi0:0.mode": "persistent",
        "vdisk.scsi0:0.shares": 1000.0,
        "nic.4000.type": "vmxnet3",
        "nic.4000.network": "dv-prod",
    }


def test_what_tools_say_of_themselves_and_who_made_a_vm_are_facts() -> None:
    agent = vm(guest__toolsVersionStatus2="guestToolsTooOld", config__managedBy="com.vmware.vim.eam")
    _, feed = loaded(agent, *WORLD[1:])
    facts = feed.facts(VM)
    assert (facts["tools_status"], facts["managed_by"]) == ("guestToolsTooOld", "com.vmware.vim.eam")


def test_a_host_and_what_it_has_as_facts() -> None:
    _, feed = loaded(*WORLD)
    assert feed.facts(HOST) == {
        "moid": "vc/host-1",
        "uuid": "uuid-of-esx01",
        "power_policy": "static",
        "hyperthreading": True,
        "numa.nodes": 2.0,
        "cpu.cores": 32.0,
        "cpu.threads": 64.0,
        "cpu.mhz": 2600.0,
        "mem.size_mb": 524288.0,
        "version": "8.0.2 build-1",
        "connection_state": "connected",
        "maintenance": False,
    }
    assert feed.facts(EntityRef("nic", "esx01/vmnic0")) == {
        "nic.speed_mbps": 25000.0,
        "nic.driver": "nmlx5",
        "nic.switch": "vSwitch0",
    }
    assert feed.facts(EntityRef("nic", "esx01/vmnic1")) == {"nic.switch": "DSwitch"}
    assert feed.facts(EntityRef("device", "naa.60")) == {
        "device.queue_depth": 64.0,
        "device.vendor": "PURE",
        "device.model": "FlashArray",
        "device.local": False,
        "device.datastore": "ds:///vmfs/volumes/5c3f-aa/",
    }
    assert feed.facts(EntityRef("device", "esx02/mpx.vmhba0:C0:T0:L0"))["device.local"] is True


def test_clusters_pools_and_datastores_as_facts() -> None:
    _, feed = loaded(*WORLD)
    assert feed.facts(EntityRef("cluster", "vc/domain-c1")) == {
        "drs.enabled": True,
        "drs.behavior": "fullyAutomated",
        "drs.rate": 3.0,
        "drs.rules": 0.0,
        "drs.overrides": 0.0,
        "ha.enabled": True,
    }
    assert feed.facts(EntityRef("pool", "vc/resgroup-2")) == {
        "cpu.limit_mhz": 4000.0,
        "cpu.reservation_mhz": 0.0,
        "cpu.shares": 8000.0,
        "mem.reservation_mb": 1024.0,
        "mem.shares": 163840.0,
    }
    assert feed.facts(EntityRef("datastore", "ds:///vmfs/volumes/5c3f-aa/")) == {
        "uuid": "5c3f-aa",
        "datastore.type": "VMFS",
        "datastore.capacity_mb": 1048576.0,
        "datastore.free_mb": 524288.0,
        "sioc.enabled": True,
        "sioc.threshold_ms": 30.0,
    }


@pytest.mark.parametrize(
    "url", ["ds:///vmfs/volumes/5c3f-aa/", "/vmfs/volumes/5c3f-aa", "/vmfs/volumes/5c3f-aa/"]
)
def test_a_datastore_is_the_same_seen_from_vcenter_and_from_a_host(url: str) -> None:
    _, feed = loaded(update("Datastore", "datastore-1", name="fast", summary__url=url))
    assert EntityRef("datastore", "ds:///vmfs/volumes/5c3f-aa/") in feed.entities


def test_entities_hang_together() -> None:
    _, feed = loaded(*WORLD)
    cluster = EntityRef("cluster", "vc/domain-c1")
    parents = {f"{ref.kind}/{ref.key}": one.parent for ref, one in feed.entities.items()}
    assert parents["cluster/vc/domain-c1"] == EntityRef("vcenter", "vc")
    assert parents["host/esx01"] == cluster
    assert parents["vm/uuid-1"] == cluster
    assert parents["pool/vc/resgroup-2"] == cluster
    assert parents["pool/vc/resgroup-3"] == EntityRef("pool", "vc/resgroup-2")
    assert "pool/vc/resgroup-1" not in parents
    assert parents["device/naa.60"] is None
    assert parents["device/esx01/mpx.vmhba0:C0:T0:L0"] == HOST
    assert parents["path/esx01/vmhba2:C0:T1:L3"] == EntityRef("adapter", "esx01/vmhba2")
    assert feed.entities[EntityRef("vcpu", "uuid-1/vcpu/1")] == Entity(
        EntityRef("vcpu", "uuid-1/vcpu/1"), "vCPU 1", VM
    )
    assert feed.entities[EntityRef("port", "uuid-1/nic/4000")].name == "Network adapter 1"


def test_the_inventory_maps_counters_instances() -> None:
    kept, _ = loaded(*WORLD)
    found = kept.objects["vm-1"]
    assert (found.type, found.ref, found.name, found.host, found.cluster) == (
        "VirtualMachine",
        VM,
        "db01",
        "host-1",
        "domain-c1",
    )
    assert (found.vcpus, found.powered_on, found.connected) == (2, True, True)
    store = "datastore/ds:///vmfs/volumes/5c3f-aa/"
    assert instances(found.instances) == {
        "0": "vcpu/uuid-1/vcpu/0",
        "1": "vcpu/uuid-1/vcpu/1",
        "scsi0:0": "vdisk/uuid-1/scsi0:0",
        "4000": "port/uuid-1/nic/4000",
        "5c3f-aa": store,
        "fast": store,
        "datastore-1": store,
    }
    assert instances(kept.objects["host-1"].instances) == {
        "vmnic0": "nic/esx01/vmnic0",
        "vmnic1": "nic/esx01/vmnic1",
        "vmhba2": "adapter/esx01/vmhba2",
        "naa.60": "device/naa.60",
        "mpx.vmhba0:C0:T0:L0": "device/esx01/mpx.vmhba0:C0:T0:L0",
        "vmhba2:C0:T1:L3": "path/esx01/vmhba2:C0:T1:L3",
        "fc.a-fc.b-naa.60": "path/esx01/vmhba2:C0:T1:L3",
        "5c3f-aa": store,
        "fast": store,
        "datastore-1": store,
    }
    assert kept.objects["resgroup-2"].cluster == "domain-c1"
    assert "resgroup-1" not in kept.objects
    assert "dvportgroup-7" not in kept.objects


def test_a_standalone_host_needs_no_cluster() -> None:
    root = update(
        "ResourcePool", "ha-root-pool", name="Resources", parent=Ref("ComputeResource", "ha-compute-res"),
        owner=Ref("ComputeResource", "ha-compute-res"),
    )  # fmt: skip
    pool = update(
        "ResourcePool", "pool0", name="lab", parent=Ref("ResourcePool", "ha-root-pool"),
        owner=Ref("ComputeResource", "domain-s1"),
    )  # fmt: skip
    guest = vm(runtime__host=Ref("HostSystem", "ha-host"), resourcePool=Ref("ResourcePool", "pool0"))
    kept, feed = loaded(host("ha-host", "esx09", cluster=""), root, pool, guest, vcenter=None)
    assert {ref.kind for ref in feed.entities} >= {"host", "vm", "pool"}
    assert not {"vcenter", "cluster"} & {ref.kind for ref in feed.entities}
    assert feed.entities[VM].parent == EntityRef("host", "esx09")
    assert feed.entities[EntityRef("pool", "vc/pool0")].parent == EntityRef("host", "esx09")
    assert kept.objects["vm-1"].cluster is None
