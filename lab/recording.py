"""Records the lab in bulk: a whole run straight into a session file, as fast as possible."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from collectors.esxtop_names import Counters, columns_by_host
from lab.lab import Lab, Tick
from lab.samples import HostSamples
from resources.catalogue import load_catalogue
from resources.failures import CancelledError
from resources.stopping import StopSignal
from sessions.model import FloatArray, IntArray, SourceSpec
from sessions.store import SessionWriter, encode_block

_BLOCK_TICKS = 128


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a recording: ``seconds`` of lab time out of ``total``; ``samples`` stored so far."""

    seconds: float
    total: float
    samples: int


def record_lab(
    lab: Lab,
    writer: SessionWriter,
    *,
    duration_s: float | None = None,
    progress: Callable[[Progress], None] | None = None,
    cancel: StopSignal | None = None,
    catalogue: Counters | None = None,
    hosts: Sequence[str] | None = None,
) -> None:
    """Record the lab into an open session, one source for each host: all of them, or only the
    named ``hosts``.

    ``duration_s`` None means the scenario's own duration. Raises CancelledError once ``cancel`` is set; what
    was recorded until then stays in the session, whose sources the caller has to end or discard. Errors of
    the writer pass through. For a lab that is viewed while it runs use ``lab.live``.
    """
    total = lab.duration_s if duration_s is None else duration_s
    known = catalogue or load_catalogue()
    sinks = [
        _Sink(lab, host, writer, known)
        for host, name in enumerate(lab.hosts)
        if hosts is None or name in hosts
    ]
    samples, pending = 0, list[Tick]()
    for number in range(1, samples_in(lab, total) + 1):
        if cancel is not None and cancel.is_set():
            for sink in sinks:
                sink.store(pending)
            raise CancelledError("The recording of the lab was stopped.")
        tick = lab.tick()
        if tick is not None:
            pending.append(tick)
        if len(pending) == _BLOCK_TICKS:
            samples += sum(sink.store(pending) for sink in sinks)
            pending.clear()
        if progress is not None:
            progress(Progress(number * lab.interval_s, total, samples))
    for sink in sinks:
        sink.store(pending)
        sink.finish()


class _Sink:
    """One host's way into the session."""

    def __init__(self, lab: Lab, host: int, writer: SessionWriter, catalogue: Counters) -> None:
        host_columns = columns_by_host(lab.columns()[host], catalogue)[0]
        self._host, self._interval_s = host, lab.interval_s
        self._writer = writer
        self._samples = HostSamples(host_columns, round(lab.interval_s * 1000))
        self._source = writer.add_source(lab_source(lab, host_columns.host))
        writer.add_entities(host_columns.entities)
        self._layout = writer.add_layout(self._source, writer.add_series(self._source, host_columns.specs))

    def store(self, ticks: Sequence[Tick]) -> int:
        """Store ticks; returns how many samples that were."""
        if not ticks:
            return 0
        times, rows = rows_of(ticks, self._host)
        values = self._samples.take(times, rows)
        self._writer.add_block(self._layout, encode_block(times, values))
        return int(np.count_nonzero(~np.isnan(values)))

    def finish(self) -> None:
        """Store what only the whole tells."""
        self._writer.add_facts(self._samples.facts())
        self._writer.add_gaps(list(self._samples.gaps(self._source)))
        self._writer.update_source(self._source, interval_s=self._interval_s)


def lab_source(lab: Lab, host: str) -> SourceSpec:
    """Return the source specification of one host of the lab."""
    about = (("scenario", lab.scenario.id), ("title", lab.scenario.title), ("seed", str(lab.seed)))
    fewer = (("fields", lab.fields),) if lab.fields != "all" else ()
    return SourceSpec("lab", host, lab.interval_s, attributes=(*about, *fewer))


def samples_in(lab: Lab, seconds: float) -> int:
    """Return the number of samples in so many seconds of lab time, at least one: the first comes at once."""
    ticks = round(seconds / lab.tick_s)
    return max(1, math.ceil(ticks * lab.tick_s / lab.interval_s))


def rows_of(ticks: Sequence[Tick], host: int) -> tuple[IntArray, FloatArray]:
    """Return the times (ticks,), int64 ms, and one host's printed rows (ticks, columns), without the
    ticks at which the host was down.
    """
    rows = np.stack([tick.rows[host] for tick in ticks])
    times = np.array([tick.t_ms for tick in ticks], dtype=np.int64)
    if not np.isnan(rows[:, :1]).any():
        return times, rows
    there = ~np.isnan(rows).all(axis=1)
    return times[there], rows[there]
