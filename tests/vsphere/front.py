"""A TLS front before a simulated vCenter: its certificate can change, it can listen and misbehave."""

from __future__ import annotations

import contextlib
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from connections.fingerprints import thumbprint_of

Mode = Literal["pass", "hang", "half", "garbage", "cut", "starting", "silent"]

STARTING = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n"
GARBAGE = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nContent-Length: 27\r\n\r\n<html><body>Hello</body>\0\1\2"
)


@dataclass(frozen=True)
class Certificate:
    """A certificate and its key, as files."""

    certificate: Path
    key: Path

    @property
    def sha256(self) -> str:
        return thumbprint_of(ssl.PEM_cert_to_DER_cert(self.certificate.read_text(encoding="ascii")))

    def context(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, self.key)
        return context


def make_certificate(
    folder: Path, name: str, *, host: str = "IP:127.0.0.1", issuer: Certificate | None = None
) -> Certificate:
    """One for ``host`` (a subjectAltName), signed by ``issuer`` or by itself; without a host an authority."""
    made = Certificate(folder / f"{name}.crt", folder / f"{name}.key")
    extension = f"subjectAltName={host}" if host else "basicConstraints=critical,CA:TRUE"
    signed_by = ["-CA", str(issuer.certificate), "-CAkey", str(issuer.key)] if issuer else []
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
         "-days", "3", "-subj", f"/CN={name}", "-addext", extension, *signed_by,
         "-keyout", str(made.key), "-out", str(made.certificate)],
        check=True, capture_output=True,
    )  # fmt: skip
    return made


class Front:
    """Speaks TLS on ``port`` and passes what it hears to a plain ``target``; ``heard`` keeps all of it."""

    def __init__(self, certificate: Certificate, target: int | None = None) -> None:
        self.certificate = certificate
        self.mode: Mode = "pass"
        self.heard = bytearray()
        self.connections = 0
        self.accepting_at: threading.Semaphore = threading.Semaphore(0)
        self._target = target
        self._stop = threading.Event()
        self._living: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def stop(self) -> None:
        self._stop.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.drop()
        for thread in self._threads:
            thread.join()

    def drop(self) -> None:
        """Cut every connection that is open now."""
        with self._lock:
            living = list(self._living)
        for one in living:
            with contextlib.suppress(OSError):
                socket.socket.shutdown(one, socket.SHUT_RDWR)

    def _accept(self) -> None:
        while not self._stop.is_set():
            try:
                plain, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            thread = threading.Thread(target=self._serve, args=(plain,))
            self._threads.append(thread)
            thread.start()

    @contextlib.contextmanager
    def _alive(self, *sockets: socket.socket) -> Iterator[None]:
        with self._lock:
            self._living.update(sockets)
        try:
            yield
        finally:
            with self._lock:
                self._living.difference_update(sockets)
            for one in sockets:
                one.close()

    def _serve(self, plain: socket.socket) -> None:
        with contextlib.suppress(OSError), self._alive(plain):
            if self._stop.is_set():
                return
            if self.mode == "silent":
                self.accepting_at.release()
                while plain.recv(1 << 16):
                    pass
                return
            secured = self.certificate.context().wrap_socket(plain, server_side=True)
            with self._alive(secured):
                self._talk(secured)

    def _talk(self, client: ssl.SSLSocket) -> None:
        request = client.recv(1 << 20)
        self.heard += request
        if not request:
            return
        if self._target is None or self.mode in {"hang", "garbage", "cut", "starting"}:
            self._misbehave(client)
            return
        upstream = socket.create_connection(("127.0.0.1", self._target))
        for one in (upstream, client):
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with self._alive(upstream):
            back = threading.Thread(target=self._back, args=(upstream, client))
            back.start()
            try:
                while request:
                    upstream.sendall(request)
                    request = client.recv(1 << 20)
                    self.heard += request
                    if self.mode in {"hang", "garbage", "cut", "starting"}:
                        self._misbehave(client)
                        return
            finally:
                with contextlib.suppress(OSError):
                    upstream.shutdown(socket.SHUT_RDWR)
                back.join()

    def _back(self, upstream: socket.socket, client: ssl.SSLSocket) -> None:
        with contextlib.suppress(OSError):
            while reply := upstream.recv(1 << 20):
                if self.mode == "half":
                    client.sendall(reply[: len(reply) // 2])
                    break
                client.sendall(reply)
        with contextlib.suppress(OSError):
            socket.socket.shutdown(client, socket.SHUT_RDWR)

    def _misbehave(self, client: ssl.SSLSocket) -> None:
        match self.mode:
            case "hang":
                self.accepting_at.release()
                while request := client.recv(1 << 20):
                    self.heard += request
            case "garbage":
                client.sendall(GARBAGE)
            case "starting":
                client.sendall(STARTING)
            case _:
                pass
