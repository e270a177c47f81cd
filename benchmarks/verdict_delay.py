"""How long after its rule holds a finding is reported: the lab records ``demo`` beside two busy processes.

python -m benchmarks.verdict_delay [--speed 60] [--seconds 1500]

The recorder and the process that judges run as the window starts them. When the rule holds is computed
afterwards: a finding is due with the first instant at which a diagnosis of all that had come by then has it.
Its delay is the time from the moment when that instant was on disk to the verdict that reports it.
"""

from __future__ import annotations

import argparse
import contextlib
import multiprocessing
import os
import shutil
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from app.memory import keep_for_arrays
from benchmarks.big_session import big_session
from benchmarks.measure import Row
from diagnosis import diagnose_session
from diagnosis.live import LiveJudge
from diagnosis.messages import Judged, read_event
from resources.catalogue import load_catalogue
from resources.failures import HyperscopeError
from resources.problem_cards import load_problems
from sessions.findings import Finding
from sessions.model import EntityRef
from sessions.store import SessionReader, SessionWriter
from sessions.times import TimeRange

TICK_S = 5.0
"""The lab's sampling interval."""
SPEED = 60.0
_TICKS = 15
_MOST_OF_A_CORE = 0.02
_LOOK_S = 0.002
_CHUNK = 8  # instants between two whole diagnoses when the first one with a finding is searched
_LEFT_OUT = ("data.insufficient",)  # says what was not judged, and is there until it goes

Key = tuple[str, EntityRef]


@dataclass(frozen=True, slots=True)
class Delays:
    """The delays of all findings in ticks of wall time, and the wall time of a tick in seconds."""

    ticks: tuple[float, ...]
    tick_s: float
    verdicts: int

    def at(self, part: float) -> float:
        """Return the quantile ``part`` (0 to 1)."""
        return sorted(self.ticks)[min(len(self.ticks) - 1, int(part * len(self.ticks)))]


def measure(cache: Path, *, quick: bool) -> list[Row]:
    """Measure the demo's first 25 minutes (quick: seven) at the speed 60, and one more tick of a day."""
    hours = 1 if quick else 24
    again = measure_increment(big_session(cache, hours=hours, scenario="demo"), hours)
    delays = measure_delays(seconds=420 if quick else 1500, speed=SPEED)
    p95 = delays.at(0.95)
    return [
        Row(
            f"a finding after its rule holds, {len(delays.ticks)} findings, lab at speed {SPEED:.0f}",
            f"p50 {delays.at(0.5):.1f}, p95 {p95:.1f}, max {max(delays.ticks):.1f} ticks",
            f"a tick is {1000 * delays.tick_s:.0f} ms; {delays.verdicts} verdicts",
            f"{1000 * p95 * delays.tick_s:.0f} ms",
            "p95 ≤ 2 ticks",
            p95 <= 2,
        ),
        again,
    ]


def measure_increment(path: Path, hours: int) -> Row:
    """Measure the processor time of judging one more tick of a long session, beside judging all of it.

    The session's last ticks come once more: of samples that stay the same less would change.
    """
    keep_for_arrays()  # as the process that judges does
    problems, catalogue = load_problems(), load_catalogue()
    with TemporaryDirectory() as folder:
        grown = Path(folder) / path.name
        shutil.copy(path, grown)
        with SessionWriter.open(grown) as writer, SessionReader.open(grown) as reader:
            series = list(reader.series())
            judge = LiveJudge(reader, problems, catalogue)
            judge.judge()
            last = []
            for source in reader.sources():
                mine = [one for one in series if one.source == source.id]
                ids = np.array([one.id for one in mine], dtype=np.int64)
                assert source.end is not None
                begin_ms = source.end - _TICKS * round(1000 * TICK_S)
                (frame,) = reader.read(ids, TimeRange(begin_ms, source.end))
                stored = frame.values / np.array([one.spec.scale for one in mine])
                last.append((writer.ticks.add_layout(source.id, ids), source.end, stored))
            spent = []
            for number in range(1, _TICKS + 1):
                at = number * round(1000 * TICK_S)
                writer.ticks.append_ticks(
                    [(layout, end + at, values[number]) for layout, end, values in last]
                )
                begin = time.process_time()
                judge.judge()
                spent.append(time.process_time() - begin)
            begin = time.process_time()
            diagnose_session(reader, problems, catalogue)
            whole = time.process_time() - begin
    again = sorted(spent)[len(spent) // 2]
    return Row(
        f"judging again after a tick of {path.stem}, {len(series):,} series × {hours} h, CPU",
        f"{1000 * again:.0f} ms",
        f"judging all of it {1000 * whole:.0f} ms",
        f"{whole / again:.1f}×",
        f"≥ 3×, ≤ {1000 * _MOST_OF_A_CORE * TICK_S:.0f} ms",
        whole >= 3 * again and again <= _MOST_OF_A_CORE * TICK_S,
    )


def measure_delays(*, seconds: float, speed: float, busy: int = 2) -> Delays:
    """Record ``seconds`` of the lab beside ``busy`` busy processes, and return the delays of all findings."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "demo.hscope"
        loads = [multiprocessing.Process(target=_spin, daemon=True) for _ in range(busy)]
        for load in loads:
            load.start()
        try:
            arrived, reported, verdicts = _watch(path, seconds, speed)
        finally:
            for load in loads:
                load.kill()
        due = due_findings(path, arrived)
    tick_s = TICK_S / speed
    ticks = tuple((reported.get(key, arrived[-1][0]) - at) / tick_s for key, at in due.items())
    return Delays(ticks, tick_s, verdicts)


def _spin() -> None:
    while True:
        pass


def _watch(path: Path, seconds: float, speed: float) -> tuple[list[tuple[float, int]], dict[Key, float], int]:
    """Record; return when each instant was on disk, when each finding was first reported, and the number of
    verdicts.
    """
    words = [sys.executable, "-m", "app"]
    recorder = subprocess.Popen(
        [*words, "record", "lab:demo", "-o", str(path), "--json", "--attached", "--speed", str(speed)],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    arrived: list[tuple[float, int]] = []
    reported: dict[Key, float] = {}
    judge: subprocess.Popen[bytes] | None = None
    verdicts = 0
    try:
        reader = _opened(path)
        judge = subprocess.Popen(
            [*words, "judge", "--attached", "--", str(path)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
        events: list[tuple[float, bytes]] = []
        listener = threading.Thread(target=_listen, args=(judge, events), daemon=True)
        listener.start()
        first = None
        while first is None or arrived[-1][1] - first < 1000 * seconds:
            if reader.has_changed() and (span := reader.span()) is not None:
                first = span.start if first is None else first
                if not arrived or span.end > arrived[-1][1]:
                    arrived.append((time.monotonic(), span.end))
            time.sleep(_LOOK_S)
        time.sleep(2.0)
        reader.close()
        for at, line in events:
            event = read_event(line)
            assert isinstance(event, Judged), event
            verdicts += 1
            for finding in event.findings:
                reported.setdefault(_key(finding), at)
    finally:
        for child in (judge, recorder):
            if child is not None and child.stdin is not None:
                child.stdin.close()
                child.wait(60)
    return arrived, reported, verdicts


def _listen(judge: subprocess.Popen[bytes], events: list[tuple[float, bytes]]) -> None:
    assert judge.stdout is not None
    events.extend((time.monotonic(), line) for line in judge.stdout)


def _opened(path: Path) -> SessionReader:
    """Open the session once it has samples: before that the recorder is still making it."""
    while True:
        with contextlib.suppress(HyperscopeError):
            reader = SessionReader.open(path)
            if reader.span() is not None:
                return reader
            reader.close()
        time.sleep(0.05)


def _key(finding: Finding) -> Key:
    return finding.problem, finding.entity


def due_findings(path: Path, arrived: list[tuple[float, int]]) -> dict[Key, float]:
    """Return when each finding was due: the moment at which the first instant that has it was on disk."""
    problems, catalogue = load_problems(), load_catalogue()
    found: dict[int, frozenset[Key]] = {}
    with SessionReader.open(path) as reader:
        span = reader.span()
        assert span is not None

        def at(number: int) -> frozenset[Key]:
            if number not in found:
                window = TimeRange(span.start, arrived[number][1])
                diagnosis = diagnose_session(reader, problems, catalogue, window)
                keys = (_key(one) for one in diagnosis.findings if one.problem not in _LEFT_OUT)
                found[number] = frozenset(keys)
            return found[number]

        due: dict[Key, float] = {}
        before = -1
        for number in [*range(0, len(arrived), _CHUNK), len(arrived) - 1]:
            for key in at(number) - due.keys():
                low, high = before + 1, number
                while low < high:
                    middle = (low + high) // 2
                    low, high = (low, middle) if key in at(middle) else (middle + 1, high)
                due[key] = arrived[low][0]
            before = number
    return due


def main() -> None:
    """Measure once and print the delays."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--speed", type=float, default=SPEED)
    parser.add_argument("--seconds", type=float, default=1500)
    parser.add_argument("--busy", type=int, default=2)
    chosen = parser.parse_args()
    delays = measure_delays(seconds=chosen.seconds, speed=chosen.speed, busy=chosen.busy)
    print(
        f"{len(delays.ticks)} findings, {delays.verdicts} verdicts, a tick is {1000 * delays.tick_s:.0f} ms: "
        f"p50 {delays.at(0.5):.2f}, p95 {delays.at(0.95):.2f}, max {max(delays.ticks):.2f} ticks; "
        f"load {os.getloadavg()[0]:.1f}; {np.round(sorted(delays.ticks), 1).tolist()}"
    )


if __name__ == "__main__":
    main()
