"""Hyperscope with a Windows Python, under Wine: what must work there, where Wine is prepared.

``python run.py windows --help`` prepares it, and downloads 1.6 GB; without it they are skipped and say so.
"""

from __future__ import annotations

import importlib
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from benchmarks import under_wine
from tests.e2e import hands
from tests.e2e.display import display

ROOT = Path(__file__).resolve().parents[2]


def _scripts(*names: str) -> list[ModuleType]:
    """Scripts of ``packaging/``: a folder of that name must not be a package."""
    sys.path.insert(0, str(ROOT / "packaging"))
    try:
        return [importlib.import_module(name) for name in names]
    finally:
        sys.path.pop(0)


wine, windows, bundle, runs, long, installed = _scripts(
    "wine", "windows", "windows_bundle", "windows_runs", "windows_long", "windows_installed"
)
NOT_PREPARED = "no Wine with a Windows Python here: 'python run.py windows --help' prepares it (1.6 GB)"


@pytest.mark.skipif(sys.platform == "win32" or not wine.is_prepared(), reason=NOT_PREPARED)
def test_what_must_work_on_windows() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "packaging" / "windows.py"), "--short"],
        check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL,
    )  # fmt: skip

    steps = [line for line in done.stdout.splitlines() if line.startswith(("ok", "FAILED"))]
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(steps) == 7
    assert all(step.startswith("ok") for step in steps)


def test_every_quirk_names_tests_that_exist_and_says_why() -> None:
    known = tomllib.loads(windows.QUIRKS.read_text(encoding="utf-8"))

    for folder in known["folders"]:
        assert (ROOT / folder).is_dir(), folder
    for quirk in known["quirk"]:
        path, _, name = quirk["test"].partition("::")
        assert name in (ROOT / path).read_text(encoding="utf-8")
        assert len(quirk["why"]) > 20


def test_tests_are_chosen_by_folder_without_the_quirks() -> None:
    known = tomllib.loads(windows.QUIRKS.read_text(encoding="utf-8"))

    assert windows.chosen_tests([])[1 : -len(known["quirk"])] == known["folders"]
    assert "tests/esxtop/test_rows.py" in windows.chosen_tests(["tests/esxtop/test_rows.py"])


def test_libraries_lie_beside_lib_as_on_windows() -> None:
    places = {
        "lib/os.py": "Lib/os.py",
        "lib/_ssl.pyd": "DLLs/_ssl.pyd",
        "lib/email/parser.py": "Lib/email/parser.py",
        "python313.dll": "python313.dll",
    }

    assert {name: wine._windows_place(name).as_posix() for name in places} == places


def test_a_path_of_this_machine_as_wine_names_it() -> None:
    assert wine.on_windows(Path("/tmp/Büro 1/a.hscope")) == r"Z:\tmp\Büro 1\a.hscope"


def test_a_program_folder_has_neither_wines_stand_ins_nor_more_than_it_may(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "_internal").mkdir()
    (tmp_path / "_internal" / "python313.dll").write_bytes(b"x" * 3_000_000)
    assert bundle.what_is_wrong(tmp_path) == ""

    (tmp_path / "_internal" / "UCRTBASE.dll").write_bytes(b"x")
    assert bundle.what_is_wrong(tmp_path) == "these belong to Windows, not to us: UCRTBASE.dll"

    monkeypatch.setattr(bundle, "MAX_MB", 2)
    assert bundle.what_is_wrong(tmp_path).startswith("3 MB is more than 2")


def test_a_step_that_fails_is_said_and_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    steps = runs.Steps(tmp_path)
    steps.holds("it starts", passed=True)
    steps.holds("it ends", passed=False, why="exit code 3")

    assert capsys.readouterr().out == "ok     it starts\nFAILED it ends: exit code 3\n"
    assert (steps.passed, steps.failed) == (["it starts"], ["it ends"])


def test_the_long_run_asks_for_tests_and_scenes_that_exist() -> None:
    for path, names in long.TESTS.items():
        text = (ROOT / path).read_text(encoding="utf-8")
        assert all(f"def {name}(" in text for name in names)
    scenes = (ROOT / "tests" / "e2e" / "scenes.py").read_text(encoding="utf-8")
    assert all(f'"{name}": ' in scenes for name in long.SCENES)


@pytest.mark.display
def test_hands_outside_of_wine_do_what_they_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with display() as name, long.hands() as address:
        monkeypatch.setenv("DISPLAY", name)
        monkeypatch.setenv("HYPERSCOPE_HANDS", address)
        hands._xdotool("mousemove", "123", "45", "exec", "--sync", "touch", str(tmp_path / "moved"))
        with pytest.raises(AssertionError, match="no-such-key"):
            hands._xdotool("no-such-key")

    assert (tmp_path / "moved").exists()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32" or not wine.is_prepared(), reason=NOT_PREPARED)
@pytest.mark.skipif(
    not (bundle.FOLDER / "licences").exists(),
    reason="'python run.py windows --bundle' did not build a program",
)
@pytest.mark.skipif(not shutil.which("makensis"), reason="needs makensis, which is NSIS's")
def test_it_is_installed_used_and_removed() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "packaging" / "windows.py"), "--installer"],
        check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL,
    )  # fmt: skip

    assert done.returncode == 0, done.stdout + done.stderr
    assert "FAILED" not in done.stdout
    assert "ok     a session opens by its file" in done.stdout


@pytest.mark.skipif(sys.platform == "win32" or not wine.is_prepared(), reason=NOT_PREPARED)
@pytest.mark.skipif(not shutil.which("makensis"), reason="needs makensis, which is NSIS's")
def test_an_installer_leaves_nothing_but_what_is_the_users(tmp_path: Path) -> None:
    """Of small files instead of a program: the installer and what it writes are the real ones."""
    built = tmp_path / "built"
    for name in ("hyperscope.exe", "hyperscope-cli.exe", "_internal/a.dll", "licences/NOTICE.txt"):
        (built / name).parent.mkdir(parents=True, exist_ok=True)
        (built / name).write_bytes(b"x" * 1000)

    def use(steps: Any, place: Path) -> Path:
        session: Path = steps.folder / "Büro 1.hscope"
        session.write_bytes((place / "hyperscope.exe").read_bytes())
        return session

    steps = runs.Steps(tmp_path)
    with wine.display():
        installed.install_and_remove(steps, built, shutil.which("makensis"), use)

    assert steps.failed == []
    assert "what is the user's stays when it is replaced" in steps.passed
    assert "its keys are removed" in steps.passed


@pytest.mark.skipif(sys.platform == "win32" or not wine.is_prepared(), reason=NOT_PREPARED)
@pytest.mark.skipif(not shutil.which("makensis"), reason="needs makensis, which is NSIS's")
def test_an_installer_goes_where_it_is_told_and_leaves_alone_what_runs(tmp_path: Path) -> None:
    """Of the Windows Python instead of the program: a program that runs is a real one."""
    built = tmp_path / "built"
    for name in ("hyperscope-cli.exe", "_internal/a.dll", "licences/NOTICE.txt"):
        (built / name).parent.mkdir(parents=True, exist_ok=True)
        (built / name).write_bytes(b"x" * 1000)
    shutil.copy(wine.PYTHON / "python.exe", built / "hyperscope.exe")
    setup = tmp_path / installed.SETUP
    installed.make_installer(shutil.which("makensis"), built, setup, target="amd64-unicode")
    there = wine.on_windows(wine.PYTHON)
    waiting = ["-c", "print(1, flush=True); input()"]

    steps = runs.Steps(tmp_path)
    with wine.display(), pytest.MonkeyPatch.context() as patch:
        patch.setenv("WINEPATH", there)
        installed.moved_and_refused(steps, setup, installed.PLACE, waiting)

    assert steps.failed == []
    assert "it is left alone while it runs" in steps.passed


def test_the_steps_of_the_long_run_are_counted() -> None:
    lines = [
        "ok     import it\n",
        "FAILED a scene: exit code 1\n",
        "Traceback\n",
        "1 steps passed, 1 failed\n",
    ]
    row = under_wine.row(lines, 12.4)

    assert row.what == "CPython 3.13 for Windows under Wine, 2 steps in 12 minutes: hold"
    assert (row.here, row.peer, row.holds) == ("1", "not: a scene", False)
    assert under_wine.row(lines[:1], 1).holds
    assert not under_wine.row([], 1).holds  # it never began


def test_pytest_takes_the_arguments_that_the_tests_there_are_run_with() -> None:
    words = [sys.executable, "-m", "pytest", "--collect-only", *windows.chosen_tests(["tests/test_order.py"])]
    done = subprocess.run(words, cwd=ROOT, check=False, capture_output=True, text=True)

    assert done.returncode == 0, done.stdout + done.stderr
