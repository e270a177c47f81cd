"""A recorder that its window lets go of, and one that is asked to end by a file beside its session."""

from __future__ import annotations

from pathlib import Path

from recorder.stop_file import ask_to_stop, stop_file
from sessions.store import SessionReader
from tests.recorder.conftest import Record

LAB = "lab:demo?fields=diagnosis"
FAST = ("--speed", "30", "--keep-free", "0")


def test_a_detached_recorder_goes_on_alone_until_a_stop_file_ends_it(
    record: Record, session_path: Path
) -> None:
    recorder = record(session_path, LAB, *FAST, "--attached")
    recorder.wait_for_ticks(3)
    recorder.say(do="detach")
    recorder.wait_for(lambda event: event["event"] == "detached")
    recorder.close_stdin()
    before = recorder.wait_for_ticks(5)
    ask_to_stop(session_path)
    ended = recorder.end()
    assert ended["code"] == 0
    assert ended["samples"] >= before["samples"]
    assert not stop_file(session_path).exists()
    with SessionReader.open(session_path) as reader:
        assert {source.state for source in reader.sources()} == {"complete"}


def test_a_stop_file_of_an_earlier_time_stops_nobody(record: Record, session_path: Path) -> None:
    stop_file(session_path).touch()
    recorder = record(session_path, LAB, *FAST, "--attached")
    recorder.wait_for_ticks(5)
    recorder.close_stdin()
    assert recorder.end()["code"] == 0


def test_a_status_says_which_connections_failed(record: Record, session_path: Path) -> None:
    recorder = record(session_path, LAB, "esxi://root@127.0.0.1:9", *FAST, "--password-stdin")
    recorder.write("secret\n")
    status = recorder.wait_for(lambda event: event["event"] == "status" and event["collectors"][1]["code"])
    assert status["collectors"][0] == {"name": LAB, "is_over": False, "code": 0, "message": "", "number": 0}
    assert status["collectors"][1]["code"] == 22
    assert "127.0.0.1 refuses connections to port 9." in status["collectors"][1]["message"]
