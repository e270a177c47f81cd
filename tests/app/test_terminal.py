"""Names that would command a terminal are shown as text, on one line; data keeps them."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from rich.table import Table
from rich.text import Text

from app.consoles import SafeConsole
from app.program import run
from resources import failures
from sessions.model import Entity, EntityRef, Event, Fact, Gap, SeriesSpec, SourceSpec
from sessions.store import SessionReader, SessionWriter

ROOT = Path(__file__).resolve().parents[2]
T0 = 1_700_000_000_000
HOSTILE = "=db\x1b]0;owned\x07\x1b[2J\x9b31m\u202egnp.exe\u202c\r\nforged line\x7f"
CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def hostile_session(path: Path) -> None:
    """Everything that can have a text has a hostile one."""
    vm = EntityRef("vm", HOSTILE)
    with SessionWriter.create(path, title=HOSTILE, durable=False) as writer:
        writer.add_entities([Entity(vm, HOSTILE)])
        source = writer.add_source(SourceSpec("lab", HOSTILE, 5.0, attributes=((HOSTILE, HOSTILE),)))
        spec = SeriesSpec(vm, HOSTILE, HOSTILE, HOSTILE, label=HOSTILE)
        layout = writer.add_layout(source, writer.add_series(source, [spec]))
        for tick in range(3):
            writer.append_ticks([(layout, T0 + 5000 * tick, np.array([tick * -1.0]))])
        writer.add_facts([Fact(vm, HOSTILE, HOSTILE, T0)])
        writer.add_events([Event(T0, HOSTILE, HOSTILE, vm, None, HOSTILE, HOSTILE)])
        writer.add_gaps([Gap(source, T0, T0 + 1, HOSTILE, vm)])


@pytest.fixture
def session(tmp_path: Path) -> Path:
    path = tmp_path / "hostile.hscope"
    hostile_session(path)
    return path


@pytest.mark.parametrize(
    "words",
    [
        ("info",),
        ("info", "--json"),
        ("query",),
        ("query", "--json"),
        ("diagnose", "--no-keep"),
        ("diagnose", "--no-keep", "--json"),
        ("query", "--counter", "nothing-like-it"),  # the failure says what there is
    ],
)
def test_no_command_lets_a_name_command_the_terminal(
    session: Path,
    words: tuple[str, ...],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "600")
    run([words[0], str(session), *words[1:]])
    said = capsys.readouterr()
    printed = said.out + said.err
    assert printed
    assert not CONTROL.search(printed)
    assert "\nforged line" not in printed


def test_json_keeps_the_name(session: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["query", str(session), "--json"]) == 0
    (series,) = json.loads(capsys.readouterr().out)["series"]
    assert series["entity"]["name"] == series["unit"] == series["instance"] == HOSTILE
    assert series["v"] == [0.0, -1.0, -2.0]


def test_csv_in_a_pipe_is_data_that_commands_nobody(
    session: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["query", str(session), "--csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out, newline="")))
    assert [row["entity"] for row in rows] == [
        "'=db\ufffd]0;owned\ufffd\ufffd[2J\ufffd31m\ufffdgnp.exe\ufffd\r\nforged line\ufffd"
    ] * 3
    assert [float(row["value"]) for row in rows] == [0.0, -1.0, -2.0]


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo terminals")
def test_csv_on_a_terminal_is_made_safe(session: Path) -> None:
    ours, theirs = os.openpty()
    words = [sys.executable, "-m", "app", "query", str(session), "--csv"]
    with subprocess.Popen(words, cwd=ROOT, stdout=theirs, stderr=subprocess.PIPE) as child:
        assert child.wait() == 0, child.stderr and child.stderr.read()
    os.close(theirs)
    text = os.read(ours, 1 << 16).decode().replace("\r\n", "\n")
    os.close(ours)
    assert text.count("\n") == 4
    assert not CONTROL.search(text)


def test_whatever_is_printed_is_made_safe(capsys: pytest.CaptureFixture[str]) -> None:
    table = Table(box=None)
    table.add_column("name")
    table.add_row(Text(HOSTILE))
    console = SafeConsole()
    console.print(table)
    console.print(HOSTILE, Text(HOSTILE))
    assert not CONTROL.search(capsys.readouterr().out)


def test_a_failure_about_a_hostile_path_is_one_safe_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["info", str(tmp_path / "x\x1b[31m\u202e\n.hscope")]) == failures.NotFoundError.exit_code
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert not CONTROL.search(err)


def odd_name(folder: Path) -> Path:
    """A name that no encoding has, as an archive from elsewhere leaves it on a POSIX system."""
    path = Path(os.fsdecode(os.fsencode(folder) + b"/caf\xe9.out"))
    try:
        path.mkdir()
    except OSError:
        pytest.skip("the file system takes UTF-8 only")
    path.rmdir()
    return path


@pytest.mark.parametrize("more", [(), ("--json",)])
@pytest.mark.parametrize("kind", ["--csv", "--parquet"])
def test_output_may_have_any_name(
    session: Path, tmp_path: Path, kind: str, more: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    out = odd_name(tmp_path)
    assert run(["export", str(session), "-o", str(out), kind, *more]) == 0, capsys.readouterr().err
    assert (out / f"samples.{kind[2:]}").exists()
    capsys.readouterr().out.encode()


def test_a_session_may_have_any_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capture, out = tmp_path / "demo.csv", odd_name(tmp_path)
    assert run(["lab", "export", "demo", "-o", str(capture), "--duration", "60"]) == 0
    renamed = odd_name(tmp_path).with_suffix(".csv")
    capture.rename(renamed)
    for words in (
        ["import", str(renamed), "-o", str(out)],
        ["info", str(out)],
        ["diagnose", str(out), "--json"],
    ):
        assert run(words) == 0, capsys.readouterr().err
    with SessionReader.open(out) as reader:
        assert reader.span() is not None
    capsys.readouterr().out.encode()


_SIGNAL_WHILE_LOCKED = """
import signal
from app.terminal import cancellable

with cancellable() as cancel, cancel._cond:  # the lock that Event.set and Event.wait hold for a moment
    signal.raise_signal(signal.SIGINT)
    print(cancel.is_set())
"""


def test_ctrl_c_while_its_event_is_in_use_does_not_hang() -> None:
    """The handler runs in the thread that holds the event's lock; in a process, which a failure hangs."""
    command = [sys.executable, "-c", _SIGNAL_WHILE_LOCKED]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    assert done.stdout.strip() == "True"
