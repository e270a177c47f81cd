"""Instants that come out of order, in pieces and again: nothing is lost, nothing twice, the later wins."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sessions.model import Entity, FloatArray, IntArray, SeriesSpec, SourceSpec
from sessions.store import SessionReader, SessionWriter, check_session
from sessions.store.pending import LATE_TICKS, Pending
from sessions.times import TimeRange
from tests.sessions.memory_session import MemorySession
from tests.sessions.synthetic import HOST, T0

SERIES = 5
SPECS = [SeriesSpec(HOST, f"c{i}", "", scale=1.0 + i) for i in range(SERIES)]
Tick = tuple[int, FloatArray]


def expected(ticks: list[Tick]) -> tuple[IntArray, FloatArray]:
    """What should be read, worked out the slow way: a dictionary."""
    said: dict[int, FloatArray] = {}
    for at, row in ticks:
        old = said.setdefault(at, np.full(SERIES, np.nan))
        said[at] = np.where(np.isnan(row), old, row)
    times = np.array(sorted(said), np.int64)
    return times, np.array([said[at] for at in times.tolist()]).reshape(times.size, SERIES)


def store(path: Path, calls: list[list[Tick]]) -> None:
    with SessionWriter.create(path, durable=False) as writer:
        writer.add_entities([Entity(HOST, "esx01")])
        source = writer.add_source(SourceSpec("lab", "esx01"))
        layout = writer.add_layout(source, writer.add_series(source, SPECS))
        for ticks in calls:
            writer.append_ticks([(layout, at, row) for at, row in ticks])
        assert_reads(path, calls)


def assert_reads(path: Path, calls: list[list[Tick]]) -> None:
    """Every way of reading agrees with a session in memory that was given the merged samples."""
    times, stored = expected([tick for ticks in calls for tick in ticks])
    memory = MemorySession()
    ids = memory.add_source(
        SourceSpec("lab", "esx01"), times, SPECS, stored, entities=[Entity(HOST, "esx01")]
    )
    assert check_session(path, thorough=True) == []
    middle = TimeRange(int(times[times.size // 4]), int(times[-1 - times.size // 4])) if times.size else None
    with SessionReader.open(path) as reader:
        for window in (None, middle):
            (frame,), (right,) = reader.read(ids, window), memory.read(ids, window)
            assert frame.times.tolist() == right.times.tolist()
            assert np.array_equal(frame.values, right.values, equal_nan=True)
            found, wanted = reader.stats(ids, window), memory.stats(ids, window)
            assert found.count.tolist() == wanted.count.tolist()
            assert np.array_equal(found.maximum, wanted.maximum, equal_nan=True)
            assert np.allclose(found.mean, wanted.mean, equal_nan=True)
            for one in ids.tolist():
                buckets = reader.overview(one, window, 7)
                assert buckets.count.sum() == wanted.count[one - 1]


def row(rng: np.random.Generator, absent: float = 0.3) -> FloatArray:
    values = np.round(rng.random(SERIES) * 100, 1)
    values[rng.random(SERIES) < absent] = np.nan
    return values


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    seed=st.integers(0, 2**32 - 1),
    instants=st.integers(1, 700),
    late=st.floats(0, 0.4),
    shuffled=st.booleans(),
    at_once=st.sampled_from([1, 1, 7, 60, 300]),
)
def test_any_order_gives_the_same(
    tmp_path: Path, seed: int, instants: int, late: float, shuffled: bool, at_once: int
) -> None:
    rng = np.random.default_rng(seed)
    ticks: list[Tick] = []
    for at in range(instants):
        ticks.append((T0 + 20_000 * at, row(rng)))
        if rng.random() < late:
            back = int(rng.integers(0, min(at, 300) + 1))
            ticks.append((T0 + 20_000 * (at - back), row(rng, 0.8)))
    if shuffled:
        rng.shuffle(ticks)
    path = tmp_path / f"{seed}-{instants}-{at_once}.hscope"
    path.unlink(missing_ok=True)
    calls = [ticks[begin : begin + at_once] for begin in range(0, len(ticks), at_once)]
    store(path, calls)
    assert_reads(path, calls)


def test_what_is_a_little_late_ends_in_the_block_of_its_instant(tmp_path: Path) -> None:
    """So statistics need no samples: no two blocks share an instant."""
    path = tmp_path / "s.hscope"
    calls: list[list[Tick]] = []
    for at in range(900):
        new = np.array([at, 1.0, np.nan, at % 7, np.nan])
        late = np.array([np.nan, np.nan, at - 9.0, np.nan, np.nan])
        calls.append([(T0 + 20_000 * at, new)])
        if at >= 9:
            calls[-1].append((T0 + 20_000 * (at - 9), late))
    store(path, calls)
    with SessionReader.open(path) as reader:
        assert reader.sources()[0].ticks == 900
        assert reader._samples.overlapping(1) == frozenset()
        blocks = [segment.ticks for segment in reader._samples.segments if segment.is_block]
    assert sum(blocks) == 900


def test_a_backfill_becomes_a_block_at_once(tmp_path: Path) -> None:
    path = tmp_path / "s.hscope"
    rng = np.random.default_rng(5)
    calls = [[(T0 + 20_000 * at, row(rng)) for at in range(180)], [(T0 + 20_000 * 180, row(rng))]]
    store(path, calls)
    with SessionReader.open(path) as reader:
        assert [segment.is_block for segment in reader._samples.segments] == [True, False]


@pytest.mark.parametrize("step", [-1, 0, 1])
def test_compaction_comes_to_an_end_whatever_the_order(tmp_path: Path, step: int) -> None:
    path = tmp_path / "s.hscope"
    rng = np.random.default_rng(6)
    calls = [[(T0 + 10_000_000 + step * 1000 * at, row(rng)) for _ in range(3)] for at in range(1500)]
    store(path, calls)
    with SessionReader.open(path) as reader:
        strips = sum(segment.ticks for segment in reader._samples.segments if not segment.is_block)
    assert strips < Pending(SERIES).block_ticks * 4


def test_the_newest_ticks_wait_for_what_comes_late() -> None:
    pending = Pending(SERIES)
    for at in range(pending.block_ticks + LATE_TICKS):
        assert not pending.is_due
        pending.add(at, 1)
    assert pending.is_due
    assert Pending(1 << 20).block_ticks == 24


def test_the_last_sample_of_each_series(tmp_path: Path) -> None:
    path = tmp_path / "s.hscope"
    with SessionWriter.create(path, durable=False) as writer:
        writer.add_entities([Entity(HOST, "esx01")])
        source = writer.add_source(SourceSpec("lab", "esx01"))
        ids = writer.add_series(source, SPECS)
        layout = writer.add_layout(source, ids)
        assert writer.ticks.last_samples().tolist() == [0] * (SERIES + 1)
        rows = np.full((300, SERIES), np.nan)
        rows[:, 0] = 1.0  # constant and complete
        rows[:, 1] = np.arange(300)  # varies, complete
        rows[:37, 2] = np.arange(37)  # ended early
        rows[:, 3] = np.where(np.arange(300) == 280, 3.0, np.nan)
        for begin in (0, 100, 200):
            writer.append_ticks(
                [(layout, T0 + at, rows[at]) for at in range(begin, begin + (100 if begin < 200 else 90))]
            )
        writer.append_ticks([(layout, T0 + at, rows[at]) for at in range(290, 300)])
        wanted = [0, T0 + 299, T0 + 299, T0 + 36, T0 + 280, 0]
        assert writer.ticks.last_samples().tolist() == wanted
    with SessionWriter.open(path, durable=False) as writer:
        assert writer.ticks.last_samples().tolist() == wanted
        assert writer.samples == int(np.count_nonzero(~np.isnan(rows)))
        assert {number: spec.name for number, spec in writer.sources().items()} == {source: "esx01"}
        assert writer.add_layout(source, ids) == layout
        assert writer.add_layout(source, ids[::-1]) != layout
