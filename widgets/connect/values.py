"""The values of the connect dialog: servers, and profiles, which hold no secret."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["vcenter", "esxi"]


@dataclass(frozen=True, slots=True)
class Place:
    """A vCenter or an ESXi host, and the user who logs in. ``host`` may have a port: ``vc01.lab:8443``."""

    kind: Kind = "vcenter"
    host: str = ""
    user: str = ""

    @property
    def address(self) -> str:
        """The address for the recorder: ``vcenter://user@host``."""
        return f"{self.kind}://{self.user}@{self.host}"


@dataclass(frozen=True, slots=True)
class Profile:
    """A named connection. ``select`` are globs of what to record (``vm:SQL*``); empty records everything."""

    name: str = ""
    places: tuple[Place, ...] = (Place(),)
    preset: str = "troubleshooting"
    select: tuple[str, ...] = ()
    backfill: bool = True

    @property
    def label(self) -> str:
        """The servers of the profile as text: ``vc01.lab, esx01.lab``."""
        return ", ".join(place.host for place in self.places)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the user chose: the profile, the typed passwords (by position of their server), and what
    to keep.
    """

    profile: Profile
    passwords: Mapping[int, str] = field(default_factory=dict, repr=False)
    keep_passwords: bool = False
    keep_profile: bool = False
