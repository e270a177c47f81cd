"""Durations as users type them: ``70s``, ``10m``, ``2h``, ``7d``, ``1h30m``."""

from __future__ import annotations

import re

from resources.failures import UsageError

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_PART = re.compile(r"(\d+(?:\.\d+)?)([smhd])")
_WHOLE = re.compile(rf"(?:{_PART.pattern})+")


def parse_duration(text: str, what: str) -> float:
    """Return the seconds of a duration; a bare number is seconds.

    Raises UsageError that names the option ``what``.
    """
    lowered = text.strip().lower()
    if re.fullmatch(r"\d+(?:\.\d+)?", lowered):
        return float(lowered)
    if not _WHOLE.fullmatch(lowered):
        raise UsageError(f"{what}: “{text}” is no duration.", advice="Write it as 70s, 10m, 2h, 7d or 1h30m.")
    return sum(float(number) * _SECONDS[unit] for number, unit in _PART.findall(lowered))
