"""Reads many series in bounded memory: each read covers only some of the series and part of the time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np

from sessions.model import Frame, IntArray, SampleSource, Series
from sessions.times import TimeRange

MAX_FRAME_VALUES = 1 << 20
"""Values read at a time, present or not: 8 MiB of them."""


def small_frames(
    session: SampleSource, series: Sequence[Series], window: TimeRange | None, *, whole: bool = False
) -> Iterator[tuple[Frame, list[Series]]]:
    """Yield frames of at most MAX_FRAME_VALUES values with the series of their columns, in the
    order of ``series``.

    A series with more samples is divided into several consecutive frames; with ``whole`` it comes in one
    frame of any size. A source without sampling instants in the window has no frame.
    """
    for source, of_source in groupby(series, key=lambda one: one.source):
        columns = list(of_source)
        for some, part in _reads(session.times(source, window), len(columns), whole=whole):
            batch = {one.id: one for one in columns[some]}
            for frame in session.read(np.array(list(batch), np.int64), part):
                yield frame, [batch[number] for number in frame.ids.tolist()]


def _reads(times: IntArray, series: int, *, whole: bool) -> Iterator[tuple[slice, TimeRange]]:
    """Which of so many series to read over which time, one read after the other."""
    if not times.size:
        return
    tall = times.size if whole else min(times.size, MAX_FRAME_VALUES)
    wide = max(1, MAX_FRAME_VALUES // tall)
    for begin in range(0, series, wide):
        for first in range(0, times.size, tall):
            last = min(first + tall, times.size) - 1
            yield slice(begin, min(begin + wide, series)), TimeRange(int(times[first]), int(times[last]))
