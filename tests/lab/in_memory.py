"""The lab run into memory: the session that a recording of it gives, without a file."""

from __future__ import annotations

from collections.abc import Sequence

from collectors.esxtop_names import Counters, columns_by_host
from lab import Lab
from lab.lab import Tick
from lab.recording import lab_source, rows_of, samples_in
from lab.samples import HostSamples
from resources.catalogue import load_catalogue
from tests.sessions.memory_session import MemorySession


def lab_session(
    lab: Lab, duration_s: float | None = None, *, catalogue: Counters | None = None
) -> MemorySession:
    """Run the lab to its end (or for ``duration_s``) and keep what it shows."""
    ticks = samples_in(lab, lab.duration_s if duration_s is None else duration_s)
    return session_of([tick for _ in range(ticks) if (tick := lab.tick()) is not None], lab, catalogue)


def session_of(taken: Sequence[Tick], lab: Lab, catalogue: Counters | None = None) -> MemorySession:
    """The session that a recording of these samples gives."""
    known = catalogue or load_catalogue()
    session = MemorySession()
    for host, name in enumerate(lab.hosts):
        layout = columns_by_host(lab.columns()[host], known)[0]
        samples = HostSamples(layout, round(lab.interval_s * 1000))
        times, rows = rows_of(taken, host)
        values = samples.take(times, rows)
        session.add_source(
            lab_source(lab, name), times, layout.specs, values,
            entities=layout.entities, facts=samples.facts(), gaps=samples.gaps(0),
        )  # fmt: skip
    return session
