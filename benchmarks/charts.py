"""Panning and zooming 50 curves × 172,800 points, beside pyqtgraph's own downsampling on the same data.

One frame sets the chart's time range and paints it into an image of the widget's size. Both sides draw with
Qt's raster engine, offscreen, at 900 × 600 pixels, with curves one pixel wide.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
import pyqtgraph as pg
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QWidget

from viewmodels.curve import Curve
from viewmodels.time_labels import UTC_CLOCK
from widgets.charts.curves_item import Drawn
from widgets.charts.plot import Plot
from widgets.theme import Theme

CURVES, POINTS = 50, 172_800
STEP_MS = 500
FRAMES, PEER_FRAMES = 120, 12
SIZE = (900, 600)


@dataclass(frozen=True, slots=True)
class Frames:
    """Median and 95th percentile of the time that one frame takes, in ms."""

    median_ms: float
    p95_ms: float


def data() -> tuple[np.ndarray, list[np.ndarray]]:
    """Make the times (ms) and the curves: random walks with spikes and a few gaps (NaN)."""
    rng = np.random.default_rng(7)
    times = 1_700_000_000_000 + np.arange(POINTS, dtype=np.int64) * STEP_MS
    curves = []
    for _ in range(CURVES):
        values = np.abs(np.cumsum(rng.normal(size=POINTS)) / 20) + rng.random(POINTS)
        values[rng.integers(0, POINTS, 40)] += 30
        begin = int(rng.integers(0, POINTS - 600))
        values[begin : begin + 500] = np.nan
        curves.append(values)
    return times, curves


def windows(count: int) -> list[tuple[float, float]]:
    """Return ``count`` time ranges (start, end): pan across the day one
    hour wide, zoom out to the day, zoom in.
    """
    start, end = 1_700_000_000_000.0, 1_700_000_000_000.0 + POINTS * STEP_MS
    length, walk = end - start, []
    for number in range(count):
        part = number / count
        width = length * (0.04 + 0.96 * abs(np.sin(part * np.pi * 2)))
        left = start + (length - width) * part
        walk.append((left, left + width))
    return walk


def ours(application: QApplication, times: np.ndarray, curves: list[np.ndarray]) -> Frames:
    """Measure the frames of Hyperscope's chart widget."""
    plot = Plot(Theme(application, "dark"), UTC_CLOCK)
    plot.resize(*SIZE)
    plot.set_curves([Drawn(Curve(times, values), "#56b4e9") for values in curves], (), ())
    plot.show()
    return _run(plot, FRAMES, plot.set_window)


def peer(times: np.ndarray, curves: list[np.ndarray]) -> Frames:
    """Measure the frames of plain pyqtgraph: automatic downsampling by peaks, clipped to the view."""
    plot = pg.PlotWidget()
    plot.resize(*SIZE)
    x = times.astype(np.float64)
    for values in curves:
        item = plot.plot(x, values, pen=pg.mkPen("#56b4e9", width=1), connect="finite")
        item.setDownsampling(auto=True, method="peak")
        item.setClipToView(True)
    plot.show()

    def show(start: float, end: float) -> None:
        plot.setXRange(start, end, padding=0)

    return _run(plot, PEER_FRAMES, show)


def _run(widget: QWidget, count: int, show: Callable[[float, float], None]) -> Frames:
    image = QImage(*SIZE, QImage.Format.Format_ARGB32_Premultiplied)
    spent = []
    for number, (start, end) in enumerate(windows(count)):
        begun = time.perf_counter()
        show(start, end)
        QWidget.render(widget, image)
        if number:
            spent.append((time.perf_counter() - begun) * 1000)
    widget.close()
    return Frames(statistics.median(spent), statistics.quantiles(spent, n=20)[-1])


def main() -> None:
    """Measure both and print the medians; with ``--json`` print the document that the table is made from."""
    application = QApplication(["benchmarks"])
    times, curves = data()
    mine, theirs = ours(application, times, curves), peer(times, curves)
    if "--json" in sys.argv:
        print(json.dumps({"ours_ms": mine.median_ms, "peer_ms": theirs.median_ms}))
        return
    print(f"ours  median {mine.median_ms:.1f} ms, p95 {mine.p95_ms:.1f} ms")
    print(f"peer  median {theirs.median_ms:.1f} ms, p95 {theirs.p95_ms:.1f} ms")
    print(f"ratio {theirs.median_ms / mine.median_ms:.1f}")


if __name__ == "__main__":
    main()
