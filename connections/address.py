"""Addresses as users type them: ``scheme://user@host[:port][/path]``, never with a password."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import quote, unquote

from resources.failures import UsageError

ACCOUNT = "as"
"""The option of an address that names the server's own account: ``?as=administrator@vsphere.local``."""

_NAME = re.compile(r"[\w.-]+")
_PLAIN = "@\\ !$&'()*+,;=~"
_PARTS = re.compile(
    r"(?P<scheme>[^:/@]*):(?://(?:(?P<user>.*)@)?(?P<host>[^/?]*)(?P<path>/[^?]*)?|(?P<name>[^?]*))"
    r"(?:\?(?P<options>.*))?",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class AddressForm:
    """The form of addresses of one scheme. ``port`` is the default; ``example`` is a complete address."""

    scheme: str
    port: int
    example: str
    takes_path: bool = False


@dataclass(frozen=True, slots=True)
class Address:
    r"""A server and the user who logs in there. ``host`` is without brackets, as the user typed it.

    ``user`` is the name in the form that the server expects: ``administrator@vsphere.local``,
    ``DOMAIN\user``, ``root``. ``path`` is the part of the server that is meant, without the slash; empty in
    schemes without a path. ``account`` is who logs in to the server itself, where ``user`` is one of the
    guests of its VMs and the address names that account; empty otherwise.
    """

    scheme: str
    user: str
    host: str
    port: int = 443
    path: str = ""
    usual_port: int = field(default=443, compare=False, repr=False)
    account: str = ""

    @property
    def place(self) -> str:
        """Host and port for messages; the default port is left out."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == self.usual_port else f"{host}:{self.port}"

    def __str__(self) -> str:
        path = f"/{quote(self.path, safe=_PLAIN)}" if self.path else ""
        account = f"?{ACCOUNT}={quote(self.account, safe=_PLAIN)}" if self.account else ""
        return f"{self.scheme}://{quote(self.user, safe=_PLAIN)}@{self.place}{path}{account}"


@dataclass(frozen=True, slots=True)
class AddressParts:
    """The parts of an address before they are checked.

    ``host`` includes the port; it is None in addresses without slashes, such as ``lab:demo``, whose name is
    in ``path``. ``user`` is None without an ``@``. ``options`` are the ``key=value`` pairs after a question
    mark, None without a question mark; an option without ``=`` has an empty value.
    """

    scheme: str
    user: str | None
    host: str | None
    path: str
    options: Mapping[str, str] | None


def split_address(text: str) -> AddressParts | None:
    """Split ``text`` into its parts; None if it has no scheme.

    The user is everything before the last ``@``.
    """
    match = _PARTS.fullmatch(text.strip())
    if not match:
        return None
    options = None
    if match["options"] is not None:
        pairs = (pair.partition("=") for pair in match["options"].split("&"))
        options = {unquote(name): unquote(value) for name, _, value in pairs}
    path = match["path"].removeprefix("/") if match["path"] else match["name"] or ""
    return AddressParts(match["scheme"].lower(), match["user"], match["host"], path, options)


def parse_address(text: str, forms: Sequence[AddressForm]) -> Address:
    """Parse an address in one of the given ``forms``. The user is percent-decoded.

    Raises UsageError; its text never contains what may be a password.
    """
    _refuse_password(text.strip())
    parts = split_address(text)
    form = next((form for form in forms if parts is not None and form.scheme == parts.scheme), None)
    if form is None or parts is None or parts.host is None:
        raise UsageError(
            f"The address does not begin with {_either(forms)}.",
            advice=f"It looks like {' or '.join(form.example for form in forms)}.",
        )
    advice = f"It looks like {form.example}."
    if not parts.user:
        raise UsageError(f"{form.scheme}:// needs a user before the host.", advice=advice)
    if parts.options is not None or (parts.path and not form.takes_path):
        raise UsageError(f"{form.scheme}:// takes nothing after host and port.", advice=advice)
    host, port = _host_and_port(parts.host, form)
    return Address(form.scheme, _user(parts.user, advice), host, port, unquote(parts.path), form.port)


def _refuse_password(text: str) -> None:
    before = text.rpartition("@")[0]
    if ":" in (before.partition("://")[2] or before.partition("://")[0]):
        raise UsageError(
            "The address has a password in it.",
            meaning="A command line is there for everyone on this machine to see, and stays in its history.",
            advice="Leave it out: you are asked for it, or give it with --password-stdin. Better change it.",
        )


def _either(forms: Sequence[AddressForm]) -> str:
    return " or ".join(f"{form.scheme}://" for form in forms)


def _user(text: str, advice: str) -> str:
    user = unquote(text)
    if not user.isprintable() or not user.strip():
        raise UsageError("The address's user has signs in it that no user name has.", advice=advice)
    return user


def _host_and_port(text: str, form: AddressForm) -> tuple[str, int]:
    advice = f"It looks like {form.example}."
    match = re.fullmatch(r"(?:\[([^\]]*)\]|([^:/?#\[\]]*))(?::(\d{1,5}))?", text)
    if not match:
        raise UsageError(
            f"“{text}” is not a host name with or without a port.",
            meaning="An IPv6 address stands in brackets: [fd00::10]." if text.count(":") > 1 else "",
            advice=advice,
        )
    six, name, port = match.groups()
    return _ipv6(six, advice) if six is not None else _name(name, advice), _port(port, form)


def _ipv6(text: str, advice: str) -> str:
    try:
        return str(ipaddress.IPv6Address(text))
    except ValueError as error:
        raise UsageError(f"“{text}” is not an IPv6 address.", advice=advice) from error


def _name(text: str, advice: str) -> str:
    if not _NAME.fullmatch(text):
        raise UsageError(f"“{text}” is not a host name.", advice=advice)
    return text


def _port(text: str | None, form: AddressForm) -> int:
    port = form.port if text is None else int(text)
    if not 1 <= port <= 65535:
        raise UsageError(f"There is no port {port}.", meaning="Ports go from 1 to 65535.")
    return port
