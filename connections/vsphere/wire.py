"""TLS connections to one server: each with time-outs, and all of them can be cut at once."""

from __future__ import annotations

import contextlib
import http.client
import socket
import ssl
import threading
import weakref

from connections.address import Address
from connections.failures import ClosedError
from connections.vsphere.faults import BadReplyError, connecting
from connections.vsphere.trust import Trust
from resources.failures import SourceError


class Wire:
    """The connections of one VSphere.

    ``connect_s`` is the time-out of TCP connect and of TLS handshake, ``read_s`` of a read.
    """

    def __init__(self, address: Address, trust: Trust, *, connect_s: float, read_s: float) -> None:
        self.address = address
        self.read_s = read_s
        self._trust = trust
        self._connect_s = connect_s
        self._open: weakref.WeakSet[socket.socket] = weakref.WeakSet()
        self._lock = threading.Lock()
        self._cut = False

    def connection(self, *, only_xml: bool = False) -> VerifiedConnection:
        """Return an HTTP connection; it connects, and checks the certificate, when first used."""
        return VerifiedConnection(self, only_xml=only_xml)

    def tls_socket(self) -> ssl.SSLSocket:
        """Return a new TLS connection to the trusted server. Raises SourceError."""
        try:
            with connecting(self.address):
                made = self._trust.connect(self)
        except SourceError as error:
            if self._cut:
                raise ClosedError from error
            raise
        made.settimeout(self.read_s)
        return made

    def adopt(self, tls_socket: socket.socket) -> None:
        """Register a socket, so that ``cut`` closes it. Raises ClosedError after a ``cut``."""
        with self._lock:
            self._open.add(tls_socket)
        if self._cut:
            raise ClosedError

    def dial(self) -> socket.socket:
        """Return a socket connected to the host's first address that answers. Raises OSError, ClosedError."""
        failure: OSError | None = None
        where = socket.getaddrinfo(self.address.host, self.address.port, type=socket.SOCK_STREAM)
        for family, kind, protocol, _, place in where:
            with contextlib.ExitStack() as undo:
                plain = undo.enter_context(socket.socket(family, kind, protocol))
                plain.settimeout(self._connect_s)
                self.adopt(plain)
                try:
                    plain.connect(place)
                    plain.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
                    plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                except OSError as error:
                    failure = error
                else:
                    undo.pop_all()
                    return plain
        raise failure or OSError(f"{self.address.host} has no address")

    def cut(self) -> None:
        """Close every connection now, also those that other threads wait for; refuse new ones."""
        with self._lock:
            self._cut = True
            living = list(self._open)
        for made in living:
            # Not SSLSocket.shutdown, which takes the TLS state away under a reading thread's feet.
            with contextlib.suppress(OSError):
                socket.socket.shutdown(made, socket.SHUT_RDWR)

    @property
    def is_cut(self) -> bool:
        """True after ``cut`` was called."""
        return self._cut


class VerifiedConnection(http.client.HTTPConnection):
    """HTTP/1.1 over the wire's TLS; reconnects by itself after the server closed an idle connection.

    With ``only_xml`` a reply of another content type is refused, because pyVmomi reads a proxy's error page
    as "no result".
    """

    default_port = 443

    def __init__(self, wire: Wire, *, only_xml: bool = False) -> None:
        super().__init__(wire.address.host, wire.address.port)
        self._wire = wire
        self._only_xml = only_xml

    def connect(self) -> None:
        """Connect and check the certificate. Raises SourceError."""
        self.sock = self._wire.tls_socket()

    def getresponse(self) -> http.client.HTTPResponse:
        """Return the reply's head. Raises BadReplyError for an unexpected content type."""
        response = super().getresponse()
        if self._only_xml and response.status in (200, 500):
            try:
                check_xml(response.getheader("Content-Type") or "")
            except BadReplyError:
                response.close()
                self.close()
                raise
        return response

    @property
    def is_unused(self) -> bool:
        """True while nothing has been sent over this connection."""
        return self.sock is None

    def is_usable(self) -> bool:
        """Return True if an idle connection is still open: one that the server closed has
        something to read.
        """
        if self.sock is None:
            return False
        waiting = self.sock.gettimeout()
        try:
            self.sock.settimeout(0)
            # Past TLS, which refuses to peek; between two replies any byte, even a TLS one, means the end.
            socket.socket.recv(self.sock, 1, socket.MSG_PEEK)
        except (BlockingIOError, InterruptedError):
            return True
        except OSError:
            return False
        finally:
            with contextlib.suppress(OSError):
                self.sock.settimeout(waiting)
        return False


def check_xml(content_type: str) -> None:
    """Raise BadReplyError for a content type that is not XML, such as that of a proxy's error page."""
    if content_type and "xml" not in content_type.lower():
        raise BadReplyError(f"a page of the type {content_type[:40]}")
