"""Addresses of vCenters and ESXi hosts, and of what is reached through them: ``vcenter://user@host[:port]``,
``esxtop://user@host[:port]/HOST``, ``tools://user@host[:port]/VM``.
"""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import unquote

from connections import address
from connections.address import ACCOUNT, Address, AddressForm
from resources.failures import UsageError

VCENTER = AddressForm("vcenter", 443, "vcenter://administrator@vsphere.local@vc01.lab")
ESXI = AddressForm("esxi", 443, "esxi://root@esx01.lab:443")
ESXTOP = AddressForm(
    "esxtop", 443, "esxtop://administrator@vsphere.local@vc01.lab/esx01.lab", takes_path=True
)
"""The esxtop service of hosts, by way of their vCenter, or of the one host itself: the path names them."""
GUESTS = AddressForm(
    "tools", 443, f"tools://root@vc01.lab/app01?{ACCOUNT}=admin@vsphere.local", takes_path=True
)
"""Guests of a vCenter's VMs through VMware Tools: the user is theirs, the path names the VMs.

Without a path it is the account of all its guests, under which their password is kept.
"""


def parse_address(text: str) -> Address:
    """Parse an address ``vcenter://user@host[:port]`` or ``esxi://user@host[:port]``. Raises UsageError."""
    return address.parse_address(text, (VCENTER, ESXI))


def parse_guests_address(text: str) -> Address:
    """Parse an address ``tools://guestuser@vcenter[:port]/VM[,VM…][?as=ACCOUNT]``. Raises UsageError."""
    advice = f"It looks like {GUESTS.example}."
    before, mark, option = text.strip().partition("?")
    name, _, account = option.partition("=")
    if mark and (name.lower() != ACCOUNT or not account.strip() or not unquote(account).isprintable()):
        raise UsageError(
            f"tools:// takes nothing after a question mark but the vCenter's account: ?{ACCOUNT}=ACCOUNT.",
            advice=advice,
        )
    return replace(address.parse_address(before, (GUESTS,)), account=unquote(account))


def guests_of(found: Address) -> Address:
    """Return the address of all guests of a server with this user, under which their password is kept."""
    return replace(found, scheme=GUESTS.scheme, path="", account="")
