"""Shares: what was due to each worker beside what it got, as ratios of rounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from diagnosis.statistics.ratio import mean_of_rounds
from diagnosis.statistics.shares import due
from resources.study_numbers import SiocStudy
from sessions.journal import Figure
from wizards.flows.measured import Round, WorkerRound
from wizards.flows.verdicts.phrases import figure, figure_of_rounds


@dataclass(frozen=True, slots=True)
class Share:
    """What one worker got of what was due to it, both in percent of all IOPS; ``ratio`` is got by due.

    Each of ``got`` and ``ratio`` is mean, low, high over the rounds.
    """

    worker: str
    due: float
    got: tuple[float, float, float]
    ratio: tuple[float, float, float]
    rounds: int

    def is_honoured(self, study: SiocStudy) -> bool:
        """Return True if the worker got about what was due to it."""
        return study.ratio_least.value <= self.ratio[0] <= study.ratio_most.value

    def figures(self) -> tuple[Figure, ...]:
        """Return due, got and their ratio as figures of a result."""
        return (
            figure("share due", self.worker, self.due, "%"),
            figure_of_rounds("share got", self.worker, self.got, "%", self.rounds),
            figure_of_rounds("got by due", self.worker, self.ratio, "ratio", self.rounds),
        )


def shares_got(rounds: Sequence[Round], shares: Mapping[str, float], confidence: float) -> list[Share]:
    """Return each worker's share of all IOPS beside what its shares are due; those without IOPS are left
    out.
    """
    names = [one.worker for one in rounds[0].workers if one.worker in shares] if rounds else []
    found = []
    for name in names:
        owed = due({one: shares[one] for one in names}, 100.0)[name]
        got = [_percent_of_all(one, name, names) for one in rounds]
        known = [one for one in got if one > 0]
        if known and owed > 0:
            mean = mean_of_rounds(known, confidence)
            ratio = (mean[0] / owed, mean[1] / owed, mean[2] / owed)
            found.append(Share(name, owed, mean, ratio, len(known)))
    return found


def _percent_of_all(one: Round, name: str, names: Sequence[str]) -> float:
    total = sum(ios(worker) for worker in one.workers if worker.worker in names)
    mine = sum(ios(worker) for worker in one.workers if worker.worker == name)
    return 100.0 * mine / total if total else 0.0


def ios(worker: WorkerRound) -> int:
    """Return how many I/Os a worker did."""
    return worker.reads.ios + worker.writes.ios
