"""``test plan``, ``check``, ``run``, ``resume`` and ``restore`` in the lab, as a user types them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from datetime import datetime
from pathlib import Path

import pytest

from resources.failures import BusyError, NotASessionError, NotFoundError
from sessions.store import SessionReader

ROOT = Path(__file__).resolve().parents[2]
NOT_MADE_YET = (NotFoundError, NotASessionError, BusyError)
"""What is said of a session that a run is just making: no file, an empty one, one that is being filled."""
SHORT = ["--set", "depths=1,16", "--set", "fill=no"]


def hyperscope(*words: str, home: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "app", *words],
        cwd=ROOT,
        env={**os.environ, "HOME": str(home), "XDG_STATE_HOME": str(home), "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        stdin=subprocess.DEVNULL,
    )


def planned(folder: Path, test: str = "io-sweep", *words: str) -> Path:
    plan = folder / "plan.toml"
    done = hyperscope("test", "plan", test, "lab:default", "-o", str(plan), *words, home=folder)
    assert done.returncode == 0, done.stderr
    return plan


def test_a_plan_of_the_lab_says_whose_time_it_takes(tmp_path: Path) -> None:
    done = hyperscope("test", "check", str(planned(tmp_path, "io-sweep", *SHORT)), home=tmp_path)
    assert " of the lab’s time, ≈ " in done.stdout
    assert "written" in done.stdout


def test_what_can_be_chosen_is_listed(tmp_path: Path) -> None:
    told = hyperscope("test", "look", "lab:default", home=tmp_path)
    assert told.returncode == 0, told.stderr
    assert "Datastores: " in told.stdout
    assert "Workers:" in told.stdout
    found = json.loads(hyperscope("test", "look", "lab:default", "--json", home=tmp_path).stdout)
    assert found["clusters"] == ["Cluster-01"]
    assert all(one["disks"] for one in found["workers"])


def test_from_a_plan_to_a_verdict(tmp_path: Path) -> None:
    plan, session = planned(tmp_path, "io-sweep", *SHORT), tmp_path / "run.hscope"
    done = hyperscope("test", "check", str(plan), "--json", home=tmp_path)
    assert done.returncode == 0, done.stderr
    assert {one["state"] for one in json.loads(done.stdout)["checks"]} <= {"ok", "note", "warn"}
    done = hyperscope("test", "run", str(plan), "-o", str(session), "--yes", "--json", home=tmp_path)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["verdict"]
    assert {one["state"] for one in result["phases"]} == {"done"}
    assert {one["state"] for one in result["changes"]} <= {"undone", "not needed"}
    assert all(one["iops"] > 0 and one["p99_ms"] > 0 for one in result["workers"])
    assert {"name", "of", "value", "unit", "interval", "n"} == set(result["figures"][0])
    with SessionReader.open(session) as reader:
        (run,) = reader.test_runs()
        assert run.verdict == result["verdict"]
        assert {event.kind for event in reader.events()} >= {"test phase"}


def test_without_a_terminal_nothing_starts_without_yes(tmp_path: Path) -> None:
    plan = planned(tmp_path, "io-sweep", *SHORT)
    done = hyperscope("test", "run", str(plan), "-o", str(tmp_path / "run.hscope"), home=tmp_path)
    assert done.returncode == 2
    assert "Nobody is at a terminal to be asked." in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL on Windows")
def test_a_killed_run_is_restored_and_resumed(tmp_path: Path) -> None:
    plan = planned(tmp_path, "sioc-shares", "--set", "alone=no", "--set", "bursts=no", "--set", "streams=no")
    session = tmp_path / "run.hscope"
    words = [sys.executable, "-m", "app", "test", "run", str(plan), "-o", str(session), "--yes"]
    process = subprocess.Popen(
        words, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and not _is_in_phase(session, "weighted"):
            time.sleep(0.1)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    with SessionReader.open(session) as reader:
        before = [one for one in reader.journal() if one.is_open]
        assert any(one.setting.startswith("iorm.") for one in before)
        kept = sum(one.state == "done" for one in reader.test_runs()[0].phases)
        span = reader.span()
    assert span is not None
    done = hyperscope("restore", str(session), "--json", home=tmp_path)
    assert done.returncode == 0, done.stderr
    assert {one["state"] for one in json.loads(done.stdout)["changes"]} <= {"undone", "not needed"}
    with SessionReader.open(session) as reader:
        [run] = reader.test_runs()
    assert run.end is not None
    assert run.end <= span.end + 60_000, "it ended when it was last heard of, not when it was restored"
    done = hyperscope("test", "resume", str(session), "--yes", "--json", home=tmp_path)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    measured = [one for one in result["phases"] if one["name"].split(",")[0] in ("off", "equal", "weighted")]
    assert len(measured) <= 9 - (kept - 2), "whole rounds are kept"
    begun = min(datetime.fromisoformat(one["start"]) for one in result["phases"] if one["start"])
    assert begun.timestamp() * 1000 >= span.end, "the lab's clock goes on where its session ended"
    assert result["valid"], result["why"]
    assert result["verdict"].startswith("Storage I/O Control honours the shares")
    assert {one["state"] for one in result["changes"]} <= {"undone", "not needed"}


def _is_in_phase(session: Path, name: str) -> bool:
    try:
        with SessionReader.open(session) as reader:
            runs = reader.test_runs()
    except NOT_MADE_YET:
        return False
    return any(one.name == name and one.state == "running" for run in runs for one in run.phases)


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGINT from outside on Windows")
def test_a_second_ctrl_c_says_what_was_not_put_back(tmp_path: Path) -> None:
    plan, session = planned(tmp_path, "drs-balance"), tmp_path / "run.hscope"
    words = [sys.executable, "-m", "app", "test", "run", str(plan), "-o", str(session), "--yes"]
    with subprocess.Popen(
        words, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as process:
        try:
            deadline = time.monotonic() + 120
            while time.monotonic() < deadline and _open_changes(session) < 4:
                time.sleep(0.02)
            process.send_signal(signal.SIGINT)
            time.sleep(0.02)
            process.send_signal(signal.SIGINT)
            said = process.communicate(timeout=300)[1].decode()
        finally:
            process.kill()
    left = _open_changes(session)
    assert (f"hyperscope restore {session}" in said) == (left > 0), said
    done = hyperscope("restore", str(session), home=tmp_path)
    assert done.returncode == 0, done.stderr
    assert _open_changes(session) == 0


def _open_changes(session: Path) -> int:
    try:
        with SessionReader.open(session) as reader:
            return sum(one.is_open for one in reader.journal())
    except NOT_MADE_YET:
        return 0
