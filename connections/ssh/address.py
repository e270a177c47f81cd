"""The address of a machine that is reached over ssh: ``ssh://user@host[:port]``."""

from __future__ import annotations

from connections import address
from connections.address import Address, AddressForm

SSH = AddressForm("ssh", 22, "ssh://root@esx01.lab")


def parse_address(text: str) -> Address:
    """Parse an address ``ssh://user@host[:port]``. Raises UsageError."""
    return address.parse_address(text, (SSH,))
