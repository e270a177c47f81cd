"""Raw HTTP and SOAP over verified connections: bytes out, bytes in, and the parsing of faults."""

from __future__ import annotations

import contextlib
import http.client
import re
import threading
import time
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from xml.sax.saxutils import escape, quoteattr

from lxml import etree

from connections.vsphere.faults import BadReplyError
from connections.vsphere.wire import VerifiedConnection, Wire

IDLE_S = 60.0
"""A connection that idles longer is not used again: firewalls forget it without a word."""

REPLY_LIMIT = 256 * 1024 * 1024
"""Bytes of a reply, unpacked, beyond which something is wrong with it."""

_PIECE = 1 << 20
_ILLEGAL = re.compile(
    rb"&#(?:x0*(?:[0-8bcefBCEF]|1[0-9a-fA-F]|[fF]{3}[ef])|0*(?:[0-8]|1[124-9]|2[0-9]|3[01]));"
)
_ILLEGAL_RAW = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")

_HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>'
    '<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"'
    ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><soapenv:Body>'
)
_TAIL = "</soapenv:Body></soapenv:Envelope>"


def call(method: str, this: tuple[str, str], body: str = "") -> bytes:
    """Return the SOAP request of ``method`` on the object ``this`` (type, moid); ``body`` is XML."""
    own = f"<_this type={quoteattr(this[0])}>{escape(this[1])}</_this>"
    return f'{_HEAD}<{method} xmlns="urn:vim25">{own}{body}</{method}>{_TAIL}'.encode()


@dataclass(frozen=True, slots=True)
class Reply:
    """An HTTP reply: ``body`` is complete and uncompressed."""

    status: int
    reason: str
    content_type: str
    body: bytes


class Channel:
    """A pool of keep-alive connections for raw requests; a connection serves one thread at a time."""

    def __init__(self, wire: Wire, *, limit: int = REPLY_LIMIT) -> None:
        self._wire = wire
        self._limit = limit
        self._idle: list[tuple[VerifiedConnection, float]] = []
        self._lock = threading.Lock()

    def exchange(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        *,
        once: bool = False,
    ) -> Reply:
        """Send a request and return the whole reply; an idle connection that proves dead is replaced once.

        The server may have served the request before the connection broke. With ``once`` the request is never
        sent twice. Raises SourceError while connecting, afterwards OSError, HTTPException, BadReplyError.
        """
        connection = self._take()
        used = not connection.is_unused
        try:
            return self._once(connection, method, path, body, headers or {})
        except (http.client.RemoteDisconnected, ConnectionError):
            if once or not used or self._wire.is_cut:
                raise
        return self._once(self._wire.connection(), method, path, body, headers or {})

    def _once(
        self,
        connection: VerifiedConnection,
        method: str,
        path: str,
        body: bytes | None,
        headers: Mapping[str, str],
    ) -> Reply:
        with contextlib.ExitStack() as until_read:
            until_read.callback(connection.close)
            connection.request(method, path, body, {"Accept-Encoding": "gzip", **headers})
            response = connection.getresponse()
            try:
                packed = self._read(response)
            except ValueError as error:  # http.client's own of a chunk of a negative size
                raise BadReplyError("the reply's length makes no sense") from error
            content_type = response.getheader("Content-Type") or ""
            reply = Reply(response.status, response.reason, content_type, self._unpacked(packed, response))
            until_read.pop_all()
        if connection.sock is not None:  # None: the server element that it closes
            with self._lock:
                self._idle.append((connection, time.monotonic()))
        return reply

    def _read(self, response: http.client.HTTPResponse) -> bytes:
        if response.length is not None:
            self._check(response.length)
            return response.read()
        pieces: list[bytes] = []
        size = 0
        while piece := response.read(_PIECE):
            size += len(piece)
            self._check(size)
            pieces.append(piece)
        return b"".join(pieces)

    def _check(self, size: int) -> None:
        if size > self._limit:
            raise BadReplyError(f"the reply is larger than {self._limit} bytes")

    def _unpacked(self, packed: bytes, response: http.client.HTTPResponse) -> bytes:
        coding = (response.getheader("Content-Encoding") or "identity").lower()
        if coding == "identity":
            return packed
        if coding != "gzip":
            raise BadReplyError(f"the reply is packed with {coding[:20]}, which nobody asked for")
        unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)
        data = unpacker.decompress(packed, self._limit)
        if unpacker.unconsumed_tail:
            self._check(self._limit + 1)
        if not unpacker.eof:
            raise BadReplyError("the packed reply is cut off")
        return data

    def _take(self) -> VerifiedConnection:
        while True:
            with self._lock:
                if not self._idle:
                    return self._wire.connection()
                connection, since = self._idle.pop()
            if time.monotonic() - since < IDLE_S and connection.is_usable():
                return connection
            connection.close()

    def close(self) -> None:
        """Close the idle connections."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection, _ in idle:
            connection.close()


@dataclass(frozen=True, slots=True)
class RawFault:
    """The contents of a SOAP fault; ``detail`` holds the fault's properties that are plain text."""

    type_name: str
    text: str
    detail: dict[str, str]


def parse_xml(data: bytes) -> etree._Element:
    """Parse untrusted XML: no entities, no network, no huge trees. Raises BadReplyError."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False, load_dtd=False)
    try:
        return etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise BadReplyError(f"no XML: {error}") from error


def text_of(element: etree._Element | None, *names: str) -> str:
    """Return the text of an inner element, by the names on the way to it; empty where there is none."""
    for name in names:
        element = None if element is None else element.find("{*}" + name)
    return "" if element is None else (element.text or "").strip()


def without_illegal_characters(data: bytes) -> bytes:
    """Remove the characters that XML forbids; servers copy them from names of devices and objects."""
    return _ILLEGAL_RAW.sub(b" ", _ILLEGAL.sub(b" ", data))


def parse_fault(data: bytes) -> RawFault:
    """Parse the fault in the body of an HTTP 500. Raises BadReplyError when there is none."""
    fault = next((node for node in parse_xml(data).iter("{*}Fault")), None)
    if fault is None:
        raise BadReplyError("HTTP 500 without a SOAP fault")
    text = (fault.findtext("{*}faultstring") or fault.findtext("faultstring") or "").strip()
    detail = fault.find("{*}detail")
    inner = None if detail is None else next((node for node in detail if isinstance(node.tag, str)), None)
    if inner is None:
        return RawFault("RuntimeFault", text, {})
    tag = etree.QName(inner).localname
    plain = {etree.QName(child).localname: child.text or "" for child in inner if isinstance(child.tag, str)}
    return RawFault(_type_of(inner) or tag.removesuffix("Fault"), text, plain)


def parse_time(data: bytes) -> datetime:
    """Parse the time (UTC) in a reply to CurrentTime. Raises BadReplyError."""
    element = next(parse_xml(data).iter("{urn:vim25}returnval"), None)
    try:
        time_there = datetime.fromisoformat((element.text or "") if element is not None else "")
    except ValueError as error:
        raise BadReplyError("an answer without the time") from error
    return time_there.astimezone(UTC) if time_there.tzinfo else time_there.replace(tzinfo=UTC)


def _type_of(node: etree._Element) -> str:
    name = str(node.get("{http://www.w3.org/2001/XMLSchema-instance}type") or "")
    return name.rpartition(":")[2]
