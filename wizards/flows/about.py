"""What a guided test is to be about, when it is begun from a finding."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class About:
    """An object: its kind as entities have it, and its name (of a device ``naa.…``)."""

    kind: str
    name: str
