"""Opens guests over ssh, many at once, as an environment of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from connections.address import Address
from connections.known_hosts import KnownHosts
from connections.ssh.connection import SshConnection, TimeOuts
from connections.ssh.login import SshLogin
from connections.untrusted import Ask
from resources.failures import HyperscopeError, UsageError
from resources.fio_jobs import FioJobs
from workloads.guests.environment import GuestsEnvironment
from workloads.guests.ssh_guest import SshGuest
from workloads.guests.worker import DEFAULTS, GuestOptions
from workloads.together import on_all

_TIME_OUTS = TimeOuts(keepalive_s=None)


def open_guests(
    addresses: Sequence[Address],
    login_of: Callable[[Address], SshLogin],
    *,
    pins: Mapping[Address, str] | None = None,
    known: KnownHosts | None = None,
    ask: Ask | None = None,
    jobs: FioJobs | None = None,
    options: GuestOptions = DEFAULTS,
    time_outs: TimeOuts = _TIME_OUTS,
) -> GuestsEnvironment:
    """Connect to all guests and log in; several guests may share a login.

    Raises the error of the first one that can't be reached, and closes the others. ``ask`` may be called
    from several threads.
    """
    if not addresses:
        raise UsageError("No guest was named.", advice="An address looks like ssh://root@app01.lab.")
    if len({str(address) for address in addresses}) < len(addresses):
        raise UsageError("The same guest was named twice.", advice="Name each guest once.")
    guests: dict[str, SshGuest] = {}
    for address in addresses:
        login, pin = login_of(address), (pins or {}).get(address)

        def connect(
            address: Address = address, login: SshLogin = login, pin: str | None = pin
        ) -> SshConnection:
            connection = SshConnection(address, login, pin=pin, known=known, ask=ask, time_outs=time_outs)
            connection.open()
            return connection

        guests[str(address)] = SshGuest(address.place, connect)
    results = on_all(list(guests.values()), SshGuest.open)
    failures = [one for one in results if isinstance(one, HyperscopeError)]
    if failures:
        for guest in guests.values():
            guest.close()
        raise failures[0]
    return GuestsEnvironment(guests, jobs, options)
