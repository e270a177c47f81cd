"""run.py: what it makes, what it keeps, and what it says when it can't."""

from __future__ import annotations

import ast
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from app.commands.test import commands
from app.display import QT_LIBRARIES, X11_LIBRARIES

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


def test_guided_tests_are_hyperscopes_and_all_others_are_pytests(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[tuple[str, ...]] = []

    def python(*words: str, **_where: object) -> int:
        called.append(words)
        return 0

    monkeypatch.setattr(run, "prepare", lambda _level: 0)
    monkeypatch.setattr(run, "test", lambda arguments: python("pytest", *arguments))
    monkeypatch.setattr(run, "python", python)
    assert {one.name for one in commands.registered_commands} == run.GUIDED
    for words in (["test"], ["test", "tests/test_run.py"], ["test", "-k", "plan"]):
        run.main(words)
    for words in (["test", "plan", "io-sweep"], ["test", "list"]):
        run.main(words)
    assert called == [
        ("pytest",),
        ("pytest", "tests/test_run.py"),
        ("pytest", "-k", "plan"),
        ("-P", "-m", "app", "test", "plan", "io-sweep"),
        ("-P", "-m", "app", "test", "list"),
    ]


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


def _programs(folder: Path, **scripts: str) -> None:
    folder.mkdir()
    for name, text in scripts.items():
        program = folder / name.replace("_", "-")
        program.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        program.chmod(0o755)


@pytest.mark.skipif(os.name == "nt", reason="Debian's programs are shell scripts here")
def test_missing_system_packages_are_installed_or_named(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    _programs(
        tmp_path / "bin",
        dpkg_query="echo libgl1 installed; echo fio not-installed; echo fonts-noto installed",
        apt_get=f'echo "$DEBIAN_FRONTEND $@" >> {tmp_path}/asked',
    )
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.delenv("CI", raising=False)
    assert run.packages("libgl1 fio fonts-inter|fonts-noto") == 0
    line = "apt-get install -y -qq --no-install-recommends fio"
    assert capfd.readouterr().err == f"System packages are missing. Run: sudo {line}\n"
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert run.packages("libgl1 fonts-inter|fonts-noto") == 0
    assert not (tmp_path / "asked").exists(), "a second run costs nothing"
    assert run.packages("libgl1 fio") == 0
    asked = (tmp_path / "asked").read_text(encoding="utf-8").splitlines()
    assert asked[-1] == f"noninteractive {line.removeprefix('apt-get ')}"


@pytest.mark.skipif(os.name == "nt", reason="Debian's programs are shell scripts here")
def test_a_ci_that_may_be_root_installs_system_packages(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on GitHub's machines, whose user is not root: without them no window opens, and the build fails."""
    _programs(
        tmp_path / "bin",
        dpkg_query="echo libgl1 installed",
        sudo=f'echo "$DEBIAN_FRONTEND $@" >> {tmp_path}/asked',
        apt_get="exit 1",
    )
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setenv("CI", "true")

    assert run.packages("libgl1 libxcb-cursor0") == 0
    asked = (tmp_path / "asked").read_text(encoding="utf-8").splitlines()
    assert asked == [
        f"noninteractive -n --preserve-env=DEBIAN_FRONTEND apt-get {words}"
        for words in ("update -qq", "install -y -qq --no-install-recommends libxcb-cursor0")
    ]


def test_every_way_into_the_window_brings_qts_libraries(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def packages(names: str) -> int:
        asked.append(names)
        return 0

    monkeypatch.setattr(run, "packages", packages)
    monkeypatch.setattr(run, "prepare", lambda _level: 0)
    monkeypatch.setattr(run, "python", lambda *_arguments, **_named: 0)
    monkeypatch.setenv("DISPLAY", ":9")
    for arguments in ([], ["gui", "a.hscope"], ["selftest"], ["demo"]):
        asked.clear()
        assert run.main(arguments) == 0
        assert asked == [run.WINDOW], arguments
    monkeypatch.delenv("DISPLAY")
    asked.clear()
    for arguments in ([], ["demo"], ["demo", "--headless"], ["info", "a.hscope"], ["gui", "--help"]):
        assert run.main(arguments) == 0
    assert not asked
    assert run.main(["bundle"]) == 0  # it is started on a display, where one can be had
    assert {*run.WINDOW.split(), "xvfb"} < set(asked[0].split())


def test_run_py_installs_the_libraries_that_the_program_asks_for(run: Any) -> None:
    assert set(run.WINDOW.split()) == {*QT_LIBRARIES.values(), *X11_LIBRARIES.values()}


def test_without_debian_no_package_is_looked_for(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert run.packages(run.TESTS) == 0


def test_simulated_vcenters_are_built_when_their_source_changes(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    run.GO_BIN, run.SERVER = tmp_path / "go-bin", tmp_path / "server"
    run.SERVER.mkdir()
    for name, text in (
        ("main.go", "package main\nfunc main() {}\n"),
        ("go.mod", "module testvcenter\n"),
        ("go.sum", ""),
    ):
        (run.SERVER / name).write_text(text, encoding="utf-8")
    run.GO_BIN.mkdir()
    for name in run.GOVMOMI:
        run.built(name).touch()
    if run.find_go() is None:
        pytest.skip("no Go here")
    assert run.simulators() == 0
    assert run.built("testvcenter").exists()
    capfd.readouterr()
    assert run.simulators() == 0
    assert capfd.readouterr().err == "", "nothing to do, nothing to say"
    (run.SERVER / "main.go").write_text("package main\nfunc main() { broken }\n", encoding="utf-8")
    assert run.simulators() == 1
    assert "The simulated vCenters could not be built." in capfd.readouterr().err
    monkeypatch.setattr(run, "find_go", lambda: None)
    assert run.simulators() == 1
    assert "There is no Go" in capfd.readouterr().err


def test_go_comes_from_the_environment_where_the_machine_has_none(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    found = run.find_go()
    if found is None and not shutil.which("go", path=str(run.PYTHON.parent)):
        pytest.skip("this environment is not the one that run.py makes")
    assert Path(found).parent == run.PYTHON.parent


def test_no_package_index_and_no_proxy_is_named() -> None:
    for path in (
        ROOT / "run.py",
        ROOT / ".ci" / "run",
        *(ROOT / "tests" / "vcenter" / "server").glob("go.*"),
    ):
        text = path.read_text(encoding="utf-8")
        assert "://" not in text, path
        assert "GOPROXY" not in text, path


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


RACING = "import os\n\ndef test_{at}():\n    assert not os.environ.get('PYTEST_XDIST_WORKER')\n"
SKIPPED = (
    "import os, pytest\n\ndef test_{at}():\n"
    "    os.environ.get('PYTEST_XDIST_WORKER') or pytest.skip('alone')\n    assert False\n"
)
WRONG = "def test_{at}():\n    assert False\n"


@pytest.mark.parametrize(
    ("forms", "code", "says"),
    [
        ([], 0, ""),
        ([RACING] * 2, 0, "RACED: test_0.py::test_0 failed beside"),
        ([RACING, WRONG], 1, "2 failed on a busy machine; now alone"),
        ([RACING, SKIPPED], 1, "was skipped when it ran alone"),
        ([RACING] * 13, 1, ""),
    ],
    ids=[
        "all pass",
        "races are named",
        "what fails alone is red",
        "what is skipped alone is red",
        "many are red",
    ],
)
def test_what_fails_on_a_busy_machine_is_run_again_alone(
    run: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    forms: list[str],
    code: int,
    says: str,
) -> None:
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)  # this test's own worker
    run.ROOT, run.FAILED, run.PYTHON = tmp_path, tmp_path / "failed", Path(sys.executable)
    run.TESTS_A_CORE, run.WAITING_TESTS = 0, 2
    quick = "addopts = -p no:pytest-qt"  # a dozen processes would load Qt for it
    (tmp_path / "pytest.ini").write_text(f"[pytest]\nfilterwarnings = error\n{quick}\n", encoding="utf-8")
    (tmp_path / "test_right.py").write_text("def test_right():\n    pass\n", encoding="utf-8")
    for at, form in enumerate(forms):
        (tmp_path / f"test_{at}.py").write_text(form.format(at=at), encoding="utf-8")
    assert run.every_test() == code
    heard = "".join(capfd.readouterr())
    assert says in heard
    assert ("RACED" in heard) == (len(forms) > 0 and code == 0)
    assert ("now alone" in heard) == (0 < len(forms) <= run.MOST_RACES)
