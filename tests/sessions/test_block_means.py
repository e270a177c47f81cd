"""Means over stretches of time, from the statistics of blocks: they are those of the samples in these
blocks.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from sessions.model import Entity, EntityRef, FloatArray, IntArray, SeriesSpec, SourceSpec
from sessions.store import SessionReader, SessionWriter, encode_block
from sessions.times import TimeRange

HOST = EntityRef("host", "esx01")
PER_BLOCK = 100


def written(path: Path, values: FloatArray) -> tuple[Path, IntArray]:
    """A session of a host, a sample a second, in blocks of a hundred; values (ticks, series)."""
    times = np.arange(len(values), dtype=np.int64) * 1000
    with SessionWriter.create(path, durable=False) as writer:
        source = writer.add_source(SourceSpec("esxtop", "esx01", 1.0))
        writer.add_entities([Entity(HOST, "esx01")])
        specs = [SeriesSpec(HOST, "cpu.ready", "%", str(at), 0.5) for at in range(values.shape[1])]
        layout = writer.add_layout(source, writer.add_series(source, specs))
        for first in range(0, len(values), PER_BLOCK):
            part = slice(first, first + PER_BLOCK)
            writer.add_block(layout, encode_block(times[part], values[part]))
    return path, times


def test_means_of_blocks_are_those_of_their_samples(tmp_path: Path) -> None:
    values = np.random.default_rng(1).normal(50, 5, (600, 3)).round(2)
    values[150:420, 1] = np.nan
    values[:, 2] = 7.0
    path, times = written(tmp_path / "s.hscope", values)
    with SessionReader.open(path) as reader:
        ids = np.array([one.id for one in reader.series()])
        means = reader.block_means(ids, None, 128)
        window = reader.block_means(ids, TimeRange(int(times[50]), int(times[449])), 128)
        joined = reader.block_means(ids, None, 3)
    truth = (
        np.array([np.nanmean(part, axis=0) for part in (values[:100], values[100:200], values[500:])]) * 0.5
    )
    assert np.allclose(means[0], values[:, 0].reshape(6, 100).mean(axis=1) * 0.5)
    assert np.allclose(means[1][:2], truth[:2, 1])
    assert np.isnan(means[1][-2:]).all(), "blocks without samples are behind the last"
    assert (means[2] == 3.5).all()
    assert np.allclose(window[0], values[100:400, 0].reshape(3, 100).mean(axis=1) * 0.5)
    assert np.allclose(joined[0], values[:, 0].reshape(3, 200).mean(axis=1) * 0.5)


def test_a_window_without_a_whole_block_has_none(tmp_path: Path) -> None:
    path, times = written(tmp_path / "s.hscope", np.random.default_rng(1).normal(50, 5, (300, 1)))
    with SessionReader.open(path) as reader:
        ids = np.array([one.id for one in reader.series()])
        assert reader.block_means(ids, TimeRange(int(times[10]), int(times[90])), 128).shape == (1, 0)
        assert reader.block_means(ids[:0], None, 128).shape[0] == 0
