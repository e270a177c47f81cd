"""``test own``: a file of vscsiStats becomes a job, and a later one is compared with it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.commands.test_own import own
from resources.failures import NotFoundError, UsageError
from tests.vscsistats.conftest import SIZES, block, database


@pytest.fixture
def capture(tmp_path: Path) -> Path:
    """A capture of two disks."""
    path = tmp_path / "db.csv"
    path.write_text(
        database() + block("IO lengths of commands", SIZES, {512: 4}, handle="8194 (scsi0:0)"),
        encoding="utf-8",
    )
    return path


def test_without_a_disk_it_lists_what_the_file_has(capture: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own(capture, as_json=True)
    disks = json.loads(capsys.readouterr().out)["disks"]
    assert [(disk["name"], disk["commands"]) for disk in disks] == [("scsi0:1", 10_000), ("scsi0:0", 4)]
    own(capture)
    assert "scsi0:1" in capsys.readouterr().out


def test_the_job_says_first_what_it_does_to_the_disk(
    capture: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own(capture, ["/dev/sdb"], size_gb=100)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "# overwrites the working set"
    assert lines[1].startswith("# 70 % reads, 12 outstanding")
    assert "bssplit=8192/80:65536/20,8192/100" in lines
    assert any(line.startswith("random_distribution=zoned_abs:35/7680000:65/") for line in lines)


def test_a_run_is_compared_with_the_original(
    capture: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    later = tmp_path / "later.csv"
    later.write_text(
        database().replace("8600,8192", "0,8192").replace("0,4096", "8600,4096", 1), encoding="utf-8"
    )
    own(capture, compare=later, as_json=True)
    found = {(one["quantity"], one["of"]): one for one in json.loads(capsys.readouterr().out)["differences"]}
    assert found["size", "all"]["distance"] == pytest.approx(0.86)
    assert found["size", "all"]["verdict"] == "different"
    assert found["latency", "all"] == {
        "quantity": "latency",
        "of": "all",
        "distance": 0.0,
        "verdict": "the same",
    }
    own(capture, compare=later)
    assert "86 %" in capsys.readouterr().out


def test_what_is_wrong_prints_nothing(capture: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(NotFoundError, match="no virtual disk scsi9:9"):
        own(capture, ["/dev/sdb"], virtual_disk="scsi9:9")
    with pytest.raises(UsageError):
        own(capture, ["/dev/sdb\nexec_prerun=reboot"])
    assert capsys.readouterr().out == ""
