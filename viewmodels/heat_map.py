"""The heat map as values: one counter of many entities over time, the worst entity first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from resources.catalogue import Catalogue
from resources.units import format_value
from resources.views import CounterLimits, LimitsByCounter
from sessions.model import EntityRef, FloatArray, IntArray, Series
from sessions.store import SessionReader
from sessions.times import TimeRange
from viewmodels.buckets import Buckets
from viewmodels.distinct_names import row_names
from viewmodels.health import Health
from viewmodels.scope_filter import ScopeFilter
from viewmodels.snapshot import Snapshot, is_own
from viewmodels.work import UnwatchedWork, Work

Measure = Literal["Highest value", "Share over the limit"]
MEASURES: tuple[Measure, ...] = ("Highest value", "Share over the limit")
"""How the samples of a bucket are reduced to the value of its cell."""

MAX_ROWS = 4_000
_BUCKETS = 240
_SERIES_AT_ONCE = 256
_KIND_LABELS = {"vm": "VM", "vcpu": "vCPU", "vdisk": "virtual disk", "nic": "uplink"}


@dataclass(frozen=True, slots=True)
class HeatRow:
    """A row of the heat map: an entity, its worst value as text, and how bad that value is."""

    ref: EntityRef
    name: str
    worst: str
    state: Health
    series: int


@dataclass(frozen=True)
class Heat:
    """A heat map: ``values`` (rows, buckets) in ``unit``, NaN where nothing was measured.

    ``top`` is the value of the strongest colour; from ``limit`` on colours show a warning (NaN: no limit).
    """

    title: str = ""
    unit: str = ""
    window: TimeRange | None = None
    rows: Sequence[HeatRow] = ()
    values: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))
    limit: float = np.nan
    top: float = 1.0


@dataclass(frozen=True, slots=True)
class HeatChoice:
    """A counter of a kind of entity that a heat map can show, with its limits."""

    counter: str
    kind: str
    label: str
    unit: str
    limits: CounterLimits


def heat_choices(snapshot: Snapshot, limits: LimitsByCounter, catalogue: Catalogue) -> Sequence[HeatChoice]:
    """Return the heat maps that a session has series for, in the order of ``limits``."""
    present = {(one.counter, one.entity.kind) for one in snapshot.series if is_own(one)}
    return [
        HeatChoice(counter, kind, f"{known.label} of each {_KIND_LABELS.get(kind, kind)}", known.unit, bounds)
        for (counter, kind), bounds in limits.items()
        if (counter, kind) in present and (known := catalogue.get(counter)) is not None
    ]


def heat_map(
    reader: SessionReader,
    choice: HeatChoice,
    filtered: ScopeFilter,
    window: TimeRange,
    measure: Measure,
    *,
    work: Work | None = None,
    max_rows: int = MAX_ROWS,
) -> Heat:
    """Read the heat map of a counter over a window: the ``max_rows`` worst series of the scope, worst first.

    If the scope covers none, the rows are those of what its entities depend on: the LUNs of a VM.
    """
    snapshot = filtered.snapshot
    every = [
        one
        for one in snapshot.series
        if one.counter == choice.counter and one.entity.kind == choice.kind and is_own(one)
    ]
    series = filtered.series(every) or filtered.needed_series(every)
    worst, values, chosen = _ranked(
        reader, series, window, choice, measure, max_rows, work or UnwatchedWork()
    )
    limit, is_share = choice.limits.warning.value, measure == "Share over the limit"
    critical = choice.limits.critical.value if choice.limits.critical else limit * 2
    unit = "%" if is_share else choice.unit
    names = row_names(series, snapshot)
    rows = [
        HeatRow(
            one.entity,
            names[one.id],
            format_value(value, unit),
            _state(value, choice.limits, is_share=is_share),
            one.id,
        )
        for one, value in zip(chosen, worst.tolist(), strict=True)
    ]
    top = 100.0 if is_share else max(critical, limit * 2)
    return Heat(choice.label, unit, window, rows, values, np.nan if is_share else limit, top)


def in_place(heat: Heat, before: Heat) -> Heat:
    """Return a heat map with the rows in the order that they had ``before``; new ones come last.

    Rows that move while somebody looks at them can't be read or clicked.
    """
    place = {row.series: number for number, row in enumerate(before.rows)}
    order = sorted(range(len(heat.rows)), key=lambda at: (place.get(heat.rows[at].series, len(place)), at))
    return replace(heat, rows=[heat.rows[at] for at in order], values=heat.values[order])


def is_sorted(heat: Heat) -> bool:
    """True if the worst row is the first, and so on down."""
    worst = np.where(np.isfinite(heat.values), heat.values, -np.inf).max(axis=1, initial=-np.inf)
    return bool((worst[:-1] >= worst[1:]).all())


def _ranked(
    reader: SessionReader,
    series: Sequence[Series],
    window: TimeRange,
    choice: HeatChoice,
    measure: Measure,
    max_rows: int,
    work: Work,
) -> tuple[FloatArray, FloatArray, Sequence[Series]]:
    """Return worst value, bucketed values and series of each row, ordered worst first.

    Statistics of chunks tell which series can be among the worst; only these are read.
    """
    ids = np.array([one.id for one in series], np.int64)
    highest = reader.stats(ids, window).maximum if ids.size else np.zeros(0)
    order = np.argsort(-np.nan_to_num(highest, nan=-np.inf), kind="stable")
    order = order[np.isfinite(highest[order])]
    limit = choice.limits.warning.value
    if measure == "Highest value":
        order = order[:max_rows]
        values = _bucketed(reader, ids[order], window, None, work)
        return highest[order], values, [series[at] for at in order.tolist()]
    # The largest share of any bucket does not follow from the highest value: all over the limit are read.
    order = order[: max(int((highest > limit).sum()), max_rows)]
    values = _bucketed(reader, ids[order], window, limit, work)
    share = np.where(np.isfinite(values), values, 0.0).max(axis=1, initial=0.0)
    by_share = np.argsort(-share, kind="stable")[:max_rows]
    return share[by_share], values[by_share], [series[at] for at in order[by_share].tolist()]


def _bucketed(
    reader: SessionReader, ids: IntArray, window: TimeRange, limit: float | None, work: Work
) -> FloatArray:
    """Return (series, buckets): the highest value, or the percentage of samples above ``limit`` if given."""
    buckets = Buckets(window, _BUCKETS)
    values = np.full((ids.size, _BUCKETS), np.nan)
    row_of = {number: row for row, number in enumerate(ids.tolist())}
    for begin in range(0, ids.size, _SERIES_AT_ONCE):
        for frame in reader.read(ids[begin : begin + _SERIES_AT_ONCE], window):
            work.check()
            if limit is None:
                found = buckets.highest(frame.times, frame.values)
            else:
                found = buckets.share_over(frame.times, frame.values, limit)
            values[[row_of[number] for number in frame.ids.tolist()]] = buckets.hold_last(frame.times, found)
        work.progress(begin / ids.size)
    return values


def _state(value: float, limits: CounterLimits, *, is_share: bool) -> Health:
    if is_share:
        return "warning" if value > 0 else "ok"
    return limits.state(value) or "ok"
