"""Formats numbers with their units; the only place that does.

A value has the same text everywhere: on screen, in the terminal, in HTML. About three digits are shown:
enough to tell two values apart, no more than the source can know. An absent (NaN) or infinite value is ``–``
without unit.
"""

from __future__ import annotations

import math

ABSENT = "–"

UNITS: dict[str, str] = {
    "%": "percent",
    "ms": "milliseconds",
    "µs": "microseconds",
    "s": "seconds",
    "MB": "megabytes of 1024 × 1024 bytes, as esxtop counts them",
    "MB/s": "megabytes of 1024 × 1024 bytes a second",
    "B": "bytes",
    "B/s": "bytes a second",
    "Mbit/s": "million bits a second",
    "MHz": "megahertz",
    "W": "watts",
    "/s": "a second",
    "count": "a number of things",
    "ratio": "a factor: 1 is all of it",
    "shares": "shares",
    "flag": "1 yes, 0 no",
    "state": "a number that names a state",
    "text": "text",
}
"""The units that a counter may have, each with its meaning."""

_Rung = tuple[float, float, str]
"""A step of a ladder of units: the value from which on it is used, how many base units it is, and its
name.
"""

_BYTES: list[_Rung] = [
    (1024.0**power, 1024.0**power, name) for power, name in enumerate(("B", "KB", "MB", "GB", "TB", "PB"))
]
_LADDERS: dict[str, list[_Rung]] = {
    "B": _BYTES,
    "B/s": [(start, size, f"{name}/s") for start, size, name in _BYTES],
    "MB": [(1, 1, "MB"), (1024, 1024, "GB"), (1024**2, 1024**2, "TB"), (1024**3, 1024**3, "PB")],
    "MB/s": [(1, 1, "MB/s"), (1024, 1024, "GB/s"), (1024**2, 1024**2, "TB/s")],
    "Mbit/s": [(1, 1, "Mbit/s"), (1000, 1000, "Gbit/s"), (1000**2, 1000**2, "Tbit/s")],
    "MHz": [(1, 1, "MHz"), (1000, 1000, "GHz")],
    # A fast disk's 0.32 ms is what an admin compares with 10 ms; only a fraction of it reads better as µs.
    "ms": [(0, 0.001, "µs"), (0.1, 1, "ms"), (1000, 1000, "s")],
    "µs": [(0, 1, "µs"), (100, 1000, "ms"), (1000**2, 1000**2, "s")],
}
_CHANGES_IN = {"%": "points", "flag": "", "state": "", "ratio": ""}
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_THINGS = frozenset({"count", "shares", "state", "flag"})
_CLOCK_NAMES = frozenset({"d", "h", "min", "s"})
_BARE = frozenset({"ratio", "text", ""}) | _THINGS
UNIT_NAMES = {*UNITS, *_CLOCK_NAMES, *(name for rungs in _LADDERS.values() for _, _, name in rungs)} - _BARE
"""All units that this module may write after a number."""
_YES_NO = {0.0: "no", 1.0: "yes"}
_PARTS_UP_TO = 1.5
"""A ratio whose limit is at most so much is a part of a whole."""
_HUNDRED_DAYS = 100 * 86_400
_NEARLY = 0.9995
"""A value this close below a step of a ladder would round up to it, so it is shown in the larger unit."""
_ROUNDED = 1e-9  # of a number, which is what it may be off by after some arithmetic


def format_value(value: float, unit: str) -> str:
    """Return ``value`` with a counter's ``unit`` as an admin reads it: ``5.20 GB``, ``12.5 %``, ``0.32 ms``.

    A unit that is not in UNITS (a raw counter's) is written after the number as it is; "" gives the number
    alone.
    """
    if not math.isfinite(value):
        return ABSENT
    if unit in _LADDERS:
        return _climbed(value, unit)
    if unit == "s":
        return format_duration(value)
    if unit == "flag" and value in _YES_NO:
        return _YES_NO[value]
    number = _number(value)
    return number if unit in _BARE else f"{number} {unit}"


def format_measured(value: float, unit: str, limit: float | None = None) -> str:
    """Return a measured number as it stands beside its ``limit``: a ratio in percent where the limit is a
    part of a whole, ``97 %``, else as so many times, ``×37.1``; any other as ``format_value`` does.
    """
    if unit != "ratio":
        return format_value(value, unit)
    if limit is not None and abs(limit) <= _PARTS_UP_TO:
        return format_value(value * 100, "%")
    return f"×{format_value(value, 'ratio')}"


def format_change(change: float, unit: str) -> str:
    """Return by how much a value changed, with its sign: ``+1.20 GB``; percentages change by points, so that
    nobody takes it for a part of what it was: ``+3.10 points``.
    """
    return _signed(format_value(round(change, 6), _CHANGES_IN.get(unit, unit)))  # 1.9 − 1 is 0.8999…


def format_changes(low: float, high: float, unit: str) -> str:
    """Return the ends of a change's interval: ``−33.0 … −30.5 points``, ``240 MB … 1.20 GB``."""
    ends = [round(one, 6) for one in (low, high)]
    if unit == "%":
        bare = [_signed(format_value(one, "")) for one in ends]
        return f"{bare[0]} … {bare[1]} {_CHANGES_IN[unit]}"
    return " … ".join(_signed(format_value(one, unit)) for one in ends)


def _signed(text: str) -> str:
    return text if text.startswith(("−", "≈", "0", ABSENT)) and not text.startswith("0.") else f"+{text}"


def format_bytes(size: float) -> str:
    """Return a number of bytes in a unit that reads well (powers of 1024): ``712 B``, ``1.4 MB``,
    ``300 MB``.
    """
    return format_value(size, "B")


def format_rate(per_second: float, thing: str = "") -> str:
    """Return a rate: ``269 MB/s`` for things ``B``, ``1,234 rows/s`` for ``rows``, ``12.5 /s`` without a
    name.
    """
    return format_value(per_second, f"{thing}/s")


def format_count(count: float) -> str:
    """Return a count with all digits before the decimal point: ``7,631``; a mean of counts: ``31.7``."""
    return format_value(count, "count")


def format_duration(seconds: float) -> str:
    """Return a duration in at most two units: ``85 ms``, ``5 s``, ``1 min 10 s``, ``2 h 5 min``, ``3
    d 4 h``.
    """
    if not math.isfinite(seconds):
        return ABSENT
    if seconds < 0:
        return f"−{format_duration(-seconds)}"
    if seconds == 0 or seconds >= 9.95:
        return _clock(seconds)
    if seconds < _NEARLY:
        return _climbed(seconds * 1000, "ms")
    return f"{seconds:.1f} s".replace(".0 s", " s")


def _clock(seconds: float) -> str:
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return _two_parts(whole, 60, "min", "s")
    minutes = round(seconds / 60)
    if minutes < 24 * 60:
        return _two_parts(minutes, 60, "h", "min")
    if seconds < _HUNDRED_DAYS:
        return _two_parts(round(seconds / 3600), 24, "d", "h")
    return f"{_number(round(seconds / 86_400))} d"


def _two_parts(steps: int, per_big: int, big_name: str, small_name: str) -> str:
    big, small = divmod(steps, per_big)
    return f"{big:,} {big_name} {small} {small_name}" if small else f"{big:,} {big_name}"


def readable_unit(value: float, unit: str) -> tuple[float, str]:
    """Return the larger or smaller unit in which ``value`` reads best: its size in ``unit``, and its name."""
    rungs = _LADDERS.get(unit)
    if rungs is None or value == 0 or not math.isfinite(value):
        return 1.0, unit
    _, size, name = rungs[0]
    for start, larger, larger_name in rungs[1:]:
        if abs(value) >= start * _NEARLY:
            size, name = larger, larger_name
    return size, name


def _climbed(value: float, unit: str) -> str:
    """Return ``value`` in the unit of its ladder in which it reads best."""
    if value == 0:
        return f"0 {unit}"
    size, name = readable_unit(value, unit)
    return f"{_number(value / size)} {name}"


def _number(number: float) -> str:
    """Return about three digits, but all digits before the decimal point: 0.05, 0.32, 5.31, 12.5,
    123, 7,631.
    """
    size = abs(number)
    if size < 0.0005:
        return "0" if number == 0 else "≈0"
    if size >= 1e15:
        digits, _, power = f"{number:.2e}".partition("e+")
        return f"{digits}×10{power.translate(_RAISED)}".replace("-", "−")
    if abs(number - round(number)) <= size * _ROUNDED:  # six counted as 0.009 a second is not 6.00
        return f"{number:,.0f}".replace("-", "−")
    decimals = sum(size < limit for limit in (0.00995, 9.995, 99.95))
    return f"{number:,.{decimals}f}".replace("-", "−")
