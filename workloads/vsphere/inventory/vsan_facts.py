"""The facts of a cluster's vSAN, from vSAN's own API at ``/vsanHealth``. Nothing of it is changed."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape

from lxml import etree

from connections.vsphere.faults import SoapFault, translated
from connections.vsphere.session import VSphere
from connections.vsphere.soap import parse_xml
from resources.failures import DisconnectedError, PrivilegeError
from sessions.journal import Setting
from workloads.vsphere.inventory.reading import as_flag, as_number

_PATH = "/vsanHealth"
_WHAT = "its vSAN"
_VERSIONS = tuple(f'"urn:vsan/{one}"' for one in ("9.0.0.0", "8.0.0.4", "8.0.0.1", "7.3", "6.7"))
"""The newest first, as pyVmomi 9.1.1.0 names them: a server refuses versions that it does not know."""

_HEALTHY = "healthy"

Element = etree._Element


_CONFIG = ("VsanClusterGetConfig", "VsanVcClusterConfigSystem", "vsan-cluster-config-system")
_SPACE = ("VsanQuerySpaceUsage", "VsanSpaceReportSystem", "vsan-cluster-space-report-system")
_HEALTH = ("VsanQueryVcClusterHealthSummary", "VsanVcClusterHealthSystem", "vsan-cluster-health-system")
_SYNC = ("QuerySyncingVsanObjectsSummary", "VsanObjectSystem", "vsan-cluster-object-system")
"""Method, type of the object that has it, and that object's id."""


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


def _asked(vsphere: VSphere, method: tuple[str, str, str], cluster: str, more: str = "") -> Element | None:
    """The result of a method of vSAN's API; None where the server, or the account, can't tell it."""
    name, kind, moid = method
    request = (
        '<?xml version="1.0" encoding="UTF-8"?>'
        '<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"><soapenv:Body>'
        f'<{name} xmlns="urn:vsan"><_this type="{kind}">{moid}</_this>'
        f'<cluster type="ClusterComputeResource">{escape(cluster)}</cluster>{more}</{name}>'
        "</soapenv:Body></soapenv:Envelope>"
    ).encode()
    for version in _VERSIONS:
        try:
            with translated(_WHAT, vsphere.address):
                reply = parse_xml(vsphere.post(request, version, _WHAT, path=_PATH))
        except SoapFault as fault:
            if "version" not in fault.text.lower():
                return None
        except (PrivilegeError, DisconnectedError):
            return None
        else:
            return next(reply.iter("{*}returnval"), None)
    return None


def _text(element: Element | None, *names: str) -> str:
    for name in names:
        element = None if element is None else element.find("{*}" + name)
    return "" if element is None else (element.text or "")
