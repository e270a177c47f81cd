"""Which property paths are read of each object type, how each is parsed, and which facts and parts it gives.

A path ends where the API's static types end: a filter refuses ``configurationEx.drsConfig``, because only the
value shows whether a compute resource's configuration is that of a cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from collectors.vsphere.inventory import elements, facts, parts
from collectors.vsphere.inventory.elements import Reader
from collectors.vsphere.inventory.facts import OtherObjects, Pair
from collectors.vsphere.inventory.objects import CLUSTER, DATASTORE, HOST, NETWORK, POOL, VM
from collectors.vsphere.inventory.parts import Part
from sessions.model import EntityRef

# A row's reader and functions agree on the type of its value; a table of rows can't say that.
Facts = Callable[[Any, OtherObjects], Iterable[Pair]]
Parts = Callable[[Any, EntityRef, OtherObjects], Iterable[Part]]


@dataclass(frozen=True, slots=True)
class Row:
    """One property path: its parser, the ``facts`` of the object, the ``parts`` below it, and ``unset``: the
    facts where the property is not set.
    """

    path: str
    read: Reader
    facts: Facts | None = None
    parts: Parts | None = None
    unset: Callable[[OtherObjects], Iterable[Pair]] | None = None


_ROWS: Mapping[str, tuple[Row, ...]] = {
    VM: (
        Row("name", elements.name),
        Row("config.template", elements.flag),
        Row("config.instanceUuid", elements.text),
        Row("config.uuid", elements.text, facts.plain("bios_uuid")),
        Row("runtime.connectionState", elements.text),
        Row("runtime.powerState", elements.text, facts.plain("power_state")),
        Row("runtime.host", elements.reference, facts.key_of("host")),
        Row("runtime.consolidationNeeded", elements.flag, facts.plain("consolidation_needed")),
        Row("resourcePool", elements.reference, facts.key_of("pool")),
        Row("datastore", elements.references, parts=parts.datastores),
        Row("snapshot", elements.snapshots, facts.snapshots, unset=facts.no_snapshots),
        Row("config.version", elements.text, facts.plain("hardware_version")),
        Row("config.hardware.numCPU", elements.number, facts.plain("vcpus"), parts.vcpus),
        Row("config.hardware.numCoresPerSocket", elements.number, facts.plain("cores_per_socket")),
        Row("config.hardware.memoryMB", elements.number, facts.plain("mem.size_mb")),
        Row("config.hardware.device", elements.devices, facts.devices, parts.hardware),
        Row("config.cpuAllocation", elements.allocation, facts.allocated("cpu", "mhz")),
        Row("config.memoryAllocation", elements.allocation, facts.allocated("mem", "mb")),
        Row("config.cpuAffinity", elements.affinity, facts.affinity),
        Row("config.latencySensitivity", elements.level, facts.plain("latency_sensitivity")),
        Row("config.cpuHotAddEnabled", elements.flag, facts.plain("cpu.hot_add")),
        Row("summary.quickStats.ftLatencyStatus", elements.text, facts.plain("ft.latency_status")),
        Row("summary.quickStats.ftSecondaryLatency", elements.number, facts.plain("ft.secondary_latency_ms")),
        Row("summary.quickStats.ftLogBandwidth", elements.positive, facts.plain("ft.log_kbps")),
        Row("summary.quickStats.memoryTierStats", elements.tier_use, facts.tier_use),
        Row("runtime.faultToleranceState", elements.protection, facts.plain("ft.protection")),
        Row("guest.toolsRunningStatus", elements.text, facts.plain("tools")),
        # govmomi's simulator takes a change of it for one of guest.toolsVersion, if that comes first.
        Row("guest.toolsVersionStatus2", elements.text, facts.plain("tools_status")),
        Row("guest.toolsVersion", elements.text, facts.plain("tools_version")),
        Row("config.managedBy", elements.extension, facts.plain("managed_by")),
    ),
    HOST: (
        Row("name", elements.name),
        Row("parent", elements.reference),
        Row("runtime.connectionState", elements.text, facts.plain("connection_state")),
        Row("runtime.powerState", elements.text),
        Row("runtime.inMaintenanceMode", elements.flag, facts.plain("maintenance")),
        Row("hardware.systemInfo.uuid", elements.text),
        Row("config.product", elements.product, facts.plain("version")),
        Row("config.powerSystemInfo", elements.policy, facts.plain("power_policy")),
        Row("config.hyperThread", elements.hyperthreads, facts.plain("hyperthreading")),
        Row("hardware.numaInfo", elements.numa_nodes, facts.plain("numa.nodes")),
        Row("hardware.memoryTieringType", elements.tiering, facts.plain("mem.tiering")),
        Row("hardware.memoryTierInfo", elements.memory_tiers, facts.memory_tiers),
        Row(
            "runtime.healthSystemRuntime.hardwareStatusInfo.dpuStatusInfo",
            elements.number_of_items,
            facts.plain("dpus"),
        ),
        Row("hardware.memorySize", elements.number, facts.scaled("mem.size_mb", facts.bytes_as_mb)),
        Row("hardware.cpuInfo.hz", elements.number, facts.scaled("cpu.mhz", facts.hz_as_mhz)),
        Row("hardware.cpuInfo.numCpuCores", elements.number, facts.plain("cpu.cores")),
        Row("hardware.cpuInfo.numCpuThreads", elements.number, facts.plain("cpu.threads")),
        Row("config.network.pnic", elements.physical_nics, parts=parts.nics),
        Row("config.network.vswitch", elements.switches, parts=parts.switches),
        Row("config.network.proxySwitch", elements.switches, parts=parts.switches),
        Row("config.storageDevice.hostBusAdapter", elements.adapters, parts=parts.adapters),
        Row("config.storageDevice.scsiLun", elements.luns, parts=parts.luns),
        Row("config.storageDevice.multipathInfo", elements.paths, parts=parts.paths),
        Row("datastore", elements.references, parts=parts.mounts),
    ),
    CLUSTER: (
        Row("name", elements.name),
        Row("configurationEx", elements.cluster_config, facts.cluster),
        Row("summary", elements.cluster_summary, facts.cluster_summary),
        Row("recommendation", elements.number_of_items, facts.plain("drs.recommendations")),
    ),
    POOL: (
        Row("name", elements.name),
        Row("parent", elements.reference),
        Row("owner", elements.reference),
        Row("config.cpuAllocation", elements.allocation, facts.allocated("cpu", "mhz")),
        Row("config.memoryAllocation", elements.allocation, facts.allocated("mem", "mb")),
    ),
    DATASTORE: (
        Row("name", elements.name),
        Row("summary.url", elements.text),
        Row("summary.accessible", elements.flag),
        Row("summary.type", elements.text, facts.plain("datastore.type")),
        Row("summary.capacity", elements.number, facts.scaled("datastore.capacity_mb", facts.bytes_as_mb)),
        Row("summary.freeSpace", elements.number, facts.scaled("datastore.free_mb", facts.bytes_as_mb)),
        Row("info", elements.datastore_info),
        Row("iormConfiguration.enabled", elements.flag, facts.plain("sioc.enabled")),
        Row("iormConfiguration.congestionThreshold", elements.number, facts.plain("sioc.threshold_ms")),
    ),
    NETWORK: (Row("name", elements.name),),
}

ROWS: Mapping[str, tuple[Row, ...]] = MappingProxyType(_ROWS)
"""Type → its rows, types in the order in which objects refer to one another."""

PLACES: Mapping[str, Mapping[str, int]] = MappingProxyType(
    {kind: {row.path: at for at, row in enumerate(rows)} for kind, rows in _ROWS.items()}
)
"""Type → path → position of the row."""

ORDER = (NETWORK, DATASTORE, CLUSTER, HOST, POOL, VM)
"""In this order objects are described: what others refer to comes first."""

_KIN = {
    "VirtualApp": POOL,
    "DistributedVirtualPortgroup": NETWORK,
    "OpaqueNetwork": NETWORK,
}


def kind_of(api_type: str) -> str:
    """Return the type whose rows apply to an API type: a VirtualApp is read like a ResourcePool."""
    return _KIN.get(api_type, api_type)
