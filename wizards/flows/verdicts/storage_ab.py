"""One storage against another: are they the same within a margin? That no difference was seen is no proof.

Steps: ``a`` and ``b``, in the order A B B A.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite

from diagnosis.statistics.equivalence import Equivalence, equivalence
from resources.study_numbers import Studies
from resources.units import format_value
from sessions.journal import Figure
from wizards.flows.measured import Measured, Round
from wizards.flows.verdict import Answer, Confidence, Verdict
from wizards.flows.verdicts.comparison import Comparer
from wizards.flows.verdicts.outcome import refused, verdict
from wizards.flows.verdicts.phrases import signed, told_interval
from wizards.flows.verdicts.validity import conditions, usable

STEPS = ("a", "b")


def judge(given: Measured, studies: Studies) -> Verdict:
    """Return whether storage B does the same as A in IOPS, mean latency and a high percentile."""
    measured = usable(given)
    needed = conditions(given, studies.judging, STEPS)
    comparer = Comparer(measured, studies.judging)
    percent = studies.storage.percentile.value
    found: dict[str, Equivalence] = {}
    quantities: dict[str, Callable[[Round], float]] = {
        "IOPS": lambda one: one.iops(),
        "mean latency": lambda one: one.latency_ms(),
        f"p{percent:.0f} latency": lambda one: one.percentile_ms(percent),
    }
    for name, value in quantities.items():
        pairs = [(value(a), value(b)) for a, b in comparer.pairs(*STEPS)]
        known = [(a, b) for a, b in pairs if isfinite(a) and isfinite(b) and a > 0 and b > 0]
        if known:
            a, b = [one for one, _ in known], [one for _, one in known]
            margin, level = studies.storage.margin_percent.value, studies.storage.level.value
            found[name] = equivalence(a, b, margin, level)
    rounds = len(comparer.pairs(*STEPS))
    figures = [_figure(name, one, rounds) for name, one in found.items()]
    if (result := refused(needed, figures)) is not None:
        return result
    confidence = _confidence(comparer, found, rounds, any(one.holds is False for one in needed))
    margin_text = format_value(studies.storage.margin_percent.value, "%")
    ratio = comparer.ratio(*STEPS, lambda one: one.iops())
    needs = comparer.needs(ratio, *STEPS) if confidence != "high" else ""
    notes = [
        _note(comparer.measured),
        "Study: a RAID group and a pool of the same disks did the same; compare shapes, not hardware.",
    ]
    said = {one.verdict for one in found.values()}
    answer: Answer = "against" if "different" in said else "good" if said == {"same"} else "no difference"
    line, sentence = _line(found, margin_text), _sentence(found)
    return verdict(line, sentence, confidence, needed, figures, notes, needs, answer)


def _line(found: dict[str, Equivalence], margin: str) -> str:
    different = [(name, one) for name, one in found.items() if one.verdict == "different"]
    if different:
        name, one = different[0]
        word = "more" if one.value > 1 else "less"
        amount = format_value(abs(one.value - 1) * 100, "%")
        return f"The storages differ: B has {amount} {word} {name}, beyond the margin of {margin}."
    if found and all(one.verdict == "same" for one in found.values()):
        return f"The storages are the same within {margin}."
    open_ones = " and ".join(name for name, one in found.items() if one.verdict == "undecided")
    return f"Undecided: {open_ones or 'nothing'} may still differ by more than {margin}."


def _sentence(found: dict[str, Equivalence]) -> str:
    parts = []
    for name, one in found.items():
        bounds = told_interval("90 %", one.interval, one.each)
        parts.append(f"{name} {signed((one.value - 1) * 100)} ({bounds})")
    return f"B against A: {'; '.join(parts)}."


def _confidence(
    comparer: Comparer, found: dict[str, Equivalence], rounds: int, is_doubtful: bool
) -> Confidence:
    if rounds < comparer.judging.rounds_for_verdict.value:
        return "indicative"
    decided = bool(found) and all(one.verdict != "undecided" for one in found.values())
    return "high" if decided and not is_doubtful else "medium"


def _figure(name: str, one: Equivalence, rounds: int) -> Figure:
    bounds = one.interval and ((one.interval[0] - 1) * 100, (one.interval[1] - 1) * 100)
    return Figure(f"{name}, B to A", "all", (one.value - 1) * 100, "%", bounds, rounds)


def _note(measured: Measured) -> str | None:
    allocated = {one.facts.get("allocated_percent") for one in measured.rounds} - {None}
    return (
        "Allocation differs between the rounds: judge it by runs of its own." if len(allocated) > 1 else None
    )
