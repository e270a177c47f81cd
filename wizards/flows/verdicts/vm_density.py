"""How many VMs one cache carries: the most whose weighted latency stays at or below a single VM's without it.

Steps: ``baseline 1`` and so on, ``accelerated 1`` and so on; ``Round.setting`` is the number of VMs.
"""

from __future__ import annotations

from math import isfinite

from diagnosis.statistics.ratio import mean_of_rounds
from resources.study_numbers import Studies
from resources.units import format_count, format_value
from wizards.flows.measured import Measured
from wizards.flows.verdict import Answer, Verdict
from wizards.flows.verdicts.cache_pair import read_part, warm_cache, weighted_ms
from wizards.flows.verdicts.comparison import Comparer
from wizards.flows.verdicts.outcome import no_verdict, refused, verdict
from wizards.flows.verdicts.phrases import counted, figure_of_rounds
from wizards.flows.verdicts.validity import conditions, usable

Mean = tuple[float, float, float]


def judge(given: Measured, studies: Studies) -> Verdict:
    """Return the density: the largest number of VMs that the cache serves as well as one VM is without it."""
    measured = usable(given)
    warm = warm_cache(measured, studies.cache)
    needed = (
        *conditions(given, studies.judging, ("baseline 1", "accelerated 1"), full_queue=False),
        warm,
    )
    base, fast = (_latencies(measured, word, studies) for word in ("baseline", "accelerated"))
    rounds = min((len(measured.of_step(f"accelerated {n:.0f}")) for n in fast), default=0)
    figures = [
        figure_of_rounds("weighted latency", f"{word}, {counted(int(n), 'VM')}", mean, "ms", rounds)
        for word, means in (("baseline", base), ("accelerated", fast))
        for n, mean in means.items()
    ]
    if (result := refused(needed, figures)) is not None:
        return result
    if 1.0 not in base or not fast:
        return no_verdict(
            "one VM alone was not measured", "The baseline of one VM is the measure.", needed, figures
        )
    limit = base[1.0][0]
    density = 0
    for n, mean in sorted(fast.items()):
        if mean[0] > limit:
            break
        density = int(n)
    most = int(max(fast))
    comparer = Comparer(measured, studies.judging)
    confidence = comparer.confidence([], needed, rounds)
    if confidence == "high" and (warm.holds is None or not _is_clear(fast, limit, density)):
        confidence = "medium"
    more = "at least " if density == most else ""
    line = f"The cache carries {more}{counted(density, 'VM')} at the latency of one VM without it."
    if not density:
        line = "The cache carries no VM at the latency of one VM without it."
    notes = [
        _at_cap(measured, studies),
        "More VMs were not measured: the density may be higher." if density == most else None,
        f"Study: {format_count(studies.cache.density_study.value)} VMs; compare shapes, not hardware.",
    ]
    needs = comparer.needs(None, "", "") if confidence == "indicative" else ""
    answer: Answer = "good" if density else "against"
    sentence = _sentence(base, fast, density, most)
    return verdict(line, sentence, confidence, needed, figures, notes, needs, answer)


def _latencies(measured: Measured, word: str, studies: Studies) -> dict[float, Mean]:
    part = read_part(measured, studies.cache)
    found: dict[float, list[float]] = {}
    for one in measured.rounds:
        if one.step.split()[0] == word and (latency := weighted_ms(one, part)) > 0:
            found.setdefault(one.setting, []).append(latency)
    return {
        n: mean_of_rounds(values, studies.judging.confidence.value) for n, values in sorted(found.items())
    }


def _is_clear(fast: dict[float, Mean], limit: float, density: int) -> bool:
    """Whether the intervals of the last number that holds and of the next one lie on their sides of the
    limit.
    """
    above = [mean for n, mean in fast.items() if n > density]
    return (density == 0 or fast[float(density)][2] <= limit) and (not above or above[0][1] > limit)


def _sentence(base: dict[float, Mean], fast: dict[float, Mean], density: int, most: int) -> str:
    parts = [f"one VM without the cache: {_text(base[1.0])}"]
    if density:
        parts.append(f"{counted(density, 'VM')} with it: {_text(fast[float(density)])}")
    if density != most:
        following = min(n for n in fast if n > density)
        parts.append(f"{counted(int(following), 'VM')}: {_text(fast[following])}")
    return f"Weighted latency of {'; '.join(parts)}."


def _text(mean: Mean) -> str:
    bounds = (
        f" (95 % CI {format_value(mean[1], '')} to {format_value(mean[2], 'ms')})"
        if isfinite(mean[1])
        else ""
    )
    return f"{format_value(mean[0], 'ms')}{bounds}"


def _at_cap(measured: Measured, studies: Studies) -> str | None:
    """Up to how many VMs all of them still do the I/Os that they ask for."""
    cap = studies.cache.vm_iops.value
    share = studies.cache.at_cap_share.value
    short = sorted(
        one.setting
        for one in measured.rounds
        if one.step.split()[0] == "accelerated" and one.iops() < one.setting * cap * share
    )
    if not short:
        return f"All VMs did the {format_value(cap, '/s')} that each asked for."
    begin, asked = counted(int(short[0]), "VM"), format_value(cap, "/s")
    return f"From {begin} on they no longer do the {asked} that each asks for."
