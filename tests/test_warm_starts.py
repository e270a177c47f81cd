"""Programs that tests start begin loaded, and are processes like any other."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="there every program is loaded anew")
ROOT = Path(__file__).resolve().parents[1]
NONE = "/nowhere/none.hscope"


def words(*told: str) -> list[str]:
    return [sys.executable, "-m", "app", *told]


def is_warm(process: subprocess.Popen[Any]) -> bool:
    return "tests.warm_python" in psutil.Process(process.pid).cmdline()


def recording(session: Path, folder: Path = ROOT, **options: Any) -> subprocess.Popen[bytes]:
    """A recording of the lab that ends when its stdin does; it has samples when this returns."""
    command = words("record", "lab:default", "--speed", "50", "-o", str(session), "--attached", "--json")
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, cwd=folder, stdin=pipe, stdout=pipe, **options)
    assert process.stdout is not None
    while not json.loads(process.stdout.readline()).get("samples"):
        pass
    return process


@pytest.mark.parametrize("told", [("--version",), ("info", NONE), ("query", NONE, "--json"), ("nothing",)])
def test_it_says_the_same_and_ends_with_the_same_code(told: tuple[str, ...]) -> None:
    warm, cold = (
        subprocess.run([*before, *words(*told)], cwd=ROOT, capture_output=True, text=True, check=False)
        for before in ([], ["env"])
    )
    assert (warm.returncode, warm.stdout, warm.stderr) == (cold.returncode, cold.stdout, cold.stderr)
    assert warm.stdout + warm.stderr


def test_it_is_our_child_and_ends_with_its_stdin(tmp_path: Path) -> None:
    with recording(tmp_path / "s.hscope", start_new_session=True) as process:
        assert is_warm(process)
        assert psutil.Process(process.pid).ppid() == os.getpid()
        assert os.getsid(process.pid) == process.pid
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait() == 0
    assert (tmp_path / "s.hscope").exists()


def test_its_folder_and_environment_are_those_that_were_given(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "HYPERSCOPE_OF_A_TEST": "1"}
    with recording(Path("s.hscope"), env=environment, folder=tmp_path) as process:
        told = psutil.Process(process.pid)
        assert is_warm(process)
        assert told.cwd() == str(tmp_path)
        process.kill()
        assert process.wait() == -signal.SIGKILL
    assert (tmp_path / "s.hscope").exists()


@pytest.mark.parametrize("name", ["LC_ALL", "PYTHONHASHSEED"])
def test_an_environment_that_loading_depends_on_begins_anew(tmp_path: Path, name: str) -> None:
    with recording(
        tmp_path / "s.hscope", env={**os.environ, name: "0" if "SEED" in name else "C"}
    ) as process:
        assert not is_warm(process)
        process.kill()


@pytest.mark.cold
def test_what_is_marked_begins_anew(tmp_path: Path) -> None:
    with recording(tmp_path / "s.hscope") as process:
        assert not is_warm(process)
        process.kill()


def test_what_they_begin_from_may_be_killed(tmp_path: Path) -> None:
    for number in range(2):
        with recording(tmp_path / f"{number}.hscope") as process:
            assert is_warm(process)
            process.kill()
        [source] = [one for one in psutil.Process().children() if "tests.warm_python" in one.cmdline()]
        source.kill()
        source.wait()


def test_a_signal_reaches_it(tmp_path: Path) -> None:
    with recording(tmp_path / "s.hscope") as process:
        process.send_signal(signal.SIGINT)
        assert process.wait() == 0
