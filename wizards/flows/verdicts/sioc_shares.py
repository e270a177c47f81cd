"""Storage I/O Control shares: is each VM given what its shares promise, and what does the critical one gain?

Steps: ``off``, ``equal`` and ``weighted`` in every round; ``alone``, ``bursts`` and ``streams`` if they
were asked for.
"""

from __future__ import annotations

from math import isfinite, isnan

from diagnosis.statistics.blocks import block_means
from diagnosis.statistics.ratio import Ratio
from diagnosis.statistics.shares import variation_percent
from resources.foreign_text import shown
from resources.study_numbers import SiocStudy, Studies
from resources.units import format_duration, format_value
from sessions.journal import Figure
from wizards.flows.measured import Measured, Round
from wizards.flows.verdict import Answer, Verdict
from wizards.flows.verdicts.bursts import hand_over
from wizards.flows.verdicts.comparison import Comparer
from wizards.flows.verdicts.congestion import proof
from wizards.flows.verdicts.fair_shares import Share, shares_got
from wizards.flows.verdicts.outcome import refused, verdict
from wizards.flows.verdicts.phrases import (
    NO_DIFFERENCE,
    answer_of,
    change,
    change_interval,
    effect,
    figure,
    interval,
    listed,
    price_note,
    ratio_figure,
)
from wizards.flows.verdicts.validity import conditions, sample_interval_s, samples_of, usable

STEPS = ("off", "equal", "weighted")


def judge(given: Measured, studies: Studies) -> Verdict:
    """Return whether the datastore honours its shares, and what the critical VM gains by them."""
    measured = usable(given)
    needed = (*proof(measured, studies.sioc), *conditions(given, studies.judging, STEPS))
    comparer = Comparer(measured, studies.judging)
    shares = shares_got(measured.of_step("weighted"), measured.shares, studies.judging.confidence.value)
    gain = comparer.ratio("off", "weighted", lambda one: one.iops("critical"))
    figures = [figure_ for share in shares for figure_ in share.figures()]
    figures += _figures(comparer, gain)
    if (result := refused(needed, figures)) is not None:
        return result
    rounds = len(comparer.pairs("off", "weighted"))
    confidence = comparer.confidence([gain], needed, rounds)
    needs = comparer.needs(gain, "off", "weighted") if confidence != "high" else ""
    notes = _notes(comparer, gain, studies.sioc)
    line = _line(shares, gain, studies.sioc)
    is_honoured = bool(shares) and all(share.is_honoured(studies.sioc) for share in shares)
    answer: Answer = answer_of(gain) if is_honoured else "against"
    sentence = _sentence(measured, shares, gain)
    return verdict(line, sentence, confidence, needed, figures, notes, needs, answer)


def _line(shares: list[Share], gain: Ratio | None, study: SiocStudy) -> str:
    cheated = [share for share in shares if not share.is_honoured(study)]
    if cheated or not shares:
        worst = listed(f"{shown(one.worker)} got {format_value(one.ratio[0], 'ratio')}" for one in cheated)
        return f"Storage I/O Control does not honour the shares: {worst or 'nobody has any'} of what was due."
    what = effect(gain, "gains", "loses", "gains nothing by it (~)")
    return f"Storage I/O Control honours the shares; the critical VM {what}."


def _sentence(measured: Measured, shares: list[Share], gain: Ratio | None) -> str:
    critical = {worker.worker for one in measured.rounds for worker in one.of_role("critical")}
    mine = next((share for share in shares if share.worker in critical), None)
    parts = []
    if mine is not None:
        bounds = f" (95 % CI {interval(mine.got[1], mine.got[2], '%')})" if isfinite(mine.got[1]) else ""
        got, owed = format_value(mine.got[0], "%"), format_value(mine.due, "%")
        parts.append(f"{shown(mine.worker)} got {got} of the datastore for {owed} of the shares{bounds}")
    if gain is not None:
        parts.append(f"its IOPS changed by {change(gain)} against SIOC off ({change_interval(gain)})")
    return f"{'; '.join(parts)}." if parts else "The critical VM did no I/O."


def _figures(comparer: Comparer, gain: Ratio | None) -> list[Figure]:
    who = critical_name(comparer.measured)
    found = [] if gain is None else [ratio_figure("IOPS, weighted to off", who, gain)]
    for step in STEPS:
        for one in comparer.measured.of_step(step):
            name = f"{step}, round {one.number}"
            found.append(figure(f"IOPS, {name}", who, one.iops("critical"), "/s"))
            found.append(figure(f"p95, {name}", who, one.percentile_ms(95, "critical"), "ms"))
            found.append(figure(f"IOPS, {name}", "all", one.iops(), "/s"))
    return found


def _notes(comparer: Comparer, gain: Ratio | None, study: SiocStudy) -> list[str | None]:
    seen = f"up to {format_value(study.gain_study_percent.value, '%')}"
    return [
        _price(comparer),
        _response(comparer),
        _fluctuation(comparer),
        _redistribution(comparer.measured, study),
        _streams(comparer.measured),
        f"Study: {seen} for the critical workload; compare shapes, not hardware." if gain else None,
    ]


def critical_name(measured: Measured) -> str:
    """Return the name of the critical worker; of several, what they are."""
    names = {worker.worker for one in measured.rounds for worker in one.of_role("critical")}
    return next(iter(names)) if len(names) == 1 else "critical VMs"


def _price(comparer: Comparer) -> str | None:
    price = comparer.ratio("off", "weighted", lambda one: one.iops())
    return price_note(price, "it off")


def _response(comparer: Comparer) -> str | None:
    ratio = comparer.ratio("off", "weighted", lambda one: one.percentile_ms(95, "critical"))
    return None if ratio is None else f"p95 of the critical VM: {change(ratio)} ({change_interval(ratio)})."


def _fluctuation(comparer: Comparer) -> str | None:
    block_s = comparer.judging.steady_block_s.value

    def fluctuation(one: Round) -> float:
        workers = one.of_role("critical")
        step = sample_interval_s(workers)
        if isnan(step):
            return step
        return variation_percent(block_means(samples_of(workers), max(1, round(block_s / step))).tolist())

    ratio = comparer.ratio("off", "weighted", fluctuation)
    if ratio is None:
        return None
    pairs = comparer.pairs("off", "weighted")
    before = sum(fluctuation(one) for one, _ in pairs) / len(pairs)
    after = sum(fluctuation(one) for _, one in pairs) / len(pairs)
    real = "" if change(ratio) != NO_DIFFERENCE else ", no real difference (~)"
    texts = f"CoV {format_value(before, '%')} → {format_value(after, '%')}"
    return f"Fluctuation of the critical VM: {texts}{real}."


def _redistribution(measured: Measured, study: SiocStudy) -> str | None:
    found = [hand_over(one, study) for one in measured.of_step("bursts")]
    times = [one.seconds for one in found if one.pauses and not isnan(one.seconds)]
    if not times:
        return None
    worst, bound = max(times), format_duration(study.redistribution_s.value)
    if worst > study.redistribution_s.value:
        return f"An idle share is not handed on within {bound}."
    when = f"in {format_duration(worst)}" if worst >= 1 else "at once"
    return f"An idle share is handed on {when} (limit {bound})."


def _streams(measured: Measured) -> str | None:
    beside = [one.percentile_ms(95, "critical") for one in measured.of_step("streams")]
    plain = [one.percentile_ms(95, "critical") for one in measured.of_step("weighted")]
    if not beside or not plain or isnan(sum(beside)) or isnan(sum(plain)):
        return None
    texts = [format_value(sum(one) / len(one), "ms") for one in (beside, plain)]
    return f"Small I/O beside 32 KB streams: p95 {texts[0]}, beside equals {texts[1]}."
