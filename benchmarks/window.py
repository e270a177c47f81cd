"""The window: frames beside pyqtgraph's own downsampling, start, a day's session, the table, and a soak."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.big_session import big_session
from benchmarks.captures import lab_capture
from benchmarks.measure import Row, megabytes, run

DROP_GOAL_S = 1.0
START_GOAL_S, FIRST_CHART_GOAL_S, MEMORY_GOAL = 1.5, 0.3, 400_000_000
STALL_GOAL_MS, FRAME_GOAL_MS, FRAME_RATIO, GROWTH_GOAL, GROWTH_RATIO = 50.0, 16.7, 6.0, 0.05, 4.0


def measure(cache: Path, *, quick: bool) -> list[Row]:
    """Measure everything that this module names, each in a fresh process."""
    return [
        *_frames(),
        _growth(quick=quick),
        *_start(3 if quick else 7),
        *_day(cache, quick=quick),
        _table(10 if quick else 60),
        _drop(cache, quick=quick),
        _soak(2_000 if quick else 100_000),
        *_hour(600 if quick else 60),
    ]


def _child(*arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        run(("-m", "benchmarks.window_child", *arguments), watch=False).output.splitlines()[-1]
    )
    return found


def _frames() -> list[Row]:
    found = json.loads(run(("-m", "benchmarks.charts", "--json"), watch=False).output.splitlines()[-1])
    ours, peer = found["ours_ms"], found["peer_ms"]
    holds = ours <= FRAME_GOAL_MS and peer / ours >= FRAME_RATIO
    return [
        Row(
            "a frame of pan and zoom, 50 curves × 172,800 points (median)",
            f"{ours:.1f} ms",
            f"pyqtgraph's own downsampling {peer:.0f} ms",
            f"{peer / ours:.1f}×",
            f"≤ {FRAME_GOAL_MS} ms and ≥ {FRAME_RATIO:.0f}×",
            holds,
        )
    ]


def _growth(*, quick: bool) -> Row:
    arguments = ("-m", "benchmarks.growing_charts", "--json", *(["--quick"] if quick else []))
    found = json.loads(run(arguments, watch=False).output.splitlines()[-1])
    (read, drawn), (read_anew, drawn_anew) = (
        (one["reading_s"] * 1000, one["drawing_s"] * 1000) for one in (found["ours"], found["peer"])
    )
    ratio = (read_anew + drawn_anew) / (read + drawn)
    return Row(
        f"one more sample of each of 96 curves × {found['days']} days at 5 s: CPU of the worker + the "
        "window's thread",
        f"{read:.0f} + {drawn:.0f} ms", f"all of it anew {read_anew:.0f} + {drawn_anew:.0f} ms",
        f"{ratio:.1f}×", f"≥ {GROWTH_RATIO:.0f}×", ratio >= GROWTH_RATIO,
    )  # fmt: skip


def _start(times: int) -> list[Row]:
    seconds = statistics.median(_child("start", repr(time.time()))["window_s"] for _ in range(times))
    return [
        Row(
            "start to usable window, warm",
            f"{seconds:.2f} s",
            "–",
            "–",
            f"≤ {START_GOAL_S} s",
            seconds <= START_GOAL_S,
        )
    ]


def _day(cache: Path, *, quick: bool) -> list[Row]:
    path = big_session(cache, hours=2 if quick else 24)
    found = [_child("open", str(path)) for _ in range(1 if quick else 7)]
    first = statistics.median(one["first_chart_s"] for one in found)
    memory = max(one["memory_bytes"] for one in found)
    return [
        Row(
            "24 h × 20,600 series: open to first chart", f"{first * 1000:.0f} ms", "–", "–",
            f"≤ {FIRST_CHART_GOAL_S * 1000:.0f} ms", first <= FIRST_CHART_GOAL_S,
        ),
        Row(
            "the window's memory on it, after every page was shown", megabytes(memory), "–", "–",
            f"≤ {megabytes(MEMORY_GOAL)}", memory <= MEMORY_GOAL,
        ),
    ]  # fmt: skip


def _table(seconds: int) -> Row:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "growing.hscope"
        arguments = [sys.executable, "-m", "benchmarks.growing_session", str(path), str(seconds + 60)]
        with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as recorder:
            assert recorder.stdout is not None
            recorder.stdout.readline()
            found = _child("table", str(path), str(seconds))
            recorder.terminate()
    worst = found["worst_ms"]
    return Row(
        f"worst event-loop stall: esxtop table of {found['rows']:,} rows × {found['columns']} columns, "
        f"{found['updates']} updates, 40,000 series being recorded",
        f"{worst:.0f} ms", f"p99 {found['p99_ms']:.1f} ms", "–", f"≤ {STALL_GOAL_MS:.0f} ms",
        worst <= STALL_GOAL_MS,
    )  # fmt: skip


def _drop(cache: Path, *, quick: bool) -> Row:
    size = 100 if quick else 1000
    capture = lab_capture(cache, megabytes=size)
    found = _child("drop", str(capture))
    first = found["first_chart_s"]
    return Row(
        f"first chart of a {size} MB capture after its drop on the window", f"{first:.2f} s",
        "the import goes on" if found["going_on"] else "the import had ended", "–",
        f"≤ {DROP_GOAL_S:.0f} s", first <= DROP_GOAL_S,
    )  # fmt: skip


def _soak(updates: int) -> Row:
    found = _child("soak", str(updates))
    growth = found["growth"]
    return Row(
        f"memory after {updates:,} chart updates, beside a tenth of them",
        megabytes(found["late_bytes"]), megabytes(found["early_bytes"]), f"{growth:+.1%}", "± 5 %",
        abs(growth) <= GROWTH_GOAL,
    )  # fmt: skip


def _hour(speed: int) -> list[Row]:
    found = _child("hour", str(speed))
    growth = found["late_bytes"] / found["early_bytes"] - 1
    counted = ("threads", "timers", "widgets")
    *alike, widgets = ((found[f"early_{name}"], found[f"late_{name}"]) for name in counted)
    same = all(early == late for early, late in alike) and widgets[1] <= widgets[0] * (1 + GROWTH_GOAL)
    return [
        Row(
            "memory while the lab is followed live, its 45 minutes for the third time beside the second",
            megabytes(found["late_bytes"]), megabytes(found["early_bytes"]), f"{growth:+.1%}", "± 5 %",
            abs(growth) <= GROWTH_GOAL,
        ),
        Row(
            "… threads, running timers, widgets",
            ", ".join(str(found[f"late_{name}"]) for name in counted),
            ", ".join(str(found[f"early_{name}"]) for name in counted), "–", "the same; widgets + 5 %", same,
        ),
    ]  # fmt: skip
