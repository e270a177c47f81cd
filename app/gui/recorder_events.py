"""What the recorder says on stdout, as values. Anything that is missing or wrong has a harmless default."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec


class SourceReport(msgspec.Struct, frozen=True):
    """How a source is doing; see collectors.feed.Health."""

    name: str = ""
    kind: str = ""
    state: str = ""
    interval_s: float | None = None
    entities: int = 0
    series: int = 0
    expected: int = 0
    received: int = 0
    behind_s: float = 0.0
    gaps: int = 0
    last_ms: int | None = None
    message: str = ""
    source: int = 0


class CollectorReport(msgspec.Struct, frozen=True):
    """How a connection is doing: its address, whether it has ended, and of what."""

    name: str = ""
    is_over: bool = False
    code: int = 0
    message: str = ""


class Started(msgspec.Struct, frozen=True):
    """The recording has begun, into ``session``."""

    session: str = ""
    sources: tuple[str, ...] = ()
    resumed: bool = False


class Status(msgspec.Struct, frozen=True):
    """How the recording is doing, about once a second."""

    session: str = ""
    sources: tuple[SourceReport, ...] = ()
    collectors: tuple[CollectorReport, ...] = ()
    seconds: float = 0.0
    rate: float = 0.0
    behind_s: float = 0.0
    samples: int = 0
    gaps: int = 0
    paused: bool = False


class Warned(msgspec.Struct, frozen=True):
    """Something that does not end the recording; ``source`` is None where it concerns none."""

    source: str | None = None
    state: str | None = None
    message: str = ""


class Rotated(msgspec.Struct, frozen=True):
    """The recording goes on in another file."""

    session: str = ""


class PasswordWanted(msgspec.Struct, frozen=True):
    """A source's password is asked for."""

    source: str = ""


class CertificateWanted(msgspec.Struct, frozen=True):
    """Nobody vouches for a source's certificate: is it the right one?"""

    source: str = ""
    sha256: str = ""
    why: str = ""


class Finishing(msgspec.Struct, frozen=True):
    """It was stopped and is being put in order."""


class Detached(msgspec.Struct, frozen=True):
    """It goes on alone."""


class Ended(msgspec.Struct, frozen=True):
    """The last word. ``session`` is None where nothing was recorded; ``code`` 0 is a good end."""

    code: int = 0
    session: str | None = None
    samples: int = 0
    seconds: float = 0.0
    message: str = ""


Event = (
    Started | Status | Warned | Rotated | PasswordWanted | CertificateWanted | Finishing | Detached | Ended
)

_EVENTS: Mapping[str, type[Event]] = {
    "started": Started,
    "status": Status,
    "warning": Warned,
    "rotated": Rotated,
    "password": PasswordWanted,
    "certificate": CertificateWanted,
    "finishing": Finishing,
    "detached": Detached,
    "ended": Ended,
}


def read_event(said: Mapping[str, Any]) -> Event | None:
    """The event of a JSON object; None for one that is unknown or makes no sense."""
    kind = _EVENTS.get(str(said.get("event")))
    if kind is None:
        return None
    try:
        return msgspec.convert(said, kind)
    except msgspec.ValidationError:
        return None
