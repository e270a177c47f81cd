"""Whether a number that is shown exceeds its limit, and the sentence that says so."""

from __future__ import annotations

from dataclasses import dataclass

from resources.problem_cards import Hold, Problems
from resources.units import format_count, format_duration, format_value
from resources.views import CounterLimits, LimitsByCounter
from sessions.model import Series


@dataclass(frozen=True, slots=True)
class OverLimit:
    """A number that exceeds its limit: ``value`` of ``counter`` on an entity of a ``kind``."""

    counter: str
    kind: str
    value: float
    unit: str
    limits: CounterLimits


def over_limit(series: Series, value: float, limits: LimitsByCounter) -> OverLimit | None:
    """Return the number and its limits if a series' value exceeds them; None otherwise."""
    known = limits.of(series.counter, series.entity.kind)
    if known is None or not known.state(value):
        return None
    return OverLimit(series.counter, series.entity.kind, value, series.spec.unit, known)


def over_sentence(over: OverLimit, label: str) -> str:
    """Return ``Ready is 12 %, over its limit of 5 %.``; ``label`` is the counter's display name."""
    limit = over.limits.warning.value
    if over.limits.critical is not None and over.limits.state(over.value) == "critical":
        limit = over.limits.critical.value
    value, most = format_value(over.value, over.unit), format_value(limit, over.unit)
    return f"{label} is {value}, over its limit of {most}."


def patience_sentence(over: OverLimit, problems: Problems) -> str:
    """Return how long the limit's problem must last to be called one."""
    card = problems.card(over.limits.problem)
    rules = [rule for rule in card.rules if rule.entity == over.kind] or card.rules
    if not rules:
        return ""
    if all(rule.entity != over.kind for rule in card.rules):
        return "No known problem is looked for here by itself: its devices, or its VM, are judged."
    held = hold_text(problems.sustained[rules[0].sustained].warning)
    return f"“{card.title}” is called a problem when all that it asks for has held for {held}: not so yet."


def hold_text(hold: Hold) -> str:
    """Return how long a condition must hold: ``1 min of 1 min 40 s``, ``2 samples of 5 min``."""
    much = f"{format_count(hold.count)} samples" if hold.count else format_duration(hold.hold_s)
    return f"{much} of {format_duration(hold.of_s)}"
