"""The schemes of source addresses (``vcenter://``, ``ssh://``, ``lab:``), each a row of a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from collectors.feed import Collector
from collectors.vsphere.options import VSphereOptions
from connections.address import Address, AddressForm, parse_address
from connections.fingerprints import CERTIFICATE, HOST_KEY, Proof
from connections.known_hosts import KnownHosts
from connections.ssh.address import GUEST, SSH
from connections.untrusted import Ask
from connections.vsphere.address import ESXI, ESXTOP, GUESTS, VCENTER, parse_guests_address
from resources.failures import UsageError


@dataclass(frozen=True, slots=True)
class Access:
    """What a collector needs to connect: password, and how to decide whether the server is trusted.

    Only a server with the thumbprint ``pin`` is accepted, if one is given; otherwise those in ``known`` (the
    known hosts) and those for which ``ask`` returns True. ``vsphere`` are options for vSphere sources,
    ``interval_s`` is for those that are asked at a pace of ours (None: the usual), ``speed`` is for the lab.
    ``key`` is a private key for those that are reached over ssh (None: the usual ones).

    Where the address's user is one of guests, ``password`` is theirs, and ``server`` is the login at the
    server itself: its account and what gives the password.
    """

    password: Callable[[], str]
    pin: str | None
    known: KnownHosts
    ask: Ask | None
    vsphere: VSphereOptions
    speed: float
    interval_s: float | None = None
    key: Path | None = None
    server: tuple[str, Callable[[], str]] = ("", str)


@dataclass(frozen=True, slots=True)
class Scheme:
    """A scheme: ``prefix`` is how its addresses begin, ``example`` is a whole address.

    ``parse`` reads an address, whose text is the source's name. ``has_password``: a password is needed before
    anything starts; with ``takes_keys`` a key of ssh may do instead. ``proof`` is how its servers
    prove their identity; None if there is no server. ``collector`` makes the collector.
    """

    prefix: str
    example: str
    parse: Callable[[str], Any]
    has_password: bool
    proof: Proof | None
    collector: Callable[[Any, Access], Collector]
    takes_keys: bool = False


def scheme_of(source: str) -> Scheme:
    """Return the scheme of a source's address. Raises UsageError for an unknown one."""
    beginning = source.strip().partition(":")[0].lower()
    found = next((row for row in SCHEMES if row.prefix.partition(":")[0] == beginning), None)
    if found is None or ":" not in source:
        *others, last = (row.prefix for row in SCHEMES)
        raise UsageError(
            f"A source begins with {', '.join(others)} or {last}.",
            advice=f"For instance {', or '.join(row.example for row in (SCHEMES[0], SCHEMES[-1]))}.",
        )
    return found


# What a scheme needs is loaded when one of its sources is named: pyVmomi takes longer than the rest together.


def _vsphere_collector(address: Address, access: Access) -> Collector:
    from collectors.vsphere.collector import VSphereCollector  # noqa: PLC0415

    return VSphereCollector(
        address,
        access.password,
        access.vsphere,
        thumbprint=access.pin,
        known=access.known,
        ask=access.ask,
    )


def _esxtop_collector(address: Address, access: Access) -> Collector:
    from collectors.esxtop_service.live import EsxtopCollector, EsxtopOptions  # noqa: PLC0415

    return EsxtopCollector(
        address,
        access.password,
        EsxtopOptions(access.interval_s),
        thumbprint=access.pin,
        known=access.known,
        ask=access.ask,
    )


def _ssh_collector(address: Address, access: Access) -> Collector:
    from app.recording.ssh_logins import ssh_login  # noqa: PLC0415
    from collectors.esxtop.over_ssh.collector import EsxtopSshCollector, SshPace  # noqa: PLC0415

    return EsxtopSshCollector(
        address,
        ssh_login(access.password, access.key),
        SshPace(access.interval_s),
        pin=access.pin,
        known=access.known,
        ask=access.ask,
    )


def _guest_collector(address: Address, access: Access) -> Collector:
    from app.recording.ssh_logins import ssh_login  # noqa: PLC0415
    from collectors.guest.live import GuestCollector  # noqa: PLC0415
    from collectors.guest.options import GuestOptions  # noqa: PLC0415

    return GuestCollector(
        address,
        ssh_login(access.password, access.key),
        GuestOptions(access.interval_s),
        pin=access.pin,
        known=access.known,
        ask=access.ask,
    )


def _tools_collector(address: Address, access: Access) -> Collector:
    from collectors.guest.options import GuestOptions  # noqa: PLC0415
    from collectors.guest.tools import ToolsCollector  # noqa: PLC0415

    account, password = access.server
    return ToolsCollector(
        address,
        account,
        password,
        access.password,
        GuestOptions(access.interval_s),
        thumbprint=access.pin,
        known=access.known,
        ask=access.ask,
    )


def _guests_address(text: str) -> Address:
    found = parse_guests_address(text)
    if not found.path:
        raise UsageError(f"{found} names no VM.", advice=f"It looks like {GUESTS.example}.")
    return found


def _lab_address(text: str) -> object:
    from lab.live import parse_lab_address  # noqa: PLC0415

    return parse_lab_address(text)


def _lab_collector(address: Any, access: Access) -> Collector:
    from lab.live import LabCollector  # noqa: PLC0415

    return LabCollector(address, speed=access.speed)


def _of_server(form: AddressForm, proof: Proof, collector: Callable[[Address, Access], Collector]) -> Scheme:
    parse = partial(parse_address, forms=(form,))
    return Scheme(
        f"{form.scheme}://", form.example, parse, True, proof, collector, takes_keys=proof is HOST_KEY
    )


SCHEMES = (
    _of_server(VCENTER, CERTIFICATE, _vsphere_collector),
    _of_server(ESXI, CERTIFICATE, _vsphere_collector),
    _of_server(ESXTOP, CERTIFICATE, _esxtop_collector),
    _of_server(SSH, HOST_KEY, _ssh_collector),
    _of_server(GUEST, HOST_KEY, _guest_collector),
    Scheme("tools://", GUESTS.example, _guests_address, True, CERTIFICATE, _tools_collector),
    Scheme("lab:", "lab:demo", _lab_address, False, None, _lab_collector),
)
