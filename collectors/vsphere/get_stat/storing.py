"""Writes samples that came in any order into a session: dense layouts of series that have the same times."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sessions.model import FloatArray, IntArray, SeriesSpec
from sessions.store import BLOCK_TICKS, SessionWriter, encode_block

LAYOUT_SERIES = 8192
_BLOCK_CELLS = 1 << 21
_SPARSE = 4
"""A layout may have so many cells for each sample; what is sparser is divided, at last into single series."""


@dataclass(frozen=True, slots=True)
class Samples:
    """Samples of one source by series, then time: ``series``, ``times`` (ms), ``values``, each (n,)."""

    series: IntArray
    times: IntArray
    values: FloatArray


def in_order(series: IntArray, times: IntArray, values: FloatArray) -> tuple[Samples, int]:
    """Order samples by series and time; of several of one instant the last one that came stays.

    Returns the samples, and how many were left out because another one of that instant has another value.
    """
    order = np.lexsort((times, series))  # stable: of equal ones the later row comes later
    series, times, values = series[order], times[order], values[order]
    last = np.ones(series.size, np.bool_)
    repeated = (series[1:] == series[:-1]) & (times[1:] == times[:-1])
    last[:-1] = ~repeated
    differing = int(np.count_nonzero(repeated & (values[1:] != values[:-1])))
    return Samples(series[last], times[last], values[last]), differing


def store(
    writer: SessionWriter,
    source: int,
    specs: Sequence[SeriesSpec],
    owners: Sequence[int],
    samples: Samples,
    tell: Callable[[], None],
) -> None:
    """Write the samples of one source. ``specs`` and ``owners`` (the number of its object) are by series;
    ``tell`` is called between blocks.
    """
    ids = writer.add_series(source, specs)
    for part in _dense(np.arange(len(specs)), np.array(owners, np.int64), samples):
        layout = writer.add_layout(source, ids[part])
        _store_layout(writer, layout, part, samples, tell)


def _dense(columns: IntArray, owners: IntArray, samples: Samples) -> Iterator[IntArray]:
    """Divide series so that those of a part have nearly all of its times: as one, by object, one by one."""
    for begin in range(0, columns.size, LAYOUT_SERIES):
        part = columns[begin : begin + LAYOUT_SERIES]
        if _is_dense(part, samples):
            yield part
            continue
        order = np.argsort(owners[part], kind="stable")
        for group in np.split(part[order], np.flatnonzero(np.diff(owners[part][order])) + 1):
            if _is_dense(group, samples):
                yield group
            else:
                yield from (group[at : at + 1] for at in range(group.size))


def _is_dense(part: IntArray, samples: Samples) -> bool:
    rows = _rows_of(part, samples)
    return np.unique(samples.times[rows]).size * part.size <= _SPARSE * rows.size


def _rows_of(part: IntArray, samples: Samples) -> IntArray:
    """The positions of the samples of these series, ordered as the series are."""
    first = np.searchsorted(samples.series, part)
    last = np.searchsorted(samples.series, part, side="right")
    return np.concatenate([np.arange(a, b) for a, b in zip(first.tolist(), last.tolist(), strict=True)])


def _store_layout(
    writer: SessionWriter, layout: int, part: IntArray, samples: Samples, tell: Callable[[], None]
) -> None:
    rows = _rows_of(part, samples)
    column_of = np.zeros(int(part.max()) + 1, np.int64)
    column_of[part] = np.arange(part.size)
    columns = column_of[samples.series[rows]]
    times, tick = np.unique(samples.times[rows], return_inverse=True)
    by_time = np.argsort(tick, kind="stable")
    rows, columns, tick = rows[by_time], columns[by_time], tick[by_time]
    ticks = max(1, min(BLOCK_TICKS, _BLOCK_CELLS // part.size))
    for begin in range(0, times.size, ticks):
        tell()
        end = min(begin + ticks, times.size)
        here = slice(*np.searchsorted(tick, (begin, end)).tolist())
        block = np.full((end - begin, part.size), np.nan)
        block[tick[here] - begin, columns[here]] = samples.values[rows[here]]
        writer.add_block(layout, encode_block(times[begin:end], block))
