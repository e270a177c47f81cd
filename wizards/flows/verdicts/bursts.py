"""How fast a share that others leave idle is handed on: the critical worker's IOPS after they pause."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan, nan

import numpy as np

from diagnosis.arrays import BoolArray
from resources.study_numbers import SiocStudy
from sessions.model import FloatArray
from wizards.flows.measured import Round
from wizards.flows.verdicts.validity import sample_interval_s, samples_of


@dataclass(frozen=True, slots=True)
class HandOver:
    """How many pauses there were, and the median time until the freed share was used; infinite if it was
    not.
    """

    pauses: int
    seconds: float


def hand_over(one: Round, study: SiocStudy) -> HandOver:
    """Return how fast the critical worker takes what the competing ones leave while they pause.

    While all others pause, the whole datastore is due to it. What it can do then is the most that it does
    in any pause; it has its due when it does the honoured part (got by due) of the way there.
    """
    critical, competing = one.of_role("critical"), one.of_role("competing")
    mine, others = samples_of(critical), samples_of(competing)
    length, step = min(mine.size, others.size), sample_interval_s(critical)
    if not length or isnan(step) or not np.median(others):
        return HandOver(0, nan)
    mine, others = mine[-length:], others[-length:]
    busy = others[others > 0]
    pauses = _runs(others < study.idle_share.value * float(np.median(busy)), study.burst_least_s.value / step)
    if not pauses:
        return HandOver(0, nan)
    most = max(float(np.percentile(mine[begin:end], 75)) for begin, end in pauses)
    times = [_time_to(mine, begin, end, most, study) * step for begin, end in pauses if begin > 0]
    return HandOver(len(times), float(np.median(times)) if times else nan)


def _time_to(mine: FloatArray, begin: int, end: int, most: float, study: SiocStudy) -> float:
    before = float(np.median(mine[max(0, begin - (end - begin)) : begin]))
    if most <= before:
        return float("inf")
    wanted = before + (most - before) * study.redistribution_share.value
    reached = np.flatnonzero(mine[begin:end] >= wanted)
    return float(reached[0]) if reached.size else float("inf")


def _runs(idle: BoolArray, least: float) -> list[tuple[int, int]]:
    """The stretches of True that last at least so many samples."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], idle.astype(np.int64), [0]])))
    pairs = zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)
    return [(begin, end) for begin, end in pairs if end - begin >= least]
