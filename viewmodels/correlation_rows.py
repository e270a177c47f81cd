"""What moved with a series, as a page or a terminal shows it: a headline, and rows with their reasons."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from diagnosis.correlation import Correlation, Group
from diagnosis.correlation.wording import (
    SLOW_ITSELF,
    because,
    incident_words,
    others,
    part_words,
    pattern_words,
)
from resources.foreign_text import shown
from resources.units import format_count, format_duration, format_value
from sessions.clock import Clock
from sessions.model import EntityRef, Series

_NAME = 80  # characters of a name that a row shows
_MAKERS = 3  # of those who make the load, so many are named in the first sentence


@dataclass(frozen=True, slots=True)
class CorrelationRow:
    """One entity: ``part`` is its part in words, ``because`` why it is there, ``others`` what else moved.

    ``series`` are the ids to chart, the leading one first. All texts are safe to show.
    """

    entity: EntityRef
    name: str
    part: str
    counter: str
    because: str
    others: str
    score: float
    series: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CorrelationView:
    """The whole answer: ``title``, ``about`` (window, baseline, how the reference moved), ``rows``, what the
    reference's own entity did, rhythms, events, what was compared, and ``empty``: what to say without rows.
    ``is_time_to_choose``: without rows, another time may show some.
    """

    title: str
    about: str
    rows: tuple[CorrelationRow, ...]
    left_out: int
    itself: str
    patterns: tuple[str, ...]
    events: tuple[str, ...]
    compared: str
    empty: str
    is_time_to_choose: bool = False


def correlation_view(
    found: Correlation, clock: Clock, top: int = 20, label: Callable[[str], str] = str
) -> CorrelationView:
    """Return what moved, for the first ``top`` entities; times are those of ``clock``.

    ``label`` returns how a counter's key is called: a terminal shows the key itself.
    """
    return CorrelationView(
        title=_title(found, label),
        about=_about(found, clock) + _who(found),
        rows=tuple(_row(found, group, label) for group in found.groups[:top]),
        left_out=max(0, len(found.groups) - top),
        itself=_itself(found, label),
        patterns=tuple(
            f"{label(one.counter)} of {_whose(found, one)}: {pattern_words(pattern, clock)}"
            for one, pattern in found.patterns
        ),
        events=tuple(
            shown(incident_words(one))
            for one in sorted(found.incidents, key=lambda one: one.at)
            if one.is_near
        ),
        compared=_compared(found),
        empty="" if found.groups else _empty(found),
        is_time_to_choose=not found.groups and _is_time_to_choose(found),
    )


def _title(found: Correlation, label: Callable[[str], str]) -> str:
    one = found.reference
    if one is None:
        return "What changed"
    instance = f" ({shown(one.spec.instance)})" if one.spec.instance else ""
    owner = found.owner or one.entity
    part = "" if owner == one.entity else f", {one.entity.kind} {shown(found.name(one.entity))}"
    return f"What moved with {label(one.counter)} of {shown(found.name(owner))}{part}{instance}"


def _whose(found: Correlation, series: Series) -> str:
    """Of whom a series is told: of the VM, not of its disk, whose name many VMs' disks have."""
    leads = {one.lead.series.id: one.entity for one in found.groups}
    if found.reference is not None and found.owner is not None:
        leads[found.reference.id] = found.owner
    return shown(found.name(leads.get(series.id, series.entity)))


def _about(found: Correlation, clock: Clock) -> str:
    span = found.span
    words = [clock.window(span.window)]
    if not span.found and not span.has_baseline and found.reference is not None:
        words.append("all of the session's time")
    if span.found:
        words.append("the time in which it was most unusual")
    if span.has_baseline:
        side = "before" if span.baseline.end < span.window.start else "after"
        words.append(f"compared with the {format_duration(span.baseline.seconds)} {side}")
    else:
        words.append("without a baseline, by correlation alone")
    text = ", ".join(words) + "."
    own = found.own
    if found.reference is not None and own is None:
        text += " It hardly changed itself: what is listed may have nothing to do with it."
    if own is not None and math.isfinite(own.before) and found.reference is not None:
        unit = found.reference.spec.unit
        verb = "rose" if own.change > 0 else "fell"
        values = f"from {format_value(own.before, unit)} to {format_value(own.during, unit)}"
        text += f" It {verb} {values} on average."
    return text


def _row(found: Correlation, group: Group, label: Callable[[str], str]) -> CorrelationRow:
    lead = group.lead.series
    where = "" if lead.entity == group.entity else f" of {lead.entity.kind} {shown(found.name(lead.entity))}"
    instance = f" {shown(lead.spec.instance)}" if lead.spec.instance else ""
    return CorrelationRow(
        group.entity,
        f"{shown(found.name(group.entity), _NAME)} ({group.entity.kind}{_on(found, group.entity)})",
        part_words(group),
        f"{label(lead.counter)}{instance}{where}",
        because(group.lead),
        others(group, label),
        group.score,
        tuple(one.series.id for one in group.all),
    )


def _on(found: Correlation, ref: EntityRef) -> str:
    """Where a VM runs: its name may be another's, too, and who looks for it begins at its host."""
    host = found.hosts.get(ref)
    return f" on {shown(found.name(host), _NAME)}" if host is not None and ref.kind == "vm" else ""


def _who(found: Correlation) -> str:
    """The answer in a sentence: who makes the load; where nobody does, what is slow by itself."""
    if found.reference is None or not found.groups:
        return ""
    makers = [one for one in found.groups if one.part in ("culprit", "own load")][:_MAKERS]
    if makers:
        names = [shown(found.name(one.entity), _NAME) + _on(found, one.entity) for one in makers]
        named = " and ".join([part for part in (", ".join(names[:-1]), names[-1]) if part])
        return f" {named} {'makes' if len(makers) == 1 else 'make'} the load."
    slow = next((one for one in found.groups if part_words(one) == SLOW_ITSELF), None)
    if slow is None or any(one.part == "neighbour" and one.lead.role == "load" for one in found.groups):
        return ""
    place = shown(found.name(slow.entity), _NAME)
    return (
        f" Nobody who was recorded makes more load on {place}: it got slow by itself, or by a load that "
        "was not recorded."
    )


def _itself(found: Correlation, label: Callable[[str], str]) -> str:
    if found.itself is None:
        return ""
    count = len(found.itself.all)
    keys = list(dict.fromkeys(label(one.series.counter) for one in found.itself.all))
    named = ", ".join(keys[:6]) + (", …" if len(keys) > 6 else ".")
    return f"{format_count(count)} more series of the same entity moved: {named}"


def _compared(found: Correlation) -> str:
    some = found.compared
    left = [f"{format_count(some.constant)} that stood still"] * bool(some.constant)
    left += [f"{format_count(some.sparse)} with too few samples"] * bool(some.sparse)
    without = f", without {' and '.join(left)}" if left else ""
    known = format_duration(some.step_s)
    return f"{format_count(some.series)} series compared{without}; who came first is known to {known}."


def _is_time_to_choose(found: Correlation) -> bool:
    """Whether another time may show more: not where an entity is slow by itself."""
    return not found.compared.series or found.itself is None


def _empty(found: Correlation) -> str:
    if not found.compared.series:
        return "Nothing else varied in that time. Choose a longer time."
    if found.itself is not None:
        return (
            "Nothing outside of the entity itself moved with it beyond chance: look at its own load, its "
            "limits and its settings."
        )
    return "Nothing moved with it beyond chance. Choose the time in which it was slow."
