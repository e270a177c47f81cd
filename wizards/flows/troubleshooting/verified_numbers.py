"""Numbers before and after a change with their intervals, and whether the load was the same."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

import numpy as np

from diagnosis.check_curves import CheckCurve
from diagnosis.comparison import LoadRow
from diagnosis.comparison.values import Load, Verdict
from diagnosis.comparison.verdicts import differences
from diagnosis.statistics.means import means_of
from resources.catalogue import Catalogue
from resources.comparison_rules import ComparisonRules
from resources.units import format_value
from sessions.times import TimeRange
from sessions.troubleshooting import VerifiedNumber

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
    undecided, or nothing measured it.
    """

    kind: LoadKind
    is_no_less: bool
    text: str
    numbers: tuple[VerifiedNumber, ...]

    @property
    def same(self) -> bool | None:
        """True, False, or None where it is not known."""
        return {"same": True, "lower": False, "higher": False}.get(self.kind)


def judged_load(load: Load, ignored: Collection[str]) -> JudgedLoad:
    """Judge a load without the parts of it that the problem changes itself (titles in ``ignored``)."""
    rows = [row for row in load.rows if row.title not in ignored]
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
    return JudgedLoad(kind, no_less, text, tuple(_number(row) for row in load.rows))


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
