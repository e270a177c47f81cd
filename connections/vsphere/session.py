"""One logged-in connection to a vCenter or an ESXi host, shared by the threads that record from it."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self, TypeVar

from pyVmomi import vim, vmodl

from connections.address import Address
from connections.failures import ClosedError
from connections.known_hosts import KnownHosts
from connections.strangers import Ask
from connections.vsphere.about import About, read_about, speakable_version
from connections.vsphere.faults import (
    VENDOR,
    BadReplyError,
    ReplacedError,
    bad_status,
    fault_name,
    not_vsphere,
    soap_error,
    told,
)
from connections.vsphere.login import LoginGuard
from connections.vsphere.soap import Channel, Reply, call, parse_fault, parse_time
from connections.vsphere.stub import Stub
from connections.vsphere.trust import Trust
from connections.vsphere.wire import Wire, check_xml
from resources.failures import HyperscopeError, SourceError
from resources.vcenter_privileges import login_limits

T = TypeVar("T")

SDK_PATH = "/sdk"

KEEP_ALIVE_S = 300.0
"""Rest after which the server is asked the time, lest it ends the session; ESXi does after 30 minutes."""

GOODBYE_S = 5.0
"""How long a server may take to hear that we leave."""

_log = logging.getLogger(__name__)

_CURRENT_TIME = call("CurrentTime", ("ServiceInstance", "ServiceInstance"))


@dataclass(frozen=True, slots=True)
class _Answer:
    """A reply's body, how many seconds it took, and our time (s since 1970) in the middle of that."""

    body: bytes
    took_s: float
    at: float


@dataclass(frozen=True, slots=True)
class Connection:
    """What a question gets: pyVmomi's service instance, its content, and the stub that carries them."""

    si: Any
    content: Any
    stub: Stub


class VSphere:
    """One connection; thread-safe. ``open`` before use, ``close`` after: the server then knows that we left.

    ``password`` is called for each login and kept nowhere. ``thumbprint`` pins the certificate; otherwise the
    system's store, ``known`` and ``ask`` decide, in this order. ``connect_s`` and ``read_s`` bound each.
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
        self.address = address
        self._password = password
        self._trust = Trust(address.host, address.port, thumbprint=thumbprint, known=known, ask=ask)
        self._wire = Wire(address, self._trust, connect_s=connect_s, read_s=read_s)
        self._channel = Channel(self._wire)
        self._connection: Connection | None = None
        self._about: About | None = None
        self._generation = 0
        self._clock_offset_ms = 0
        self._login_lock = threading.Lock()
        self._guard = LoginGuard(address, login_limits())
        self._closed = threading.Event()
        self._last_use = time.monotonic()
        self._keeper: threading.Thread | None = None

    def open(self) -> None:
        """Connect, check what answers, log in. Raises SourceError, UsageError; it is closed for good then."""
        try:
            self._edge("its version", self._open)
        except BaseException:
            self._abandon()
            raise
        self._keeper = threading.Thread(target=self._keep_alive, name="vsphere-keep-alive", daemon=True)
        self._keeper.start()

    def _open(self) -> None:
        version = speakable_version(self._channel, self.address)
        stub = Stub(self._wire, version)
        try:
            self._connection = self._logged_in(stub)
        except BaseException:
            stub.close()
            raise

    def _logged_in(self, stub: Stub) -> Connection:
        stub.forget_session()
        si = vim.ServiceInstance("ServiceInstance", stub)
        try:
            content = si.RetrieveContent()
        except vmodl.MethodFault as fault:
            raise not_vsphere(self.address, f"it refuses to say what it is ({fault_name(fault)})") from fault
        if content is None or content.about is None:
            raise BadReplyError("no service content")
        about = read_about(content.about, self.address)
        self._check_same(about)
        self._guard.log_in(content.sessionManager, self._password)
        self._about = about
        self._generation += 1
        return Connection(si, content, stub)

    def _check_same(self, about: About) -> None:
        before = self._about
        if before is not None and before.instance_uuid != about.instance_uuid:
            raise ReplacedError(
                f"Another vCenter answers at {self.address.place} now.",
                meaning=f"Its identity is {about.instance_uuid}, before it was {before.instance_uuid}.",
                advice="Start a new recording; this one would mix two inventories.",
            )

    @property
    def about(self) -> About:
        """What answers; known from ``open`` on."""
        if self._about is None:
            raise ClosedError("The connection is not open.")
        return self._about

    @property
    def generation(self) -> int:
        """Grows with each login: views, filters and collectors of earlier sessions are gone."""
        return self._generation

    @property
    def clock_offset_ms(self) -> int:
        """The server's clock minus ours, as ``server_time`` found it last."""
        return self._clock_offset_ms

    @property
    def api_version(self) -> str:
        """The SOAPAction of the negotiated version, for raw requests: ``"urn:vim25/8.0.3.0"`` with quotes."""
        return str(self._current().stub.versionId)

    def ask(self, what: str, question: Callable[[Connection], T]) -> T:
        """The answer to ``question``; ``what`` names it in errors: ``the list of VMs``.

        A session that ended is renewed once and the question asked again. Raises SourceError (SoapFault for
        faults of the API), at once after ``close``.
        """
        return self._edge(what, lambda: self._ask(question))

    def _ask(self, question: Callable[[Connection], T]) -> T:
        generation, connection = self._generation, self._current()
        try:
            return question(connection)
        except vim.fault.NotAuthenticated:
            self._log_in_again(generation)
        return question(self._current())

    def post(self, envelope: bytes, action: str = "", what: str = "counters", *, once: bool = False) -> bytes:
        """The whole reply to a raw SOAP request sent within our session; ``action`` defaults to our version.

        Renews an ended session as ``ask`` does. A request is repeated after a broken connection, although the
        server may have served it: pass ``once`` for one that moves something on in the server (the next page
        of updates or events), whose first outcome would then be lost; it fails instead.
        Raises SourceError, SoapFault.
        """
        return self._edge(what, lambda: self._post(envelope, action, what, once=once).body)

    def _post(self, envelope: bytes, action: str, what: str, *, once: bool = False) -> _Answer:
        generation = self._generation
        began, reply = time.perf_counter(), self._send(envelope, action, once=once)
        if reply.status == 500 and parse_fault(reply.body).type_name == "NotAuthenticated":
            self._log_in_again(generation)
            began, reply = time.perf_counter(), self._send(envelope, action, once=once)
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

    def _send(self, envelope: bytes, action: str, *, once: bool) -> Reply:
        stub = self._current().stub
        headers = {
            "Content-Type": "text/xml; charset=UTF-8",
            "SOAPAction": action or stub.versionId,
            "Cookie": stub.session_cookie,
        }
        return self._channel.exchange("POST", SDK_PATH, envelope, headers, once=once)

    def server_time(self) -> tuple[datetime, float]:
        """The server's clock (UTC) at the middle of a question, and how many seconds that question took.

        It is asked in each round. Not through pyVmomi: with each reply its deserialiser leaves a parser of
        20 kB in a cycle (measured, 9.1.1.0), which stays until Python looks for such garbage.
        """
        what = "its clock"

        def question() -> tuple[datetime, _Answer]:
            answer = self._post(_CURRENT_TIME, "", what)
            return parse_time(answer.body), answer

        server, answer = self._edge(what, question)
        self._clock_offset_ms = round((server.timestamp() - answer.at) * 1000)
        return server, answer.took_s

    def check(self) -> None:
        """See that the server answers and our session lives; log in again if not. Raises SourceError."""
        generation = self._generation
        if self.ask("its session", session_key) is None:
            self._edge("a new session", lambda: self._log_in_again(generation))

    def close(self) -> None:
        """Break off what other threads ask, log out, close everything. Never raises; may be repeated."""
        if self._closed.is_set():
            return
        self._closed.set()
        self._wire.cut()
        self._say_goodbye()
        self._abandon()
        if self._keeper is not None and self._keeper is not threading.current_thread():
            self._keeper.join()

    def _say_goodbye(self) -> None:
        connection = self._connection
        if connection is None or not connection.stub.session_cookie:
            return
        wire = Wire(self.address, self._trust, connect_s=GOODBYE_S, read_s=GOODBYE_S)
        stub = Stub(wire, connection.stub.version)
        stub.cookie = connection.stub.cookie
        manager = vim.SessionManager(connection.content.sessionManager._moId, stub)
        try:
            manager.Logout()
        except (*VENDOR, HyperscopeError) as error:
            _log.info("%s was not told that we leave: %s", self.address.place, type(error).__name__)
        finally:
            stub.close()

    def _abandon(self) -> None:
        self._closed.set()
        self._wire.cut()
        self._channel.close()
        if self._connection is not None:
            self._connection.stub.close()

    def _current(self) -> Connection:
        if self._closed.is_set() or self._connection is None:
            raise ClosedError
        self._last_use = time.monotonic()
        return self._connection

    def _log_in_again(self, generation: int) -> None:
        with self._login_lock:
            connection = self._current()
            if self._generation == generation:  # else another thread did it while we waited
                self._connection = self._logged_in(connection.stub)

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
            raise told(error, what, self.address) from error

    def _keep_alive(self) -> None:
        while not self._closed.wait(KEEP_ALIVE_S / 4):
            if time.monotonic() - self._last_use >= KEEP_ALIVE_S:
                with contextlib.suppress(SourceError):  # who records notices by himself
                    self.server_time()

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"VSphere({self.address})"

    def __reduce__(self) -> Any:
        raise TypeError("a connection can't be pickled")


def session_key(connection: Connection) -> str | None:
    """The key of our session as the server knows it, None when it does not."""
    paths = vmodl.query.PropertyCollector
    spec = paths.FilterSpec(
        objectSet=[paths.ObjectSpec(obj=connection.content.sessionManager)],
        propSet=[paths.PropertySpec(type=vim.SessionManager, pathSet=["currentSession"])],
    )
    found = connection.content.propertyCollector.RetrieveContents([spec])
    return next((prop.val.key for item in found for prop in item.propSet or ()), None)
