"""Asks the API of storage policies (SPBM), served by a vCenter at ``/pbm`` in a vSphere API session."""

from __future__ import annotations

from collections.abc import Iterable
from xml.sax.saxutils import escape, quoteattr

from lxml import etree

from connections.vsphere.faults import translated
from connections.vsphere.session import VSphere
from connections.vsphere.soap import parse_xml

Element = etree._Element

_PATH = "/pbm"
_VERSION = '"urn:pbm/2.0"'
"""Served since vSphere 6.0, and the oldest that knows the default policies of datastores."""
_WHAT = "storage policies"

SERVICE = "PbmServiceInstance", "ServiceInstance"


class PolicyApi:
    """The storage policy API of one vCenter. Nothing is changed by what it is asked."""

    def __init__(self, vsphere: VSphere) -> None:
        self._vsphere = vsphere

    def ask(self, method: str, this: tuple[str, str], body: Iterable[str] = ()) -> list[Element]:
        """Return the results of a method of the object ``this`` (type, id); ``body`` is XML of parameters.

        Raises SourceError, SoapFault.
        """
        inner = "".join(body)

        def envelope(session: str) -> bytes:
            return _envelope(method, this, inner, session)

        with translated(_WHAT, self._vsphere.address):
            reply = parse_xml(self._vsphere.post(envelope, _VERSION, _WHAT, path=_PATH))
        return list(reply.iter("{*}returnval"))


def element(name: str, text: str) -> str:
    """Return an element of XML with a text."""
    return f"<{name}>{escape(text)}</{name}>"


def _envelope(method: str, this: tuple[str, str], body: str, session: str) -> bytes:
    """The session goes into the SOAP header, as pyVmomi's request context ``vcSessionCookie`` puts it: the
    service does not read the HTTP cookie.
    """
    return (
        '<?xml version="1.0" encoding="UTF-8"?>'
        '<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/">'
        f"<soapenv:Header>{element('vcSessionCookie', session)}</soapenv:Header><soapenv:Body>"
        f'<{method} xmlns="urn:pbm"><_this type={quoteattr(this[0])}>{escape(this[1])}</_this>'
        f"{body}</{method}></soapenv:Body></soapenv:Envelope>"
    ).encode()
