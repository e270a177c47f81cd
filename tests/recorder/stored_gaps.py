"""What must hold of a source's samples and gaps, whatever happened while it was recorded."""

from __future__ import annotations

import itertools

from sessions.model import Gap, Source
from sessions.store import SessionReader


def times_and_gaps(reader: SessionReader, source: Source) -> tuple[list[int], list[Gap]]:
    """Return the times of a source's samples (ms) and its own gaps: no sample is in a gap or there twice, and
    as many are stored as were counted.
    """
    times: list[int] = reader.times(source.id).tolist()
    assert times == sorted(set(times))
    assert source.spec.counted is not None
    expected, received = source.spec.counted
    assert source.samples == received
    assert expected >= received
    gaps = [gap for gap in reader.gaps() if gap.source == source.id and gap.entity is None]
    assert not [t for t in times for gap in gaps if gap.start <= t <= gap.end]
    return times, gaps


def gaps_are_exact(reader: SessionReader, source: Source) -> None:
    """Between two samples of an esxtop of 2 s that are apart there is a gap."""
    times, gaps = times_and_gaps(reader, source)
    for before, after in itertools.pairwise(times):
        missed = [gap for gap in gaps if before < gap.start <= gap.end < after]
        assert after - before <= 3 * 2000 or missed, f"{source.spec.name}: {before} to {after}"
