"""Replaces what is an id or an address by its form: of networks, devices, UUIDs; each in the same form."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Mapping

from sessions.anonymous.pseudonyms import Pseudonyms

NO_PATH = r"\s/\\\"'<>|,;()\[\]{}"
"""What ends a part of a path, in a set of characters of a regular expression."""
_HEX = "[0-9a-fA-F]"
ID_FORMS: tuple[tuple[str, str], ...] = (
    ("wwn", rf"(?<![\w:])(?:{_HEX}{{2}}:){{7}}{_HEX}{{2}}(?!\w|:\w)"),
    ("wwn", rf"(?<![\w-])(?:{_HEX}{{2}}-){{7}}{_HEX}{{2}}(?!\w|-\w)"),
    ("mac", rf"(?<![\w:-])(?:{_HEX}{{2}}[:-]){{5}}{_HEX}{{2}}(?!\w|[:-]\w)"),
    ("ipv6", rf"(?<![\w:.])(?:{_HEX}{{0,4}}:){{2,7}}(?:{_HEX}{{1,4}}|(?<=::)|[\d.]{{7,15}})(?!\w|:\w)"),
    ("ipv4", r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w]|\.\d)"),
    ("device", rf"(?<![\w])(?i:naa|eui)[.:]{_HEX}{{8,}}|(?<![\w])vml\.{_HEX}+|(?<![\w])t10\.[^{NO_PATH}:]+"),
    ("fibre", rf"(?<![\w])fc\.{_HEX}{{16}}:{_HEX}{{16}}"),
    ("iqn", r"(?<![\w])(?i:iqn|nqn)\.[\w.:-]+"),
    ("uuid", rf"(?<![\w-]){_HEX}{{8}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{12}}(?![\w])"),
    ("uuid", rf"(?<![\w-]){_HEX}{{8}}-{_HEX}{{8}}(?:-{_HEX}{{4}}-{_HEX}{{12}})?(?![\w])"),
    ("uuid", rf"(?<!\w)(?:{_HEX}{{2}} ){{7}}{_HEX}{{2}}[- ](?:{_HEX}{{2}} ){{7}}{_HEX}{{2}}(?!\w)"),
    ("hex", rf"(?<![A-Za-z0-9])0[xX]{_HEX}{{12,}}(?![A-Za-z0-9])"),
    ("hex", rf"(?<![A-Za-z0-9])(?={_HEX}*[a-fA-F])(?={_HEX}*\d){_HEX}{{12,}}(?![A-Za-z0-9])"),
    ("hex", r"(?<![A-Za-z0-9.])\d{16}(?![A-Za-z0-9])"),
)
_DOCUMENTED_V4 = ("192.0.2", "198.51.100", "203.0.113")
_EACH_V4 = 254
_PAD = "a"
"""Before the number of a replacement: with zeros it could be the id of a simulated device."""
_PARTS_OF_PATHS = frozenset({"device", "uuid", "hex"})


def is_id(text: str) -> bool:
    """Return True for a text that is nothing but an id."""
    return any(re.fullmatch(form, text) for _, form in ID_FORMS)


class Ids:
    """Replaces ids; ``by_form`` has what replaces an id of each form of ID_FORMS."""

    def __init__(self, pseudonyms: Pseudonyms) -> None:
        self._pseudonyms = pseudonyms
        self.by_form: Mapping[str, Callable[[str], str]] = {
            "iqn": self._iqn,
            "wwn": self._wwn,
            "fibre": self._fibre,
            "mac": self._mac,
            "ipv6": self._ipv6,
            "ipv4": self._ipv4,
            "device": self._device,
            "uuid": self._uuid,
            "hex": self._hex,
        }

    def of_part(self, part: str) -> str:
        """Return a part of a path that is nothing but an id, replaced; itself if it is none."""
        for name, form in ID_FORMS:
            if name in _PARTS_OF_PATHS and re.fullmatch(form, part):
                return self.by_form[name](part)
        return part

    def _iqn(self, text: str) -> str:
        kind = text[:3].lower()
        return self._pseudonyms.made(kind, text.lower(), lambda number: f"{kind}.1970-01.example:{number}")

    def _wwn(self, text: str) -> str:
        mark = text[2]
        digits = self._digits("wwn", text.replace(mark, ""), 16)
        return mark.join(digits[at : at + 2] for at in range(0, 16, 2))

    def _fibre(self, text: str) -> str:
        node, _, port = text.removeprefix("fc.").partition(":")
        return f"fc.{self._digits('wwn', node, 16)}:{self._digits('wwn', port, 16)}"

    def _mac(self, text: str) -> str:
        mark = text[2]
        plain = text.replace(mark, "").lower()
        made = self._pseudonyms.made("mac", plain, lambda number: f"00005e{0x5300 + number:06x}")
        return mark.join(made[at : at + 2] for at in range(0, 12, 2))

    def _ipv6(self, text: str) -> str:
        try:
            address = ipaddress.IPv6Address(text)
        except ValueError:
            return text  # a time of day, or anything else with colons
        if address.is_loopback or address.is_unspecified:
            return text
        return self._pseudonyms.made("ipv6", address.exploded, lambda number: f"2001:db8::{number:x}")

    def _ipv4(self, text: str) -> str:
        try:
            address = ipaddress.IPv4Address(text)
        except ValueError:
            return text
        if address.is_loopback or address.is_unspecified:
            return text
        return self._pseudonyms.made("ipv4", text, _documented_v4)

    def _device(self, text: str) -> str:
        kind, mark, own = text[:3], text[3], text[4:]
        if kind == "t10":
            return self._pseudonyms.made("t10", own.lower(), lambda number: f"t10.disk-{number}")
        # The first digit says how it is made, six more who made it (IEEE): the maker, not the owner.
        kept = own[:7] if kind.lower() == "naa" and len(own) >= 16 else ""
        return f"{kind}{mark}{kept}{self._digits('device', own, len(own) - len(kept))}"

    def _uuid(self, text: str) -> str:
        plain = re.sub(r"[- ]", "", text)
        digits = iter(self._digits("uuid", plain, len(plain)))
        return "".join(next(digits) if one not in "- " else one for one in text)

    def _hex(self, text: str) -> str:
        if text[:2] in ("0x", "0X"):  # as Linux and arrays write a WWN
            return f"{text[:2]}{self._digits('wwn', text[2:], len(text) - 2)}"
        return self._digits("uuid", text, len(text))

    def _digits(self, what: str, original: str, length: int) -> str:
        """Return as many digits of base 16, the same for the same original however it is written."""
        number = self._pseudonyms.made(what, original.lower(), lambda number: f"{number:08x}")
        return number[-length:].rjust(length, _PAD)


def _documented_v4(number: int) -> str:
    """Return an address that documentation may use (RFC 5737); beyond these, of the range that none has."""
    block, own = divmod(number - 1, _EACH_V4)
    if block < len(_DOCUMENTED_V4):
        return f"{_DOCUMENTED_V4[block]}.{own + 1}"
    return str(ipaddress.IPv4Address(0xF000_0000 + number))
