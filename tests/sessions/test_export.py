"""Exports: whole or not there, one state of the session, in bounded memory, safe in a spreadsheet."""

from __future__ import annotations

import csv
import re
import subprocess
import sys
import threading
import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow.parquet as pq
import pytest

from resources.failures import AlreadyExistsError, CancelledError
from sessions.clock import clock_named
from sessions.export import ExportPart, export_session
from sessions.export.csv_table import CsvTable
from sessions.model import Entity, EntityRef, Event, Fact, Gap, Mark, SeriesSpec, SourceSpec
from sessions.store import SessionReader, SessionWriter, encode_block
from sessions.store.lock import WriterLock
from sessions.times import TimeRange, iso, parse_time
from tests.sessions.synthetic import HOST, T0, capture

Kind = Literal["csv", "parquet"]
KINDS: tuple[Kind, ...] = ("csv", "parquet")


def rows_of(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def test_events_with_their_ends(session_path: Path, tmp_path: Path) -> None:
    capture(ticks=3).write(session_path)
    with SessionWriter.open(session_path) as writer:
        writer.add_events(
            [
                Event(T0, "snapshot", "Remove: started", HOST, None, "task-7", "LAB\\alice"),
                Event(T0 + 5_000, "power", "on, at last"),
                Event(T0, "snapshot", "Remove: success", HOST, T0 + 42_000, "task-7", "LAB\\alice"),
            ]
        )
    with SessionReader.open(session_path) as reader:
        export_session(reader, tmp_path / "out", kind="csv")
    rows = rows_of(tmp_path / "out" / "events.csv")
    at = [iso(T0 + after) for after in (0, 5_000, 42_000)]
    assert rows == [
        ["time", "end", "what", "kind", "entity_key", "text", "by", "log"],
        [at[0], at[2], "snapshot", HOST.kind, HOST.key, "Remove: success", "LAB\\alice", ""],
        [at[1], "", "power", "", "", "on, at last", "", ""],
    ]


class GrowingSession(SessionReader):
    """A session that somebody records: something comes between any two looks at it."""

    writer: SessionWriter
    number = 0

    def grow(self) -> None:
        self.number += 1
        vm = EntityRef("vm", f"new {self.number}")
        self.writer.add_entities([Entity(vm, f"new {self.number}")])
        source = self.writer.add_source(SourceSpec("lab", f"source {self.number}"))
        layout = self.writer.add_layout(source, self.writer.add_series(source, [SeriesSpec(vm, "c", "%")]))
        self.writer.append_ticks([(layout, T0 + self.number, np.array([1.0]))])

    def gaps(self) -> Sequence[Gap]:
        self.grow()
        return super().gaps()

    def findings(self) -> list:  # type: ignore[type-arg]
        self.grow()
        return super().findings()

    def read(self, ids: np.ndarray, window: TimeRange | None = None) -> list:  # type: ignore[type-arg]
        self.grow()
        return super().read(ids, window)


@pytest.mark.parametrize("kind", KINDS)
def test_a_session_that_grows_is_exported_as_it_was_at_the_start(
    session_path: Path, tmp_path: Path, kind: Kind
) -> None:
    one = capture(ticks=3)
    one.write(session_path)
    with (
        SessionWriter.open(session_path, durable=False) as writer,
        GrowingSession.open(session_path) as reader,
    ):
        assert isinstance(reader, GrowingSession)
        reader.writer = writer
        files = {file.name: file for file in export_session(reader, tmp_path / "out", kind=kind)}
        assert reader.number >= 3
    assert files[f"samples.{kind}"].rows == np.count_nonzero(~np.isnan(one.stored))
    assert files[f"entities.{kind}"].rows == len(one.entities)


def test_memory_is_bounded_when_a_source_of_few_samples_comes_before_one_of_many(
    session_path: Path, tmp_path: Path
) -> None:
    ticks, wide = 2_000, 6_000  # 12 million values, of which few are there: 96 MB in one read
    stored = np.full((ticks, wide), np.nan)
    stored[0] = 1.0
    with SessionWriter.create(session_path, durable=False) as writer:
        writer.add_entities([Entity(HOST, "esx01")])
        for name, values in (("small", stored[:1, :1]), ("large", stored)):
            source = writer.add_source(SourceSpec("lab", name))
            specs = [SeriesSpec(HOST, f"c{i}", "%") for i in range(values.shape[1])]
            layout = writer.add_layout(source, writer.add_series(source, specs))
            writer.add_block(layout, encode_block(T0 + 5000 * np.arange(len(values)), values))
    with SessionReader.open(session_path) as reader:
        reader.series()
        tracemalloc.start()
        try:
            files = export_session(reader, tmp_path / "out", kind="csv")
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert files[-1].rows == 1 + wide
    assert peak < 60e6


def test_one_series_longer_than_a_batch_comes_in_parts_and_in_order(
    session_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sessions.frames.MAX_FRAME_VALUES", 100)
    one = capture(ticks=250, vms=1)
    one.write(session_path)
    with SessionReader.open(session_path) as reader:
        export_session(reader, tmp_path / "out", kind="csv")
    rows = rows_of(tmp_path / "out" / "samples.csv")[1:]
    expected = [
        (int(at), spec.counter, value)
        for spec, values in zip(one.specs, one.canonical.T, strict=True)
        for at, value in zip(one.times, values.tolist(), strict=True)
        if value == value
    ]
    assert [(parse_time(row[0]), row[5], float(row[8])) for row in rows] == expected


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("failure", [CancelledError("stop"), KeyboardInterrupt(), KeyError("a bug")])
def test_an_export_that_fails_leaves_nothing(
    session_path: Path, tmp_path: Path, kind: Kind, failure: BaseException
) -> None:
    capture(ticks=3).write(session_path)

    def fail(_done: float) -> None:
        raise failure

    with SessionReader.open(session_path) as reader, pytest.raises(type(failure)):
        export_session(reader, tmp_path / "new" / "out", kind=kind, progress=fail)
    assert [path.name for path in tmp_path.iterdir()] == [session_path.name]


def test_until_it_is_whole_an_export_does_not_have_its_name(session_path: Path, tmp_path: Path) -> None:
    capture(ticks=3).write(session_path)
    seen = []
    with SessionReader.open(session_path) as reader:
        out = tmp_path / "out"
        export_session(reader, out, kind="csv", progress=lambda _done: seen.append(out.exists()))
    assert seen
    assert not any(seen)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([session_path.name, "out"])


def test_a_folder_that_appears_meanwhile_is_not_replaced(session_path: Path, tmp_path: Path) -> None:
    capture(ticks=3).write(session_path)
    out = tmp_path / "out"
    with SessionReader.open(session_path) as reader, pytest.raises(AlreadyExistsError):
        export_session(reader, out, kind="csv", progress=lambda _done: out.mkdir(exist_ok=True))
    assert list(out.iterdir()) == []
    assert len(list(tmp_path.iterdir())) == 2


KILLED = """
import os, signal, sys
from pathlib import Path
from sessions.export import export_session
from sessions.store import SessionReader
with SessionReader.open(Path(sys.argv[1])) as reader:
    die = lambda part: os.kill(os.getpid(), signal.SIGKILL)
    export_session(reader, Path(sys.argv[2]), kind=sys.argv[3], progress=die)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no signal that kills")
@pytest.mark.parametrize("kind", KINDS)
def test_what_a_killed_export_left_is_removed_by_the_next_one(
    session_path: Path, tmp_path: Path, kind: Kind
) -> None:
    capture(ticks=3).write(session_path)
    died = subprocess.run([sys.executable, "-c", KILLED, session_path, tmp_path / "a", kind], check=False)
    assert died.returncode == -9
    (left,) = tmp_path.glob(".hyperscope-export-*")
    assert (left / f"samples.{kind}").is_file()
    with SessionReader.open(session_path) as reader:
        export_session(reader, tmp_path / "b", kind=kind)
    assert sorted(one.name for one in tmp_path.iterdir()) == sorted([session_path.name, "b"])
    assert not (tmp_path / "b" / "unfinished-lock").exists()


def test_only_what_killed_exports_left_is_removed(session_path: Path, tmp_path: Path) -> None:
    """Not what a living export writes, no link, no file of somebody, no folder without an export's lock."""
    capture(ticks=3).write(session_path)
    names = ("1-0", "2-0", "3-0", "4-0", "notes")
    living, mixed, unlocked, linked, other = (tmp_path / f".hyperscope-export-{one}" for one in names)
    precious = tmp_path / "precious"
    for one in (living, mixed, unlocked, precious, other):
        one.mkdir()
        (one / "samples.csv").write_text("1")
        if one is not unlocked:
            (one / "unfinished-lock").touch()
    (mixed / "thesis.txt").write_text("mine")
    linked.symlink_to(precious, target_is_directory=True)
    lock = WriterLock(living / "unfinished")
    try:
        with SessionReader.open(session_path) as reader:
            export_session(reader, tmp_path / "out", kind="csv")
    finally:
        lock.release()
    assert all((one / "samples.csv").is_file() for one in (living, unlocked, linked, precious, other))
    assert [one.name for one in mixed.iterdir()] == ["thesis.txt"]


LINE_BREAKS = (
    "line\u2028separator",
    "paragraph\u2029separator",
    "carriage\rreturn",
    "line\nfeed",
    "next\x85line",
)


def test_what_some_readers_take_for_the_end_of_a_line_breaks_no_row(
    session_path: Path, tmp_path: Path
) -> None:
    refs = [EntityRef("vm", f"vm/{i}") for i in range(len(LINE_BREAKS))]
    with SessionWriter.create(session_path) as writer:
        writer.add_entities(Entity(ref, name) for ref, name in zip(refs, LINE_BREAKS, strict=True))
    with SessionReader.open(session_path) as reader:
        export_session(reader, tmp_path / "out", kind="csv")
    path = tmp_path / "out" / "entities.csv"
    # NEL is a control character: as all of them, it is shown as one that has no picture.
    told = [*LINE_BREAKS[:4], "next\ufffdline"]
    assert [row[2] for row in rows_of(path)[1:]] == told
    text = path.read_bytes().decode("utf-8")
    assert all(f'"{name}"' in text for name in LINE_BREAKS[:4])
    pandas = pytest.importorskip("pandas")
    for engine in ("c", "python"):
        read = pandas.read_csv(path, engine=engine)
        assert read["name"].to_list() == told, engine


def test_a_stopped_export_ends_before_its_samples(session_path: Path, tmp_path: Path) -> None:
    capture(ticks=3).write(session_path)
    cancel = threading.Event()
    cancel.set()
    with SessionReader.open(session_path) as reader, pytest.raises(CancelledError):
        export_session(reader, tmp_path / "out", kind="csv", cancel=cancel)
    assert not (tmp_path / "out").exists()


FORMULAS = (
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    " =1",
    "\xa0-1",
    "\uff1d1",
    "\uff201",
    "\ufeff=1",
    " \u200b+1",
)


def test_cells_that_a_spreadsheet_would_run_are_defused_and_numbers_are_not(
    session_path: Path, tmp_path: Path
) -> None:
    plain = ("plain", "1 - 1", 'a "quoted", name', "two\nlines\tand a tab", "Ünïcode 日本 🙂")
    commanding = {"red\x1b[31m": "red�[31m", "\x9b2J\x07": "�2J�", "\u202egnp": "�gnp"}
    names = (*FORMULAS, *plain, *commanding)
    refs = [EntityRef("vm", f"vm/{i}") for i in range(len(names))]
    with SessionWriter.create(session_path) as writer:
        writer.add_entities(Entity(ref, name) for ref, name in zip(refs, names, strict=True))
        writer.add_facts([Fact(refs[0], "limit", -3.0, T0), Fact(refs[0], "note", "=2", T0)])
        source = writer.add_source(SourceSpec("lab", "=source"))
        specs = [SeriesSpec(ref, "c", "%", instance="@i") for ref in refs]
        layout = writer.add_layout(source, writer.add_series(source, specs))
        writer.append_ticks([(layout, T0, np.full(len(refs), -5.0))])
    with SessionReader.open(session_path) as reader:
        for kind in KINDS:
            export_session(reader, tmp_path / kind, kind=kind)
    defused = [f"'{name[0]}'=1" if name[0] in "\t\r\n" else f"'{name}" for name in FORMULAS]
    safe = [*defused, *plain, *commanding.values()]
    samples = rows_of(tmp_path / "csv" / "samples.csv")[1:]
    assert [row[3] for row in samples] == safe
    assert {(row[1], row[6], row[8]) for row in samples} == {("'=source", "'@i", "-5.0")}
    assert [row[2] for row in rows_of(tmp_path / "csv" / "entities.csv")[1:]] == safe
    assert [row[3] for row in rows_of(tmp_path / "csv" / "facts.csv")[1:]] == ["-3.0", "'=2"]
    kept = pq.read_table(tmp_path / "parquet" / "samples.parquet").column("entity").to_pylist()
    assert kept == list(names)


def test_no_formula_begins_where_a_spreadsheet_separates_cells_by_semicolons(
    session_path: Path, tmp_path: Path
) -> None:
    """In countries with a decimal comma Excel does, and quotation marks behind a comma are none to it."""
    names = (
        "a;=1",
        'a;"=1',
        'a"; =1',
        "a\n=1",
        "a\t@1",
        "a;\u200b+1",
        "a\u2028-1",
        "a; b = 1",
        "\t" * 100_000,
    )
    refs = [EntityRef("vm", f"vm/{i}") for i in range(len(names))]
    with SessionWriter.create(session_path) as writer:
        writer.add_entities(Entity(ref, name) for ref, name in zip(refs, names, strict=True))
    with SessionReader.open(session_path) as reader:
        export_session(reader, tmp_path / "csv", kind="csv")
    text = (tmp_path / "csv" / "entities.csv").read_text(encoding="utf-8")
    cells = [cell.strip('"') for line in text.splitlines() for cell in re.split("[;\t]", line)]
    assert not [cell for cell in cells if cell.strip(' "\u200b').startswith(tuple("=+-@"))]
    assert [row[2] for row in rows_of(tmp_path / "csv" / "entities.csv")[1:]][:2] == ["a;'=1", "a;\"'=1"]
    assert "a; b = 1" in text


def test_a_part_has_the_samples_of_its_series_and_the_records_of_its_entities_in_time(
    session_path: Path, tmp_path: Path
) -> None:
    one = capture(ticks=4)
    one.write(session_path)
    kept, other = one.specs[0].entity, next(s.entity for s in one.specs if s.entity != one.specs[0].entity)
    late = T0 + 60_000
    with SessionWriter.open(session_path) as writer:
        writer.add_events([Event(T0, "power", "kept", kept), Event(T0, "power", "other", other)])
        writer.add_events([Event(late, "power", "too late", kept), Event(T0, "task", "of nobody")])
        writer.add_mark(Mark(T0, "in time"))
        writer.add_mark(Mark(late, "too late"))
        writer.add_facts([Fact(kept, "limit", 1.0, late), Fact(kept, "vcpus", 2.0, T0)])
    window = TimeRange(T0, T0 + 5_000)
    with SessionReader.open(session_path) as reader:
        ids = frozenset(series.id for series in reader.series() if series.entity == kept)
        part = ExportPart(window, ids, frozenset((kept,)))
        export_session(reader, tmp_path / "out", kind="csv", part=part)
        nothing = ExportPart(sources=frozenset((99,)))
        files = export_session(reader, tmp_path / "none", kind="csv", part=nothing)
    tables = {path.stem: rows_of(path)[1:] for path in (tmp_path / "out").iterdir()}
    assert {row[4] for row in tables["samples"]} == {kept.key}
    assert {window.contains(parse_time(row[0])) for row in tables["samples"]} == {True}
    assert [row[5] for row in tables["events"]] == ["kept", "of nobody"]
    assert tables["marks"] == [[iso(T0), "in time"]]
    assert [row[2] for row in tables["facts"]] == ["vcpus"]
    assert [row[1] for row in tables["entities"]] == [kept.key]
    assert files[-1].rows == 0


def test_samples_around_a_change_of_the_clocks_tell_their_offset(tmp_path: Path) -> None:
    change = 1_792_890_000_000  # 2026-10-25 01:00 UTC: clocks go from 03:00 back to 02:00
    times = np.array([change - 1_000, change, change + 3_600_000], dtype="datetime64[ms]")
    with CsvTable(tmp_path / "t.csv", ("time",), clock_named("Europe/Berlin")) as table:
        table.write([times])
    assert rows_of(tmp_path / "t.csv")[1:] == [
        ["2026-10-25T02:59:59.000+02:00"],
        ["2026-10-25T02:00:00.000+01:00"],
        ["2026-10-25T03:00:00.000+01:00"],
    ]
