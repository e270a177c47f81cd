"""Adapters, devices, paths, volumes and virtual disks, as the esxtop service tells a host of the lab."""

from __future__ import annotations

from lab.inventory import NFS_LUN, Cluster
from lab.layout import ADAPTERS
from lab.service_counting import HostCounts
from lab.service_lines import Lines, Objects

_DEVICE = "Physical Disk SCSI Device"
_WORLD = "Physical Disk Per-Device-Per-World"
_PARTITION = "Physical Disk Partition"
_PATH = "Physical Disk Path"
_VOLUME = "Physical Disk NFS Volume"
_DIRECTIONS = ("", "Read", "Write")
_TIMES_OF_LAYER = 8


def tell_scsi(counts: HostCounts, cluster: Cluster, lines: Lines, objects: Objects) -> None:
    """Tell adapters, then each device with its worlds and partitions, then paths."""
    layout, luns = counts.layout, cluster.luns
    sizes = {"Path": len(layout.paths), "SCSIDevice": len(layout.devices), "Adapter": len(ADAPTERS)}
    objects.add("SCSI", top=True, **sizes)
    lines.add(
        "SCSI", NumOfAdapters=len(ADAPTERS), NumOfDevices=len(layout.devices), NumOfPaths=len(layout.paths)
    )
    for row, name in enumerate(ADAPTERS):
        depth = counts.now("Physical Disk", "Adapter Q Depth", row)
        lines.add("Adapter", AdapterName=name, IsValid=1, QueueDepth=depth)
    told = {cls: counts.counts(cls).lists() for cls in (_DEVICE, _WORLD, _PARTITION, _PATH)}
    users = [(row, user) for row, user in enumerate(layout.users) if counts.is_there(user.vm)]
    for row, lun in enumerate(layout.devices):
        mine = [(at, user) for at, user in users if user.lun == lun]
        parts = [(at, number) for at, (on, number) in enumerate(layout.partitions) if on == lun]
        lines.add(
            "SCSIDevice", DeviceName=luns[lun].name, **_io(told[_DEVICE], row), BlockSizeInBytes=512,
            NumOfBlocks=2**31, QueueDepth=counts.now(_DEVICE, "Device Q Depth", row),
            NumOfActiveCommands=counts.now(_DEVICE, "Active Commands", row),
            NumOfQueuedCommands=counts.now(_DEVICE, "Queued Commands", row),
            NumOfAtsOps=counts.now(_DEVICE, "ATS", row), NumOfZeroOps=counts.now(_DEVICE, "Zeros", row),
            NumOfBlocksZeroed=told[_DEVICE]["NumOfBlocksZeroed"][row], NumOfWorlds=len(mine),
            NumOfPartitions=len(parts),
        )  # fmt: skip
        for at, user in mine:
            lines.add(
                "WorldPerDev", WorldID=user.world, Shares=1000, **_io(told[_WORLD], at),
                NumOfActiveCmds=counts.now(_WORLD, "Active Commands", at),
                NumOfQueuedCmds=counts.now(_WORLD, "Queued Commands", at),
            )  # fmt: skip
        for at, number in parts:
            io = _io(told[_PARTITION], at)
            lines.add(
                "Partition",
                PartitionID=number,
                **{name: io[name] for name in io if name not in _NO_PARTITION},
            )
    for row, path in enumerate(layout.paths):
        lines.add("Path", PathName=path.name, DeviceName=luns[path.lun].name, **_io(told[_PATH], row))


_NO_PARTITION = frozenset({"NumOfAborts", "NumOfTotalResets"})


def _io(told: dict[str, list[int]], row: int) -> dict[str, int]:
    """The counts of I/O; the layer's time exceeds the total's, as it does on genuine hosts."""
    found = {name: values[row] for name, values in told.items() if name != "NumOfBlocksZeroed"}
    layers = {f"{of}LayerTimeInUsec": _TIMES_OF_LAYER * found[f"{of}TotalTimeInUsec"] for of in _DIRECTIONS}
    return {**found, **layers, "IsValid": 1}


def tell_volumes(counts: HostCounts, cluster: Cluster, lines: Lines, objects: Objects) -> None:
    """Tell NFS volumes, then the virtual disks of each VM."""
    told = counts.counts(_VOLUME).lists()
    objects.add("Nfs", top=True, NfsClient=1)
    lines.add("Nfs", NumOfNfsClients=1)
    lines.add(
        "NfsClient", MountName=cluster.luns[NFS_LUN].name,
        NumOfActiveCmds=counts.now(_VOLUME, "Active Commands", 0),
        **{name: values[0] for name, values in told.items()},
    )  # fmt: skip
    by_vm: dict[int, list[int]] = {}
    for row, (vm, disk) in enumerate(counts.layout.disks):
        if disk >= 0 and counts.is_there(vm):
            by_vm.setdefault(vm, []).append(row)
    objects.add("Vscsi", top=True, VscsiGroup=len(by_vm))
    lines.add("Vscsi", NumOfVscsiGroups=len(by_vm))
    disks = counts.counts("Virtual Disk").lists()
    for vm, rows in by_vm.items():
        lines.add("VscsiGroup", GroupId=cluster.vms[vm].group_id, NumOfVscsiDisks=len(rows))
        for row in rows:
            slot = cluster.vms[vm].disks[counts.layout.disks[row][1]].slot
            lines.add("VscsiDisk", Name=slot, **{name: values[row] for name, values in disks.items()})
