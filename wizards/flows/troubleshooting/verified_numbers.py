"""Numbers before and after a change with their intervals, and whether the load was the same."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from diagnosis.check_curves import CheckCurve
from diagnosis.comparison import LoadRow
from diagnosis.comparison.values import Load, Verdict
from diagnosis.comparison.verdicts import differences
from diagnosis.statistics.means import means_of
from resources.catalogue import Catalogue
from resources.comparison_rules import ComparisonRules, load_comparison_rules
from resources.units import format_value
from sessions.model import EntityRef
from sessions.times import TimeRange
from sessions.troubleshooting import CheckResult, VerifiedNumber
from wizards.flows.troubleshooting.check_results import Knowledge
from wizards.flows.troubleshooting.judging import Look

_MOST_NUMBERS = 6
LoadKind = Literal["same", "similar", "lower", "higher", "unknown"]
Judged = Literal["better", "worse", "~", "to know", "undecided"]
_JUDGED: dict[Verdict, Judged] = {
    "same": "~",
    "undecided": "undecided",
    "higher": "to know",
    "lower": "to know",
}


def verified_number(
    before: CheckCurve,
    after: CheckCurve,
    windows: tuple[TimeRange, TimeRange],
    name: str,
    rules: ComparisonRules,
    better: Literal["low", "high", ""],
) -> VerifiedNumber | None:
    """Return a number's mean in either window, and how sure the difference is; None without samples.

    ``better`` is which values are the better ones; of what is only a condition of a rule (its device is
    healthy, there is some I/O at all) neither are.
    """
    values = before.within(windows[0]), after.within(windows[1])
    if not all(one.size for one in values):
        return None
    a, b = (means_of(one[None, :]) for one in values)
    margin = rules.margin_of(before.counter, before.unit)
    least = np.maximum(np.abs(a.mean) * margin.percent / 100, margin.least)
    of = differences(a, b, least, rules)
    verdict = of.verdict_of(0)
    judged = _JUDGED[verdict]
    if verdict in ("higher", "lower") and better:
        judged = "better" if (verdict == "higher") == (better == "high") else "worse"
    known = bool(np.isfinite(of.low[0]) and np.isfinite(of.high[0]))
    return VerifiedNumber(
        before.what.rstrip(","),
        name,
        before.unit,
        float(a.mean[0]),
        float(b.mean[0]),
        float(of.difference[0]),
        (float(of.low[0]), float(of.high[0])) if known else None,
        judged,
    )


def measured_again(
    check: CheckResult,
    looks: tuple[Look, Look],
    windows: tuple[TimeRange, TimeRange],
    partners: Mapping[EntityRef, EntityRef] | None,
    knowledge: Knowledge,
    during: Sequence[TimeRange] = (),
) -> list[VerifiedNumber]:
    """Return the numbers of a check that was found, before and after, the one that it is told by first.

    With ``during`` only these parts of the later window count, and nothing is told from too little of them.
    """
    ref = check.entity if partners is None or check.entity is None else partners.get(check.entity)
    if ref is None or (
        during and sum(one.seconds for one in during) < knowledge.flow.numbers.verify_least_s.value
    ):
        return []
    before, later = looks
    now = {one.what: one for one in later.curves(check.problem, ref)}
    rules = load_comparison_rules(knowledge.catalogue)
    found: list[VerifiedNumber] = []
    for one in before.curves(check.problem):
        other = now.get(one.what)
        is_setting = one.counter in knowledge.flow.setting_counters and not one.is_measure
        if other is None or is_setting:
            continue
        number = verified_number(
            one, _only(other, during), windows, check.name, rules, better_of(one, knowledge.catalogue, rules)
        )
        if number is not None and (number.before, number.after) not in {(n.before, n.after) for n in found}:
            found.append(number)
    return found[:_MOST_NUMBERS]


def _only(curve: CheckCurve, during: Sequence[TimeRange]) -> CheckCurve:
    """A curve with only what it is in some parts of the time; all of it where none are given."""
    if not during:
        return curve
    inside = np.zeros(curve.times.size, np.bool_)
    for one in during:
        inside |= (one.start <= curve.times) & (curve.times <= one.end)
    return replace(curve, values=np.where(inside, curve.values, np.nan))


def better_of(curve: CheckCurve, catalogue: Catalogue, rules: ComparisonRules) -> Literal["low", "high", ""]:
    """Return which values of a number are the better ones: as the check that it tells has it, else as the
    catalogue has it of its counter; empty where neither are, as of a load.
    """
    if curve.is_measure:
        return "high" if curve.is_below else "low"
    known = catalogue.get(curve.counter)
    if known is None or curve.counter in rules.load_counters:
        return ""
    return known.better


@dataclass(frozen=True, slots=True)
class JudgedLoad:
    """What became of the load.

    ``similar``: no part of it differs by as much as would matter, but one is too noisy to be called the same.
    ``is_no_less``: no part of it is less by as much as would matter. ``same`` is None where that is
    undecided, or nothing measured it. ``no_more``: when a load that was higher was no higher than before, but
    for a margin.
    """

    kind: LoadKind
    is_no_less: bool
    text: str
    numbers: tuple[VerifiedNumber, ...]
    no_more: tuple[TimeRange, ...] = ()

    @property
    def same(self) -> bool | None:
        """True, False, or None where it is not known."""
        return {"same": True, "lower": False, "higher": False}.get(self.kind)


def judged_load(load: Load, ignored: Collection[str], only_less: bool = False) -> JudgedLoad:
    """Judge a load without the parts of it that the problem changes itself (titles in ``ignored``).

    ``only_less``: the problem takes them away. Where they are less after it, less was asked for.
    """
    rows = [row for row in load.rows if row.title not in ignored or (only_less and row.verdict == "lower")]
    kind = _kind(rows)
    texts = {
        "same": "The load was the same",
        "similar": "The load was about the same",
        "lower": "The load was lower",
        "higher": "The load was higher",
        "unknown": "Whether the load was the same is not known",
    }
    telling = [row for row in rows if row.verdict == kind] or rows
    told = "; ".join(
        f"{row.title} {format_value(row.a, row.unit)} → {format_value(row.b, row.unit)}" for row in telling
    )
    text = f"{texts[kind]}: {told}." if told else f"{texts[kind]}: nothing measured it."
    no_less = bool(rows) and all(row.difference >= -row.margin for row in rows)
    numbers = tuple(_number(row) for row in load.rows)
    return JudgedLoad(kind, no_less, text, numbers, _no_more(rows) if kind == "higher" else ())


def _no_more(rows: Sequence[LoadRow]) -> tuple[TimeRange, ...]:
    """When none of the parts of a load that were higher was higher than before."""
    several = [row.no_more for row in rows if row.verdict == "higher"]
    common = several[0]
    for one in several[1:]:
        common = tuple(part for a in common for b in one if (part := a.intersect(b)) is not None)
    return common


def _kind(rows: list[LoadRow]) -> LoadKind:
    verdicts = {row.verdict for row in rows}
    if "lower" in verdicts:
        return "lower"
    if "higher" in verdicts:
        return "higher"
    if verdicts == {"same"}:
        return "same"
    near = bool(rows) and all(abs(row.difference) <= row.margin for row in rows)
    return "similar" if near else "unknown"


def _number(row: LoadRow) -> VerifiedNumber:
    """A part of the load: no direction of it is better."""
    judged = _JUDGED[row.verdict]
    return VerifiedNumber(row.title, row.of, row.unit, row.a, row.b, row.difference, row.interval, judged)
