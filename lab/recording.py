"""Recording the lab: straight into a session file at any speed, or into memory for the scoreboard."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from collectors.esxtop_names import Counters, build_layouts
from lab.lab import TICK_S, Lab, Tick
from lab.samples import HostSamples
from resources.catalogue import load_catalogue
from resources.failures import CancelledError
from sessions.memory import MemorySession
from sessions.model import FloatArray, IntArray, SourceSpec
from sessions.store import SessionWriter, encode_block

TICK_MS = round(TICK_S * 1000)
_BLOCK_TICKS = 128


class Cancel(Protocol):
    """Something that can be set to stop the work: a threading or multiprocessing event."""

    def is_set(self) -> bool:
        """Whether to stop."""

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until set, at most so many seconds."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a recording is. ``seconds`` of lab time out of ``total``; ``samples`` stored so far."""

    seconds: float
    total: float
    samples: int


def record_lab(
    lab: Lab,
    writer: SessionWriter,
    *,
    duration_s: float | None = None,
    speed: float | None = None,
    progress: Callable[[Progress], None] | None = None,
    cancel: Cancel | None = None,
    catalogue: Counters | None = None,
    hosts: Sequence[str] | None = None,
) -> None:
    """Record the lab into an open session, one source a host: all of them, or only the named ``hosts``.

    ``speed`` is lab seconds in a second of real time: then each tick is stored as it comes, so that others
    can watch the session grow. None is as fast as it goes, in blocks. ``duration_s`` is the scenario's own
    when None. Raises CancelledError once ``cancel`` is set; what was recorded until then stays in the
    session, its sources left for the caller to close or discard. Failures of the writer pass through.
    """
    total = lab.duration_s if duration_s is None else duration_s
    sinks = [
        _Sink(lab, host, writer, catalogue or load_catalogue())
        for host, name in enumerate(lab.hosts)
        if hosts is None or name in hosts
    ]
    pace = _Pace(speed, cancel)
    samples, pending = 0, list[Tick]()
    for number in range(1, _ticks(total) + 1):
        pace.wait(number * TICK_S)
        tick = lab.tick()
        if tick is not None:
            pending.append(tick)
        if pending and (speed is not None or len(pending) == _BLOCK_TICKS):
            samples += sum(sink.store(pending, live=speed is not None) for sink in sinks)
            pending.clear()
        if progress is not None:
            progress(Progress(number * TICK_S, total, samples))
    for sink in sinks:
        sink.store(pending, live=False)
        sink.finish()


def run_memory(
    lab: Lab, duration_s: float | None = None, *, catalogue: Counters | None = None
) -> MemorySession:
    """Run the lab to its end (or for ``duration_s``) and keep it in memory, for the scoreboard."""
    total = lab.duration_s if duration_s is None else duration_s
    known = catalogue or load_catalogue()
    ticks = [tick for _ in range(_ticks(total)) if (tick := lab.tick()) is not None]
    session = MemorySession()
    for host, name in enumerate(lab.hosts):
        layout = build_layouts(lab.columns()[host], known)[0]
        samples = HostSamples(layout, TICK_MS)
        times, rows = _table(ticks, host)
        values = samples.take(times, rows)
        session.add_source(
            lab_source(lab, name), times, layout.specs, values,
            entities=layout.entities, facts=samples.facts(), gaps=samples.gaps(0),
        )  # fmt: skip
    return session


class _Sink:
    """One host's way into the session."""

    def __init__(self, lab: Lab, host: int, writer: SessionWriter, catalogue: Counters) -> None:
        layout = build_layouts(lab.columns()[host], catalogue)[0]
        self._host = host
        self._writer = writer
        self._samples = HostSamples(layout, TICK_MS)
        self._source = writer.add_source(lab_source(lab, layout.host))
        writer.add_entities(layout.entities)
        self._layout = writer.add_layout(self._source, writer.add_series(self._source, layout.specs))

    def store(self, ticks: Sequence[Tick], *, live: bool) -> int:
        """Store ticks; returns how many samples that were."""
        if not ticks:
            return 0
        times, rows = _table(ticks, self._host)
        values = self._samples.take(times, rows)
        if live:
            for t_ms, row in zip(times.tolist(), values, strict=True):
                self._writer.append_tick(self._layout, t_ms, row)
        else:
            self._writer.add_block(self._layout, encode_block(times, values))
        return int(np.count_nonzero(~np.isnan(values)))

    def finish(self) -> None:
        """Store what only the whole tells."""
        self._writer.add_facts(self._samples.facts())
        self._writer.add_gaps(list(self._samples.gaps(self._source)))
        self._writer.update_source(self._source, interval_s=TICK_S)


class _Pace:
    """Keeps a recording at a multiple of real time, and stops it when asked to."""

    def __init__(self, speed: float | None, cancel: Cancel | None) -> None:
        self._speed = speed
        self._cancel = cancel
        self._began = time.monotonic()

    def wait(self, lab_seconds: float) -> None:
        """Wait until a moment of lab time has come. Raises CancelledError."""
        while True:
            if self._cancel is not None and self._cancel.is_set():
                raise CancelledError("The recording of the lab was stopped.")
            due = 0.0 if self._speed is None else self._began + lab_seconds / self._speed - time.monotonic()
            if due <= 0.0:
                return
            if self._cancel is not None:
                self._cancel.wait(due)
            else:
                time.sleep(due)


def lab_source(lab: Lab, host: str) -> SourceSpec:
    """What is said of a host of the lab as a source."""
    about = (("scenario", lab.scenario.id), ("title", lab.scenario.title), ("seed", str(lab.seed)))
    return SourceSpec("lab", host, TICK_S, attributes=about)


def _ticks(seconds: float) -> int:
    return max(1, round(seconds / TICK_S))


def _table(ticks: Sequence[Tick], host: int) -> tuple[IntArray, FloatArray]:
    times = np.array([tick.t_ms for tick in ticks], dtype=np.int64)
    return times, np.stack([tick.rows[host] for tick in ticks])
