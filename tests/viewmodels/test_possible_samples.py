"""What views show of samples that no host can have: nothing, and a note."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from diagnosis.comparison.measuring import HasBlockMeans
from sessions.findings import Evidence, Finding
from sessions.model import Entity, EntityRef, SeriesSpec, SourceSpec
from sessions.store import SessionReader, SessionWriter, encode_block
from sessions.times import TimeRange
from viewmodels.chart_samples import ChartSamples, read_samples
from viewmodels.last_values import last_values
from viewmodels.possible_samples import (
    PossibleReader,
    left_out_text,
    limits_of,
    series_left_out,
    without_impossible_samples,
)
from viewmodels.rankings import highest
from viewmodels.session_summary import sparkline
from viewmodels.snapshot import read_snapshot
from viewmodels.timeline_content import LoadSeries, read_load
from viewmodels.work import UnwatchedWork
from viewmodels.worst_instant import worst_instant

T0, STEP = 1_700_000_000_000, 5_000
WINDOW = TimeRange(T0, T0 + 9 * STEP)
READY = np.array([1.0, 2.0, 3.0, 1e15, 5.0, 6.0, 7.0, -1e15, 1e15, np.nan])
"""Of ten samples the fourth and two later ones are no percent of any VM."""


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[SessionReader]:
    """The ready time of a VM with damaged samples, and that of a sound one."""
    path = tmp_path / "wild.hscope"
    with SessionWriter.create(path, durable=False) as writer:
        source = writer.add_source(SourceSpec("esxtop", "esx01", STEP / 1000))
        names = ("wild", "sound")
        vms = [EntityRef("vm", name) for name in names]
        writer.add_entities([Entity(vm, name) for vm, name in zip(vms, names, strict=True)])
        ids = writer.add_series(source, [SeriesSpec(vm, "cpu.ready", "%") for vm in vms])
        layout = writer.add_layout(source, ids)
        writer.append_ticks(
            [(layout, T0 + at * STEP, np.array([value, 4.0])) for at, value in enumerate(READY.tolist())]
        )
    with SessionReader.open(path) as opened:
        yield opened


def test_they_are_gaps_in_a_chart_and_counted(reader: SessionReader) -> None:
    wild, sound = reader.series()
    limits = {one.id: limits_of(one.counter, one.spec.unit) for one in (wild, sound)}
    ids = [wild.id, sound.id]
    half = TimeRange(T0, T0 + 4 * STEP)
    read = read_samples(reader, ids, half, ChartSamples(), lambda: None, limits)
    assert read.left_out.values.tolist() == [1e15]
    read = read_samples(reader, ids, WINDOW, read, lambda: None, limits)
    assert read.curves[wild.id].bounds(WINDOW.start, WINDOW.end) == (1.0, 7.0)
    assert read.left_out.of(wild.id, WINDOW).tolist() == [1e15, -1e15, 1e15]
    assert read.left_out.of(wild.id, half).tolist() == [1e15]
    assert not read.left_out.of(sound.id, WINDOW).size


def test_the_note_of_a_chart() -> None:
    assert left_out_text(np.zeros(0), "%") == ""
    assert left_out_text(np.array([2e6]), "%") == "1 sample that no host can have is left out: 2,000,000 %"
    assert left_out_text(np.array([2e6, -3e6]), "%").startswith(
        "2 samples that no host can have are left out, such as "
    )


def test_the_last_value_is_the_last_possible_one(reader: SessionReader) -> None:
    every = list(reader.series())
    left: set[int] = set()
    found = last_values(reader, every, T0 + 8 * STEP, {every[0].source: STEP / 1000}, left_out=left)
    assert found == {every[0].id: 7.0, every[1].id: 4.0}
    assert left == {every[0].id}


def test_rankings_and_statistics_are_of_the_possible_ones(reader: SessionReader) -> None:
    every = list(reader.series())
    assert [one.value for one in highest(reader, every, "max", WINDOW, 2)] == [7.0, 4.0]
    ids = np.array([one.id for one in every], np.int64)
    stats = PossibleReader(reader, every).stats(ids, WINDOW)
    assert (stats.count.tolist(), stats.minimum.tolist(), stats.mean.tolist()) == ([6, 10], [1, 4], [4, 4])
    assert PossibleReader(reader, []).stats(ids, WINDOW).maximum.tolist() == [1e15, 4]


def test_the_load_curve_has_no_part_of_them(reader: SessionReader) -> None:
    wild = reader.series()[0]
    load = read_load(reader, LoadSeries((wild.id,), "CPU ready", "%", "cpu.ready"), WINDOW, lambda: None)
    assert np.nanmax(load.values) == 7.0


def test_the_thumbnail_of_the_start_page_is_not_theirs(reader: SessionReader) -> None:
    """One sample of 1e15 % would be its scale, and all others a line at the bottom."""
    curve = sparkline(reader, reader.series()[:1], WINDOW)
    assert (min(curve), max(curve)) == (round(1 / 7, 3), 1.0)


def test_a_whole_session_without_them_says_of_how_many_series(reader: SessionReader) -> None:
    one, again = without_impossible_samples((reader, reader))
    assert one is again
    ids = np.array([series.id for series in reader.series()])
    with one.read_repeatedly():
        assert series_left_out((one, again)) == ""
        found = one.stats(ids, WINDOW)
        assert found.maximum.tolist() == [7.0, 4.0]
        (frame,) = one.read(ids, WINDOW)
        assert np.isnan(frame.values[3, 0])
    assert series_left_out((one, again)) == "1 series has samples that no host can have: they are left out."
    assert series_left_out((reader,)) == ""
    assert [series.id for series in one.series()] == ids.tolist()


def test_means_of_blocks_are_only_told_of_series_without_them(tmp_path: Path) -> None:
    """A comparison of many samples is made of these: without them it would read every sample."""
    path = tmp_path / "blocks.hscope"
    with SessionWriter.create(path, durable=False) as writer:
        source = writer.add_source(SourceSpec("esxtop", "esx01", STEP / 1000))
        vms = [EntityRef("vm", name) for name in ("wild", "sound")]
        writer.add_entities([Entity(vm, vm.key) for vm in vms])
        ids = np.array(writer.add_series(source, [SeriesSpec(vm, "cpu.ready", "%") for vm in vms]))
        layout = writer.add_layout(source, ids)
        for block in range(4):
            times = T0 + STEP * np.arange(block * 100, block * 100 + 100, dtype=np.int64)
            values = np.full((100, 2), 4.0 + block)
            values[7, 0] = 1e15
            writer.add_block(layout, encode_block(times, values))
    with SessionReader.open(path) as opened:
        (session,) = without_impossible_samples((opened,))
        assert isinstance(session, HasBlockMeans)
        assert session.stats(ids).mean.tolist() == [5.5, 5.5]
        means = session.block_means(ids, None, 4)
        assert np.isnan(means[0]).all()
        assert means[1].tolist() == [4.0, 5.0, 6.0, 7.0]


def test_a_finding_was_not_at_its_worst_then(reader: SessionReader) -> None:
    evidence = Evidence("cpu.ready", "", "max", 7.0, 5.0, "%")
    finding = Finding(
        "cpu.ready_high",
        "",
        "critical",
        EntityRef("vm", "wild"),
        "wild",
        (WINDOW,),
        1.0,
        "",
        (evidence,),
        (),
        (),
    )
    snapshot = read_snapshot(reader, Path("wild.hscope"))
    assert worst_instant(reader, finding, snapshot, UnwatchedWork()) == T0 + 6 * STEP
