"""Opens guests over ssh, many at once, as an environment of their own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence

from connections.address import Address
from connections.known_hosts import KnownHosts
from connections.ssh.connection import SshConnection, TimeOuts
from connections.ssh.login import SshLogin
from connections.untrusted import Ask, UntrustedServer
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

    The first guest of each user is opened in this thread, where a person can be asked for a password that
    the others share; ``ask`` is called for one guest at a time. Raises the error of the first one that can't
    be reached, and closes the others.
    """
    if not addresses:
        raise UsageError("No guest was named.", advice="An address looks like ssh://root@app01.lab.")
    if len({str(address) for address in addresses}) < len(addresses):
        raise UsageError("The same guest was named twice.", advice="Name each guest once.")
    guests: dict[str, SshGuest] = {}
    trust = None if ask is None else _one_at_a_time(ask)
    for address in addresses:
        login, pin = login_of(address), (pins or {}).get(address)

        def connect(
            address: Address = address, login: SshLogin = login, pin: str | None = pin
        ) -> SshConnection:
            connection = SshConnection(address, login, pin=pin, known=known, ask=trust, time_outs=time_outs)
            connection.open()
            return connection

        guests[str(address)] = SshGuest(address.place, connect)
    firsts = {address.user: guests[str(address)] for address in reversed(addresses)}
    results = on_all(list(firsts.values()), SshGuest.open, threads=0)
    if not any(isinstance(one, HyperscopeError) for one in results):
        results += on_all([one for one in guests.values() if one not in firsts.values()], SshGuest.open)
    failures = [one for one in results if isinstance(one, HyperscopeError)]
    if failures:
        for guest in guests.values():
            guest.close()
        raise failures[0]
    return GuestsEnvironment(guests, jobs, options)


def _one_at_a_time(ask: Ask) -> Ask:
    lock = threading.Lock()

    def asked(server: UntrustedServer) -> bool:
        with lock:
            return ask(server)

    return asked
