"""A session file gives back what was written, as a session in memory does."""

from __future__ import annotations

import pickle
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessions.findings import CauseVerdict, Evidence, Finding
from sessions.model import Entity, EntityRef, Event, Fact, Gap, Mark, SampleSource, SeriesSpec, SourceSpec
from sessions.store import SessionReader, SessionWriter, check_session, encode_block
from sessions.store.codec import pack_document
from sessions.times import TimeRange
from sessions.verdicts import NOT_JUDGED, SeverityCounts, SourceReach, Verdict, samples_after
from tests.sessions.synthetic import COUNTERS, HOST, T0, capture

FINDING = Finding(
    problem="mem.ballooning",
    title="Ballooning",
    severity="warning",
    entity=EntityRef("vm", "esx01/vm/0"),
    entity_name="vm 0",
    windows=(TimeRange(T0, T0 + 5000),),
    share=0.5,
    conclusion="The balloon took 5.3 GB.",
    evidence=(Evidence("mem.balloon", "", "mean", 5.3, None, "GB"),),
    causes=(CauseVerdict("host_overcommit", "Overcommitment", "likely", "because of 1.4 × overcommitment"),),
    remedies=("Add memory.",),
    score=2.0,
    notes=("only 3 samples",),
    consequence_of=("mem.host_state", HOST),
    changes=(Event(T0 - 60_000, "vmotion", "vm 0 came", EntityRef("vm", "esx01/vm/0"), T0 - 30_000),),
    changes_left=3,
)


def test_everything_comes_back(session_path: Path) -> None:
    taken = capture()
    ids = taken.write(session_path)
    memory, memory_ids = taken.in_memory()
    assert ids.tolist() == memory_ids.tolist()
    assert check_session(session_path, thorough=True) == []
    with SessionReader.open(session_path) as reader:
        source: SampleSource = reader
        same: SampleSource = memory
        assert source.gaps() == same.gaps()
        assert source.span() == memory.span()
        assert source.sources() == memory.sources()
        assert source.entities() == memory.entities()
        assert source.series() == memory.series()
        assert source.series(["cpu.ready"]) == memory.series(["cpu.ready"])
        assert source.facts() == memory.facts()
        assert source.times(1).tolist() == memory.times(1).tolist()
        (stored,), (kept,) = source.read(ids), memory.read(ids)
        assert stored.times.tolist() == kept.times.tolist()
        assert np.array_equal(stored.values, kept.values, equal_nan=True)
        assert np.array_equal(stored.values, taken.canonical, equal_nan=True)


def test_records_come_back(session_path: Path) -> None:
    event, mark = (
        Event(T0 + 1, "vmotion", "to esx02", HOST, T0 + 9, "7", "alice"),
        Mark(T0 + 2, "I changed the limit"),
    )
    gap, fact = (
        Gap(1, T0, T0 + 5, "the group's worlds changed", HOST, 2),
        Fact(HOST, "power_state", "on", T0, T0 + 9),
    )
    earlier = Fact(HOST, "tools", True, T0 - 7)
    capture(ticks=3).write(session_path)
    with SessionWriter.open(session_path) as writer:
        writer.add_events([event])
        writer.add_mark(mark)
        writer.add_gaps([gap])
        writer.add_facts([fact, earlier])
        writer.put_findings([FINDING, FINDING])
        writer.put_findings([FINDING])
        writer.set_meta("title", "another")
    with SessionReader.open(session_path) as reader:
        assert reader.events() == [event]
        assert reader.marks() == [mark]
        assert reader.gaps() == [gap]
        assert reader.facts()[0] == earlier
        assert reader.facts()[-1] == fact or fact in reader.facts()
        assert reader.findings() == [FINDING]
        assert reader.meta()["title"] == "another"


def test_findings_come_back_with_how_far_they_reach(session_path: Path) -> None:
    capture(ticks=3).write(session_path)
    reached = SourceReach(1, "esx01", TimeRange(T0, T0 + 5000), 2)
    verdict = Verdict("judged", (reached,), counts=SeverityCounts.of([FINDING]))
    with SessionWriter.open(session_path) as writer, SessionReader.open(session_path) as reader:
        assert reader.verdict() == NOT_JUDGED
        writer.put_findings([FINDING], verdict)
        assert (reader.findings(), reader.verdict()) == ([FINDING], verdict)
        assert samples_after(verdict, reader) == 1
        with pytest.raises(ValueError, match="other findings"):
            writer.put_findings([], verdict)
        writer.put_findings([FINDING, FINDING])
        assert reader.verdict() == NOT_JUDGED


def test_a_verdict_that_does_not_fit_the_findings_says_nothing(session_path: Path) -> None:
    """An earlier program leaves the verdict of other findings; a forger claims what was not judged."""
    capture(ticks=3).write(session_path)
    clear = b'[{"state": "judged", "sources": []}]'
    stale = b'[{"state": "judged", "sources": [{"source": 1, "name": "", "samples": 1, "judged": null}]}]'
    for body in (clear, stale):
        with closing(sqlite3.connect(session_path)) as database, database:
            database.execute("DELETE FROM document WHERE kind = 'verdicts'")
            database.execute(
                "INSERT INTO document(kind, body) VALUES ('verdicts', ?)", (pack_document(body),)
            )
        with SessionReader.open(session_path) as reader:
            assert reader.verdict() == NOT_JUDGED


def test_events_of_sessions_that_knew_no_ends(session_path: Path) -> None:
    """Sessions of earlier days have events without end, id and who asked for them."""
    capture(ticks=3).write(session_path)
    body = b'[{"at": 7, "kind": "vmotion", "text": "moved", "entity": null}]'
    database = sqlite3.connect(session_path)
    database.execute("INSERT INTO document(kind, body) VALUES ('events', ?)", (pack_document(body),))
    database.commit()
    database.close()
    with SessionReader.open(session_path) as reader:
        assert reader.events() == [Event(7, "vmotion", "moved")]


def test_adding_again_changes_nothing(session_path: Path) -> None:
    taken = capture(ticks=3)
    with SessionWriter.create(session_path) as writer:
        source, ids, _ = taken.declare(writer)
        writer.add_entities(taken.entities)
        assert writer.add_series(source, taken.specs[::-1]).tolist() == ids[::-1].tolist()
        writer.add_entities([Entity(HOST, "renamed")])
    with SessionWriter.open(session_path) as writer:
        writer.add_entities(taken.entities)
        assert writer.add_series(1, taken.specs).tolist() == ids.tolist()
        more = writer.add_series(1, [SeriesSpec(HOST, "cpu.load_1m", ""), taken.specs[0]])
        assert more.tolist() == [ids[-1] + 1, ids[0]]
    with SessionReader.open(session_path) as reader:
        assert reader.entities()[HOST].name == "esx01"
        assert len(reader.series()) == len(taken.specs) + 1


def test_another_reader_sees_what_the_first_has_not_read_yet(session_path: Path) -> None:
    """It begins with the first one's index; what is new is added to its own alone."""
    first, second = capture(ticks=30), capture(ticks=30, host="esx02", seed=2)
    with SessionWriter.create(session_path) as writer:
        _, ids, layout = first.declare(writer)
        writer.append_ticks([(layout, int(first.times[0]), first.stored[0])])
        with SessionReader.open(session_path) as reader:
            (before,) = reader.read(ids)
            _, more, later = second.declare(writer)
            writer.append_ticks([(later, int(second.times[0]), second.stored[0])])
            with (
                reader.another() as other,
                reader.another() as third,
                SessionReader.open(session_path) as new,
            ):
                assert other.entities() == new.entities()
                assert other.series() == new.series()
                assert third.info() == new.info()
                assert reader.info() == new.info()
                (same,) = other.read(ids)
                np.testing.assert_array_equal(same.values, before.values)
                (fresh,) = other.read(more)
                np.testing.assert_array_equal(fresh.values, second.canonical[:1])
                assert set(third.series()) - set(other.series()) == set()


def test_a_layout_may_grow(session_path: Path) -> None:
    """A VM that appears later arrives in a second layout; before it there is nothing, not zero."""
    with SessionWriter.create(session_path) as writer:
        writer.add_entities([Entity(HOST, "esx01")])
        source = writer.add_source(SourceSpec("lab", "esx01"))
        ids = writer.add_series(source, [SeriesSpec(HOST, f"c{i}", "") for i in range(3)])
        early, late = writer.add_layout(source, ids[:2]), writer.add_layout(source, ids)
        for tick in range(40):
            writer.append_ticks([(early, T0 + tick, np.array([1.0, tick]))])
        for tick in range(40, 80):
            writer.append_ticks([(late, T0 + tick, np.array([1.0, tick, 7.0]))])
    with SessionReader.open(session_path) as reader:
        (frame,) = reader.read(ids)
        assert frame.times.tolist() == list(range(T0, T0 + 80))
        assert frame.values[:, 1].tolist() == list(range(80))
        assert np.isnan(frame.values[:40, 2]).all()
        assert reader.stats(ids).count.tolist() == [80, 80, 40]


def test_joined_strips_do_not_overrule_what_came_between(session_path: Path) -> None:
    """Strips of one layout become one under a newer number; another layout said something else meanwhile."""
    with SessionWriter.create(session_path) as writer:
        writer.add_entities([Entity(HOST, "esx01")])
        source = writer.add_source(SourceSpec("esxtop", "esx01"))
        ids = writer.add_series(source, [SeriesSpec(HOST, name, "") for name in ("a", "b")])
        alone, both = writer.add_layout(source, ids[:1]), writer.add_layout(source, ids)
        times = T0 + 1000 * np.arange(4)
        writer.add_block(alone, encode_block(times, np.full((4, 1), 1.0)))
        writer.add_block(both, encode_block(times[1:3], np.array([[2.0, 2.0], [np.nan, 2.0]])))
        writer.add_block(alone, encode_block(times[3:], np.full((1, 1), 3.0)))
    with SessionReader.open(session_path) as reader:
        (frame,) = reader.read(ids)
        assert frame.values[:, 0].tolist() == [1.0, 2.0, 1.0, 3.0]
        assert reader.stats(ids).mean.tolist() == [1.75, 2.0]
    assert check_session(session_path, thorough=True) == []


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_pieces_in_any_order_and_overlapping_are_one_timeline(data: st.DataObject) -> None:
    """Files of one host, in any order: each instant once; the later written value wins."""
    with TemporaryDirectory() as folder:
        check_merging(data, Path(folder) / "s.hscope")


def check_merging(data: st.DataObject, path: Path) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 1 << 30)))
    expected: dict[tuple[int, int], float] = {}
    with SessionWriter.create(path, durable=False) as writer:
        writer.add_entities([Entity(HOST, "esx01")])
        source = writer.add_source(SourceSpec("esxtop", "esx01"))
        ids = writer.add_series(source, [SeriesSpec(HOST, f"c{i}", "", scale=1 + i) for i in range(4)])
        for _ in range(data.draw(st.integers(1, 5))):
            some = rng.permutation(ids)[: data.draw(st.integers(1, 4))]
            begin, ticks = data.draw(st.integers(0, 60)), data.draw(st.integers(1, 60))
            times = rng.permutation(T0 + 1000 * np.arange(begin, begin + ticks))
            stored = np.where(
                rng.random((ticks, some.size)) < 0.3, np.nan, rng.integers(0, 50, (ticks, some.size)) / 4
            )
            stored[:, 0] = 2.5
            writer.add_block(writer.add_layout(source, some), encode_block(times, stored))
            for at, row in zip(times.tolist(), stored, strict=True):
                for series, value in zip(some.tolist(), row.tolist(), strict=True):
                    expected[at, series] = value if value == value else expected.get((at, series), value)
    assert check_session(path, thorough=True) == []
    window = data.draw(
        st.none()
        | st.tuples(st.integers(0, 90), st.integers(0, 90)).map(
            lambda pair: TimeRange(T0 + 1000 * min(pair), T0 + 1000 * max(pair))
        )
    )
    with SessionReader.open(path) as reader:
        for series in ids.tolist():
            present = sorted(
                (at, value * series)
                for (at, one), value in expected.items()
                if one == series and value == value and (window is None or window.contains(at))
            )
            (frame,) = reader.read(np.array([series]), window)
            got = [
                (at, v)
                for at, v in zip(frame.times.tolist(), frame.values[:, 0].tolist(), strict=True)
                if v == v
            ]
            assert got == present
            stats = reader.stats(np.array([series]), window)
            assert stats.count[0] == len(present)
            if present:
                numbers = [value for _, value in present]
                assert (stats.minimum[0], stats.maximum[0]) == (min(numbers), max(numbers))
                assert stats.mean[0] == pytest.approx(np.mean(numbers))


def test_blocks_travel_between_processes() -> None:
    block = encode_block(np.arange(100), np.random.default_rng(0).normal(size=(100, 5)))
    copy = pickle.loads(pickle.dumps(block))
    assert list(copy.chunks()) == list(block.chunks())


def test_ticks_are_compacted_on_the_way(session_path: Path) -> None:
    taken = capture(ticks=300)
    with SessionWriter.create(session_path, durable=False) as writer:
        _, ids, layout = taken.declare(writer)
        for at, row in zip(taken.times.tolist(), taken.stored, strict=True):
            writer.append_ticks([(layout, at, row)])
        with SessionReader.open(session_path) as reader:
            assert np.array_equal(reader.read(ids)[0].values, taken.canonical, equal_nan=True)
        writer.ticks.compact()
        with SessionReader.open(session_path) as reader:
            assert np.array_equal(reader.read(ids)[0].values, taken.canonical, equal_nan=True)
    assert check_session(session_path, thorough=True) == []


def test_infinite_values_are_absent(session_path: Path) -> None:
    with SessionWriter.create(session_path) as writer:
        writer.add_entities([Entity(HOST, "esx01")])
        source = writer.add_source(SourceSpec("lab", "esx01"))
        ids = writer.add_series(source, [SeriesSpec(HOST, "c", "")])
        layout = writer.add_layout(source, ids)
        writer.append_ticks([(layout, T0, np.array([np.inf]))])
        writer.add_block(
            layout, encode_block(T0 + 1 + np.arange(30), np.array([[np.inf], [1.5], [-0.0]] * 10))
        )
    with SessionReader.open(session_path) as reader:
        values = reader.read(ids)[0].values[:, 0]
        assert np.isnan(values[0])
        assert np.isnan(values[1::3]).all()
        assert reader.stats(ids).count.tolist() == [20]


@pytest.mark.parametrize(
    "act",
    [
        lambda writer: writer.append_ticks([(1, T0, np.zeros(3))]),
        lambda writer: writer.append_ticks([(1, 1 << 60, np.zeros(6 * len(COUNTERS)))]),
        lambda writer: writer.add_layout(1, np.array([1, 1])),
        lambda writer: writer.add_layout(1, np.array([999])),
        lambda writer: writer.add_layout(7, np.array([1])),
        lambda writer: writer.add_series(1, [SeriesSpec(EntityRef("vm", "unknown"), "c", "")]),
        lambda writer: writer.add_series(1, [SeriesSpec(HOST, "c", "", scale=0.0)]),
        lambda writer: writer.add_entities([Entity(EntityRef("vm", "a"), "a", EntityRef("vm", "unknown"))]),
        lambda writer: writer.add_entities(
            [
                Entity(EntityRef("vm", "a"), "a", EntityRef("vm", "b")),
                Entity(EntityRef("vm", "b"), "b", EntityRef("vm", "a")),
            ]
        ),
        lambda writer: writer.add_events([Event(1 << 60, "x", "y")]),
        lambda writer: writer.update_source(1, state="sleeping"),
        lambda writer: writer.update_source(1, interval_s=-1.0),
    ],
)
def test_what_makes_no_sense_is_refused_and_does_not_stop_the_writer(session_path: Path, act: object) -> None:
    taken = capture(ticks=30)
    with SessionWriter.create(session_path, durable=False) as writer:
        _, ids, layout = taken.declare(writer)
        with pytest.raises(ValueError, match=r"\w"):
            act(writer)  # type: ignore[operator]
        for at, row in zip(taken.times.tolist(), taken.stored, strict=True):
            writer.append_ticks([(layout, at, row)])
    assert check_session(session_path, thorough=True) == []
    with SessionReader.open(session_path) as reader:
        assert reader.read(ids)[0].times.size == 30


def test_sources_say_how_they_ended(session_path: Path) -> None:
    with SessionWriter.create(session_path) as writer:
        source = writer.add_source(SourceSpec("lab", "esx01"))
        writer.update_source(
            source, interval_s=20.0, clock_offset_ms=-40, attributes={"zone": "UTC"}, state="importing"
        )
        with SessionReader.open(session_path) as reader:
            assert reader.sources()[0].state == "importing"
    with SessionReader.open(session_path) as reader:
        (found,) = reader.sources()
    assert found.spec == SourceSpec("lab", "esx01", 20.0, -40, (("zone", "UTC"),))
    assert (found.state, found.ticks, found.start) == ("complete", 0, None)
    writer = SessionWriter.open(session_path)
    with suppress(KeyboardInterrupt), writer:
        writer.add_source(SourceSpec("lab", "esx02"))
        raise KeyboardInterrupt
    with SessionReader.open(session_path) as reader:
        assert [one.state for one in reader.sources()] == ["complete", "interrupted"]


def test_info_says_what_is_in_it(session_path: Path) -> None:
    taken = capture(ticks=50)
    taken.write(session_path)
    with SessionWriter.open(session_path) as writer:
        writer.add_gaps([Gap(1, T0, T0 + 5000, "late")])
    with SessionReader.open(session_path) as reader:
        info = reader.info().to_json()
    assert info["entities"] == {"vm": 6, "host": 1}
    assert info["series"] == 6 * len(COUNTERS)
    assert info["samples"] == int(np.count_nonzero(~np.isnan(taken.stored)))
    assert info["bytes"] == session_path.stat().st_size
    assert (info["start"], info["end"]) == ("2023-11-14T22:13:20Z", "2023-11-14T22:17:25Z")
    (described,) = cast("list[object]", info["sources"])
    assert described == {
        "kind": "lab", "name": "esx01", "start": "2023-11-14T22:13:20Z", "end": "2023-11-14T22:17:25Z",
        "interval_s": 5.0, "ticks": 50, "columns": 42, "samples": info["samples"],
        "gaps": [["2023-11-14T22:13:20Z", "2023-11-14T22:13:25Z"]],
        "missing": [
            {"from": "2023-11-14T22:13:20Z", "to": "2023-11-14T22:13:25Z", "entity": None,
             "reason": "late", "ticks": None},
        ],
        "expected": None, "received": None,
        "clock_offset_ms": 12, "state": "complete", "notes": {"file": "capture.csv"},
    }  # fmt: skip


def test_an_empty_session_is_a_session(session_path: Path) -> None:
    SessionWriter.create(session_path).close()
    assert check_session(session_path, thorough=True) == []
    with SessionReader.open(session_path) as reader:
        assert reader.span() is None
        assert reader.series() == []
        assert reader.read(np.zeros(0, np.int64)) == []
        assert reader.stats(np.zeros(0, np.int64)).count.size == 0
        assert reader.info().to_json()["start"] is None


@pytest.mark.parametrize(("durable", "synchronous"), [(True, 2), (False, 1)])
def test_ticks_are_synced_to_disk_where_power_may_fail(
    session_path: Path, durable: bool, synchronous: int
) -> None:
    for opened in (SessionWriter.create, SessionWriter.open):
        with opened(session_path, durable=durable) as writer:
            assert writer._database.pragma("synchronous") == synchronous
            assert writer._database.pragma("journal_mode") == "wal"
