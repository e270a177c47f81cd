"""Hostile session files are read or refused: no crash, no hang, no memory eaten."""

from __future__ import annotations

import os
import sqlite3
import struct
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
import zstandard

from benchmarks.fuzz_sessions import build, exercise, fuzz
from benchmarks.fuzzing import peak_megabytes
from resources.failures import DamagedError
from sessions.store import SessionReader, SessionWriter, check_session
from sessions.store.codec import pack_document, pack_floats, pack_ints, pack_texts, seal
from sessions.store.schema import CHUNK_BITS


@pytest.mark.slow
def test_every_command_on_sixty_mutated_sessions(tmp_path: Path) -> None:
    report = fuzz(0, 60, tmp_path)
    assert report.findings == []
    assert report.outcomes["DamagedError"] > 10
    assert report.outcomes["fine"] > 10
    for command in ("info", "query", "diagnose", "export"):
        assert report.outcomes[f"{command} 0"] > 10
        assert report.outcomes[f"{command} {DamagedError.exit_code}"] > 10


@pytest.fixture
def session(tmp_path: Path) -> Path:
    path = tmp_path / "s.hscope"
    build(path)
    return path


def update(session: Path, sql: str, *values: object) -> None:
    with closing(sqlite3.connect(session, isolation_level=None)) as database:
        assert database.execute(sql, values).rowcount > 0


ZEROS = zstandard.compress(bytes(1 << 28))
CIRCLE = pack_ints(np.array([-1, 2, 1, 0, 0, 0, 0, 0, 0]))

FORGERIES: dict[str, tuple[str, object]] = {
    "more ticks than there are": ("UPDATE block SET ticks = 65536", None),
    "a block of more ticks than any": ("UPDATE block SET ticks = 1 << 40", None),
    "more samples than cells": ("UPDATE block SET samples = 1 << 50", None),
    "negative samples": ("UPDATE block SET samples = -1", None),
    "an end before the start": ("UPDATE block SET t1 = t0 - 1", None),
    "a time after the year 9999": ("UPDATE strip SET t1 = 1 << 60", None),
    "a layout with more series than there are": ("UPDATE layout SET n = 1 << 23", None),
    "a layout of one series twice": ("UPDATE layout SET series = ?", pack_ints(np.full(40, 7))),
    "a layout of another source's series": ("UPDATE layout SET source = 3 - source", None),
    "a block of no layout": ("UPDATE block SET layout = 99", None),
    "entities in a circle": ("UPDATE entities SET parent = ?", CIRCLE),
    "an entity twice": ("UPDATE entities SET key = ?", pack_texts(["same"] * 9)),
    "a kind that does not exist": ("UPDATE entities SET kind = ?", pack_texts(["toaster"] * 9)),
    "a scale of zero": ("UPDATE series SET scale = ?", pack_floats(np.zeros(40))),
    "a scale that is infinite": ("UPDATE series SET scale = ?", pack_floats(np.full(40, np.inf))),
    "a scale of NaN": ("UPDATE series SET scale = ?", pack_floats(np.full(40, np.nan))),
    "a series of no entity": ("UPDATE series SET entity = ?", pack_ints(np.full(40, 99))),
    "a text where a number should be": ("UPDATE series SET n = 'many'", None),
    "a number where a blob should be": ("UPDATE block SET times = 5", None),
    "a bomb of texts": (
        "UPDATE entities SET name = ?",
        seal((9).to_bytes(4, "little") + (1 << 28).to_bytes(4, "little") + bytes(4) + ZEROS),
    ),
    "a bomb of numbers": ("UPDATE block SET times = ?", seal(b"\x08" + bytes(16) + ZEROS)),
    "a bomb of rows": ("UPDATE strip SET rows = ?", seal(bytes(10) + ZEROS)),
    "statistics that no sample has": ("UPDATE block SET maxima = minima", None),
    "series of a source that is not there": ("DELETE FROM source WHERE id = 2", None),
    "a source of an unknown kind": ("UPDATE source SET kind = 'gossip'", None),
    "an interval that is no number": ("UPDATE source SET interval_s = 'often'", None),
    "an infinite interval": ("UPDATE source SET interval_s = 9e999", None),
    "a document nested without end": ("UPDATE document SET body = ?", pack_document(b"[" * 100_000)),
    "an event that ends before it begins": (
        "UPDATE document SET body = ?, kind = 'events'",
        pack_document(b'[{"at": 9, "kind": "task", "text": "", "end": 8}]'),
    ),
    "an event that ends on no calendar": (
        "UPDATE document SET body = ?, kind = 'events'",
        pack_document(b'[{"at": 9, "kind": "task", "text": "", "end": 9999999999999999}]'),
    ),
    "a document of something else": ("UPDATE document SET body = ?", pack_document(b'[{"at": "noon"}]')),
    "a mark after the end of time": (
        "UPDATE document SET body = ? WHERE kind = 'marks'",
        pack_document(b'[{"at": 9999999999999999, "text": ""}]'),
    ),
    "a verdict of fewer findings than none": (
        "UPDATE document SET body = ?, kind = 'verdicts'",
        pack_document(b'[{"state": "judged", "counts": {"critical": -1}}]'),
    ),
    "a verdict that nobody can give": (
        "UPDATE document SET body = ?, kind = 'verdicts'",
        pack_document(b'[{"state": "healthy"}]'),
    ),
    "a verdict up to the end of time": (
        "UPDATE document SET body = ?, kind = 'verdicts'",
        pack_document(
            b'[{"state": "judged", "sources": [{"source": 1, "name": "a", "samples": 1,'
            b' "judged": {"start": 1, "end": 9999999999999999}}]}]'
        ),
    ),
    "a missing chunk": ("DELETE FROM chunk WHERE id = (SELECT max(id) FROM chunk)", None),
    "a chunk of no series": (f"INSERT INTO chunk VALUES ((1 << {CHUNK_BITS}) + 5000, x'00')", None),
    "an empty chunk": ("UPDATE chunk SET data = x''", None),
}


@pytest.mark.parametrize("what", FORGERIES)
def test_a_forgery_is_noticed(session: Path, what: str) -> None:
    sql, value = FORGERIES[what]
    update(session, sql, *(() if value is None else (value,)))
    before = peak_megabytes()
    assert check_session(session, thorough=True) != []
    assert exercise(session) in ("fine", "DamagedError")
    assert peak_megabytes() - before < 200


@pytest.mark.parametrize("what", ["an end before the start", "a layout of one series twice"])
def test_an_error_that_is_kept_holds_no_session(session: Path, what: str) -> None:
    """Its traceback refers to the half-read queries; CPython 3.13 keeps it until it collects garbage."""
    sql, value = FORGERIES[what]
    undamaged = session.read_bytes()
    update(session, sql, *(() if value is None else (value,)))
    kept = []
    for check in (True, False):
        try:
            with SessionReader.open(session, check=check) as reader:
                reader.info()
                reader.series()
        except DamagedError as error:
            kept.append(error)
    assert kept
    with closing(sqlite3.connect(session, timeout=0, isolation_level=None)) as database:
        database.execute("BEGIN EXCLUSIVE")  # refused while anybody reads
    if sys.platform == "linux":
        assert open_files(session) == []
    session.write_bytes(undamaged)
    with SessionWriter.open(session):
        pass
    assert list(session.parent.glob(session.name + "*")) == [session]


def open_files(session: Path) -> list[str]:
    links = Path("/proc/self/fd").iterdir()
    return [name for link in links if (name := os.path.realpath(link)).startswith(str(session))]


def test_every_flipped_bit_of_the_samples_is_noticed(session: Path) -> None:
    with closing(sqlite3.connect(session)) as database:
        chunks = database.execute("SELECT id, data FROM chunk WHERE id % 7 = 0 LIMIT 3").fetchall()
    for number, data in chunks:
        for bit in range(0, 8 * len(data), 67):
            flipped = bytearray(data)
            flipped[bit // 8] ^= 1 << bit % 8
            update(session, "UPDATE chunk SET data = ? WHERE id = ?", bytes(flipped), number)
            with pytest.raises(DamagedError, match="checksum"), SessionReader.open(session) as reader:
                reader.read(np.array([series.id for series in reader.series()]))
        update(session, "UPDATE chunk SET data = ? WHERE id = ?", data, number)
    assert check_session(session, thorough=True) == []


@pytest.mark.parametrize("look", [SessionReader.info, SessionReader.series, SessionReader.span])
def test_damage_is_met_when_it_is_read(session: Path, look: Callable[[SessionReader], object]) -> None:
    """A file with one bad block still opens without the check, and says what is wrong when it matters."""
    update(session, "UPDATE block SET t1 = t0 - 1 WHERE id = 1")
    with pytest.raises(DamagedError):
        SessionReader.open(session)
    with SessionReader.open(session, check=False) as reader, pytest.raises(DamagedError):
        look(reader)


def test_many_small_bombs_are_not_one_large_one(session: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each batch may hold 16 MB of names, but all together no more than a session has: here, 16 MB."""
    monkeypatch.setattr("sessions.store.inventory.MAX_NAME_BYTES", 1 << 24)
    size = 1 << 14
    kinds, parents = pack_texts(["vm"] * size), pack_ints(np.full(size, -1))
    names = pack_texts([f"{i:0800}" for i in range(size)])
    with closing(sqlite3.connect(session)) as database:
        for batch in range(2):
            keys = pack_texts([f"{batch}/{i}" for i in range(size)])
            row = (9 + batch * size, size, kinds, keys, names, parents)
            database.execute("INSERT INTO entities VALUES (?, ?, ?, ?, ?, ?)", row)
        database.commit()
    assert session.stat().st_size < 1 << 20
    with pytest.raises(DamagedError, match="more names"):
        SessionReader.open(session)


def test_labels_put_together_from_long_parts_are_no_bomb(session: Path) -> None:
    """Three texts of a megabyte that 65,536 series share: 200 GB of labels in some kilobytes."""
    size = 1 << 16
    part = pack_texts(["x" * 1_000_000] * size)
    labels = seal(struct.pack("<II", len(part), len(part)) + 3 * part)
    texts, numbers = pack_texts(["c"] * size), pack_ints(np.zeros(size, np.int64))
    row = (81, size, 1, numbers, texts, texts, texts, pack_floats(np.ones(size)), labels)
    with closing(sqlite3.connect(session)) as database:
        database.execute("INSERT INTO series VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
        database.commit()
    assert session.stat().st_size < 1 << 20
    before = peak_megabytes()
    with SessionReader.open(session) as reader, pytest.raises(DamagedError, match="more labels"):
        reader.series()
    assert peak_megabytes() - before < 100


def test_many_small_documents_are_not_one_large_one(session: Path) -> None:
    """Each may hold 16 MB of JSON, but all of a type together no more than a session has."""
    body = pack_document(b'[{"at":1,"text":"' + b"x" * 16_000_000 + b'"}]')
    with closing(sqlite3.connect(session)) as database:
        database.executemany("INSERT INTO document(kind, body) VALUES ('marks', ?)", [(body,)] * 40)
        database.commit()
    assert session.stat().st_size < 1 << 20
    with SessionReader.open(session) as reader, pytest.raises(DamagedError, match="more marks"):
        reader.marks()


def test_a_strip_of_more_values_than_memory_is_refused(
    session: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sessions.store.segments.MAX_STRIP_VALUES", 30)
    with pytest.raises(DamagedError, match="strip with more values"):
        SessionReader.open(session)


TABLES = ("meta", "source", "entities", "series", "layout", "block", "chunk", "strip", "document")
LEVELS = 6


def make_endless(session: Path, table: str) -> None:
    """Let pages of a table refer to one another so that it has more rows than anybody can count."""
    with closing(sqlite3.connect(session)) as database:
        (root,) = database.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()
    data = bytearray(session.read_bytes())
    size = struct.unpack(">H", data[16:18])[0]
    data += data[(root - 1) * size : root * size]
    for _ in range(LEVELS):
        data += inner_page(size, len(data) // size)
    data[(root - 1) * size : root * size] = inner_page(size, len(data) // size)
    data[28:32] = struct.pack(">I", len(data) // size)
    session.write_bytes(data)


def inner_page(size: int, child: int) -> bytes:
    """A page of a table whose children are all the same."""
    cells = (size - 12) // 7
    head = struct.pack(">BHHHBI", 5, 0, cells, size - 5 * cells, 0, child)
    places = b"".join(struct.pack(">H", size - 5 * (cell + 1)) for cell in range(cells))
    return (head + places).ljust(size - 5 * cells, b"\0") + struct.pack(">IB", child, 1) * cells


def use(session: Path) -> list[str]:
    """Do everything with a session; what is wrong with it, a sentence each."""
    found: list[str] = []
    for act in (exercise, write):
        try:
            act(session)
        except DamagedError as error:
            found.append(error.happened)
    for thorough in (False, True):
        found += check_session(session, thorough=thorough)
    return found


def write(session: Path) -> None:
    with SessionWriter.open(session) as writer:
        writer.put_findings([])
        writer.ticks.last_samples()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second's work of SQLite is too much already at a fiftieth of it."""
    monkeypatch.setattr("sessions.store.database._MAX_STEPS", 1_000_000)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("table", TABLES)
def test_a_table_of_few_pages_and_endless_rows(session: Path, table: str) -> None:
    make_endless(session, table)
    size = session.stat().st_size
    found = use(session)
    assert len(found) >= 2
    assert not [sentence for sentence in found if "\n" in sentence or not sentence.endswith(".")]
    assert session.stat().st_size <= 2 * size


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("kind", ["marks", "findings"])
def test_endless_rows_that_nobody_asked_for(session: Path, kind: str) -> None:
    """SQLite looks through them and gives nothing; nor is there an end to what a writer would remove."""
    with closing(sqlite3.connect(session, isolation_level=None)) as database:
        database.execute("DELETE FROM document WHERE kind != ?", (kind,))
        database.execute("PRAGMA page_size = 4096")
        database.execute("VACUUM")
    make_endless(session, "document")
    size = session.stat().st_size
    assert any("no end" in sentence for sentence in use(session))
    assert session.stat().st_size <= 2 * size
