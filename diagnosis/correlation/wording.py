"""Says in words why an entity is in the ranking: "rose 4 s before, 3.1× its normal, same LUN"."""

from __future__ import annotations

import math
from collections.abc import Callable

from diagnosis.correlation.incidents import Incident
from diagnosis.correlation.patterns import Pattern
from diagnosis.correlation.ranking import Group, Part, Ranked
from resources.correlation_roles import CounterRole
from resources.units import format_change, format_duration, format_value
from sessions.clock import Clock

PART_WORDS: dict[Part, str] = {
    "culprit": "makes the load",
    "shared": "where it meets",
    "victim": "feels it, too",
    "neighbour": "neighbour",
    "itself": "the same",
    "own load": "its own load",
    "elsewhere": "elsewhere",
    "moved": "moved",
}
SLOW_ITSELF = "is slow itself"
PLACE_UNKNOWN = "moved, place not known"
_DAY_S = 86_400
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_ROLE_WORDS: dict[CounterRole, str] = {
    "load": "makes load",
    "effect": "waits or loses",
    "mirror": "moved",
    "other": "moved",
}


def part_words(group: Group) -> str:
    """Return an entity's part in words: "makes the load", "feels it, too". A host is where VMs meet, whatever
    waits there: a LUN or an uplink may be slow itself.
    """
    if group.part == "shared" and group.lead.role == "effect" and group.entity.kind != "host":
        return SLOW_ITSELF
    if group.part == "elsewhere" and group.lead.shared.is_unknown:
        return PLACE_UNKNOWN
    return _ROLE_WORDS[group.lead.role] if group.part == "moved" else PART_WORDS[group.part]


def because(one: Ranked) -> str:
    """Return why a series is there, as words separated by commas."""
    words = ["came at that time: it was not here before"] if one.move.came else []
    words += [movement(one), size(one)]
    words.append(one.shared.words)
    if one.role == "load" and one.is_worse and 0 < one.share < 0.95:
        words.append(f"{100 * one.share:.0f} % of what the busiest adds")
    return ", ".join(word for word in words if word)


def movement(one: Ranked) -> str:
    """Return when it rose or fell relative to the reference, as far as the interval tells."""
    move = one.move
    rises = move.change > 0 if math.isfinite(move.change) and move.change != 0 else move.correlation > 0
    verb = "rose" if rises else "fell"
    if math.isnan(move.correlation):
        return verb
    clock = ""
    if one.ahead_s:
        side = "ahead" if one.ahead_s > 0 else "behind"
        clock = f" (its host's clock is {format_duration(abs(one.ahead_s))} {side})"
    if abs(one.lag_s) < move.step_s / 2:
        return f"{verb} at the same time (±{format_duration(move.step_s)}){clock}"
    side = "before" if one.lag_s < 0 else "after"
    if move.is_at_edge:  # nobody looked further: it may have been earlier, or later, still
        return f"{verb} {format_duration(abs(one.lag_s))} {side} or more{clock}"
    return f"{verb} {format_duration(abs(one.lag_s))} {side} (±{format_duration(move.step_s)}){clock}"


def size(one: Ranked) -> str:
    """Return how much it changed: a factor of its normal, or from what to what."""
    before, during = one.move.before, one.move.during
    unit = one.series.spec.unit
    if not (math.isfinite(before) and math.isfinite(during)):
        return f"correlation {one.move.correlation:.2f}"
    if before > 0 and during > 0 and 1.05 < (ratio := during / before) < 1000:
        return f"{_factor(ratio)} its normal ({format_value(before, unit)} → {format_value(during, unit)})"
    change = f" ({format_change(during - before, unit)})" if unit == "%" and before > 0 else ""
    return f"{format_value(before, unit)} → {format_value(during, unit)}{change}"


def _factor(ratio: float) -> str:
    return f"{ratio:.1f}×" if ratio < 10 else f"{ratio:.0f}×"


def others(group: Group, label: Callable[[str], str] = str) -> str:
    """Return how many more series of the entity moved, with the first few, as ``label`` names them."""
    if not group.others:
        return ""
    keys = list(dict.fromkeys(label(one.series.counter) for one in group.others))
    named = [key for key in keys if key != label(group.lead.series.counter)][:3]
    count = len(group.others)
    return f"+ {count:,} more" + (
        f": {', '.join(named)}{', …' if count > len(named) else ''}" if named else ""
    )


def pattern_words(pattern: Pattern, clock: Clock) -> str:
    """Return a pattern as ``every 5 min for 20 s, since 02:10 (12 of 13 times)``, or as people say it of a
    day or a week: ``every Sunday at 02:00 for 4 h, since 6 Sep (5 times)``.
    """
    seen = (
        f"{pattern.bursts} of {pattern.expected} times"
        if pattern.bursts < pattern.expected
        else f"{pattern.bursts} times"
    )
    begin, day = clock.time(pattern.since, seconds=False), clock.day(pattern.since)
    if _of_calendar(pattern, clock):
        since = day
    else:
        since = begin if day == clock.day(pattern.until) else f"{day} {begin}"
    return f"{rhythm_words(pattern, clock)}, since {since} ({seen})"


def rhythm_words(pattern: Pattern, clock: Clock) -> str:
    """Return how often a pattern comes and for how long: ``every day at 02:00 for 4 h``."""
    name, length = _of_calendar(pattern, clock), format_duration(pattern.length_s)
    if name:
        return f"every {name} at {clock.time(pattern.since, seconds=False)} for {length}"
    return f"every {format_duration(pattern.period_s)} for {length}"


def _of_calendar(pattern: Pattern, clock: Clock) -> str:
    """What people call the period: a day, or a day of the week; empty for any other."""
    words = {_DAY_S: "day", 7 * _DAY_S: _WEEKDAYS[clock(pattern.since).weekday()]}
    return next((word for period, word in words.items() if _is_near(pattern.period_s, period)), "")


def _is_near(period_s: float, calendar_s: float) -> bool:
    return abs(period_s - calendar_s) < 0.01 * calendar_s


def incident_words(one: Incident) -> str:
    """Return an event with its lead: ``3 min before: limit set …``."""
    side = "before" if one.lead_s > 0 else "after it began"
    when = "as it began" if abs(one.lead_s) < 1 else f"{format_duration(abs(one.lead_s))} {side}"
    by = f", by {one.by}" if one.by else ""
    return f"{when}: {one.text}{by}"
