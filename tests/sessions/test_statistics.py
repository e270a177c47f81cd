"""Statistics, rankings and overviews are those of the samples, whatever they were computed from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessions.model import IntArray
from sessions.store import SessionReader, SessionWriter
from sessions.store.overview import overview
from sessions.store.statistics import Statistic
from sessions.times import TimeRange
from tests.sessions.synthetic import COUNTERS, T0, Capture, capture

TAKEN = [
    capture(ticks=400, vms=20, host="esx01"),
    capture(ticks=350, vms=15, host="esx02", seed=2, t0=T0 + 1234),
]
SECONDS = st.integers(-100, 2100)
WINDOWS = st.none() | st.tuples(SECONDS, SECONDS).map(
    lambda pair: TimeRange(*(T0 + 1000 * s for s in sorted(pair)))
)


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SessionReader]:
    """Two hosts: blocks, and a tail of ticks that await compaction because the writer still writes."""
    path = tmp_path_factory.mktemp("sessions") / "two hosts.hscope"
    TAKEN[0].write(path, blocks=256)
    with SessionWriter.open(path, durable=False) as writer:
        _, _, layout = TAKEN[1].declare(writer)
        for at, row in zip(TAKEN[1].times.tolist(), TAKEN[1].stored, strict=True):
            writer.append_tick(layout, at, row)
        with SessionReader.open(path) as opened:
            assert {segment.is_block for segment in opened._samples.segments} == {True, False}
            yield opened


def expected(taken: Capture, window: TimeRange | None) -> np.ndarray:
    inside = np.ones(taken.times.size, np.bool_)
    if window is not None:
        inside = (taken.times >= window.start) & (taken.times <= window.end)
    return taken.canonical[inside]


def all_ids(reader: SessionReader) -> IntArray:
    return np.array([series.id for series in reader.series()])


@settings(max_examples=60, deadline=None)
@given(window=WINDOWS)
def test_statistics_are_exact_at_the_edges_of_any_window(
    reader: SessionReader, window: TimeRange | None
) -> None:
    stats = reader.stats(all_ids(reader), window)
    values = [column for taken in TAKEN for column in expected(taken, window).T]
    for i, column in enumerate(values):
        present = column[~np.isnan(column)]
        assert stats.count[i] == present.size
        if present.size:
            assert (stats.minimum[i], stats.maximum[i]) == (present.min(), present.max())
            assert stats.mean[i] == pytest.approx(present.mean(), rel=1e-12, abs=1e-12)
        else:
            assert np.isnan([stats.minimum[i], stats.maximum[i], stats.mean[i]]).all()


@settings(max_examples=100, deadline=None)
@given(
    window=WINDOWS,
    counter=st.sampled_from(COUNTERS),
    n=st.integers(0, 40),
    statistic=st.sampled_from(["max", "mean", "min"]),
)
def test_the_top_is_the_top(
    reader: SessionReader, window: TimeRange | None, counter: str, n: int, statistic: Statistic
) -> None:
    found = reader.top(counter, window, n=n, statistic=statistic)
    ids = np.array([series.id for series in reader.series([counter])])
    stats = reader.stats(ids, window)
    values = {"max": stats.maximum, "mean": stats.mean, "min": stats.minimum}[statistic]
    ranked = sorted(values[stats.count > 0].tolist(), reverse=True)[:n]
    assert [value for _, value in found] == pytest.approx(ranked, rel=1e-12)
    for series, value in found:
        assert value == pytest.approx(values[ids.tolist().index(series.id)], rel=1e-12)


def test_the_top_can_be_of_one_kind_of_entity(reader: SessionReader) -> None:
    assert reader.top("cpu.ready", kind="host") == []
    assert len(reader.top("cpu.ready", kind="vm", n=3)) == 3
    assert reader.top("no.such_counter") == []


@settings(max_examples=60, deadline=None)
@given(window=WINDOWS, width=st.integers(1, 3000))
def test_an_overview_has_every_sample_in_one_bucket(
    reader: SessionReader, window: TimeRange | None, width: int
) -> None:
    series = 7  # the one with gaps
    shown = reader.overview(series, window, width)
    values = expected(TAKEN[0], window)[:, series - 1]
    present = values[~np.isnan(values)]
    assert shown.count.sum() == present.size
    assert len(shown.count) <= width
    assert (shown.count > 0).all()
    assert (shown.start <= shown.end).all()
    assert (shown.end[:-1] < shown.start[1:]).all()
    if present.size:
        assert (shown.minimum.min(), shown.maximum.max()) == (present.min(), present.max())
        assert (shown.mean * shown.count).sum() == pytest.approx(present.sum())


def test_buckets_are_of_equal_length() -> None:
    shown = overview(np.arange(10), np.arange(10.0), TimeRange(0, 9), 5)
    assert shown.start.tolist() == [0, 2, 4, 6, 8]
    assert shown.mean.tolist() == [0.5, 2.5, 4.5, 6.5, 8.5]
    with pytest.raises(ValueError, match="wide"):
        overview(np.arange(10), np.arange(10.0), TimeRange(0, 9), 0)


def test_a_series_that_does_not_exist_is_refused(reader: SessionReader) -> None:
    for bad in ([0], [-1], [10_000]):
        with pytest.raises(ValueError, match="does not exist"):
            reader.stats(np.array(bad))
        with pytest.raises(ValueError, match="does not exist"):
            reader.read(np.array(bad))


def test_a_window_without_samples_is_empty(reader: SessionReader) -> None:
    window = TimeRange(0, 1)
    assert [frame.times.size for frame in reader.read(all_ids(reader), window)] == [0, 0]
    assert reader.stats(all_ids(reader), window).count.max() == 0
    assert reader.times(1, window).size == 0
    assert reader.times(99).size == 0
    assert reader.overview(1, window, 10).count.size == 0
    assert reader.top("cpu.ready", window) == []


def test_one_of_each_source_in_one_call(reader: SessionReader) -> None:
    ids = all_ids(reader)[::-37]
    frames = reader.read(ids)
    assert [frame.source for frame in frames] == [1, 2]
    for frame, taken, offset in zip(frames, TAKEN, (1, 1 + len(TAKEN[0].specs)), strict=True):
        assert np.array_equal(frame.values, taken.canonical[:, frame.ids - offset], equal_nan=True)


def test_a_session_in_memory_says_the_same(tmp_path: Path) -> None:
    taken = capture(ticks=100)
    ids = taken.write(tmp_path / "s.hscope", blocks=64)
    memory, _ = taken.in_memory()
    window = TimeRange(T0 + 33_000, T0 + 404_000)
    with SessionReader.open(tmp_path / "s.hscope") as stored:
        ours, theirs = stored.stats(ids, window), memory.stats(ids, window)
    assert ours.count.tolist() == theirs.count.tolist()
    assert np.array_equal(ours.minimum, theirs.minimum, equal_nan=True)
    assert np.array_equal(ours.maximum, theirs.maximum, equal_nan=True)
    assert np.allclose(ours.mean, theirs.mean, equal_nan=True)
