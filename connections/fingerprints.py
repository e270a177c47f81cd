"""How servers identify themselves: certificates by thumbprint (TLS), host keys by fingerprint (SSH)."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass

from resources.failures import UsageError


def parse_thumbprint(text: str) -> str:
    """Parse a certificate's SHA-256 thumbprint, with or without colons; return it as ``AA:BB:…``.

    Raises UsageError.
    """
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
    """Return the SHA-256 thumbprint of a DER certificate, as ``AA:BB:…``."""
    return _with_colons(hashlib.sha256(certificate).hexdigest())


def _with_colons(digits: str) -> str:
    digits = digits.upper()
    return ":".join(digits[i : i + 2] for i in range(0, len(digits), 2))


def parse_key_fingerprint(text: str) -> str:
    """Parse the SHA-256 fingerprint of an SSH host key as OpenSSH writes it: ``SHA256:…``. Raises UsageError.

    The key type may precede it, ``ssh-ed25519 SHA256:…``: then the machine is asked for its key of that type.
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
    """Return type and SHA-256 fingerprint of a public SSH host key, given in its wire format."""
    digest = base64.b64encode(hashlib.sha256(key).digest()).decode("ascii").rstrip("=")
    return f"{key_type} SHA256:{digest}"


def key_type_of(fingerprint: str) -> str:
    """Return ``ssh-ed25519`` for ``ssh-ed25519 SHA256:…``; empty if the fingerprint names no type."""
    return fingerprint.rpartition(" ")[0]


def same_key(one: str, other: str) -> bool:
    """Return True if two fingerprints are of the same key, whether or not they name its type."""
    return one.rpartition(" ")[2] == other.rpartition(" ")[2]


@dataclass(frozen=True, slots=True)
class Proof:
    """One way in which servers identify themselves.

    ``thing`` is what a server presents (a certificate, a host key), ``digest`` what users compare (a
    thumbprint). In the file of known hosts ``prefix`` precedes host and port; ``parse`` reads the digest that
    follows them.
    """

    thing: str
    digest: str
    prefix: str
    parse: Callable[[str], str]


CERTIFICATE = Proof("certificate", "SHA-256 thumbprint", "", parse_thumbprint)
HOST_KEY = Proof("host key", "SHA-256 fingerprint", "ssh://", parse_key_fingerprint)
