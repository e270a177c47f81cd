"""The text of the event that a line becomes: groups of its form filled in, codes and durations in words."""

from __future__ import annotations

import hashlib
import re
from datetime import UTC, datetime

from collectors.logs.folding import Burst
from resources.foreign_text import shown
from resources.scsi_codes import ScsiCodes
from resources.units import format_count, format_duration
from sessions.model import Event

_HOLE = re.compile(r"\{(?P<name>\w+)(?::(?P<form>\w+))?\}")
_LONGEST = 300


class EventWriter:
    """Turns bursts into events."""

    def __init__(self, codes: ScsiCodes) -> None:
        self._codes = codes

    def event(self, burst: Burst, host_key: str, host_name: str = "") -> Event:
        """Return the event of a burst of the host with this key; its log is called after ``host_name``, too,
        unless that is empty.

        The id is the same whenever the same lines are read, so that logs may be added twice.
        """
        end = burst.ends
        if burst.count > 1 or burst.form.lasted:
            end = max(burst.last, burst.ends or burst.last)
        log = f"{host_name}: {burst.log}" if host_name else burst.log
        text, number = self._text(burst), _id(burst, host_key)
        return Event(burst.at, burst.form.kind, text, burst.entity, end, number, log=log)

    def _text(self, burst: Burst) -> str:
        text = _HOLE.sub(lambda hole: self._filled(burst, hole), burst.form.text).rstrip(" :")
        more = ""
        if burst.count > 1:
            until = datetime.fromtimestamp(burst.last / 1000, UTC)
            day = "" if burst.last // 86_400_000 == burst.at // 86_400_000 else f"{until:%Y-%m-%d} "
            more = f" ({format_count(burst.count - 1)} more until {day}{until:%H:%M:%S} UTC)"
        text = shown(text, _LONGEST - len(more))
        text = text[:1].upper() + text[1:] if burst.form.text.startswith("{command") else text
        return text.removesuffix(".") + more

    def _filled(self, burst: Burst, hole: re.Match[str]) -> str:
        groups = burst.groups
        if hole["name"] == "scsi":
            return self._codes.status(groups)
        value = groups.get(hole["name"], "")
        if hole["name"] == "datastore":
            value = value or groups.get("volume", "")
        if hole["form"] == "us":
            return format_duration(int(value) / 1e6)
        return self._codes.command(value) if hole["form"] == "command" else value


def _id(burst: Burst, host_key: str) -> str:
    said = (host_key, burst.at, burst.form.means, burst.identity)
    return f"log:{hashlib.blake2b(repr(said).encode('utf-8', 'replace'), digest_size=12).hexdigest()}"
