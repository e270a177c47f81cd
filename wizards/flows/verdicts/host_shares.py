"""Shares inside one host: they work on every version, since each host's own queue honours them.

Steps: ``equal`` and ``weighted`` in every round, all workers on one host.
"""

from __future__ import annotations

from resources.foreign_text import shown
from resources.study_numbers import Studies
from resources.units import format_count, format_value
from wizards.flows.measured import Measured
from wizards.flows.verdict import Answer, Condition, Verdict
from wizards.flows.verdicts.comparison import Comparer
from wizards.flows.verdicts.fair_shares import shares_got
from wizards.flows.verdicts.outcome import refused, verdict
from wizards.flows.verdicts.phrases import (
    answer_of,
    change,
    change_interval,
    effect,
    listed,
    price_note,
    ratio_figure,
)
from wizards.flows.verdicts.validity import conditions, usable

STEPS = ("equal", "weighted")


def judge(given: Measured, studies: Studies) -> Verdict:
    """Return whether the host gives its VMs what their disks' shares promise."""
    measured = usable(given)
    needed = (_one_host(measured), *conditions(given, studies.judging, STEPS))
    comparer = Comparer(measured, studies.judging)
    shares = shares_got(measured.of_step("weighted"), measured.shares, studies.judging.confidence.value)
    gain = comparer.ratio("equal", "weighted", lambda one: one.iops("critical"))
    price = comparer.ratio("equal", "weighted", lambda one: one.iops())
    figures = [figure for share in shares for figure in share.figures()]
    for name, of, ratio in (
        ("IOPS, weighted to equal", "critical VM", gain),
        ("IOPS, weighted to equal", "all", price),
    ):
        figures += [ratio_figure(name, of, ratio)] if ratio is not None else []
    if (result := refused(needed, figures)) is not None:
        return result
    cheated = [share for share in shares if not share.is_honoured(studies.sioc)]
    if cheated or not shares:
        who = listed(f"{shown(one.worker)} got {format_value(one.ratio[0], 'ratio')}" for one in cheated)
        line = f"The host does not honour the shares: {who or 'nobody has any'} of what was due."
    else:
        what = effect(gain, "gains", "loses", "gains nothing by it (~)")
        line = f"The host honours the shares; the critical VM {what}."
    sentence = "The critical VM did no I/O."
    if gain is not None:
        amount = f"{change(gain)} against equal shares ({change_interval(gain)})"
        sentence = f"The critical VM's IOPS changed by {amount}."
    confidence = comparer.confidence([gain], needed, len(comparer.pairs(*STEPS)))
    notes = [price_note(price, "equal shares")]
    needs = comparer.needs(gain, *STEPS) if confidence != "high" else ""
    answer: Answer = "against" if cheated or not shares else answer_of(gain)
    return verdict(line, sentence, confidence, needed, figures, notes, needs, answer)


def _one_host(measured: Measured) -> Condition:
    hosts = {worker.host for one in measured.rounds for worker in one.workers if worker.host}
    holds = len(hosts) == 1 if hosts else None
    refusal = "the workers are on several hosts" if holds is False else ""
    text = format_count(len(hosts))
    return Condition("On one host?", text, "1", holds, "modern.md §4", refusal)
