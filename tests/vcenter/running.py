"""Starts and drives the simulated vCenters: the test vCenter, which fails on request, and plain vcsim."""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import json
import os
import socket
import ssl
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

from tests.vcenter.binaries import program

USER = "administrator@vsphere.local"
PASSWORD = "Test-vC3nter!"
GUEST_USER = "guest"
GUEST_PASSWORD = "Gu3st-0f-VM!"
_START_S = 120.0
_END_S = 10.0


@dataclass(frozen=True, slots=True)
class Place:
    """Where a server listens. ``url`` is https://host:port/sdk, ``thumbprint`` its certificate's SHA-256."""

    host: str
    port: int
    thumbprint: str
    url: str

    @property
    def address(self) -> str:
        """The place as Hyperscope writes it, with the tests' user."""
        return f"vcenter://{USER}@{self.host}:{self.port}"


class _Server:
    """A server that runs within a ``with`` block."""

    _place: Place | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def place(self) -> Place:
        """Where it listens, also while it is stopped."""
        assert self._place is not None, "not started"
        return self._place

    @property
    def url(self) -> str:
        """The SDK's address: https://127.0.0.1:port/sdk."""
        return self.place.url

    @property
    def address(self) -> str:
        """``vcenter://user@host:port``."""
        return self.place.address

    @property
    def thumbprint(self) -> str:
        """SHA-256 of the certificate, AB:CD:…"""
        return self.place.thumbprint

    def start(self) -> None:
        """Start it; returns when it answers."""
        raise NotImplementedError

    def close(self) -> None:
        """Stop it and remove what it left."""
        raise NotImplementedError


class TestVCenter(_Server):
    """The Go program of tests/vcenter/server; its flags are keywords: ``hosts=4, max_query_metrics=64``.

    It ends with this process even if that is killed: the server watches its standard input.
    """

    __test__ = False

    def __init__(self, scenario: Path | None = None, *, login: bool = True, **flags: object) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="testvcenter-")
        folder = Path(self._folder.name)
        self._flags: dict[str, object] = {
            "cert": folder / "cert.pem",
            "key": folder / "key.pem",
            "guest_user": GUEST_USER,
            "guest_password": GUEST_PASSWORD,
            **({"username": USER, "password": PASSWORD} if login else {}),
            **({"scenario": scenario} if scenario else {}),
            **flags,
        }
        self._log = folder / "log.txt"
        self._process: subprocess.Popen[str] | None = None
        self._control: tuple[str, int] = ("", 0)
        self._known: dict[str, Any] = {}

    @property
    def epoch(self) -> int:
        """Unix time of tick 0."""
        return int(self._known["epoch"])

    @property
    def interval(self) -> int:
        """Seconds between samples."""
        return int(self._known["interval"])

    @property
    def pid(self) -> int:
        """The server's process."""
        assert self._process is not None, "not running"
        return self._process.pid

    @property
    def folder(self) -> Path:
        """Where its files are: in ``testvc-guests-…`` a folder for each guest, named by its VM's moid."""
        return Path(self._folder.name)

    def start(self) -> None:
        """Start it, at the second time on the same port with the same samples; returns when it answers."""
        assert self._process is None, "running"
        command = [str(program("testvcenter")), "-stdin", *_words(self._flags)]
        # what the simulator leaves in the temporary folder when it is killed goes with ours
        environment = {**os.environ, **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), self._folder.name)}
        with self._log.open("a", encoding="utf-8") as log:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                encoding="utf-8",
                env=environment,
            )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            self.stop()
            raise AssertionError(f"testvcenter did not start: {self.log()}")
        self._known = json.loads(line)
        there, control = urlsplit(self._known["url"]), urlsplit(self._known["control"])
        assert there.hostname is not None
        assert there.port is not None
        self._place = Place(there.hostname, there.port, self._known["thumbprint"], self._known["url"])
        self._control = (control.hostname or "", control.port or 0)
        self._flags |= {"listen": f"{there.hostname}:{there.port}", "epoch": self._known["epoch"]}

    def stop(self) -> None:
        """Stop it; the port is free and refuses connections, and no process of a guest is left."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.poll() is not None:  # pytest shows it with the test that failed
            print(f"the test vCenter ended by itself with {process.returncode}: {self.log()[-4000:]}")
        process.kill()  # as a machine that loses power: connections break, nobody says goodbye
        if process.stdout is not None:
            process.stdout.read()  # ends when the warden of the guests has, too
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()
        process.wait(_END_S)

    def restart(self) -> None:
        """Start anew on the same port: same certificate and samples, no sessions, the first inventory."""
        self.stop()
        self.start()

    def close(self) -> None:
        """Stop it for good and remove its files."""
        self.stop()
        self._folder.cleanup()

    def log(self) -> str:
        """What it wrote to stderr."""
        return self._log.read_text(encoding="utf-8") if self._log.exists() else ""

    def fault(self, kind: str, **options: object) -> Mapping[str, Any]:
        """Make something happen: kinds and options are in server/README.md (``for_`` is ``for``)."""
        body = {name.rstrip("_"): value for name, value in options.items()}
        answer: Mapping[str, Any] = self._ask("POST", "/fault", {"kind": kind, **body})
        return answer

    def clear(self) -> None:
        """End all faults; calls that hang are cut off. Samples that were missing stay so."""
        self._ask("DELETE", "/fault")

    def faults(self) -> Sequence[Mapping[str, Any]]:
        """The active protocol faults, each with its ``hits``."""
        active: Sequence[Mapping[str, Any]] = self._ask("GET", "/fault")
        return active

    def jump(self, seconds: float) -> float:
        """Move the server's clock; returns its time. What lies between never was sampled."""
        return float(self._ask("POST", "/clock", {"jump": seconds})["now"])

    def stats(self) -> Mapping[str, Any]:
        """``requests`` by method, live ``sessions``, ``totals`` (samples, values, bytes), ``now``."""
        answer: Mapping[str, Any] = self._ask("GET", "/stats")
        return answer

    def now(self) -> float:
        """The server's clock, Unix seconds."""
        return float(self.stats()["now"])

    def samples(self, start: float, end: float, **question: object) -> Mapping[str, Any]:
        """What samples exist with times in (start, end]; options as in server/README.md (``values=True``)."""
        answer: Mapping[str, Any] = self._ask("POST", "/samples", {"from": start, "to": end, **question})
        return answer

    def _ask(self, verb: str, path: str, body: Mapping[str, object] | None = None) -> Any:
        connection = http.client.HTTPConnection(*self._control, timeout=300)
        with contextlib.closing(connection):
            connection.request(verb, path, None if body is None else json.dumps(body))
            reply = connection.getresponse()
            answer = json.loads(reply.read())
        assert reply.status == http.HTTPStatus.OK, f"{verb} {path} {body}: {answer}"
        return answer


class PlainVcsim(_Server):
    """govmomi's own vcsim, unchanged; its flags are keywords: ``cluster=1, host=8, vm=100``."""

    def __init__(self, **flags: object) -> None:
        self._flags = flags
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it; returns when it answers."""
        port = free_port()
        command = [str(program("vcsim")), "-l", f"127.0.0.1:{port}", *_words(self._flags)]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        certificate = _await_certificate(port, self._process)
        self._place = Place("127.0.0.1", port, certificate, f"https://127.0.0.1:{port}/sdk")

    def close(self) -> None:
        """Stop it."""
        process, self._process = self._process, None
        if process is not None:
            process.terminate()
            process.wait(_END_S)


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def thumbprint_of(der: bytes) -> str:
    """A certificate's SHA-256 as vSphere writes it."""
    digest = hashlib.sha256(der).digest()
    return ":".join(f"{byte:02X}" for byte in digest)


def _words(flags: Mapping[str, object]) -> Iterator[str]:
    for name, value in flags.items():
        text = str(value).lower() if isinstance(value, bool) else str(value)
        yield f"-{name.replace('_', '-')}={text}"


def _await_certificate(port: int, process: subprocess.Popen[bytes]) -> str:
    trusting = ssl.create_default_context()
    trusting.check_hostname = False
    trusting.verify_mode = ssl.CERT_NONE
    deadline = time.monotonic() + _START_S
    while time.monotonic() < deadline:
        assert process.poll() is None, f"vcsim ended with {process.returncode}"
        try:
            with (
                socket.create_connection(("127.0.0.1", port), timeout=5) as plain,
                trusting.wrap_socket(plain) as secured,
            ):
                return thumbprint_of(secured.getpeercert(binary_form=True) or b"")
        except OSError:
            time.sleep(0.05)  # nothing tells when vcsim listens
    raise AssertionError("vcsim does not answer")
