"""``version``: what runs here, and what an admin's file says of a newer one; a bad file gets one sentence."""

from __future__ import annotations

import json
import os
import platform
import sys
from contextlib import suppress
from pathlib import Path

import PySide6
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.program import run
from resources.crash_reports import save_crash
from resources.failures import BadInputError, HyperscopeError
from resources.installation import installation
from resources.newer_version import Latest, read_latest
from resources.version import VERSION


def _file(folder: Path, text: str | bytes) -> Path:
    path = folder / "latest.toml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_it_names_the_versions_of_all_that_runs_here(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["version"]) == 0

    [line] = capsys.readouterr().out.splitlines()
    assert line == (
        f"Hyperscope {VERSION} (source), Python {platform.python_version()}, Qt {PySide6.__version__}, "
        f"{platform.platform()}"
    )


def test_qts_version_is_known_without_loading_qt(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = PySide6.__version__
    monkeypatch.delitem(sys.modules, "PySide6")

    assert installation().qt == loaded
    assert "PySide6" not in sys.modules


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('version = "99.0"', "A newer version is there: 99.0."),
        ('version = "99.0"\nwhere = "the share\\u001b[31m"', "A newer version is there: 99.0 (the share"),
        (
            f'version = "{VERSION}"',
            f"No newer version is known: that file says {VERSION}, this is {VERSION}.",
        ),
        ('version = "0.0.9"', f"No newer version is known: that file says 0.0.9, this is {VERSION}."),
    ],
)
def test_a_file_says_whether_a_newer_one_is_there(
    text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["version", "--latest", str(_file(tmp_path, text))]) == 0

    line = capsys.readouterr().out.splitlines()[1]
    assert line.startswith(said)
    assert "\x1b" not in line


def test_a_script_reads_it_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = _file(tmp_path, 'version = "99.1"\nwhere = "\\\\\\\\server\\\\tools"\nnews = "of a later form"')

    assert run(["version", "--latest", str(path), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["version"], told["latest"], told["newer"]) == (VERSION, "99.1", True)
    assert told["where"] == r"\\server\tools"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "version = 2",
        "version = ''",
        "version = '0.2-beta'",
        "version = '1.2.3.4.5'",
        "version = '٣'",
        "version",
        b"\xff\xfe\x00",
        "<html>moved</html>",
        "version = '" + "9" * 70_000 + "'",
        "version = '" + "9" * 6_000 + "'",
        "a = " + "[" * 5_000,
    ],
)
def test_a_bad_file_gets_one_sentence(
    text: str | bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _file(tmp_path, text)

    assert run(["version", "--latest", str(path)]) == BadInputError.exit_code
    told = capsys.readouterr()
    assert told.out == ""
    assert len(told.err.splitlines()) == 1
    assert len(told.err) < 1000
    assert "latest.toml" in told.err


def test_what_is_no_file_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["version", "--latest", str(tmp_path / "none.toml")]) == 3
    assert run(["version", "--latest", str(tmp_path)]) == BadInputError.exit_code
    if os.name == "posix":
        os.mkfifo(tmp_path / "pipe")
        assert run(["version", "--latest", str(tmp_path / "pipe")]) == BadInputError.exit_code


@pytest.mark.parametrize(
    ("newer", "older"), [("0.10", "0.9"), ("1", "0.99.99"), ("1.0.0.1", "1.0"), ("2.0.1", "2.0")]
)
def test_versions_are_compared_by_their_numbers(newer: str, older: str) -> None:
    assert Latest(newer).is_newer(older)
    assert not Latest(older).is_newer(newer)


def test_zeros_at_the_end_make_no_newer_one() -> None:
    assert not Latest("0.2.0").is_newer("0.2")
    assert not Latest("0.2").is_newer("0.2.0.0")


@given(st.binary(max_size=200))
def test_any_bytes_are_a_version_or_a_failure(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = _file(tmp_path_factory.getbasetemp(), data)
    with suppress(HyperscopeError):
        read_latest(path).is_newer()


def test_a_crash_report_begins_with_what_runs_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("resources.crash_reports.crash_folder", lambda: tmp_path)
    save_crash(ValueError("secret"))

    [report] = tmp_path.iterdir()
    text = report.read_text(encoding="utf-8")
    assert text.splitlines()[0] == str(installation())
    assert "secret" not in text
