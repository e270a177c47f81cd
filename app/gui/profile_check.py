"""Which kinds of sources can be recorded, and what is wrong with a profile before anything connects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.recording.schemes import SCHEMES, Scheme, scheme_of
from collectors.vsphere.selection import parse_selection
from connections.address import Address, parse_address
from connections.ssh.address import SSH
from connections.vsphere.address import GUESTS, VCENTER, guests_of, parse_guests_address
from resources.failures import HyperscopeError
from resources.source_kinds import SourceKind, load_source_kinds
from widgets.connect import Place, Profile, Trouble

_NAMELESS = "An address is missing: the name or the IP address of {}."
_WHOSE = {
    "vcenter": "a vCenter",
    "esxi": "an ESXi host",
    "esxtop": "the vCenter, or of the host itself",
    "ssh": "an ESXi host",
    "guest": "a guest",
    "tools": "the vCenter of the guests' VMs",
}


def kinds_offered(*, adds: bool = False) -> Sequence[SourceKind]:
    """Return the kinds that this program records; to a running recording the lab, whose time is its own,
    can't be added.
    """
    known = {scheme.prefix.partition(":")[0] for scheme in SCHEMES}
    return [kind for kind in load_source_kinds() if kind.id in known and not (adds and kind.id == "lab")]


def trouble_of(profile: Profile) -> Trouble | None:
    """Return what is wrong with a profile, in one sentence; None if nothing is."""
    names: list[str] = []
    for number, place in enumerate(profile.places):
        trouble = _trouble_of_place(number, place)
        if trouble is not None:
            return trouble
        name = str(parsed(place.address))
        if name in names:
            return Trouble(f"{name} is there twice.", number, "path" if place.path else "host")
        names.append(name)
    lab = next((number for number, place in enumerate(profile.places) if place.kind == "lab"), None)
    if lab is not None and len(profile.places) > 1:
        return Trouble("The lab has a time of its own: it is recorded alone.", lab)
    try:
        parse_selection(profile.select)
    except HyperscopeError as error:
        return Trouble(str(error), None, "select")
    return None


def parsed(source: str) -> object:
    """Return the address of a source as its scheme reads it. Raises UsageError, NotFoundError."""
    return scheme_of(source).parse(source)


def address_of(source: str) -> Address:
    """Return the address of a question: a server's, a guest's, or that of all guests of a vCenter.

    Raises UsageError.
    """
    scheme = _scheme(source)
    if source.startswith(f"{GUESTS.scheme}:"):
        return guests_of(parse_guests_address(source))
    found = scheme.parse(source) if scheme is not None else None
    return found if isinstance(found, Address) else parse_address(source, (SSH,))


def refused_login(source: str, message: str) -> str:
    """Return the address whose password was refused: guests through VMware Tools have two logins, and a
    vCenter that refuses its own names the account. Raises UsageError.
    """
    if not source.startswith(f"{GUESTS.scheme}:"):
        return source
    guests = parse_guests_address(source)
    if not guests.account or f" let {guests.account} in" not in message:
        return source
    return str(replace(guests, scheme=VCENTER.scheme, user=guests.account, path="", account=""))


def login_of(address: Address) -> tuple[bool, str, str, int]:
    """Return a user at a server; one of the guests behind it is another one than its own of that name."""
    return address.scheme == GUESTS.scheme, address.user, address.host.lower(), address.port


def _scheme(source: str) -> Scheme | None:
    beginning = source.partition(":")[0]
    return next((one for one in SCHEMES if one.prefix == f"{beginning}://"), None)


def _trouble_of_place(number: int, place: Place) -> Trouble | None:
    if place.kind == "lab":
        return None if place.path else Trouble("Choose a scenario of the lab.", number)
    if not place.host:
        return Trouble(_NAMELESS.format(_WHOSE[place.kind]), number)
    if place.kind == "tools" and not place.path:
        return Trouble("Name the VMs whose guests are recorded.", number, "path")
    try:
        parsed(place.address)
    except HyperscopeError as error:
        return Trouble(str(error), number, "host" if _is_refused(replace(place, user="root")) else "user")
    return None


def _is_refused(place: Place) -> bool:
    try:
        parsed(place.address)
    except HyperscopeError:
        return True
    return False
