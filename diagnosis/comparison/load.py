"""Was the load the same? Answered before anything else: less work looks like a fix."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from diagnosis.arrays import usual_step
from diagnosis.comparison.joining import Joining
from diagnosis.comparison.measuring import samples_of
from diagnosis.comparison.pairing import Present
from diagnosis.comparison.records import Records
from diagnosis.comparison.values import Load, LoadRow, OnlyInOne, Side
from diagnosis.comparison.verdicts import differences
from diagnosis.statistics.means import Means, means_of
from resources.comparison_rules import ComparisonRules, LoadMeasure, LoadWay
from resources.units import format_value
from sessions.frames import MAX_FRAME_VALUES
from sessions.model import EntityRef, FloatArray, IntArray, Series
from sessions.times import TimeRange, joined

_BINS = 360
_NAMES = {"vm": "VM", "nic": "uplink"}
"""What kinds are called whose id is not the word."""
_WHOLE = frozenset({"device", "datastore"})
_MOST_ONCE = 5
_FULL = 0.9
_Places = Mapping[tuple[str, str], list[int]]


@dataclass(frozen=True)
class Sides:
    """Both sides, what was measured on each, and how their entities are joined."""

    sides: tuple[Side, Side]
    found: tuple[Present, Present]
    records: tuple[Records, Records]
    joining: Joining
    rules: ComparisonRules

    @cached_property
    def places(self) -> tuple[_Places, _Places]:
        """Where the series are that measure a load, for each side."""
        a, b = self.found
        return _all_places(a, self.rules), _all_places(b, self.rules)


def load_of(both: Sides, scope: tuple[Collection[EntityRef], ...], step: Callable[[], None]) -> Load:
    """Compare the load of the entities in ``scope`` (one collection for each side; all if these
    have none).
    """
    rules = both.rules
    if not any(_is_measured(both, way, scope) for one in rules.load.measure for way in one.ways):
        scope = ((), ())
    rows, once = [], []
    for measure in rules.load.measure:
        way = next((one for one in measure.ways if _is_measured(both, one, scope)), None)
        if way is not None:
            row = _compared(both, measure, way, scope, step)
            rows.append(row)
            once += _only_in_one(both, measure, row)
    vms = [{ref for ref in _refs(found) if ref.kind == "vm"} for found in both.found]
    went, came = vms[0] & both.joining.only_a, vms[1] & both.joining.only_b
    once.sort(key=lambda one: -abs(one.mean))
    return Load(
        _same(rows), _because(rows, len(went), len(came)), tuple(rows), len(vms[0]), len(vms[1]), _few(once)
    )


def _refs(found: Present) -> Collection[EntityRef]:
    return dict.fromkeys(one.entity for one in found.series).keys()


def _few(once: Sequence[OnlyInOne]) -> tuple[OnlyInOne, ...]:
    """The largest ones, each entity once."""
    return tuple({one.entity: one for one in reversed(once)}.values())[::-1][:_MOST_ONCE]


def _all_places(found: Present, rules: ComparisonRules) -> _Places:
    """Where the series of each kind and counter of a load are: those that measure their entity as a whole."""
    counters = rules.load_counters
    places: dict[tuple[str, str], list[int]] = {}
    for at, one in enumerate(found.series):
        if one.counter in counters and _is_whole(one):
            places.setdefault((one.entity.kind, one.counter), []).append(at)
    return places


def _is_whole(series: Series) -> bool:
    """A VM's I/Os come as one series for each device, a device's as one for each host that sees it."""
    kind, instance = series.entity.kind, series.spec.instance
    if not instance or (kind == "vm" and series.counter.startswith("disk.")):
        return True
    return kind in _WHOLE and not instance.startswith("partition")


def _places(
    both: Sides, side: int, way: LoadWay, scope: Collection[EntityRef] = ()
) -> Mapping[str, IntArray]:
    """Where the series of a way are, by counter."""
    series = both.found[side].series
    found = {counter: both.places[side].get((way.kind, counter), []) for counter in way.counters}
    return {
        counter: np.array([at for at in places if not scope or series[at].entity in scope], np.int64)
        for counter, places in found.items()
    }


def _is_measured(both: Sides, way: LoadWay, scope: tuple[Collection[EntityRef], ...]) -> bool:
    return all(
        places.size for side, refs in enumerate(scope) for places in _places(both, side, way, refs).values()
    )


def _compared(
    both: Sides,
    measure: LoadMeasure,
    way: LoadWay,
    scope: tuple[Collection[EntityRef], ...],
    step: Callable[[], None],
) -> LoadRow:
    totals, unit, entities, rules = [], "", 0, both.rules
    for at_side, (side, found) in enumerate(zip(both.sides, both.found, strict=True)):
        index = np.concatenate(list(_places(both, at_side, way, scope[at_side]).values()))
        unit = found.series[int(index[0])].spec.unit
        entities = len({found.series[at].entity for at in index.tolist()})
        parts = entities if measure.mean else 1
        bins = _bins(side, found, index)
        total = _total(side, found, index, bins, step) / parts
        exact = float(found.mean[index].sum()) / parts
        totals.append(_with_mean(means_of(total[None, :]), exact))
    margin = np.maximum(np.abs(totals[0].mean) * rules.load.percent.value / 100, measure.least)
    of = differences(totals[0], totals[1], margin, rules)
    low = np.flatnonzero(total <= totals[0].mean[0] + margin[0])
    is_known = bool(np.isfinite(of.low[0]))
    return LoadRow(
        measure.title,
        f"{entities} {_NAMES.get(way.kind, way.kind)}{'' if entities == 1 else 's'}",
        way.counters,
        unit,
        float(totals[0].mean[0]),
        float(totals[1].mean[0]),
        float(of.difference[0]),
        (float(of.low[0]), float(of.high[0])) if is_known else None,
        of.verdict_of(0),
        float(margin[0]),
        tuple(joined([bins.time(at) for at in low.tolist()])),
    )


def _with_mean(means: Means, mean: float) -> Means:
    return Means(means.count, np.array([mean]), means.spread, means.error, means.freedom, means.effective)


@dataclass(frozen=True, slots=True)
class _Bins:
    """Parts of a window of equal length, in ms."""

    start: int
    width: int
    number: int

    def time(self, at: int) -> TimeRange:
        """Return when one of them is."""
        begin = self.start + at * self.width
        return TimeRange(begin, begin + self.width)


def _bins(side: Side, found: Present, index: IntArray) -> _Bins:
    """Bins that hold samples of each of the series."""
    start, end = side.window.start, side.window.end
    sources = {found.series[at].source for at in index.tolist()}
    width = max(1, -(-(end - start + 1) // _BINS), *(2 * _interval(side, one) for one in sources))
    return _Bins(start, width, -(-(end - start + 1) // width))


def _total(side: Side, found: Present, index: IntArray, bins: _Bins, step: Callable[[], None]) -> FloatArray:
    """The sum of series over time, in bins of equal length; NaN where some are missing."""
    total, parts = np.zeros(bins.number), np.zeros(bins.number)
    sources = np.array([found.series[at].source for at in index.tolist()], np.int64)
    for source in dict.fromkeys(sources.tolist()):
        own = index[sources == source]
        slab = max(1, MAX_FRAME_VALUES // max(side.ticks(source), 1))
        for first in range(0, own.size, slab):
            step()
            times, values = samples_of(side, found.ids[own[first : first + slab]])
            place = (times - bins.start) // bins.width
            for row in values:
                known = ~np.isnan(row)
                count = np.bincount(place[known], minlength=bins.number)
                sums = np.bincount(place[known], row[known], minlength=bins.number)
                total += sums / np.maximum(count, 1)
                parts += count > 0
    full = parts >= _FULL * parts.max(initial=0)
    return np.where(full & (parts > 0), total, np.nan)


def _interval(side: Side, source: int) -> int:
    return int(usual_step(side.session.times(source, side.pieces[0])))


def _only_in_one(both: Sides, measure: LoadMeasure, row: LoadRow) -> list[OnlyInOne]:
    """VMs that make an essential part of a load for a while, and nearly none of it in the other window."""
    way = next((one for one in measure.ways if one.kind == "vm" and _is_measured(both, one, ((), ()))), None)
    whole = max(abs(row.a), abs(row.b))
    if way is None or measure.mean or not whole:
        return []
    rules, sums = both.rules, [_by_entity(both, side, way) for side in (0, 1)]
    levels: dict[tuple[EntityRef | None, EntityRef | None], list[float]] = {}
    for ref, (mean, _) in sums[0].items():
        partner = both.joining.partners.get(ref)
        levels[ref, partner.ref if partner else None] = [mean, 0.0]
    for other, (mean, _) in sums[1].items():
        levels.setdefault((both.joining.in_a.get(other), other), [0.0, 0.0])[1] = mean
    found = []
    for refs, (mean_a, mean_b) in levels.items():
        at = 0 if mean_a > mean_b else 1
        much, little = max(mean_a, mean_b), min(mean_a, mean_b)
        one = refs[at]
        essential = much >= max(rules.load.share_least.value * whole, measure.least)
        if one is None or not essential or little > rules.load.once_share.value * much:
            continue
        side = both.sides[at]
        name = both.records[at].name(one, side.window.end)
        when = _busy_time(side, both.found[at], sums[at][one][1])
        if when.seconds > rules.load.passing_share.value * side.window.seconds:
            continue
        found.append(OnlyInOne(one, name, "a" if at == 0 else "b", measure.title, much, row.unit, when))
    return found


def _by_entity(both: Sides, side: int, way: LoadWay) -> Mapping[EntityRef, tuple[float, list[int]]]:
    sums: dict[EntityRef, tuple[float, list[int]]] = {}
    found = both.found[side]
    for places in _places(both, side, way).values():
        for at in places.tolist():
            ref = found.series[at].entity
            mean, own = sums.get(ref, (0.0, []))
            sums[ref] = (mean + float(found.mean[at]), [*own, at])
    return sums


def _busy_time(side: Side, found: Present, places: list[int]) -> TimeRange:
    """From when to when a load was over a tenth of its greatest value."""
    largest = max(places, key=lambda at: float(found.mean[at]))
    times, (values,) = samples_of(side, found.ids[[largest]])
    busy = np.flatnonzero(values > 0.1 * float(np.nanmax(values)))
    return TimeRange(int(times[busy[0]]), int(times[busy[-1]])) if busy.size else side.window


def _same(rows: Sequence[LoadRow]) -> bool | None:
    verdicts = {row.verdict for row in rows}
    if verdicts & {"higher", "lower"}:
        return False
    return True if verdicts == {"same"} else None


def _because(rows: Sequence[LoadRow], went: int, came: int) -> str:
    """A sentence with the numbers."""
    if not rows:
        return "No counter of load was measured in both windows."
    other = [row for row in rows if row.verdict in {"higher", "lower"}]
    if other:
        text = "; ".join(f"{row.title}: {_arrow(row)}" for row in other)
        sentence = f"The load was not the same. {text}."
    elif all(row.verdict == "same" for row in rows):
        sentence = "The load was the same."
    else:
        open_ones = ", ".join(row.title for row in rows if row.verdict == "undecided")
        sentence = (
            f"Whether the load was the same is undecided: too few samples, or too much noise, in {open_ones}."
        )
    changes = [
        f"{count} VM{'' if count == 1 else 's'} {what}"
        for count, what in ((went, "only in A"), (came, "only in B"))
        if count
    ]
    return f"{sentence} {' and '.join(changes)}." if changes else sentence


def _arrow(row: LoadRow) -> str:
    return f"{format_value(row.a, row.unit)} → {format_value(row.b, row.unit)}"
