"""Files go only to the host whose certificate vCenter knows, by whatever name it is reached."""

from __future__ import annotations

import http.server
import socket
import ssl
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha1
from pathlib import Path

import pytest

from connections.vsphere.host_files import FileHost, HostFiles
from resources.failures import (
    ChangedCertificateError,
    DisconnectedError,
    RefusedError,
    SourceError,
    TimedOutError,
    UnknownHostError,
    UntrustedError,
)
from tests.vcenter.running import free_port
from tests.vsphere.front import Certificate, make_certificate

TOKEN = "/guestFile?id=1&token=52aa443443:443"


@dataclass
class Host:
    """A host's web server: what it was sent and asked, and how it answers."""

    port: int
    certificate: Certificate
    status: int = 200
    asked: list[str] = field(default_factory=list)
    sent: list[bytes] = field(default_factory=list)

    @property
    def sha1(self) -> str:
        pem = self.certificate.certificate.read_text(encoding="ascii")
        digest = sha1(ssl.PEM_cert_to_DER_cert(pem)).hexdigest().upper()
        return ":".join(digest[at : at + 2] for at in range(0, 40, 2))

    def address(self, name: str = "127.0.0.1") -> str:
        return f"https://{name}:{self.port}{TOKEN}"


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    certificate = make_certificate(tmp_path, "esx")

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_PUT(self) -> None:
            running.asked.append(self.path)
            running.sent.append(self.rfile.read(int(self.headers["Content-Length"])))
            self._answer(b"")

        def do_GET(self) -> None:
            running.asked.append(self.path)
            self._answer(b"x" * 100_000)

        def _answer(self, body: bytes) -> None:
            self.send_response(running.status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *words: object) -> None:
            pass

        def handle(self) -> None:
            try:
                super().handle()
            except OSError:
                return

    class Server(http.server.ThreadingHTTPServer):
        def handle_error(self, *_: object) -> None:
            pass

    server = Server(("127.0.0.1", 0), Handler)
    server.socket = certificate.context().wrap_socket(server.socket, server_side=True)
    running = Host(server.server_address[1], certificate)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    yield running
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_file_is_sent_and_fetched_with_either_kind_of_thumbprint(host: Host) -> None:
    for thumbprint in (host.sha1, host.certificate.sha256, host.sha1.replace(":", "").lower()):
        HostFiles(10).put(host.address(), b"content \0\xff", FileHost(thumbprint))
    assert host.sent == [b"content \0\xff"] * 3
    assert HostFiles(10).get(host.address(), 17, FileHost(host.sha1)) == b"x" * 17
    assert set(host.asked) == {TOKEN}  # a token that holds a port's digits comes through


def test_another_certificate_gets_nothing(host: Host, tmp_path: Path) -> None:
    other = make_certificate(tmp_path, "other").sha256
    with pytest.raises(ChangedCertificateError, match="Nothing was sent"):
        HostFiles(10).put(host.address(), b"secret", FileHost(other))
    with pytest.raises(UntrustedError, match="does not say which certificate"):
        HostFiles(10).put(host.address(), b"secret", FileHost(""))
    assert not host.sent
    assert not host.asked


def test_a_name_that_is_unknown_here_is_replaced_by_the_management_address(host: Host) -> None:
    known = FileHost(host.sha1, ("127.0.0.1",))
    HostFiles(10).put(host.address("esx01.nowhere.invalid"), b"1", known)
    assert host.sent == [b"1"]
    with pytest.raises(UnknownHostError, match=r"esx01\.nowhere\.invalid"):
        HostFiles(10).put(host.address("esx01.nowhere.invalid"), b"1", FileHost(host.sha1))


def test_only_a_host_we_are_connected_to_may_leave_its_name_out(host: Host) -> None:
    with pytest.raises(DisconnectedError, match="without a host"):
        HostFiles(10).put(host.address("*"), b"1", FileHost(host.sha1))
    HostFiles(10, direct="127.0.0.1").put(host.address("*"), b"1", FileHost(host.sha1))
    assert host.sent == [b"1"]


@pytest.mark.parametrize("status", [404, 500, 503])
def test_an_address_that_was_used_up_is_said(host: Host, status: int) -> None:
    host.status = status
    with pytest.raises(DisconnectedError, match=f"HTTP {status}.*ten minutes"):
        HostFiles(10).get(host.address(), 10, FileHost(host.sha1))


def test_a_host_that_does_not_answer_is_a_failure_in_time(host: Host) -> None:
    with pytest.raises(RefusedError, match="443"):
        HostFiles(2).put(f"https://127.0.0.1:{free_port()}/x", b"1", FileHost(host.sha1))
    with socket.create_server(("127.0.0.1", 0)) as silent:
        place = f"https://127.0.0.1:{silent.getsockname()[1]}/x"
        with pytest.raises(TimedOutError, match="did not answer in time"):
            HostFiles(0.3).put(place, b"1", FileHost(host.sha1))


@pytest.mark.parametrize("address", ["https://127.0.0.1:99999/x", "https://127.0.0.1:no/x", "https:///x", ""])
def test_an_address_that_makes_no_sense_is_no_crash(address: str) -> None:
    with pytest.raises(SourceError):
        HostFiles(1).get(address, 10, FileHost("AA" * 20))
