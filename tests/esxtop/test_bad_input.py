"""What is not a capture: one clear sentence, its own exception, and nothing left behind."""

from __future__ import annotations

import os
import sys
import zipfile
from pathlib import Path

import pytest

from collectors.esxtop.importing import import_captures
from resources.failures import (
    AccessDeniedError,
    AlreadyExistsError,
    BadInputError,
    HyperscopeError,
    NotACaptureError,
    NotFoundError,
    UsageError,
)
from tests.esxtop.captures import capture

PERFMON = (
    '"(PDH-CSV 4.0) (India Standard Time)(-330)","\\\\WIN1\\Memory\\Available MBytes",'
    '"\\\\WIN1\\Processor(_Total)\\% Processor Time"\r\n"03/09/2026 14:21:35.123","512","3.5"\r\n'
)
NOT_CAPTURES = {
    "empty": (b"", "is empty"),
    "HTML": (b"\n<!DOCTYPE html><html><body>Sign in</body></html>", "web page"),
    "perfmon": (PERFMON.encode(), "Windows Performance Monitor"),
    "typeperf": (b'"(PDH-CSV 4.0)","\\\\W\\Processor(0)\\% Idle Time"\r\n', "Windows Performance Monitor"),
    "binary": (bytes(range(256)) * 10, "binary"),
    "another CSV": (b"name,value\na,1\nb,2\n", "not an esxtop batch capture"),
    "text": (b"esxtop: command not found\n", "not an esxtop batch capture"),
    "rows without a header": (b'"03/09/2026 14:21:35","1.00","2.00",\n', "not an esxtop batch capture"),
    "a header of nothing": (b'"(PDH-CSV 4.0) (UTC)(0)"\n', "without a single column"),
    "JSON": (b'{"a": [1, 2]}', "not an esxtop batch capture"),
    "a workbook": (b"PK\x03\x04rest", "Excel"),
    "a session": (b"SQLite format 3\x00rest", "database"),
    "gzip of nothing": (b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03", "unpacked"),
    "blank lines": (b"\n\n\n", "not an esxtop batch capture"),
}


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "s.hscope"


@pytest.mark.parametrize(("content", "says"), NOT_CAPTURES.values(), ids=NOT_CAPTURES.keys())
def test_not_a_capture(content: bytes, says: str, tmp_path: Path, out: Path) -> None:
    (tmp_path / "a.csv").write_bytes(content)
    with pytest.raises(NotACaptureError, match=says):
        import_captures([tmp_path / "a.csv"], out)
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]


@pytest.mark.skipif(sys.platform != "linux", reason="a file whose reading fails, as on a broken disk")
def test_a_file_that_the_disk_does_not_give(out: Path) -> None:
    with pytest.raises(BadInputError, match="Input/output error"):
        import_captures([Path("/proc/self/mem")], out)
    assert not out.exists()


def test_one_bad_file_among_good_ones(tmp_path: Path, out: Path) -> None:
    (tmp_path / "b.csv").write_text("no")
    with pytest.raises(NotACaptureError, match=r"b\.csv"):
        import_captures([capture(2).save(tmp_path / "a.csv"), tmp_path / "b.csv"], out)
    assert not out.exists()


def test_a_directory_and_a_missing_file(tmp_path: Path, out: Path) -> None:
    with pytest.raises(NotACaptureError, match="directory"):
        import_captures([tmp_path], out)
    with pytest.raises(NotFoundError, match="There is no file"):
        import_captures([tmp_path / "nothing.csv"], out)
    with pytest.raises(UsageError):
        import_captures([], out)
    assert not out.exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_not_waited_for(tmp_path: Path, out: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(NotACaptureError, match="regular file"):
        import_captures([tmp_path / "pipe"], out)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_file_that_may_not_be_read(tmp_path: Path, out: Path) -> None:
    file = capture(2).save(tmp_path / "a.csv")
    file.chmod(0)
    with pytest.raises(AccessDeniedError):
        import_captures([file], out)


def test_an_output_that_exists_is_left_alone(tmp_path: Path, out: Path) -> None:
    out.write_text("mine")
    with pytest.raises(AlreadyExistsError):
        import_captures([capture(2).save(tmp_path / "a.csv")], out)
    assert out.read_text() == "mine"


def test_an_output_folder_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        import_captures([capture(2).save(tmp_path / "a.csv")], tmp_path / "no" / "s.hscope")
    assert not (tmp_path / "no").exists()


def test_sentences_are_sentences(tmp_path: Path, out: Path) -> None:
    """What happened ends in a full stop and names the file, so that it can stand on a line of its own."""
    for number, (content, _) in enumerate(NOT_CAPTURES.values()):
        file = tmp_path / f"{number}.csv"
        file.write_bytes(content)
        with pytest.raises(HyperscopeError) as caught:
            import_captures([file], out)
        assert caught.value.happened.endswith(".")
        assert str(file) in caught.value.happened
        assert "\n" not in str(caught.value)


def test_a_zip_of_a_capture_is_named_as_one(tmp_path: Path, out: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.csv", "w") as archive:
        archive.writestr("capture.csv", capture(2).text())
    with pytest.raises(NotACaptureError, match="ZIP"):
        import_captures([tmp_path / "a.csv"], out)
