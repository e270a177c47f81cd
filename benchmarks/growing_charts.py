"""Charts of a week that is still being recorded: the cost of one more
sample, beside reading everything again.

    python -m benchmarks.growing_charts [--json] [--quick]

96 curves × 7 days at 5 s, all of it in view, while the session grows. The CPU seconds are those of the
worker, which reads, and of the window's thread, which takes the curves and paints them.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from PySide6.QtWidgets import QApplication

from sessions.model import Entity, EntityRef, SeriesSpec, SourceSpec
from sessions.store import SessionReader, SessionWriter
from sessions.store.blocks import BLOCK_TICKS, encode_block
from sessions.times import TimeRange
from viewmodels.chart_samples import ChartSamples, read_samples
from viewmodels.chart_spec import ChartSpec
from viewmodels.curve import Curve, NamedCurve
from viewmodels.time_labels import UTC_CLOCK
from widgets.charts.stack import ChartStack
from widgets.theme import Theme

CHARTS, CURVES = 8, 12
IDS = np.arange(1, CHARTS * CURVES + 1)
EVERY_MS = 5_000
T0 = 1_700_000_000_000
SIZE = (1100, 1400)

Read = Callable[[SessionReader], Mapping[int, Curve]]


@dataclass(frozen=True, slots=True)
class Growth:
    """Median CPU seconds per added tick: of the worker that reads, and of the window's thread that paints."""

    reading_s: float
    drawing_s: float


def make(path: Path, days: int) -> int:
    """Write the session of ``days`` days; return the number of its only layout."""
    ticks, series = days * 86_400_000 // EVERY_MS, IDS.size
    rng = np.random.default_rng(7)
    values = np.abs(np.cumsum(rng.normal(size=(ticks, series)), axis=0) / 20).round(2)
    values[10_000:10_090, ::7] = np.nan
    with SessionWriter.create(path, title="a week", durable=False) as writer:
        source = writer.add_source(SourceSpec("lab", "esx01", EVERY_MS / 1000))
        host = EntityRef("host", "esx01")
        writer.add_entities([Entity(host, "esx01")])
        specs = [SeriesSpec(host, "cpu.ready", "%", instance=str(number)) for number in range(series)]
        layout = writer.add_layout(source, writer.add_series(source, specs))
        for first in range(0, ticks, BLOCK_TICKS):
            rows = values[first : first + BLOCK_TICKS]
            times = T0 + np.arange(first, first + len(rows), dtype=np.int64) * EVERY_MS
            writer.add_block(layout, encode_block(times, rows))
    return layout


def growths(session: Path, layout: int, read: Read, count: int) -> Growth:
    """Append one tick to the session ``count`` times and measure reading and painting each time.

    The first read and painting, which have to read everything, are not counted.
    """
    application = QApplication.instance() or QApplication(["benchmarks"])
    assert isinstance(application, QApplication)
    stack = ChartStack(Theme(application, "dark"), UTC_CLOCK)
    stack.resize(*SIZE)
    stack.show()
    reading, drawing = [], []
    with SessionWriter.open(session, durable=False) as writer, SessionReader.open(session) as reader:
        for number in range(count + 1):
            end = _span(reader).end
            writer.append_ticks([(layout, end + EVERY_MS, np.full(IDS.size, float(number % 7)))])
            begun = time.thread_time()
            curves = read(reader)
            taken = time.thread_time()
            stack.show_window(_span(reader))
            stack.show_charts(_charts(curves))
            QApplication.processEvents()
            reading.append(taken - begun)
            drawing.append(time.thread_time() - taken)
    stack.close()
    return Growth(statistics.median(reading[1:]), statistics.median(drawing[1:]))


def _span(reader: SessionReader) -> TimeRange:
    span = reader.span()
    assert span is not None
    return span


def read_all(reader: SessionReader) -> Mapping[int, Curve]:
    """Read all samples of all series into new curves: what the window would cost without keeping anything."""
    return {
        number: Curve(frame.times, np.ascontiguousarray(frame.values[:, column]))
        for frame in reader.read(IDS)
        for column, number in enumerate(frame.ids.tolist())
    }


class AppendNew:
    """Reads as the window does: new samples are appended to the curves that were read before."""

    def __init__(self) -> None:
        self._samples = ChartSamples()

    def __call__(self, reader: SessionReader) -> Mapping[int, Curve]:
        """The curves after this growth."""
        self._samples = read_samples(reader, IDS.tolist(), _span(reader), self._samples, lambda: None)
        return self._samples.curves


def _charts(curves: Mapping[int, Curve]) -> Sequence[tuple[ChartSpec, Sequence[NamedCurve]]]:
    return [
        (
            ChartSpec(f"Ready {number}", "%", tuple(part.tolist())),
            [NamedCurve(str(one), "%", curves[one], "", one) for one in part.tolist()],
        )
        for number, part in enumerate(np.split(IDS, CHARTS))
    ]


def main() -> None:
    """Measure both ways and print CPU milliseconds; with ``--json`` print the document for the table."""
    days, count = (1, 5) if "--quick" in sys.argv else (7, 15)
    with tempfile.TemporaryDirectory() as folder:
        session = Path(folder) / "week.hscope"
        layout = make(session, days)
        ours, peer = (
            growths(session, layout, AppendNew(), count),
            growths(session, layout, read_all, count // 3),
        )
    if "--json" in sys.argv:
        print(json.dumps({"ours": asdict(ours), "peer": asdict(peer), "days": days}))
        return
    for name, one in (("only what is new", ours), ("all of it anew", peer)):
        print(f"{name}: worker {one.reading_s * 1000:.1f} ms, window's thread {one.drawing_s * 1000:.1f} ms")


if __name__ == "__main__":
    main()
