"""``test jobs`` and ``test job``: what is printed is a job file, with what it does to the disk said first."""

from __future__ import annotations

import json

import pytest

from app.commands.test import job, jobs
from resources.failures import NotFoundError, UsageError


def test_the_list_has_every_job_with_its_inputs(capsys: pytest.CaptureFixture[str]) -> None:
    jobs(as_json=True)
    found = {one["id"]: one for one in json.loads(capsys.readouterr().out)["jobs"]}
    assert found["one-block"]["writes"] == "nothing"
    assert found["dedup-prepare"]["inputs"]["dedupe"] == {
        "title": "Duplicates", "kind": "percent", "default": 50, "from": 0, "to": 100,
    }  # fmt: skip
    jobs(as_json=False)
    assert "random-mixed" in capsys.readouterr().out


def test_a_job_is_printed_line_by_line(capsys: pytest.CaptureFixture[str]) -> None:
    job("random-mixed", ["/dev/sdb", "/dev/sdc"], inputs=["reads=30"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "# overwrites the working set"
    assert "rwmixread=30" in lines
    assert lines.index("[disk1]") < lines.index("filename=/dev/sdb") < lines.index("[disk2]")


def test_what_is_wrong_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(NotFoundError, match="no job nothing"):
        job("nothing", ["/dev/sdb"])
    for inputs in (["reads"], ["reads=x"], ["reads=101"], ["reads=-1"], ["other=1"], ["reads=" + "9" * 30]):
        with pytest.raises(UsageError):
            job("random-mixed", ["/dev/sdb"], inputs=inputs)
    with pytest.raises(UsageError):
        job("fill", ["/dev/sdb\nexec_prerun=reboot"])
    assert capsys.readouterr().out == ""
