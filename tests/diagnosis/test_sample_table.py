"""Samples that are read in parts are those that are read at once, also once the session has grown."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from diagnosis.samples import SampleTable
from sessions.model import Entity, EntityRef, IntArray, SeriesSpec, SourceSpec
from sessions.times import TimeRange
from tests.sessions.memory_session import MemorySession

HOST = EntityRef("host", "esx01")
SERIES, TICKS, STEP_MS = 6, 40, 5000
TIMES: IntArray = np.arange(TICKS, dtype=np.int64) * STEP_MS
VALUES = np.random.default_rng(3).normal(size=(TICKS, SERIES))
VALUES[5:9, 2] = np.nan


def session() -> MemorySession:
    found = MemorySession()
    specs = [SeriesSpec(HOST, "cpu.switches", "/s", str(at)) for at in range(SERIES)]
    source = SourceSpec("esxtop", "esx01", STEP_MS / 1000)
    found.add_source(source, TIMES, specs, VALUES, entities=[Entity(HOST, "esx01")])
    return found


@given(
    parts=st.lists(st.sets(st.integers(0, SERIES - 1), min_size=1), min_size=1, max_size=5),
    ends=st.lists(st.integers(2, TICKS), min_size=1, max_size=3).map(sorted),
)
def test_parts_are_the_whole(parts: list[set[int]], ends: list[int]) -> None:
    """Each part is read at each length of the session, in any order, with what was read before."""
    read = session()
    ids = np.array([one.id for one in read.series()], np.int64)
    source = read.series()[0].source
    windows = [TimeRange(0, int(TIMES[end - 1])) for end in ends]
    table = SampleTable(read, windows[0], dict.fromkeys(ids.tolist(), source))
    for end, window in zip(ends, windows, strict=True):
        table.extend(window, ())
        for part in parts:
            chosen = sorted(part, reverse=True)
            assert np.array_equal(table.rows(source, ids[chosen]), VALUES[:end, chosen].T, equal_nan=True)
            assert np.array_equal(
                table.rows(source, ids[chosen], 1, end - 1), VALUES[1 : end - 1, chosen].T, equal_nan=True
            )
