"""run.py: what it makes, what it keeps, and what it says when it can't."""

from __future__ import annotations

import ast
import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def run() -> Any:
    spec = importlib.util.spec_from_file_location("run_under_test", ROOT / "run.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_run_py_needs_nothing_but_the_standard_library() -> None:
    tree = ast.parse((ROOT / "run.py").read_text(encoding="utf-8"))
    imported = {
        name.name.split(".")[0] if isinstance(node, ast.Import) else (node.module or "").split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in node.names
    }
    assert imported <= set(sys.stdlib_module_names)


def test_an_old_python_is_told_which_one_to_install(
    run: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run, "OLDEST", (99, 1))
    assert run.main([]) == 1
    assert re.search(r"Python 3\.\d+\.\d+ is too old\.\n +Install Python 99\.1", capsys.readouterr().err)


def test_a_changed_lock_file_means_a_renewed_environment(run: Any, tmp_path: Path) -> None:
    run.ROOT, run.VENV, run.PYTHON = tmp_path, tmp_path / ".venv", Path(sys.executable)
    run.VENV.mkdir()
    (tmp_path / "requirements").mkdir()
    for level in run.LEVELS:
        run.lock_file(level).write_text(f"{level}\n", encoding="utf-8")
    assert run.installed_level() is None
    run.stamp_file().write_text(f"test\n{run.fingerprint()}\n", encoding="utf-8")
    assert run.installed_level() == "test"
    run.lock_file("run").write_text("another\n", encoding="utf-8")
    assert run.installed_level() is None


def test_lock_files_carry_hashes_and_no_address() -> None:
    for path in (ROOT / "requirements").glob("*.txt"):
        text = path.read_text(encoding="utf-8")
        assert "://" not in text, path.name
        pinned = re.findall(r"^[a-z0-9-]+==\S+ .*\\$", text, re.MULTILINE)
        assert pinned
        assert text.count("--hash=sha256:") >= len(pinned)


def test_every_level_holds_the_one_before(run: Any) -> None:
    def names(level: str) -> set[str]:
        return set(
            re.findall(r"^([a-z0-9-]+==\S+)", run.lock_file(level).read_text(encoding="utf-8"), re.MULTILINE)
        )

    assert names("run") <= names("test") <= names("bench")


def test_ci_runs_the_readme_command_and_nothing_else() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert script.strip().endswith("exec python3 run.py test")
    assert "python run.py test" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_help_comes_from_any_folder(tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()  # a folder of that name must not be taken for ours
    (tmp_path / "app" / "__init__.py").write_text("raise SystemExit('the wrong app')", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(ROOT / "run.py"), "--help"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "hyperscope demo --headless" in done.stdout
