"""What the sources of a recording log in with, for others that are added at the same server."""

from __future__ import annotations

from collections.abc import Callable

from connections.address import Address


class Logins:
    """The passwords and thumbprints of a recording's sources, for others that are added at the same server:
    esxtop's service is asked with the login of its vCenter.
    """

    def __init__(self) -> None:
        self._passwords: dict[tuple[str, str, int], Callable[[], str]] = {}
        self._pins: dict[tuple[str, int], str] = {}

    def note(self, address: Address, password: Callable[[], str], pin: str | None) -> None:
        """Keep what a source logs in with, in memory only; the first of a server's stays."""
        self._passwords.setdefault((address.user, address.host, address.port), password)
        if pin is not None:
            self._pins.setdefault((address.host, address.port), pin)

    def password(self, address: Address) -> Callable[[], str] | None:
        """Return what gives the password of this user at this server, None if no source has it."""
        return self._passwords.get((address.user, address.host, address.port))

    def pin(self, address: Address) -> str | None:
        """Return the thumbprint that was given for this server."""
        return self._pins.get((address.host, address.port))
