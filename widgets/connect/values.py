"""The values of the connect dialog: sources, and profiles, which hold no secret."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import quote

from resources.source_kinds import SourceKindId

Kind = SourceKindId
Field = Literal["host", "user", "path", "select"]

USERS: Mapping[Kind, str] = {
    "vcenter": "administrator@vsphere.local",
    "esxi": "root",
    "esxtop": "administrator@vsphere.local",
    "ssh": "root",
    "guest": "root",
    "tools": "root",
}
"""Who logs in if no user is typed."""


@dataclass(frozen=True, slots=True)
class Place:
    """A source: a server and the user who logs in. ``host`` may have a port: ``vc01.lab:8443``.

    ``path`` is what of it is recorded: the hosts of an esxtop service (``esx01.lab,esx02.lab``), VMs by
    VMware Tools, the lab's scenario. Where ``user`` is of guests, ``account`` logs in to the server itself.
    """

    kind: Kind = "vcenter"
    host: str = ""
    user: str = ""
    path: str = ""
    account: str = ""

    @property
    def address(self) -> str:
        """The address for the recorder: ``vcenter://user@host``, ``lab:demo``."""
        if self.kind == "lab":
            return f"lab:{self.path}"
        if self.kind == "tools":  # VMs have any names
            account = f"?as={quote(self.account)}" if self.account else ""
            return f"tools://{quote(self.user)}@{self.host}/{quote(self.path)}{account}"
        path = f"/{self.path}" if self.path else ""
        return f"{self.kind}://{self.user}@{self.host}{path}"

    @property
    def label(self) -> str:
        """What is recorded, as text: the hosts of an esxtop service, else the server."""
        return f"Lab {self.path}" if self.kind == "lab" else self.path or self.host


@dataclass(frozen=True, slots=True)
class Profile:
    """A named connection. ``select`` are globs of what to record (``vm:SQL*``); empty records everything.

    ``interval_s``: between two samples of sources that are asked at a pace of ours, None for the usual.
    """

    name: str = ""
    places: tuple[Place, ...] = (Place(),)
    preset: str = "troubleshooting"
    select: tuple[str, ...] = ()
    backfill: bool = True
    interval_s: float | None = None

    @property
    def label(self) -> str:
        """The sources of the profile as text: ``vc01.lab, esx01.lab``."""
        return ", ".join(dict.fromkeys(place.label for place in self.places))


@dataclass(frozen=True, slots=True)
class Trouble:
    """What is wrong with a profile, in a sentence: in which field, of which of its places (None: of none)."""

    sentence: str
    place: int | None = None
    field: Field = "host"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the user chose: the profile, the typed passwords (by position of their server), and what
    to keep.
    """

    profile: Profile
    passwords: Mapping[int, str] = field(default_factory=dict, repr=False)
    keep_passwords: bool = False
    keep_profile: bool = False
