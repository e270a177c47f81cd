"""Servers that are not trusted yet, as values to show to the user."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class UntrustedServer:
    """A server with an unknown certificate or host key; ``shown`` is its SHA-256 thumbprint or fingerprint.

    ``why`` says why it is not trusted: the error of the system's certificate store, or that it is new.
    """

    host: str
    port: int
    shown: str
    why: str


Ask = Callable[[UntrustedServer], bool]
"""Asks somebody whether what a stranger shows is right; True means: trust it and remember it."""
