"""A cache's baseline against its acceleration: IOPS, weighted latency, and reads and writes apart.

Steps: ``baseline`` and ``accelerated``.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isnan, nan

from diagnosis.statistics.ratio import Ratio
from diagnosis.statistics.shares import weighted_latency
from resources.study_numbers import CacheStudy, Number, Studies
from resources.units import format_value
from sessions.journal import Figure
from wizards.flows.measured import Measured, Round, mean_ms
from wizards.flows.verdict import Condition, Verdict
from wizards.flows.verdicts.comparison import Comparer
from wizards.flows.verdicts.outcome import refused, verdict
from wizards.flows.verdicts.phrases import answer_of, limit, no_interval
from wizards.flows.verdicts.validity import conditions, usable

STEPS = ("baseline", "accelerated")


def judge(given: Measured, studies: Studies) -> Verdict:
    """Return how much faster the cache makes the workload; latencies are speed-ups."""
    measured = usable(given)
    warm = warm_cache(measured, studies.cache)
    needed = (*conditions(given, studies.judging, STEPS), warm)
    comparer = Comparer(measured, studies.judging)
    part = read_part(measured, studies.cache)
    quantities: dict[str, tuple[str, str, Callable[[Round], float], Number]] = {
        "IOPS": (*STEPS, lambda one: one.iops(), studies.cache.iops_factor),
        "weighted latency": (
            *reversed_steps(),
            lambda one: weighted_ms(one, part),
            studies.cache.latency_factor,
        ),
        "read latency": (*reversed_steps(), reads_ms, studies.cache.read_factor),
        "write latency": (*reversed_steps(), writes_ms, studies.cache.write_factor),
    }
    ratios = {name: comparer.ratio(a, b, value) for name, (a, b, value, _) in quantities.items()}
    figures = [_figure(f"{name}, speed-up", ratio) for name, ratio in ratios.items() if ratio is not None]
    if (result := refused(needed, figures)) is not None:
        return result
    main = ratios["weighted latency"]
    confidence = comparer.confidence([main], needed, len(comparer.pairs(*STEPS)))
    if warm.holds is None and confidence == "high":
        confidence = "medium"
    writes = ratios["write latency"]
    notes = [
        f"Writes got slower: {factor(writes)}."
        if writes is not None and writes.difference == "lower"
        else None,
        *(
            f"{name}: {factor(ratio)}; study: × {format_value(quantities[name][3].value, 'ratio')}."
            for name, ratio in ratios.items()
            if ratio is not None and name != "weighted latency"
        ),
        "Compare shapes, not hardware.",
    ]
    needs = comparer.needs(main, *STEPS) if confidence != "high" else ""
    return verdict(
        _line(main, ratios["IOPS"]),
        _sentence(main, ratios["IOPS"]),
        confidence,
        needed,
        figures,
        notes,
        needs,
        answer_of(main),
    )


def reversed_steps() -> tuple[str, str]:
    """Return the steps so that their ratio of latencies is a speed-up."""
    return STEPS[1], STEPS[0]


def read_part(measured: Measured, study: CacheStudy) -> float:
    """Return the part of reads by which latencies are weighted: the one that was asked for, else the
    study's.
    """
    return measured.inputs.get("reads", study.read_part.value * 100) / 100


def weighted_ms(one: Round, reads: float) -> float:
    """Return a round's latency weighted by the asked mix; NaN if one of its sides is missing."""
    sides = {"read": reads_ms(one), "write": writes_ms(one)}
    return weighted_latency(sides, {"read": reads, "write": 1 - reads})


def reads_ms(one: Round) -> float:
    """Return the mean latency of a round's reads."""
    return mean_ms(worker.reads for worker in one.workers)


def writes_ms(one: Round) -> float:
    """Return the mean latency of a round's writes."""
    return mean_ms(worker.writes for worker in one.workers)


def factor(ratio: Ratio) -> str:
    """Return a speed-up with its interval: ``× 2.90 (95 % CI 2.80 to 3.00)``; ``~`` for none."""
    if ratio.difference == "none seen":
        return "no real difference (~)"
    text = f"× {format_value(ratio.value, 'ratio')}"
    if ratio.interval is None:
        each = [f"× {format_value(one, 'ratio')}" for one in ratio.each]
        return f"{text} ({no_interval(each)})"
    low, high = ratio.interval
    return f"{text} (95 % CI {format_value(low, '')} to {format_value(high, '')})"


def _line(main: Ratio | None, iops: Ratio | None) -> str:
    if main is None or main.difference == "none seen":
        return "The cache makes no real difference (~)."
    faster = "faster" if main.value > 1 else "slower"
    amount = format_value(max(main.value, 1 / main.value), "ratio")
    line = f"With the cache I/Os are {amount} times {faster}"
    if iops is not None and iops.difference != "none seen":
        line += f", and there are {format_value(iops.value, 'ratio')} times as many"
    return f"{line}{' in a single round' if main.difference == 'undecided' else ''}."


def _sentence(main: Ratio | None, iops: Ratio | None) -> str:
    parts = [f"weighted latency {factor(main)}"] if main is not None else []
    parts += [f"IOPS {factor(iops)}"] if iops is not None else []
    return f"Speed-up: {'; '.join(parts)}." if parts else "There was no I/O to compare."


def _figure(name: str, ratio: Ratio) -> Figure:
    return Figure(name, "all", ratio.value, "ratio", ratio.interval, ratio.pairs)


def warm_cache(measured: Measured, study: CacheStudy) -> Condition:
    """Return whether the cache served nearly all reads in each accelerated round; unknown is not warm."""
    rounds = [one for one in measured.rounds if one.step.split()[0] == "accelerated"]
    known = [hit for one in rounds if not isnan(hit := one.facts.get("hit_percent", nan))]
    number = study.hit_percent
    holds = min(known) >= number.value if known else None
    text = f"hits {format_value(min(known), '%')}" if known else "hits unknown"
    refusal = "the cache was not warm" if holds is False else ""
    advice = "Warm it longer, or test with a smaller working set."
    return Condition("Was the cache warm?", text, limit("≥", number), holds, number.source, refusal, advice)
