"""``thresholds`` and ``diagnose --thresholds``: what is listed, shown, checked, and said of a broken file."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from app.program import run
from sessions.model import Entity, EntityRef, Fact, SeriesSpec, SourceSpec
from sessions.store import SessionWriter

START = 1_790_000_000_000
SETS = """
[[sets]]
name = "SSD, yours"
class = "ssd"
version = 3
saved = "2026-11-22"
note = "our array's contract"
[sets.numbers]
latency_warn = 4.0
[[chosen]]
pattern = "naa.6*"
class = "ssd"
"""
LUN = EntityRef("device", "naa.600508b4000603860000000000000001")


@pytest.fixture
def sets(tmp_path: Path) -> Path:
    path = tmp_path / "sets.toml"
    path.write_text(SETS, encoding="utf-8")
    return path


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """Twenty minutes of a LUN that takes 6 ms."""
    path = tmp_path / "slow.hscope"
    numbers = {"disk.device_latency": 6.0, "disk.commands": 300.0, "disk.active": 2.0, "disk.queued": 0.0}
    with SessionWriter.create(path, durable=False) as writer:
        source = writer.add_source(SourceSpec("esxtop", "esx01", 20.0))
        writer.add_entities([Entity(LUN, LUN.key)])
        writer.add_facts([Fact(LUN, "device.vendor", "PURE", START)])
        specs = [SeriesSpec(LUN, counter, "ms") for counter in numbers]
        layout = writer.ticks.add_layout(source, writer.add_series(source, specs))
        writer.ticks.append_ticks(
            [(layout, START + 20_000 * at, np.array(list(numbers.values()))) for at in range(60)]
        )
    return path


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the preferences, empty at first."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path / "config" / "hyperscope"


def hyperscope(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    capsys.readouterr()
    code = run([str(word) for word in words])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_the_shipped_sets_are_listed_with_all_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = hyperscope(capsys, "thresholds", "list", "--thresholds", "shipped", "--json")
    told = json.loads(out)
    assert code == 0
    assert [one["class"] for one in told["sets"]] == ["other", "hdd", "hybrid", "vsan", "ssd", "nvme"]
    assert all(one["judges"] and one["shipped"] and one["version"] is None for one in told["sets"])
    for one in told["sets"]:
        for number in one["numbers"]:
            assert number["low"] <= number["value"] == number["shipped"] <= number["high"]
            assert number["unit"]
            assert number["source"]


def test_a_set_is_shown_beside_what_ships(sets: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = hyperscope(capsys, "thresholds", "show", "ssd", "--thresholds", sets)
    assert code == 0
    assert "SSD, yours v3 of 2026-11-22 (yours, in use)" in out
    assert "our array's contract" in out
    assert "latency_warn  4 ms, shipped: 10 ms" in out
    assert "unusual       2 ms\n" in out
    code, _, err = hyperscope(capsys, "thresholds", "show", "tape")
    assert code == 3
    assert "There is no set or class 'tape'." in err


def test_a_file_is_checked(sets: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = hyperscope(capsys, "thresholds", "check", sets)
    assert code == 0
    assert "can be used: 1 set, and 1 class chosen by name." in out
    sets.write_text(SETS.replace("4.0", "-4"), encoding="utf-8")
    code, out, err = hyperscope(capsys, "thresholds", "check", sets)
    assert code != 0
    assert out == ""
    assert "set 'SSD, yours': Device latency, warning can't be -4" in err
    assert len(err.strip().splitlines()) == 1


def test_diagnose_judges_with_a_file(session: Path, sets: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = hyperscope(capsys, "diagnose", session, "--json")
    assert json.loads(out)["findings"] == []
    _, out, _ = hyperscope(capsys, "diagnose", session, "--thresholds", sets, "--json")
    told = json.loads(out)
    [found] = told["findings"]
    assert (found["problem"], found["evidence"][0]["threshold"]) == ("storage.device_latency", 4.0)
    assert told["verdict"]["judged_with"] == ["SSD, yours v3 of 2026-11-22"]
    _, out, _ = hyperscope(capsys, "diagnose", session, "--thresholds", sets)
    assert "Judged with SSD, yours v3 of 2026-11-22." in out
    assert "you chose it for names like naa.6*" in out


def test_a_broken_file_is_told_and_the_shipped_sets_judge(
    session: Path, sets: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sets.write_text("[[[", encoding="utf-8")
    code, out, err = hyperscope(capsys, "diagnose", session, "--thresholds", sets, "--json")
    sentence = "The shipped limits judge storage: sets.toml can't be used: it is not TOML"
    assert code == 0
    assert sentence in err
    told = json.loads(out)
    assert told["findings"] == []
    assert told["verdict"]["thresholds_trouble"].startswith(sentence)
    code, _, err = hyperscope(capsys, "diagnose", session, "--thresholds", sets.with_name("none.toml"))
    assert (code, "The shipped limits judge storage: There is no file" in err) == (0, True)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux takes the folder from a variable")
def test_without_the_option_the_sets_of_the_preferences_judge(
    session: Path, own_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own_folder.mkdir(parents=True)
    (own_folder / "thresholds.toml").write_text(SETS, encoding="utf-8")
    _, out, _ = hyperscope(capsys, "diagnose", session, "--json")
    assert json.loads(out)["verdict"]["judged_with"] == ["SSD, yours v3 of 2026-11-22"]
    _, out, _ = hyperscope(capsys, "diagnose", session, "--thresholds", "shipped", "--json")
    assert json.loads(out)["verdict"]["judged_with"] == []


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux takes the folder from a variable")
def test_the_demo_is_judged_with_what_ships(
    tmp_path: Path, own_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own_folder.mkdir(parents=True)
    (own_folder / "thresholds.toml").write_text(SETS, encoding="utf-8")
    demo = tmp_path / "demo.hscope"
    words = ("demo", "--headless", "--duration", "60", "--json", "-o")
    _, out, _ = hyperscope(capsys, *words, demo)
    assert json.loads(out)["verdict"]["judged_with"] == []
    _, out, _ = hyperscope(capsys, "diagnose", demo, "--json")
    assert json.loads(out)["verdict"]["judged_with"] == ["SSD, yours v3 of 2026-11-22"]


def test_settings_that_cannot_be_looked_at_are_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # As under sudo, with the home of somebody else; root is refused only a name that is too long.
    monkeypatch.setattr("app.own_thresholds.settings_folder", lambda: Path("x" * 300))
    for arguments in (["thresholds", "list"], ["explain", "cpu.ready_high"]):
        assert run(arguments) == 0
        printed = capsys.readouterr()
        assert "shipped" in printed.out or "cpu.ready" in printed.out
        assert printed.err.count("\n") == 1
        assert "The shipped limits judge storage: " in printed.err
