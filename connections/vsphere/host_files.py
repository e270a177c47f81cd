"""Transfers files to and from an ESXi host's web server, whose certificate vCenter vouches for.

Only the host with the certificate that vCenter has on record gets anything: its thumbprint is compared on the
connection that then carries the file. vCenter gives addresses with the host's inventory name, which a desktop
often can't resolve; the certificate is what counts, so the host's management address will do as well.
"""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import re
import socket
import ssl
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from connections.failures import forget_frames, reason
from resources.failures import (
    ChangedCertificateError,
    DisconnectedError,
    RefusedError,
    SourceError,
    TimedOutError,
    UnknownHostError,
    UntrustedError,
)

_DIGESTS = {40: hashlib.sha1, 64: hashlib.sha256}
_OK = (200, 201, 204)


@dataclass(frozen=True, slots=True)
class FileHost:
    """The host that has a file. ``thumbprint`` is its certificate's, SHA-1 or SHA-256, as vCenter has it.

    ``others`` are addresses of the same host, tried if the name in the file's address is unknown here.
    """

    thumbprint: str
    others: tuple[str, ...] = ()


class HostFiles:
    """Puts and gets files by the addresses that vCenter gives.

    ``direct`` is the host that stands for ``*`` in an address: the one that we are connected to directly,
    None when connected to a vCenter. ``within_s`` is the time-out of each connect and each read.
    """

    def __init__(self, within_s: float, direct: str | None = None) -> None:
        self._within_s = within_s
        self._direct = direct

    def put(self, address: str, content: bytes, host: FileHost) -> None:
        """Send a file. Raises SourceError."""
        with self._response(address, host, "PUT", content) as response:
            response.read(1 << 16)

    def get(self, address: str, most: int, host: FileHost) -> bytes:
        """Return the first ``most`` bytes of a file. Raises SourceError."""
        with self._response(address, host, "GET", None) as response:
            return response.read(most)

    @contextlib.contextmanager
    def _response(
        self, address: str, host: FileHost, method: str, content: bytes | None
    ) -> Iterator[http.client.HTTPResponse]:
        parts = urlsplit(address)
        name = self._name(parts.hostname or "")
        # Only the place is ever replaced: a token may hold any digits, also those of the port.
        path = f"{parts.path}?{parts.query}" if parts.query else parts.path
        try:
            connection = _Connection(name, parts.port or 443, host, self._within_s)
        except ValueError as error:
            raise DisconnectedError("vCenter gave an address of a file that makes no sense.") from error
        try:
            connection.request(method, path, content, {"Content-Type": "application/octet-stream"})
            response = connection.getresponse()
            if response.status not in _OK:
                raise _refused(name, response.status)
            yield response
        except SourceError:
            raise
        except (OSError, http.client.HTTPException) as error:
            forget_frames(error)
            raise _broken(error, name) from None
        finally:
            connection.close()

    def _name(self, host: str) -> str:
        if host != "*":
            return host
        if self._direct is None:
            raise DisconnectedError(
                "vCenter gave an address of a file without a host.",
                meaning="Only a host to which one is connected directly may leave its name out.",
                advice="Try again; if it lasts, connect to the host itself.",
            )
        return self._direct


class _Connection(http.client.HTTPConnection):
    """HTTP over TLS to a host whose certificate has the right thumbprint."""

    default_port = 443

    def __init__(self, name: str, port: int, host: FileHost, within_s: float) -> None:
        super().__init__(name, port, timeout=within_s)
        self._trusted = host

    def connect(self) -> None:
        """Connect and compare the certificate. Raises SourceError, OSError."""
        expected = _digits(self._trusted.thumbprint)
        if len(expected) not in _DIGESTS:
            raise UntrustedError(
                f"vCenter does not say which certificate the host {self.host} has.",
                meaning="Without it anyone in between could pose as the host.",
                advice="Reconnect the host in the vSphere Client; the account needs System.Read on it.",
            )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE  # the thumbprint is compared below, before anything is sent
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        with self._dial((self.host, *self._trusted.others)) as plain:
            secured = context.wrap_socket(plain, server_hostname=self.host)  # takes the plain socket over
        shown = _DIGESTS[len(expected)](secured.getpeercert(binary_form=True) or b"").hexdigest()
        if shown != expected:
            secured.close()
            raise ChangedCertificateError(
                f"The certificate of the host {self.host} is not the one that vCenter knows.",
                meaning="It was replaced, or someone in between poses as the host. Nothing was sent.",
                advice="Reconnect the host in the vSphere Client, so that vCenter learns the new one.",
            )
        self.sock = secured

    def _dial(self, names: Sequence[str]) -> socket.socket:
        failure: OSError | UnicodeError = OSError("it has no address")
        for name in dict.fromkeys(names):
            try:
                return socket.create_connection((name, self.port), self.timeout)
            except (socket.gaierror, UnicodeError) as error:
                failure = error
        raise UnknownHostError(
            f"The name {self.host} of the ESXi host is unknown.",
            meaning="Files go to a guest through its host, which must be reached from here.",
            advice="Let this machine's DNS know the hosts as vCenter's does, or use ssh to the guests.",
        ) from failure


def _digits(thumbprint: str) -> str:
    return re.sub(r"[^0-9a-f]", "", thumbprint.lower())


def _refused(name: str, status: int) -> SourceError:
    return DisconnectedError(
        f"The host {name} answered HTTP {status} when a file was transferred.",
        meaning="Its address is valid once and for ten minutes, and ends with the VM's power.",
        advice="Try again.",
    )


def _broken(error: Exception, name: str) -> SourceError:
    if isinstance(error, TimeoutError):
        return TimedOutError(
            f"The host {name} did not answer in time when a file was transferred.",
            meaning="Files go to a guest through its host, on TCP port 443.",
            advice="Check that no firewall stands between this machine and the hosts.",
        )
    if isinstance(error, ConnectionRefusedError):
        return RefusedError(
            f"The host {name} refuses connections.",
            meaning="Files go to a guest through its host, on TCP port 443.",
            advice="Check that no firewall stands between this machine and the hosts.",
        )
    return DisconnectedError(f"The transfer of a file with the host {name} broke off: {reason(error)}.")
