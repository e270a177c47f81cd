"""Measured numbers in the few words that stand beside a check: ``33.8 % of 10 %``, ``×37 of ×2``."""

from __future__ import annotations

from resources.guided_flow import Flow
from resources.units import format_count, format_duration, format_measured
from sessions.troubleshooting import CheckResult
from sessions.verdicts import CheckNumber

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
    """Return the words beside a check, or why there is no number.

    Where a row is told by another check than that of its own question, they name that check.
    """
    text = _numbers(check, flow)
    own = next((row.problems[0] for row in flow.rows if row.id == check.row), check.problem)
    return text if own == check.problem or not check.is_found else f"{text}: {check.title}"


def passed_text(check: CheckResult) -> str:
    """Return why a number past its limit is no problem, as the end of a sentence: ", for 40 s", ", peak";
    empty where it is one, or is not past its limit.
    """
    number = check.number
    if check.verdict != "not found" or number is None or not _is_past(number):
        return ""
    if 0 < number.passed_samples < number.hold_samples:
        return f", in {format_count(number.passed_samples)} of {format_count(number.hold_samples)} samples"
    if not number.passed_s:
        return ", peak"
    held = f", for {format_duration(number.passed_s)}"
    return held if number.passed_s < number.hold_s else f"{held}, without the rest of its rule"


def _is_past(number: CheckNumber) -> bool:
    if number.is_below:
        return number.value < number.limit
    return number.value > number.limit


def _numbers(check: CheckResult, flow: Flow) -> str:
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
        return of_limit_text(number.value, number.limit, number.unit, noun) + passed_text(check)
    return check.name if check.is_found else check.because.rstrip(".")
