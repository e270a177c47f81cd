"""The numbers of the esxtop view at one moment: its cells, totals over the hosts, and sparklines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from resources.catalogue import Catalogue
from resources.counter_schema import Counter
from resources.foreign_text import shown
from resources.units import format_value
from resources.views import Screen
from sessions.model import FloatArray, IntArray, Series
from sessions.store import SessionReader
from sessions.times import TimeRange
from viewmodels.esxtop_rows import Grid
from viewmodels.last_values import last_values
from viewmodels.snapshot import USUAL_INTERVAL_S, Snapshot
from viewmodels.work import Work

_SPARK_SAMPLES = 60


@dataclass(frozen=True)
class Moment:
    """The numbers of a screen at the time ``at`` (ms): ``numbers`` (rows, columns), NaN where absent.

    ``totals`` are the texts of the line above the table, ``details`` their tooltip.
    """

    at: int
    numbers: FloatArray
    totals: Sequence[str] = ()
    details: str = ""


def moment_of(
    reader: SessionReader,
    grid: Grid,
    screen: Screen,
    snapshot: Snapshot,
    catalogue: Catalogue,
    at: int,
    work: Work | None = None,
) -> Moment:
    """Read what a screen shows at the time ``at`` (ms)."""
    heads = _host_series(screen, snapshot)
    wanted = {*np.unique(grid.ids[grid.ids > 0]).tolist(), *(series.id for _, series in heads)}
    series = [snapshot.by_id[number] for number in wanted if number in snapshot.by_id]
    last = last_values(reader, series, at, snapshot.intervals, work=work)
    by_counter: dict[str, list[tuple[float, str]]] = {}
    for host, one in heads:
        if one.id in last:
            by_counter.setdefault(one.counter, []).append((last[one.id], host))
    totals, details = _totals(by_counter, catalogue)
    if screen.note:
        totals.append(f"percentages of VMs {screen.note}")
    return Moment(at, _numbers(grid.ids, last), totals, "\n".join(details))


def sparks_of(
    reader: SessionReader, ids: IntArray, snapshot: Snapshot, at: int, work: Work
) -> Mapping[int, FloatArray]:
    """Read the last 60 samples of each series up to the time ``at`` (ms), by series id; ids of 0 are
    ignored.
    """
    some = np.unique(ids[ids > 0])
    sources = {snapshot.by_id[number].source for number in some.tolist() if number in snapshot.by_id}
    interval = max((snapshot.intervals.get(one, USUAL_INTERVAL_S) for one in sources), default=0.0)
    window = TimeRange(at - round(interval * 1000 * _SPARK_SAMPLES), at)
    curves: dict[int, FloatArray] = {}
    for frame in reader.read(some, window):
        work.check()
        curves.update(zip(frame.ids.tolist(), frame.values.T, strict=True))
    return curves


def _numbers(ids: IntArray, last: Mapping[int, float]) -> FloatArray:
    known = np.array(sorted(last), np.int64)
    if not known.size:
        return np.full(ids.shape, np.nan)
    values = np.array([last[number] for number in known.tolist()])
    at = np.minimum(np.searchsorted(known, ids), known.size - 1)
    numbers: FloatArray = np.where(known[at] == ids, values[at], np.nan)
    return numbers


def _host_series(screen: Screen, snapshot: Snapshot) -> list[tuple[str, Series]]:
    """Return each host's name with its series of the counters shown above the table."""
    found: list[tuple[str, Series]] = []
    for ref, entity in snapshot.entities.items():
        if ref.kind == "host":
            own = {one.counter: one for one in snapshot.series_of.get(ref, ()) if not one.spec.instance}
            found += [(entity.name, own[counter]) for counter in screen.head if counter in own]
    return found


def _totals(
    by_counter: Mapping[str, Sequence[tuple[float, str]]], catalogue: Catalogue
) -> tuple[list[str], list[str]]:
    """Return, for each counter over all hosts, a short text with mean and maximum, and a long one naming the
    host.
    """
    totals, details = [], []
    for key, values in by_counter.items():
        counter = catalogue.get(key)
        if counter is None:
            continue
        total, detail = _total(counter, values)
        totals.append(total)
        details.append(detail)
    return totals, details


def _total(counter: Counter, values: Sequence[tuple[float, str]]) -> tuple[str, str]:
    highest, host = max(values)
    name, top = counter.short or counter.label, format_value(highest, counter.unit)
    if len(values) == 1 or counter.value_names:
        total = f"{name} {counter.value_name(highest) or top}"
        return total, total
    mean = format_value(sum(value for value, _ in values) / len(values), counter.unit)
    detail = f"{counter.label}: {mean} in the mean of {len(values)} hosts, {top} on {shown(host)}"
    return f"{name} {mean} (max {top})", detail
