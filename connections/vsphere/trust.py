"""Which certificate to trust: one that the system's store verifies, one with a given thumbprint, or
the remembered one.

The certificate of each TLS connection is checked on the connection that then carries the data, and nothing is
sent before: another certificate can't slip in between check and use.
"""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
from typing import Protocol

import truststore

from connections.fingerprints import parse_thumbprint, thumbprint_of
from connections.known_hosts import KnownHosts
from connections.untrusted import Ask, UntrustedServer
from resources.failures import ChangedCertificateError, UntrustedError


class SocketSource(Protocol):
    """A source of new sockets to the server, all of which another thread may close at any time."""

    def dial(self) -> socket.socket:
        """Return a new connected socket."""

    def adopt(self, tls_socket: ssl.SSLSocket) -> None:
        """Register the socket before its TLS handshake; raises if the connection was closed meanwhile."""


class Trust:
    """Makes TLS connections to one server and refuses untrusted certificates.

    With ``thumbprint`` only that certificate is trusted, and remembered once it was seen. Otherwise a
    certificate is trusted if the system's store verifies it or if it is the remembered one; an unknown one is
    given to ``ask``, once.
    """

    def __init__(
        self,
        host: str,
        port: int,
        *,
        thumbprint: str | None = None,
        known: KnownHosts | None = None,
        ask: Ask | None = None,
    ) -> None:
        self._host = host
        self._port = port
        self._pin = None if thumbprint is None else parse_thumbprint(thumbprint)
        self._known = known
        self._ask = ask
        self._accepted: str | None = None
        self._vouched: str | None = None
        self._lock = threading.Lock()
        self._store_context = _store_context()
        self._bare_context = _bare_context()

    def connect(self, line: SocketSource) -> ssl.SSLSocket:
        """Return a TLS connection with a trusted certificate, over a new socket of ``line``.

        Raises UntrustedError, ChangedCertificateError, and errors of sockets.
        """
        if self._pin is not None:
            return self._pinned(line, self._pin)
        trusted = self._trusted()
        if trusted is None:
            return self._vouched_for(line)
        shown, connection = self._bare(line)
        if shown == trusted:
            return connection
        connection.close()
        try:
            return self._by_store(line)  # replaced by a certificate that needs no remembering
        except ssl.SSLCertVerificationError as error:
            raise self._changed(trusted, shown, "remembered is") from error

    def _trusted(self) -> str | None:
        """The file of known hosts decides: somebody may trust a renewed certificate while we record."""
        remembered = None if self._known is None else self._known.remembered(self._host, self._port)
        return remembered or self._accepted

    def _pinned(self, line: SocketSource, pin: str) -> ssl.SSLSocket:
        shown, connection = self._bare(line)
        if shown != pin:
            connection.close()
            raise self._changed(pin, shown, "--thumbprint says")
        self._accepted = pin
        if self._known is not None and self._known.remembered(self._host, self._port) != pin:
            self._known.remember(self._host, self._port, pin)
        return connection

    def _vouched_for(self, line: SocketSource) -> ssl.SSLSocket:
        try:
            return self._by_store(line)
        except ssl.SSLCertVerificationError as error:
            shown, connection = self._bare(line)
            connection.close()
            if self._vouched is not None:
                raise self._changed(self._vouched, shown, "a moment ago it was") from error
            why = (error.verify_message or str(error)).rstrip(".")
            if not self._accept(UntrustedServer(self._host, self._port, shown, why)):
                raise self._untrusted(shown, why) from error
        return self.connect(line)

    def _by_store(self, line: SocketSource) -> ssl.SSLSocket:
        connection = _handshake(self._store_context, line, self._host)
        self._vouched = _shown(connection)
        return connection

    def _bare(self, line: SocketSource) -> tuple[str, ssl.SSLSocket]:
        connection = _handshake(self._bare_context, line, self._host)
        return _shown(connection), connection

    def _accept(self, server: UntrustedServer) -> bool:
        with self._lock:
            if self._accepted is not None:
                return self._accepted == server.shown
            if self._ask is None or not self._ask(server):
                return False
            self._accepted = server.shown
            if self._known is not None:
                self._known.remember(self._host, self._port, server.shown)
            return True

    def _untrusted(self, shown: str, why: str) -> UntrustedError:
        return UntrustedError(
            f"The certificate of {self._host} is not trusted: {why}.",
            meaning="Its SHA-256 thumbprint is "
            f"{shown}; without a check, anyone in between could pose as {self._host} and get the password.",
            advice=f"If that is right, add --thumbprint {shown}, or have this system trust its issuer.",
        )

    def _changed(self, expected: str, shown: str, whose: str) -> ChangedCertificateError:
        return ChangedCertificateError(
            f"The certificate of {self._host} is not the expected one.",
            meaning=f"It shows {shown}, {whose} {expected}. "
            "Either it was renewed, or someone in between poses as it. No password was sent.",
            advice=f"If its administrators confirm the new one, add --thumbprint {shown}.",
        )


def _handshake(context: ssl.SSLContext, line: SocketSource, host: str) -> ssl.SSLSocket:
    with line.dial() as plain:  # which the TLS socket takes over
        tls_socket = context.wrap_socket(plain, server_hostname=host, do_handshake_on_connect=False)
    with contextlib.ExitStack() as until_trusted:
        until_trusted.callback(tls_socket.close)
        line.adopt(tls_socket)
        tls_socket.do_handshake()
        until_trusted.pop_all()
    return tls_socket


def _shown(connection: ssl.SSLSocket) -> str:
    certificate = connection.getpeercert(binary_form=True)
    if certificate is None:
        connection.close()
        raise ssl.SSLError("the server shows no certificate")
    return thumbprint_of(certificate)


def _store_context() -> ssl.SSLContext:
    context: ssl.SSLContext = truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


def _bare_context() -> ssl.SSLContext:
    # Only for connections whose thumbprint is compared before anything is sent, or that are closed at once.
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context
