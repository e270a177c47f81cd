"""What each command loads before it begins: a help text loads nothing, and a command only what it uses."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from app.command_line import build
from app.command_table import COMMANDS
from app.program import plain_import, run
from resources.version import VERSION
from sessions.store import SessionWriter

ROOT = Path(__file__).resolve().parents[2]

_PROBE = """
import json, sys
before = set(sys.modules)
from app.__main__ import main
sys.argv = ["hyperscope", *json.loads(sys.argv[1])]
code = main()
print("LOADED " + json.dumps(sorted(set(sys.modules) - before)))
sys.exit(code)
"""

WINDOW = {"PySide6", "pyqtgraph", "widgets", "app.gui"}
VSPHERE = {"pyVmomi", "lxml", "collectors.vsphere", "connections.vsphere"}


def loaded(*words: str) -> set[str]:
    """The modules that a command has loaded when it ends, well or not, and the packages that hold them."""
    done = subprocess.run(
        [sys.executable, "-c", _PROBE, json.dumps(words)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        cwd=ROOT,
    )
    line = next(line for line in done.stdout.splitlines() if line.startswith("LOADED "))
    modules = json.loads(line.removeprefix("LOADED "))
    return {
        ".".join(parts[:n]) for parts in (m.split(".") for m in modules) for n in range(1, len(parts) + 1)
    }


@pytest.mark.parametrize("word", ["--help", "-h", "--version"])
def test_help_and_version_load_no_command_and_no_library(word: str) -> None:
    ours = {name for name in loaded(word) if name.split(".")[0] in ("app", "resources")}
    others = loaded(word) & {"numpy", "typer", "click", "rich", "msgspec", "platformdirs", *WINDOW, *VSPHERE}
    assert not others
    assert ours <= {
        "app",
        "app.__main__",
        "app.command_table",
        "app.display",
        "app.program",
        "app.standard_streams",
        "app.terminal",
        "resources",
        "resources.failures",
        "resources.foreign_text",
        "resources.units",
        "resources.version",
    }


@pytest.mark.parametrize(
    ("command", "not_needed"),
    [
        ("demo", {*VSPHERE, *WINDOW, "collectors.esxtop", "recorder"}),
        ("import", {*VSPHERE, *WINDOW, "lab", "diagnosis"}),
        ("info", {*VSPHERE, *WINDOW, "lab", "diagnosis", "collectors", "connections", "recorder"}),
        ("query", {*VSPHERE, *WINDOW, "lab", "diagnosis", "collectors", "connections", "recorder"}),
        ("export", {*VSPHERE, *WINDOW, "lab", "diagnosis", "collectors", "connections", "recorder"}),
        ("diagnose", {*VSPHERE, *WINDOW, "lab", "collectors", "connections", "recorder"}),
        ("record", {"pyVmomi", "connections.vsphere.session", "lab", "diagnosis", *WINDOW}),
        ("lab", {*VSPHERE, *WINDOW, "diagnosis", "connections", "recorder"}),
        ("gui", {*VSPHERE, *WINDOW, "lab", "diagnosis", "numpy"}),
    ],
)
def test_a_command_loads_only_what_it_uses(command: str, not_needed: set[str]) -> None:
    assert not loaded(command, "--help") & not_needed


def test_a_recording_of_the_lab_loads_no_vsphere(tmp_path: Path) -> None:
    few = "lab:demo?fields=diagnosis"
    words = ("record", few, "-o", str(tmp_path / "s.hscope"), "--duration", "3s", "--speed", "60")
    assert not loaded(*words) & {"pyVmomi", "connections.vsphere.session", *WINDOW}


def test_a_plain_import_loads_nothing_that_draws_or_reads_a_command_line(tmp_path: Path) -> None:
    words = ("import", str(tmp_path / "none.csv"), "-o", str(tmp_path / "s.hscope"))
    unused = {"typer", "pydantic", "rich", "recorder", "sessions.store.reader"}
    assert not loaded(*words) & {*unused, *VSPHERE, *WINDOW}


def test_judging_for_a_window_loads_nothing_that_draws_or_reads_a_command_line(tmp_path: Path) -> None:
    """A window waits for the first verdict on a session."""
    SessionWriter.create(session := tmp_path / "s.hscope").close()
    there = loaded("judge", "--attached", "--", str(session))
    assert "diagnosis.live" in there
    assert not there & {"typer", "rich", "lab", *VSPHERE, *WINDOW}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("import a.csv -o s.hscope", (["a.csv"], "s.hscope")),
        ("import -o s.hscope a.csv b.csv.gz", (["a.csv", "b.csv.gz"], "s.hscope")),
        ("import a.csv --output s.hscope b.csv", (["a.csv", "b.csv"], "s.hscope")),
        ("import a.csv -o s.hscope --json", None),
        ("import a.csv -os.hscope", None),
        ("import a.csv -o s.hscope -o t.hscope", None),
        ("import a.csv -o", None),
        ("import -o s.hscope", None),
        ("import - -o s.hscope", None),
        ("import a.csv -o --help", None),
        ("import --help", None),
        ("import", None),
        ("info -o s.hscope a.csv", None),
    ],
)
def test_only_an_import_without_other_options_is_plain(
    words: str, expected: tuple[list[str], str] | None
) -> None:
    found = plain_import(words.split())
    paths = None if expected is None else ([Path(name) for name in expected[0]], Path(expected[1]))
    assert found == paths


@pytest.mark.parametrize("words", [["missing.csv"], ["missing.csv", "--workers", "0"], ["", "-q"]])
def test_a_plain_import_fails_as_any_other(words: list[str], tmp_path: Path) -> None:
    files = [str(tmp_path / word) if word.endswith(".csv") else word for word in words]
    code = run(["import", *files, "-o", str(tmp_path / "s.hscope")])
    assert code == (2 if "-q" in words else 3)
    assert not (tmp_path / "s.hscope").exists()


def test_the_program_says_its_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"hyperscope {VERSION}\n"
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "resources.version.VERSION"}
    assert "version" not in project["project"]


def test_help_lists_every_command_with_a_line_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= 110
    assert "judge" not in text  # which only the window starts
    for name, entry in COMMANDS.items():
        assert entry.is_hidden or re.search(rf"^  {name} +{re.escape(entry.summary)}$", text, re.MULTILINE), (
            name
        )
        assert build(name).registered_commands or build(name).registered_groups


def test_a_mistyped_command_names_the_nearest_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["imprt"]) == 2
    assert capsys.readouterr().err == (
        "hyperscope: No such command 'imprt'. Did you mean 'import'? Try 'hyperscope --help'.\n"
    )
    assert run(["x\x1b[31m"]) == 2
    assert "No such command" in capsys.readouterr().err


_STOPPED_WHILE_LOADING = """
import sys
moment = sys.argv[1]
class CtrlC:
    def find_spec(self, name, path=None, target=None):
        if name == moment:
            raise KeyboardInterrupt
sys.meta_path.insert(0, CtrlC())
from app.__main__ import main
sys.argv[1:] = ["lab", "list"]
sys.exit(main())
"""


@pytest.mark.parametrize("module", ["app.program", "app.command_line", "app.commands.lab"])
def test_ctrl_c_while_the_program_loads_ends_in_one_line(module: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _STOPPED_WHILE_LOADING, module],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 130
    assert (done.stdout, done.stderr) == ("", "hyperscope: Stopped.\n")


_PRESSED_AT_THE_END = """
import gc, signal, sys
import app.program
from app.__main__ import main
class Pressed:
    def __init__(self, stream):
        self.stream, self.flush = stream, stream.flush
    def write(self, text):
        signal.raise_signal(signal.SIGINT)
        return self.stream.write(text)
def ending(arguments):
    sys.stderr = Pressed(sys.stderr)
    if sys.argv[1] == "interrupted":
        raise KeyboardInterrupt
    return 0
set_handler = signal.signal
def pressed(number, handler):
    if handler == signal.SIG_IGN:
        signal.raise_signal(signal.SIGINT)
    return set_handler(number, handler)
app.program.run, signal.signal, gc.freeze = ending, pressed, lambda: signal.raise_signal(signal.SIGINT)
sys.exit(main())
"""


@pytest.mark.parametrize(("how", "code"), [("interrupted", 130), ("done", 0)])
def test_ctrl_c_again_while_the_program_ends_changes_nothing(how: str, code: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _PRESSED_AT_THE_END, how],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == code, done.stderr
    assert done.stderr == ("hyperscope: Stopped.\n" if code else "")
