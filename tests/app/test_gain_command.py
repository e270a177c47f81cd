"""``test gain``: an answer, and what it says where there is none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.commands.test import commands
from resources.failures import NotFoundError, UsageError
from tests.wizards.recorded_placements import write
from tests.wizards.test_drs_gain import EVEN, WORST


def gain(*words: str) -> tuple[str, BaseException | None]:
    done = CliRunner().invoke(commands, ["gain", *words])
    return done.stdout, done.exception


def test_the_verdict_the_hosts_and_what_would_move(tmp_path: Path) -> None:
    text, error = gain(str(write(tmp_path / "s.hscope", {"Perf": WORST})))
    assert error is None
    lines = text.splitlines()
    assert lines[0].startswith("DRS would help here: about +33.3 % by ")
    assert "Cluster Perf: 4 hosts, 16 VMs" in text
    assert "the test DRS balance measures it" in text
    perf1 = next(line for line in lines if line.split()[:1] == ["perf1"])
    assert perf1.split() == ["perf1", "4", "8", "cores", "11.2", "cores", "140", "%", *perf1.split()[-2:]]
    assert any(line.split()[1:3] in (["perf1", "perf3"], ["perf1", "perf4"]) for line in lines)


def test_as_json(tmp_path: Path) -> None:
    path = write(tmp_path / "s.hscope", {"Even": EVEN, "Worst": WORST})
    text, error = gain(str(path), "--json", "--cluster", "Worst")
    assert error is None
    (found,) = json.loads(text)["clusters"]
    assert found["cluster"] == "Worst"
    assert found["valid"]
    assert found["figures"][0]["name"] == "gain by the model"
    assert found["figures"][0]["value"] == pytest.approx(33.3, abs=0.8)
    assert {one["host"]: round(one["percent"]) for one in found["hosts"]} == {
        "worst1.example.com": 140, "worst2.example.com": 140,
        "worst3.example.com": 20, "worst4.example.com": 20,
    }  # fmt: skip
    assert all(one["from"] != one["to"] for one in found["moves"])


@pytest.mark.parametrize(
    ("hosts", "seconds", "counters", "sentence"),
    [
        (WORST, 300, ("cpu.used",), "too little was recorded (5 min, needed: ≥ 10 min)"),
        (("4H",), 1800, ("cpu.used",), "there is one host only (1 host, needed: ≥ 2)"),
        (WORST, 1800, ("cpu.ready",), "no CPU counters of VMs were recorded (0 VMs, needed: ≥ 1)"),
    ],
)
def test_without_an_answer_it_fails_and_says_why(
    tmp_path: Path, hosts: tuple[str, ...], seconds: int, counters: tuple[str, ...], sentence: str
) -> None:
    path = write(tmp_path / "s.hscope", {"Perf": hosts}, seconds, counters=counters)
    text, error = gain(str(path))
    assert text == ""
    assert isinstance(error, NotFoundError)
    assert error.exit_code == 3
    assert sentence in error.happened
    assert "Cluster Perf: " in error.meaning
    assert error.advice
    text, error = gain(str(path), "--json")
    assert isinstance(error, NotFoundError)
    assert json.loads(text)["clusters"][0]["valid"] is False


def test_a_time_outside_the_session_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "s.hscope", {"Perf": WORST})
    _, error = gain(str(path), "--from", "2030-01-01T00:00")
    assert isinstance(error, UsageError)


def test_a_hostile_name_is_shown_and_not_obeyed(tmp_path: Path) -> None:
    path = write(tmp_path / "s.hscope", {"Perf\x1b[31m": WORST}, names="vm\x1b[2J\nx")
    text, error = gain(str(path))
    assert error is None
    assert "\x1b" not in text
    assert sum("Cluster Perf" in line for line in text.splitlines()) == 1
