"""Asks vSAN's own API, which a vCenter serves at ``/vsanHealth`` to the sessions of the vSphere API."""

from __future__ import annotations

from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

from lxml import etree

from connections.vsphere.faults import SoapFault, translated
from connections.vsphere.session import VSphere
from connections.vsphere.soap import parse_xml

Element = etree._Element

_PATH = "/vsanHealth"
_WHAT = "its vSAN"
_VERSIONS = tuple(f'"urn:vsan/{one}"' for one in ("9.0.0.0", "8.0.0.4", "8.0.0.1", "7.3", "6.7"))
"""The newest first, as pyVmomi 9.1.1.0 names them: a server refuses versions that it does not know."""


class VsanMethod(NamedTuple):
    """A method of vSAN's API, with the type and the id of the one object that has it."""

    name: str
    kind: str
    moid: str


class VsanApi:
    """vSAN's API of one vCenter. Nothing is changed by what it is asked."""

    def __init__(self, vsphere: VSphere) -> None:
        self._vsphere = vsphere
        self._versions = _VERSIONS

    def ask(self, method: VsanMethod, cluster: str = "", body: str = "", what: str = _WHAT) -> list[Element]:
        """Return the results of a method for a cluster (moid, empty for none); ``body`` is XML of parameters
        before the cluster.

        The version that the server understood is used from then on. Raises SourceError, SoapFault.
        """
        request = _envelope(method, cluster, body)
        for version in self._versions[:-1]:
            try:
                return self._post(request, version, what)
            except SoapFault as fault:
                if "version" not in fault.text.lower():
                    raise
                self._versions = self._versions[1:]
        return self._post(request, self._versions[-1], what)

    def _post(self, request: bytes, version: str, what: str) -> list[Element]:
        with translated(what, self._vsphere.address):
            reply = parse_xml(self._vsphere.post(request, version, what, path=_PATH))
        return list(reply.iter("{*}returnval"))


def _envelope(method: VsanMethod, cluster: str, body: str) -> bytes:
    about = f'<cluster type="ClusterComputeResource">{escape(cluster)}</cluster>' if cluster else ""
    return (
        '<?xml version="1.0" encoding="UTF-8"?>'
        '<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"><soapenv:Body>'
        f'<{method.name} xmlns="urn:vsan"><_this type={quoteattr(method.kind)}>{escape(method.moid)}</_this>'
        f"{body}{about}</{method.name}></soapenv:Body></soapenv:Envelope>"
    ).encode()
