"""The time zone of a session's hosts, as far as its sources tell it. No Qt."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sessions.clock import Clock, fixed_clock
from sessions.model import AHEAD_OF_UTC, ZONE, ZONE_NOT_TOLD, Source

_MINUTES = re.compile(r"[+-]?\d{1,3}")
_MOST_MINUTES = 14 * 60
_LONGEST_NAME = 40


def host_clock(sources: Iterable[Source]) -> Clock | None:
    """Return the clock of the hosts; None if no source tells their zone, or not all tell the same.

    The header of an esxtop capture names it: ``(PDH-CSV 4.0) (CET)(-60)``.
    """
    told = {_told(dict(source.spec.attributes)) for source in sources} - {None}
    return told.pop() if len(told) == 1 else None


def _told(attributes: dict[str, str]) -> Clock | None:
    name, ahead = attributes.get(ZONE, ""), attributes.get(AHEAD_OF_UTC, "0")
    if not name or ZONE_NOT_TOLD in name or "," in name or not _MINUTES.fullmatch(ahead):
        return None
    minutes = int(ahead)
    return fixed_clock(minutes, name[:_LONGEST_NAME]) if abs(minutes) <= _MOST_MINUTES else None
