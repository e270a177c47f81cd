"""Whether a test's rounds can be trusted: who took part, what disturbed them, whether the load was the
asked one.

What is required stands between a result and its verdict. The rest lowers the confidence: a generator that was
the bottleneck, a queue that was not full, a load that still drifted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite, isnan, nan

import numpy as np

from diagnosis.statistics.curves import littles_deviation_percent
from diagnosis.statistics.steady import Steadiness, SteadyLimits, measured_steadiness
from resources.foreign_text import shown
from resources.study_numbers import Judging
from resources.units import format_duration, format_value
from sessions.model import FloatArray
from wizards.flows.measured import Measured, Round, Transfers, WorkerRound, mean_ms
from wizards.flows.verdict import Condition
from wizards.flows.verdicts.phrases import counted, limit, listed


def usable(measured: Measured) -> Measured:
    """Return the rounds that nothing disturbed, in which every worker of their step took part and ended
    well.
    """
    good = [one for one in measured.rounds if _is_usable(one)]
    most: dict[str, int] = {}
    for one in good:
        most[one.step] = max(most.get(one.step, 0), len(one.workers))
    return replace(measured, rounds=tuple(one for one in good if len(one.workers) == most[one.step]))


def conditions(
    measured: Measured, judging: Judging, steps: Sequence[str], *, full_queue: bool = True
) -> tuple[Condition, ...]:
    """Return what must hold of every test: ``steps`` are those without which there is no verdict.

    ``full_queue`` is False where the load is limited on purpose.
    """
    good = usable(measured)
    rounds = [one for one in good.rounds if one.step in steps]
    found = [
        _all_there(measured, good, steps),
        _undisturbed(measured, steps),
        _to_the_end(rounds, judging),
        _free_workers(rounds, judging),
        _steady(rounds, judging),
    ]
    if full_queue:
        found.insert(4, _full_queues(rounds, judging))
    return tuple(found)


def samples_of(workers: Sequence[WorkerRound]) -> FloatArray:
    """Return the IOPS of some workers together, one value for each sample that all of them have."""
    if not workers or any(not one.samples for one in workers):
        return np.zeros(0)
    length = min(len(one.samples) for one in workers)
    rows = [[sample.reads + sample.writes for sample in one.samples[-length:]] for one in workers]
    total: FloatArray = np.nansum(np.array(rows, np.float64), axis=0)
    return total


def sample_interval_s(workers: Sequence[WorkerRound]) -> float:
    """Return how many seconds lie between two samples; NaN if there are fewer than two."""
    times = [sample.at for sample in workers[0].samples] if workers else []
    return (times[-1] - times[0]) / (len(times) - 1) / 1000 if len(times) > 1 else nan


def little_percent(worker: WorkerRound, seconds: float) -> float:
    """Return by how much a worker misses Little's law, in percent; NaN if it is not known."""
    iops = (worker.reads.ios + worker.writes.ios) / seconds
    return littles_deviation_percent(worker.outstanding, iops, _latency_ms(worker.reads, worker.writes))


def _is_usable(one: Round) -> bool:
    return not one.disturbances and not any(worker.error for worker in one.workers) and bool(one.workers)


def _latency_ms(*sides: Transfers) -> float:
    return mean_ms(sides)


def _all_there(measured: Measured, good: Measured, steps: Sequence[str]) -> Condition:
    """Fewer workers than planned only lower the confidence, others in one phase than in another refuse it."""
    names = {worker.worker for one in good.rounds for worker in one.workers}
    failed = {worker.worker for one in measured.rounds for worker in one.workers if worker.error} - names
    count = measured.worker_count or len(names)
    text = f"{len(names)} of {count}"
    if failed:
        text += f": {listed(shown(name) for name in sorted(failed))} failed"
    present = {frozenset(each.worker for each in one.workers) for one in good.rounds if one.step in steps}
    refusal = ""
    if not names:
        refusal = "nothing was measured"
    elif len(present) > 1 and not _is_sweep_of_workers(steps):
        refusal, text = "workers were lost between the phases", f"{text}, not the same in all phases"
    holds = not refusal and len(names) >= count
    return Condition("Did all workers take part?", text, "all", holds, "fio.md §6.1", refusal)


def _is_sweep_of_workers(steps: Sequence[str]) -> bool:
    return all(step.startswith("workers ") for step in steps)


def _undisturbed(measured: Measured, steps: Sequence[str]) -> Condition:
    disturbed = [one for one in measured.rounds if one.disturbances]
    left = {one.step for one in measured.rounds if _is_usable(one)}
    text = "no event"
    if disturbed:
        what = listed(dict.fromkeys(event.text for one in disturbed for event in one.disturbances), 1)
        text = f"{counted(len(disturbed), 'round')} of {len(measured.rounds)} left out: {what}"
    elif not measured.rounds:
        text = "no round was measured"
    elif not set(steps) <= left:
        text = f"{len(left)} of {counted(len(set(steps)), 'phase')} measured"
    holds = set(steps) <= left
    refusal = "a phase was disturbed" if disturbed else "a phase was not measured"
    return Condition("Undisturbed?", text, "a round of each phase", holds, "tests.md pitfall 4", refusal)


def _to_the_end(rounds: Sequence[Round], judging: Judging) -> Condition:
    shares = [one.seconds / one.planned_seconds for one in rounds if one.planned_seconds > 0]
    least = min(shares, default=nan)
    number = judging.runtime_share
    holds = None if isnan(least) else least >= number.value
    share = format_value(least * 100, "%")
    return Condition("Measured to the end?", share, f"≥ {number.value * 100:.0f} %", holds, number.source)


def _free_workers(rounds: Sequence[Round], judging: Judging) -> Condition:
    known = [worker.cpu for one in rounds for worker in one.workers if not isnan(worker.cpu)]
    busiest = max(known, default=nan)
    number = judging.cpu_percent
    holds = None if isnan(busiest) else busiest < number.value
    text = f"busiest vCPU {format_value(busiest, '%')}"
    return Condition("Were the workers free?", text, limit("<", number), holds, number.source)


def _full_queues(rounds: Sequence[Round], judging: Judging) -> Condition:
    number = judging.little_percent
    misses = [little_percent(worker, one.seconds) for one in rounds for worker in one.workers]
    known = [one for one in misses if isfinite(one)]
    reached = [worker.depth_reached for one in rounds for worker in one.workers]
    shallow = [one for one in reached if one < judging.depth_reached_share.value]
    worst = max(known, key=abs, default=nan)
    text = f"Little's law {format_value(abs(worst), '%')} off"
    if shallow:
        text += f", depth reached {format_value(min(shallow) * 100, '%')} of the time"
    holds = None if isnan(worst) else abs(worst) <= number.value and not shallow
    bound = f"{limit('≤', number)}, depth ≥ {format_value(judging.depth_reached_share.value * 100, '%')}"
    return Condition("Were the queues full?", text, bound, holds, number.source)


def _steady(rounds: Sequence[Round], judging: Judging) -> Condition:
    number = judging.steady_drift_percent
    found = [one for one in (steadiness_of(one, judging) for one in rounds) if one is not None]
    window = format_duration(judging.steady_window_s.value)
    most = limit("≤", judging.steady_variation_percent)
    text_limit = f"drift {limit('≤', number)} in {window}, CoV {most}"
    if not found:
        return Condition("Steady?", "too few samples", text_limit, None, number.source)
    judged = [(one, _is_steady(one, judging)) for one in found]
    rank = {False: 2, None: 1, True: 0}
    worst, holds = max(
        judged, key=lambda pair: (rank[pair[1]], abs(pair[0].drift_percent) + pair[0].drift_error)
    )
    drift, variation = format_value(abs(worst.drift_percent), ""), format_value(worst.variation_percent, "%")
    text = f"drift {drift} ± {format_value(worst.drift_error, '%')}, CoV {variation}"
    if holds is None:
        text += ": too short to tell"
    return Condition("Steady?", text, text_limit, holds, number.source)


def _is_steady(one: Steadiness, judging: Judging) -> bool | None:
    """Whether a round was steady; None if its drift may be within the limit or beyond, as far as it tells."""
    drift, most = abs(one.drift_percent), judging.steady_drift_percent.value
    if one.variation_percent > judging.steady_variation_percent.value or drift - one.drift_error > most:
        return False
    return True if drift + one.drift_error <= most else None


def steadiness_of(one: Round, judging: Judging) -> Steadiness | None:
    """Return how steady a measured round was; None if it has too few samples to tell."""
    return measured_steadiness(
        samples_of(one.workers), sample_interval_s(one.workers), steady_limits(judging)
    )


def steady_limits(judging: Judging) -> SteadyLimits:
    """Return what steady means, as the statistics take it."""
    return SteadyLimits(
        judging.steady_window_s.value,
        judging.steady_block_s.value,
        judging.steady_drift_percent.value,
        judging.steady_variation_percent.value,
        judging.steady_confidence.value,
    )
