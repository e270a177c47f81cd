"""The environments that tests act on, by the scheme of their address: each a row of a table."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from app.recording.origins import RecordOptions, ask_of, password_of
from connections.address import Address, parse_address
from connections.fingerprints import CERTIFICATE, HOST_KEY
from connections.untrusted import Ask, UntrustedServer
from connections.vsphere.address import GUESTS, VCENTER
from recorder.stdin_lines import PasswordLines
from resources.failures import UsageError
from resources.foreign_text import shown
from sessions.journal import ChangedObject, JournalEntry

if TYPE_CHECKING:
    from workloads.environment import Environment
    from workloads.guests.worker import GuestOptions
    from workloads.vsphere.guests import GuestAccess

# What an environment needs is loaded when one is opened: pyVmomi and paramiko take long.


@dataclass(frozen=True, slots=True)
class EnvironmentOptions:
    """How environments are opened.

    ``record`` says how passwords and trust are asked for, as for ``record``. ``workers`` are globs of VM
    names that do the I/O in a vCenter, ``guest_user`` is the account of their guests. ``key_file`` is a
    private key for guests over ssh, ``agent`` says whether an ssh agent is asked. ``speed`` is of the lab,
    0 for as fast as it can; a lab of an earlier process is made again from its ``journal``, and goes on at
    ``resumed_at`` (ms). ``passwords`` are the lines of stdin, where passwords are read from it.
    """

    record: RecordOptions
    workers: tuple[str, ...] = ()
    guest_user: str = ""
    key_file: Path | None = None
    agent: bool = True
    speed: float = 0.0
    journal: Sequence[JournalEntry] = field(default_factory=tuple)
    resumed_at: int | None = None
    fio_binary: Path | None = None
    passwords: PasswordLines | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """A scheme of environments: how its addresses begin, an example, what opens one or several of them."""

    prefix: str
    example: str
    open: Callable[[Sequence[str], EnvironmentOptions], Environment]


def open_environment(addresses: Sequence[str], options: EnvironmentOptions) -> Environment:
    """Open what the addresses name: one vCenter, one lab, or guests over ssh together.

    Raises UsageError for addresses that don't fit together, SourceError for what does not answer. The caller
    closes it.
    """
    if not addresses:
        raise UsageError("No environment was named.", advice=f"For instance {PLACES[-1].example}.")
    places = {_place_of(one) for one in addresses}
    if len(places) > 1:
        raise UsageError(
            "These environments can't be used together.",
            advice="Name one vCenter, one lab, or only guests over ssh.",
        )
    return places.pop().open(addresses, options)


def _place_of(address: str) -> Place:
    beginning = address.strip().partition(":")[0].lower()
    found = next((one for one in PLACES if one.prefix.partition(":")[0] == beginning), None)
    if found is None or ":" not in address:
        examples = ", ".join(one.example for one in PLACES)
        raise UsageError(f"{shown(address)} is no environment of tests.", advice=f"For instance {examples}.")
    return found


def _only(addresses: Sequence[str], what: str) -> str:
    if len(addresses) != 1:
        raise UsageError(f"A test runs in one {what}, not in {len(addresses)}.")
    return addresses[0]


def _open_lab(addresses: Sequence[str], options: EnvironmentOptions) -> Environment:
    from workloads.lab import LabEnvironment  # noqa: PLC0415

    return LabEnvironment(
        _only(addresses, "lab"),
        speed=options.speed,
        journal=options.journal,
        resumed_at=options.resumed_at,
    )


def _open_guests(addresses: Sequence[str], options: EnvironmentOptions) -> Environment:
    from app.recording.guest_logins import GuestLogins  # noqa: PLC0415
    from connections.ssh.address import SSH  # noqa: PLC0415
    from workloads.guests.opening import open_guests  # noqa: PLC0415

    parsed = [parse_address(one, (SSH,)) for one in addresses]
    record = options.record
    pins = {address: HOST_KEY.parse(text) for address, text in zip(parsed, record.thumbprints, strict=False)}
    logins = GuestLogins(
        lambda address: password_of(address, record)(),
        key_file=options.key_file,
        agent=options.agent,
        next_password=record.next_password,
    )
    return open_guests(
        parsed,
        logins,
        pins=pins,
        known=record.known.for_proof(HOST_KEY),
        ask=_ask_of_guests(parsed, record),
        options=_guest_options(options),
    )


def _ask_of_guests(addresses: Sequence[Address], record: RecordOptions) -> Ask | None:
    """Return what asks about the host key of each guest by its own address."""
    asked = {(one.host, one.port): ask_of(one, HOST_KEY, record) for one in addresses}
    if None in asked.values():
        return None

    def ask(server: UntrustedServer) -> bool:
        of_guest = asked.get((server.host, server.port))
        return of_guest is not None and of_guest(server)

    return ask


def _open_vcenter(addresses: Sequence[str], options: EnvironmentOptions) -> Environment:
    from workloads.vsphere.environment import Access, VSphereChoice, VSphereEnvironment  # noqa: PLC0415

    record = options.record
    address = parse_address(_only(addresses, "vCenter"), (VCENTER,))
    pin = CERTIFICATE.parse(record.thumbprints[0]) if record.thumbprints else None
    access = Access(
        address,
        password_of(address, record),
        pin,
        record.known.for_proof(CERTIFICATE),
        ask_of(address, CERTIFICATE, record),
    )
    environment = VSphereEnvironment(
        access, VSphereChoice(partial(_is_one_of, options.workers), _through_tools(address, options))
    )
    environment.open()
    return environment


def exactly(names: Sequence[str]) -> tuple[str, ...]:
    """Return names of VMs as globs that match nothing but them: a VM may be called ``*``."""
    return tuple(re.sub(r"[*?[]", r"[\g<0>]", name) for name in names)


def _is_one_of(globs: Sequence[str], name: str) -> bool:
    return any(fnmatchcase(name.casefold(), one.casefold()) for one in globs)


def _through_tools(address: Address, options: EnvironmentOptions) -> GuestAccess | None:
    """Return the way into the VMs' guests, None if nobody said whose account to use."""
    if not options.guest_user:
        return None
    from connections.vsphere.tools.calls import GuestLogin  # noqa: PLC0415
    from workloads.vsphere.guests import GuestAccess, through_tools  # noqa: PLC0415

    password = password_of(guests_address(address, options.guest_user), options.record)
    one_asks = threading.Lock()

    def asked() -> str:
        with one_asks:  # many guests are entered at once, and one question is enough
            return password()

    def login(_vm: ChangedObject) -> GuestLogin:
        return GuestLogin(options.guest_user, asked)

    return GuestAccess(through_tools(login), options=_guest_options(options))


def guests_address(address: Address, user: str) -> Address:
    """Return the address under which the password of a vCenter's guests is asked for and kept."""
    return Address(GUESTS.scheme, user, address.host, address.port)


def guests_source(vcenter: str, user: str) -> str:
    """Return ``guests_address`` of a vCenter's address, as a question names it. Raises UsageError."""
    return str(guests_address(parse_address(vcenter, (VCENTER,)), user))


def _guest_options(options: EnvironmentOptions) -> GuestOptions:
    from workloads.guests.worker import GuestOptions  # noqa: PLC0415

    return GuestOptions(fio_binary=options.fio_binary)


PLACES = (
    Place("vcenter://", "vcenter://admin@vc01.corp", _open_vcenter),
    Place("ssh://", "ssh://root@perf-w01", _open_guests),
    Place("lab:", "lab:default", _open_lab),
)
