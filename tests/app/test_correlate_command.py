"""``correlate`` as an admin types it: on a lab recording with a known culprit, and where it can't answer."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.cells import cell_len

from app.program import run
from lab import Lab, load_scenarios, record_lab
from sessions.model import Entity, EntityRef, SeriesSpec, SourceSpec
from sessions.store import SessionReader, SessionWriter, encode_block
from sessions.times import iso


@pytest.fixture(scope="module")
def lab() -> Lab:
    return Lab(load_scenarios()["storage-latency-noisy-neighbour"], seed=3)


@pytest.fixture(scope="module")
def session(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("correlate") / "noisy.hscope"
    with SessionWriter.create(path, durable=False) as writer:
        record_lab(lab, writer)
    return path


@pytest.fixture(scope="module")
def cast(lab: Lab) -> dict[str, str]:
    cluster = lab.cluster
    return {
        "noisy": cluster.vms[cluster.cast["noisy"].members[0]].name,
        "quiet": cluster.vms[cluster.cast["quiet"].members[0]].name,
        "lun": cluster.luns[cluster.cast["lun"].members[0]].name,
    }


def printed(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    capsys.readouterr()
    code = run([str(word) for word in words])
    said = capsys.readouterr()
    assert code == 0, said.err
    return said.out


def refused(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    capsys.readouterr()
    assert run([str(word) for word in words]) != 0
    said = capsys.readouterr()
    assert not said.out
    assert said.err.count("\n") == 1
    return said.err


def asked(capsys: pytest.CaptureFixture[str], *words: object) -> Any:
    return json.loads(printed(capsys, "correlate", *words, "--json"))


def test_the_noisy_neighbour_is_first(
    capsys: pytest.CaptureFixture[str], session: Path, cast: dict[str, str]
) -> None:
    series = ("--entity", f"vm:{cast['quiet']}", "--counter", "disk.guest_latency", "--instance", cast["lun"])
    found = asked(capsys, session, *series)
    first = found["ranked"][0]
    assert first["entity"] == {"kind": "vm", "name": cast["noisy"]}
    assert first["role"] == "culprit"
    assert first["makes"] == "load"
    assert first["shares"]["entity"]["name"] == cast["lun"]
    assert found["of"]["instance"] == cast["lun"]
    assert all(0 <= row["score"] <= 1 for row in found["ranked"])
    assert {row["role"] for row in found["ranked"]} >= {"culprit", "victim"}
    assert cast["quiet"] not in [row["entity"]["name"] for row in found["ranked"]]


@pytest.mark.parametrize("width", [80, 120])
def test_each_row_says_why_it_is_there_within_the_width(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    session: Path,
    cast: dict[str, str],
    width: int,
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    series = ("--entity", f"vm:{cast['quiet']}", "--counter", "disk.guest_latency", "--instance", cast["lun"])
    text = printed(capsys, "correlate", session, *series)
    assert max(cell_len(line) for line in text.splitlines()) <= width
    whole = " ".join(text.split())
    assert re.search(rf"1 {re.escape(cast['noisy'])} \(vm on esx\S+\): makes the load, score 0\.\d\d", whole)
    assert re.search(rf"on average\. {re.escape(cast['noisy'])} on esx\S+ makes the load\.", whole)
    assert re.search(r"rose .{5,40}\(±5 s\), .{5,60}, same LUN", whole)


def test_a_stored_finding_can_be_asked(
    capsys: pytest.CaptureFixture[str], session: Path, cast: dict[str, str]
) -> None:
    printed(capsys, "diagnose", session)
    with SessionReader.open(session) as reader:
        findings = list(reader.findings())
    number = 1 + next(n for n, one in enumerate(findings) if one.problem == "storage.device_latency")
    found = asked(capsys, session, "--finding", number)
    assert found["of"]["entity"]["name"] == cast["lun"]
    assert found["ranked"][0]["entity"]["name"] == cast["noisy"]
    assert "There is no finding 99" in refused(capsys, "correlate", session, "--finding", 99)


def test_a_window_alone_is_enough(capsys: pytest.CaptureFixture[str], session: Path) -> None:
    with SessionReader.open(session) as reader:
        span = reader.span()
    assert span is not None
    found = asked(
        capsys, session, "--from", iso(span.start + 300_000), "--to", iso(span.start + 500_000), "--top", 3
    )
    assert found["of"] is None
    assert len(found["ranked"]) <= 3
    assert found["baseline"] is not None


def test_nothing_ranked_says_why(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """An empty list alone does not tell whether nothing moved or nothing could be compared."""
    path, vm = tmp_path / "alone.hscope", EntityRef("vm", "only")
    with SessionWriter.create(path, durable=False) as writer:
        source = writer.add_source(SourceSpec("esxtop", "esx01", 5.0))
        writer.add_entities([Entity(vm, "only")])
        series = writer.add_series(source, [SeriesSpec(vm, "cpu.ready", "%")])
        times = 1_800_000_000_000 + np.arange(200, dtype=np.int64) * 5000
        writer.add_block(
            writer.add_layout(source, series), encode_block(times, np.sin(np.arange(200.0)).reshape(200, 1))
        )
    found = asked(capsys, path, "--entity", "vm:only", "--counter", "cpu.ready")
    assert found["ranked"] == []
    assert found["why"].startswith("Nothing moved with it beyond chance.")
    text = printed(capsys, "correlate", path, "--entity", "vm:only", "--counter", "cpu.ready")
    assert "A time is chosen with --from and --to." in text


def test_of_an_entity_that_is_slow_by_itself_no_other_time_is_advised(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path, vm, other = tmp_path / "alone.hscope", EntityRef("vm", "only"), EntityRef("vm", "other")
    noise = np.random.default_rng(1).normal(5.0, 0.1, (400, 3))
    noise[200:300, :2] += 20.0
    with SessionWriter.create(path, durable=False) as writer:
        source = writer.add_source(SourceSpec("esxtop", "esx01", 5.0))
        writer.add_entities([Entity(vm, "only"), Entity(other, "other")])
        series = writer.add_series(
            source,
            [
                SeriesSpec(vm, "cpu.ready", "%"),
                SeriesSpec(vm, "cpu.costop", "%"),
                SeriesSpec(other, "cpu.run", "%"),
            ],
        )
        times = 1_800_000_000_000 + np.arange(400, dtype=np.int64) * 5000
        writer.add_block(writer.add_layout(source, series), encode_block(times, noise))
    text = printed(capsys, "correlate", path, "--entity", "vm:only", "--counter", "cpu.ready")
    assert "Nothing outside of the entity itself moved with it" in text
    assert "--from" not in text


def test_what_does_not_fit_is_told_in_one_sentence(
    capsys: pytest.CaptureFixture[str], session: Path, tmp_path: Path
) -> None:
    assert "nothing to compare with" in refused(capsys, "correlate", session)
    assert "Give both --entity and --counter" in refused(capsys, "correlate", session, "--entity", "x")
    assert "No entity is called 'x'" in refused(
        capsys, "correlate", session, "--entity", "x", "--counter", "y"
    )
    empty = tmp_path / "empty.hscope"
    with SessionWriter.create(empty, durable=False):
        pass
    assert "This session has no samples" in refused(capsys, "correlate", empty, "--from", "2026-01-01")
    both = ("--finding", 1, "--entity", "x", "--counter", "y")
    assert "--finding names the series itself" in refused(capsys, "correlate", session, *both)
