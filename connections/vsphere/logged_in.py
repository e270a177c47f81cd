"""The login of one connection: account, server version, and a new login when the session has ended."""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pyVmomi import vim, vmodl

from connections.failures import ClosedError
from connections.vsphere.about import About, newest_common_version, read_about
from connections.vsphere.faults import VENDOR, BadReplyError, ReplacedError, fault_name, not_vsphere
from connections.vsphere.login import LoginGuard
from connections.vsphere.soap import Channel
from connections.vsphere.stub import Stub
from connections.vsphere.trust import Trust
from connections.vsphere.wire import Wire
from resources.failures import HyperscopeError
from resources.vcenter_privileges import login_limits

GOODBYE_S = 5.0
"""How long a server may take to hear that we leave."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Connection:
    """The means to send requests: pyVmomi's service instance, its content, and the SOAP stub."""

    si: Any
    content: Any
    stub: Stub


class LoggedIn:
    """Logs in over ``wire``, and again when the session has ended; ``password`` is called each time.

    ``generation`` increases with each login: views, filters and collectors of earlier sessions no longer
    exist.
    """

    def __init__(self, wire: Wire, trust: Trust, password: Callable[[], str]) -> None:
        self._wire, self._trust, self._password = wire, trust, password
        self._address = wire.address
        self._guard = LoginGuard(wire.address, login_limits())
        self._lock = threading.Lock()
        self._connection: Connection | None = None
        self._about: About | None = None
        self.generation = 0

    def open(self, channel: Channel) -> None:
        """Read the server's version and log in.

        Raises SourceError, UsageError, and untranslated vendor errors.
        """
        version = newest_common_version(channel, self._address)
        with contextlib.ExitStack() as until_logged_in:
            stub = Stub(self._wire, version)
            until_logged_in.callback(stub.close)
            self._connection = self._log_in(stub)
            until_logged_in.pop_all()

    def _log_in(self, stub: Stub) -> Connection:
        stub.forget_session()
        si = vim.ServiceInstance("ServiceInstance", stub)
        try:
            content = si.RetrieveContent()
        except vmodl.MethodFault as fault:
            raise not_vsphere(self._address, f"it refuses to say what it is ({fault_name(fault)})") from fault
        if content is None or content.about is None:
            raise BadReplyError("no service content")
        about = read_about(content.about, self._address)
        self._check_same(about)
        self._guard.log_in(content.sessionManager, self._password)
        self._about = about
        self.generation += 1
        return Connection(si, content, stub)

    def _check_same(self, about: About) -> None:
        before = self._about
        if before is not None and before.instance_uuid != about.instance_uuid:
            raise ReplacedError(
                f"Another vCenter answers at {self._address.place} now.",
                meaning=f"Its identity is {about.instance_uuid}, before it was {before.instance_uuid}.",
                advice="Start a new recording; this one would mix two inventories.",
            )

    @property
    def about(self) -> About:
        """Product and version of the server. Raises ClosedError before ``open``."""
        if self._about is None:
            raise ClosedError("The connection is not open.")
        return self._about

    @property
    def connection(self) -> Connection:
        """The present connection for requests.

        Raises ClosedError before ``open``, and after the sockets were cut.
        """
        if self._connection is None or self._wire.is_cut:
            raise ClosedError
        return self._connection

    def renew(self, generation: int) -> None:
        """Log in again, unless another thread has done so since ``generation``. Raises as ``open``."""
        with self._lock:
            connection = self.connection
            if self.generation == generation:
                self._connection = self._log_in(connection.stub)

    def log_out(self) -> None:
        """Log out, over a connection of its own. Never raises."""
        connection = self._connection
        if connection is None or not connection.stub.session_cookie:
            return
        wire = Wire(self._address, self._trust, connect_s=GOODBYE_S, read_s=GOODBYE_S)
        stub = Stub(wire, connection.stub.version)
        stub.cookie = connection.stub.cookie
        manager = vim.SessionManager(connection.content.sessionManager._moId, stub)
        try:
            manager.Logout()
        except (*VENDOR, HyperscopeError) as error:
            _log.info("%s was not told that we leave: %s", self._address.place, type(error).__name__)
        finally:
            stub.close()

    def close(self) -> None:
        """Close the pooled connections."""
        if self._connection is not None:
            self._connection.stub.close()
