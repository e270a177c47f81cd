"""``hyperscope compare`` as an admin types it: text at 80 and 120 columns, JSON, CSV, and how it refuses."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.program import run
from sessions.model import Entity, EntityRef, Event, Fact, FloatArray, SeriesSpec, SourceSpec
from sessions.store import SessionReader, SessionWriter, encode_block
from sessions.times import parse_time

START = parse_time("2026-11-21T14:00:00Z")
N = 720
A, B = "2026-11-21T14:00..2026-11-21T14:29:55", "2026-11-21T14:30..2026-11-21T14:59:55"
HOST, VM, LUN = EntityRef("host", "esx01"), EntityRef("vm", "esx01/vm/11"), EntityRef("device", "naa.1")

Say = Callable[..., tuple[int, str, str]]


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Say:
    def command(*words: object, columns: int = 120) -> tuple[int, str, str]:
        monkeypatch.setenv("COLUMNS", str(columns))
        capsys.readouterr()
        code = run(["compare", *map(str, words)])
        said = capsys.readouterr()
        return code, said.out, said.err

    return command


def noise(level: float, spread: float, seed: int, factor: float = 1.0) -> FloatArray:
    values = np.random.default_rng(seed).normal(level, spread, N).clip(0)
    values[N // 2 :] *= factor
    return values.round(3)


def written(path: Path, *, name: str = "db-prod", start: int = START, factor: float = 0.02) -> Path:
    """An hour of a host, a VM and a LUN; after half an hour the VM waits less."""
    columns = {
        SeriesSpec(HOST, "cpu.pcpu_util", "%"): noise(40, 1, 1),
        SeriesSpec(VM, "cpu.ready", "%"): noise(32, 3, 2, factor),
        SeriesSpec(VM, "cpu.used", "%"): noise(50, 2, 3, 1 / max(factor, 0.5)),
        SeriesSpec(LUN, "disk.commands", "/s"): noise(1000, 20, 4),
        SeriesSpec(LUN, "disk.device_latency", "ms"): noise(4, 0.1, 5),
        SeriesSpec(VM, "raw/Odd/\x1b[31mthing", "odds\x07"): noise(9, 0.1, 6, 2.0),
    }
    times = start + np.arange(N, dtype=np.int64) * 5000
    with SessionWriter.create(path, durable=False) as writer:
        source = writer.add_source(SourceSpec("esxtop", "esx01", 5.0))
        writer.add_entities([Entity(HOST, "esx01"), Entity(VM, name, HOST), Entity(LUN, "naa.1")])
        layout = writer.add_layout(source, writer.add_series(source, list(columns)))
        writer.add_block(layout, encode_block(times, np.stack(list(columns.values()), axis=1)))
        writer.add_facts([Fact(VM, "cpu.limit_mhz", 2000.0, start, start + 1_790_000)])
        writer.add_events([Event(start + 1_790_000, "reconfigure", "CPU limit removed", VM)])
    return path


@pytest.fixture
def session(tmp_path: Path) -> Path:
    return written(tmp_path / "friday.hscope")


def document(said: tuple[int, str, str]) -> Any:
    code, out, err = said
    assert code == 0, err
    return json.loads(out)


def test_before_against_after_in_json(say: Say, session: Path) -> None:
    found = document(say(session, "--a", A, "--b", B, "--json"))
    assert found["a"] == ["2026-11-21T14:00:00Z", "2026-11-21T14:29:55Z"]
    assert found["b"] == ["2026-11-21T14:30:00Z", "2026-11-21T14:59:55Z"]
    assert found["same_load"] is True
    rows = {(row["entity"]["name"], row["counter"]): row for row in found["rows"]}
    ready = rows["db-prod", "cpu.ready"]
    assert (ready["verdict"], ready["judged"], ready["unit"]) == ("lower", "better", "%")
    assert ready["difference"] == pytest.approx(ready["b"]["mean"] - ready["a"]["mean"])
    assert ready["ratio"] == pytest.approx(ready["b"]["mean"] / ready["a"]["mean"])
    assert ready["interval"][0] < ready["difference"] < ready["interval"][1]
    assert rows["naa.1", "disk.device_latency"]["verdict"] == "same"
    assert found["counts"] == {"higher": 2, "lower": 1, "same": 3, "undecided": 0}
    assert found["correction"] == {"method": "Benjamini-Hochberg", "comparisons": 6, "rate": 0.05}
    assert [one["setting"] for one in found["changes"]] == ["cpu.limit_mhz"]
    assert found["events"][0]["text"] == "CPU limit removed"


def test_percentiles_are_those_of_the_raw_samples(say: Say, session: Path) -> None:
    found = document(say(session, "--a", A, "--b", B, "--json"))
    with SessionReader.open(session) as reader:
        (frame,) = reader.read(np.array([one.id for one in reader.series()]))
        counters = [one.counter for one in reader.series()]
    for row in found["rows"]:
        values = frame.values[:, counters.index(row["counter"])]
        for side, samples in (("a", values[: N // 2]), ("b", values[N // 2 :])):
            assert row[side]["n"] == N // 2
            truth = np.percentile(samples, [50, 95, 99]).tolist()
            assert [row[side][name] for name in ("p50", "p95", "p99")] == truth


@pytest.mark.parametrize("columns", [80, 120])
def test_the_text_fits_and_says_what_matters_first(say: Say, session: Path, columns: int) -> None:
    code, out, err = say(session, "--a", A, "--b", B, columns=columns)
    assert (code, err) == (0, "")
    assert all(len(line) <= columns for line in out.splitlines())
    assert "Same load? Yes." in out
    assert "1 better, 0 worse, 2 to know." in out
    assert "Corrected for all 6 comparisons" in " ".join(out.split())
    table = out[out.index("#  ") :].splitlines()
    assert "db-prod" in table[1]
    assert "CPU ready" in table[1]
    assert "points" in table[1]
    assert "better" in table[1]
    assert "CPU limit 2 GHz → unlimited" in out
    assert "CPU limit removed" in out
    assert ("interval" in out) == (columns == 120)


def test_numbers_that_no_host_can_have_are_left_out_and_counted(say: Say, tmp_path: Path) -> None:
    """One sample of 1e15 % was a host 27 billion times as busy, and a load that could not be compared."""
    path = tmp_path / "wild.hscope"
    busy, negative = noise(40, 1, 1), np.full(N, -5.0)
    busy[100] = 1e15
    columns = {SeriesSpec(HOST, "cpu.pcpu_util", "%"): busy, SeriesSpec(VM, "cpu.ready", "%"): negative}
    with SessionWriter.create(path, durable=False) as writer:
        source = writer.add_source(SourceSpec("esxtop", "esx01", 5.0))
        writer.add_entities([Entity(HOST, "esx01"), Entity(VM, "db-prod", HOST)])
        layout = writer.add_layout(source, writer.add_series(source, list(columns)))
        times = START + np.arange(N, dtype=np.int64) * 5000
        writer.add_block(layout, encode_block(times, np.stack(list(columns.values()), axis=1)))
    code, out, err = say(path, "--a", A, "--b", B)
    assert (code, err) == (0, "")
    assert "Same load? Yes." in out
    words = " ".join(out.split())
    assert "Of 1 series 1 are the same" in words
    assert words.count("2 series have samples that no host can have: they are left out.") == 1


def test_hostile_names_are_shown_not_obeyed(say: Say, tmp_path: Path) -> None:
    path = written(tmp_path / "x.hscope", name="\x1b]0;gotcha\x07=cmd()\u202eevil\n" + "n" * 200)
    for words in ((), ("--json",), ("--csv",)):
        code, out, _ = say(path, "--a", A, "--b", B, *words, columns=80)
        assert code == 0
        if words != ("--csv",):
            assert not set(out) & {"\x1b", "\x07", "\u202e"}
    assert not any(line.startswith("=") for line in out.splitlines())


def test_csv_has_a_line_for_each_row(say: Say, session: Path) -> None:
    code, out, _ = say(session, "--a", A, "--b", B, "--csv", "--counter", "cpu.*")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert code == 0
    assert {row["counter"] for row in rows} == {"cpu.ready", "cpu.used", "cpu.pcpu_util"}
    assert {row["n_a"] for row in rows} == {"360"}
    assert float(rows[0]["low"]) < float(rows[0]["difference"]) < float(rows[0]["high"])


def test_parts_are_compared_where_they_are_asked_for(say: Say, session: Path) -> None:
    whole = document(say(session, "--entity", "host:esx01", "--json"))
    assert {row["entity"]["name"] for row in whole["rows"]} == {"esx01"}
    parts = document(say(session, "--entity", "host:esx01", "--parts", "--json"))
    assert {row["entity"]["name"] for row in parts["rows"]} == {"esx01", "db-prod"}


def test_two_sessions_are_joined_and_the_rename_is_told(say: Say, session: Path, tmp_path: Path) -> None:
    other = written(tmp_path / "monday.hscope", name="db-old", start=START + 3 * 86_400_000)
    found = document(say(session, other, "--json"))
    assert {one["what"] for one in found["changes"] if one["entity"]["kind"] == "vm"} == {"gone", "added"}
    later = written(tmp_path / "tuesday.hscope", start=START + 86_400_000, factor=1.0)
    fixed = document(say(session, later, "--a", B, "--json", "--entity", "db-prod"))
    ready = next(row for row in fixed["rows"] if row["counter"] == "cpu.ready")
    assert (ready["verdict"], ready["judged"], ready["joined_by"]) == ("higher", "worse", "key")


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (("--entity", "nobody"), 3, "No entity is called 'nobody', in A nor in B."),
        (("--counter", "gpu.*"), 3, "Nothing called '*' with counters 'gpu.*' was measured in both windows."),
        (("--a", "yesterday", "--b", B), 2, "--a 'yesterday' is no window."),
        (("--a", A, "--b", A), 2, "A and B overlap"),
        (("--a", A, "--b", "2027-01-01..2027-01-02"), 3, "nothing in window B"),
        (("--a", A, "--b", B, "--leave-out", A), 3, "Window A has no samples."),
        (
            (
                "--a",
                "2026-11-21T14:30..2026-11-21T14:00",
            ),
            2,
            "ends before it begins",
        ),
        (("--a", "day-before"), 2, "needs the other window"),
        (("--top", "0"), 2, "--top"),
    ],
)
def test_bad_wishes_get_one_sentence(
    say: Say, session: Path, words: tuple[str, ...], code: int, sentence: str
) -> None:
    said = say(session, *words)
    assert (said[0], said[1]) == (code, "")
    assert sentence in said[2]
    assert said[2].count("\n") == 1


def test_sessions_without_anything_in_common(say: Say, session: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.hscope"
    host = EntityRef("host", "far")
    with SessionWriter.create(other, durable=False) as writer:
        source = writer.add_source(SourceSpec("esxtop", "far", 5.0))
        writer.add_entities([Entity(host, "far")])
        layout = writer.add_layout(
            source, writer.add_series(source, [SeriesSpec(host, "cpu.pcpu_util", "%")])
        )
        writer.add_block(layout, encode_block(START + np.arange(60) * 5000, np.full((60, 1), 3.0)))
    code, _, err = say(session, other)
    assert code == 3
    assert "No entity was measured in both windows." in err
    empty = tmp_path / "empty.hscope"
    SessionWriter.create(empty, durable=False).close()
    code, _, err = say(empty)
    assert code == 3
    assert "has no samples" in err


def test_the_command_is_in_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    assert "compare" in capsys.readouterr().out
