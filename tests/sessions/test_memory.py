"""A session in memory refuses what a file would refuse, and holds several sources."""

from __future__ import annotations

import numpy as np
import pytest

from sessions.model import Entity, EntityRef, Event, Gap, SeriesSpec, SourceSpec
from sessions.times import TimeRange
from tests.sessions.memory_session import MemorySession
from tests.sessions.synthetic import HOST, T0, capture

SPEC = SourceSpec("lab", "esx01", 5.0)


def test_an_empty_one() -> None:
    session = MemorySession()
    assert session.span() is None
    assert session.sources() == []
    assert session.read(np.zeros(0, np.int64)) == []
    assert session.times(1).size == 0


def test_two_sources() -> None:
    session, ids = capture(ticks=10).in_memory()
    other = EntityRef("host", "esx02")
    more = session.add_source(
        SourceSpec("lab", "esx02"),
        T0 + np.arange(3),
        [SeriesSpec(other, "cpu.load_1m", "", scale=2.0)],
        np.array([[1.0], [np.nan], [3.0]]),
        entities=[Entity(other, "esx02")],
        events=[Event(T0, "task", "x")],
        gaps=[Gap(99, T0, T0 + 1, "late")],
    )
    assert more.tolist() == [ids[-1] + 1]
    first, second = session.read(np.array([more[0], ids[2]]))
    assert (first.source, second.source) == (1, 2)
    assert second.values[:, 0].tolist()[::2] == [2.0, 6.0]
    stats = session.stats(more, TimeRange(T0 + 1, T0 + 1))
    assert stats.count.tolist() == [0]
    assert np.isnan(stats.mean[0])
    assert session.gaps()[0].source == 2
    assert [event.text for event in session.events()] == ["x"]


@pytest.mark.parametrize(
    ("times", "values", "entity"),
    [
        ([1, 2], np.zeros((3, 1)), HOST),
        ([2, 1], np.zeros((2, 1)), HOST),
        ([1, 1], np.zeros((2, 1)), HOST),
        ([1, 2], np.zeros((2, 1)), EntityRef("vm", "unknown")),
    ],
)
def test_what_makes_no_sense_is_refused(times: list[int], values: np.ndarray, entity: EntityRef) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        MemorySession().add_source(
            SPEC, np.array(times), [SeriesSpec(entity, "c", "")], values, entities=[Entity(HOST, "esx01")]
        )
