"""The whole process on the lab: what it records, what it tells, how it is spoken to and how it ends."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab import Lab, find_scenario, load_scenarios
from resources.failures import CancelledError
from sessions.store import SessionReader, SessionWriter, check_session
from sessions.times import iso
from sessions.verdict_wording import verdict_title
from sessions.verdicts import SeverityCounts
from tests.lab.in_memory import lab_session
from tests.recorder.conftest import Record
from tests.recorder.running import ROOT, environment, samples_of
from tests.sessions.memory_session import MemorySession

SCENARIO = "cpu-costop-snapshot"
SHORT = f"{SCENARIO}?fields=diagnosis"
LONG = "demo?fields=diagnosis"
QUICK = ("--speed", "30", "--keep-free", "0")
"""Six ticks of 6,000 values a second: soon there, and no load for who runs beside."""

SECONDS = ("lab:data-few-samples?fields=diagnosis", "--speed", "4", "--keep-free", "0")
"""A scenario of 15 s that ends by itself after four, however long the program took to start."""


@pytest.fixture(scope="module")
def whole() -> MemorySession:
    """All of the short scenario, straight into memory."""
    return lab_session(Lab(find_scenario(load_scenarios(), SCENARIO), seed=1, fields="diagnosis"))


def test_a_whole_scenario_is_what_the_lab_says(
    record: Record, session_path: Path, whole: MemorySession
) -> None:
    ended = record(session_path, f"lab:{SHORT}", "--speed", "0", "--keep-free", "0").end()
    assert ended["code"] == 0
    assert ended["session"] == str(session_path)
    assert ended["bytes"] == session_path.stat().st_size
    assert [path.name for path in session_path.parent.glob("*.hscope*")] == [session_path.name]
    assert check_session(session_path, thorough=True) == []
    with SessionReader.open(session_path) as reader:
        assert samples_of(reader) == samples_of(whole)
        assert reader.entities() == whole.entities()
        assert {source.state for source in reader.sources()} == {"complete"}
        facts = {(fact.entity, fact.name, fact.value) for fact in reader.facts()}
        assert {(fact.entity, fact.name, fact.value) for fact in whole.facts()} <= facts
        assert sorted(reader.gaps(), key=repr) == sorted(whole.gaps(), key=repr)
        for source in reader.sources():
            expected, received = source.spec.counted or (0, 0)
            assert source.samples == received <= expected
        assert ended["samples"] == reader.info().samples


def test_what_it_tells(record: Record, session_path: Path) -> None:
    recorder = record(session_path, f"lab:{LONG}", "--speed", "150", "--keep-free", "0", "--attached")
    status = recorder.wait_for_ticks(30)
    recorder.close_stdin()
    recorder.end()
    names = [event["event"] for event in recorder.events]
    assert names[0] == "started"
    assert names[-3:] == ["finishing", "status", "ended"]
    assert set(names[1:-3]) == {"status"}
    assert recorder.events[0]["sources"] == [f"lab:{LONG}"]
    assert recorder.events[0]["resumed"] is False
    assert recorder.events[0]["pid"] == recorder.process.pid
    assert status["rate"] > 0
    assert status["bytes"] > 0
    assert 0 < status["bytes_each"] < 10
    assert len(status["sources"]) == 4
    for source in status["sources"]:
        assert source["state"] == "recording"
        assert source["kind"] == "lab"
        assert source["received"] <= source["expected"]
        assert source["interval_s"] == 5.0
    assert recorder.stderr() == ""


def test_marks_are_changed_and_taken_away(record: Record, session_path: Path) -> None:
    recorder = record(session_path, f"lab:{LONG}", *QUICK, "--attached")
    recorder.wait_for_ticks(2)
    at = "2026-11-21T14:21:35.250Z"
    for text in ("one", "two", "twö"):
        recorder.say(do="mark", text=text, at=at)
    recorder.say(do="unmark", text="one", at=at)
    recorder.say(do="change mark", text="twö", at=at, to="three")
    recorder.say(do="unmark", text="four", at=at)
    recorder.wait_for(lambda event: "no such mark" in (event.get("message") or ""), ever=True)
    recorder.say(do="unmark", text="two", at="soon")
    recorder.wait_for(lambda event: "not a time" in (event.get("message") or ""), ever=True)
    recorder.say(do="stop")
    assert recorder.end()["code"] == 0
    with SessionReader.open(session_path) as reader:
        assert [mark.text for mark in reader.marks()] == ["two", "three"]


def test_marks_and_pauses(record: Record, session_path: Path) -> None:
    recorder = record(session_path, f"lab:{LONG}", *QUICK, "--attached")
    recorder.wait_for_ticks(2)
    recorder.say(do="mark", text="I changed the limit — now")
    recorder.say(do="mark", text="earlier", at="2026-11-21T14:21:35Z")
    for _ in range(2):
        recorder.say(do="pause")
        recorder.wait_for(
            lambda event: bool(event.get("paused")) and event["sources"][0]["state"] == "paused"
        )
        recorder.wait_for(lambda event: event["event"] == "status")
        recorder.say(do="resume")
        recorder.wait_for_ticks(2)
    recorder.say(do="stop")
    assert recorder.end()["code"] == 0
    with SessionReader.open(session_path) as reader:
        assert {mark.text for mark in reader.marks()} == {"I changed the limit — now", "earlier"}
        span = reader.span()
        assert span is not None
        assert any(span.contains(mark.at) for mark in reader.marks())
        for source in reader.sources():
            times = reader.times(source.id)
            due = set(range(int(times[0]), int(times[-1]) + 1, 5000))
            gaps = [gap for gap in reader.gaps() if gap.source == source.id and gap.entity is None]
            covered = [at for gap in gaps for at in range(gap.start, gap.end + 1, 5000)]
            assert sorted(covered) == sorted(due - set(times.tolist()))
            assert [gap.reason for gap in gaps] == ["paused", "paused"]
            assert [gap.ticks for gap in gaps] == [(gap.end - gap.start) // 5000 + 1 for gap in gaps]


def test_a_command_that_makes_no_sense_is_a_warning(record: Record, session_path: Path) -> None:
    recorder = record(session_path, f"lab:{LONG}", *QUICK, "--attached")
    for line in ("no json\n", '{"do": "dance"}\n', "\n", '{"do": "mark"}\n', '{"do": "mark", "text": 7}\n'):
        recorder.write(line)
    recorder.wait_for_ticks(1)
    recorder.say(do="mark", text="x", at="yesterday")
    recorder.wait_for(lambda event: "yesterday" in str(event.get("message")))
    recorder.say(do="stop")
    assert recorder.end()["code"] == 0
    assert sum(event["event"] == "warning" for event in recorder.events) == 5


ENDINGS = ["stop", "closing", "SIGINT", "SIGTERM", "SIGHUP"]


@pytest.fixture
def hang_ups() -> Iterator[None]:
    """A hang-up ends programs that start meanwhile. Under nohup they ignore it, as whoever starts them does:
    the recording then went on to the end of the lab, and was as complete.
    """
    number = getattr(signal, "SIGHUP", None)
    before = None if number is None else signal.signal(number, signal.SIG_DFL)
    yield
    if number is not None:
        signal.signal(number, before)


@pytest.mark.parametrize("how", ENDINGS)
def test_it_ends_cleanly(record: Record, session_path: Path, how: str, hang_ups: None) -> None:
    if sys.platform == "win32" and how.startswith("SIG"):
        pytest.skip("Windows sends no signals to one process")
    recorder = record(session_path, f"lab:{LONG}", *QUICK, "--attached")
    recorder.wait_for_ticks(2)
    if how == "stop":
        recorder.say(do="stop")
    elif how == "closing":
        recorder.close_stdin()
    else:
        recorder.signal(signal.Signals[how])
    assert recorder.end()["code"] == 0
    assert recorder.stderr() == ""
    assert check_session(session_path, thorough=True) == []
    with SessionReader.open(session_path) as reader:
        assert {source.state for source in reader.sources()} == {"complete"}
        span = reader.span()
        assert span is not None
        assert span.seconds < 40 * 60, "it was ended, it did not come to the end of the lab's 45 minutes"
        assert not session_path.with_name(session_path.name + "-wal").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no signals to one process")
@pytest.mark.parametrize("pause_s", [0.0, 0.01, 0.1])
def test_a_second_ctrl_c_does_not_wait_but_closes_the_session(
    record: Record, session_path: Path, pause_s: float
) -> None:
    recorder = record(session_path, f"lab:{LONG}", *QUICK)
    recorder.wait_for_ticks(2)
    for _ in range(4):
        recorder.signal(signal.SIGINT)
        time.sleep(pause_s)
    assert recorder.process.wait(30) in (0, CancelledError.exit_code)
    assert "Traceback" not in recorder.stderr()
    assert [path.name for path in session_path.parent.glob("*.hscope*")] == [session_path.name]
    assert check_session(session_path, thorough=True) == []


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no signals to one process")
@pytest.mark.parametrize("pause_s", [0.002, 0.03])
def test_ctrl_c_that_is_held_down_until_the_end_is_no_crash(
    record: Record, session_path: Path, pause_s: float
) -> None:
    recorder = record(session_path, f"lab:{LONG}", *QUICK)
    recorder.wait_for_ticks(2)
    until = time.monotonic() + 300
    while recorder.process.poll() is None:
        assert time.monotonic() < until, "it does not end"
        recorder.signal(signal.SIGINT)
        time.sleep(pause_s)
    assert recorder.process.returncode in (0, CancelledError.exit_code)
    assert "Traceback" not in recorder.stderr()
    assert check_session(session_path, thorough=True) == []


@pytest.mark.skipif(sys.platform != "linux", reason="/dev/full")
@pytest.mark.parametrize("words", [("--json",), ()])
def test_a_full_disk_below_its_messages_does_not_end_it(
    session_path: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    command = [sys.executable, "-m", "app", "record", *SECONDS, "-o", str(session_path), *words]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            command, cwd=ROOT, env=environment(tmp_path),
            stdin=subprocess.DEVNULL, stdout=full, stderr=full, timeout=300, check=False,
        )  # fmt: skip
    assert done.returncode == 0
    assert check_session(session_path, thorough=True) == []


@pytest.mark.skipif(sys.platform == "win32", reason="a home that is no folder, in POSIX's words")
def test_it_records_without_a_place_for_its_log(session_path: Path, tmp_path: Path) -> None:
    no_folder = tmp_path / "home"
    no_folder.write_text("a file")
    command = [sys.executable, "-m", "app", "record", *SECONDS, "-o", str(session_path)]
    done = subprocess.run(
        command, cwd=ROOT, env=environment(no_folder),
        stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert check_session(session_path, thorough=True) == []


@pytest.mark.parametrize("stdin", ["closed", "null"])
def test_without_attached_it_goes_on_when_stdin_closes(
    record: Record, session_path: Path, stdin: str
) -> None:
    words = (f"lab:{LONG}", *QUICK)
    null = stdin == "null"
    recorder = record(session_path, *words, stdin=subprocess.DEVNULL if null else subprocess.PIPE)
    recorder.wait_for_ticks(1)
    if not null:
        recorder.close_stdin()
    recorder.wait_for_ticks(20)
    recorder.process.terminate()
    if sys.platform != "win32":
        assert recorder.end()["code"] == 0


@pytest.mark.skipif(sys.platform == "win32", reason="pipes break otherwise there")
def test_a_window_that_dies_ends_it(session_path: Path, tmp_path: Path) -> None:
    """Nobody reads its events any more, although stdin stays open: the same as closing stdin."""
    words = [sys.executable, "-m", "app", "record", f"lab:{LONG}", "-o", str(session_path), *QUICK]
    reading, writing = os.pipe()
    process = subprocess.Popen(
        [*words, "--json", "--attached"],
        cwd=ROOT, env=environment(tmp_path), stdin=subprocess.PIPE, stdout=writing,
    )  # fmt: skip
    os.close(writing)
    try:
        lines = b""
        while not re.search(rb'"bytes_each": \d', lines):  # it has samples
            lines += os.read(reading, 1 << 16)
        os.close(reading)
        assert process.wait(300) == 0
    finally:
        process.kill()
        process.wait()
        assert process.stdin is not None
        process.stdin.close()
    assert check_session(session_path, thorough=True) == []


def test_it_ends_after_its_time(record: Record, session_path: Path) -> None:
    ended = record(session_path, f"lab:{LONG}", *QUICK, "--duration", "8s").end()
    assert ended["code"] == 0
    assert 8.0 <= ended["seconds"] < 40.0


def test_it_goes_on_with_a_recording(record: Record, session_path: Path, whole: MemorySession) -> None:
    for run in range(2):
        recorder = record(session_path, f"lab:{SHORT}", "--speed", "60", "--keep-free", "0", "--attached")
        started = recorder.wait_for(lambda _event: True)
        recorder.wait_for_ticks(5)
        recorder.close_stdin()
        assert recorder.end()["code"] == 0
        assert recorder.events[0]["resumed"] is (run > 0), started
    ended = record(session_path, f"lab:{SHORT}", "--speed", "0", "--keep-free", "0").end()
    assert ended["code"] == 0
    assert check_session(session_path, thorough=True) == []
    with SessionReader.open(session_path) as reader:
        assert samples_of(reader) == samples_of(whole)
        assert len(reader.sources()) == len(whole.sources())
        assert [source.samples for source in reader.sources()] == [s.samples for s in whole.sources()]
        assert sorted(reader.gaps(), key=repr) == sorted(whole.gaps(), key=repr)
        starts = [(fact.entity, fact.name, fact.start) for fact in reader.facts()]
        assert len(starts) == len(set(starts))
        assert sum(fact.end is None for fact in reader.facts()) >= len(whole.facts())
        for source in reader.sources():
            assert source.spec.counted is not None
            assert source.spec.counted[1] == source.samples


def test_what_is_no_recording_is_left_alone(record: Record, session_path: Path, tmp_path: Path) -> None:
    SessionWriter.create(session_path).close()
    before = session_path.read_bytes()
    recorder = record(session_path, f"lab:{LONG}")
    assert recorder.process.wait(300) == 4
    assert "is no recording" in recorder.stderr()
    assert session_path.read_bytes() == before
    text = tmp_path / "notes.hscope"
    text.write_text("my notes", encoding="utf-8")
    recorder = record(text, f"lab:{LONG}")
    assert recorder.process.wait(300) == 8
    assert text.read_text(encoding="utf-8") == "my notes"


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("lab:no-such-thing",), 3, "no scenario"),
        (("ftp://there",), 2, "begins with"),
        (("lab:",), 2, "names no scenario"),
        (("lab:demo", "lab:demo"), 2, "named twice"),
        (("lab:demo", "--duration", "soon"), 2, "no duration"),
    ],
)
def test_words_that_do_not_fit(
    record: Record, session_path: Path, words: tuple[str, ...], code: int, said: str
) -> None:
    recorder = record(session_path, *words)
    assert recorder.process.wait(300) == code
    line = recorder.stderr()
    assert said in line
    assert line.count("\n") == 1
    assert not session_path.exists()


def test_two_at_once_on_one_session(record: Record, session_path: Path) -> None:
    first = record(session_path, f"lab:{LONG}", *QUICK, "--attached")
    first.wait_for_ticks(1)
    second = record(session_path, f"lab:{LONG}", *QUICK)
    assert second.process.wait(300) == 12
    first.close_stdin()
    assert first.end()["code"] == 0


def test_quiet_in_a_pipe(tmp_path: Path, session_path: Path) -> None:
    words = [sys.executable, "-m", "app", "record", f"lab:{SCENARIO}", "-o", str(session_path)]
    done = subprocess.run(
        [*words, "--speed", "0", "--keep-free", "0"],
        cwd=ROOT,
        env=environment(tmp_path),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert done.returncode == 0
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert len(lines) == 4, lines
    assert lines[0].startswith("Recording into")
    assert "samples in" in lines[1]
    with SessionReader.open(session_path) as reader:
        assert reader.info().series > 40_000  # all that esxtop has, unless fewer are asked for
        verdict, span = reader.verdict(), reader.span()
        assert verdict.counts == SeverityCounts.of(reader.findings())
        assert span is not None
        assert verdict.judged_to == span.end
    assert lines[2].startswith(verdict_title(verdict))
    assert f"Judged to {iso(span.end)}." in lines[2]
    assert lines[3] == f"Next: hyperscope diagnose {session_path}"
