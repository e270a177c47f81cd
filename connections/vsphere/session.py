"""One logged-in connection to a vCenter or an ESXi host, shared by the threads that record from it."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from pyVmomi import vim, vmodl

from connections.address import Address
from connections.failures import ClosedError
from connections.known_hosts import KnownHosts
from connections.lifetime import ServerConnection
from connections.untrusted import Ask
from connections.vsphere.about import About
from connections.vsphere.faults import (
    VENDOR,
    BadReplyError,
    as_source_error,
    bad_status,
    soap_error,
)
from connections.vsphere.keep_alive import KeepAlive
from connections.vsphere.logged_in import Connection, LoggedIn
from connections.vsphere.soap import Channel, Reply, call, parse_fault, parse_time
from connections.vsphere.trust import Trust
from connections.vsphere.wire import Wire, check_xml
from resources.failures import SourceError

T = TypeVar("T")

SDK_PATH = "/sdk"

Envelope = bytes | Callable[[str], bytes]
"""A SOAP request; a function of our session's id where the service wants that in the SOAP header."""

_CURRENT_TIME = call("CurrentTime", ("ServiceInstance", "ServiceInstance"))


@dataclass(frozen=True, slots=True)
class _Answer:
    """A reply's body, how many seconds it took, and our time (s since 1970) in the middle of that."""

    body: bytes
    took_s: float
    at: float


class VSphere(ServerConnection):
    """A logged-in connection to a vCenter or ESXi host; thread-safe.

    Call ``open`` before use and ``close`` after, which logs out, or use ``with``. ``password`` is called for
    each login; its result is not kept. ``thumbprint`` pins the certificate; without it the system's
    certificate store, ``known`` and ``ask`` decide, in this order. ``connect_s`` and ``read_s`` are the
    time-outs, in seconds, of each connect and each read.
    """

    def __init__(
        self,
        address: Address,
        password: Callable[[], str],
        *,
        thumbprint: str | None = None,
        known: KnownHosts | None = None,
        ask: Ask | None = None,
        connect_s: float = 10.0,
        read_s: float = 120.0,
    ) -> None:
        super().__init__(address)
        trust = Trust(address.host, address.port, thumbprint=thumbprint, known=known, ask=ask)
        self._wire = Wire(address, trust, connect_s=connect_s, read_s=read_s)
        self._channel = Channel(self._wire)
        self._login = LoggedIn(self._wire, trust, password)
        self._clock_offset_ms = 0
        self._closed = threading.Event()
        self._keep_alive = KeepAlive(self.server_time, self._closed)

    def open(self) -> None:
        """Connect, check the server, log in.

        Raises SourceError, UsageError; after a failure it stays closed.
        """
        with contextlib.ExitStack() as undo:
            undo.callback(self._abandon)
            self._edge("its version", lambda: self._login.open(self._channel))
            undo.pop_all()
        self._keep_alive.start()

    @property
    def about(self) -> About:
        """Product and version of the server; available after ``open``."""
        return self._login.about

    @property
    def generation(self) -> int:
        """The number of logins so far: views, filters and collectors of an earlier generation
        no longer exist.
        """
        return self._login.generation

    @property
    def clock_offset_ms(self) -> int:
        """The server's clock minus ours in ms, as of the last ``server_time``."""
        return self._clock_offset_ms

    def ask(self, what: str, question: Callable[[Connection], T]) -> T:
        """Call ``question`` with the connection and return its result; ``what`` names the request in errors.

        When the session has ended, logs in and calls ``question`` once more. Raises SourceError (SoapFault
        for faults of the API), at once after ``close``.
        """
        return self._edge(what, lambda: self._ask(question))

    def _ask(self, question: Callable[[Connection], T]) -> T:
        generation, connection = self._login.generation, self._current()
        try:
            return question(connection)
        except vim.fault.NotAuthenticated:
            self._login.renew(generation)
        return question(self._current())

    def post(
        self,
        envelope: Envelope,
        action: str = "",
        what: str = "counters",
        *,
        once: bool = False,
        path: str = SDK_PATH,
    ) -> bytes:
        """Send a raw SOAP request in our session and return the whole reply; ``action`` defaults to
        our API version, ``path`` to that of the vSphere API.

        An ended session is renewed as in ``ask``. After a broken connection the request is repeated, although
        the server may have served it already. Pass ``once`` for a request that advances something on the
        server (the next page of updates or events), whose first result would be lost: it then fails instead.
        Raises SourceError, SoapFault.
        """
        return self._edge(what, lambda: self._post(envelope, action, what, once=once, path=path).body)

    def _post(
        self, envelope: Envelope, action: str, what: str, *, once: bool = False, path: str = SDK_PATH
    ) -> _Answer:
        generation = self._login.generation
        began, reply = time.perf_counter(), self._send(envelope, action, once=once, path=path)
        if reply.status == 500 and parse_fault(reply.body).type_name == "NotAuthenticated":
            self._login.renew(generation)
            began, reply = time.perf_counter(), self._send(envelope, action, once=once, path=path)
        took = time.perf_counter() - began
        if reply.status == 200:
            check_xml(reply.content_type)
            if not reply.body:
                raise BadReplyError("an empty answer")
            return _Answer(reply.body, took, time.time() - took / 2)
        if reply.status != 500:
            raise bad_status(f"{reply.status} {reply.reason}", what, self.address)
        fault = parse_fault(reply.body)
        raise soap_error(fault.type_name, fault.text, fault.detail, what, self.address)

    def _send(self, envelope: Envelope, action: str, *, once: bool, path: str) -> Reply:
        stub = self._current().stub
        headers = {
            "Content-Type": "text/xml; charset=UTF-8",
            "SOAPAction": action or stub.versionId,
            "Cookie": stub.session_cookie,
        }
        body = envelope if isinstance(envelope, bytes) else envelope(stub.session_id)
        return self._channel.exchange("POST", path, body, headers, once=once)

    def server_time(self) -> tuple[datetime, float]:
        """Return the server's time (UTC) at the middle of a request, and how many seconds that request took.

        This is called in each round and does not use pyVmomi, whose deserialiser leaves a 20 kB parser in a
        reference cycle with each reply (measured, 9.1.1.0), which stays until Python's garbage collector
        runs.
        """
        what = "its clock"

        def question() -> tuple[datetime, _Answer]:
            answer = self._post(_CURRENT_TIME, "", what)
            return parse_time(answer.body), answer

        server, answer = self._edge(what, question)
        self._clock_offset_ms = round((server.timestamp() - answer.at) * 1000)
        return server, answer.took_s

    def check(self) -> None:
        """Check that the server answers and our session is valid; log in again if not. Raises SourceError."""
        generation = self._login.generation
        if self.ask("its session", session_key) is None:
            self._edge("a new session", lambda: self._login.renew(generation))

    def close(self) -> None:
        """Abort the requests of other threads, log out, close everything. Never raises; may be repeated."""
        if self._closed.is_set():
            return
        self._closed.set()
        self._wire.cut()
        self._login.log_out()
        self._abandon()
        self._keep_alive.join()

    def _abandon(self) -> None:
        self._closed.set()
        self._wire.cut()
        self._channel.close()
        self._login.close()

    def _current(self) -> Connection:
        if self._closed.is_set():
            raise ClosedError
        self._keep_alive.note_use()
        return self._login.connection

    def _edge(self, what: str, work: Callable[[], T]) -> T:
        try:
            return work()
        except ClosedError:
            raise
        except (*VENDOR, SourceError) as error:
            if self._closed.is_set():
                raise ClosedError from error
            if isinstance(error, SourceError):
                raise
            raise as_source_error(error, what, self.address) from error


def session_key(connection: Connection) -> str | None:
    """Return the key of our session on the server; None if the server has no session for us."""
    paths = vmodl.query.PropertyCollector
    spec = paths.FilterSpec(
        objectSet=[paths.ObjectSpec(obj=connection.content.sessionManager)],
        propSet=[paths.PropertySpec(type=vim.SessionManager, pathSet=["currentSession"])],
    )
    found = connection.content.propertyCollector.RetrieveContents([spec])
    return next((prop.val.key for item in found for prop in item.propSet or ()), None)
