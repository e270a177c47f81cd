"""What a source's address can begin with: a row says how it is read, let in, proven and recorded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from collectors.feed import Collector
from collectors.vsphere.options import VSphereOptions
from connections.address import Address, AddressForm, parse_address
from connections.fingerprints import CERTIFICATE, Proof
from connections.known_hosts import KnownHosts
from connections.strangers import Ask
from connections.vsphere.address import ESXI, VCENTER
from resources.failures import UsageError


@dataclass(frozen=True, slots=True)
class Access:
    """How a collector gets in: its password, and what the server has to show.

    ``pin``: this and nothing else. Without it, what ``known`` remembers and what ``ask`` says of a stranger.
    ``vsphere`` and ``speed`` are what the options say of the one and the other scheme.
    """

    password: Callable[[], str]
    pin: str | None
    known: KnownHosts
    ask: Ask | None
    vsphere: VSphereOptions
    speed: float


@dataclass(frozen=True, slots=True)
class Scheme:
    """A row: ``prefix`` is how addresses begin, ``example`` a whole one.

    ``parse`` reads an address; its text form names the source. ``has_password``: it is found or asked for
    before anything starts. ``proof`` is how servers prove who they are, None where there is no server.
    """

    prefix: str
    example: str
    parse: Callable[[str], Any]
    has_password: bool
    proof: Proof | None
    collector: Callable[[Any, Access], Collector]


def scheme_of(source: str) -> Scheme:
    """The row of a source's address. Raises UsageError."""
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


def _lab_address(text: str) -> object:
    from lab.live import parse_lab_address  # noqa: PLC0415

    return parse_lab_address(text)


def _lab_collector(address: Any, access: Access) -> Collector:
    from lab.live import LabCollector  # noqa: PLC0415

    return LabCollector(address, speed=access.speed)


def _of_server(form: AddressForm, proof: Proof, collector: Callable[[Address, Access], Collector]) -> Scheme:
    parse = partial(parse_address, forms=(form,))
    return Scheme(f"{form.scheme}://", form.example, parse, True, proof, collector)


SCHEMES = (
    _of_server(VCENTER, CERTIFICATE, _vsphere_collector),
    _of_server(ESXI, CERTIFICATE, _vsphere_collector),
    Scheme("lab:", "lab:demo", _lab_address, False, None, _lab_collector),
)
