"""Plays a session into a file, instant by instant, as a recorder would write it."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import numpy as np

from sessions.model import FloatArray, IntArray, SampleSource
from sessions.store import SessionWriter


def replay(
    session: SampleSource,
    path: Path,
    *,
    late: int = 0,
    behind: int = 0,
    ahead: int = 0,
    every: int = 1,
    ticks: int | None = None,
) -> Generator[int, None, None]:
    """Write ``session`` to ``path``; yield the instant (ms) after each one that is on disk.

    Facts, events and gaps are written when their time has come. With ``late`` every second series of a source
    arrives that many instants later than the others; with ``behind`` all of every second source.
    Facts come ``ahead`` seconds before the samples of their time, as where samples are asked for later.
    ``every`` instants are written before each yield.
    """
    with SessionWriter.create(path, durable=False) as writer:
        writer.add_entities(session.entities().values())
        layouts: list[tuple[int, IntArray, int, FloatArray]] = []
        for source in session.sources():
            number = writer.add_source(source.spec)
            series = [one for one in session.series() if one.source == source.id]
            for first in (0, 1) if late else (0,):
                part = series[first :: 2 if late else 1]
                if part:
                    ids = writer.add_series(number, [one.spec for one in part])
                    (frame,) = session.read(np.array([one.id for one in part]))
                    stored = frame.values / np.array([one.spec.scale for one in part])
                    delay = (late if first else 0) + (behind if number % 2 == 0 else 0)
                    layouts.append((writer.ticks.add_layout(number, ids), frame.times, delay, stored))
        axis = np.unique(np.concatenate([times for _, times, *_ in layouts]))[:ticks]
        told, early = 0, 1000 * ahead
        for at in range(axis.size + late + behind):
            now = int(axis[min(at, axis.size - 1)])
            rows = []
            for layout, times, delay, values in layouts:
                if 0 <= at - delay < axis.size and axis[at - delay] in times:
                    place = int(np.searchsorted(times, axis[at - delay]))
                    rows.append((layout, int(times[place]), values[place]))
            writer.add_facts([one for one in session.facts() if told < one.start - early <= now])
            writer.add_events([one for one in session.events() if told < one.at <= now])
            writer.add_gaps([one for one in session.gaps() if told < one.end <= now])
            told = now
            if rows:
                writer.ticks.append_ticks(rows)
            if at % every == every - 1:
                yield now
