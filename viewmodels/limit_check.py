"""Whether a number that is shown exceeds its limit, and the sentence that says so."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from resources.foreign_text import shown
from resources.possible_values import load_possible_values
from resources.problem_cards import Hold, Problems
from resources.units import format_count, format_duration, format_value
from resources.views import CounterLimits
from sessions.model import EntityRef, Series
from viewmodels.entity_limits import EntityLimits

_LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class OverLimit:
    """A number that exceeds its limit: ``value`` of ``counter`` on an entity of a ``kind``.

    ``load`` is what the entity did (I/Os a second); NaN where that is not known, or not asked for.
    """

    counter: str
    kind: str
    value: float
    unit: str
    limits: CounterLimits
    load: float = math.nan

    @property
    def is_idle(self) -> bool:
        """True if the limit does not count, because the entity does too little."""
        least = self.limits.least
        return least is not None and self.load < least.value


def over_limit(
    series: Series, value: float, limits: EntityLimits, load: float | None = None
) -> OverLimit | None:
    """Return the number and its limits if a series' value exceeds them; None otherwise.

    ``load`` is the value of the counter that the limits name as their load.
    """
    known = limits.of(series.counter, series.entity)
    if known is None or not known.state(value) or not _can_be_true(series, value):
        return None
    return OverLimit(
        series.counter, series.entity.kind, value, series.spec.unit, known, math.nan if load is None else load
    )


def _can_be_true(series: Series, value: float) -> bool:
    """True if a host can have this number: judging leaves out what none can."""
    least, most = load_possible_values().limits(series.counter, series.spec.unit)
    return least <= value <= most


def over_sentence(over: OverLimit, label: str) -> str:
    """Return ``Ready is 12 %, over its limit of 5 %.``; ``label`` is the counter's display name."""
    limit = over.limits.warning.value
    if over.limits.critical is not None and over.limits.state(over.value) == "critical":
        limit = over.limits.critical.value
    value, most = format_value(over.value, over.unit), format_value(limit, over.unit)
    because = f" ({over.limits.because})" if over.limits.because else ""
    return f"{label} is {value}, over its limit of {most}{because}."


def over_sentences(
    over: Mapping[EntityRef, OverLimit], name: Callable[[EntityRef], str], label: Callable[[str], str]
) -> Mapping[EntityRef, str]:
    """Return ``db-prod: Ready is 12 %, over its limit of 5 %.`` for each entity whose limit counts now."""
    return {
        ref: f"{shown(name(ref), _LONGEST_NAME)}: {over_sentence(one, label(one.counter))}"
        for ref, one in over.items()
        if not one.is_idle
    }


def patience_sentence(over: OverLimit, problems: Problems) -> str:
    """Return how long the limit's problem must last to be called one."""
    least = over.limits.least
    if over.is_idle and least is not None:
        did, needed = format_value(over.load, least.unit), format_value(least.value, least.unit)
        return f"Not judged: it does {did} now, and under {needed} a latency says little."
    card = problems.card(over.limits.problem)
    rules = [rule for rule in card.rules if rule.entity == over.kind] or card.rules
    if not rules:
        return ""
    if all(rule.entity != over.kind for rule in card.rules):
        return "No known problem is looked for here by itself: its devices, or its VM, are judged."
    held = hold_text(problems.sustained[rules[0].sustained].warning)
    return f"No problem was found for that: all that “{card.title}” asks for must hold for {held}."


def hold_text(hold: Hold) -> str:
    """Return how long a condition must hold: ``1 min of 1 min 40 s``, ``2 samples of 5 min``."""
    much = f"{format_count(hold.count)} samples" if hold.count else format_duration(hold.hold_s)
    return f"{much} of {format_duration(hold.of_s)}"
