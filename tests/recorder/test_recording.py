"""The recorder around collectors that misbehave: each is its own failure, the session survives them all."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import msgspec
import numpy as np
import pytest

from app.recording.verdict import RecordingVerdict
from collectors.feed import Controls, Feed, Health, Layout, Tick
from recorder.board import SourceStatus
from recorder.limits import load_recorder_limits
from recorder.recording import Recording
from recorder.session_file import SessionFile
from recorder.writing import SpaceRules
from resources.failures import (
    DamagedError,
    DiskFullError,
    HyperscopeError,
    LoginError,
    NotFoundError,
    RefusedError,
)
from sessions.model import Entity, EntityRef, Fact, Gap, SeriesSpec, SourceSpec
from sessions.store import SessionReader, check_session
from tests.recorder.scripted import (
    HOST,
    RULES,
    SERIES,
    T0,
    Scripted,
    Work,
    play,
    ticks,
    ticks_then,
)


@pytest.fixture(autouse=True)
def own_log_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "log"
    folder.mkdir()
    monkeypatch.setattr("resources.crash_reports.crash_folder", lambda: folder)
    return folder


def test_the_others_go_on(session_path: Path) -> None:
    changes: list[SourceStatus] = []
    outcome = play(
        session_path,
        Scripted("vc01", ticks_then(LoginError("Wrong password."))),
        Scripted("vc02", ticks(40)),
        stop=False,
        changes=changes,
    )
    assert (outcome.code, outcome.error) == (0, None)
    said = {status.name: status.health for status in changes}
    assert (said["vc01"].state, said["vc01"].message) == ("failed", "Wrong password.")
    assert said["vc02"].state == "ended"
    with SessionReader.open(session_path) as reader:
        assert [source.samples for source in reader.sources()] == [3 * SERIES, 40 * SERIES]


def test_all_failed_is_the_first_failure(session_path: Path) -> None:
    outcome = play(
        session_path,
        Scripted("vc01", ticks_then(LoginError("Wrong password."))),
        Scripted("vc02", ticks_then(RefusedError("Nothing listens there."))),
        stop=False,
    )
    assert outcome.code == LoginError.exit_code
    assert isinstance(outcome.error, LoginError)
    assert outcome.session == session_path
    assert check_session(session_path, thorough=True) == []


def test_nothing_recorded_leaves_no_file(session_path: Path) -> None:
    def fail(feed: Feed, controls: Controls, source: int, layout: Layout) -> None:
        raise RefusedError("Nothing listens there.")

    outcome = play(session_path, Scripted("vc01", fail), stop=False)
    assert (outcome.code, outcome.session) == (RefusedError.exit_code, None)
    assert list(session_path.parent.glob("*hscope*")) == []


def test_a_bug_ends_one_source_and_says_nothing_of_its_data(session_path: Path, own_log_folder: Path) -> None:
    changes: list[SourceStatus] = []
    outcome = play(
        session_path,
        Scripted("vc01", ticks_then(RuntimeError("the password is s3cret"))),
        Scripted("vc02", ticks(5)),
        stop=False,
        changes=changes,
    )
    assert outcome.code == 0
    (report,) = own_log_folder.glob("crash-*.txt")
    text = report.read_text(encoding="utf-8")
    assert "RuntimeError" in text
    assert "ticks_then" in text or "in work" in text
    assert "s3cret is" not in text
    assert "the password is s3cret" not in text.replace('RuntimeError("the password is s3cret")', "")
    failed = next(status for status in changes if status.health.state == "failed")
    assert "bug" in failed.health.message
    assert "s3cret" not in failed.health.message


def test_only_bugs_is_a_bug(session_path: Path) -> None:
    outcome = play(session_path, Scripted("vc01", ticks_then(ZeroDivisionError())), stop=False)
    assert outcome.code == 70


def test_what_can_not_be_stored_is_its_collectors_failure(session_path: Path) -> None:
    def wrong(feed: Feed, controls: Controls, source: int, layout: Layout) -> None:
        feed.add_ticks([Tick(layout.id, T0, np.zeros(SERIES + 1))])
        controls.wait()

    def orphan(feed: Feed, controls: Controls, source: int, layout: Layout) -> None:
        feed.add_entities([Entity(EntityRef("vm", "x"), "x", EntityRef("host", "who?"))])
        while not controls.wait(0.01):
            feed.add_ticks([Tick(layout.id, T0, np.zeros(SERIES))])

    def unknown(feed: Feed, controls: Controls, source: int, layout: Layout) -> None:
        feed.add_layout(source, [SeriesSpec(EntityRef("vm", "nobody"), "c", "")])

    outcome = play(
        session_path,
        Scripted("vc01", wrong),
        Scripted("vc02", orphan),
        Scripted("vc03", unknown),
        Scripted("vc04", ticks(300)),
    )
    assert outcome.error is None
    with SessionReader.open(session_path) as reader:
        assert reader.sources()[-1].samples == 300 * SERIES
    assert check_session(session_path, thorough=True) == []


def test_one_that_does_not_end_is_left_behind(session_path: Path) -> None:
    release = threading.Event()

    def hang(feed: Feed, controls: Controls, source: int, layout: Layout) -> None:
        ticks(3)(feed, controls, source, layout)
        release.wait(300)
        with pytest.raises(HyperscopeError):
            feed.add_ticks([Tick(layout.id, T0, np.zeros(SERIES))])

    limits = msgspec.structs.replace(
        load_recorder_limits(), stopping=msgspec.structs.replace(load_recorder_limits().stopping, wait_s=0.2)
    )
    outcome = play(session_path, Scripted("vc01", hang), limits=limits)
    release.set()
    assert (outcome.code, outcome.samples) == (0, 3 * SERIES)
    assert check_session(session_path, thorough=True) == []


def test_a_full_queue_makes_collectors_wait(session_path: Path) -> None:
    """A flood through a small queue: all of it arrives, little of it is in memory at a time."""
    limits = load_recorder_limits()
    limits = msgspec.structs.replace(
        limits, queue=msgspec.structs.replace(limits.queue, megabytes=0.05, items=8)
    )
    most = 0

    def flood(feed: Feed, controls: Controls, source: int, layout: Layout) -> None:
        nonlocal most
        for at in range(400):
            feed.add_ticks([Tick(layout.id, T0 + 20_000 * at, np.full(SERIES, at % 7.0))])
            most = max(most, recording._queue.depth)

    over = threading.Event()
    recording = Recording([Scripted("vc01", flood)], session_path, limits, RULES, on_over=over.set)
    recording.start()
    assert over.wait(120)
    outcome = recording.finish()
    assert outcome.samples == 400 * SERIES
    assert most <= 8


def test_gaps_and_sources_keep_their_numbers_through_resumes(session_path: Path) -> None:
    def gap(feed: Feed, controls: Controls, source: int, layout: Layout) -> None:
        ticks(2, int(layout.last.max() - T0) // 20_000 + 1 if layout.last.any() else 0)(
            feed, controls, source, layout
        )
        feed.add_gaps([Gap(source, T0, T0, f"of {source}", None, 1)])

    play(session_path, Scripted("vc01", gap), stop=False)
    play(session_path, Scripted("vc02", gap), Scripted("vc01", gap), stop=False)
    with SessionReader.open(session_path) as reader:
        names = {source.id: source.spec.name for source in reader.sources()}
        assert sorted(names.values()) == ["vc01", "vc02"]
        samples = {source.spec.name: source.samples for source in reader.sources()}
        assert samples == {"vc01": 4 * SERIES, "vc02": 2 * SERIES}
        assert {names[gap.source] for gap in reader.gaps()} == {"vc01", "vc02"}
        counted = {source.spec.name: source.spec.counted for source in reader.sources()}
        assert counted == {"vc01": (4 * SERIES, 4 * SERIES), "vc02": (2 * SERIES, 2 * SERIES)}


def test_facts_that_nobody_says_again_are_over(session_path: Path) -> None:
    """A limit that was lifted while nobody recorded does not hold for ever."""

    def say(*facts: Fact) -> Work:
        def work(feed: Feed, controls: Controls, source: int, layout: Layout) -> None:
            feed.add_facts(facts)
            ticks(3)(feed, controls, source, layout)
            said.wait(30)

        return work

    said = threading.Event()
    said.set()
    limit = Fact(HOST, "cpu.limit_mhz", 500.0, T0)
    play(session_path, Scripted("vc01", say(limit, Fact(HOST, "host", "a", T0))), stop=False)
    said.clear()
    over = threading.Event()
    later = Fact(HOST, "host", "a", T0 + 99)
    recording = Recording(
        [Scripted("vc01", say(later))], session_path, load_recorder_limits(), RULES, on_over=over.set
    )
    recording.start()
    while not recording._writing._facts_are_confirmed:
        assert not over.wait(0.05)
    said.set()
    assert recording.finish().code == 0
    with SessionReader.open(session_path) as reader:
        facts = {fact.name: fact for fact in reader.facts()}
    assert facts["host"] == Fact(HOST, "host", "a", T0)
    assert facts["cpu.limit_mhz"].end is not None


def test_a_long_recording_goes_on_in_another_file(session_path: Path) -> None:
    count = 400

    def long(feed: Feed, controls: Controls, source: int, layout: Layout) -> None:
        feed.add_facts([Fact(HOST, "vcpus", 4.0, T0)])
        start = int(layout.last.max() - T0) // 20_000 + 1 if layout.last.any() else 0
        for at in range(start, start + count):
            feed.add_ticks([Tick(layout.id, T0 + 20_000 * at, np.random.default_rng(at).random(SERIES))])
            done = (at - start + 1) * SERIES
            feed.report(source, Health("recording", 20.0, 1, SERIES, done, done, last_ms=T0))
            controls.wait(0.005)
        again = feed.add_layout(source, [SeriesSpec(HOST, f"c{i}", "") for i in range(SERIES)])
        assert set(again.last.tolist()) == {T0 + 20_000 * (start + count - 1)}

    small = SpaceRules(keep_free=0, rotate_after_s=0, rotate_after_bytes=90_000)
    first = play(session_path, Scripted("vc01", long), rules=small, stop=False)
    assert first.error is None
    assert first.samples == count * SERIES
    assert first.session is not None
    assert first.session != session_path
    second = play(session_path, Scripted("vc01", long), stop=False)
    assert second.session == first.session
    parts = [session_path, *sorted(session_path.parent.glob(f"{session_path.stem}-0*"))]
    assert parts[1].name == f"{session_path.stem}-002.hscope"
    assert parts[-1] == first.session
    times: list[int] = []
    received = 0
    for part in parts:
        assert check_session(part, thorough=True) == []
        with SessionReader.open(part) as reader:
            (source,) = reader.sources()
            times += reader.times(source.id).tolist()
            assert source.state == "complete"
            assert source.spec.counted is not None
            received += source.spec.counted[1]
            assert [fact.value for fact in reader.facts()] == [4.0]
            assert len(reader.series()) == SERIES
    assert times == [T0 + 20_000 * at for at in range(2 * count)]
    assert received == 2 * count * SERIES


def test_a_part_in_which_nothing_more_was_counted_says_so(session_path: Path) -> None:
    file = SessionFile.open(session_path)
    source = file.sources.add(SourceSpec("vcenter", "vc01", 20.0))
    file.sources.count(source, Health("recording", expected=9, received=7))
    file.rotate()
    file.close()
    for path, counted in ((session_path, (9, 7)), (file.path, (0, 0))):
        with SessionReader.open(path) as reader:
            assert [one.spec.counted for one in reader.sources()] == [counted]


def test_it_ends_before_the_disk_is_full(session_path: Path) -> None:
    with pytest.raises(DiskFullError, match="leaves free") as failed:
        play(session_path, Scripted("vc01", ticks(1)), rules=SpaceRules(1 << 60, 0, 0))
    assert failed.value.meaning == "Nothing is recorded."
    assert not session_path.exists()


def test_it_ends_in_good_order_when_space_runs_out(tiny_disk: Path) -> None:
    path = tiny_disk / "s.hscope"

    def grow(feed: Feed, controls: Controls, source: int, layout: Layout) -> None:
        at = 0
        while not controls.wait(0.05):
            feed.add_ticks([Tick(layout.id, T0 + 20_000 * at, np.random.default_rng(at).random(SERIES))])
            at += 1

    outcome = play(path, Scripted("vc01", grow), rules=SpaceRules(500_000, 0, 0), stop=False)
    assert outcome.code == DiskFullError.exit_code
    assert "leaves free. What was recorded is stored" in str(outcome.error)
    assert check_session(path, thorough=True) == []
    with SessionReader.open(path) as reader:
        assert reader.sources()[0].samples > 3 * SERIES


def test_a_disk_that_is_full_after_all(tiny_disk: Path) -> None:
    path = tiny_disk / "s.hscope"
    failures: list[type] = []

    def flood(feed: Feed, controls: Controls, source: int, layout: Layout) -> None:
        try:
            for at in range(100_000):
                feed.add_ticks([Tick(layout.id, T0 + 20_000 * at, np.random.default_rng(at).random(SERIES))])
        except HyperscopeError as error:
            failures.append(type(error))
            raise

    outcome = play(path, Scripted("vc01", flood), stop=False)
    assert outcome.code == DiskFullError.exit_code
    assert failures == [DiskFullError]
    assert check_session(path, thorough=True) == []


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not let go of a file that is open")
@pytest.mark.parametrize("how", ["removed", "renamed", "replaced"])
@pytest.mark.parametrize("when", ["during", "at the end"])
def test_a_session_that_is_taken_away_ends_the_recording_and_is_said(
    session_path: Path, how: str, when: str
) -> None:
    elsewhere = session_path.with_name("elsewhere.hscope")

    def take_away(feed: Feed, controls: Controls, source: int, layout: Layout) -> None:
        ticks(3)(feed, controls, source, layout)
        feed.flush()
        if how == "renamed":
            session_path.rename(elsewhere)
        elif how == "removed":
            session_path.unlink()
        else:
            elsewhere.write_text("another")
            elsewhere.replace(session_path)
        if when == "during":
            controls.wait()

    outcome = play(session_path, Scripted("vc01", take_away), stop=False)
    assert isinstance(outcome.error, NotFoundError)
    assert "while it was recorded" in str(outcome.error)
    if how == "renamed":
        assert check_session(elsewhere, thorough=True) == []
        with SessionReader.open(elsewhere) as reader:
            assert reader.info().samples == 3 * SERIES
    left = {path.name for path in session_path.parent.iterdir() if path.is_file()}
    names = {"renamed": {elsewhere.name}, "removed": set[str](), "replaced": {session_path.name}}
    assert left == names[how]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not let others write to what is mapped")
@pytest.mark.parametrize("suffix", ["", "-wal"])
def test_a_session_that_is_cut_ends_the_recording_and_is_said(session_path: Path, suffix: str) -> None:
    """All went on into a file that nobody could read, and the exit code was 0."""
    cut = session_path.with_name(session_path.name + suffix)

    def cut_it(feed: Feed, controls: Controls, source: int, layout: Layout) -> None:
        ticks(3)(feed, controls, source, layout)
        feed.flush()
        with cut.open("r+b") as file:
            file.truncate(0)
        controls.wait()

    outcome = play(session_path, Scripted("vc01", cut_it), stop=False)
    assert isinstance(outcome.error, DamagedError)
    assert str(outcome.error).startswith(cut.name)
    assert "was cut or written over while it was recorded" in str(outcome.error)


def test_a_recording_that_can_not_be_read_when_it_has_ended_has_failed(session_path: Path) -> None:
    outcome = play(session_path, Scripted("vc01", ticks(3)), stop=False)
    with session_path.open("r+b") as file:
        file.truncate(100)
    judged = RecordingVerdict((), is_wanted=True).judge(outcome)
    assert isinstance(judged.error, DamagedError)
