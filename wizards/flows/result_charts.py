"""The charts of a result, from its figures and rounds: shares, steps, changes, sweeps, gains."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from math import isfinite, isnan

from diagnosis.statistics.ratio import mean_of_rounds
from resources.study_numbers import Studies
from resources.units import format_value
from sessions.journal import Figure
from viewmodels.health import Health
from wizards.flows.chart_values import (
    ChangeBar,
    ChangeChart,
    Interval,
    Point,
    PointChart,
    PointRow,
    ShareBar,
    StepChart,
    StepColumn,
)
from wizards.flows.measured import Measured, Role, Round
from wizards.flows.plan_sheet import Tone
from wizards.flows.verdict import Verdict

_MAX_STEPS = 4
_LABELS: Mapping[str, str] = {"off": "off", "equal": "equal", "weighted": "weighted", "a": "A", "b": "B"}
_NOT_JUDGED = ("alone", "bursts", "streams", "fill")
_CONFIDENCE = 0.95


def shares_of(verdict: Verdict, studies: Studies) -> Iterator[ShareBar]:
    """Yield what each worker got of what was due to it; whether that is right only if the run is valid."""
    by_worker: dict[str, dict[str, Figure]] = {}
    for one in verdict.figures:
        if one.name in ("share due", "share got", "got by due"):
            by_worker.setdefault(one.of, {})[one.name] = one
    for worker, found in by_worker.items():
        got = found.get("share got")
        if got is None or got.value is None:
            continue
        due = found["share due"].value if "share due" in found else None
        ratio = found["got by due"].value if "got by due" in found else None
        least, most = studies.sioc.ratio_least.value, studies.sioc.ratio_most.value
        honoured = None if ratio is None or not verdict.valid else least <= ratio <= most
        yield ShareBar(worker, due, got.value, got.interval, ratio, honoured)


def steps_of(verdict: Verdict, measured: Measured) -> Iterator[StepChart]:
    """Yield IOPS and p95 of each step; nothing for a sweep, whose steps are points of a curve."""
    duplicates = _duplicates(verdict)
    if duplicates is not None:
        yield duplicates
        return
    steps = [one for one in measured.steps() if one.split()[0] not in _NOT_JUDGED]
    if not 2 <= len(steps) <= _MAX_STEPS or any(_is_swept(one) for one in measured.rounds):
        return
    is_critical = any(one.of_role("critical") for one in measured.rounds)
    role: tuple[Role, ...] = ("critical",) if is_critical else ()
    quantities: tuple[tuple[str, str, Callable[[Round], float], bool], ...] = (
        ("IOPS", "/s", lambda one: one.iops(*role), True),
        ("p95", "ms", lambda one: one.percentile_ms(95, *role), False),
    )
    for name, unit, value, more_is_better in quantities:
        columns = tuple(
            column
            for number, step in enumerate(steps)
            if (column := _column(measured, step, _tone(number, len(steps)), value)) is not None
        )
        if len(columns) >= 2:
            change, state = _change(columns[0], columns[-1], more_is_better)
            meant = state if verdict.valid else "none"
            yield StepChart(name, unit, columns, change, meant, columns[0].interval)


def _duplicates(verdict: Verdict) -> StepChart | None:
    """Return the asked part of duplicates beside what was reported; None for tests without."""
    found = {one.name: one.value for one in verdict.figures if one.name.startswith("duplicates ")}
    tones: dict[str, Tone] = {"asked": "first", "reported": "third", "at the end": "second"}
    columns = tuple(
        StepColumn(word, f"duplicates {word}", tone, value, None, (value,))
        for word, tone in tones.items()
        if (value := found.get(f"duplicates {word}")) is not None
    )
    return StepChart("Duplicates", "%", columns) if len(columns) > 1 else None


def changes_of(verdict: Verdict, studies: Studies) -> ChangeChart | None:
    """Return the changes, with an interval from three rounds on; None for tests without."""
    compared = [
        one
        for one in map(_in_percent, verdict.figures)
        if one.unit == "%" and any(mark in one.name for mark in (" to ", "speed-up", "gain of the heavy"))
    ]
    bars = [
        ChangeBar(f"{one.name}{'' if one.of in ('all', '') else f', {one.of}'}", one.value, one.interval,
                  _meaning(one))
        for one in compared
        if one.value is not None
    ]  # fmt: skip
    if not bars:
        return None
    n = max((one.n for one in verdict.figures if one.interval is not None), default=0)
    most = max((one.n for one in compared), default=1)
    note = f"95 % CI of {n} rounds" if n else f"{'two rounds' if most == 2 else 'one round'}, no interval"
    floor = None
    if any(one.name.endswith("B to A") for one in verdict.figures):
        margin = studies.storage.margin_percent.value
        floor, note = (-margin, margin), f"{note.replace('95', '90')}, margin ±{margin:g} %"
    return ChangeChart("Changes", note, tuple(bars[:8]), floor)


def points_of(verdict: Verdict, studies: Studies) -> Iterator[PointChart]:
    """Yield the curves of a sweep, and the gain over the imbalance of DRS placements."""
    for chart in (_gains(verdict, studies), _density(verdict)):
        if chart is not None:
            yield chart
    by_word: dict[str, list[Figure]] = {}
    for one in verdict.figures:
        if one.name in ("IOPS", "mean latency", "latency of one block") and one.value is not None:
            by_word.setdefault(one.name, []).append(one)
    for name, title, unit in (
        ("IOPS", "Throughput", "/s"),
        ("mean latency", "Latency", "ms"),
        ("latency of one block", "Latency of one block", "ms"),
    ):
        points = [point for one in by_word.get(name, ()) if (point := _swept_point(one)) is not None]
        if len(points) >= 2:
            word = by_word[name][0].of.rpartition(" ")[0]
            numbers = [one.x for one in points]
            wide = max(numbers) > 8 * max(1e-9, min(numbers))
            row = PointRow(name, tuple(sorted(points, key=lambda one: one.x)), is_joined=True)
            yield PointChart(title, unit, _WORDS.get(word, word), unit, (row,), x_is_logarithmic=wide)


def _density(verdict: Verdict) -> PointChart | None:
    """Return the latency over the number of VMs, with and without the cache; None for other tests."""
    rows: dict[str, list[Point]] = {}
    for one in verdict.figures:
        word, comma, count = one.of.partition(", ")
        if one.name == "weighted latency" and comma and one.value is not None:
            number = count.split()[0].replace(",", "")
            if number.isdigit():
                rows.setdefault(word, []).append(Point(float(number), one.value, one.interval))
    if not any(len(points) > 1 for points in rows.values()):
        return None
    found = tuple(
        PointRow(word, tuple(sorted(points, key=lambda point: point.x)), number, is_joined=True)
        for number, (word, points) in enumerate(rows.items())
    )
    return PointChart("Weighted latency", "ms", "VMs at once", "ms", found)


_WORDS = {"depth": "outstanding I/Os a disk", "block": "bytes an I/O", "reads": "% reads"}


def _swept_point(one: Figure) -> Point | None:
    number = one.of.rpartition(" ")[2].replace(",", "").replace("\u202f", "").replace("\u2009", "")
    try:
        return Point(float(number), one.value or 0.0, one.interval)
    except ValueError:
        return None


def _gains(verdict: Verdict, studies: Studies) -> PointChart | None:
    by_case: dict[str, dict[str, Figure]] = {}
    for one in verdict.figures:
        if one.of.startswith("placement "):
            by_case.setdefault(one.of.removeprefix("placement "), {})[one.name] = one
    measured, model = [], []
    for case, found in by_case.items():
        gain, imbalance = found.get("gain of the heavy VMs"), found.get("imbalance before")
        if gain is None or gain.value is None or imbalance is None or imbalance.value is None:
            continue
        measured.append(Point(imbalance.value, gain.value, gain.interval, case))
        predicted = found.get("gain by the model")
        if predicted is not None and predicted.value is not None:
            model.append(Point(imbalance.value, predicted.value, None, case))
    if not measured:
        return None
    low, high = studies.drs.gain_least_percent.value, studies.drs.gain_most_percent.value
    rows = [PointRow("measured", tuple(measured), 5)]
    if model:
        rows.append(PointRow("model", tuple(model), is_model=True))
    band = ((low, high), f"study: {low:g} to {high:g} %")
    name = "imbalance: spread of demand over hosts, cores"
    return PointChart("Gain against imbalance", "%", name, "", tuple(rows), band)


def _is_swept(one: Round) -> bool:
    return not isnan(one.setting)


def _column(measured: Measured, step: str, tone: Tone, value: Callable[[Round], float]) -> StepColumn | None:
    rounds = [found for one in measured.of_step(step) if isfinite(found := value(one))]
    if not rounds:
        return None
    mean, low, high = mean_of_rounds(rounds, _CONFIDENCE)
    interval: Interval | None = (low, high) if isfinite(low) else None
    return StepColumn(_LABELS.get(step, step), step, tone, mean, interval, tuple(rounds))


def _tone(number: int, count: int) -> Tone:
    if number == count - 1:
        return "third"
    return "first" if number == 0 else "second"


def _change(first: StepColumn, last: StepColumn, more_is_better: bool) -> tuple[str, Health]:
    percent = (last.mean / first.mean - 1) * 100 if first.mean else 0.0
    if first.interval is not None and last.interval is not None:
        overlap = first.interval[0] <= last.interval[1] and last.interval[0] <= first.interval[1]
        if overlap:
            return "~", "none"
    text = f"{'+' if percent > 0 else ''}{format_value(percent, '%')}"
    if first.interval is None or last.interval is None:
        return text, "none"  # one round or two tell no real difference
    return text, "ok" if (percent > 0) == more_is_better else "warning"


def _in_percent(one: Figure) -> Figure:
    """Return a speed-up as a change in percent; any other figure as it is."""
    if "speed-up" not in one.name or one.unit != "ratio" or one.value is None:
        return one
    bounds = one.interval and ((one.interval[0] - 1) * 100, (one.interval[1] - 1) * 100)
    return replace(one, value=(one.value - 1) * 100, unit="%", interval=bounds)


def _meaning(one: Figure) -> Health:
    if one.value is None or one.interval is None or one.interval[0] <= 0 <= one.interval[1]:
        return "none"
    latency = "latency" in one.name and "speed-up" not in one.name
    return "ok" if (one.value > 0) != latency else "warning"
