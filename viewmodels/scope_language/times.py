"""Times as people type them: 02:50, 02:40–02:55, 2026-11-21 02:40, -15m, last 1h, whole session."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone

from sessions.times import TimeRange
from viewmodels.scope_language.misunderstanding import UnclearError
from viewmodels.time_labels import Clock

_DAY_MS = 86_400_000
_MAX_DAYS = 200
_LONGEST_MS = 100 * 366 * _DAY_MS
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_FIRST_DAY, _LAST_DAY = date(1, 1, 3), date(9999, 12, 29)
"""Days of which those before and after are dates in every zone, too."""
_UNITS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": _DAY_MS}
_UNIT = r"(?:ms|s(?:ec(?:onds?)?)?|m(?:in(?:utes?)?)?|h(?:ours?)?|d(?:ays?)?)"
_LENGTH = rf"(?:\d{{1,9}}(?:\.\d{{1,9}})?\s?{_UNIT}\s?)*\d{{1,9}}(?:\.\d{{1,9}})?\s?{_UNIT}"
_DATE = (
    r"(?:(?P<{0}date>\d{{4}}-\d\d-\d\d)|(?P<{0}day>\d{{1,2}})\ (?P<{0}month>{1})(?:\ (?P<{0}year>\d{{4}}))?)"
)
_TIME = (
    r"(?:{0}(?P<{1}sep>[T\ ]))?(?P<{1}hour>\d{{1,2}}):(?P<{1}minute>\d\d)"
    r"(?::(?P<{1}second>\d\d)(?:[.](?P<{1}part>\d{{1,3}}))?)?"
    r"(?P<{1}zone>Z|\ UTC|\ ?[+−]\d{{1,2}}(?::?\d\d)?"
    r"|(?:(?<=T\d\d:\d\d)|(?<=T\d\d:\d\d:\d\d)|(?<=[.]\d\d\d))-\d\d:\d\d)?"
)
_END = r"(?=\s|,|$)"


def _time(name: str) -> str:
    return _TIME.format(_DATE.format(name, "|".join(_MONTHS)), name)


_RANGE = re.compile(rf"{_time('a')}\s*(?:–|—|−|-|\bto\b|\.\.)\s*{_time('b')}{_END}", re.IGNORECASE)
_MOMENT = re.compile(rf"{_time('a')}{_END}", re.IGNORECASE)
_WHOLE_DAY = re.compile(_DATE.format("a", "|".join(_MONTHS)) + _END, re.IGNORECASE)
_NEWEST = re.compile(
    rf"(?:[-−]\s?(?P<back>{_LENGTH})|(?:the\s)?last\s(?P<last>{_LENGTH}|{_UNIT})){_END}", re.IGNORECASE
)
_WHOLE = re.compile(rf"(?:the\s)?whole\s+(?:session|time){_END}", re.IGNORECASE)
_TERM = re.compile(rf"(\d+(?:\.\d+)?)\s?({_UNIT})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Times:
    """What a text says about time: a ``window`` (None: the whole session), or the ``moment`` to pin (ms).

    ``follow``: the window is the newest part of the session. ``length`` is the length of the matched text.
    """

    length: int
    window: TimeRange | None = None
    moment: int | None = None
    follow: bool = False


@dataclass(frozen=True, slots=True)
class When:
    """Where a time without a date is looked for: in ``span``, nearest to the window ``present``."""

    span: TimeRange
    present: TimeRange
    clock: Clock


def time_at(text: str, when: When | None) -> Times | None:
    """Return the time that ``text`` begins with, None if it begins with none.

    Raises UnclearError for a time that does not exist or that the session does not have.
    """
    if match := _WHOLE.match(text):
        return Times(match.end())
    for pattern, meaning in (
        (_RANGE, _range), (_MOMENT, _moment), (_WHOLE_DAY, _whole_day), (_NEWEST, _newest),
    ):  # fmt: skip
        match = pattern.match(text)
        if match is not None:
            if when is None:
                raise UnclearError("This session has no samples yet, so it has no times.")
            return meaning(match, when)
    return None


def length_text(length_ms: int) -> str:
    """Return a length as it is typed: ``15m``, ``1h30m``, ``1.5s``."""
    parts: list[str] = []
    for unit, size in (("d", _DAY_MS), ("h", 3_600_000), ("m", 60_000)):
        count, length_ms = divmod(length_ms, size)
        parts += [f"{count}{unit}"] if count else []
    if length_ms or not parts:
        parts.append(f"{length_ms / 1000:g}s" if length_ms % 1000 == 0 else f"{length_ms}ms")
    return "".join(parts)


def _newest(match: re.Match[str], when: When) -> Times:
    text = match["back"] or match["last"]
    terms = _TERM.findall(text) or [("1", text)]
    length = round(sum(float(count) * _UNITS[_unit(unit)] for count, unit in terms))
    if length <= 0:
        raise UnclearError("A length of no time shows nothing: type -15m for the last 15 minutes.")
    if length > _LONGEST_MS:
        raise UnclearError(f"“{match[0]}” is longer than any session. Type whole session.")
    return Times(match.end(), TimeRange(when.span.end - length, when.span.end), follow=True)


def _unit(text: str) -> str:
    return "ms" if text.casefold() == "ms" else text[0].casefold()


def _moment(match: re.Match[str], when: When) -> Times:
    found = [one for one in _instants(match, "a", when) if when.span.contains(one)]
    if not found:
        raise UnclearError(_not_in_session(match[0], when))
    return Times(match.end(), moment=min(found, key=lambda one: _distance(one, when.present)))


def _range(match: re.Match[str], when: When) -> Times:
    starts = list(_instants(match, "a", when))
    pairs = [(start, _end_after(start, match, when)) for start in starts]
    if pairs and all(end is None for _, end in pairs):
        raise UnclearError(f"“{match[0]}” ends before it begins. Put the earlier time first.")
    windows = [TimeRange(start, end) for start, end in pairs if end is not None]
    inside = [one for one in windows if one.intersect(when.span) is not None]
    if not inside:
        raise UnclearError(_not_in_session(match[0], when))
    nearest = min(inside, key=lambda one: (_distance(one.start, when.present), one.start))
    return Times(match.end(), nearest)


def _end_after(start: int, match: re.Match[str], when: When) -> int | None:
    """Return the end of a range: on the same day, after midnight, or on the day that is named."""
    if match["bdate"] or match["bday"]:
        return next((end for end in _instants(match, "b", when) if end > start), None)
    day, last = when.clock(start).date(), when.clock(when.span.end).date()
    days = [day, day + timedelta(days=1)] if day < last else [day]
    return next((end for one in days if (end := _instant(match, "b", one, when.clock)) > start), None)


def _whole_day(match: re.Match[str], when: When) -> Times:
    windows = [
        TimeRange(start, when.clock.instant(_midnight(day + timedelta(days=1))) - 1)
        for day in _days(match, "a", when)
        for start in (when.clock.instant(_midnight(day)),)
    ]
    inside = [one for one in windows if one.intersect(when.span) is not None]
    if not inside:
        raise UnclearError(_not_in_session(match[0], when))
    return Times(match.end(), min(inside, key=lambda one: _distance(one.start, when.present)))


def _instants(match: re.Match[str], name: str, when: When) -> Iterator[int]:
    return (_instant(match, name, day, when.clock) for day in _days(match, name, when))


def _instant(match: re.Match[str], name: str, day: date, clock: Clock) -> int:
    part = (match[f"{name}part"] or "0").ljust(3, "0")
    try:
        own = datetime(
            day.year, day.month, day.day, int(match[f"{name}hour"]), int(match[f"{name}minute"]),
            int(match[f"{name}second"] or 0), int(part) * 1000, tzinfo=_zone(match[f"{name}zone"]),
        )  # fmt: skip
    except ValueError:
        raise UnclearError(f"“{match[0]}” is no time of day: hours go to 23, minutes to 59.") from None
    return clock.instant(own)


def _zone(text: str | None) -> timezone | None:
    if not text:
        return None
    text = text.strip()
    if text.upper() in {"Z", "UTC"}:
        return UTC
    hours, _, minutes = text[1:].partition(":")
    if len(hours) == 4:
        hours, minutes = hours[:2], hours[2:]
    ahead = timedelta(hours=int(hours), minutes=int(minutes or 0))
    if ahead >= timedelta(days=1):
        raise ValueError(text)
    return timezone(-ahead if text[0] in "-−" else ahead)


def _days(match: re.Match[str], name: str, when: When) -> Iterator[date]:
    """Yield the day that is named, else all days of the session near the present window."""
    try:
        if match[f"{name}date"]:
            yield _bounded(date.fromisoformat(match[f"{name}date"]))
            return
        if match[f"{name}day"]:
            month = _MONTHS.index(match[f"{name}month"].casefold()) + 1
            years = {when.clock(one).year for one in (when.span.start, when.span.end)}
            if match[f"{name}year"]:
                years = {int(match[f"{name}year"])}
            for year in sorted(years):
                yield _bounded(date(year, month, int(match[f"{name}day"])))
            return
    except ValueError:
        raise UnclearError(f"“{match[0]}” is no date of the calendar.") from None
    middle = when.clock((when.present.start + when.present.end) // 2).date()
    first, last = (_bounded(when.clock(one).date()) for one in (when.span.start, when.span.end))
    for more in range(-_MAX_DAYS, _MAX_DAYS + 1):
        try:
            day = middle + timedelta(days=more)
        except OverflowError:
            continue
        if first - timedelta(days=1) <= day <= last:
            yield day


def _bounded(day: date) -> date:
    """Return the day, or the first or last one that can be reckoned with: no session is of those beyond."""
    return min(max(day, _FIRST_DAY), _LAST_DAY)


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day)


def _distance(at: int, window: TimeRange) -> tuple[int, int]:
    """Return how far an instant is from the window, then from its middle."""
    outside = max(window.start - at, at - window.end, 0)
    return outside, abs(at - (window.start + window.end) // 2)


def _not_in_session(text: str, when: When) -> str:
    return f"{text} is not in this session: it holds {when.clock.window(when.span)}."
