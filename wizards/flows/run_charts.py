"""The charts of a run that goes on: IOPS of all workers, queue depths, Storage I/O Control, latency."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import nan

import numpy as np

from resources.foreign_text import shown
from resources.units import format_value
from sessions.model import Event, FloatArray, IntArray
from sessions.times import TimeRange
from viewmodels.host_domains import shared_domain, without
from viewmodels.run_curves import CounterCurve, WorkCurve, WorkCurves
from wizards.flows.chart_values import Band, TimeChart, TimeCurve
from wizards.flows.run_source import RunSource
from wizards.flows.verdicts.phrases import counted

QUEUE, ACTIVE, CPU = "disk.queue_depth", "datastore.sioc_active", "cpu.util"
HOST_CPU = ("cpu.util", "cpu.pcpu_util", "cpu.pcpu_used")
"""What tells how busy a host is, the first that is there."""
_MAX_HOSTS = 8
_MOVES = ("vmotion", "drs")
"""Kinds of events that tell of a VM that moved to another host, in small letters."""


def charts_of(source: RunSource, bands: tuple[Band, ...], window: TimeRange) -> Iterator[TimeChart]:
    """Yield the charts of a run, the stacked IOPS first; all have the same times."""
    work = source.work
    colours = _colours(source)
    ordered = _critical_first(source)
    stack = tuple(
        TimeCurve(one.worker, one.iops, colours.get(one.worker, 0), _last(one.iops, "")) for one in ordered
    )
    yield TimeChart(
        "IOPS per VM", "stacked", "/s", work.times, stack, bands, window, is_stacked=True, now=source.now,
        empty="No worker has reported yet",
    )  # fmt: skip
    plain = tuple(_without_label(one) for one in bands)
    for key, title, note, unit in (
        (QUEUE, "Device queue depth", "DQLEN per host", "count"),
        (CPU, "CPU of each host", "%", "%"),
    ):
        found = source.counters.get(key, ())
        if found:
            domain = shared_domain(one.of for one in found)
            curves = tuple(
                TimeCurve(without(domain, one.of), one.values, number, _last(one.values, ""))
                for number, one in enumerate(found[:_MAX_HOSTS])
            )
            yield TimeChart(title, note, unit, work.times, curves, plain, window, now=source.now)
    critical = [one for one in ordered if source.role(one.worker) == "critical"]
    who = critical[0] if len(critical) == 1 else None
    mean, p99 = (who.latency, who.p99) if who is not None else _together(work)
    name = f"Latency of {shown(who.worker, 40)}" if who is not None else "Latency of all workers"
    curves = (TimeCurve("mean", mean, 0, _last(mean, "")), TimeCurve("p99", p99, 5, _last(p99, "")))
    kept = tuple(one for one in curves if np.isfinite(one.values).any()) or curves[:1]
    note = "ms, critical VM" if who is not None else "ms, weighted by I/Os"
    yield TimeChart(name, note, "ms", work.times, kept, plain, window, now=source.now)


def hosts_chart(
    hosts: Sequence[CounterCurve],
    times: IntArray,
    bands: tuple[Band, ...],
    window: TimeRange,
    events: Iterable[Event],
) -> TimeChart:
    """Return how busy each host was over a whole run, with a mark at each vMotion in it."""
    domain = shared_domain(one.of for one in hosts)
    curves = tuple(
        TimeCurve(without(domain, one.of), one.values, number)
        for number, one in enumerate(hosts[:_MAX_HOSTS])
    )
    moves = tuple(
        (one.at, shown(one.text, 120))
        for one in events
        if one.kind.lower() in _MOVES and window.start <= one.at <= window.end
    )
    note = f"%, {counted(len(moves), 'vMotion')}, dotted" if moves else "%"
    return TimeChart("CPU of each host, whole run", note, "%", times, curves, bands, window, moments=moves)


def strip_of(source: RunSource, bands: tuple[Band, ...], window: TimeRange) -> TimeChart | None:
    """Return how long Storage I/O Control was active, None where nobody counts it."""
    active = source.counters.get(ACTIVE, ())
    if not active:
        return None
    one = active[0]
    plain = tuple(_without_label(band) for band in bands)
    curve = TimeCurve(one.of, one.values, 2, _last(one.values, "%"))
    return TimeChart(
        "SIOC", "active", "%", source.work.times, (curve,), plain, window, is_stacked=True, now=source.now
    )


def _without_label(band: Band) -> Band:
    return Band(band.window, "", band.tone, band.is_warm_up)


def _together(work: WorkCurves) -> tuple[FloatArray, FloatArray]:
    """Return the mean latency of all workers, weighted by I/Os, and the worst p99."""
    if not work.workers:
        nothing = np.full(work.times.size, nan)
        return nothing, nothing
    iops = np.stack([np.nan_to_num(one.iops) for one in work.workers])
    latency = np.stack([np.nan_to_num(one.latency) for one in work.workers])
    total = iops.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(total > 0, (iops * latency).sum(axis=0) / total, nan)
    p99 = np.stack([one.p99 for one in work.workers])
    there = np.isfinite(p99).any(axis=0)
    worst = np.where(there, np.max(np.where(np.isfinite(p99), p99, -np.inf), axis=0), nan)
    return mean, worst


def _colours(source: RunSource) -> dict[str, int]:
    return {one.name: number for number, one in enumerate(source.plan.workers)}


def _critical_first(source: RunSource) -> list[WorkCurve]:
    """Return the workers in the order of the plan, critical ones at the bottom of the stack."""
    colours = _colours(source)
    return sorted(
        source.work.workers,
        key=lambda one: (source.role(one.worker) != "critical", colours.get(one.worker, 0), one.worker),
    )


def _last(values: FloatArray, unit: str) -> str:
    known = values[np.isfinite(values)]
    return format_value(float(known[-1]), unit) if known.size else ""
