"""Measured numbers in the few words that stand beside a check: ``33.8 % of 10 %``, ``×37 of ×2``."""

from __future__ import annotations

from resources.guided_flow import Flow
from resources.units import format_measured
from sessions.troubleshooting import CheckResult

_WORDLESS = ("flag", "state")
_COUNTED = ("count", "/s")


def of_limit_text(value: float, limit: float, unit: str, noun: str = "") -> str:
    """Return a value against its limit; a limit of nothing at all is said as that. ``noun`` is what a number
    without a unit counts.
    """
    noun = noun if unit in _COUNTED else ""
    if not limit:
        what = f" {noun}" if noun else ""
        some = f"{format_measured(value, unit)}{what}; any is one too many"
        return some if value else f"no{what or 'ne'}"
    shown = format_measured(limit, unit, limit)
    return f"{format_measured(value, unit, limit)} of {shown}{f' {noun}' if noun else ''}"


def measured_text(check: CheckResult, flow: Flow) -> str:
    """Return the words beside a check, or why there is no number."""
    if check.verdict == "not found" and check.problem in flow.well:
        return flow.well[check.problem]
    noun = flow.counted.get(check.problem, "")
    line = next((one for one in check.rule if one.limit is not None and one.unit not in _WORDLESS), None)
    if check.verdict == "problem" and line is not None and line.limit is not None:
        return of_limit_text(line.value, line.limit, line.unit, noun)
    number = check.number
    if number is not None:
        if number.unit in _WORDLESS:
            return check.name
        return of_limit_text(number.value, number.limit, number.unit, noun)
    return check.name if check.is_found else check.because.rstrip(".")
