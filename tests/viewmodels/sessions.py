"""Small sessions for tests of view models: sources with a few series, written in one go."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from sessions.model import SeriesSpec, SourceSpec
from sessions.store import SessionReader, SessionWriter, encode_block
from viewmodels.snapshot import Snapshot, read_snapshot

T0 = 1_700_000_000_000


def add_source(
    writer: SessionWriter,
    spec: SourceSpec,
    specs: Sequence[SeriesSpec],
    rows: np.ndarray,
    *,
    every_s: float,
    start: int = T0,
) -> None:
    """Add a source with ``rows`` (ticks, series), one tick every ``every_s`` seconds from ``start``
    (ms) on.
    """
    source = writer.add_source(spec)
    layout = writer.add_layout(source, writer.add_series(source, specs))
    times = start + round(every_s * 1000) * np.arange(rows.shape[0], dtype=np.int64)
    writer.add_block(layout, encode_block(times, rows.astype(np.float64)))


@contextmanager
def reading(path: Path) -> Iterator[tuple[SessionReader, Snapshot]]:
    """Yield a reader of the session and its snapshot."""
    with SessionReader.open(path) as reader:
        yield reader, read_snapshot(reader, path)
