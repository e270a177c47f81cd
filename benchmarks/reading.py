"""Reading from a session of 24 hours × 20,000 series: one series, the top 20, an overview."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.big_session import big_session
from benchmarks.measure import Row, median_seconds, size_of
from sessions.model import Series
from sessions.store import SessionReader
from sessions.times import TimeRange


def measure(cache: Path, *, quick: bool) -> list[Row]:
    """Measure reading one whole series, the top 20 (of everything, and of
    a window that cuts chunks), an overview.
    """
    path = big_session(cache, hours=1 if quick else 24)
    physical = median_seconds(lambda: read_blobs(path))
    with SessionReader.open(path) as reader:
        chosen = reader.series({"cpu.ready"})
        series = chosen[len(chosen) // 2]
        ids = np.array([series.id], dtype=np.int64)
        span = reader.span()
        if span is None:
            raise RuntimeError("the big session is empty")
        one = median_seconds(lambda: reader.read(ids))
        cut = TimeRange(span.start + 1_234_000, span.end - 1_234_000)
        top = median_seconds(lambda: top_20(reader, chosen, None))
        top_cut = median_seconds(lambda: top_20(reader, chosen, cut))
        view = median_seconds(lambda: reader.overview(series.id, span, 1200))
        count = len(reader.series())
        full = median_seconds(lambda: reader.read(np.array([s.id for s in chosen], dtype=np.int64)), times=3)
    what = f"{count:,} series × {span.seconds / 3600:.0f} h ({size_of(path) / 1e6:.0f} MB)"
    return [
        Row(
            f"one series of {what}",
            f"{one * 1e3:.2f} ms",
            f"plain read of as many blobs {physical * 1e3:.2f} ms",
            f"{one / physical:.1f}×",
            "≤ 5 ms",
            one <= 0.005,
        ),
        Row(
            f"top 20 by ready of {what}",
            f"{top * 1e3:.1f} ms",
            f"reading those {len(chosen)} series {full * 1e3:.0f} ms",
            f"{full / top:.0f}×",
            "from statistics",
            top < full,
        ),
        Row(
            f"the same in a window that cuts chunks of {what}",
            f"{top_cut * 1e3:.1f} ms",
            f"reading those {len(chosen)} series {full * 1e3:.0f} ms",
            f"{full / top_cut:.0f}×",
            "from statistics",
            top_cut < full,
        ),
        Row(
            f"overview of one series at 1,200 px of {what}",
            f"{view * 1e3:.2f} ms",
            f"reading it whole {one * 1e3:.2f} ms",
            f"{one / view:.1f}×",
            "a frame, 16.7 ms",
            view <= 0.0167,
        ),
    ]


def top_20(reader: SessionReader, series: Sequence[Series], window: TimeRange | None) -> list[Series]:
    """Return the 20 series with the highest maximum in the window, as a ranking finds them."""
    highest = reader.stats(np.array([one.id for one in series], np.int64), window).maximum
    return [series[at] for at in np.argsort(-highest)[:20].tolist()]  # those without samples come last


def read_blobs(path: Path) -> int:
    """Read as many chunk blobs as one series has with plain SQL, and
    return their bytes: what disk and SQLite cost.
    """
    connection = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)
    try:
        blocks = connection.execute("SELECT count(*) FROM block").fetchone()[0]
        sources = connection.execute("SELECT count(*) FROM source").fetchone()[0]
        rows = connection.execute("SELECT * FROM chunk LIMIT ?", (max(1, blocks // sources),)).fetchall()
        return len(rows)
    finally:
        connection.close()
