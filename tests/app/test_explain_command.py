"""``explain``: the reference on a terminal and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.program import run


def hyperscope(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    capsys.readouterr()
    code = run([str(word) for word in words])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_a_counter_by_its_name_on_the_screen(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = hyperscope(capsys, "explain", "%RDY")
    assert code == 0
    assert out.startswith("cpu.ready: CPU ready\n")
    assert "Screen: CPU (key c). Field: %RDY." in out
    assert "cpu.ready_high" in out


def test_a_problem_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = hyperscope(capsys, "explain", "storage.device_latency", "--json")
    assert code == 0
    [page] = json.loads(out)["pages"]
    assert (page["kind"], page["name"], page["title"]) == (
        "problem", "storage.device_latency", "Slow storage device",
    )  # fmt: skip
    sections = {one["title"]: one["content"] for one in page["sections"]}
    [warn] = [row for row in sections["Thresholds"][0] if row["Threshold"] == "latency_warn"]
    assert warn["Value"].splitlines() == ["10 ms", "HDD: 15 ms", "NVMe: 5 ms"]
    assert {"kind": "counter", "name": "disk.device_latency"} in page["links"]


def test_which_devices_a_problem_is_about_is_told_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = hyperscope(capsys, "explain", "storage.path")
    assert code == 0
    assert 'Of a device whose name does not begin with "mpx.".' in " ".join(out.split())


def test_own_sets_are_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    sets = tmp_path / "sets.toml"
    sets.write_text(
        '[[sets]]\nname = "ours"\nclass = "ssd"\n[sets.numbers]\nlatency_warn = 4.0\n', encoding="utf-8"
    )
    _, out, _ = hyperscope(capsys, "explain", "storage.device_latency", "--thresholds", sets)
    assert "SSD: 4 ms" in out
    assert "SSD: ours v1" in out


def test_a_name_that_there_is_not(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = hyperscope(capsys, "explain", "cpu.redy")
    assert (code, out) == (3, "")
    assert "There is no problem and no counter 'cpu.redy'. Did you mean" in err
    assert "cpu.ready" in err
    code, _, err = hyperscope(capsys, "explain", "\x1b[31mno")
    assert code == 3
    assert "\x1b" not in err
