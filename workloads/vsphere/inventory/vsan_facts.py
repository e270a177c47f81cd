"""The facts of a cluster's vSAN, from vSAN's own API at ``/vsanHealth``. Nothing of it is changed."""

from __future__ import annotations

from collections.abc import Iterator

from connections.vsphere.faults import SoapFault
from connections.vsphere.session import VSphere
from connections.vsphere.soap import text_of as _text
from connections.vsphere.vsan import Element, VsanApi, VsanMethod
from resources.failures import DisconnectedError, PrivilegeError
from sessions.journal import Setting
from workloads.vsphere.inventory.reading import as_flag, as_number

_HEALTHY = "healthy"

_CONFIG = VsanMethod("VsanClusterGetConfig", "VsanVcClusterConfigSystem", "vsan-cluster-config-system")
_SPACE = VsanMethod("VsanQuerySpaceUsage", "VsanSpaceReportSystem", "vsan-cluster-space-report-system")
_HEALTH = VsanMethod(
    "VsanQueryVcClusterHealthSummary", "VsanVcClusterHealthSystem", "vsan-cluster-health-system"
)
_SYNC = VsanMethod("QuerySyncingVsanObjectsSummary", "VsanObjectSystem", "vsan-cluster-object-system")


def vsan_facts(vsphere: VSphere, cluster: str) -> Iterator[tuple[str, Setting]]:
    """Yield the vSAN facts of a cluster (moid) that has vSAN; those that can't be read are None."""
    config = _asked(vsphere, _CONFIG, cluster)
    if config is not None:
        is_esa = as_flag(_text(config, "vsanEsaEnabled"))
        yield "vsan_type", ("ESA" if is_esa else "OSA") if as_flag(_text(config, "enabled")) else ""
        yield "vsan_dedup", bool(as_flag(_text(config, "dataEfficiencyConfig", "dedupEnabled")))
    yield "dedup_ratio", _ratio(_asked(vsphere, _SPACE, cluster))
    yield "vsan_healthy", _is_healthy(_asked(vsphere, _HEALTH, cluster, "<fields>objectHealth</fields>"))
    sync = _asked(vsphere, _SYNC, cluster)
    yield "vsan_resync_bytes", None if sync is None else as_number(_text(sync, "totalBytesToSync"))


def _ratio(space: Element | None) -> float | None:
    """Logical by physical size of what is on it."""
    logical = as_number(_text(space, "efficientCapacity", "logicalCapacityUsed"))
    physical = as_number(_text(space, "efficientCapacity", "physicalCapacityUsed"))
    return logical / physical if logical and physical else None


def _is_healthy(health: Element | None) -> bool | None:
    objects = None if health is None else health.find("{*}objectHealth")
    if objects is None:
        return None
    details = objects.findall("{*}objectHealthDetail")
    return not any(
        _text(one, "health") != _HEALTHY and as_number(_text(one, "numObjects")) for one in details
    )


def _asked(vsphere: VSphere, method: VsanMethod, cluster: str, more: str = "") -> Element | None:
    """The result of a method of vSAN's API; None where the server, or the account, can't tell it."""
    try:
        found = VsanApi(vsphere).ask(method, cluster, more)
    except (SoapFault, PrivilegeError, DisconnectedError):
        return None
    return found[0] if found else None
