"""Statistics and overviews are those of the samples, whatever they were computed from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessions.model import Entity, IntArray, SeriesSpec, SourceSpec
from sessions.store import SessionReader, SessionWriter, encode_block
from sessions.store.chunks import decode_rows
from sessions.store.kept_columns import KeptColumns
from sessions.store.segments import Layout, Segment
from sessions.times import TimeRange
from tests.sessions.synthetic import HOST, T0, Capture, capture

TAKEN = [
    capture(ticks=400, vms=20, host="esx01"),
    capture(ticks=350, vms=15, host="esx02", seed=2, t0=T0 + 1234),
]
SECONDS = st.integers(-100, 2100)
WINDOWS = st.none() | st.tuples(SECONDS, SECONDS).map(
    lambda pair: TimeRange(*(T0 + 1000 * s for s in sorted(pair)))
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sessions") / "two hosts.hscope"


@pytest.fixture(scope="module")
def reader(path: Path) -> Iterator[SessionReader]:
    """Two hosts: blocks, and a tail of ticks that await compaction because the writer still writes."""
    TAKEN[0].write(path, blocks=256)
    with SessionWriter.open(path, durable=False) as writer:
        _, _, layout = TAKEN[1].declare(writer)
        for at, row in zip(TAKEN[1].times.tolist(), TAKEN[1].stored, strict=True):
            writer.append_ticks([(layout, at, row)])
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


@settings(max_examples=60, deadline=None)
@given(window=WINDOWS, width=st.integers(1, 40), series=st.integers(1, 14))
def test_an_overview_from_statistics_is_that_of_the_samples(
    reader: SessionReader, path: Path, window: TimeRange | None, width: int, series: int
) -> None:
    with SessionReader.open(path) as fresh:
        decoded = fresh.overview(series, window, width)
        fresh.stats(all_ids(reader))
        shown = fresh.overview(series, window, width)
    for name in ("start", "end", "count", "minimum", "maximum"):
        assert getattr(shown, name).tolist() == getattr(decoded, name).tolist()
    assert shown.mean == pytest.approx(decoded.mean, rel=1e-12, abs=1e-12)


def test_an_overview_decodes_only_what_a_pixel_cuts_once_statistics_were_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocks, ticks = 40, 100
    values = np.random.default_rng(1).normal(size=(ticks, 3))
    with SessionWriter.create(tmp_path / "s.hscope", durable=False) as writer:
        writer.add_entities([Entity(HOST, "esx01")])
        source = writer.add_source(SourceSpec("lab", "esx01"))
        specs = [SeriesSpec(HOST, f"c{i}", "%") for i in range(3)]
        layout = writer.add_layout(source, writer.add_series(source, specs))
        for block in range(blocks):
            times = T0 + 5000 * np.arange(block * ticks, (block + 1) * ticks)
            writer.add_block(layout, encode_block(times, values))
    decoded: list[bytes] = []

    def counted(blobs: Sequence[bytes], rows: Sequence[int], into: np.ndarray) -> None:
        decoded.extend(blobs)
        decode_rows(blobs, rows, into)

    monkeypatch.setattr("sessions.store.contents.decode_rows", counted)
    window = TimeRange(T0, T0 + 5000 * blocks * ticks - 1)
    with SessionReader.open(tmp_path / "s.hscope") as reader:
        reader.overview(1, window, 10)
        assert len(decoded) == blocks  # cheaper than unpacking what blocks say of all their series
        reader.stats(np.array([1, 2, 3]))
        decoded.clear()
        even = reader.overview(1, window, 10)  # pixels of four blocks each
        assert decoded == []
        assert even.count.tolist() == [4 * ticks] * 10
        reader.overview(2, window, 7)  # six edges, each through a block
        assert len(decoded) == 6
        decoded.clear()
        reader.overview(2, TimeRange(T0 + 1, window.end), 1)  # the window's own edge
        assert len(decoded) == 1


def test_buckets_are_of_equal_length(tmp_path: Path) -> None:
    with SessionWriter.create(tmp_path / "s.hscope", durable=False) as writer:
        writer.add_entities([Entity(HOST, "esx01")])
        source = writer.add_source(SourceSpec("lab", "esx01"))
        layout = writer.add_layout(source, writer.add_series(source, [SeriesSpec(HOST, "c", "%")]))
        writer.append_ticks([(layout, tick, np.array([float(tick)])) for tick in range(10)])
    with SessionReader.open(tmp_path / "s.hscope") as reader:
        shown = reader.overview(1, TimeRange(0, 9), 5)
        assert shown.start.tolist() == [0, 2, 4, 6, 8]
        assert shown.mean.tolist() == [0.5, 2.5, 4.5, 6.5, 8.5]
        with pytest.raises(ValueError, match="wide"):
            reader.overview(1, TimeRange(0, 9), 0)


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


def test_whole_blocks_lie_in_the_window_and_do_not_overlap(reader: SessionReader) -> None:
    first = reader.sources()[0]
    assert first.start is not None
    found = reader.whole_blocks(first.id, TimeRange(first.start, first.start + 1000 * 1999))
    assert found
    assert all(one.end < other.start for one, other in pairwise(found))
    cut = TimeRange(found[0].start + 1, found[-1].end)
    assert reader.whole_blocks(first.id, cut) == found[1:]
    assert not reader.whole_blocks(first.id, TimeRange(0, 1))


def test_what_is_read_repeatedly_is_decoded_once_and_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = np.random.default_rng(3).normal(size=(200, 4))
    values[:, 3] = 7.0
    times = T0 + 5000 * np.arange(200)
    with SessionWriter.create(tmp_path / "s.hscope", durable=False) as writer:
        writer.add_entities([Entity(HOST, "esx01")])
        source = writer.add_source(SourceSpec("lab", "esx01"))
        specs = [SeriesSpec(HOST, f"c{i}", "%") for i in range(4)]
        layout = writer.add_layout(source, writer.add_series(source, specs))
        for part in (slice(0, 100), slice(100, 200)):
            writer.add_block(layout, encode_block(times[part], values[part]))
    decoded: list[bytes] = []

    def counted(blobs: Sequence[bytes], rows: Sequence[int], into: np.ndarray) -> None:
        decoded.extend(blobs)
        decode_rows(blobs, rows, into)

    monkeypatch.setattr("sessions.store.contents.decode_rows", counted)
    windows = [TimeRange(T0 + 50_000, T0 + 700_000), TimeRange(T0 + 705_000, T0 + 900_000)]
    choices = [np.array([1, 2, 3, 4]), np.array([4, 2]), np.array([3])]

    def read(reader: SessionReader) -> list[np.ndarray]:
        return [reader.read(ids, window)[0].values for window in windows for ids in choices]

    with SessionReader.open(tmp_path / "s.hscope") as reader:
        wanted = read(reader)
        alone = len(decoded)
        decoded.clear()
        with reader.read_repeatedly():
            found = read(reader)
            reader.stats(choices[0], windows[0])
        assert len(decoded) == 6 < alone, "three that vary, in two blocks"
        decoded.clear()
        read(reader)
        assert len(decoded) == alone, "nothing is kept behind the block"
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(one, other)


def test_columns_that_need_too_much_memory_are_not_kept() -> None:
    asked: list[list[int]] = []

    def decode(parts: Sequence[tuple[Segment, IntArray]]) -> list[np.ndarray]:
        asked.extend(positions.tolist() for _, positions in parts)
        return [np.repeat(positions[:, None] * 1.0, 10, axis=1) for _, positions in parts]

    layout = Layout(1, 1, np.array([7, 8, 9]))
    first, second = (Segment(number, layout, T0, T0 + 9, 10, 30, True) for number in (1, 2))
    kept = KeptColumns(limit_bytes=3 * 10 * 8)
    for _ in range(2):
        found = kept.get([(first, np.array([2, 0])), (second, np.array([2, 0]))], decode)
        assert [one[:, 9].tolist() for one in found] == [[2.0, 0.0], [2.0, 0.0]]
    assert asked == [[2, 0], [2, 0], [2, 0]], "there was room for the first one"


def test_few_series_of_many_blocks_are_decoded_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = np.random.default_rng(5).normal(size=(700, 3))
    values[100:200, 1] = 4.0  # constant there, and nowhere else
    values[200:300, 2] = np.nan
    times = T0 + 5000 * np.arange(700)
    with SessionWriter.create(tmp_path / "s.hscope", durable=False) as writer:
        layout = three_series(writer)
        for begin in range(0, 700, 100):
            part = slice(begin, begin + 100)
            writer.add_block(layout, encode_block(times[part], values[part]))
    calls: list[int] = []

    def counted(blobs: Sequence[bytes], rows: Sequence[int], into: np.ndarray) -> None:
        calls.append(len(blobs))
        decode_rows(blobs, rows, into)

    monkeypatch.setattr("sessions.store.contents.decode_rows", counted)
    with SessionReader.open(tmp_path / "s.hscope") as reader:
        (frame,) = reader.read(np.array([3, 1, 2]), TimeRange(int(times[50]), int(times[-1])))
    np.testing.assert_array_equal(frame.values, values[50:, [2, 0, 1]])
    assert calls == [7 * 3 - 2], "all but where one is constant and one absent"


def test_statistics_of_constant_series_take_little_memory(tmp_path: Path) -> None:
    values = np.repeat(np.arange(3.0)[None], 300, axis=0)
    values[:, 0] = np.random.default_rng(5).normal(size=300)
    with SessionWriter.create(tmp_path / "s.hscope", durable=False) as writer:
        writer.add_block(three_series(writer), encode_block(T0 + 5000 * np.arange(300), values))
    with SessionReader.open(tmp_path / "s.hscope") as reader:
        found = reader.stats(np.array([1, 2, 3]))
        (segment,) = reader._samples.segments
        kept = reader._samples.contents.figures(segment)
    assert found.count.tolist() == [300, 300, 300]
    assert found.minimum.tolist() == [values[:, 0].min(), 1.0, 2.0]
    assert found.maximum.tolist() == [values[:, 0].max(), 1.0, 2.0]
    np.testing.assert_allclose(found.mean, values.mean(axis=0))
    assert kept.nbytes == 8 + 8 + 4 + 8 + 2 * 8 + 8, "four numbers of one that varies, one of each other"


def three_series(writer: SessionWriter) -> int:
    """Begin a session of one host with three counters; returns their layout."""
    writer.add_entities([Entity(HOST, "esx01")])
    source = writer.add_source(SourceSpec("lab", "esx01"))
    return writer.add_layout(
        source, writer.add_series(source, [SeriesSpec(HOST, f"c{i}", "%") for i in range(3)])
    )
