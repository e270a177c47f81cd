"""Failures of a vCenter connection, translated to our errors: sockets, TLS, HTTP, SOAP faults."""

from __future__ import annotations

import http.client
import ssl
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any
from xml.parsers.expat import ExpatError

from pyVmomi import vmodl

from connections.address import Address
from connections.failures import (
    broken_off,
    no_answer,
    no_common_encryption,
    reason,
    unconnected,
    wrong_protocol,
)
from resources.failures import (
    DisconnectedError,
    HyperscopeError,
    NotVSphereError,
    PrivilegeError,
    SourceError,
)

NOTHING: Mapping[str, str] = MappingProxyType({})


class SoapFault(SourceError):  # noqa: N818 - the API's own word
    """A fault of the vSphere API: the server understood the request and refused it.

    ``type_name`` is the fault's type without its package (``InvalidArgument``, ``ManagedObjectNotFound``,
    ``SystemError``), ``text`` the server's message, ``detail`` the fault's simple properties as text.
    """

    def __init__(
        self, happened: str, *, type_name: str = "", text: str = "", detail: Mapping[str, str] = NOTHING
    ) -> None:
        super().__init__(happened)
        self.type_name = type_name
        self.text = text
        self.detail = MappingProxyType(dict(detail))

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild_fault, (self.happened, self.type_name, self.text, dict(self.detail)))


def _rebuild_fault(happened: str, type_name: str, text: str, detail: dict[str, str]) -> SoapFault:
    return SoapFault(happened, type_name=type_name, text=text, detail=detail)


class NotAllowedError(PrivilegeError):
    """The account lacks a privilege on the object ``moid``; empty if the server names no object."""

    def __init__(self, happened: str, *, moid: str = "", **words: str) -> None:
        super().__init__(happened, **words)
        self.moid = moid


class BadReplyError(Exception):
    """A reply that is no valid vSphere API reply: cut off, garbage, or of unknown types."""


class ReplacedError(SourceError):
    """The vCenter at the address is not the one that was recorded before (another instance UUID)."""


VENDOR = (OSError, http.client.HTTPException, ExpatError, zlib.error, vmodl.MethodFault, BadReplyError)
"""What pyVmomi, http.client, ssl and sockets raise."""


@contextmanager
def translated(what: str, address: Address) -> Iterator[None]:
    """Translate errors of sockets, TLS, HTTP and pyVmomi to SourceErrors; ``what`` names the request."""
    try:
        yield
    except HyperscopeError:
        raise
    except VENDOR as error:
        raise as_source_error(error, what, address) from error


def as_source_error(error: BaseException, what: str, address: Address) -> SourceError:
    """Translate an error of the request ``what``, sent over an open connection, to one of ours."""
    place = address.place
    if isinstance(error, vmodl.MethodFault):
        return soap_error(fault_name(error), error.msg or "", _properties(error), what, address)
    if isinstance(error, TimeoutError):
        return no_answer(
            address,
            f"when asked for {what}",
            "It accepted the question, but is overloaded, stuck, or the network in between lost it.",
            "the load of the vCenter's services",
        )
    if isinstance(error, http.client.RemoteDisconnected | ConnectionError | ssl.SSLError):
        return broken_off(
            address,
            "the connection",
            f"when asked for {what}",
            "Its service may be starting again, or something in between cuts connections.",
        )
    if isinstance(error, OSError):
        return DisconnectedError(f"The connection to {place} broke when asking for {what}: {reason(error)}.")
    if type(error) is http.client.HTTPException:  # pyVmomi's word for a status that SOAP does not know
        return bad_status(str(error), what, address)
    return DisconnectedError(
        f"{place} sent an answer that makes no sense when asked for {what}.",
        meaning=f"It is cut off or no vSphere answer ({_summary(error)}).",
        advice="Try again; if it lasts, something between here and there changes what is sent.",
    )


def bad_status(status: str, what: str, address: Address) -> DisconnectedError:
    """Return the error for an HTTP ``status`` such as ``503 Service Unavailable``."""
    return DisconnectedError(
        f"{address.place} answered HTTP {status} when asked for {what}.",
        meaning="A vCenter does so while its services start or are overloaded.",
        advice="Wait until the vSphere Client works, then try again.",
    )


def _summary(error: BaseException) -> str:
    words = str(error) if isinstance(error, BadReplyError) else f"{type(error).__name__}: {error}"
    return " ".join(words.split())[:200]


def soap_error(
    type_name: str, text: str, detail: Mapping[str, str], what: str, address: Address
) -> SourceError:
    """Translate an API fault: missing privileges to NotAllowedError, all others to SoapFault."""
    words = " ".join(text.split())[:500]
    if type_name == "NotAuthenticated":
        return DisconnectedError(f"{address.place} ended our session when asked for {what}.")
    if type_name == "PbmFaultNoPermission":  # the service of storage policies has one of its own, from 8.0 U2
        return NotAllowedError(
            f"{address.user} may not have {what} from {address.place}.",
            meaning="The privilege StorageProfile.View is missing.",
            advice="Give it to the account's role on the vCenter's root: VM storage policies, View.",
        )
    if type_name == "NoPermission":
        privilege = detail.get("privilegeId", "")
        return NotAllowedError(
            f"{address.user} may not have {what} from {address.place}.",
            meaning=f"The privilege {privilege} is missing." if privilege else "A privilege is missing.",
            advice="Give the account the read-only role on the vCenter's root, propagating to its children.",
            moid=detail.get("object", ""),
        )
    message = f": {words}" if words else "."
    return SoapFault(
        f"{address.place} refused {what} ({type_name}){message}",
        type_name=type_name,
        text=text,
        detail=detail,
    )


def fault_name(fault: BaseException) -> str:
    """Return the type of a pyVmomi fault without its package."""
    return type(fault).__name__.rpartition(".")[2]


_EVERY_FAULT = ("msg", "faultMessage", "faultCause", "dynamicType", "dynamicProperty")


def _properties(fault: Any) -> dict[str, str]:
    values = {info.name: getattr(fault, info.name, None) for info in fault._GetPropertyList()}
    return {
        name: _moid(value)
        for name, value in values.items()
        if name not in _EVERY_FAULT and value is not None and not isinstance(value, list)
    }


def _moid(value: Any) -> str:
    return str(getattr(value, "_moId", value))


@contextmanager
def connecting(address: Address) -> Iterator[None]:
    """Translate errors of sockets and TLS while a connection is made to SourceErrors."""
    try:
        yield
    except HyperscopeError:
        raise
    except (OSError, UnicodeError) as error:
        raise _unconnected(error, address) from error


def _unconnected(error: OSError | UnicodeError, address: Address) -> SourceError:
    if isinstance(error, ssl.SSLError) and not isinstance(error, TimeoutError):
        return _no_tls(error, address)
    return unconnected(error, address, "the vCenter's services")


_NOT_TLS = (
    "WRONG_VERSION_NUMBER",
    "HTTP_REQUEST",
    "UNKNOWN_PROTOCOL",
    "RECORD_LAYER_FAILURE",
    "PACKET_LENGTH",
)


def _no_tls(error: ssl.SSLError, address: Address) -> SourceError:
    reason = str(error.reason or "").replace(" ", "_").upper()
    if isinstance(error, ssl.SSLEOFError | ssl.SSLZeroReturnError) or "EOF" in reason:
        return DisconnectedError(
            f"{address.place} hung up during the TLS handshake.",
            meaning="Its services may be starting, or what listens there is no vCenter.",
            advice="Try again in a minute; check the port.",
        )
    if any(sign in reason for sign in _NOT_TLS):
        return wrong_protocol(
            NotVSphereError,
            address,
            "TLS",
            "It is no vCenter and no ESXi host, or another of its ports (22 is SSH, 80 plain HTTP).",
            "Use the port of the vSphere Client, mostly 443.",
        )
    return no_common_encryption(
        NotVSphereError,
        address,
        reason or str(error),
        "It is no vCenter, or so old that it knows nothing newer than TLS 1.1.",
        "Enable TLS 1.2 there, as VMware's hardening guides ask for.",
    )


def not_vsphere(address: Address, sign: str) -> NotVSphereError:
    """Return the error for a web server that is no vCenter; ``sign`` says how that was recognised."""
    return NotVSphereError(
        f"{address.place} is no vCenter and no ESXi host: {sign}.",
        meaning="Something else answers at that name and port, a proxy or another web server.",
        advice="Check name and port; the vSphere Client's own address is the right one.",
    )
