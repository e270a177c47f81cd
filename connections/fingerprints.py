"""How servers prove who they are: certificates by thumbprint (TLS), host keys by fingerprint (SSH)."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass

from resources.failures import UsageError


def parse_thumbprint(text: str) -> str:
    """A certificate's SHA-256 thumbprint with or without colons, as ``AA:BB:…``. Raises UsageError."""
    digits = re.sub(r"(?i)^sha-?256( fingerprint)?[:=]", "", text.strip()).replace(":", "").replace(" ", "")
    if re.fullmatch(r"[0-9a-fA-F]{64}", digits):
        return _with_colons(digits)
    old = re.fullmatch(r"[0-9a-fA-F]{40}", digits)
    raise UsageError(
        "That is a SHA-1 thumbprint." if old else "That is no SHA-256 thumbprint of a certificate.",
        meaning="SHA-1 can be forged; it takes SHA-256." if old else "One has 64 hexadecimal digits.",
        advice="To see it: openssl s_client -connect HOST:443 </dev/null | "
        "openssl x509 -noout -fingerprint -sha256",
    )


def thumbprint_of(certificate: bytes) -> str:
    """The SHA-256 thumbprint of a certificate (DER), in capitals with colons."""
    return _with_colons(hashlib.sha256(certificate).hexdigest())


def _with_colons(digits: str) -> str:
    digits = digits.upper()
    return ":".join(digits[i : i + 2] for i in range(0, len(digits), 2))


def parse_key_fingerprint(text: str) -> str:
    """An SSH host key's SHA-256 fingerprint as OpenSSH writes it, ``SHA256:…``. Raises UsageError."""
    match = re.fullmatch(r"SHA256:([A-Za-z0-9+/]{43})=?", text.strip())
    if match:
        return f"SHA256:{match[1]}"
    raise UsageError(
        "That is no SHA-256 fingerprint of an SSH host key.",
        meaning="One begins with SHA256: and has 43 more signs.",
        advice="To see it, on the host: ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub "
        "(ESXi: /etc/ssh/ssh_host_rsa_key.pub).",
    )


def key_fingerprint_of(key: bytes) -> str:
    """The SHA-256 fingerprint of a public SSH host key (its wire form), as OpenSSH writes it."""
    return "SHA256:" + base64.b64encode(hashlib.sha256(key).digest()).decode("ascii").rstrip("=")


@dataclass(frozen=True, slots=True)
class Proof:
    """One way in which servers prove who they are.

    ``thing`` is what a server shows, ``digest`` what people compare. In the file of known hosts ``prefix``
    stands before host and port, and what ``parse`` reads after them.
    """

    thing: str
    digest: str
    prefix: str
    parse: Callable[[str], str]


CERTIFICATE = Proof("certificate", "SHA-256 thumbprint", "", parse_thumbprint)
HOST_KEY = Proof("host key", "SHA-256 fingerprint", "ssh://", parse_key_fingerprint)
