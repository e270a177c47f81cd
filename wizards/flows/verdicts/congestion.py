"""The proof that Storage I/O Control acted: a full datastore, active time, and queue depths that moved.

A vCenter accepts the setting even where no host acts on it any more (8.0 U3 and later deprecate it), so that
shares which seem honoured prove nothing by themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isnan, nan

import numpy as np

from resources.study_numbers import SiocStudy
from resources.units import format_count, format_value
from wizards.flows.measured import Measured, Observed, Round
from wizards.flows.verdict import Condition
from wizards.flows.verdicts.phrases import counted, limit, listed

_ON = ("equal", "weighted")


def proof(measured: Measured, study: SiocStudy) -> tuple[Condition, ...]:
    """Return the three conditions without which shares on a datastore have no verdict.

    Each repetition must have been congested, and SIOC active in each weighted round: those are judged.
    """
    return (_congested(measured, study), _acted(measured, study), _on_several_hosts(measured, study))


def _congested(measured: Measured, study: SiocStudy) -> Condition:
    threshold = measured.inputs.get("threshold_ms", study.threshold_ms.value)
    by_number: dict[int, float] = {}
    for one in measured.rounds:
        mean = _mean(one.counter(study.counters.normalised_latency)) if one.step in ("off", *_ON) else nan
        if not isnan(mean):
            by_number[one.number] = max(mean, by_number.get(one.number, mean))
    least = min(by_number.values(), default=nan)
    holds = None if isnan(least) else least > threshold
    text = f"{format_value(least, 'ms')} normalised"
    was_once = max(by_number.values(), default=nan) > threshold
    refusal = "the datastore was not full in every round" if was_once else "the datastore was never full"
    if holds is None:
        refusal = "nobody knows whether the datastore was full"
    bound = f"> {format_value(threshold, 'ms')}"
    advice = "Raise the load or lower the threshold."
    return Condition("Was there congestion?", text, bound, holds, study.threshold_ms.source, refusal, advice)


def _acted(measured: Measured, study: SiocStudy) -> Condition:
    weighted = measured.of_step("weighted")
    actives = [_mean(one.counter(study.counters.active)) for one in weighted]
    active = min((one for one in actives if not isnan(one)), default=nan)
    before, moved = queue_depths(measured, study)
    text = f"active {format_value(active, '%')}"
    shrunk = [(high, low) for high, low in zip(before, moved, strict=True) if low < high]
    if shrunk:
        depths = listed((format_count(round(low)) for _, low in sorted(shrunk, key=_by_depth)), 4)
        text += f", queues {format_count(max(high for high, _ in shrunk))} → {depths}"
    elif before:
        text += f", none of {counted(len(before), 'queue')} moved from {format_count(max(before))}"
    known = not isnan(active) and bool(before)
    holds = (active > study.active_percent.value and bool(shrunk)) if known else None
    refusal = "Storage I/O Control is not active here"
    if holds is None:
        refusal = "nothing proves that Storage I/O Control acted"
    bound = f"{limit('>', study.active_percent)}, queues below their depth"
    advice = (
        "Shares on datastores are deprecated from 8.0 U3 on: test the IOPS limit, or shares inside one host."
    )
    return Condition("Did SIOC act?", text, bound, holds, study.active_percent.source, refusal, advice)


def _by_depth(queue: tuple[float, float]) -> float:
    return queue[1]


def _on_several_hosts(measured: Measured, study: SiocStudy) -> Condition:
    hosts = {worker.host for one in measured.of_step("weighted") for worker in one.workers if worker.host}
    number = study.hosts_least
    holds = len(hosts) >= number.value if hosts else None
    refusal = "all workers are on one host" if holds is False else ""
    text = format_count(len(hosts))
    return Condition("On several hosts?", text, limit("≥", number), holds, number.source, refusal)


def queue_depths(measured: Measured, study: SiocStudy) -> tuple[list[float], list[float]]:
    """Return each device queue's configured depth, and the lowest mean depth of a weighted round.

    The configured depth is the highest one ever seen; queues are in the order of their names.
    """
    keys = study.counters.queue_depth
    configured: dict[str, float] = {}
    throttled: dict[str, float] = {}
    for one in measured.rounds:
        for seen in one.counter(keys):
            highest, mean = _highest([seen]), _mean([seen])
            if isnan(highest):
                continue
            configured[seen.of] = max(configured.get(seen.of, highest), highest)
            if one.step == "weighted":
                throttled[seen.of] = min(throttled.get(seen.of, mean), mean)
    names = sorted(throttled)
    return [configured[name] for name in names], [throttled[name] for name in names]


def _mean(seen: Iterable[Observed]) -> float:
    values = [one.values[~np.isnan(one.values)] for one in seen]
    known = np.concatenate(values) if values else np.zeros(0)
    return float(known.mean()) if known.size else nan


def _highest(seen: Sequence[Observed]) -> float:
    known = np.concatenate([one.values[~np.isnan(one.values)] for one in seen])
    return float(known.max()) if known.size else nan


def host_of(one: Round, worker: str) -> str:
    """Return the host of a worker in a round, empty if it is unknown."""
    return next((each.host for each in one.workers if each.worker == worker), "")
