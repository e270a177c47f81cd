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
    """An SSH host key's SHA-256 fingerprint as OpenSSH writes it, ``SHA256:…``. Raises UsageError.

    Its type may stand before, ``ssh-ed25519 SHA256:…``, and says which of its keys a machine is asked for.
    """
    match = re.fullmatch(r"((?:ssh|ecdsa)-[a-z0-9-]+ )?SHA256:([A-Za-z0-9+/]{43})=?", text.strip())
    if match:
        return f"{match[1] or ''}SHA256:{match[2]}"
    raise UsageError(
        "That is no SHA-256 fingerprint of an SSH host key.",
        meaning="One begins with SHA256: and has 43 more signs.",
        advice="To see it, on the machine: ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub "
        "(ESXi: /etc/ssh/ssh_host_rsa_key.pub).",
    )


def key_fingerprint_of(key_type: str, key: bytes) -> str:
    """Type and SHA-256 fingerprint of a public SSH host key, which is in its wire form."""
    digest = base64.b64encode(hashlib.sha256(key).digest()).decode("ascii").rstrip("=")
    return f"{key_type} SHA256:{digest}"


def key_type_of(fingerprint: str) -> str:
    """``ssh-ed25519`` of ``ssh-ed25519 SHA256:…``; empty where the type was not told."""
    return fingerprint.rpartition(" ")[0]


def same_key(one: str, other: str) -> bool:
    """True if two fingerprints are of one key, whether or not they tell its type."""
    return one.rpartition(" ")[2] == other.rpartition(" ")[2]


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
