"""The samples of a session as columns, some of them at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np

from sessions.export.columns import ExportColumn, RepeatedTexts
from sessions.model import Entity, EntityRef, Frame, IntArray, Series
from sessions.store import SessionReader
from sessions.times import TimeRange

MAX_BATCH_VALUES = 1 << 20
"""Values read at a time, present or not: 8 MiB of them, and about ten times that as rows."""

SAMPLE_COLUMNS = ("time", "source", "kind", "entity", "entity_key", "counter", "instance", "unit", "value")


def sample_batches(
    session: SessionReader, window: TimeRange | None
) -> Iterator[tuple[float, list[ExportColumn]]]:
    """Batches of samples as the columns of SAMPLE_COLUMNS, each with the part (0 to 1) that is then done."""
    entities = session.entities()
    names = {source.id: source.spec.name for source in session.sources()}
    everything = session.series()
    begun = 0
    for source, of_source in groupby(everything, key=lambda series: series.source):
        series = list(of_source)
        for wide, part in _reads(session.times(source, window), len(series)):
            batch = {one.id: one for one in series[wide]}
            for frame in session.read(np.array(list(batch), np.int64), part):
                shown = [batch[number] for number in frame.ids.tolist()]
                done = (begun + wide.stop) / len(everything)
                yield done, _frame_columns(frame, shown, names[source], entities)
        begun += len(series)


def _reads(times: IntArray, series: int) -> Iterator[tuple[slice, TimeRange]]:
    """Which of so many series to read over which time, so that each time MAX_BATCH_VALUES are enough."""
    if not times.size:
        return
    tall = min(times.size, MAX_BATCH_VALUES)
    wide = MAX_BATCH_VALUES // tall
    for begin in range(0, series, wide):
        for first in range(0, times.size, tall):
            last = min(first + tall, times.size) - 1
            yield slice(begin, min(begin + wide, series)), TimeRange(int(times[first]), int(times[last]))


def _frame_columns(
    frame: Frame, shown: Sequence[Series], source: str, entities: dict[EntityRef, Entity]
) -> list[ExportColumn]:
    """The present samples of a frame, series after series."""
    by_series = frame.values.T
    present = ~np.isnan(by_series)
    counts = present.sum(axis=1)
    times = np.broadcast_to(frame.times.astype("datetime64[ms]"), present.shape)[present]
    specs = [series.spec for series in shown]
    fixed: tuple[list[str], ...] = (
        [source] * len(specs),
        [spec.entity.kind for spec in specs],
        [entities[spec.entity].name for spec in specs],
        [spec.entity.key for spec in specs],
        [spec.counter for spec in specs],
        [spec.instance for spec in specs],
        [spec.unit for spec in specs],
    )
    return [times, *(RepeatedTexts(texts, counts) for texts in fixed), by_series[present]]
