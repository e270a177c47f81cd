"""Reads the samples of a session as columns, in batches of bounded size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from sessions.current_records import with_current_names
from sessions.export.columns import ExportColumn, RepeatedTexts
from sessions.export.part import ExportPart
from sessions.frames import small_frames
from sessions.model import Entity, EntityRef, Frame, Series
from sessions.store import SessionReader

SAMPLE_COLUMNS = ("time", "source", "kind", "entity", "entity_key", "counter", "instance", "unit", "value")


def sample_batches(session: SessionReader, part: ExportPart) -> Iterator[tuple[float, list[ExportColumn]]]:
    """Yield batches of samples as the columns of SAMPLE_COLUMNS, each with the fraction (0 to
    1) done after it.
    """
    entities = with_current_names(session.entities(), session.facts())
    names = {source.id: source.spec.name for source in session.sources()}
    series = [one for one in session.series() if part.has_series(one.id, one.source)]
    places = {one.id: number for number, one in enumerate(series, start=1)}
    for frame, shown in small_frames(session, series, part.window):
        yield places[shown[-1].id] / len(series), _frame_columns(frame, shown, names[frame.source], entities)


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
