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
from viewmodels.entity_limits import EntityLimits
from viewmodels.health import Health
from viewmodels.possible_samples import PossibleReader, left_out_of
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
    ``limits`` (rows,) are those of the rows where these are not all the same; else it is empty.
    ``left_out`` says of how many entities numbers that no host can have were left out; empty for none.
    """

    title: str = ""
    unit: str = ""
    window: TimeRange | None = None
    rows: Sequence[HeatRow] = ()
    values: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))
    limit: float = np.nan
    top: float = 1.0
    limits: FloatArray = field(default_factory=lambda: np.zeros(0))
    left_out: str = ""

    @property
    def limit_text(self) -> str:
        """Return ``limit 10 ms``, or what the limits of the rows are, by class of storage; empty for none."""
        if not np.isfinite(self.limit):
            return ""
        if not self.limits.size:
            return f"limit {format_value(self.limit, self.unit)}"
        values = [format_value(value, self.unit) for value in sorted(set(self.limits.tolist()))]
        return f"limits {', '.join(values)} by class of storage"


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
    limits: EntityLimits,
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
    bounds = [limits.of(choice.counter, one.entity) or choice.limits for one in series]
    warnings = np.array([one.warning.value for one in bounds])
    is_share = measure == "Share over the limit"
    ranked = _ranked_shares if is_share else _ranked_values
    possible = PossibleReader(reader, series)
    worst, values, at = ranked(possible, series, window, warnings, max_rows, work or UnwatchedWork())
    own = [bounds[number] for number in at.tolist()]
    each = {id(one): one for one in own}.values() or [choice.limits]
    limit = min(one.warning.value for one in each)
    critical = max(one.critical.value if one.critical else one.warning.value * 2 for one in each)
    unit = "%" if is_share else choice.unit
    names = row_names(series, snapshot)
    rows = [
        HeatRow(
            one.entity,
            names[one.id],
            format_value(value, unit),
            _state(value, limits_of_row, is_share=is_share),
            one.id,
        )
        for one, value, limits_of_row in zip(
            (series[number] for number in at.tolist()), worst.tolist(), own, strict=True
        )
    ]
    differ = not is_share and len({one.warning.value for one in each}) > 1
    return Heat(
        choice.label,
        unit,
        window,
        rows,
        values,
        np.nan if is_share else limit,
        100.0 if is_share else max(critical, limit * 2),
        warnings[at] if differ else np.zeros(0),
        left_out_of(len(possible.left_out)),
    )


def in_place(heat: Heat, before: Heat) -> Heat:
    """Return a heat map with the rows in the order that they had ``before``; new ones come last.

    Rows that move while somebody looks at them can't be read or clicked.
    """
    place = {row.series: number for number, row in enumerate(before.rows)}
    order = sorted(range(len(heat.rows)), key=lambda at: (place.get(heat.rows[at].series, len(place)), at))
    limits = heat.limits[order] if heat.limits.size else heat.limits
    return replace(heat, rows=[heat.rows[at] for at in order], values=heat.values[order], limits=limits)


def is_sorted(heat: Heat) -> bool:
    """True if the worst row is the first, and so on down."""
    worst = np.where(np.isfinite(heat.values), heat.values, -np.inf).max(axis=1, initial=-np.inf)
    return bool((worst[:-1] >= worst[1:]).all())


def _ranked_values(
    reader: PossibleReader,
    series: Sequence[Series],
    window: TimeRange,
    _limits: FloatArray,
    max_rows: int,
    work: Work,
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return worst value and bucketed values of each row, and its place in ``series``, the worst first.

    Statistics of chunks tell which series can be among the worst; only these are read.
    """
    ids, highest, order = _by_highest(reader, series, window)
    order = order[:max_rows]
    return highest[order], _bucketed(reader, ids[order], window, None, work), order


def _ranked_shares(
    reader: PossibleReader,
    series: Sequence[Series],
    window: TimeRange,
    limits: FloatArray,
    max_rows: int,
    work: Work,
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return the same as ``_ranked_values`` for the shares of samples above ``limits``, one for each series.

    The largest share of any bucket does not follow from the highest value: all over the limit are read.
    """
    ids, highest, order = _by_highest(reader, series, window)
    is_over = highest[order] > limits[order]
    order = np.concatenate([order[is_over], order[~is_over]])
    order = order[: max(int(is_over.sum()), max_rows)]
    values = _bucketed(reader, ids[order], window, limits[order], work)
    share = np.where(np.isfinite(values), values, 0.0).max(axis=1, initial=0.0)
    by_share = np.argsort(-share, kind="stable")[:max_rows]
    return share[by_share], values[by_share], order[by_share]


def _by_highest(
    reader: PossibleReader, series: Sequence[Series], window: TimeRange
) -> tuple[IntArray, FloatArray, IntArray]:
    """Return ids and highest values of series, and the places of those with any sample, the highest first."""
    ids = np.array([one.id for one in series], np.int64)
    highest = reader.stats(ids, window).maximum if ids.size else np.zeros(0)
    order = np.argsort(-np.nan_to_num(highest, nan=-np.inf), kind="stable")
    return ids, highest, order[np.isfinite(highest[order])]


def _bucketed(
    reader: PossibleReader, ids: IntArray, window: TimeRange, limits: FloatArray | None, work: Work
) -> FloatArray:
    """Return (series, buckets): the highest value, or the percentage of samples above ``limits`` (series,)
    if given.
    """
    buckets = Buckets(window, _BUCKETS)
    values = np.full((ids.size, _BUCKETS), np.nan)
    row_of = {number: row for row, number in enumerate(ids.tolist())}
    for begin in range(0, ids.size, _SERIES_AT_ONCE):
        for frame in reader.read(ids[begin : begin + _SERIES_AT_ONCE], window):
            work.check()
            rows = [row_of[number] for number in frame.ids.tolist()]
            if limits is None:
                found = buckets.highest(frame.times, frame.values)
            else:
                found = buckets.share_over(frame.times, frame.values, limits[rows])
            values[rows] = buckets.hold_last(frame.times, found)
        work.progress(begin / ids.size)
    return values


def _state(value: float, limits: CounterLimits, *, is_share: bool) -> Health:
    if is_share:
        return "warning" if value > 0 else "ok"
    return limits.state(value) or "ok"
