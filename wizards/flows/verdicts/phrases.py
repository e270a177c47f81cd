"""How verdicts say numbers: changes with their intervals, and ``~`` where there is no real difference."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite

from diagnosis.statistics.ratio import Ratio
from resources.study_numbers import Number
from resources.units import format_count, format_value
from sessions.journal import Figure
from wizards.flows.verdict import Answer

NO_DIFFERENCE = "~"
"""What stands for a change that is no real difference."""


def change(ratio: Ratio) -> str:
    """Return a change as text: ``+24.3 %``, ``−5.20 %``, or ``~`` where no real difference was seen."""
    if ratio.difference in ("none seen", "undecided") and ratio.pairs > 1:
        return NO_DIFFERENCE
    return signed(ratio.percent)


def signed(percent: float) -> str:
    """Return a percentage with its sign."""
    text = format_value(percent, "%")
    return f"+{text}" if percent > 0 else text


def effect(ratio: Ratio | None, more: str, less: str, none: str) -> str:
    """Return what a change does, with ``more`` or ``less`` as verb: ``gains 24.3 %``; ``none`` without a real
    difference. A single round has no interval, and says so."""
    if ratio is None or (ratio.difference == "none seen") or ratio.value == 1.0:
        return none
    words = f"{more if ratio.value > 1 else less} {format_value(abs(ratio.percent), '%')}"
    return words if ratio.difference != "undecided" else f"{words} in a single round"


def answer_of(ratio: Ratio | None) -> Answer:
    """Return which way a change came out of which more is hoped for."""
    if ratio is None or ratio.difference == "none seen" or ratio.value == 1.0:
        return "no difference"
    return "good" if ratio.value > 1 else "against"


def change_interval(ratio: Ratio) -> str:
    """Return the interval of a change: ``95 % CI 20.9 to 27.8 %``; one or two pairs have none."""
    return told_interval("95 %", ratio.interval, ratio.each)


def told_interval(sure: str, bounds: tuple[float, float] | None, each: Sequence[float]) -> str:
    """Return the interval of a ratio as a change, ``90 % CI 20.9 to 27.8 %``; without one what ``each`` round
    gave: ``two rounds, +4.20 % and +16.0 %, no interval``.
    """
    if bounds is None:
        return no_interval([signed((one - 1) * 100) for one in each])
    low, high = ((one - 1) * 100 for one in bounds)
    return f"{sure} CI {interval(low, high, '%')}"


def no_interval(each: Sequence[str]) -> str:
    """Return why there is no interval, and of two rounds what each gave."""
    if len(each) < 2:
        return "one round, no interval"
    return f"two rounds, {' and '.join(each)}, no interval"


def price_note(price: Ratio | None, against: str) -> str | None:
    """Return what shares cost all VMs together, against the other setting; None if nobody knows."""
    if price is None:
        return None
    if change(price) == NO_DIFFERENCE:
        return f"Price: none, all VMs together do as much as with {against} (~)."
    return f"Price: all VMs together changed by {change(price)} IOPS ({change_interval(price)})."


def interval(low: float, high: float, unit: str) -> str:
    """Return an interval: ``34.1 to 35.7 %``."""
    return f"{format_value(low, '')} to {format_value(high, unit)}"


def limit(sign: str, number: Number) -> str:
    """Return a limit of the studies: ``≤ 10 %``."""
    return f"{sign} {format_value(number.value, number.unit)}"


def ratio_figure(name: str, of: str, ratio: Ratio) -> Figure:
    """Return a ratio as a figure: the change in percent, with its interval where there is one."""
    bounds = ratio.interval and ((ratio.interval[0] - 1) * 100, (ratio.interval[1] - 1) * 100)
    return Figure(name, of, ratio.percent, "%", bounds, ratio.pairs)


def figure(name: str, of: str, value: float, unit: str, n: int = 0) -> Figure:
    """Return a number as a figure without an interval; one that is not finite could not be determined."""
    return Figure(name, of, value if isfinite(value) else None, unit, None, n)


def figure_of_rounds(name: str, of: str, mean: tuple[float, float, float], unit: str, n: int) -> Figure:
    """Return a mean of rounds as a figure: mean, low, high."""
    value, low, high = mean
    return Figure(name, of, value, unit, (low, high) if isfinite(low) else None, n)


def listed(names: Iterable[str], most: int = 3) -> str:
    """Return names as a list, shortened: ``a, b, c and 4 more``."""
    given = list(names)
    shown = ", ".join(given[:most])
    return f"{shown} and {len(given) - most} more" if len(given) > most else shown


def counted(number: int, thing: str) -> str:
    """Return a number of things: ``1 round``, ``3 rounds``."""
    return f"{format_count(number)} {thing}" if number == 1 else f"{format_count(number)} {thing}s"
