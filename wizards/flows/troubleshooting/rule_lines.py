"""The rule of a check as lines to read: measured, limit, whether it holds, and who says so."""

from __future__ import annotations

from collections.abc import Iterator

from diagnosis.check_curves import is_below
from diagnosis.compiled import CompiledRule, compile_problems
from diagnosis.statistic_names import statistic_name
from resources.catalogue import load_catalogue
from resources.problem_cards import Card, EvidenceItem, load_problems
from sessions.findings import Evidence, Finding
from sessions.troubleshooting import RuleLine


def evidence_lines(finding: Finding, card: Card, lasted_s: float) -> tuple[RuleLine, ...]:
    """Return a finding's evidence as lines of its rule, and how long it held (``lasted_s``)."""
    rules = [one for one in compile_problems(load_problems()) if one.card.id == card.id]
    lines = [_line(item, rules) for item in finding.evidence]
    if rules and lasted_s:
        lines.insert(min(1, len(lines)), _lasting(rules[0], lasted_s))
    return tuple(lines)


def _line(item: Evidence, rules: list[CompiledRule]) -> RuleLine:
    known = load_catalogue().get(item.counter)
    what = item.what or (known.label if known else item.counter)
    of = f" ({item.instance})" if item.instance else ""
    text = f"{what}{of}, {statistic_name(item.statistic)}"
    below, source = False, ""
    for rule, asked in _asked(item, rules):
        below = is_below(rule, asked.signal, asked.threshold)
        source = rule.card.thresholds[asked.threshold].source
        break
    if item.threshold is None:
        return RuleLine(text, item.value, None, item.unit, None, below, source)
    holds = item.value < item.threshold if below else item.value >= item.threshold
    return RuleLine(text, item.value, item.threshold, item.unit, holds, below, source)


def _asked(item: Evidence, rules: list[CompiledRule]) -> Iterator[tuple[CompiledRule, EvidenceItem]]:
    """The places of the card that ask for this number; the rule whose threshold it is comes first."""
    for exact in (True, False):
        for rule in rules:
            for asked, _ in rule.evidence:
                threshold = rule.card.thresholds.get(asked.threshold)
                if threshold is None or asked.statistic != item.statistic or asked.what != item.what:
                    continue
                signal = rule.signals[asked.signal]
                counters = {asked.counter, signal.signal.counter, *signal.counters.values()}
                if item.counter in counters and (not exact or threshold.value == item.threshold):
                    yield rule, asked


def _lasting(rule: CompiledRule, lasted_s: float) -> RuleLine:
    hold = rule.sustained.warning
    least = hold.hold_s if not hold.count else 0.0
    return RuleLine(
        "… for at least", lasted_s, least or None, "s", lasted_s >= least, source=rule.sustained.source
    )
