"""The IOPS limit of a disk: does the limited VM stay just at it, and what do the others gain?

Steps: ``unlimited`` and ``limited``. The limited workers have the role ``competing`` (all, if nobody has
a role); the others are ``critical``. ``inputs["limit"]`` is the limit of one worker's disks together, in
I/Os a second.
"""

from __future__ import annotations

from math import ceil, isnan

from diagnosis.statistics.blocks import block_means
from diagnosis.statistics.ratio import mean_of_rounds
from diagnosis.statistics.shares import variation_percent
from resources.foreign_text import shown
from resources.study_numbers import SiocStudy, Studies
from resources.units import format_bytes, format_value
from sessions.journal import Figure
from wizards.flows.measured import Measured, Round, WorkerRound
from wizards.flows.verdict import Answer, Condition, Verdict
from wizards.flows.verdicts.comparison import Comparer
from wizards.flows.verdicts.fair_shares import ios
from wizards.flows.verdicts.outcome import refused, verdict
from wizards.flows.verdicts.phrases import (
    change,
    change_interval,
    figure_of_rounds,
    interval,
    limit,
    ratio_figure,
)
from wizards.flows.verdicts.validity import conditions, sample_interval_s, samples_of, usable

STEPS = ("unlimited", "limited")


def judge(given: Measured, studies: Studies) -> Verdict:
    """Return whether the limit holds the limited VMs flat at it."""
    measured = usable(given)
    allowed = _allowed(measured, studies.sioc)
    needed = (
        _binds(measured, allowed, studies.sioc),
        *conditions(given, studies.judging, STEPS, full_queue=False),
        _flat(measured, studies),
    )
    comparer = Comparer(measured, studies.judging)
    figures = _kept(measured, allowed, studies)
    others = comparer.ratio("unlimited", "limited", lambda one: one.latency_ms("critical"))
    if others is not None:
        figures.append(ratio_figure("latency, limited to unlimited", "the others", others))
    if (result := refused(needed, figures)) is not None:
        return result
    kept = [one for one in figures if one.name == "got by limit" and one.value is not None]
    broken = [one for one in kept if not _within(one, studies.sioc)]
    rounds = len(comparer.pairs(*STEPS))
    confidence = comparer.confidence([], needed, rounds)
    if rounds >= studies.judging.rounds_for_verdict.value and any(one.interval is None for one in kept):
        confidence = "medium"
    line = "The limit holds: the limited VMs stay flat at it."
    if needed[-1].holds is not True:
        line = "The limit holds on average; whether the limited VMs stay flat at it is not known."
    if needed[-1].holds is False:
        line = "The limit holds on average, but the limited VMs are not flat at it."
    if broken:
        value = format_value(broken[0].value or 0.0, "ratio")
        line = f"The limit does not hold: {shown(broken[0].of)} did {value} of it."
    notes = [
        None if others is None else f"Latency of the others: {change(others)} ({change_interval(others)}).",
        _cost_note(measured, studies.sioc),
        "The limit is what stays supported after 8.0 U3, where shares on datastores are deprecated.",
    ]
    needs = comparer.needs(others, *STEPS) if confidence == "indicative" else ""
    answer: Answer = "against" if broken or needed[-1].holds is False else "good"
    return verdict(line, _sentence(kept), confidence, needed, figures, notes, needs, answer)


def _limited(one: Round) -> tuple[WorkerRound, ...]:
    return one.of_role("competing") or one.of_role()


def _allowed(measured: Measured, study: SiocStudy) -> float:
    """The I/Os a second of a limited worker: a large I/O counts as several."""
    return measured.inputs.get("limit", 0.0) / max(1, _cost(measured, study))


def _cost(measured: Measured, study: SiocStudy) -> int:
    workers = [worker for one in measured.of_step("limited") for worker in _limited(one)]
    total, count = (
        sum(one.reads.bytes + one.writes.bytes for one in workers),
        sum(ios(one) for one in workers),
    )
    return ceil(total / count / study.cost_unit_bytes.value) if count else 1


def _cost_note(measured: Measured, study: SiocStudy) -> str | None:
    cost = _cost(measured, study)
    if cost <= 1:
        return None
    return f"Each I/O counts as {cost}: the limit is in units of {format_bytes(study.cost_unit_bytes.value)}."


def _binds(measured: Measured, allowed: float, study: SiocStudy) -> Condition:
    number = study.limit_binding
    free = [ios(worker) / one.seconds for one in measured.of_step("unlimited") for worker in _limited(one)]
    holds = min(free) / allowed >= number.value if free and allowed > 0 else None
    text = f"{format_value(min(free), '/s')} without it" if free else "not measured"
    bound = f"≥ {format_value(number.value * allowed, '/s')}"
    return Condition("Does the limit bind?", text, bound, holds, number.source, "the limit does not bind")


def _flat(measured: Measured, studies: Studies) -> Condition:
    number = studies.sioc.flat_percent
    found = []
    for one in measured.of_step("limited"):
        for worker in _limited(one):
            step = sample_interval_s([worker])
            if not isnan(step):
                size = max(1, round(studies.judging.steady_block_s.value / step))
                found.append(variation_percent(block_means(samples_of([worker]), size).tolist()))
    known = [one for one in found if not isnan(one)]
    worst = max(known, default=float("nan"))
    holds = worst <= number.value if known else None
    return Condition(
        "A flat top?", f"CoV {format_value(worst, '%')}", limit("≤", number), holds, number.source
    )


def _kept(measured: Measured, allowed: float, studies: Studies) -> list[Figure]:
    rounds = measured.of_step("limited")
    names = dict.fromkeys(worker.worker for one in rounds for worker in _limited(one))
    found = []
    for name in names:
        got = [ios(worker) / one.seconds for one in rounds for worker in one.workers if worker.worker == name]
        known = [one / allowed for one in got if one > 0 and allowed > 0]
        if known:
            mean = mean_of_rounds(known, studies.judging.confidence.value)
            found.append(figure_of_rounds("got by limit", name, mean, "ratio", len(known)))
    return found


def _within(kept: Figure, study: SiocStudy) -> bool:
    return kept.value is not None and study.limit_least.value <= kept.value <= study.limit_most.value


def _sentence(kept: list[Figure]) -> str:
    parts = []
    for one in kept[:3]:
        bounds = f" (95 % CI {interval(*one.interval, 'ratio')})" if one.interval else ""
        parts.append(f"{shown(one.of)} did {format_value(one.value or 0.0, 'ratio')} of its limit{bounds}")
    return f"{'; '.join(parts)}." if parts else "Nobody did any I/O."
