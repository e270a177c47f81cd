"""How a guest is recorded: the seconds between its samples."""

from __future__ import annotations

from dataclasses import dataclass

from resources.failures import UsageError
from resources.guest_counters import GuestLimits


@dataclass(frozen=True, slots=True)
class GuestOptions:
    """``interval_s``: seconds between samples, None for the usual."""

    interval_s: float | None = None


def guest_interval(options: GuestOptions, limits: GuestLimits) -> int:
    """Return the seconds between samples. Raises UsageError for too few, or parts of one."""
    wanted = options.interval_s
    if wanted is None:
        return limits.usual_s
    if wanted < limits.least_s or wanted != int(wanted):
        raise UsageError(
            f"--interval: a guest is looked at every {limits.least_s:d} s at most, in whole seconds.",
            meaning="Its kernel counts CPU time in hundredths of a second: less would be mostly rounding.",
        )
    return int(wanted)
