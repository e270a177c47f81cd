"""Raw replies: packed, in pieces, too large, cut off; and the faults in them."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from connections.vsphere.faults import BadReplyError
from connections.vsphere.soap import Channel, parse_fault
from connections.vsphere.trust import Trust
from connections.vsphere.wire import Wire
from tests.vsphere.conftest import address_of
from tests.vsphere.front import Certificate, Front

BODY = b"<reply>" + b"1,2,3," * 20_000 + b"</reply>"

Serve = Callable[..., Channel]


@pytest.fixture
def serve(certificates: dict[str, Certificate]) -> Iterator[Serve]:
    """A channel to a server that answers each request with these headers and bytes."""
    answer: dict[str, object] = {}

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self.send_response(200)
            for name, value in dict(answer["headers"]).items():  # type: ignore[call-overload]
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(bytes(answer["body"]))  # type: ignore[call-overload]

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    front = Front(certificates["own"], server.server_port)
    trust = Trust("127.0.0.1", front.port, thumbprint=certificates["own"].sha256)
    wire = Wire(address_of(front.port), trust, connect_s=5, read_s=5)
    channels: list[Channel] = []

    def channel(headers: dict[str, str], body: bytes, limit: int = 1 << 20) -> Channel:
        answer.update(headers=headers, body=body)
        channels.append(Channel(wire, limit=limit))
        return channels[-1]

    yield channel
    for one in channels:
        one.close()
    front.stop()
    server.shutdown()
    server.server_close()
    thread.join()


def pieces(body: bytes) -> bytes:
    step = 1000
    cut = [body[i : i + step] for i in range(0, len(body), step)]
    return b"".join(b"%x\r\n%s\r\n" % (len(one), one) for one in [*cut, b""])


CHUNKED = {"Transfer-Encoding": "chunked"}
GZIP = {"Content-Encoding": "gzip"}


def sized(body: bytes) -> dict[str, str]:
    return {"Content-Length": str(len(body))}


PACKED = gzip.compress(BODY)
BOMB = gzip.compress(bytes(50_000_000))


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        (sized(BODY), BODY),
        (CHUNKED, pieces(BODY)),
        (sized(PACKED) | GZIP, PACKED),
        (CHUNKED | GZIP, pieces(PACKED)),
        ({"Connection": "close"}, BODY),
    ],
)
def test_a_reply_in_any_wrapping(serve: Serve, headers: dict[str, str], body: bytes) -> None:
    channel = serve(headers, body)
    for _ in range(3):
        assert channel.exchange("GET", "/").body == BODY


@pytest.mark.parametrize(
    ("headers", "body", "sign"),
    [
        (sized(BODY), BODY, "larger"),
        (CHUNKED, pieces(BODY), "larger"),
        ({"Content-Length": str(10**15)}, b"", "larger"),
        (sized(BOMB) | GZIP, BOMB, "larger"),
        (sized(PACKED[:-9]) | GZIP, PACKED[:-9], "cut off"),
        ({"Content-Length": "3", "Content-Encoding": "br"}, b"abc", "packed with br"),
        (CHUNKED, b"-5\r\nabc\r\n0\r\n\r\n", "length makes no sense"),
    ],
)
def test_a_reply_that_is_refused(serve: Serve, headers: dict[str, str], body: bytes, sign: str) -> None:
    limit = 100_000 if sign == "larger" else 1 << 20
    with pytest.raises(BadReplyError, match=sign):
        serve(headers, body, limit).exchange("GET", "/")


FAULT = b"""<?xml version="1.0" encoding="UTF-8"?>
<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"
 xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<soapenv:Body><soapenv:Fault><faultcode>ServerFaultCode</faultcode>
<faultstring>This operation is restricted by the administrator - 'vpxd.stats.maxQueryMetrics'.</faultstring>
<detail><NoPermissionFault xmlns="urn:vim25" xsi:type="NoPermission">
<object type="Folder">group-d1</object><privilegeId>System.Read</privilegeId>
</NoPermissionFault></detail></soapenv:Fault></soapenv:Body></soapenv:Envelope>"""


def test_a_fault() -> None:
    fault = parse_fault(FAULT)
    assert fault.type_name == "NoPermission"
    assert "maxQueryMetrics" in fault.text
    assert fault.detail == {"object": "group-d1", "privilegeId": "System.Read"}


def test_a_fault_that_says_little() -> None:
    bare = b'<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><e:Fault><faultstring> no </faultstring></e:Fault></e:Body></e:Envelope>'  # noqa: E501
    assert (parse_fault(bare).type_name, parse_fault(bare).text) == ("RuntimeFault", "no")


@pytest.mark.parametrize(
    "reply",
    [
        b"",
        b"<html>500</html>",
        FAULT[:300],
        b"\x00" * 10,
        b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
    ],
)
def test_an_error_that_is_no_fault(reply: bytes) -> None:
    with pytest.raises(BadReplyError):
        parse_fault(reply)
