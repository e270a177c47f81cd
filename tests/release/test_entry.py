"""The frozen program's entry point: what it starts of the system finds the system's libraries."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"LD_LIBRARY_PATH": "/opt/hyperscope"}, {}),
        (
            {"LD_LIBRARY_PATH": "/opt/hyperscope:/own", "LD_LIBRARY_PATH_ORIG": "/own"},
            {"LD_LIBRARY_PATH": "/own"},
        ),
        ({"LD_LIBRARY_PATH": "/opt/hyperscope", "LD_LIBRARY_PATH_ORIG": ""}, {}),
        ({"HOME": "/root"}, {"HOME": "/root"}),
    ],
)
def test_the_loaders_library_path_is_taken_back(
    script: Callable[[str], ModuleType], before: dict[str, str], after: dict[str, str]
) -> None:
    script("entry").give_back_library_path(before)

    assert before == after


def test_what_nobody_could_read_is_shown_when_a_click_starts_nothing(tmp_path: Path) -> None:
    program = (
        "import pathlib, sys; sys.path.insert(0, 'packaging'); import entry\n"
        "sys.argv = ['hyperscope', 'gui', '--no-such-option']; sys.stdout = sys.stderr = None\n"
        f"show = lambda text: pathlib.Path({str(tmp_path / 'shown')!r}).write_text(text, 'utf-8')\n"
        "sys.exit(entry.run_by_a_click(sys.argv[1:], entry.main, show))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=False, capture_output=True)

    assert (done.returncode, done.stdout, done.stderr) == (2, b"", b"")
    text = (tmp_path / "shown").read_text(encoding="utf-8")
    assert "--no-such-option" in text
    assert not text.startswith("hyperscope:")


@pytest.mark.parametrize(
    ("arguments", "has_console", "code"), [(["info"], False, 3), (["gui"], True, 3), (["gui"], False, 0)]
)
def test_no_command_waits_for_a_click_and_nothing_is_shown_without_need(
    script: Callable[[str], ModuleType],
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    has_console: bool,
    code: int,
) -> None:
    shown: list[str] = []
    if not has_console:
        monkeypatch.setattr(sys, "stderr", None)

    def run() -> int:
        if sys.stderr is not None:
            sys.stderr.write("something")
        return code

    assert script("entry").run_by_a_click(arguments, run, shown.append) == code
    assert shown == []
