"""From the start page to the evidence and back: real mouse and keys on a real display, nothing faked."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.program import run
from lab import Lab, export_vcenter, find_scenario, load_scenarios
from tests.e2e.display import display
from tests.gui.recordings import capture, record
from tests.some_of_many import others
from tests.vcenter.conftest import start_vcenter
from tests.vcenter.running import PASSWORD, USER, TestVCenter
from tests.wizards.acting_lab import acted, set_of

__all__ = ["start_vcenter"]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.display,
    pytest.mark.skipif(sys.platform in {"win32", "darwin"}, reason="needs an X server"),
]
ROOT = Path(__file__).resolve().parents[2]
Play = Callable[..., dict[str, Any]]


@pytest.fixture
def play(tmp_path: Path) -> Iterator[Play]:
    """Plays a scene in a process of its own, and returns the view at its end."""
    with display() as name:
        home = tmp_path / "home"
        folders = {
            key: str(home / key.lower()) for key in ("XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")
        }
        keyring = {"PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring"}
        environment = {**os.environ, **folders, **keyring, "DISPLAY": name, "QT_QPA_PLATFORM": "xcb"}
        environment["LC_ALL"] = "C.UTF-8"

        def scene(which: str, *words: str) -> dict[str, Any]:
            home.mkdir(exist_ok=True)
            command = [sys.executable, "-m", "tests.e2e.scenes", which, str(home), *words]
            done = subprocess.run(
                command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=850, check=False
            )
            assert done.returncode == 0, f"{done.stderr}\nsee {home}"
            seen: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
            return seen

        yield scene


def same_again(play: Play, first: dict[str, Any]) -> None:
    """Opened again, offline, everything is looked at as it was left."""
    second = play("again")
    for what in ("session", "scope", "charts", "page", "scope_text", "marks"):
        assert second[what] == first[what], what
    assert second["states"] == ["complete"]
    assert second["page"] == "panel-charts"
    assert second["charts"]


def test_the_lab_from_start_to_offline(play: Play) -> None:
    same_again(play, play("lab"))


def test_a_vcenter_from_the_dialog_to_offline(
    play: Play, start_vcenter: Callable[..., TestVCenter], tmp_path: Path
) -> None:
    scenario = tmp_path / "scenario.json.gz"
    export_vcenter(Lab(find_scenario(load_scenarios(), "cpu-limit-vm"), seed=1, fields="all"), scenario)
    server = start_vcenter(scenario, interval=20, history=45)
    place = f"{server.place.host}:{server.place.port}"
    same_again(play, play("vcenter", place, USER, PASSWORD, server.thumbprint))


def test_a_dropped_capture_from_import_to_offline(play: Play, tmp_path: Path) -> None:
    dropped = capture(tmp_path / "esx night.csv", seconds=900)
    same_again(play, play("capture", str(dropped)))


def test_a_moment_is_pinned_moved_noted_and_let_go(play: Play, tmp_path: Path) -> None:
    seen = play("moment", str(record(tmp_path / "demo.hscope", seconds=600)))
    first, second, third, fourth = seen["pinned"]
    assert (second - first, third - second, fourth - third) == (5_000, 50_000, -5_000)
    assert seen["mark"] == seen["after_drag"] == fourth  # the note took one key, a drag pins nothing
    assert not seen["scope"]  # but it moved the window
    assert seen["on_slider"] < fourth
    assert 0 < seen["on_slider"] - seen["by_wheel"] <= 5_000
    assert (seen["released"], seen["at_the_end"]) == (None, None)
    assert seen["on_timeline"] is not None


def test_charts_are_scrolled_zoomed_saved_closed_brought_back_and_moved(play: Play, tmp_path: Path) -> None:
    picture = tmp_path / "ready.png"
    seen = play("charts", str(record(tmp_path / "demo.hscope", seconds=600)), str(picture))
    assert seen == {"scrolled": True, "zoomed": True, "copied": 2_000, "moved": True}
    assert picture.read_bytes()[:4] == b"\x89PNG"


def test_a_guided_test_in_three_clicks(play: Play) -> None:
    """Start page, Try the lab, Tests, Run: the result opens by itself, and everything is put back."""
    seen = play("guided test")
    assert seen["workers"] == 6
    assert "Storage I/O Control honours the shares" in seen["verdict"]
    back, of = seen["put back"].removeprefix("Put back, ").split(" of ")
    assert back == of


def test_before_against_after_in_two_clicks(play: Play) -> None:
    """Start page, Try the lab, Compare: normal against worst. Then by keys, other windows, and what moved."""
    seen = play("compare")
    assert seen["line"]
    assert seen["why"].startswith(("normal against worst", "first half"))
    assert (seen["swapped"], seen["charts"], seen["halves"]) == (True, True, True)
    assert len(seen["pinned"]) == 1
    assert seen["counter"]


def test_the_cause_of_the_worst_problem_in_two_clicks(play: Play) -> None:
    """Start page, Try the lab, Troubleshoot: the cause with what to do. A third click is another entity."""
    seen = play("troubleshoot")
    assert seen["title"]
    assert seen["steps"] > 0, seen["check"]
    assert seen["judged"].startswith("judged to ")
    assert seen["host"]
    assert seen["kept"].startswith("Kept in the session as run ")


def test_a_fix_is_verified_while_it_is_recorded(play: Play, tmp_path: Path) -> None:
    """The lab raises a CPU limit while the window looks on: waiting, too early, fixed; then all counters."""
    path = tmp_path / "whole.hscope"
    acted(path, "cpu-limit-vm", set_of("victim", limit=np.inf), seed=2, at_s=600, minutes=24)
    seen = play("verify", str(path))
    assert seen["cause"] == "Held back by a CPU limit"
    assert seen["first"] == "waiting for the change"
    assert seen["then"].startswith("Watching: ")
    assert seen["title"] == "Fixed, confidence high"
    assert seen["compared"].startswith("before and after the change of ")


@pytest.mark.parametrize(
    ("case", "found", "act", "done", "confidence"),
    [
        ("a CPU limit that somebody forgot", "cpu.limit", "set its CPU limit to Unlimited", "CPU limit",
         "high"),
        *others(
        ("a noisy neighbour on a shared LUN", "storage.noisy_neighbour storage.device_latency",
         "limit the busiest VM on it to 300 IOPS", "IOPS limit set to 300", "high"),
        ("ballooning by a memory limit", "mem.limit", "set its memory limit to Unlimited", "memory limit",
         "high"),
        ("packets dropped by a starved guest", "net.rx_drops", "set its CPU limit to Unlimited",
         "CPU limit set to", "high"),
        ("bursts that come back", "cpu.ready_high", "stop the job that comes back in its guests",
         "Stopped the job that came back", "medium"),  # the mean over all of the window is undecided
        ),
    ],
)  # fmt: skip
def test_from_the_symptom_to_the_fix_in_a_lab_that_is_recorded(
    play: Play, tmp_path: Path, case: str, found: str, act: str, done: str, confidence: str
) -> None:
    """One click to the cause, one for the remedy, one for Done, verify; then the report tells it."""
    seen = play("fix in the lab", case, found, act, "case")
    assert done in seen["done"]
    assert (seen["outcome"], seen["title"]) == ("fixed", f"Fixed, confidence {confidence}")
    assert seen["numbers"] > 0
    assert (seen["kept while recording"], seen["kept"]) == (True, "Kept in the session as run 1.")
    report = tmp_path / "report.html"
    assert run(["report", seen["session"], "-o", str(report)]) == 0
    text = report.read_text(encoding="utf-8")
    assert seen["of"] in text
    assert f"Fixed, confidence {confidence}" in text
