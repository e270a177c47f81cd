"""The clock that times are shown and typed in: a time zone with its names, and the texts of times in it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from resources.failures import UsageError
from sessions.times import TimeRange

LOCAL, UTC_ZONE, HOST = "local", "utc", "host"
"""Zones besides those of the IANA database: this computer's, UTC, and that of the session's hosts."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_FIRST_MS, _LAST_MS = -62_135_337_600_000, 253_402_041_600_000
"""2 January of year 1 and 30 December 9999: between them a time has a date in every zone."""
_ABBREVIATION = re.compile(r"[A-Za-z]{2,5}")
_LONGEST_CHANGE_MS = 3 * 3_600_000
_RARELY_MS = 20 * 86_400_000
"""No zone changes its clocks twice within so many ms."""
_MOST_STEPS = 400
_SECONDS_BELOW_S = 600
_MS = timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True)
class Clock:
    """A time zone in which times (ms since 1970) are shown and typed; calling it gives a datetime.

    ``zone`` None is this computer's zone, whatever the system says at the moment. ``name`` is what the user
    calls the zone (``Europe/Berlin``). An instant whose time of day comes twice, because clocks are set back,
    is shown with its distance from UTC: ``02:30:00 +2``.
    """

    zone: tzinfo | None = None
    name: str = ""

    def __call__(self, t_ms: float) -> datetime:
        """Return the instant as a datetime of this zone; instants beyond the calendar give its first or last
        day.
        """
        return _datetime(round(t_ms), self.zone)

    def offset_ms(self, t_ms: float) -> int:
        """Return how far this clock is ahead of UTC at an instant."""
        return round((self(t_ms).utcoffset() or timedelta()) / _MS)

    def is_repeated(self, t_ms: float) -> bool:
        """Return True if another instant has the same date and time of day, an hour earlier or later."""
        here = self.offset_ms(t_ms)
        others = (self.offset_ms(t_ms - _LONGEST_CHANGE_MS), self.offset_ms(t_ms + _LONGEST_CHANGE_MS))
        return any(other != here and self.offset_ms(t_ms + here - other) == other for other in others)

    def changes(self, start: float, end: float) -> list[int]:
        """Return the instants in (start, end] from which on clocks show another distance from UTC."""
        found: list[int] = []
        before, last = _bounded(round(start)), _bounded(round(end))
        step = max(_RARELY_MS, (last - before) // _MOST_STEPS)
        while before < last:
            after = min(before + step, last)
            if self.offset_ms(before) != self.offset_ms(after):
                found.append(self._change_between(before, after))
            before = after
        return found

    def _change_between(self, before: int, after: int) -> int:
        old = self.offset_ms(before)
        while after - before > 1:
            middle = (before + after) // 2
            before, after = (middle, after) if self.offset_ms(middle) == old else (before, middle)
        return after

    def instant(self, when: datetime) -> int:
        """Return the instant (ms) of a date and time; one without a zone is of this clock.

        Of two instants with that time of day it is the first; a time that is left out when clocks are set
        forward is counted on from the hour before.
        """
        if when.tzinfo is None:
            when = when.astimezone() if self.zone is None else when.replace(tzinfo=self.zone)
        return (when - _EPOCH) // _MS

    def days_later(self, t_ms: int, days: int) -> int:
        """Return the instant (ms) at which the clock shows the same time of day so many days later."""
        when = self(t_ms)
        return self.instant((when + timedelta(days=days)).replace(tzinfo=None, fold=when.fold))

    def parse(self, text: str) -> int:
        """Parse an ISO 8601 time to ms since 1970; without a zone of its own it is of this clock.

        Raises UsageError for any other text.
        """
        try:
            return self.instant(datetime.fromisoformat(text))
        except (ValueError, OverflowError) as error:
            zone = self.zone_name(0) if self.zone is UTC else self.name or "this computer's zone"
            raise UsageError(
                f"{text!r} is not a time.",
                advice=f"Write it as 2026-11-21T14:21:35 ({zone}), or with a zone: 2026-11-21T14:21:35Z.",
            ) from error

    def zone_name(self, t_ms: float) -> str:
        """Return what the zone is called at an instant: ``CET``, ``UTC``; ``UTC+5:30`` if it has no name."""
        when = self(t_ms)
        name = when.tzname() or ""
        return name if _ABBREVIATION.fullmatch(name) else _utc_plus(when)

    def zone_of(self, window: TimeRange | None) -> str:
        """Return the zone's name in a window, both names if it changes: ``CEST, then CET``."""
        if window is None:
            return self.zone_name(datetime.now(UTC).timestamp() * 1000)
        names = [self.zone_name(t) for t in (window.start, *self.changes(window.start, window.end))]
        first, *others = dict.fromkeys(names)
        return ", then ".join([first, *others[:1]])

    def time(self, t_ms: float, *, seconds: bool = True) -> str:
        """Return the time of day without its zone, for lists that tell the zone once: ``02:43:20``."""
        when = self(t_ms)
        text = f"{when:%H:%M:%S}" if seconds else f"{when:%H:%M}"
        return f"{text} {_offset_hours(when)}" if self.is_repeated(t_ms) else text

    def day(self, t_ms: float) -> str:
        """Return the date as on an axis: ``21 Nov``."""
        when = self(t_ms)
        return f"{when.day} {_MONTHS[when.month - 1]}"

    def day_time(self, t_ms: float, *, seconds: bool = True) -> str:
        """Return date and time of day without the zone: ``21 Nov 02:43:20``."""
        return f"{self.day(t_ms)} {self.time(t_ms, seconds=seconds)}"

    def moment(self, t_ms: float) -> str:
        """Return the time of day with its zone, for a time that stands alone: ``02:43:20 CET``."""
        return f"{self.time(t_ms)} {self.zone_name(t_ms)}"

    def stamp(self, t_ms: float) -> str:
        """Return date, time of day and zone, for what leaves the window: ``2026-11-21 02:43:20 CET``."""
        return f"{self(t_ms).date().isoformat()} {self.moment(t_ms)}"

    def iso(self, t_ms: float) -> str:
        """Return ISO 8601 with the distance from UTC: ``2026-11-21T15:21:35+01:00``, with Z for UTC."""
        when = self(t_ms)
        text = when.isoformat(timespec="milliseconds" if when.microsecond else "seconds")
        return text.removesuffix("+00:00") + "Z" if self.zone is UTC else text

    def window(self, window: TimeRange, *, zone: bool = True) -> str:
        """Return a window as text: ``21 Nov 14:05 – 14:35 CET``; the end gets a day, too, if it is another
        one.
        """
        seconds = window.seconds < _SECONDS_BELOW_S
        end = self.time if self(window.start).date() == self(window.end).date() else self.day_time
        text = f"{self.day_time(window.start, seconds=seconds)} – {end(window.end, seconds=seconds)}"
        return f"{text} {self.zone_of(window)}" if zone else text

    def about(self) -> str:
        """Return the zone in full as it is now, for a tooltip: ``Europe/Berlin, CET (UTC+1)``."""
        now = datetime.now(UTC).timestamp() * 1000
        short, plus = self.zone_name(now), _utc_plus(self(now))
        words = [self.name, short if short != self.name else ""]
        text = ", ".join(word for word in words if word)
        return text if plus in {short, "UTC"} else f"{text} ({plus})"


UTC_CLOCK = Clock(UTC, "UTC")


def clock_named(setting: str, host: Clock | None = None) -> Clock:
    """Return the clock for ``local``, ``utc``, ``host`` (``host``; UTC where that is None) or an IANA zone.

    Raises UsageError for any other name.
    """
    if setting == LOCAL:
        return Clock(None, "")
    if setting.casefold() == UTC_ZONE:
        return UTC_CLOCK
    if setting == HOST:
        return host or UTC_CLOCK
    name = _zones().get(setting.casefold())
    if name is None:
        near = [zone for zone in zone_names() if setting.casefold() in zone.casefold()][:3]
        meant = f"Do you mean {', '.join(near)}?" if near and setting else ""
        advice = meant or "Write local, utc, host or a zone like Europe/Berlin."
        raise UsageError(f"{setting!r} is no time zone.", advice=advice)
    return Clock(ZoneInfo(name), name)


def is_zone(setting: str) -> bool:
    """Return True if ``clock_named`` knows the setting."""
    return setting in {LOCAL, UTC_ZONE, HOST} or setting.casefold() in _zones()


def zone_names() -> tuple[str, ...]:
    """Return the names of the IANA zones that a person may mean, in order: ``Africa/Abidjan`` …"""
    return tuple(sorted(name for name in _zones().values() if "/" in name and not name.startswith("Etc/")))


@cache
def _zones() -> Mapping[str, str]:
    return {name.casefold(): name for name in available_timezones()}


def fixed_clock(minutes: int, name: str) -> Clock:
    """Return the clock of a zone that is always ``minutes`` ahead of UTC, as a capture's header tells it."""
    if not minutes and name in {"", "UTC", "GMT"}:
        return UTC_CLOCK
    ahead = timedelta(minutes=minutes)
    return Clock(timezone(ahead, name) if name else timezone(ahead), name)


def _bounded(t_ms: int) -> int:
    return min(max(t_ms, _FIRST_MS), _LAST_MS)


def _datetime(t_ms: int, zone: tzinfo | None) -> datetime:
    when = _EPOCH + timedelta(milliseconds=_bounded(t_ms))
    try:
        return when.astimezone(zone)
    except (OSError, OverflowError, ValueError):  # Windows knows its local time from 1970 to 3000 only
        return when


def _utc_plus(when: datetime) -> str:
    hours = _offset_hours(when)
    return "UTC" if hours == "+0" else f"UTC{hours}"


def _offset_hours(when: datetime) -> str:
    """Return ``+1``, ``−5`` with a minus sign, ``+5:30``."""
    minutes = round((when.utcoffset() or timedelta()).total_seconds() / 60)
    hours, rest = divmod(abs(minutes), 60)
    return f"{'−' if minutes < 0 else '+'}{hours}{f':{rest:02}' if rest else ''}"
