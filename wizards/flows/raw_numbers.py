"""The raw numbers of a result: a row for each worker, or for each value of a sweep, or for each figure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import isfinite, isnan, nan

from diagnosis.statistics.ratio import mean_of_rounds
from resources.foreign_text import shown
from resources.units import format_count, format_value
from sessions.journal import Figure, TestRun
from viewmodels.health import Health
from viewmodels.host_domains import shared_domain, without
from wizards.flows.measured import Measured, Round
from wizards.flows.result_sheet import RawCell, RawTable
from wizards.flows.verdict import Verdict

_MAX_STEPS = 4
_MAX_ROWS = 200
_CONFIDENCE = 0.95
_NOT_JUDGED = ("alone", "bursts", "streams", "fill")

Value = Callable[[Round], float]


def raw_table(verdict: Verdict, measured: Measured, run: TestRun) -> RawTable | None:
    """Return the table; None if nothing was measured."""
    steps = [one for one in measured.steps() if one.split()[0] not in _NOT_JUDGED]
    if not steps:
        return _figures_table(verdict.figures or run.figures)
    if placements := [one for one in verdict.figures if one.name == "gain of the heavy VMs"]:
        return _placements_table(verdict, measured, placements)
    settings = {one.step: one.setting for one in measured.rounds}
    if any(isfinite(settings[step]) for step in steps):
        steps = sorted(steps, key=lambda step: (step.rpartition(" ")[0], settings[step]))
        return _steps_table(measured, steps)
    if len(steps) > _MAX_STEPS:
        return _steps_table(measured, steps)
    return _workers_table(measured, steps)


def _workers_table(measured: Measured, steps: Sequence[str]) -> RawTable:
    first, last = steps[0], steps[-1]
    several = len(steps) > 1
    heads = [("Raw numbers", False), ("host", False)]
    heads += [("shares", True)] if measured.shares else []
    heads += [(f"IOPS {step}", True) for step in steps]
    heads += [("95 % CI", True), (f"{last} to {first}", True)] if several else [("95 % CI", True)]
    for name in ("mean ms", "p95 ms", "p99 ms"):
        heads += [(f"{name} {first}", True), (last, True)] if several else [(name, True)]
    names = list(dict.fromkeys(worker.worker for one in measured.rounds for worker in one.workers))
    rows = [_worker_row(measured, steps, name, number) for number, name in enumerate(names[:_MAX_ROWS])]
    if len(names) > 1:
        rows.append(_worker_row(measured, steps, "", None))
    return RawTable(tuple(heads), tuple(rows))


def _worker_row(
    measured: Measured, steps: Sequence[str], name: str, number: int | None
) -> tuple[RawCell, ...]:
    first, last = steps[0], steps[-1]
    role = next((one.role for each in measured.rounds for one in each.workers if one.worker == name), "")
    host = next((one.host for each in measured.rounds for one in each.workers if one.worker == name), "")
    is_bold = role == "critical" or not name
    hosts = {one.host for each in measured.rounds for one in each.workers if one.host}
    host = without(shared_domain(hosts), host)
    cells = [RawCell(shown(name) if name else "all", colour=number, is_bold=is_bold), RawCell(shown(host))]
    if measured.shares:
        share = measured.shares.get(name) if name else sum(measured.shares.values())
        cells.append(RawCell(format_count(share) if share is not None else "–"))
    means = {step: _mean(measured, step, lambda one: _only(one, name).iops()) for step in steps}
    cells += [RawCell(_value(means[step][0]), is_bold=step == last) for step in steps]
    cells.append(RawCell(_half(means[last])))
    if len(steps) > 1:
        cells.append(_change(means[first], means[last]))
    for value in (
        lambda one: _only(one, name).latency_ms(),
        lambda one: _only(one, name).percentile_ms(95),
        lambda one: _only(one, name).percentile_ms(99),
    ):
        ends = (first, last) if len(steps) > 1 else (last,)
        found = [RawCell(_value(_mean(measured, step, value)[0]), is_bold=step == last) for step in ends]
        cells += found
    return tuple(cells)


def _steps_table(measured: Measured, steps: Sequence[str]) -> RawTable:
    heads = [("Raw numbers", False), ("rounds", True), ("IOPS", True), ("95 % CI", True), ("MB/s", True)]
    heads += [("mean ms", True), ("p95 ms", True), ("p99 ms", True)]
    quantities: tuple[Value, ...] = (
        lambda one: one.mb_per_second(),
        lambda one: one.latency_ms(),
        lambda one: one.percentile_ms(95),
        lambda one: one.percentile_ms(99),
    )
    rows = []
    for step in steps[:_MAX_ROWS]:
        iops = _mean(measured, step, lambda one: one.iops())
        cells = [RawCell(shown(step), is_bold=True), RawCell(format_count(len(measured.of_step(step))))]
        cells += [RawCell(_value(iops[0]), is_bold=True), RawCell(_half(iops))]
        cells += [RawCell(_value(_mean(measured, step, value)[0])) for value in quantities]
        rows.append(tuple(cells))
    return RawTable(tuple(heads), tuple(rows))


def _placements_table(verdict: Verdict, measured: Measured, gains: Sequence[Figure]) -> RawTable:
    heads = [("Placement", False), ("imbalance, cores", True), ("after", True), ("model", True)]
    heads += [("by hand, /s", True), ("by DRS, /s", True), ("gain", True), ("95 % CI", True)]
    heads += [("light VMs", True), ("vMotions", True)]
    rows = []
    for gain in gains:
        of = {one.name: one for one in verdict.figures if one.of == gain.of}
        case = gain.of.removeprefix("placement ")
        hand, drs = (_mean(measured, f"{step} {case}", _heavy) for step in ("hand", "drs"))
        light = of.get("gain of the light VMs")
        rows.append(
            (
                RawCell(shown(case), is_bold=True),
                RawCell(_number(of.get("imbalance before"))),
                RawCell(_number(of.get("imbalance after"))),
                RawCell(_number(of.get("gain by the model"), "%")),
                RawCell(_value(hand[0]), is_bold=True),
                RawCell(_value(drs[0]), is_bold=True),
                _real(gain),
                RawCell(_bounds(gain)),
                RawCell("–") if light is None else _real(light),
                RawCell(_number(of.get("migrations"))),
            )
        )
    return RawTable(tuple(heads), tuple(rows))


def _heavy(one: Round) -> float:
    return one.iops("heavy")


def _number(one: Figure | None, unit: str = "") -> str:
    return "–" if one is None or one.value is None else format_value(one.value, unit)


def _real(one: Figure) -> RawCell:
    """Return a change, or ``~`` where its interval holds no difference."""
    if one.value is None:
        return RawCell("–")
    text = f"{'+' if one.value > 0 else ''}{format_value(one.value, '%')}"
    if one.interval is None:
        return RawCell(text)
    if one.interval[0] <= 0 <= one.interval[1]:
        return RawCell("~")
    return RawCell(text, "ok" if one.value > 0 else "warning", is_bold=True)


def _bounds(one: Figure) -> str:
    if one.interval is None:
        return "–"
    return f"{format_value(one.interval[0], '')} – {format_value(one.interval[1], '')}"


def _figures_table(figures: Sequence[Figure]) -> RawTable | None:
    if not figures:
        return None
    heads = (("Raw numbers", False), ("of", False), ("value", True), ("95 % CI", True), ("samples", True))
    return RawTable(heads, tuple(_figure_row(one) for one in figures[:_MAX_ROWS]))


def _figure_row(one: Figure) -> tuple[RawCell, ...]:
    value = format_value(one.value, one.unit) if one.value is not None else "–"
    bounds = ""
    if one.interval is not None:
        bounds = f"{format_value(one.interval[0], '')} – {format_value(one.interval[1], one.unit)}"
    count = format_count(one.n) if one.n else ""
    return (
        RawCell(shown(one.name), is_bold=True),
        RawCell(shown(one.of)),
        RawCell(value, is_bold=True),
        RawCell(bounds),
        RawCell(count),
    )


def _only(one: Round, name: str) -> Round:
    """Return the round with this worker only; with all of them for an empty name."""
    if not name:
        return one
    workers = tuple(each for each in one.workers if each.worker == name)
    return Round(one.step, one.number, one.window, workers, one.setting)


def _mean(measured: Measured, step: str, value: Value) -> tuple[float, float, float]:
    found = list(_values(measured.of_step(step), value))
    return mean_of_rounds(found, _CONFIDENCE) if found else (nan, nan, nan)


def _values(rounds: Sequence[Round], value: Value) -> Iterator[float]:
    for one in rounds:
        found = value(one)
        if isfinite(found):
            yield found


def _value(value: float) -> str:
    return "–" if isnan(value) else format_value(value, "")


def _half(mean: tuple[float, float, float]) -> str:
    return f"±{format_value((mean[2] - mean[1]) / 2, '')}" if isfinite(mean[1]) else "–"


def _change(first: tuple[float, float, float], last: tuple[float, float, float]) -> RawCell:
    if not (isfinite(first[0]) and isfinite(last[0])) or first[0] <= 0:
        return RawCell("–")
    percent = (last[0] / first[0] - 1) * 100
    text = f"{'+' if percent > 0 else ''}{format_value(percent, '%')}"
    if not (isfinite(first[1]) and isfinite(last[1])):
        return RawCell(text)  # one round or two tell no real difference
    if first[1] <= last[2] and last[1] <= first[2]:
        return RawCell("~")
    state: Health = "ok" if percent > 0 else "warning"
    return RawCell(text, state)
