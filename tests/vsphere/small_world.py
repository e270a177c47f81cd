"""A vCenter of two hosts with a VM, a pool and a datastore, as updates of its inventory."""

from __future__ import annotations

from collectors.vsphere.inventory.replies import Update
from collectors.vsphere.inventory.values import (
    Adapter,
    Allocation,
    ClusterConfig,
    DatastoreInfo,
    Devices,
    Disk,
    Lun,
    Path,
    PhysicalNic,
    Ref,
    Switch,
    VirtualNic,
)
from sessions.model import EntityRef
from tests.vsphere.inventories import update

CLUSTER = update(
    "ClusterComputeResource",
    "domain-c1",
    name="Prod",
    configurationEx=ClusterConfig(True, "fullyAutomated", 3.0, True),
)
ROOT_POOL = update(
    "ResourcePool",
    "resgroup-1",
    name="Resources",
    parent=Ref("ClusterComputeResource", "domain-c1"),
    owner=Ref("ClusterComputeResource", "domain-c1"),
)
GOLD = update(
    "ResourcePool",
    "resgroup-2",
    name="Gold",
    parent=Ref("ResourcePool", "resgroup-1"),
    owner=Ref("ClusterComputeResource", "domain-c1"),
    config__cpuAllocation=Allocation(4000.0, 0.0, 8000.0),
    config__memoryAllocation=Allocation(None, 1024.0, 163840.0),
)
INNER = update(
    "VirtualApp",
    "resgroup-3",
    name="Inner",
    parent=Ref("ResourcePool", "resgroup-2"),
    owner=Ref("ClusterComputeResource", "domain-c1"),
)
STORE = update(
    "Datastore",
    "datastore-1",
    name="fast",
    summary__url="ds:///vmfs/volumes/5c3f-aa/",
    summary__type="VMFS",
    summary__capacity=1024.0**4,
    summary__freeSpace=512 * 1024.0**3,
    info=DatastoreInfo(("5c3f-aa",), ("naa.60", "mpx.vmhba0:C0:T0:L0")),
    iormConfiguration__enabled=True,
    iormConfiguration__congestionThreshold=30.0,
)
PORTGROUP = update("DistributedVirtualPortgroup", "dvportgroup-7", name="dv-prod")


def host(
    moid: str, name: str, cluster: str = "domain-c1", depth: float = 64.0, uuid: str | None = None
) -> Update:
    return update(
        "HostSystem",
        moid,
        name=name,
        parent=Ref("ClusterComputeResource" if cluster else "ComputeResource", cluster or "domain-s1"),
        runtime__connectionState="connected",
        runtime__powerState="poweredOn",
        runtime__inMaintenanceMode=False,
        hardware__systemInfo__uuid=f"uuid-of-{name}" if uuid is None else uuid,
        config__powerSystemInfo="static",
        config__product="8.0.2 build-1",
        config__hyperThread=True,
        hardware__numaInfo=2.0,
        hardware__memorySize=512 * 1024.0**3,
        hardware__cpuInfo__hz=2_600_000_000.0,
        hardware__cpuInfo__numCpuCores=32.0,
        hardware__cpuInfo__numCpuThreads=64.0,
        config__network__pnic=(PhysicalNic("vmnic0", "nmlx5", 25000.0), PhysicalNic("vmnic1", "", None)),
        config__network__vswitch=(Switch("vSwitch0", ("vmnic0",)),),
        config__network__proxySwitch=(Switch("DSwitch", ("vmnic1",)),),
        config__storageDevice__hostBusAdapter=(Adapter("vmhba2", "qlnativefc", "QLE"),),
        config__storageDevice__scsiLun=(
            Lun("naa.60", depth, "PURE", "FlashArray", False),
            Lun("mpx.vmhba0:C0:T0:L0", 32.0, "VMware", "Disk", True),
        ),
        config__storageDevice__multipathInfo=(Path("vmhba2:C0:T1:L3", "fc.a-fc.b-naa.60", "active"),),
        datastore=(Ref("Datastore", "datastore-1"),),
    )


def vm(moid: str = "vm-1", name: str = "db01", uuid: str = "uuid-1", **more: object) -> Update:
    values: dict[str, object] = {
        "name": name,
        "config__template": False,
        "config__instanceUuid": uuid,
        "runtime__connectionState": "connected",
        "runtime__powerState": "poweredOn",
        "runtime__host": Ref("HostSystem", "host-1"),
        "resourcePool": Ref("ResourcePool", "resgroup-2"),
        "datastore": (Ref("Datastore", "datastore-1"),),
        "config__hardware__numCPU": 2.0,
        "config__hardware__memoryMB": 4096.0,
        "config__cpuAllocation": Allocation(None, 0.0, 2000.0),
        "config__hardware__device": Devices(
            (Disk("scsi0:0", "ParaVirtualSCSIController", "datastore-1", 1000.0, None, "persistent"),),
            (VirtualNic("4000", "Network adapter 1", "VirtualVmxnet3", "", "dvportgroup-7"),),
        ),
        "guest__toolsRunningStatus": "guestToolsRunning",
    }
    return update("VirtualMachine", moid, **{**values, **more})  # type: ignore[arg-type]


VM = EntityRef("vm", "uuid-1")
HOST = EntityRef("host", "esx01")
WORLD = (
    vm(),
    host("host-1", "esx01"),
    host("host-2", "esx02"),
    INNER,
    GOLD,
    ROOT_POOL,
    CLUSTER,
    STORE,
    PORTGROUP,
)
