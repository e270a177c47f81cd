"""pyVmomi's SOAP stub over our verified connections; errors from bad replies are kept apart from bugs."""

from __future__ import annotations

from http.cookies import CookieError, Morsel, SimpleCookie
from types import TracebackType
from typing import Any

from pyVmomi import SoapStubAdapter
from pyVmomi.VmomiSupport import F_OPTIONAL

from connections.vsphere.faults import BadReplyError
from connections.vsphere.soap import IDLE_S
from connections.vsphere.wire import VerifiedConnection, Wire

COOKIE = "vmware_soap_session"

_UNREADABLE = (TypeError, KeyError, AttributeError, ValueError, IndexError, AssertionError)


class UnserialisableError(Exception):
    """A request that pyVmomi can't serialise: a bug of ours."""


class _readable:  # noqa: N801
    """What pyVmomi's reader raises becomes BadReplyError; a bare Exception is its fault that is none."""

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is Exception or isinstance(error, _UNREADABLE):
            raise BadReplyError(f"{type(error).__name__}: {error}") from error


class Stub(SoapStubAdapter):  # type: ignore[misc]
    """The SOAP stub of one VSphere, kept over re-logins, so that references stay usable. Thread-safe."""

    def __init__(self, wire: Wire, version: str) -> None:
        self._wire = wire
        super().__init__(
            host=wire.address.host,
            port=wire.address.port,
            version=version,
            connectionPoolTimeout=IDLE_S,
            httpConnectionTimeout=wire.read_s,
        )

    def GetConnection(self) -> VerifiedConnection:  # noqa: N802
        """Return a live connection of the pool, or a new one; its certificate is checked before use."""
        while True:
            with self.lock:
                self._CloseIdleConnections()
                if not self.pool:
                    break
                connection, _ = self.pool.pop(0)
            if connection.is_usable():
                return connection  # type: ignore[no-any-return]
            connection.close()
        new = self._wire.connection(only_xml=True)
        new.connect()
        return new

    def SerializeRequest(self, mo: Any, info: Any, args: Any) -> Any:  # noqa: N802
        """Return the request as bytes."""
        try:
            return super().SerializeRequest(mo, info, args)
        except _UNREADABLE as error:
            raise UnserialisableError(f"{info.name}: {error}") from error

    def InvokeMethod(self, mo: Any, info: Any, args: Any, outerStub: Any = None) -> Any:  # noqa: N802, N803
        """Call an API method. Raises BadReplyError for a reply that pyVmomi can't parse."""
        with _readable():
            result = super().InvokeMethod(mo, info, args, outerStub)
        if result is None and info.result is not type(None) and not info.resultFlags & F_OPTIONAL:
            raise BadReplyError("an answer without a result")
        return result

    @property
    def session_cookie(self) -> str:
        """The Cookie header for raw requests in this session."""
        return f'{COOKIE}="{self.session_id}"' if self._morsel else str(self.cookie).partition(";")[0]

    @property
    def session_id(self) -> str:
        """The session's id, which other services of the vCenter take in the SOAP header; empty for none."""
        return self._morsel.value if self._morsel else ""

    @property
    def _morsel(self) -> Morsel[str] | None:
        try:
            return SimpleCookie(self.cookie).get(COOKIE)
        except CookieError:
            return None

    def forget_session(self) -> None:
        """Drop the session cookie, as before a login."""
        self.SetSessionId(None)

    def close(self) -> None:
        """Close the pooled connections."""
        self.DropConnections()

    def __repr__(self) -> str:
        return f"Stub({self._wire.address})"

    def __reduce__(self) -> Any:
        raise TypeError("a connection can't be pickled")
