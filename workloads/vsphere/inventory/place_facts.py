"""The facts of hosts, datastores, clusters and resource pools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from collectors.vsphere.inventory import elements
from collectors.vsphere.inventory.elements import NS, Element, child, text_at
from sessions.journal import Setting
from workloads.vsphere.inventory.reading import Seen, as_flag, as_number

HOST_PATHS = (
    "name",
    "parent",
    "runtime.connectionState",
    "runtime.inMaintenanceMode",
    "hardware.systemInfo.uuid",
    "summary.config.product",
    "summary.config.vmotionEnabled",
    "summary.hardware",
    "config.powerSystemInfo",
    "configManager.dateTimeSystem",
)
STORE_PATHS = (
    "name",
    "summary.url",
    "summary.type",
    "summary.accessible",
    "summary.freeSpace",
    "summary.capacity",
    "capability.storageIORMSupported",
    "info",
    "host",
    "vm",
)
CLUSTER_PATHS = ("name", "configurationEx", "recommendation", "summary")
POOL_PATHS = ("name", "parent", "config.cpuAllocation", "config.memoryAllocation")

_THOUSANDTH = 1000.0


def host_facts(seen: Seen) -> Iterator[tuple[str, Setting]]:
    """Yield the facts of a host."""
    product, hardware = seen.element("summary.config.product"), seen.element("summary.hardware")
    state = seen.text("runtime.connectionState")
    yield "connected", state == "connected" if state else None
    yield "in_maintenance", seen.flag("runtime.inMaintenanceMode")
    yield "version", text_at(product, "version") or None
    yield "build", text_at(product, "build") or None
    yield "cpu_model", elements.tidy(text_at(hardware, "cpuModel")) or None
    yield "cores", as_number(text_at(hardware, "numCpuCores"))
    yield "cpu_mhz", as_number(text_at(hardware, "cpuMhz"))
    yield "memory_bytes", as_number(text_at(hardware, "memorySize"))
    yield "power_policy", _policy(seen.element("config.powerSystemInfo"))
    yield "vmotion", seen.flag("summary.config.vmotionEnabled")


def store_facts(seen: Seen) -> Iterator[tuple[str, Setting]]:
    """Yield the facts of a datastore."""
    yield "type", seen.text("summary.type") or None
    yield "free_bytes", seen.number("summary.freeSpace")
    yield "capacity_bytes", seen.number("summary.capacity")
    yield "accessible", seen.flag("summary.accessible")
    info = seen.element("info")
    extents = () if info is None else elements.datastore_info(info).extents
    yield "extents", None if info is None else float(len(extents))
    yield "device", " ".join(extents) or None
    yield "hosts", " ".join(mounting_hosts(seen)) if seen.element("host") is not None else None
    yield "iorm_supported", seen.flag("capability.storageIORMSupported")


def mounting_hosts(store: Seen) -> list[str]:
    """Return the moids of the hosts that mount a datastore and reach it."""
    mounts = store.element("host")
    found = [] if mounts is None else mounts.findall(NS + "DatastoreHostMount")
    return sorted(
        text_at(one, "key")
        for one in found
        if as_flag(text_at(one, "mountInfo", "accessible")) is not False and text_at(one, "key")
    )


def cluster_facts(seen: Seen) -> Iterator[tuple[str, Setting]]:
    """Yield the facts of a cluster's DRS."""
    drs = child(seen.element("configurationEx"), "drsConfig")
    summary = seen.element("summary")
    yield "drs_enabled", as_flag(text_at(drs, "enabled"))
    yield "drs_behaviour", text_at(drs, "defaultVmBehavior") or None
    yield "drs_rate", as_number(text_at(drs, "vmotionRate"))
    yield "drs_recommendations", float(len(_items(seen.element("recommendation"))))
    balance = as_number(text_at(summary, "currentBalance"))
    yield "drs_imbalance", None if balance is None else balance / _THOUSANDTH
    yield "drs_score", as_number(text_at(summary, "drsScore"))
    yield "migrations", as_number(text_at(summary, "numVmotions"))


def drs_overrides(cluster: Seen) -> dict[str, str]:
    """Return VM → what DRS does with it, for the VMs that differ from their cluster."""
    config = cluster.element("configurationEx")
    if config is None or as_flag(text_at(config, "drsConfig", "enableVmBehaviorOverrides")) is False:
        return {}
    found: dict[str, str] = {}
    for one in config.findall(NS + "drsVmConfig"):
        is_off = as_flag(text_at(one, "enabled")) is False
        behaviour = "manual" if is_off else text_at(one, "behavior")
        if behaviour:
            found[text_at(one, "key")] = behaviour
    return found


def is_limited(pool: str, pools: Mapping[str, Seen]) -> bool | None:
    """Return True if a pool, or one above it, has a CPU or memory limit; None if it can't be read."""
    seen: set[str] = set()
    while pool in pools and pool not in seen:
        seen.add(pool)
        found = [pools[pool].element(path) for path in ("config.cpuAllocation", "config.memoryAllocation")]
        if any(one is not None and elements.allocation(one).limit is not None for one in found):
            parent = pools[pool].element("parent")
            # The root pool's limit is what its hosts have.
            if parent is not None and parent.get("type") in ("ResourcePool", "VirtualApp"):
                return True
        pool = pools[pool].text("parent")
    return False if seen else None


def _policy(element: Element | None) -> str | None:
    return None if element is None else elements.policy(element) or None


def _items(element: Element | None) -> list[Element]:
    return [] if element is None else [one for one in element if isinstance(one.tag, str)]
