"""The commands as an admin types them: what they print, how they fail, what they leave behind."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from pyarrow.csv import read_csv

from app.program import run
from resources import failures
from sessions.model import Entity, EntityRef, SeriesSpec, SourceSpec
from sessions.store import SessionWriter

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Outcome:
    code: int
    out: str
    err: str

    def json(self) -> Any:
        assert self.code == 0, self.err
        return json.loads(self.out)


Hyperscope = Callable[..., Outcome]


@pytest.fixture
def hyperscope(capsys: pytest.CaptureFixture[str]) -> Hyperscope:
    def command(*words: object) -> Outcome:
        capsys.readouterr()
        code = run([str(word) for word in words])
        said = capsys.readouterr()
        return Outcome(code, said.out, said.err)

    return command


@pytest.fixture(scope="session")
def capture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A minute of the lab's demo as a capture of all fields."""
    path = tmp_path_factory.mktemp("capture") / "demo.csv"
    assert run(["lab", "export", "demo", "-o", str(path), "--all-fields", "--duration", "60"]) == 0
    return path


@pytest.fixture(scope="session")
def session(capture: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("session") / "demo.hscope"
    assert run(["import", str(capture), "-o", str(path)]) == 0
    return path


def test_help_teaches_the_first_steps(hyperscope: Hyperscope) -> None:
    page = hyperscope()
    assert page.code == 0
    for word in ("demo", "import", "info", "query", "diagnose", "export", "lab", "--install-completion"):
        assert word in page.out
    assert "esxtop -b -a" in hyperscope("import", "--help").out


def test_info_says_what_is_in_a_session(hyperscope: Hyperscope, session: Path) -> None:
    found = hyperscope("info", session, "--json").json()
    assert {source["kind"] for source in found["sources"]} == {"esxtop"}
    assert found["entities"]["host"] == len(found["sources"]) == 4
    assert found["samples"] == sum(source["samples"] for source in found["sources"])
    assert found["bytes"] == session.stat().st_size
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", found["start"])
    text = hyperscope("info", session).out
    assert "4 host" in text
    assert "esxtop" in text
    assert hyperscope("info", session, "--check").code == 0


def test_query_gives_the_samples_that_the_capture_has(
    hyperscope: Hyperscope, session: Path, capture: Path
) -> None:
    with capture.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    column = next(n for n, name in enumerate(rows[0]) if name.endswith("Physical Cpu(_Total)\\% Util Time"))
    host = rows[0][column].split("\\")[2]
    (series,) = hyperscope(
        *(
            "query",
            session,
            "--entity",
            f"host:{host}",
            "--counter",
            "cpu.pcpu_util",
            "--instance",
            "",
            "--json",
        )
    ).json()["series"]
    assert series["entity"] == {"kind": "host", "name": host}
    assert series["unit"] == "%"
    assert series["v"] == [float(row[column]) for row in rows[1:]]
    assert len(series["t"]) == len(rows) - 1


def test_query_as_csv_is_one_line_a_sample(hyperscope: Hyperscope, session: Path) -> None:
    words = ("query", session, "--entity", "host:*", "--counter", "mem.free")
    lines = list(csv.DictReader(io.StringIO(hyperscope(*words, "--csv").out)))
    documents = hyperscope(*words, "--json").json()["series"]
    assert [float(line["value"]) for line in lines] == [v for series in documents for v in series["v"]]
    assert lines[0]["time"] == documents[0]["t"][0]
    assert "mem.free" in hyperscope(*words).out


def test_query_prints_a_line_for_each_of_many_series_as_it_goes(tmp_path: Path) -> None:
    """40,000 rows of a table drawn by rich took 100 s, and nothing came before the last of them."""
    path, host = tmp_path / "many.hscope", EntityRef("host", "esx01")
    with SessionWriter.create(path, durable=False) as writer:
        writer.add_entities([Entity(host, "esx01")])
        source = writer.add_source(SourceSpec("lab", "esx01"))
        specs = [SeriesSpec(host, f"c{number}", "%") for number in range(20_000)]
        layout = writer.add_layout(source, writer.add_series(source, specs))
        writer.append_ticks([(layout, 1_700_000_000_000, np.arange(20_000.0))])
    words = [sys.executable, "-m", "app", "query", str(path)]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        began = os.times().children_user
        lines = child.stdout.read().splitlines()
    assert child.returncode == 0
    assert os.times().children_user - began < 10
    assert len(lines) == 1 + 20_000
    assert lines[-1].split() == ["host", "esx01", "c19999", "1", *["19,999", "%"] * 3]


def test_a_window_cuts_what_is_shown(hyperscope: Hyperscope, session: Path) -> None:
    words = ("query", session, "--entity", "host:*", "--counter", "mem.free", "--json")
    (first, *_), *_rest = [series["t"] for series in hyperscope(*words).json()["series"]]
    for series in hyperscope(*words, "--to", first).json()["series"]:
        assert series["t"] == [first]
    outside = hyperscope(*words, "--from", "2035-01-01")
    assert outside.code == failures.UsageError.exit_code
    assert "nothing in that window" in outside.err


def test_names_that_fit_nothing_are_told(hyperscope: Hyperscope, session: Path) -> None:
    nobody = hyperscope("query", session, "--entity", "nobody")
    assert nobody.code == failures.NotFoundError.exit_code
    assert "No entity is called 'nobody'" in nobody.err
    wrong = hyperscope("query", session, "--counter", "cpu.reddy")
    assert wrong.code == failures.NotFoundError.exit_code
    assert "No counter 'cpu.reddy'" in wrong.err


def test_diagnose_answers_in_the_agreed_shape_and_keeps_the_findings(
    hyperscope: Hyperscope, session: Path
) -> None:
    found = hyperscope("diagnose", session, "--json").json()
    assert set(found) >= {"window", "findings"}
    for finding in found["findings"]:
        assert finding["severity"] in {"info", "warning", "critical"}
        assert 0 <= finding["share"] <= 1
        assert {"kind", "name"} <= set(finding["entity"])
        for cause in finding["causes"]:
            assert cause["verdict"] in {"likely", "possible", "ruled out", "unknown"}
            assert cause["because"]
    assert hyperscope("diagnose", session).code == 0
    assert hyperscope("info", session, "--check").code == 0


def test_what_was_found_says_up_to_when_and_how_much_came_after(
    hyperscope: Hyperscope, tmp_path: Path
) -> None:
    path = tmp_path / "growing.hscope"
    vm, times = EntityRef("vm", "esx01/vm/1"), np.arange(40) * 5000 + 1_790_000_000_000
    with SessionWriter.create(path) as writer:
        source = writer.add_source(SourceSpec("esxtop", "esx01", 5.0))
        writer.add_entities([Entity(vm, "web01")])
        ids = writer.add_series(source, [SeriesSpec(vm, "cpu.ready", "%")])
        layout = writer.ticks.add_layout(source, ids)
        writer.ticks.append_ticks([(layout, int(at), np.array([0.5])) for at in times[:20]])
        assert "Not judged yet" in hyperscope("info", path).out
        hyperscope("diagnose", path, "--json").json()  # stores nothing: the file is being written
        assert "Not judged yet" in hyperscope("info", path).out
    assert hyperscope("diagnose", path).out.startswith("Judged in part: no problem found in CPU.\n")
    with SessionWriter.open(path) as writer:
        writer.ticks.append_ticks([(layout, int(at), np.array([0.5])) for at in times[20:]])
    text = " ".join(hyperscope("info", path).out.split())
    assert re.search(
        r"Judged in part: no problem found in CPU\. Judged to 2026-09-21T14:14:55Z: looked for 1 of \d\d "
        r"known problems in esx01\.",
        text,
    )
    assert "20 samples after that were not judged." in text
    said = hyperscope("info", path, "--json").json()["verdict"]
    assert (said["state"], said["judged_to"], said["samples_after"]) == (
        "judged", "2026-09-21T14:14:55Z", 20,
    )  # fmt: skip


def test_info_says_which_source_was_judged_only_in_part(hyperscope: Hyperscope, tmp_path: Path) -> None:
    path, times = tmp_path / "two.hscope", np.arange(240) * 5000 + 1_790_000_000_000
    with SessionWriter.create(path) as writer:
        for host, ticks in (("esx01", 240), ("esx02", 120)):
            source = writer.add_source(SourceSpec("esxtop", host, 5.0))
            vm = EntityRef("vm", f"{host}/vm/1")
            writer.add_entities([Entity(vm, f"web-{host}")])
            layout = writer.ticks.add_layout(
                source, writer.add_series(source, [SeriesSpec(vm, "cpu.ready", "%")])
            )
            writer.ticks.append_ticks([(layout, int(at), np.array([0.5])) for at in times[:ticks]])
    assert hyperscope("diagnose", path).code == 0
    text = " ".join(hyperscope("info", path).out.split())
    assert "Judged in part: esx02: its samples stop 10 min before those of other sources." in text


def test_one_sample_is_no_all_clear(hyperscope: Hyperscope, tmp_path: Path, capture: Path) -> None:
    with capture.open(encoding="utf-8") as lines:
        (tmp_path / "one.csv").write_text(lines.readline() + lines.readline(), encoding="utf-8")
    imported = hyperscope("import", tmp_path / "one.csv", "-o", tmp_path / "one.hscope")
    assert "Not judged yet. Next: hyperscope diagnose" in imported.err
    text = hyperscope("diagnose", tmp_path / "one.hscope").out
    assert text.startswith("Could not be judged.")
    assert "a single sample" in " ".join(text.split())
    assert "No problem" not in text
    found = hyperscope("diagnose", tmp_path / "one.hscope", "--json").json()["verdict"]
    assert (found["state"], found["judged_to"]) == ("could not be judged", None)
    assert "Could not be judged: a single sample" in hyperscope("info", tmp_path / "one.hscope").out


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_export_writes_every_sample(hyperscope: Hyperscope, session: Path, tmp_path: Path, kind: str) -> None:
    out = tmp_path / "out"
    files = hyperscope("export", session, "-o", out, f"--{kind}", "--json").json()["files"]
    rows = {Path(file["name"]).stem: file["rows"] for file in files}
    found = hyperscope("info", session, "--json").json()
    assert rows["samples"] == found["samples"]
    assert rows["entities"] == sum(found["entities"].values())
    again = hyperscope("export", session, "-o", out, f"--{kind}")
    assert again.code == failures.AlreadyExistsError.exit_code


def test_export_of_a_part_is_what_the_window_shows_for_that_scope(
    hyperscope: Hyperscope, session: Path, tmp_path: Path
) -> None:
    out = tmp_path / "part"
    words = ("export", session, "--csv", "--entity", "host:esx02*", "--source", "esx02*", "-o", out)
    assert hyperscope(*words).code == 0
    tables = {
        path.stem: list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
        for path in out.iterdir()
    }
    assert {row["source"] for row in tables["samples"]} == {"esx02.lab.local"}
    assert {row["kind"] for row in tables["samples"]} >= {"host", "vm", "vcpu"}, "all below the host"
    assert {row["name"] for row in tables["entities"] if row["kind"] == "host"} == {"esx02.lab.local"}
    for option, missing in (("--entity", "No entity is called 'nix'"), ("--source", "No source is called")):
        refused = hyperscope("export", session, "--csv", option, "nix", "-o", tmp_path / "none")
        assert refused.code == 3
        assert missing in refused.err
    assert not (tmp_path / "none").exists()


def test_export_in_both_forms_holds_the_same_numbers(
    hyperscope: Hyperscope, session: Path, tmp_path: Path
) -> None:
    for kind in ("csv", "parquet"):
        assert hyperscope("export", session, "-o", tmp_path / kind, f"--{kind}").code == 0
    lines = read_csv(tmp_path / "csv" / "samples.csv")
    table = pq.read_table(tmp_path / "parquet" / "samples.parquet")
    assert table.num_rows > 0
    for name in ("value", "entity"):
        there, here = (one.column(name).combine_chunks() for one in (lines, table))
        assert there.equals(here.cast(there.type))
    stamps = [one.column("time")[0].as_py() for one in (lines, table)]
    assert stamps[0] == stamps[1]


def test_the_lab_lists_its_scenarios_with_their_truth(hyperscope: Hyperscope) -> None:
    scenarios = hyperscope("lab", "list", "--json").json()["scenarios"]
    problems = {truth["problem"] for scenario in scenarios for truth in scenario["truth"]}
    assert len(problems) >= 20
    assert any(scenario["id"] == "demo" for scenario in scenarios)
    unknown = hyperscope("lab", "export", "nosuch", "-o", "x.csv")
    assert unknown.code == failures.NotFoundError.exit_code
    assert not Path("x.csv").exists()


def test_demo_records_diagnoses_and_keeps_a_session(hyperscope: Hyperscope, tmp_path: Path) -> None:
    out = tmp_path / "demo.hscope"
    found = hyperscope("demo", "--headless", "--duration", "60", "-o", out, "--json").json()
    assert found["session"] == str(out)
    assert hyperscope("info", out, "--json").json()["entities"]["host"] == 4
    assert sorted(path.name for path in tmp_path.iterdir()) == ["demo.hscope"]


def test_demo_without_a_place_for_sessions_says_what_to_do(
    hyperscope: Hyperscope, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("a file where a folder should be", encoding="utf-8")
    monkeypatch.setattr("platformdirs.user_data_path", lambda *_, **__: tmp_path / "file")
    refused = hyperscope("demo", "--headless", "--duration", "10")
    assert refused.code == failures.AccessDeniedError.exit_code
    assert "-o" in refused.err


BAD_FILES: dict[str, tuple[bytes, type[failures.HyperscopeError], str]] = {
    "empty": (b"", failures.NotACaptureError, "empty"),
    "html": (b"<!DOCTYPE html><html><body>Sign in</body></html>", failures.NotACaptureError, "HTML"),
    "text": (b"dear all,\nplease find attached\n", failures.NotACaptureError, "esxtop"),
    "perfmon": (
        b"\r\n".join(
            (
                rb'"(PDH-CSV 4.0) (India Standard Time)(-60)","\\WIN01\Processor(_Total)\% Processor Time"',
                b'"05/09/2024 10:50:00.000","1.5"',
                b"",
            )
        ),
        failures.NotACaptureError,
        "Windows",
    ),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_what_is_no_capture_is_refused_in_one_sentence(
    hyperscope: Hyperscope, tmp_path: Path, name: str
) -> None:
    content, kind, word = BAD_FILES[name]
    path = tmp_path / f"{name}.csv"
    path.write_bytes(content)
    refused = hyperscope("import", path, "-o", tmp_path / "s.hscope")
    assert refused.code == kind.exit_code
    assert word in refused.err
    assert refused.err.count("\n") == 1
    assert "Traceback" not in refused.err
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_a_folder_a_missing_file_and_an_existing_session_are_told_apart(
    hyperscope: Hyperscope, capture: Path, tmp_path: Path
) -> None:
    out = tmp_path / "s.hscope"
    codes = [
        hyperscope("import", tmp_path, "-o", out).code,
        hyperscope("import", tmp_path / "no.csv", "-o", out).code,
    ]
    assert not out.exists()
    out.write_bytes(b"precious")
    codes.append(hyperscope("import", capture, "-o", out).code)
    assert len(set(codes)) == 3
    assert 0 not in codes
    assert out.read_bytes() == b"precious"


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may read everything; Windows has ACLs")
def test_a_file_without_permission_is_refused(hyperscope: Hyperscope, capture: Path, tmp_path: Path) -> None:
    locked = tmp_path / "locked.csv"
    locked.write_bytes(capture.read_bytes())
    locked.chmod(0)
    assert (
        hyperscope("import", locked, "-o", tmp_path / "s.hscope").code == failures.AccessDeniedError.exit_code
    )


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may read everything; Windows has ACLs")
@pytest.mark.parametrize("words", [("info",), ("query",), ("diagnose",), ("record", "lab:demo", "-o")])
def test_a_session_without_permission_is_refused(
    hyperscope: Hyperscope, session: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    locked = tmp_path / "locked.hscope"
    locked.write_bytes(session.read_bytes())
    locked.chmod(0)
    assert hyperscope(*words, locked).code == failures.AccessDeniedError.exit_code


@pytest.mark.parametrize("command", ["info", "query", "diagnose"])
def test_what_is_no_session_is_refused(
    hyperscope: Hyperscope, capture: Path, tmp_path: Path, command: str
) -> None:
    for path in (capture, tmp_path, tmp_path / "missing.hscope"):
        refused = hyperscope(command, path)
        assert refused.code in {
            failures.NotASessionError.exit_code,
            failures.NotFoundError.exit_code,
        }
        assert refused.err.count("\n") == 1


def test_words_that_do_not_fit_are_one_line_too(hyperscope: Hyperscope) -> None:
    lines = (
        "inport", "info", "info --nonsense", "export x -o y",
        f"record lab:demo?seed={'9' * 5000} -o x", "lab export demo --seed -1 -o x",
        "import x -o y --workers 100000",
    )  # fmt: skip
    for line in lines:
        refused = hyperscope(*line.split())
        assert refused.code == failures.UsageError.exit_code
        assert refused.err.count("\n") == 1, refused.err


@pytest.mark.parametrize(
    ("words", "end"),
    [
        (("record", "lab:demo", "--nope"), "Try 'hyperscope record --help'."),
        (("record",), "Missing argument 'SOURCE'. Try 'hyperscope record --help'."),
        (("lab", "lst"), "Try 'hyperscope lab --help'."),
        (("nonsense",), "No such command 'nonsense'. Try 'hyperscope --help'."),
    ],
)
def test_wrong_words_name_the_help_that_has_the_right_ones(
    hyperscope: Hyperscope, words: tuple[str, ...], end: str
) -> None:
    assert hyperscope(*words).err.rstrip().endswith(end)


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_ctrl_c_stops_a_recording_and_leaves_no_file(tmp_path: Path) -> None:
    out = tmp_path / "demo.hscope"
    words = [sys.executable, "-m", "app", "demo", "--headless", "--speed", "1", "-o", str(out)]
    with subprocess.Popen(words, cwd=ROOT, stderr=subprocess.PIPE, text=True) as child:
        while not out.exists():
            assert child.poll() is None
            time.sleep(0.01)
        child.send_signal(signal.SIGINT)
        _, err = child.communicate()
    assert child.returncode == failures.CancelledError.exit_code
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_output_that_nobody_reads_to_its_end_is_no_reason_to_complain(session: Path) -> None:
    words = [sys.executable, "-m", "app", "query", str(session), "--csv"]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdout.readline()
        child.stdout.close()
        assert child.stderr.read() == b""


def test_a_failure_that_nobody_reads_of_is_no_bug(tmp_path: Path) -> None:
    crashes = {"XDG_STATE_HOME": str(tmp_path)}
    words = [sys.executable, "-m", "app", "info", str(tmp_path / "none.hscope")]
    reads, writes = os.pipe()
    os.close(reads)
    code = subprocess.run(
        words, cwd=ROOT, stderr=writes, env={**os.environ, **crashes}, check=False
    ).returncode
    os.close(writes)
    assert code == failures.NotFoundError.exit_code
    assert list(tmp_path.rglob("crash*")) == []
