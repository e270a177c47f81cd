"""The samples of charts: only what is new is read, and the result is what reading all of it anew gives."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessions.model import Entity, EntityRef, FloatArray, Frame, IntArray, SeriesSpec, SourceSpec
from sessions.store import SessionReader, SessionWriter
from sessions.store.database import Database
from sessions.times import TimeRange
from viewmodels.chart_samples import ChartSamples, read_samples
from viewmodels.chart_windows import moved_window, window_to_read
from viewmodels.curve import Curve, Instants

T0, STEP = 1_700_000_000_000, 5_000
SERIES = 6


class WatchedReader(SessionReader):
    """A reader that notes which windows are read."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.asked: list[TimeRange | None] = []

    def read(self, ids: IntArray, window: TimeRange | None = None) -> list[Frame]:
        self.asked.append(window)
        return super().read(ids, window)


class Recording:
    """A session with two sources that is being written, and read by charts."""

    def __init__(self, path: Path) -> None:
        self.writer = SessionWriter.create(path, durable=False)
        self.layouts, ids = [], []
        for name in ("esx01", "esx02"):
            source = self.writer.add_source(SourceSpec("lab", name, STEP / 1000))
            host = EntityRef("host", name)
            self.writer.add_entities([Entity(host, name)])
            specs = [SeriesSpec(host, "cpu.ready", "%", instance=str(n)) for n in range(SERIES)]
            ids.append(self.writer.add_series(source, specs))
            self.layouts.append(self.writer.add_layout(source, ids[-1]))
        self.ids: IntArray = np.concatenate(ids)
        reader = WatchedReader.open(path)
        assert isinstance(reader, WatchedReader)
        self.reader = reader
        self.samples = ChartSamples()

    def tick(self, number: int, values: FloatArray | float, source: int = 0) -> None:
        stored = np.broadcast_to(np.asarray(values, np.float64), (SERIES,)).copy()
        self.writer.append_ticks([(self.layouts[source], T0 + number * STEP, stored)])

    def read(self, first: int, last: int) -> ChartSamples:
        """What charts of a window of ticks would read now."""
        self.reader.asked.clear()
        window = TimeRange(T0 + first * STEP, T0 + last * STEP)
        self.samples = read_samples(self.reader, self.ids.tolist(), window, self.samples, _never)
        return self.samples

    def anew(self) -> dict[int, tuple[IntArray, FloatArray]]:
        """The samples of each series over what charts have, read in one go."""
        assert self.samples.window is not None
        frames = self.reader.read(self.ids, self.samples.window)
        return {
            number: (frame.times, frame.values[:, column])
            for frame in frames
            for column, number in enumerate(frame.ids.tolist())
        }

    def check(self) -> None:
        """What charts have is what the session has."""
        for number, (times, values) in self.anew().items():
            curve = self.samples.curves[number]
            np.testing.assert_array_equal(curve.times, times)
            np.testing.assert_array_equal(curve.values, values)
            _same_lines(curve, Curve(times, values))

    def close(self) -> None:
        self.reader.close()
        self.writer.close()


def _never() -> None:
    """Nobody cancels."""


def _same_lines(one: Curve, other: Curve) -> None:
    if not one.times.size:
        return
    start, end = float(one.times[0]), float(one.times[-1])
    for points in (60, 400):
        np.testing.assert_array_equal(one.line(start, end, points).x, other.line(start, end, points).x)
        np.testing.assert_array_equal(one.line(start, end, points).y, other.line(start, end, points).y)
        np.testing.assert_array_equal(
            one.line(start, end, points).joined, other.line(start, end, points).joined
        )
    assert one.bounds(start, end) == pytest.approx(other.bounds(start, end), nan_ok=True)


@pytest.fixture
def recording(tmp_path: Path) -> Iterator[Recording]:
    found = Recording(tmp_path / "growing.hscope")
    yield found
    found.close()


def test_a_growth_reads_only_the_tail(recording: Recording) -> None:
    for number in range(300):
        recording.tick(number, number)
    recording.read(0, 299)
    recording.tick(300, 300.0)
    recording.tick(301, 301.0)
    recording.read(0, 301)
    assert [part.start for part in recording.reader.asked if part] == [T0 + 299 * STEP + 1]
    recording.check()
    recording.read(0, 301)
    assert recording.reader.asked == []


def test_a_late_sample_that_fills_in_an_earlier_instant_appears(recording: Recording) -> None:
    for number in range(40):
        recording.tick(number, np.where(np.arange(SERIES) == 2, np.nan, number) if number == 7 else number)
    assert np.isnan(recording.read(0, 39).curves[3].values[7])
    late = np.full(SERIES, np.nan)
    late[2] = 77.0
    recording.tick(7, late)
    recording.tick(40, 40.0)
    recording.read(0, 40)
    assert recording.samples.curves[3].values[7] == 77.0
    assert TimeRange(T0 + 7 * STEP, T0 + 7 * STEP) in recording.reader.asked
    assert len([part for part in recording.reader.asked if part and part.seconds > 60]) == 0
    recording.check()


def test_an_instant_that_was_missing_appears_between_others(recording: Recording) -> None:
    for number in [*range(20), *range(25, 40)]:
        recording.tick(number, number)
    recording.read(0, 60)
    recording.tick(22, 22.0)
    recording.read(0, 60)
    recording.check()
    assert recording.samples.curves[1].value_at(T0 + 22 * STEP) == 22.0


def test_what_is_put_in_order_anew_reads_the_same_and_keeps_its_curves(recording: Recording) -> None:
    for number in range(400):
        recording.tick(number, number % 17)
    recording.read(0, 500)
    curves = recording.samples.curves
    recording.writer.update_source(1, state="complete")
    while recording.writer.ticks.compact_one():
        pass
    recording.read(0, 500)
    recording.check()
    assert recording.samples.curves[1] is curves[1]


def test_a_window_that_moves_reads_what_is_missing(recording: Recording) -> None:
    for number in range(200):
        recording.tick(number, number)
    recording.read(80, 120)
    recording.read(60, 130)
    assert recording.reader.asked == [
        TimeRange(T0 + 60 * STEP, T0 + 80 * STEP - 1),
        TimeRange(T0 + 120 * STEP + 1, T0 + 130 * STEP),
    ]
    recording.check()
    recording.read(0, 20)
    assert recording.samples.window == TimeRange(T0, T0 + 20 * STEP)
    recording.check()


def test_other_series_are_read_anew(recording: Recording) -> None:
    for number in range(20):
        recording.tick(number, number)
    window = TimeRange(T0, T0 + 20 * STEP)
    some = read_samples(recording.reader, [1, 2], window, ChartSamples(), _never)
    assert not some.cover([1, 7], window)
    more = read_samples(recording.reader, [1, 7], window, some, _never)
    assert more.cover([1, 7], window)
    assert sorted(more.curves) == [1, 7]


def test_a_session_of_few_samples_is_read_whole() -> None:
    span, shown = TimeRange(0, 86_400_000), TimeRange(40_000_000, 41_000_000)
    assert window_to_read(shown, span, 1000) == span
    assert window_to_read(shown, span, 1 << 24) == TimeRange(39_000_000, 42_000_000)
    assert window_to_read(TimeRange(0, 50_000_000), span, 1 << 24) == span
    assert window_to_read(TimeRange(86_000_000, 87_000_000), span, 1 << 24).end == 87_000_000


def test_a_window_is_moved_to_where_there_is_something_to_see() -> None:
    span = TimeRange(1_000_000, 2_000_000)
    assert moved_window(TimeRange(1_200_000, 1_300_000), span) == TimeRange(1_200_000, 1_300_000)
    assert moved_window(TimeRange(0, 100_000), span) == TimeRange(1_000_000, 1_100_000)
    assert moved_window(TimeRange(5_000_000, 5_100_000), span) == TimeRange(1_900_000, 2_000_000)
    assert moved_window(TimeRange(0, 9_000_000), span) is None


@settings(deadline=None, max_examples=12)
@given(st.integers(0, 2**32 - 1))
def test_whatever_comes_in_whatever_order(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    rng = np.random.default_rng(seed)
    recording = Recording(tmp_path_factory.mktemp("any") / "any.hscope")
    try:
        newest = 0
        for _ in range(int(rng.integers(3, 12))):
            for _ in range(int(rng.integers(0, 60))):
                late = rng.random() < 0.1
                number = int(rng.integers(0, newest + 1)) if late else newest
                newest += 0 if late else int(rng.choice([1, 1, 1, 9]))
                values = np.where(rng.random(SERIES) < 0.2, np.nan, rng.normal(size=SERIES).round(2))
                recording.tick(number, values, int(rng.integers(0, 2)))
            first, last = sorted(rng.integers(0, newest + 20, 2).tolist())
            recording.read(first, last + 1)
            recording.check()
    finally:
        recording.close()


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32 - 1), st.floats(0, 0.3))
def test_a_curve_that_grew_is_drawn_as_one_made_anew(seed: int, absent: float) -> None:
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 60_000))
    times = T0 + np.cumsum(rng.choice([STEP, STEP, STEP, 9 * STEP], size))
    values = np.where(rng.random(size) < absent, np.nan, rng.normal(size=size))
    known, changed = sorted(rng.integers(0, size + 1, 2).tolist())
    earlier = values[:changed].copy()
    earlier[known:] += 1
    grown = Curve(times[:changed], earlier).prepare().updated(Instants(times), values, known).prepare()
    _same_lines(grown, Curve(times, values))
