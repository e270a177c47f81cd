"""DRS balance: what balancing brings the heavy VMs, placement by placement, and whether it costs the light
ones.

Steps: ``hand CASE`` (placed by hand, DRS manual) and ``drs CASE`` (after DRS has moved VMs) for each
placement; ``measured.placements`` has the host of each VM by step.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import isnan, nan

from diagnosis.statistics.ratio import Ratio
from resources.study_numbers import DrsStudy, Studies
from resources.units import format_count, format_value
from sessions.journal import Figure
from wizards.flows.measured import Measured
from wizards.flows.verdict import Answer, Condition, Verdict
from wizards.flows.verdicts.comparison import Comparer
from wizards.flows.verdicts.drs_model import Cluster, Demand, of_study, predicted_gain_percent
from wizards.flows.verdicts.outcome import refused, verdict
from wizards.flows.verdicts.phrases import (
    change,
    change_interval,
    counted,
    figure,
    interval,
    limit,
    listed,
    ratio_figure,
    signed,
)
from wizards.flows.verdicts.validity import conditions, usable

_EQUAL = 1e-9
"""An imbalance in cores that rounding makes of none."""


@dataclass(frozen=True, slots=True)
class Case:
    """One placement: what it gained, what the model predicted, how unequal the hosts were before and after.

    ``heavy`` and ``light`` are the IOPS after DRS to those before; ``migrations`` is NaN if nobody
    counted them.
    """

    name: str
    heavy: Ratio
    light: Ratio | None
    before: Cluster | None
    after: Cluster | None
    migrations: float

    @property
    def predicted(self) -> float:
        """The model's gain in percent; NaN if the placement is unknown."""
        return predicted_gain_percent(self.before, self.after) if self.before and self.after else nan

    @property
    def imbalance(self) -> float:
        """The imbalance before, in cores; NaN if the placement is unknown."""
        return self.before.imbalance() if self.before else nan


def judge(given: Measured, studies: Studies) -> Verdict:
    """Return what DRS gains, beside the study's band and the model's order."""
    measured = usable(given)
    names = [step.split(" ", 1)[1] for step in given.steps() if step.startswith("hand ")]
    steps = [f"{word} {name}" for name in names for word in ("hand", "drs")]
    comparer = Comparer(measured, studies.judging)
    cases = [case for name in names if (case := _case(comparer, name, studies.drs)) is not None]
    needed = (
        *_acted(cases, studies.drs),
        *conditions(given, studies.judging, steps or ["hand own", "drs own"], full_queue=False),
    )
    figures = [one for case in cases for one in _figures(case)]
    if (result := refused(needed, figures)) is not None:
        return result
    rounds = min((case.heavy.pairs for case in cases), default=0)
    confidence = comparer.confidence([case.heavy for case in cases], needed, rounds)
    needs = ""
    if confidence != "high" and cases:
        case = cases[0]
        needs = comparer.needs(case.heavy, f"hand {case.name}", f"drs {case.name}")
    notes = [
        _light(cases, studies.drs),
        _order(cases, studies.drs),
        _control(cases, studies.drs),
        _ends(cases),
        _moves(cases),
        _study(studies.drs),
    ]
    line, answer = _line(cases, studies.drs), _answer(cases, studies.drs)
    return verdict(line, _sentence(cases), confidence, needed, figures, notes, needs, answer)


def _case(comparer: Comparer, name: str, study: DrsStudy) -> Case | None:
    hand, drs = f"hand {name}", f"drs {name}"
    heavy = comparer.ratio(hand, drs, lambda one: one.iops("heavy"))
    if heavy is None:
        return None
    light = comparer.ratio(hand, drs, lambda one: one.iops("light"))
    moved = [one.facts["migrations"] for one in comparer.measured.of_step(drs) if "migrations" in one.facts]
    before, after = _cluster(comparer.measured, hand, study), _cluster(comparer.measured, drs, study)
    known = next((one for one in study.placement if name in (one.name, "|".join(one.hosts))), None)
    if before is None and known is not None:
        before = of_study(known.hosts, study)
        after = before.balanced()[0]
    return Case(name, heavy, light, before, after, sum(moved) / len(moved) if moved else nan)


def _cluster(measured: Measured, step: str, study: DrsStudy) -> Cluster | None:
    """The cluster as it was placed in a step; every host that any placement names has the same cores."""
    placed = measured.placements.get(step)
    if not placed:
        return None
    roles = {one.worker: one.role for each in measured.of_step(step) for one in each.workers}
    names = sorted({host for each in measured.placements.values() for host in each.values()})
    cores = measured.inputs.get("host_cores", study.host_cores.value)
    heavy = measured.inputs.get("heavy_cores", study.heavy_cores.value)
    light = measured.inputs.get("light_cores", study.light_cores.value)
    demands = [
        Demand(vm, light if roles.get(vm) == "light" else heavy, roles.get(vm) != "light")
        for vm in sorted(placed)
    ]
    return Cluster(dict.fromkeys(names, cores), demands, placed)


def _figures(case: Case) -> list[Figure]:
    of = f"placement {case.name}"
    found = [
        ratio_figure("gain of the heavy VMs", of, case.heavy),
        figure("gain by the model", of, case.predicted, "%"),
        figure("imbalance before", of, case.imbalance, "cores"),
        figure("imbalance after", of, case.after.imbalance() if case.after else nan, "cores"),
        figure("migrations", of, case.migrations, "count"),
    ]
    return found + ([ratio_figure("gain of the light VMs", of, case.light)] if case.light else [])


def _acted(cases: list[Case], study: DrsStudy) -> tuple[Condition, ...]:
    """Whether DRS moved VMs where the placement was unequal: otherwise two equal placements are compared."""
    counted_ones = [case for case in cases if not isnan(case.migrations)]
    unequal = [case for case in counted_ones if case.before and case.before.imbalance() > _EQUAL]
    if not unequal:
        return ()
    moved = [case for case in unequal if case.migrations >= study.moves_least.value]
    text = f"in {format_count(len(moved))} of {counted(len(unequal), 'unequal placement')}"
    bound = f"{limit('≥', study.moves_least)} vMotion each"
    refusal = "" if moved else "DRS moved nothing"
    holds = len(moved) == len(unequal)
    return (Condition("Did DRS act?", text, bound, holds, study.moves_least.source, refusal),)


def _direction(ratio: Ratio, study: DrsStudy) -> int:
    """Return 1 for more, -1 for less, 0 for no real difference; a single round has no interval, so its change
    must be worth a vMotion.
    """
    if ratio.difference == "undecided":
        is_real = abs(ratio.percent) >= study.worth_percent.value
        return (1 if ratio.value > 1 else -1) if is_real else 0
    return {"higher": 1, "lower": -1}.get(ratio.difference, 0)


def _answer(cases: list[Case], study: DrsStudy) -> Answer:
    directions = {_direction(case.heavy, study) for case in cases}
    return "against" if -1 in directions else "good" if 1 in directions else "no difference"


def _line(cases: list[Case], study: DrsStudy) -> str:
    better = [case for case in cases if _direction(case.heavy, study) > 0]
    worse = [case for case in cases if _direction(case.heavy, study) < 0]
    if worse:
        names = listed(case.name for case in worse)
        return f"DRS costs the heavy VMs in placement {names}: {signed(worse[0].heavy.percent)}."
    if not better:
        return "DRS makes no real difference to the heavy VMs here (~)."
    gains = [case.heavy.percent for case in better]
    single = " in a single round" if any(case.heavy.difference == "undecided" for case in better) else ""
    if len(better) == 1:
        only = f"{signed(gains[0])} for the heavy VMs{single}"
        return f"DRS pays here: {only}." if len(cases) == 1 else f"DRS pays in one placement: {only}."
    least, most = signed(min(gains)), signed(max(gains))
    rises = _is_rising(better)
    more = ", the more the worse the placement" if rises else ""
    return f"DRS pays when hosts are unequal: {least} to {most} for the heavy VMs{single}{more}."


def _is_rising(cases: list[Case]) -> bool:
    known = sorted((case.imbalance, case.heavy.percent) for case in cases if case.before)
    return len(known) > 1 and known[-1][1] >= max(gain for _, gain in known)


def _sentence(cases: list[Case]) -> str:
    if not cases:
        return "No placement was measured both by hand and by DRS."
    best = max(cases, key=lambda case: case.heavy.percent)
    text = f"Placement {best.name}: {change(best.heavy)} ({change_interval(best.heavy)})"
    if best.before and best.after:
        parts = [format_value(one.imbalance(), "cores") for one in (best.before, best.after)]
        text += f"; imbalance {parts[0]} → {parts[1]}"
    return f"{text}."


def _light(cases: list[Case], study: DrsStudy) -> str | None:
    known = [case.light for case in cases if case.light is not None]
    if not known:
        return None
    lost = [one for one in known if _direction(one, study) < 0]
    if lost:
        return f"Light VMs lost {signed(lost[0].percent)} ({change_interval(lost[0])})."
    return "Light VMs lost nothing (~)."


def _order(cases: list[Case], study: DrsStudy) -> str | None:
    """Whether the gains follow the model's order, where it predicts one."""
    known = [case for case in cases if case.before and case.after]
    wrong = []
    pairs = 0
    for one, other in combinations(known, 2):
        if abs(one.predicted - other.predicted) < study.order_tolerance_percent.value:
            continue
        pairs += 1
        if (one.predicted > other.predicted) != (one.heavy.percent > other.heavy.percent):
            wrong.append(f"{one.name} and {other.name}")
    if not pairs:
        return None
    if wrong:
        return f"The order is not the model's: {listed(wrong)}."
    return f"The order is as the model expects, in all {format_count(pairs)} pairs of placements."


def _control(cases: list[Case], study: DrsStudy) -> str | None:
    balanced = [case for case in cases if case.before and case.before.imbalance() < _EQUAL]
    if not balanced:
        return None
    if any(_direction(case.heavy, study) for case in balanced):
        return f"The balanced placement changed, too: {change(balanced[0].heavy)}; something else is at work."
    return "A balanced placement gains nothing (~)."


def _ends(cases: list[Case]) -> str | None:
    uneven = [case for case in cases if case.after and case.after.imbalance() > _EQUAL]
    if not uneven:
        return None
    worst = max(uneven, key=lambda case: case.after.imbalance() if case.after else 0.0)
    left = format_value(worst.after.imbalance() if worst.after else nan, "cores")
    names = listed(case.name for case in uneven)
    return f"DRS left hosts unequal in {names} (up to {left}); from 7.0 on it may."


def _moves(cases: list[Case]) -> str | None:
    counts = [case.migrations for case in cases if not isnan(case.migrations)]
    if not counts:
        return None
    least, most = format_count(min(counts)), format_count(max(counts))
    return f"vMotions by DRS: {least if least == most else f'{least} to {most}'} a placement."


def _study(study: DrsStudy) -> str:
    band = interval(study.gain_least_percent.value, study.gain_most_percent.value, "%")
    return f"Study: {band} more for the heavy VMs; compare shapes, not hardware."
