"""``import`` of logs at a terminal: alone, beside a capture, into a session that is there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.program import run
from sessions.store import SessionReader
from tests.app.typed import Typist
from tests.gui.recordings import capture
from tests.logs.writing_logs import LINK_DOWN, SENSE, START, vmkernel


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "vmkernel.log"
    path.write_text(vmkernel(0, SENSE) + vmkernel(600, LINK_DOWN), encoding="utf-8")
    return path


def said(capsys: pytest.CaptureFixture[str]) -> str:
    both = capsys.readouterr()
    return both.out + both.err


def test_a_session_of_logs(log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "s.hscope"
    assert run(["import", str(log), "-o", str(out), "--host", "esx01"]) == 0
    assert "2 events from 2 known of 2 lines" in said(capsys)
    assert run(["info", str(out)]) == 0
    text = said(capsys)
    assert "1 network, 1 storage" in text
    assert "files: vmkernel.log" in text
    assert run(["diagnose", str(out)]) == 0
    text = " ".join(said(capsys).split())
    assert "Could not be judged: logs tell what happened" in text
    assert "No problem" not in text
    assert run(["export", str(out), "-o", str(tmp_path / "csv"), "--csv"]) == 0
    rows = (tmp_path / "csv" / "events.csv").read_text(encoding="utf-8").splitlines()
    assert rows[0].endswith(",log")
    assert all(row.endswith(",vmkernel.log") for row in rows[1:])


def test_beside_a_capture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    night, out = capture(tmp_path / "night.csv", seconds=60), tmp_path / "night.hscope"
    assert run(["import", str(night), "-o", str(out)]) == 0
    with SessionReader.open(out) as reader:
        span = reader.span()
    assert span is not None
    after = (span.start - START.timestamp() * 1000) / 1000 + 20
    log = tmp_path / "vmkernel.log"
    log.write_text(vmkernel(after, LINK_DOWN), encoding="utf-8")
    both = tmp_path / "both.hscope"
    capsys.readouterr()
    words = ["import", str(log), str(night), "-o", str(both), "--host", "esx01.lab.local", "--json"]
    assert run(words) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["logs"]["events"], report["rows"] > 1) == (1, True)
    # What is wrong with a log leaves nothing of the capture, either.
    log.write_bytes(b"\0" * 1000)
    broken = tmp_path / "broken.hscope"
    assert run(["import", str(night), str(log), "-o", str(broken)]) == 6
    assert "no line that begins with a time" in said(capsys)
    assert not broken.exists()


def test_into_a_session(log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "s.hscope"
    assert run(["import", str(log), "-o", str(out), "--host", "esx01"]) == 0
    more = tmp_path / "vobd.log"
    more.write_text(vmkernel(300, SENSE), encoding="utf-8")
    assert run(["import", str(more), "--into", str(out)]) == 0  # its only host wrote it
    with SessionReader.open(out) as reader:
        assert sorted(event.log for event in reader.events()) == ["vmkernel.log", "vmkernel.log", "vobd.log"]
        [source] = reader.sources()
        assert dict(source.spec.attributes)["files"] == "vmkernel.log, vobd.log"
    text = said(capsys)
    assert "1 event from 1 known of 1 lines" in text
    assert "Not judged with these events yet" in text
    assert run(["import", str(more), "--into", str(out)]) == 0  # once more: nothing is new
    text = said(capsys)
    assert "0 events from 1 known" in text
    assert "Not judged with these events yet" not in text
    assert "The session is as it was." in text


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        ([], 2, "-o for a new session, or --into"),
        (["-o", "a.hscope", "--into", "b.hscope"], 2, "-o for a new session, or --into"),
        (["--into", "gone.hscope"], 3, "gone.hscope"),
    ],
)
def test_where_it_goes(
    log: Path, words: list[str], code: int, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["import", str(log), *words]) == code
    assert sentence in said(capsys)


def test_captures_are_not_added(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    night = capture(tmp_path / "night.csv", seconds=60)
    assert run(["import", str(night), "--into", str(tmp_path / "s.hscope")]) == 2
    assert "only logs can be added" in said(capsys)


def test_a_window_hears_that_output_of_fio_and_logs_are_two_sessions(log: Path, tmp_path: Path) -> None:
    (tmp_path / "out.json").write_text('{"fio version": "fio-3.36"}', encoding="utf-8")
    words = ("import", tmp_path / "out.json", log, "-o", tmp_path / "s.hscope", "--attached")
    with Typist(tmp_path).attached(*words) as window:
        assert window.stdout is not None
        [ended] = map(json.loads, window.stdout)
    assert (ended["event"], ended["code"]) == ("ended", 2)
    assert "files of fio and logs of ESXi" in ended["message"]
