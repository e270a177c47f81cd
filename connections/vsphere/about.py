"""Which product answers at an address, in which version, and which API version both sides support."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lxml import etree
from pyVmomi.VmomiSupport import GetServiceVersions, versionIdMap

from connections.address import Address
from connections.vsphere.faults import BadReplyError, not_vsphere
from connections.vsphere.soap import Channel, parse_xml
from resources.failures import DisconnectedError, NotVSphereError, UsageError

VERSIONS_PATH = "/sdk/vimServiceVersions.xml"

_API_TYPES = {"VirtualCenter": "vcenter", "HostAgent": "esxi"}


@dataclass(frozen=True, slots=True)
class About:
    """Product and version of a server.

    ``instance_uuid`` is empty on ESXi; ``api_type`` is VirtualCenter or HostAgent.
    """

    api_type: str
    version: str
    build: str
    instance_uuid: str
    full_name: str


def read_about(info: Any, address: Address) -> About:
    """Convert vim.AboutInfo to a value.

    Raises NotVSphereError, and UsageError for the other product than the scheme's.
    """
    about = About(
        api_type=info.apiType or "",
        version=info.version or "",
        build=info.build or "",
        instance_uuid=info.instanceUuid or "",
        full_name=info.fullName or "",
    )
    kind = _API_TYPES.get(about.api_type)
    if kind is None:
        raise not_vsphere(address, f"it calls itself {about.full_name or about.api_type!r}")
    if kind != address.scheme and address.scheme in _API_TYPES.values():
        raise UsageError(
            f"{address.place} is {'a vCenter' if kind == 'vcenter' else 'an ESXi host'}: {about.full_name}.",
            advice=f"Write {kind}://… instead of {address.scheme}://….",
        )
    return about


def newest_common_version(channel: Channel, address: Address) -> str:
    """Return the newest API version (pyVmomi's name) that both sides support; needs no login.

    Raises NotVSphereError for another kind of server, DisconnectedError for a vCenter that is still starting.
    """
    offered = _offered(channel, address)
    for version in GetServiceVersions("vim25"):
        if versionIdMap[version] in offered:
            return str(version)
    raise not_vsphere(address, "it offers no API version that is known here")


def _offered(channel: Channel, address: Address) -> set[str]:
    reply = channel.exchange("GET", VERSIONS_PATH)
    if reply.status in (502, 503, 504):
        raise DisconnectedError(
            f"{address.place} is there, but its vSphere service is not (HTTP {reply.status}).",
            meaning="A vCenter answers so for some minutes while it starts.",
            advice="Wait until the vSphere Client works, then try again.",
        )
    if reply.status != 200:
        raise not_vsphere(address, f"HTTP {reply.status} where every vSphere server lists its API versions")
    try:
        root = parse_xml(reply.body)
    except BadReplyError as error:
        raise _no_list(address) from error
    if etree.QName(root).localname != "namespaces":
        raise _no_list(address)
    return {(node.text or "").strip() for node in root.iter("{*}version")}


def _no_list(address: Address) -> NotVSphereError:
    return not_vsphere(address, "it answers, but not with the list of API versions of a vSphere server")
