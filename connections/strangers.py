"""Servers that nobody vouches for yet, and who is asked about them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Stranger:
    """A server that shows ``shown``: its certificate's thumbprint or its key's fingerprint (SHA-256).

    ``why`` says what is the matter: what the system's store found wrong, or that it was never seen before.
    """

    host: str
    port: int
    shown: str
    why: str


Ask = Callable[[Stranger], bool]
"""Asks somebody whether what a stranger shows is right; True means: trust it and remember it."""
