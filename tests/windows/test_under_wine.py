"""Hyperscope with a Windows Python, under Wine: what must work there, where Wine is prepared.

``python run.py windows --help`` prepares it, and downloads 1.6 GB; without it they are skipped and say so.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


def _windows() -> ModuleType:
    """The script ``packaging/windows.py``: a folder of that name must not be a package."""
    spec = importlib.util.spec_from_file_location("windows_runner", ROOT / "packaging" / "windows.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


windows = _windows()
NOT_PREPARED = "no Wine with a Windows Python here: 'python run.py windows --help' prepares it (1.6 GB)"


@pytest.mark.skipif(sys.platform == "win32" or not windows.is_prepared(), reason=NOT_PREPARED)
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

    assert windows.chosen_tests([])[3 : -len(known["quirk"])] == known["folders"]
    assert "tests/esxtop/test_rows.py" in windows.chosen_tests(["tests/esxtop/test_rows.py"])


def test_libraries_lie_beside_lib_as_on_windows() -> None:
    places = {
        "lib/os.py": "Lib/os.py",
        "lib/_ssl.pyd": "DLLs/_ssl.pyd",
        "lib/email/parser.py": "Lib/email/parser.py",
        "python313.dll": "python313.dll",
    }

    assert {name: windows._windows_place(name).as_posix() for name in places} == places


def test_a_path_of_this_machine_as_wine_names_it() -> None:
    assert windows.on_windows(Path("/tmp/Büro 1/a.hscope")) == r"Z:\tmp\Büro 1\a.hscope"
