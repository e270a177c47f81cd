"""An import that was killed leaves a part of a session: the next one says what it is, and may replace it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from app.program import run
from resources.failures import AlreadyExistsError, HyperscopeError, UsageError
from sessions.model import Mark
from sessions.store import SessionReader, SessionWriter
from tests.gui.recordings import capture

SOME = Path(__file__).resolve().parents[2]


def killed_import(file: Path, out: Path) -> None:
    """Import until the session has a source, then kill -9 the whole group."""
    process = subprocess.Popen(
        [sys.executable, "-m", "app", "import", str(file), "-o", str(out)], cwd=SOME, start_new_session=True
    )
    while process.poll() is None and not is_importing(out):
        time.sleep(0.001)
    os.killpg(process.pid, 9)
    process.wait()


def is_importing(out: Path) -> bool:
    """Return True if the session has a source; not while it is being made."""
    with suppress(HyperscopeError), SessionReader.open(out, check=False) as reader:
        return any(one.state == "importing" for one in reader.sources())
    return False


@pytest.fixture
def left(tmp_path: Path) -> tuple[Path, Path]:
    """A capture, and what an import of it left that was killed."""
    file, out = capture(tmp_path / "night.csv", seconds=1800), tmp_path / "S.hscope"
    killed_import(file, out)
    with SessionReader.open(out) as reader:
        assert {one.state for one in reader.sources()} == {"interrupted"}
    return file, out


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL on Windows")
def test_what_a_killed_import_left_is_named_and_replaced_on_wish(
    left: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = left
    before = out.read_bytes()
    assert run(["import", str(file), "-o", str(out)]) == AlreadyExistsError.exit_code
    assert "is what an import left that was interrupted" in (said := capsys.readouterr().err)
    assert "--replace" in said
    assert out.read_bytes() == before
    assert run(["import", str(file), "-o", str(out), "--replace"]) == 0
    with SessionReader.open(out) as reader:
        assert {one.state for one in reader.sources()} == {"complete"}
        span = reader.span()
        assert span is not None
        assert span.seconds > 1700
    assert run(["import", str(file), "-o", str(out), "--replace"]) == AlreadyExistsError.exit_code, (
        "it is whole"
    )


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL on Windows")
def test_what_somebody_has_worked_on_stays(left: tuple[Path, Path]) -> None:
    file, out = left
    with SessionWriter.open(out) as writer:
        writer.add_mark(Mark(1, "seen by mara"))
    assert run(["import", str(file), "-o", str(out), "--replace"]) == AlreadyExistsError.exit_code
    with SessionReader.open(out) as reader:
        assert [one.text for one in reader.marks()] == ["seen by mara"]


def test_what_was_killed_before_its_first_source_is_replaced_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = capture(tmp_path / "night.csv", seconds=60), tmp_path / "S.hscope"
    SessionWriter.create(out, title="just begun").close()
    assert run(["import", str(file), "-o", str(out)]) == AlreadyExistsError.exit_code
    assert "is what an import left that was interrupted" in capsys.readouterr().err
    with SessionWriter.open(out) as writer:
        writer.add_mark(Mark(1, "seen by mara"))
    assert run(["import", str(file), "-o", str(out), "--replace"]) == AlreadyExistsError.exit_code
    out.unlink()
    SessionWriter.create(out, title="just begun").close()
    assert run(["import", str(file), "-o", str(out), "--replace"]) == 0


@pytest.mark.parametrize(
    "words",
    [
        ["report", "S.hscope", "-o", "-"],
        ["report", "S.hscope", "-o", "r.html", "--pdf", "-"],
        ["import", "night.csv", "-o-"],
        ["export", "S.hscope", "--output=-", "--csv"],
        ["record", "lab:demo", "-o", "-"],
        ["lab", "export", "demo", "--output", "-"],
    ],
)
def test_a_dash_is_no_file(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(words) == UsageError.exit_code
    assert " - names no file, and standard output gets none. Name a file." in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
