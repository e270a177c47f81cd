"""Rows that are gathered bit by bit make the same block as all of them at once."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sessions.model import Entity, EntityRef, FloatArray, IntArray, SeriesSpec, SourceSpec
from sessions.store import (
    NOTHING,
    EncodedBlock,
    Gathering,
    SessionReader,
    SessionWriter,
    encode_block,
    numbers_of,
)
from sessions.store.chunks import decode_chunk
from sessions.store.codec import unpack_floats, unpack_ints

T0 = 1_700_000_000_000
ODD = (np.inf, 1e300, -21474836.48, 21474836.47, 3e9, -0.0, 0.125, 1e-9, np.nan)
KINDS: tuple[Callable[[np.random.Generator, int], NDArray[Any]], ...] = (
    lambda rng, ticks: np.full(ticks, float(rng.integers(0, 5))),
    lambda rng, ticks: rng.integers(-9999, 10_000, ticks) / 100,
    lambda rng, ticks: rng.integers(0, 100, ticks) * 1.0,
    lambda rng, ticks: rng.integers(-1000, 1000, ticks) / 10,
    lambda rng, ticks: np.asarray(rng.normal(size=ticks)),
    lambda rng, ticks: np.where(rng.random(ticks) < 0.3, np.nan, rng.integers(0, 100, ticks) / 100),
    lambda _rng, ticks: np.full(ticks, np.nan),
    lambda rng, ticks: np.repeat(rng.integers(0, 2**33, ticks // 20 + 1) / 100, 20)[:ticks],
    lambda rng, ticks: np.full(ticks, ODD[rng.integers(len(ODD))]),
    lambda rng, ticks: np.where(rng.random(ticks) < 0.02, rng.choice(ODD, ticks), rng.integers(0, 2, ticks)),
)


def some_rows(rng: np.random.Generator, ticks: int) -> FloatArray:
    """Rows (ticks, series) of series of every kind."""
    kinds = rng.integers(0, len(KINDS), rng.integers(1, 40))
    return np.stack([KINDS[kind](rng, ticks) for kind in kinds.tolist()], axis=1)


def gathered(rng: np.random.Generator, times: IntArray, rows: FloatArray) -> Gathering:
    """The rows, a few at a time, from an array that is used again."""
    gathering, begin = Gathering(), 0
    while begin < len(times):
        some = rows[begin : begin + int(rng.integers(1, 40))].copy()
        gathering.add(times[begin : begin + len(some)], some)
        begin += len(some)
        some[...] = -1
    return gathering


def assert_same(one: EncodedBlock, two: EncodedBlock) -> None:
    assert (one.start, one.end, one.ticks, one.series) == (two.start, two.end, two.ticks, two.series)
    assert (one.samples, one.times, one.summary, one.rows) == (two.samples, two.times, two.summary, two.rows)
    for (place, chunk), (other, expected) in zip(one.chunks(), two.chunks(), strict=True):
        assert place == other
        values, wanted = np.empty(one.ticks), np.empty(one.ticks)
        decode_chunk(chunk, values)
        decode_chunk(expected, wanted)
        assert values.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("seed", range(40))
def test_what_was_gathered_is_what_was_given(seed: int) -> None:
    rng = np.random.default_rng(seed)
    ticks = int(rng.integers(1, 300))
    rows, times = some_rows(rng, ticks), T0 + 5000 * np.arange(ticks)
    gathering = gathered(rng, times, rows)
    cuts = sorted({0, int(rng.integers(0, rows.shape[1] + 1)), rows.shape[1]})
    for begin, end in pairwise(cuts):
        block = gathering.block(begin, end)
        assert block is not None
        assert_same(block, encode_block(times, rows[:, begin:end]))


@pytest.mark.parametrize("scale", [1, 300_000])
@pytest.mark.parametrize("still", [0, 3])
def test_rows_of_hundredths_in_a_buffer_that_is_used_again(scale: int, still: int) -> None:
    whole = np.random.default_rng(9).integers(-5000, 5000, (90, 12)).astype(np.int32)
    whole[:, 6:] *= scale
    whole[:, 5 : 5 + still] = 7
    whole[40, 2] = NOTHING
    times = T0 + 5000 * np.arange(90)
    gathering, buffer = Gathering(), np.empty((30, 12), np.int32)
    for begin in range(0, 90, 30):
        buffer[...] = whole[begin : begin + 30]
        gathering.add_hundredths(times[begin : begin + 30], buffer, np.empty(0, np.int64), np.empty((30, 0)))
        buffer[...] = -1
    for begin, end in ((0, 12), (0, 2), (3, 7), (5, 8), (9, 12)):
        block = gathering.block(begin, end)
        assert block is not None
        assert_same(block, encode_block(times, numbers_of(whole[:, begin:end])))


@pytest.mark.parametrize("seed", range(10))
def test_rows_of_any_order_are_put_in_order(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, times = some_rows(rng, 100), T0 + 5000 * rng.integers(0, 90, 100)
    rows[rows > 1e290] = np.nan  # of equal times a value wins over none
    block = gathered(rng, times, rows).block(0, rows.shape[1])
    assert block is not None
    assert_same(block, encode_block(times, rows))


def test_no_row_makes_no_block() -> None:
    gathering = Gathering()
    gathering.add(np.empty(0, np.int64), np.empty((0, 3)))
    assert gathering.block(0, 3) is None
    gathering.add(T0 + np.arange(30), np.ones((30, 3)))
    assert gathering.nbytes > 0
    gathering.clear()
    assert gathering.block(0, 3) is None
    assert gathering.nbytes == 0


def test_what_stands_still_takes_no_room() -> None:
    rows = np.tile(np.arange(1000.0), (100, 1))
    rows[:, 7] = np.arange(100)
    gathering = Gathering()
    gathering.add(T0 + np.arange(100), rows)
    assert gathering.nbytes < rows.nbytes / 50
    block = gathering.block(0, 1000)
    assert block is not None
    assert [place for place, _ in block.chunks()] == [7]
    assert unpack_ints(block.times, 100).tolist() == (T0 + np.arange(100)).tolist()
    assert unpack_floats(block.summary[1], 999).tolist() == [n for n in range(1000) if n != 7]


def noise(series: int, ticks: int) -> FloatArray:
    return np.random.default_rng(5).integers(0, 10_001, (ticks, series)) / 100


def test_noise_takes_little_more_than_its_entropy() -> None:
    gathering = Gathering()
    rows = noise(50, 1000)
    gathering.add(T0 + 5000 * np.arange(1000), rows)
    block = gathering.block(0, 50)
    assert block is not None
    assert len(block.data) < 1.09 * rows.size * np.log2(10_001) / 8


def test_twice_as_many_small_numbers_fit() -> None:
    small, large = Gathering(), Gathering()
    small.add(T0 + 5000 * np.arange(100), noise(50, 100))
    large.add(T0 + 5000 * np.arange(100), noise(50, 100) + 1000.0)
    assert small.nbytes < 0.6 * large.nbytes


def test_a_session_that_is_made_in_bulk_wastes_no_room_and_goes_on(tmp_path: Path) -> None:
    rows, times = noise(1500, 1500), T0 + 5000 * np.arange(1500)
    sizes = {}
    for bulk in (False, True):
        path = tmp_path / f"{bulk}.hscope"
        with SessionWriter.create(path, durable=False, bulk=bulk) as writer:
            source = writer.add_source(SourceSpec("esxtop", "esx01"))
            host = Entity(EntityRef("host", "esx01"), "esx01")
            writer.add_entities([host])
            specs = [SeriesSpec(host.ref, "cpu.used", "%", str(at)) for at in range(1500)]
            layout = writer.add_layout(source, writer.add_series(source, specs))
            writer.add_block(layout, encode_block(times, rows))
        sizes[bulk] = path.stat().st_size
    assert sizes[True] < 0.85 * sizes[False]
    with SessionWriter.open(path, durable=False) as writer:
        writer.append_ticks([(layout, T0 + 5000 * 1500, rows[0])])
    with SessionReader.open(path) as reader:
        [frame] = reader.read(np.array([7]))
        np.testing.assert_array_equal(frame.values[:, 0], [*rows[:, 6], rows[0, 6]])
