"""A VM called "Büro 🙂 数据" through pipes, files and consoles whose encoding lacks half of it."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from sessions.model import Entity, EntityRef, SeriesSpec, SourceSpec
from sessions.store import SessionWriter

ROOT = Path(__file__).resolve().parents[2]
NAME = "Büro 🙂 数据"
T0 = 1_700_000_000_000


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """One VM, half of its time ready: worth a finding."""
    path = tmp_path / f"{NAME}.hscope"
    vm = EntityRef("vm", NAME)
    with SessionWriter.create(path, title=NAME, durable=False) as writer:
        writer.add_entities([Entity(vm, NAME)])
        source = writer.add_source(SourceSpec("lab", NAME, 20.0))
        ready = writer.add_series(source, [SeriesSpec(vm, "cpu.ready", "percent")])
        layout = writer.add_layout(source, ready)
        writer.append_ticks([(layout, T0 + 20_000 * tick, np.array([50.0])) for tick in range(30)])
    return path


def code_page(encoding: str, home: Path) -> dict[str, str]:
    """The environment of a program whose streams are not UTF-8, which nobody sets for an installed one."""
    kept = {name: value for name, value in os.environ.items() if name != "FORCE_COLOR"}
    home_folders = {"HOME": str(home), "XDG_STATE_HOME": str(home / "state")}
    return {
        **kept,
        **home_folders,
        "PYTHONIOENCODING": encoding,
        "PYTHONUTF8": "0",
        "NO_COLOR": "1",
        "COLUMNS": "100",
    }


def printed(words: Sequence[str], home: Path, encoding: str, commands: bytes = b"") -> str:
    """Run a command with its streams in pipes; what it printed on both, which must be UTF-8."""
    done = subprocess.run(
        [sys.executable, "-m", "app", *words],
        cwd=ROOT, env=code_page(encoding, home), input=commands, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert list(home.rglob("crash*")) == []
    return done.stdout.decode("utf-8") + done.stderr.decode("utf-8")


@pytest.mark.parametrize(
    ("command", "encoding"), [("info", "cp1252"), ("query", "cp850"), ("diagnose", "ascii")]
)
def test_tables_in_a_pipe_are_utf8(session: Path, tmp_path: Path, command: str, encoding: str) -> None:
    assert NAME in printed([command, str(session)], tmp_path, encoding)


@pytest.mark.parametrize("command", ["info", "query", "diagnose"])
def test_json_in_a_pipe_is_utf8(session: Path, tmp_path: Path, command: str) -> None:
    out = printed([command, str(session), "--json"], tmp_path, "cp1252")
    assert NAME in json.dumps(json.loads(out), ensure_ascii=False)


def test_csv_in_a_pipe_is_utf8(session: Path, tmp_path: Path) -> None:
    rows = list(csv.reader(io.StringIO(printed(["query", str(session), "--csv"], tmp_path, "cp1252"))))
    assert {row[2] for row in rows[1:]} == {NAME}


def test_a_file_that_results_are_sent_to_is_utf8(session: Path, tmp_path: Path) -> None:
    target = tmp_path / "results.txt"
    with target.open("wb") as out:
        subprocess.run(
            [sys.executable, "-m", "app", "info", str(session)],
            cwd=ROOT, env=code_page("cp1252", tmp_path), stdout=out, check=True,
        )  # fmt: skip
    assert NAME in target.read_text(encoding="utf-8")


def test_an_import_says_its_names_in_utf8(tmp_path: Path) -> None:
    capture, out = tmp_path / f"{NAME}.csv", tmp_path / f"{NAME}.hscope"
    printed(["lab", "export", "demo", "-o", str(capture), "--duration", "60"], tmp_path, "cp1252")
    capture.write_bytes(capture.read_bytes().replace(b"web01", NAME.encode()))
    said = printed(["import", str(capture), "-o", str(out)], tmp_path, "cp1252")
    assert NAME in said
    assert NAME in printed(["query", str(out), "--entity", NAME], tmp_path, "cp1252")


def test_a_recording_says_its_names_in_utf8(tmp_path: Path) -> None:
    out = tmp_path / f"{NAME}.hscope"
    words = ["record", "lab:demo?fields=diagnosis", "--speed", "30", "--duration", "3s", "-o"]
    assert NAME in printed([*words, str(tmp_path / f"page {NAME}.hscope")], tmp_path, "cp1252")
    lines = printed([*words, str(out), "--json"], tmp_path, "cp1252").splitlines()
    events = [json.loads(line) for line in lines if line.startswith("{")]
    assert [event["session"] for event in events if event["event"] == "started"] == [str(out)]
    assert events[-1]["event"] == "ended"


def test_an_error_is_said_in_utf8(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "app", "info", str(tmp_path / f"{NAME}.hscope")],
        cwd=ROOT, env=code_page("cp1252", tmp_path), capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode != 0
    assert f"{NAME}.hscope" in done.stderr.decode("utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason="a terminal that has any encoding one likes")
@pytest.mark.parametrize(
    ("command", "encoding"), [("info", "cp1252"), ("query", "ascii"), ("diagnose", "cp850")]
)
def test_a_console_keeps_its_encoding_and_gets_escapes(
    session: Path, tmp_path: Path, command: str, encoding: str
) -> None:
    code, shown = at_a_console([command, str(session)], code_page(encoding, tmp_path))
    assert code == 0, shown
    assert NAME.encode(encoding, "backslashreplace") in shown


def at_a_console(words: Sequence[str], environment: dict[str, str]) -> tuple[int, bytes]:
    """Run a command at a terminal of its own; its exit code, and what the terminal was sent."""
    ours, its = os.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "app", *words], cwd=ROOT, env=environment, stdin=its, stdout=its, stderr=its
    ) as process:
        os.close(its)
        shown = b""
        while chunk := _read_terminal(ours):
            shown += chunk
    os.close(ours)
    return process.returncode, shown


def _read_terminal(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 1 << 16)
    except OSError:  # Linux' word for: nobody has the other end open any more
        return b""
