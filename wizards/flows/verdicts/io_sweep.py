"""I/O sweep: the knee, whether the queue was full at each point, and the study's best practices as rules.

Steps: a word and the value, ``depth 16``; ``Round.setting`` is the value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, isnan, nan

from diagnosis.statistics.curves import Knee, knee
from diagnosis.statistics.ratio import mean_of_rounds
from diagnosis.statistics.shares import variation_percent
from resources.study_numbers import Studies, SweepStudy
from resources.units import format_bytes, format_count, format_value
from sessions.journal import Figure
from wizards.flows.measured import Measured, Round
from wizards.flows.verdict import Condition, Confidence, Verdict
from wizards.flows.verdicts.comparison import Comparer
from wizards.flows.verdicts.outcome import no_verdict, refused, verdict
from wizards.flows.verdicts.phrases import counted, figure_of_rounds, interval, limit, signed
from wizards.flows.verdicts.validity import conditions, little_percent, usable

_TITLES = {
    "depth": "outstanding I/Os a disk",
    "block": "I/O size",
    "reads": "read share",
    "working set": "working set",
    "workers": "workers",
}
_WITH_KNEE = ("depth", "block", "workers")


@dataclass(frozen=True, slots=True)
class Point:
    """One value of a sweep over its rounds: IOPS, MB/s and mean latency, each mean, low, high.

    ``variation`` is the coefficient of variation of its rounds' IOPS in percent, ``little`` by how much
    the worker that misses Little's law most does so.
    """

    setting: float
    iops: tuple[float, float, float]
    mb: tuple[float, float, float]
    latency: tuple[float, float, float]
    rounds: int
    variation: float
    little: float


def judge(given: Measured, studies: Studies) -> Verdict:
    """Return where the knee is, or how the storage answers to what was varied."""
    measured = usable(given)
    steps = [step for step in given.steps() if word_of(step) in _TITLES]
    swept = {word_of(step) for step in steps}
    needed = (
        *conditions(given, studies.judging, steps, full_queue=False),
        _repeatable(measured, studies.sweep),
    )
    points = _points([one for one in measured.rounds if word_of(one.step) in swept], studies)
    figures = [one for point in points for one in _figures(point, "/".join(sorted(swept)))]
    if (result := refused(needed, figures)) is not None:
        return result
    if len(points) < 2 or len(swept) != 1:
        why = "A sweep needs at least two values of one thing."
        return no_verdict("nothing was varied", why, needed, figures)
    word = next(iter(swept))
    needed = (*needed, _little(points, studies))
    found = _knee(points, word, studies) if word in _WITH_KNEE else None
    comparer = Comparer(measured, studies.judging)
    rounds = min(point.rounds for point in points)
    confidence: Confidence = comparer.confidence([], needed, rounds)
    facts = {**given.before, **_facts(points, word, found)}
    notes = [_beyond(points, word, found), _drift(measured, studies.sweep), *_rules(facts, studies.sweep)]
    needs = comparer.needs(None, "", "") if confidence == "indicative" else ""
    return verdict(
        _line(points, word, found), _sentence(points, word, found), confidence, needed, figures, notes, needs
    )


def word_of(step: str) -> str:
    """Return what a step varies: ``working set 50`` varies the ``working set``."""
    return step.rpartition(" ")[0]


def setting_text(word: str, value: float) -> str:
    """Return a value of a sweep as an admin reads it: ``16 outstanding I/Os a disk``, ``32 KB``, ``70 %
    reads``.
    """
    if word == "block":
        return format_bytes(value)
    if word in ("reads", "working set"):
        return f"{format_value(value, '%')} {'reads' if word == 'reads' else 'of each disk'}"
    return f"{format_count(value)} {_TITLES[word]}"


def _points(rounds: Sequence[Round], studies: Studies) -> list[Point]:
    by_setting: dict[float, list[Round]] = {}
    for one in rounds:
        if one.iops() > 0:
            by_setting.setdefault(one.setting, []).append(one)
    found = []
    for setting, those in sorted(by_setting.items()):
        sure = studies.judging.confidence.value
        misses = [abs(little_percent(worker, one.seconds)) for one in those for worker in one.workers]
        found.append(
            Point(
                setting,
                mean_of_rounds([one.iops() for one in those], sure),
                mean_of_rounds([one.mb_per_second() for one in those], sure),
                mean_of_rounds([one.latency_ms() for one in those], sure),
                len(those),
                variation_percent([one.iops() for one in those]),
                max((miss for miss in misses if isfinite(miss)), default=nan),
            )
        )
    return found


def _figures(point: Point, word: str) -> list[Figure]:
    of = f"{word} {format_count(point.setting)}"
    return [
        figure_of_rounds("IOPS", of, point.iops, "/s", point.rounds),
        figure_of_rounds("throughput", of, point.mb, "MB/s", point.rounds),
        figure_of_rounds("mean latency", of, point.latency, "ms", point.rounds),
        Figure(
            "off Little's law", of, None if isnan(point.little) else point.little, "%", None, point.rounds
        ),
    ]


def _knee(points: Sequence[Point], word: str, studies: Studies) -> Knee | None:
    values = [point.mb[0] if word == "block" else point.iops[0] for point in points]
    return knee([point.setting for point in points], values, studies.judging.knee_gain_percent.value)


def _line(points: Sequence[Point], word: str, found: Knee | None) -> str:
    last = points[-1]
    if word not in _WITH_KNEE:
        best, worst = max(points, key=lambda one: one.iops), min(points, key=lambda one: one.iops)
        return (
            f"From {setting_text(word, points[0].setting)} to {setting_text(word, last.setting)} IOPS range "
            f"from "
            f"{format_value(worst.iops[0], '/s')} to {format_value(best.iops[0], '/s')}."
        )
    if found is None:
        what = "Bandwidth still rises" if word == "block" else "IOPS still rise"
        return f"{what} at {setting_text(word, last.setting)}: there is no knee up to there."
    at = next(point for point in points if point.setting == found.setting)
    if word == "block":
        return (
            f"Bandwidth is flat from {setting_text(word, at.setting)} on: {format_value(at.mb[0], 'MB/s')}."
        )
    got = f"{format_value(at.iops[0], '/s')} at {format_value(at.latency[0], 'ms')}"
    return f"The knee is at {setting_text(word, at.setting)}: {got}."


def _sentence(points: Sequence[Point], word: str, found: Knee | None) -> str:
    before = points[-2]
    if found is not None:
        before = next(point for point in points if point.setting == found.setting)
    last, unit = points[-1], "MB/s" if word == "block" else "/s"
    texts = []
    for point in (before, last):
        value = point.mb if word == "block" else point.iops
        bounds = f" (95 % CI {interval(value[1], value[2], unit)})" if isfinite(value[1]) else ""
        texts.append(f"{setting_text(word, point.setting)}: {format_value(value[0], unit)}{bounds}")
    return f"{'; '.join(texts)}."


def _beyond(points: Sequence[Point], word: str, found: Knee | None) -> str | None:
    if found is None or word == "block":
        return None
    at, last = next(point for point in points if point.setting == found.setting), points[-1]
    more = signed((last.iops[0] / at.iops[0] - 1) * 100)
    times = format_value(last.latency[0] / at.latency[0], "ratio")
    return f"Beyond it, at {setting_text(word, last.setting)}: {more} IOPS for {times} times the latency."


def _facts(points: Sequence[Point], word: str, found: Knee | None) -> dict[str, float]:
    """What the best practices look at, as far as this sweep tells it."""
    facts = {}
    if word == "depth" and found is not None:
        facts["depth_by_knee"] = points[-1].setting / found.setting
    if word == "block":
        facts["size_knee_kb"] = (found.setting if found is not None else points[-1].setting) / 1024
    if word == "workers":
        linear = points[0].iops[0] / points[0].setting * points[-1].setting
        facts["scaling_efficiency"] = points[-1].iops[0] / linear
    return facts


def _rules(facts: dict[str, float], study: SweepStudy) -> list[str]:
    return [f"{rule.id}: {rule.text}" for rule in study.rule if rule.speaks(facts)]


def _drift(measured: Measured, study: SweepStudy) -> str | None:
    """Whether the storage changed meanwhile: the first point against the same one measured last."""
    if not measured.rounds:
        return None
    first, last = measured.rounds[0], measured.rounds[-1]
    if first is last or first.step != last.step or not first.iops():
        return None
    change = (last.iops() / first.iops() - 1) * 100
    if abs(change) <= study.drift_percent.value:
        return None
    return f"The storage changed meanwhile: the first point, repeated at the end, gave {signed(change)}."


def _repeatable(measured: Measured, study: SweepStudy) -> Condition:
    by_step: dict[str, list[float]] = {}
    for one in measured.rounds:
        by_step.setdefault(one.step, []).append(one.iops())
    variations = [variation_percent(values) for values in by_step.values()]
    known = [one for one in variations if not isnan(one)]
    worst, number = max(known, default=nan), study.variation_percent
    holds = worst <= number.value if known else None
    text = f"CoV {format_value(worst, '%')} of {counted(len(known), 'point')}" if known else "one round each"
    return Condition("Do rounds repeat?", text, limit("≤", number), holds, number.source)


def _little(points: Sequence[Point], studies: Studies) -> Condition:
    number = studies.judging.little_percent
    worst = max((point.little for point in points if not isnan(point.little)), default=nan)
    holds = None if isnan(worst) else worst <= number.value
    text = f"Little's law {format_value(worst, '%')} off"
    return Condition("Were the queues full?", text, limit("≤", number), holds, number.source)
