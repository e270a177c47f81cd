"""What the connect dialog asks for, as values: places, and profiles that hold no secret."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["vcenter", "esxi"]


@dataclass(frozen=True, slots=True)
class Place:
    """A vCenter or an ESXi host, and who logs in there. ``host`` may have a port: ``vc01.lab:8443``."""

    kind: Kind = "vcenter"
    host: str = ""
    user: str = ""

    @property
    def address(self) -> str:
        """The address in the form that the recorder takes: ``vcenter://user@host``."""
        return f"{self.kind}://{self.user}@{self.host}"


@dataclass(frozen=True, slots=True)
class Profile:
    """A connection that is kept under a name. ``select`` are globs: ``vm:SQL*``; none takes everything."""

    name: str = ""
    places: tuple[Place, ...] = (Place(),)
    preset: str = "troubleshooting"
    select: tuple[str, ...] = ()
    backfill: bool = True

    @property
    def label(self) -> str:
        """What it connects to: ``vc01.lab, esx01.lab``."""
        return ", ".join(place.host for place in self.places)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What somebody chose: the profile, passwords that were typed (by position), and what to keep."""

    profile: Profile
    passwords: Mapping[int, str] = field(default_factory=dict, repr=False)
    keep_passwords: bool = False
    keep_profile: bool = False
