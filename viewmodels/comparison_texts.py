"""A comparison in words: headline, cells of its table, and what else differs; for page, report and
terminal.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from diagnosis.comparison import Comparison, LoadRow, Row
from diagnosis.comparison.values import Change, OnlyInOne
from resources.catalogue import Catalogue
from resources.fact_forms import load_fact_forms
from resources.foreign_text import shown
from resources.units import ABSENT, format_change, format_changes, format_count, format_value
from sessions.clock import Clock
from sessions.model import Event
from viewmodels.possible_samples import series_left_out

SAME = "~"
"""How "no real difference" is written; never as a change of 0.6 %."""
_NAME = 80
"""The longest name that vSphere gives a VM."""
_SEEN_BY_HOSTS = frozenset({"device", "datastore"})


@dataclass(frozen=True, slots=True)
class RowCells:
    """The cells of a row as texts, units with each number. ``change`` is ``~`` where nothing changed."""

    rank: str
    name: str
    counter: str
    a: str
    b: str
    change: str
    interval: str
    p95: str
    judged: str


def headline(comparison: Comparison) -> str:
    """Return the result in a sentence: ``6 better, 0 worse, 17 to know.``"""
    counts, judged = comparison.counts, comparison.judged
    if not comparison.pairs:
        return "Nothing could be compared."
    if not counts["higher"] + counts["lower"]:
        if not counts["same"]:
            return "Nothing can be told: all is undecided."
        if undecided := much_undecided(comparison):
            return f"What can be told does not differ; {undecided}."
        return "Nothing differs beyond the noise."
    return (
        ", ".join(f"{format_count(judged.get(what, 0))} {what}" for what in ("better", "worse", "to know"))
        + "."
    )


def much_undecided(comparison: Comparison) -> str:
    """Return how much is undecided, ``500 (11 %) are undecided``, where that is more than may be called
    different by chance: then that nothing differs is no all-clear. Empty where it is less.
    """
    undecided, total = comparison.counts["undecided"], len(comparison.pairs)
    if undecided <= comparison.importance.rules.judging.discovery_rate.value * total:
        return ""
    part = format_value(round(100 * undecided / total), "%")
    return f"{format_count(undecided)} ({part}) {'is' if undecided == 1 else 'are'} undecided"


def counted(comparison: Comparison) -> str:
    """Return what was compared: ``Of 4,118 series 4,083 are the same, 12 undecided.``, how it was corrected,
    and how much of it is only indicative.
    """
    counts, rate = comparison.counts, comparison.importance.rules.judging.discovery_rate.value
    total = len(comparison.pairs)
    notes = (
        few_samples(comparison) or indicative_note(comparison),
        series_left_out(side.session for side in comparison.sides),
    )
    sentence = (
        f"Of {format_count(total)} series {format_count(counts['same'])} are the same, "
        f"{format_count(counts['undecided'])} undecided. Corrected for all {format_count(total)} "
        "comparisons (Benjamini-Hochberg): of what is called different at most "
        f"{format_value(rate * 100, '%')} is chance."
    )
    return " ".join(one for one in (sentence, *notes) if one)


def few_samples(comparison: Comparison) -> str:
    """Return why the whole result is only indicative: a side's samples are few; empty if they are not."""
    least = comparison.importance.rules.confidence.independent_least.value
    for name, means in zip("AB", comparison.means, strict=True):
        most = float(np.nanmax(means.count)) if means.count.size else 0.0
        if math.isfinite(most) and most < least:
            return f"Indicative: {name} has {format_count(round(most))} samples, {least:.0f} tell more."
    return ""


def indicative_note(comparison: Comparison) -> str:
    """Return how much of what got better or worse is only indicative: many samples, but few independent
    ones; empty if nothing is.
    """
    kinds = [what for what in ("better", "worse") if comparison.judged.get(what)]
    unsure = sum(comparison.indicative.get(what, 0) for what in kinds)
    if not unsure:
        return ""
    total, what = sum(comparison.judged[one] for one in kinds), " or ".join(kinds)
    if unsure == total:
        return f"Indicative: what got {what} has too few independent samples; longer windows tell more."
    return (
        f"{format_count(unsure)} of {format_count(total)} that got {what} are only indicative: too few "
        "independent samples; longer windows tell more."
    )


@dataclass(frozen=True, slots=True)
class Ranks:
    """Places in a comparison's order that are worth a line, and how many more tell the very same numbers, by
    place: a LUN's only partition, a VM's only disk.
    """

    changed: Sequence[int]
    undecided: Sequence[int]
    alike: Mapping[int, int]


def distinct_ranks(comparison: Comparison, changed: int, undecided: int) -> Ranks:
    """Return the first places whose counter and numbers no earlier one has, at most so many of each sort."""
    first: dict[tuple[str, float, float], int] = {}
    alike: dict[int, int] = {}
    places: dict[str, list[int]] = {}
    a, b = comparison.means
    for rank, at in enumerate(comparison.order.tolist()):
        verdict = comparison.differences.verdict_of(at)
        if verdict == "same":
            break
        key = (comparison.pairs[at].a.counter, float(a.mean[at]), float(b.mean[at]))
        if first.setdefault(key, rank) != rank:
            alike[first[key]] = alike.get(first[key], 0) + 1
        else:
            places.setdefault("undecided" if verdict == "undecided" else "changed", []).append(rank)
    return Ranks(places.get("changed", [])[:changed], places.get("undecided", [])[:undecided], alike)


def same_load(comparison: Comparison) -> str:
    """Return the answer to "was the load the same?": ``yes``, ``no``, or ``undecided``."""
    return {True: "yes", False: "no", None: "undecided"}[comparison.load.same]


def load_cells(row: LoadRow) -> tuple[str, str, str]:
    """Return title, numbers and verdict of a part of the load: ``4,180 /s → 4,230 /s``, ``~``."""
    numbers = f"{format_value(row.a, row.unit)} → {format_value(row.b, row.unit)}"
    verdict = {"same": SAME, "undecided": "undecided"}.get(row.verdict, row.verdict)
    return row.title, numbers, verdict


def only_in_one_text(one: OnlyInOne, clock: Clock) -> str:
    """Return ``backup-01 was busy in A only: I/Os a second 1,200 /s, 17 Nov 14:20 – 14:31 UTC``."""
    side = one.side.upper()
    amount = format_value(one.mean, one.unit)
    return f"{shown(one.name, _NAME)} was busy in {side} only: {one.title} {amount}, {clock.window(one.when)}"


def cells(row: Row, catalogue: Catalogue) -> RowCells:
    """Return the texts of a row."""
    amounts = [value_text(value, row, catalogue) for value in (row.a.mean, row.b.mean)]
    tails = [value_text(value, row, catalogue) for value in (row.a.p95, row.b.p95)]
    is_counted = not is_named(row, catalogue) or row.verdict in {"same", "undecided"}
    return RowCells(
        rank=str(row.rank),
        name=entity_text(row),
        counter=counter_text(row, catalogue),
        a=amounts[0],
        b=amounts[1],
        change=change_text(row) if is_counted else ABSENT,
        interval=interval_text(row) if is_counted else ABSENT,
        p95=" → ".join(tails),
        judged=judged_text(row),
    )


def is_named(row: Row, catalogue: Catalogue) -> bool:
    """Return True if a side of a row is no amount but stands for something: −1 for an unlimited CPU. Then
    there is no difference between the two.
    """
    return any(_special_name(value, row, catalogue) for value in (row.a.mean, row.b.mean))


def value_text(value: float, row: Row, catalogue: Catalogue) -> str:
    """Return a number of a row with its unit, ``3.53 GHz``, or what it stands for: ``unlimited``."""
    return _special_name(value, row, catalogue) or format_value(value, shown(row.unit))


def _special_name(value: float, row: Row, catalogue: Catalogue) -> str:
    known = catalogue.get(row.counter)
    return (known.value_name(value) or "") if known is not None and value < 0 else ""


def entity_text(row: Row) -> str:
    """Return the entity's name after its owner's: ``db-prod › vCPU 2``; both names if it was renamed, its
    key if it has no name.

    Of a LUN or datastore that several hosts see, it says whose numbers these are.
    """
    a, b = (shown(one, _NAME).strip() or shown(row.entity.key, _NAME) for one in (row.name, row.name_in_b))
    own = a if a == b else f"{a} → {b}"
    if row.entity.kind in _SEEN_BY_HOSTS:
        return f"{own} on {_short(shown(row.source, _NAME))}"
    owner = shown(row.owner, _NAME)
    return f"{owner} › {own}" if owner and not own.startswith(owner) else own


def _short(host: str) -> str:
    """A host's name without its domain; an address stays whole."""
    name = host.partition(".")[0]
    return host if name.isdigit() or "→" in host else name


def counter_text(row: Row, catalogue: Catalogue) -> str:
    """Return the counter's display name with the instance: ``Ready``, ``Processor used 3``."""
    known = catalogue.get(row.counter)
    label = known.label if known is not None else shown(row.counter, _NAME)
    return f"{label} {shown(row.instance, _NAME)}" if row.instance else label


def change_text(row: Row) -> str:
    """Return the change: ``−31.8 points`` of percentages, ``+85 %`` of others; ``~`` where there is none."""
    if row.verdict == "same":
        return SAME
    if row.verdict == "undecided":
        return "?"
    if row.unit == "%":
        return format_change(row.difference, "%")
    if row.ratio is None or row.ratio > 10 or row.a.mean < 0:
        return format_change(row.difference, shown(row.unit))
    return f"{format_change((row.ratio - 1) * 100, '')} %"


def interval_text(row: Row) -> str:
    """Return the interval of the change in the same unit as the change: ``−33.0 … −30.5 points``."""
    if row.interval is None:
        return ABSENT
    if row.unit == "%":
        return format_changes(*row.interval, "%")
    if row.ratio_interval is None or row.ratio is None or row.ratio > 10 or row.a.mean < 0:
        return format_changes(*row.interval, shown(row.unit))
    low, high = ((end - 1) * 100 for end in row.ratio_interval)
    return f"{format_changes(low, high, '')} %"


def judged_text(row: Row) -> str:
    """Return ``better``, ``worse`` or ``to know``; the verdict where nothing changed."""
    return row.judged or row.verdict


def change_lines(changes: Sequence[Change], most: int) -> list[str]:
    """Return what is renamed, moved, new, gone or set otherwise, the most telling first, at most ``most``
    lines of each sort.
    """
    lines = []
    for what, words in _CHANGES.items():
        found = [one for one in changes if one.what == what]
        lines += [_change_line(one, words) for one in found[:most]]
        if len(found) > most:
            lines.append(f"… and {format_count(len(found) - most)} more {words}")
    return lines


_CHANGES = {
    "setting": "set otherwise",
    "moved": "moved",
    "renamed": "renamed",
    "added": "only in B",
    "gone": "only in A",
    "by name": "known by name only: a guess",
}


def _change_line(change: Change, words: str) -> str:
    name = f"{change.entity.kind} {shown(change.name, _NAME)}"
    if change.what == "setting":
        label = shown(load_fact_forms().label(change.setting), _NAME)
        return f"{name}: {label} {shown(change.before, _NAME)} → {shown(change.after, _NAME)}"
    if change.what in {"moved", "renamed"}:
        return f"{name} {words}: {shown(change.before, _NAME)} → {shown(change.after, _NAME)}"
    return f"{name} {words}"


def event_line(event: Event, name: str, clock: Clock) -> str:
    """Return ``14:41:30 reconfigure db-prod: CPU limit removed``."""
    who = f" {shown(name, _NAME)}" if name else ""
    return f"{clock.day_time(event.at)} {shown(event.kind)}{who}: {shown(event.text, 160)}"
