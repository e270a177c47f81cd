"""The address of a vCenter or ESXi host as people type it: ``vcenter://user@host``, without a password."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from typing import Literal, cast
from urllib.parse import quote, unquote

from resources.failures import UsageError

Kind = Literal["vcenter", "esxi"]

DEFAULT_PORT = 443
_KINDS = ("vcenter", "esxi")
_EXAMPLE = "It looks like vcenter://administrator@vsphere.local@vc01.lab or esxi://root@esx01.lab:443."
_NAME = re.compile(r"[\w.-]+")


@dataclass(frozen=True, slots=True)
class Address:
    """Which vCenter or ESXi host, and who logs in there. ``host`` is without brackets, as it was given.

    ``user`` is what the server wants to hear: ``administrator@vsphere.local``, ``DOMAIN\\user``, ``root``.
    """

    kind: Kind
    user: str
    host: str
    port: int = DEFAULT_PORT

    @property
    def place(self) -> str:
        """Host and port as sentences name them: the port is left out where it is the usual one."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == DEFAULT_PORT else f"{host}:{self.port}"

    def __str__(self) -> str:
        return f"{self.kind}://{quote(self.user, safe=_PLAIN)}@{self.place}"


_PLAIN = "@\\ !$&'()*+,;=~"


def parse_address(text: str) -> Address:
    """The address that ``text`` spells. Everything before the last ``@`` is the user, percent-decoded.

    Raises UsageError, whose words never contain what may be a password.
    """
    text = text.strip()
    kind, _, rest = text.partition("://")
    user, at, where = rest.rpartition("@")
    if ":" in (text.rpartition("@")[0].partition("://")[2] or text.partition("://")[0]):
        raise UsageError(
            "The address has a password in it.",
            meaning="A command line is there for everyone on this machine to see, and stays in its history.",
            advice="Leave it out: you are asked for it, or give it with --password-stdin. Better change it.",
        )
    if kind.lower() not in _KINDS:
        raise UsageError("The address begins neither with vcenter:// nor with esxi://.", advice=_EXAMPLE)
    if not at or not user:
        raise UsageError(f"{kind}:// needs a user before the host.", advice=_EXAMPLE)
    host, port = _host_and_port(where)
    return Address(cast("Kind", kind.lower()), _user(user), host, port)


def _user(text: str) -> str:
    user = unquote(text)
    if not user.isprintable() or not user.strip():
        raise UsageError("The address's user has signs in it that no user name has.", advice=_EXAMPLE)
    return user


def _host_and_port(where: str) -> tuple[str, int]:
    match = re.fullmatch(r"(?:\[([^\]]*)\]|([^:/?#\[\]]*))(?::(\d{1,5}))?/?", where)
    if not match:
        raise UsageError(
            f"“{where}” is not a host name with or without a port.",
            meaning="An IPv6 address stands in brackets: [fd00::10]." if where.count(":") > 1 else "",
            advice=_EXAMPLE,
        )
    six, name, port = match.groups()
    return (_six(six) if six is not None else _name(name)), _port(port)


def _six(text: str) -> str:
    try:
        return str(ipaddress.IPv6Address(text))
    except ValueError as error:
        raise UsageError(f"“{text}” is not an IPv6 address.", advice=_EXAMPLE) from error


def _name(text: str) -> str:
    if not _NAME.fullmatch(text):
        raise UsageError(f"“{text}” is not a host name.", advice=_EXAMPLE)
    return text


def _port(text: str | None) -> int:
    port = DEFAULT_PORT if text is None else int(text)
    if not 1 <= port <= 65535:
        raise UsageError(f"There is no port {port}.", meaning="Ports go from 1 to 65535.")
    return port
