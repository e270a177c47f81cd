"""What was renamed while it was recorded: every command calls it as it is called now."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from app.program import run
from resources.failures import NotFoundError
from sessions.model import Entity, EntityRef, Fact, Gap, SeriesSpec, SourceSpec
from sessions.store import SessionWriter
from tests.viewmodels.sessions import T0, add_source

HOST, VM, CPU = EntityRef("host", "esx01"), EntityRef("vm", "502a-1"), EntityRef("vcpu", "502a-1/0")
OFF = EntityRef("vm", "502a-2")


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """A VM that is called db-new after a minute, missed a sample with its vCPU, and one that was off."""
    path = tmp_path / "s.hscope"
    with SessionWriter.create(path, durable=False) as writer:
        writer.add_entities([Entity(HOST, "esx01"), Entity(VM, "db-old", HOST), Entity(CPU, "vCPU 0", VM)])
        writer.add_entities([Entity(OFF, "asleep", HOST)])
        specs = [SeriesSpec(VM, "cpu.ready", "%"), SeriesSpec(HOST, "cpu.pcpu_util", "%")]
        source = SourceSpec("vcenter", "vc", 20)
        add_source(writer, source, specs, np.full((60, 2), 12.0), every_s=20)
        writer.add_facts([Fact(VM, "name", "db-old", T0), Fact(VM, "name", "db-new", T0 + 60_000)])
        gaps = [Gap(1, T0 + 20_000, T0 + 20_000, "lost", one, 1) for one in (VM, CPU)]
        writer.add_gaps(gaps)
    return path


def printed(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    capsys.readouterr()
    assert run([str(word) for word in words]) == 0
    return capsys.readouterr().out


def test_query_finds_and_shows_it(session: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(printed(capsys, "query", session, "--entity", "db-new", "--json"))
    assert [one["entity"] for one in found["series"]] == [{"kind": "vm", "name": "db-new"}]
    assert "db-new" in printed(capsys, "query", session)


def test_info_names_it_where_its_samples_are_missing(
    session: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = printed(capsys, "info", session)
    assert "(1 instant), vm db-new: lost" in said
    assert "vcpu db-new › vCPU 0: lost" in said
    assert "502a" not in said


def test_diagnose_names_it(session: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(printed(capsys, "diagnose", session, "--json", "--no-keep"))
    named = {one["entity"]["name"] for one in found["findings"]} | {
        name for one in found["findings"] for name in one["conclusion"].split() if name.startswith("db")
    }
    assert "db-new" in named
    assert "db-old" not in named


def test_export_names_it(session: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    printed(capsys, "export", session, "-o", tmp_path / "out", "--csv")
    tables = {
        name: list(csv.DictReader((tmp_path / "out" / f"{name}.csv").read_text("utf-8").splitlines()))
        for name in ("entities", "samples")
    }
    assert {row["name"] for row in tables["entities"] if row["kind"] == "vm"} == {"db-new", "asleep"}
    assert {row["entity"] for row in tables["samples"] if row["kind"] == "vm"} == {"db-new"}


def test_query_says_that_nothing_was_measured(session: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["query", str(session), "--entity", "asleep"]) == NotFoundError.exit_code
    assert "Nothing was measured of 'asleep'" in capsys.readouterr().err
