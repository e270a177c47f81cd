"""When the samples of files were: the order of their dates, decided together, and their instants."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from collectors.vsphere.get_stat.samples import StatFile
from collectors.vsphere.get_stat.stamps import (
    INVALID,
    ORDER_WORDS,
    Order,
    StampRows,
    instants,
    local_times,
    possible_orders,
    require_order,
)
from resources.failures import BadInputError
from resources.foreign_text import shown
from sessions.clock import Clock
from sessions.model import FloatArray, IntArray

_MINUTE_MS = 60_000.0
_DAY_MS = 86_400_000


@dataclass(slots=True)
class TimedFile:
    """A file with the instants of its samples: ``times`` (n,) ms; ``rows`` are those that have a time and a
    value. vCenter says −1 where it has no value. ``note`` says how the order of dates was decided, if that is
    worth a look.
    """

    file: StatFile
    rows: IntArray
    times: IntArray
    note: str = ""

    def steps(self) -> list[IntArray]:
        """Return the steps between the samples of each series (ms), without those of 0."""
        series, times = self.file.series[self.rows], self.times[self.rows]
        order = np.lexsort((times, series))
        series, times = series[order], times[order]
        ends = np.searchsorted(series, np.arange(len(self.file.keys) + 1)).tolist()
        steps = [np.diff(times[begin:end]) for begin, end in pairwise(ends)]
        return [step[step > 0] for step in steps]


def timed(files: Sequence[StatFile], wanted: Order | None, clock: Clock) -> list[TimedFile]:
    """Find out when the samples of each file were, by ``clock``. A file that does not decide the order of its
    dates has ``wanted``, or that of all others, or the one by which it was written on its last day.

    Raises UsageError if nothing decides, BadInputError for times that can't be told apart.
    """
    possible = [_possible(file) for file in files]
    pairs = list(zip(files, possible, strict=True))
    decided = {orders[0] for file, orders in pairs if len(orders) == 1 and file.has_open_dates}
    common = next(iter(decided)) if len(decided) == 1 else None
    found = []
    for file, orders in pairs:
        _require_seconds(file)
        asked = wanted or (common if common in orders else None)
        note = ""
        if asked is None and len(orders) > 1 and (asked := _when_written(file, orders)):
            note = _why(file, asked)
        order = require_order(orders, asked, file.path.name, _example(file))
        one = _at_instants(file, order, clock)
        missing = int(np.count_nonzero(one.times == INVALID)) - file.no_time
        if missing:
            name, words = shown(file.path.name), ORDER_WORDS[order]
            note = f"{name}: dates that do not exist, read {words}, were left out, in rows: {missing}."
        found.append(replace(one, note=note))
    return found


def _why(file: StatFile, order: Order) -> str:
    dates = f"dates such as {shown(_example(file))} were read {ORDER_WORDS[order]}"
    why = "because the file was written on that day. --dates tells another order."
    return f"{shown(file.path.name)}: {dates}, {why}"


def _when_written(file: StatFile, orders: Sequence[Order]) -> Order | None:
    """The order by which the newest sample is as old as the file, or nearly; None if none or several are."""
    written_ms = file.path.stat().st_mtime * 1000
    newest = {order: int(local_times(file.stamps, order).max()) for order in orders}
    near = [order for order, at in newest.items() if -_DAY_MS <= written_ms - at <= 2 * _DAY_MS]
    return near[0] if len(near) == 1 else None


def _possible(file: StatFile) -> list[Order]:
    if all(stamp is None for stamp in file.stamps):
        raise BadInputError(
            f"{shown(file.path.name)}: {shown(file.texts[0], 40)!r} is no date with a time.",
            advice="Export the samples as Get-Stat returns them.",
        )
    interval = np.array([key.interval_ms for key in file.keys], np.float64)
    if not interval.any():
        interval[:] = _usual_step(file)
    return possible_orders(
        file.stamps, StampRows(file.series, file.stamp, interval), round(time.time() * 1000)
    )


def _usual_step(file: StatFile) -> float:
    """The most frequent step of all series: within a day it is the same in every order of dates."""
    order = np.argsort(file.series, kind="stable")
    times, series = local_times(file.stamps, "dmy")[file.stamp[order]], file.series[order]
    known = times != INVALID
    steps, same = np.abs(np.diff(times[known] % _DAY_MS)), np.diff(series[known]) == 0
    found, count = np.unique(steps[same & (steps > 0)], return_counts=True)
    return float(found[count.argmax()]) if found.size else 0.0


def _require_seconds(file: StatFile) -> None:
    """A spreadsheet leaves out the seconds: three samples of 20 s have one time then."""
    shortest = min((key.interval_ms for key in file.keys if key.interval_ms), default=_MINUTE_MS)
    if shortest < _MINUTE_MS and not any(one.has_seconds for one in file.stamps if one):
        raise BadInputError(
            f"The times in {shown(file.path.name)} have no seconds, but there are several samples a minute.",
            meaning="A spreadsheet that saved it left them out: samples can't be told apart.",
            advice="Import the file as Export-Csv wrote it.",
        )


def _at_instants(file: StatFile, order: Order, clock: Clock) -> TimedFile:
    first, second = instants(file.stamps, order, clock)
    times = first[file.stamp]
    rows = np.flatnonzero((times != INVALID) & (file.values >= 0))
    if (second != first).any():
        times = _told_apart(file, times, second[file.stamp])
    return TimedFile(file, rows, times)


def _told_apart(file: StatFile, first: IntArray, second: IntArray) -> IntArray:
    """Which of two instants a time of day was that came twice, when clocks were set back.

    A series that has it twice has it at both, in the order in which the file goes: newest first as Get-Stat
    returns them, unless the times of the series rise.
    """
    times = first.copy()
    unsure = np.flatnonzero(first != second)
    rows = unsure[np.lexsort((unsure, file.stamp[unsure], file.series[unsure]))]
    same_series, same_stamp = np.diff(file.series[rows]) == 0, np.diff(file.stamp[rows]) == 0
    twice = np.flatnonzero(same_series & same_stamp)
    later = rows[twice + 1] if _is_rising(file.series, first) else rows[twice]
    times[later] = second[later]
    return times


def _is_rising(series: IntArray, times: IntArray) -> bool:
    order = np.argsort(series, kind="stable")
    steps: FloatArray = np.sign(np.diff(times[order]))[np.diff(series[order]) == 0]
    return int(steps.sum()) > 0


def _example(file: StatFile) -> str:
    """A date of a file that may be read in several ways, if there is one."""
    stamps = enumerate(file.stamps)
    return file.texts[next((at for at, one in stamps if one is not None and len(one.orders) > 1), 0)]
