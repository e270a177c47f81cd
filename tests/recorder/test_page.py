"""What somebody at a terminal sees of a recording."""

from __future__ import annotations

import io
import os
import sys
import threading
from pathlib import Path

import pytest
from rich.console import Console
from rich.text import Text

from app.recording import terminal
from app.recording.page import page
from app.recording.terminal import PageReporter
from app.terminal import read_typed_line
from collectors.feed import Health
from recorder.board import Board, CollectorStatus, SourceStatus
from recorder.recording import Status
from resources.failures import CancelledError
from sessions.model import SourceKind, SourceSpec


def status(*sources: SourceStatus) -> Status:
    return Status(
        sources=sources,
        collectors=(CollectorStatus("vcenter://me@vc01.lab"),),
        seconds=61.0,
        rate=42.0,
        behind_s=0.0,
        queue=0,
        queue_bytes=0,
        bytes=4096,
        bytes_each=1.5,
        samples=2730,
        gaps=0,
        paused=False,
    )


def source(name: str = "vc01.lab", **health: object) -> SourceStatus:
    values: dict[str, object] = {"state": "recording", "interval_s": 20.0, "last_ms": 1, **health}
    return SourceStatus(1, 0, "vcenter", name, Health(**values))  # type: ignore[arg-type]


def shown(now: Status, width: int) -> list[str]:
    console = Console(file=io.StringIO(), force_terminal=True, width=width, color_system=None)
    with console.capture() as captured:
        console.print(page(now, Path("night.hscope"), width))
    return captured.get().splitlines()


@pytest.mark.parametrize("width", [80, 120, 200])
def test_of_a_long_name_something_is_left_out_and_of_nothing_else(width: int) -> None:
    long = "vc01.a-very-long-name.in-a-domain.that-nobody-can-remember.example.com:9443 rollups 1800 s"
    late = source("vc02.lab rollups", behind_s=100.0, expected=1234, received=7, gaps=3, state="reconnecting")
    lines = shown(status(source(long), late), width)
    assert max(map(len, lines)) <= width
    assert any("reconnecting" in line and "behind by 1 min 40 s, 1,227 missing" in line for line in lines)
    assert long in lines[1] or "…" in lines[1]
    assert lines[1].split()[-3:] == ["on", "time", "0"]


def test_a_question_is_not_drawn_over(monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.StringIO()
    console = Console(file=written, force_terminal=True, width=80)
    monkeypatch.setattr(terminal, "notices", lambda: console)
    monkeypatch.setattr(terminal, "read_typed_line", lambda _stopped: "y\n")
    reporter = PageReporter()
    reporter._live.start()
    reporter.status(status(source()), Path("night.hscope"))
    assert reporter.ask("Is it the right one?\n[y/N] ")
    written.truncate(0)
    reporter.status(status(source()), Path("night.hscope"))
    assert "vc01.lab" in Text.from_ansi(written.getvalue()).plain
    assert "\x1b[1A" not in written.getvalue(), "goes up, over what was asked"
    reporter._live.stop()


def test_a_question_that_nobody_answers_does_not_hold_up_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=80)
    monkeypatch.setattr(terminal, "notices", lambda: console)
    here, there = os.pipe()
    with os.fdopen(here) as stdin, os.fdopen(there, "wb", buffering=0) as keyboard:
        monkeypatch.setattr(sys, "stdin", stdin)
        reporter = PageReporter()
        threading.Timer(0.1, reporter.finishing).start()
        with pytest.raises(CancelledError):
            reporter.ask("Is it the right one? [y/N] ")
        keyboard.write(b"\n")  # the read that is left alone ends


def test_what_is_typed_is_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    here, there = os.pipe()
    with os.fdopen(here) as stdin, os.fdopen(there, "wb", buffering=0) as keyboard:
        monkeypatch.setattr(sys, "stdin", stdin)
        keyboard.write(b"y\n")
        assert read_typed_line(lambda: False) == "y\n"


@pytest.mark.parametrize(("kind", "late"), [("vcenter", True), ("lab", False)])
def test_a_source_that_says_nothing_grows_late(kind: SourceKind, late: bool) -> None:
    """A vCenter that hangs: its last word, a minute old, was that it is on time."""
    now = 100.0
    board = Board(lambda _source: None, clock=lambda: now)
    board.add_collector("one")
    board.add(1, 0, SourceSpec(kind, "vc01.lab", 20.0))
    board.report(1, Health("recording", 20.0, last_ms=1, behind_s=3.0))
    now = 119.0
    assert board.sources()[0].health.behind_s == 3.0
    now = 160.0
    assert board.sources()[0].health.behind_s == (43.0 if late else 3.0)
    assert ("behind by 43 s" in "\n".join(shown(status(*board.sources()), 80))) == late
