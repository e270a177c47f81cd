"""What benchmarks/window.py measures in a process of its own; prints one JSON document.

python -m benchmarks.window_child start BEGUN | open SESSION | table SESSION SECONDS | drop CAPTURE
                                  | soak UPDATES | hour SPEED
"""

from __future__ import annotations

import itertools
import json
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
import psutil
from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QApplication

from app.gui.application import Program, build
from viewmodels.curve import Curve
from viewmodels.time_labels import UTC_CLOCK
from widgets.charts.curves_item import Drawn
from widgets.charts.plot import Plot
from widgets.charts.stack import ChartStack
from widgets.esxtop import EsxtopView
from widgets.theme import Theme

WATCH_MS = 4


def started(program_of: Callable[[], Program]) -> Program:
    """Make the program, show its window and wait until the window is painted."""
    program = program_of()
    program.window.show()
    QApplication.processEvents()
    return program


def start(program: Program, begun: float) -> dict[str, float]:
    """Measure the seconds from ``begun`` to a usable window: painted, and its events answered.

    ``begun`` is the caller's clock before it started this process: the start time that the system notes for a
    process counts from the boot time, which has whole seconds only.
    """
    run_event_loop(0)
    seconds = time.time() - begun
    program.window.close()
    return {"window_s": seconds}


def open_session(program: Program, path: Path) -> dict[str, float]:
    """Open a session; measure the seconds until its first chart is drawn, and the window's memory then.

    The window is idle for a second before that, because nobody chooses a file faster.
    """
    program.window.show_panel("charts")
    run_event_loop(1_000)
    stack = program.window.findChild(ChartStack)
    assert stack is not None
    begun = time.perf_counter()
    program.desk.session.open(path)
    wait_for(lambda: bool(stack.cards) and stack.cards[0].curves[0].curve.y.size > 0)
    first = time.perf_counter() - begun
    wait_for(lambda: program.desk.findings.diagnosis is not None)
    for page in ("overview", "esxtop", "heatmap", "charts"):
        program.window.show_panel(page)
        run_event_loop(1_500)
    memory = psutil.Process().memory_full_info()
    program.window.close()
    return {"first_chart_s": first, "memory_bytes": memory.uss, "rss_bytes": memory.rss}


def drop(program: Program, capture: Path, folder: Path) -> dict[str, float]:
    """Drop a capture on the window; measure the seconds until its first chart, while the import continues."""
    program.desk.settings.set("record.folder", str(folder))
    program.window.show_panel("charts")
    stack = program.window.findChild(ChartStack)
    assert stack is not None
    begun = time.perf_counter()
    program.window.dropped.emit([capture])
    wait_for(lambda: bool(stack.cards) and stack.cards[0].curves[0].curve.y.size > 0)
    first = time.perf_counter() - begun
    going_on = any(job.state == "running" for job in program.desk.jobs.visible_jobs())
    for job in program.desk.jobs.visible_jobs():
        job.cancel()
    run_event_loop(1_000)
    program.window.close()
    return {"first_chart_s": first, "going_on": float(going_on)}


def table(program: Program, path: Path, seconds: float) -> dict[str, float]:
    """Measure the longest stall of the event loop while the esxtop table follows a session that grows."""
    program.window.show_panel("esxtop")
    view = program.window.findChild(EsxtopView)
    assert view is not None
    program.desk.session.open(path)
    wait_for(lambda: view.table.model().rowCount() > 0)
    wait_for(lambda: program.desk.findings.diagnosis is not None)
    run_event_loop(4_000)
    updates = [0]
    view.table.model().dataChanged.connect(lambda *_: updates.__setitem__(0, updates[0] + 1))
    stalls = Stalls()
    run_event_loop(round(seconds * 1000))
    stalls.stop()
    rows, columns = view.table.model().rowCount(), view.table.model().columnCount()
    program.window.close()
    return {
        "worst_ms": max(stalls.late, default=0.0),
        "p99_ms": sorted(stalls.late)[int(len(stalls.late) * 0.99)],
        "rows": rows,
        "columns": columns,
        "updates": updates[0],
    }


def soak(updates: int) -> dict[str, float]:
    """Measure the memory before and after ``updates`` updates of a chart."""
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    plot = Plot(Theme(application, "dark"), UTC_CLOCK)
    plot.resize(600, 200)
    plot.show()
    times = 1_700_000_000_000 + np.arange(2_000, dtype=np.int64) * 5_000
    rng = np.random.default_rng(1)
    process, early = psutil.Process(), 0
    for number in range(updates):
        plot.set_curves([Drawn(Curve(times, rng.random(2_000)), "#56b4e9")], (), ())
        plot.set_window(float(times[0]), float(times[-1]))
        if number % 10 == 0:
            plot.repaint()
            QApplication.processEvents()
        if number == updates // 10:
            early = process.memory_full_info().uss
    late = process.memory_full_info().uss
    plot.close()
    return {"early_bytes": early, "late_bytes": late, "growth": late / early - 1}


def hour(program: Program, folder: Path, speed: int) -> dict[str, float]:
    """Record the lab's 45 minutes three times, each time in a new
    recorder, and show page after page meanwhile.

    Returns what the process holds during the second (``early``) and the third recording (``late``); memory is
    the median over the later half of each.
    """
    program.desk.settings.set("record.folder", str(folder))
    program.desk.settings.set("lab.speed", speed)
    _, early, late = (_lab_followed(program) for _ in range(3))
    program.window.close()
    held = (("early", early), ("late", late))
    return {f"{when}_{name}": value for when, counts in held for name, value in counts.items()}


def _lab_followed(program: Program) -> dict[str, float]:
    """Record the lab into a new session and look at one page after another until it has ended."""
    before = program.desk.session.path
    program.workbench.try_lab()
    wait_for(lambda: program.desk.session.path not in {None, before})

    def recording() -> bool:
        snapshot = program.desk.session.snapshot
        recorder = program.workbench.recordings.process
        return snapshot is not None and (snapshot.recording or recorder is not None)

    held = []
    pages = itertools.cycle(("overview", "charts", "esxtop", "heatmap"))
    while recording():
        program.window.show_panel(next(pages))
        run_event_loop(1_500)
        held.append(psutil.Process().memory_full_info().uss)
    program.window.show_panel("charts")
    run_event_loop(6_000)
    return {
        "bytes": statistics.median(held[len(held) // 2 :]),
        "threads": threading.active_count(),
        "widgets": len(QApplication.allWidgets()),
        "timers": len([timer for timer in program.window.findChildren(QTimer) if timer.isActive()]),
    }


class Stalls:
    """Measures how late a fast timer fires, in ms: how long the event loop was blocked."""

    def __init__(self) -> None:
        self.late: list[float] = []
        self._last = time.perf_counter()
        self._timer = QTimer(interval=WATCH_MS)
        self._timer.timeout.connect(self._beat)
        self._timer.start()

    def stop(self) -> None:
        """Stop the timer."""
        self._timer.stop()

    def _beat(self) -> None:
        now = time.perf_counter()
        self.late.append(max((now - self._last) * 1000 - WATCH_MS, 0.0))
        self._last = now


def run_event_loop(milliseconds: int) -> None:
    """Run the event loop for so many milliseconds."""
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


def wait_for(ready: Callable[[], bool], milliseconds: int = 120_000) -> None:
    """Run the event loop until ``ready()`` is true; fails after ``milliseconds``."""
    loop = QEventLoop()
    timer = QTimer(interval=2)
    timer.timeout.connect(lambda: loop.quit() if ready() else None)
    timer.start()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()
    timer.stop()
    if not ready():
        raise TimeoutError("the window did not show it in time")


def main(arguments: list[str]) -> None:
    """Run the measurement that the first argument names and print its JSON document."""
    application = QApplication(["hyperscope"])
    if arguments[0] == "soak":
        print(json.dumps(soak(int(arguments[1]))))
        return
    with tempfile.TemporaryDirectory() as folder:
        program = started(lambda: build(application, Path(folder)))
        if arguments[0] == "start":
            found = start(program, float(arguments[1]))
        elif arguments[0] == "open":
            found = open_session(program, Path(arguments[1]))
        elif arguments[0] == "hour":
            found = hour(program, Path(folder), int(arguments[1]))
        elif arguments[0] == "drop":
            found = drop(program, Path(arguments[1]), Path(folder))
        else:
            found = table(program, Path(arguments[1]), float(arguments[2]))
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1:])
