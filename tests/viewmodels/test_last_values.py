"""Which samples are current at a moment: by the interval of their own source."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sessions.model import Entity, EntityRef, SeriesSpec, SourceSpec
from sessions.store import SessionWriter
from tests.viewmodels.sessions import T0, add_source, reading
from viewmodels.last_values import last_values

HOSTS = [EntityRef("host", name) for name in ("fast", "slow")]
NAN = np.nan


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """One source every 5 s for 9 minutes, then silent; one every 300 s that says nothing of its interval."""
    found = tmp_path / "s.hscope"
    with SessionWriter.create(found) as writer:
        writer.add_entities([Entity(ref, ref.key) for ref in HOSTS])
        one, other = ([SeriesSpec(ref, "cpu.pcpu_util", "%")] for ref in HOSTS)
        rows = np.arange(109.0)[:, np.newaxis]
        add_source(writer, SourceSpec("esxtop", "fast", 5), one, rows, every_s=5)
        add_source(writer, SourceSpec("esxtop", "slow"), other, np.array([[1.0], [2.0], [3.0]]), every_s=300)
    return found


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (0, {"fast": 0.0, "slow": 1.0}),
        (299, {"fast": 59.0, "slow": 1.0}),
        (300, {"fast": 60.0, "slow": 2.0}),
        (552, {"fast": 108.0, "slow": 2.0}),
        (553, {"slow": 2.0}),  # 13 s after its last sample, 2.5 intervals are 12.5 s
        (1_349, {"slow": 3.0}),
        (1_351, {}),
    ],
)
def test_the_interval_of_its_own_source_says_how_old_a_sample_may_be(
    path: Path, seconds: int, expected: dict[str, float]
) -> None:
    with reading(path) as (reader, snapshot):
        found = last_values(reader, snapshot.series, T0 + 1000 * seconds, snapshot.intervals)
        names = {one.id: one.entity.key for one in snapshot.series}
    assert {names[number]: value for number, value in found.items()} == expected


def test_nothing_before_the_window_is_taken(path: Path) -> None:
    with reading(path) as (reader, snapshot):
        moment = T0 + 310_000
        found = last_values(reader, snapshot.series, moment, snapshot.intervals, since=moment - 5_000)
    assert list(found.values()) == [62.0]


def test_an_absent_sample_leaves_the_one_before(tmp_path: Path) -> None:
    with SessionWriter.create(tmp_path / "s.hscope") as writer:
        writer.add_entities([Entity(ref, ref.key) for ref in HOSTS])
        specs = [SeriesSpec(ref, "cpu.pcpu_util", "%") for ref in HOSTS]
        rows = np.array([[1.0, 1.0], [2.0, NAN], [NAN, NAN]])
        add_source(writer, SourceSpec("vcenter", "vc", 20), specs, rows, every_s=20)
    with reading(tmp_path / "s.hscope") as (reader, snapshot):
        at_end = last_values(reader, snapshot.series, T0 + 40_000, snapshot.intervals)
        later = last_values(reader, snapshot.series, T0 + 60_000, snapshot.intervals)
    assert list(at_end.values()) == [2.0, 1.0]
    assert list(later.values()) == [2.0]


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(60, [60.0, 60.0]), (119, [119.0, 60.0]), (420, [300.0]), (450, [300.0]), (451, [])],
)
def test_a_series_sampled_every_minute_beside_others_every_second_keeps_its_value(
    tmp_path: Path, seconds: int, expected: list[float]
) -> None:
    """Both end after 300 s: the fast one is silent 2.5 s later, the slow one 150 s later."""
    every_second = np.arange(301.0)
    every_minute = np.where(every_second % 60 == 0, every_second, NAN)
    with SessionWriter.create(tmp_path / "s.hscope") as writer:
        writer.add_entities([Entity(ref, ref.key) for ref in HOSTS])
        specs = [SeriesSpec(ref, "cpu.pcpu_util", "%") for ref in HOSTS]
        rows = np.column_stack([every_second, every_minute])
        add_source(writer, SourceSpec("esxtop", "esx01", 1), specs, rows, every_s=1)
    with reading(tmp_path / "s.hscope") as (reader, snapshot):
        found = last_values(reader, snapshot.series, T0 + 1000 * seconds, snapshot.intervals)
    assert list(found.values()) == expected
