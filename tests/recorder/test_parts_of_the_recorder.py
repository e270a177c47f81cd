"""The recorder's small parts: its log, its protocol, its queue, its words."""

from __future__ import annotations

import io
import json
import threading
import traceback
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.live import LabAddress, parse_lab_address
from recorder.durations import parse_duration
from recorder.event_lines import EventLines
from recorder.limits import load_recorder_limits
from recorder.log import RecorderLog, failure_name
from recorder.parts import newest_part, next_part
from recorder.protocol import (
    CertificateWanted,
    ChangeMark,
    Command,
    Detach,
    Detached,
    Ended,
    Event,
    Finishing,
    Import,
    ImportEnded,
    ImportProgress,
    Mark,
    Password,
    PasswordWanted,
    Pause,
    Resume,
    Rotated,
    SourceReport,
    Started,
    StatusReport,
    Stop,
    Trust,
    Unmark,
    Warned,
    encode,
    read_command,
    read_import,
    read_import_event,
    read_record_event,
)
from recorder.questions import Question, Questions
from recorder.queue import Job, WriterQueue
from resources.failures import CancelledError, DiskFullError, LoginError, UsageError
from sessions.store import SessionWriter

SECRET = "hunter2-gœheim"


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("70s", 70), ("10m", 600), ("2h", 7200), ("7d", 604_800), ("1h30m", 5400), ("45", 45), ("1.5s", 1.5)],
)
def test_durations(text: str, seconds: float) -> None:
    assert parse_duration(text, "--duration") == seconds


@pytest.mark.parametrize("text", ["", "soon", "-5s", "10 minutes", "5s x", "h"])
def test_what_is_no_duration(text: str) -> None:
    with pytest.raises(UsageError, match="--duration"):
        parse_duration(text, "--duration")


def test_lab_addresses() -> None:
    assert parse_lab_address("lab:demo") == LabAddress("demo", 1)
    assert parse_lab_address("lab:demo?seed=7") == LabAddress("demo", 7)
    assert parse_lab_address("lab:demo?fields=default") == LabAddress("demo", 1, "default")
    for text in ("lab:demo?seed=7", "lab:demo?fields=diagnosis", "lab:demo?seed=7&fields=default"):
        assert str(parse_lab_address(text)) == text
    for text in (
        "lab:", "lab:?seed=1", "lab:demo?", "lab:demo?seed=", "lab:demo?speed=2", "demo", "lab:demo?fields=",
        "lab:demo?fields=some", "lab:demo?seed=7&speed=2",
    ):  # fmt: skip
        with pytest.raises(UsageError):
            parse_lab_address(text)


def test_parts_of_a_long_recording(tmp_path: Path) -> None:
    first = tmp_path / "night-2026.hscope"
    names = [f"night-2026-{number:03}.hscope" for number in range(7)]
    assert newest_part(first) == first
    assert next_part(first, 1) == (tmp_path / names[2], 2)
    assert next_part(tmp_path / names[2], 2) == (tmp_path / names[3], 3)
    for number in (2, 3, 4):  # the last is no part of it, it only has such a name
        with SessionWriter.create(tmp_path / names[number]) as writer:
            writer.set_meta("made by", "record")
            writer.set_meta("part", str(number) if number < 4 else "1")
    assert newest_part(first) == first  # there is no first part: they are others' names
    with SessionWriter.create(first) as writer:
        writer.set_meta("made by", "record")
    assert newest_part(first) == tmp_path / names[3]
    assert next_part(tmp_path / names[3], 3) == (tmp_path / names[5], 5)
    with SessionWriter.create(tmp_path / names[5]) as writer:
        writer.set_meta("made by", "record")
        writer.set_meta("part", "5")
    assert newest_part(first) == tmp_path / names[5]


def test_the_log_takes_numbers_and_words_only(tmp_path: Path) -> None:
    log = RecorderLog(tmp_path, load_recorder_limits().log)
    log.write("source", source=1, kind="vcenter", state="reconnecting", behind_s=1.23456, entities=None)
    log.write("failed", error=failure_name(LoginError(SECRET)), code=27)
    log.write("failed", error=failure_name(RuntimeError(SECRET)), code=70)
    refused: list[tuple[str, dict[str, float | str | None]]] = [
        (SECRET, {}),
        ("source", {"state": SECRET}),
        ("source", {SECRET: 1}),
        ("source", {"name": "vc01"}),
        ("failed", {"error": f"LoginError {SECRET}"}),
    ]
    for event, fields in refused:
        with pytest.raises(ValueError, match="does not know") as caught:
            log.write(event, **fields)
        assert SECRET not in str(caught.value)
    text = (tmp_path / "record.log").read_text(encoding="utf-8")
    lines = [line.split(" ", 2)[2] for line in text.splitlines()]
    assert lines == [
        "source source=1 kind=vcenter state=reconnecting behind_s=1.235",
        "failed error=LoginError code=27",
        "failed error=bug code=70",
    ]


def test_the_log_is_bounded(tmp_path: Path) -> None:
    limits = msgspec.structs.replace(load_recorder_limits().log, megabytes=0.002, older=2)
    log = RecorderLog(tmp_path, limits)
    for number in range(500):
        log.write("status", samples=number)
    files = sorted(path.name for path in tmp_path.iterdir())
    assert files == ["record.log", "record.log.1", "record.log.2"]
    assert all(path.stat().st_size <= 2200 for path in tmp_path.iterdir())
    assert (tmp_path / "record.log").read_text(encoding="utf-8").splitlines()[-1].endswith("samples=499")


def test_a_log_that_can_not_be_written_is_no_failure(tmp_path: Path) -> None:
    RecorderLog(tmp_path / "not there", load_recorder_limits().log).write("started")


def test_commands() -> None:
    assert read_command(b'{"do":"pause"}') == Pause()
    assert read_command(b' {"do": "stop"} ') == Stop()
    assert read_command('{"do":"mark","text":"ü"}'.encode()) == Mark("ü")
    given = read_command(json.dumps({"do": "password", "source": "s", "password": SECRET}).encode())
    assert given == Password("s", SECRET)
    assert SECRET not in repr(given)


def _damaged(line: bytes) -> st.SearchStrategy[bytes]:
    """The line with some bytes replaced by others."""
    place = st.integers(0, len(line))
    return st.builds(lambda at, to, new: line[:at] + new + line[to:], place, place, st.binary(max_size=9))


@given(st.one_of(st.binary(), st.text().map(str.encode)))
def test_any_line_is_a_command_or_a_usage_error(line: bytes) -> None:
    with suppress(UsageError):
        read_command(line)


@pytest.mark.parametrize(
    "line",
    [
        '{"do":"password","source":"s","password":"%s","more":1}',
        '{"do":"password","source":"s","password":"%s"',
        '{"do":"password","source":1,"password":"%s"}',
        '{"do":"%s"}',
    ],
)
def test_a_wrong_line_is_not_repeated(line: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_command((line % SECRET).encode())
    assert SECRET not in "".join(traceback.format_exception(caught.value)).replace(line % SECRET, "")


COMMANDS: list[Command] = [
    Mark("ü", "2026-11-21T14:21:35Z"), Unmark("x", "2026-11-21T14:21:35Z"),
    ChangeMark("x", "2026-11-21T14:21:35Z", "y"), Pause(), Resume(), Stop(), Detach(),
    Password("vcenter://a@b", SECRET), Trust("vcenter://a@b", "AA:BB"),
]  # fmt: skip
STATUS = StatusReport(
    session="s.hscope",
    sources=(SourceReport("esx01", "lab", "recording", 5.0, behind_s=None, last_ms=1, details={"a": "b"}),),
    rate=1.5,
    samples=7,
)
EVENTS: list[Event] = [
    Started("s.hscope", ("lab:demo",), False, 4711, "2026-11-21T14:21:35Z"), STATUS,
    Warned("vc01", "failed", "No."), Rotated("s-002.hscope"), PasswordWanted("vc01"),
    CertificateWanted("vc01", "AA:BB", "self-signed"), Finishing(), Detached(),
    Ended(4, "s.hscope", 7, 1000, 1.5, 9, 7, 1, ("vc02",), "No."),
]  # fmt: skip
IMPORT_EVENTS: list[Event] = [
    ImportProgress(5, 10, 3, 1.5, None), ImportEnded(0, "s.hscope", "", ("A note.",)), Warned(message="Oh."),
]  # fmt: skip


def test_both_ends_understand_each_message() -> None:
    for command in COMMANDS:
        assert read_command(encode(command)) == command
    for event in EVENTS:
        assert read_record_event(encode(event)) == event
    for event in IMPORT_EVENTS:
        assert read_import_event(encode(event)) == event
    wanted = Import(("a.csv", "b ü.csv"), "s.hscope")
    assert read_import(encode(wanted)) == wanted


def test_events_look_as_they_always_did() -> None:
    """Other programs than our window read them, too."""
    assert json.loads(encode(EVENTS[2])) == {
        "event": "warning", "source": "vc01", "state": "failed", "message": "No.", "refusal": 0,
    }  # fmt: skip
    assert json.loads(encode(Ended(0, None))) == {
        "event": "ended", "code": 0, "session": None, "samples": 0, "bytes": 0, "seconds": 0.0,
        "expected": 0, "received": 0, "gaps": 0, "without_samples": [], "message": "", "test": None,
    }  # fmt: skip
    assert list(json.loads(encode(STATUS))) == [
        "event", "session", "sources", "collectors", "seconds", "rate", "behind_s", "queue", "queue_bytes",
        "bytes", "bytes_each", "samples", "gaps", "paused",
    ]  # fmt: skip


def test_a_newer_recorder_may_say_more() -> None:
    assert read_record_event(b'{"event": "started", "session": "x", "news": 1}') == Started("x")
    assert read_record_event(b'{"event": "phase", "name": "warm-up"}') is None
    assert read_record_event(b'{"event": "ended", "code": 0, "session": null}') == Ended(0)
    assert read_import_event(b'{"event": "status"}') is None


@pytest.mark.parametrize(
    "line",
    [
        b"", b"Traceback (most recent call last):", b"[]", b"{}",
        b'{"event": ["status"]}', b'{"event": null}',
        b'{"event": "status", "sources": "none"}', b'{"event": "status", "samples": -1}',
        b'{"event": "status", "sources": [{"last_ms": 99999999999999999}]}',
        b'{"event": "status", "seconds": 1e999}', b'{"event": "status", "seconds": NaN}',
        b'{"event": "status", "samples": 1' + b"0" * 400 + b"}", b'{"event": "\xff"}',
        b'{"event":' * 60_000, b'{"event": "rotated", "session": "' + b"x" * (1 << 20) + b'"}',
    ],
)  # fmt: skip
def test_a_line_that_is_no_event_is_refused(line: bytes) -> None:
    with pytest.raises(UsageError):
        read_record_event(line)


@given(st.one_of(st.binary(), st.sampled_from(EVENTS).map(encode).flatmap(_damaged)))
def test_any_line_is_an_event_or_refused(line: bytes) -> None:
    with suppress(UsageError):
        read_record_event(line)
    with suppress(UsageError):
        read_import_event(line)


def test_questions() -> None:
    asked: list[Question] = []
    stop = threading.Event()

    def answer(question: Question) -> None:
        asked.append(question)
        if isinstance(question, PasswordWanted):
            questions.answer(Password(question.source, SECRET))
        else:
            questions.answer(Trust(question.source, "AA:BB"))

    questions = Questions(answer, stop.is_set)
    for _ in range(2):
        assert questions.password("vcenter://a@b") == SECRET
        assert questions.trust("vcenter://a@b", "AA:BB", "self-signed")
    assert asked == [
        PasswordWanted("vcenter://a@b"),
        CertificateWanted("vcenter://a@b", "AA:BB", "self-signed"),
    ]
    assert not questions.trust("vcenter://a@b", "CC:DD", "another than was asked about")
    assert SECRET not in repr(questions)

    def stop_instead(_question: Question) -> None:
        stop.set()

    questions = Questions(stop_instead, stop.is_set)
    with pytest.raises(CancelledError):
        questions.password("vcenter://c@d")
    with pytest.raises(CancelledError):
        questions.trust("vcenter://c@d", "AA", "")


def test_nobody_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recorder.questions.MAX_WAIT_S", 0.0)

    def ask_nobody(_question: Question) -> None:
        pass

    questions = Questions(ask_nobody, lambda: False)
    with pytest.raises(LoginError, match=r"Nobody gave the password of vcenter://c@d"):
        questions.password("vcenter://c@d")
    assert not questions.trust("vcenter://c@d", "AA", "")


class _Slow(io.StringIO):
    def __init__(self) -> None:
        super().__init__()
        self.may_go_on = threading.Event()

    def write(self, text: str) -> int:
        self.may_go_on.wait(30)
        return super().write(text)


def test_who_does_not_read_events_holds_nothing_up() -> None:
    stream = _Slow()
    lines = EventLines(lambda: None, stream)
    lines.send(Started())
    for number in range(1000):
        lines.send(StatusReport(samples=number))
    lines.send(Warned(message="x"))
    lines.send(StatusReport(samples=1000))
    stream.may_go_on.set()
    lines.close()
    events = [read_record_event(line.encode()) for line in stream.getvalue().splitlines()]
    assert events[0] == Started()
    assert events[-3:] == [StatusReport(samples=999), Warned(message="x"), StatusReport(samples=1000)]
    assert len(events) <= 6


def test_a_broken_pipe_is_told_once() -> None:
    class Broken(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    broken = threading.Event()
    lines = EventLines(broken.set, Broken())
    lines.send(Started())
    assert broken.wait(10)
    lines.send(StatusReport())
    lines.close()


def test_the_queue_is_bounded_in_bytes() -> None:
    queue = WriterQueue(100, 1000)
    queue.put(Job(lambda _file: None, 5000))  # one is always taken, however large
    waiting = threading.Thread(target=queue.put, args=(Job(lambda _file: None, 1),))
    waiting.start()
    assert queue.depth == 1
    assert queue.get(1) is not None
    waiting.join(10)
    assert (queue.depth, queue.bytes) == (1, 1)
    assert queue.age_s() >= 0
    queue.close()
    with pytest.raises(CancelledError):
        queue.put(Job(lambda _file: None, 1))
    assert not queue.is_finished()
    assert queue.get(1) is not None
    assert queue.is_finished()
    assert queue.get(60) is None


def test_a_failed_writer_frees_who_waits() -> None:
    queue = WriterQueue(1, 1000)
    queue.put(Job(lambda _file: None, 1))
    caught: list[BaseException] = []

    def put() -> None:
        try:
            queue.put(Job(lambda _file: None, 1))
        except DiskFullError as error:
            caught.append(error)

    waiting = threading.Thread(target=put)
    waiting.start()
    queue.fail(DiskFullError("full"))
    waiting.join(10)
    assert len(caught) == 1
    assert queue.is_finished()
