"""Paths that can't be used, given to each command: one clear message, an exit code of its own, no file left."""

# ruff: noqa: E501, PTH208 - one command a line; names as the system has them

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from app.program import run
from sessions.model import Entity, EntityRef, SeriesSpec, SourceSpec
from sessions.store import SessionWriter, encode_block

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="pipes, links and names of Unix"),
    pytest.mark.usefixtures(
        "qapp"
    ),  # else printing a PDF makes an application that tests of windows cannot use
]
LONG = "x" * 300
VM = EntityRef("vm", "v")
Words = Callable[[Path, Path], list[object]]
"""What is typed, of the bad path and a session that is well."""

READING: dict[str, Words] = {
    "info": lambda bad, _: ["info", bad],
    "diagnose": lambda bad, _: ["diagnose", bad],
    "query": lambda bad, _: ["query", bad],
    "report": lambda bad, well: ["report", bad, "-o", well.with_name("new")],
    "export": lambda bad, well: ["export", bad, "-o", well.with_name("new"), "--csv"],
    "anonymise": lambda bad, well: ["export", bad, "-o", well.with_name("new"), "--anonymise"],
    "compare": lambda bad, well: ["compare", well, bad],
    "correlate": lambda bad, _: ["correlate", bad, "--entity", "vm:v", "--counter", "cpu.ready"],
    "troubleshoot": lambda bad, _: ["troubleshoot", bad, "--entity", "v"],
    "import": lambda bad, well: ["import", bad, "-o", well.with_name("new")],
}
WRITING: dict[str, Words] = {
    "report": lambda bad, well: ["report", well, "-o", bad],
    "report --pdf": lambda bad, well: ["report", well, "-o", well.with_name("new"), "--pdf", bad],
    "export": lambda bad, well: ["export", well, "-o", bad, "--csv"],
    "anonymise": lambda bad, well: ["export", well, "-o", bad, "--anonymise"],
    "import": lambda bad, well: ["import", well.with_name("capture.csv"), "-o", bad],
    "record": lambda bad, _: ["record", "lab:demo", "-o", bad],
}
BAD_TO_READ = (
    "", "folder", "missing.hscope", "file/in-the-middle", LONG, "y/" * 2500, "dangling", "circle", "pipe", "empty",
    "noise", "cut.hscope", "\udcff\udcfe", "-", "pipe/below",
)  # fmt: skip
BAD_TO_WRITE = (
    "", "folder", "file/in-the-middle", LONG, "y/" * 2500, "circle", "pipe", "well.hscope", "pipe/below", "circle/below",
)  # fmt: skip


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a session that is well, and with what is no session."""
    with SessionWriter.create(tmp_path / "well.hscope", durable=False) as writer:
        source = writer.add_source(SourceSpec("esxtop", "h", 5.0))
        writer.add_entities([Entity(VM, "v")])
        layout = writer.add_layout(source, writer.add_series(source, [SeriesSpec(VM, "cpu.ready", "%")]))
        times = 1_800_000_000_000 + np.arange(50, dtype=np.int64) * 5000
        writer.add_block(layout, encode_block(times, np.ones((50, 1))))
    (tmp_path / "folder").mkdir()
    for name, content in (
        ("file", b"x"),
        ("empty", b""),
        ("noise", b"\0\xff" * 500),
        ("capture.csv", b"no capture"),
    ):
        (tmp_path / name).write_bytes(content)
    (tmp_path / "cut.hscope").write_bytes((tmp_path / "well.hscope").read_bytes()[:3000])
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    (tmp_path / "circle").symlink_to(tmp_path / "round")
    (tmp_path / "round").symlink_to(tmp_path / "circle")
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def said(words: list[object], capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    capsys.readouterr()
    code = run([str(word) for word in words])  # a bug would be raised
    return code, capsys.readouterr().err


@pytest.mark.parametrize("command", READING)
def test_what_can_not_be_read_is_said_and_nothing_is_written(
    command: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(os.listdir(place))
    for name in BAD_TO_READ:
        code, err = said(READING[command](Path(name), place / "well.hscope"), capsys)
        assert code in (2, 3, 5, 6, 7, 8, 9), (name, err)
        assert err.startswith("hyperscope: "), (name, err)
        assert err.count("\n") == 1, (name, err)
        assert "Errno" not in err, (name, err)
        assert err.count(". ") or "? " in err, f"{name} comes without a word on what to do: {err}"
        assert sorted(os.listdir(place)) == before, name


@pytest.mark.parametrize("command", WRITING)
def test_what_can_not_be_written_is_said_and_stays(
    command: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {one: os.lstat(one)[:3] for one in sorted(os.listdir(place))}
    for name in BAD_TO_WRITE:
        code, err = said(WRITING[command](Path(name), place / "well.hscope"), capsys)
        assert code in (2, 3, 4, 5, 7, 8), (name, err)
        assert err.startswith("hyperscope: "), (name, err)
        assert "Errno" not in err, (name, err)
        (place / "new").unlink(missing_ok=True)  # the HTML file, where only the PDF could not be written
        assert {one: os.lstat(one)[:3] for one in sorted(os.listdir(place))} == before, name
