"""Addresses of vCenters and ESXi hosts: ``vcenter://user@host[:port]``, ``esxtop://user@host[:port]/HOST``."""

from __future__ import annotations

from connections import address
from connections.address import Address, AddressForm

VCENTER = AddressForm("vcenter", 443, "vcenter://administrator@vsphere.local@vc01.lab")
ESXI = AddressForm("esxi", 443, "esxi://root@esx01.lab:443")
ESXTOP = AddressForm(
    "esxtop", 443, "esxtop://administrator@vsphere.local@vc01.lab/esx01.lab", takes_path=True
)
"""The esxtop service of hosts, by way of their vCenter, or of the one host itself: the path names them."""
GUESTS = AddressForm("tools", 443, "tools://root@vc01.lab")
"""The account of the guests of a vCenter's VMs, through VMware Tools: for passwords only."""


def parse_address(text: str) -> Address:
    """Parse an address ``vcenter://user@host[:port]`` or ``esxi://user@host[:port]``. Raises UsageError."""
    return address.parse_address(text, (VCENTER, ESXI))
