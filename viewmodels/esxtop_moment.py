"""The numbers of the esxtop view at one moment: its cells, totals over the hosts, and sparklines."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from resources.catalogue import Catalogue
from resources.views import LimitsByCounter, Screen
from sessions.distinct import distinct
from sessions.model import FloatArray, IntArray
from sessions.store import SessionReader
from sessions.times import TimeRange
from viewmodels.esxtop_rows import Grid
from viewmodels.esxtop_totals import counted, host_series, totals_of, without_text
from viewmodels.last_values import last_values
from viewmodels.possible_samples import PossibleReader, left_out_count
from viewmodels.snapshot import USUAL_INTERVAL_S, Snapshot
from viewmodels.work import Work

_SPARK_SAMPLES = 60


@dataclass(frozen=True)
class Moment:
    """The numbers of a screen at the time ``at`` (ms): ``numbers`` (rows, columns), NaN where absent.

    ``last`` has them by series id.

    ``totals`` are the texts of the line above the table, ``details`` their tooltip.
    """

    at: int
    numbers: FloatArray
    last: Mapping[int, float]
    totals: Sequence[str] = ()
    details: str = ""


@dataclass(frozen=True)
class Knowledge:
    """What a screen is shown with: its description, the counters, and the limits of numbers."""

    screen: Screen
    catalogue: Catalogue
    limits: LimitsByCounter


def moment_of(
    reader: SessionReader,
    grid: Grid,
    knowledge: Knowledge,
    snapshot: Snapshot,
    at: int,
    work: Work | None = None,
    *,
    hosts: Collection[str] = (),
) -> Moment:
    """Read what a screen shows at the time ``at`` (ms), with the totals of these hosts (empty: all)."""
    screen = knowledge.screen
    heads = host_series(screen, snapshot, hosts)
    wanted = {*grid.series.tolist(), *(series.id for _, series in heads)}
    series = [snapshot.by_id[number] for number in wanted if number in snapshot.by_id]
    impossible: set[int] = set()
    last = last_values(reader, series, at, snapshot.intervals, work=work, left_out=impossible)
    by_counter: dict[str, list[tuple[float, str]]] = {}
    for host, one in heads:
        if one.id in last:
            by_counter.setdefault(one.counter, []).append((last[one.id], host))
    silent = {host for host, _ in heads} - {host for known in by_counter.values() for _, host in known}
    totals, details = totals_of(screen, by_counter, knowledge.catalogue, knowledge.limits)
    if totals:
        totals.insert(0, counted(snapshot, hosts))
        totals += without_text(silent)
    if screen.note:
        totals.append(f"percentages of VMs {screen.note}")
    if impossible:
        totals.append(left_out_count(len(impossible)))
    return Moment(at, numbers_of(grid.ids, last), last, totals, "\n\n".join(details))


def sparks_of(
    reader: SessionReader, ids: IntArray, snapshot: Snapshot, at: int, work: Work
) -> Mapping[int, FloatArray]:
    """Read the last 60 samples of each series up to the time ``at`` (ms), by series id; ids of 0 are
    ignored.
    """
    some = distinct(ids[ids > 0])
    sources = {snapshot.by_id[number].source for number in some.tolist() if number in snapshot.by_id}
    interval = max((snapshot.intervals.get(one, USUAL_INTERVAL_S) for one in sources), default=0.0)
    window = TimeRange(at - round(interval * 1000 * _SPARK_SAMPLES), at)
    curves: dict[int, FloatArray] = {}
    known = [snapshot.by_id[number] for number in some.tolist() if number in snapshot.by_id]
    for frame in PossibleReader(reader, known).read(some, window):
        work.check()
        curves.update(zip(frame.ids.tolist(), frame.values.T, strict=True))
    return curves


def numbers_of(ids: IntArray, last: Mapping[int, float]) -> FloatArray:
    """Return the value of the series in each cell, NaN where it is absent; ``last`` has them by series id."""
    known = np.array(sorted(last), np.int64)
    if not known.size:
        return np.full(ids.shape, np.nan)
    values = np.array([last[number] for number in known.tolist()])
    at = np.minimum(np.searchsorted(known, ids), known.size - 1)
    numbers: FloatArray = np.where(known[at] == ids, values[at], np.nan)
    return numbers
