"""What the sources of a recording log in with, for others that are added at the same server."""

from __future__ import annotations

from collections.abc import Callable

from connections.address import Address
from connections.vsphere.address import GUESTS


class Logins:
    """The accounts, passwords and thumbprints of a recording's sources, for others at the same server:
    esxtop's service is asked with the login of its vCenter, and so are the guests of its VMs.
    """

    def __init__(self) -> None:
        self._passwords: dict[tuple[bool, str, str, int], Callable[[], str]] = {}
        self._pins: dict[tuple[str, int], str] = {}
        self._accounts: dict[tuple[str, int], str] = {}

    def expect(self, address: Address) -> None:
        """Note who logs in to a server; the first one counts for guests of its VMs, too."""
        if address.scheme != GUESTS.scheme:
            self._accounts.setdefault((address.host, address.port), address.user)

    def account(self, address: Address) -> str | None:
        """Return who logs in to this server, None if no source of it itself is recorded."""
        return self._accounts.get((address.host, address.port))

    def note(self, address: Address, password: Callable[[], str], pin: str | None) -> None:
        """Keep what a source logs in with, in memory only; the first of a server's stays."""
        self._passwords.setdefault(_key(address), password)
        if pin is not None:
            self._pins.setdefault((address.host, address.port), pin)

    def password(self, address: Address) -> Callable[[], str] | None:
        """Return what gives the password of this user at this server, None if no source has it."""
        return self._passwords.get(_key(address))

    def pin(self, address: Address) -> str | None:
        """Return the thumbprint that was given for this server."""
        return self._pins.get((address.host, address.port))


def _key(address: Address) -> tuple[bool, str, str, int]:
    """A user at a server; an account of the guests behind it is another one than its own of that name."""
    return address.scheme == GUESTS.scheme, address.user, address.host, address.port
