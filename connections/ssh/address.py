"""The addresses of machines that are reached over ssh: ``ssh://user@host[:port]``, ``guest://…``."""

from __future__ import annotations

from connections import address
from connections.address import Address, AddressForm

SSH = AddressForm("ssh", 22, "ssh://root@esx01.lab")
GUEST = AddressForm("guest", 22, "guest://root@app01.lab")
"""A guest whose own counters are recorded."""


def parse_address(text: str) -> Address:
    """Parse an address ``ssh://user@host[:port]``. Raises UsageError."""
    return address.parse_address(text, (SSH,))
