"""Hostile session files by the thousand: every command that reads them must end as documented, soon.

    python -m benchmarks.fuzz_sessions --count 10000 [--first 0] [--processes 2] [--keep FOLDER]

Files are mutated one to three times: as bytes (flipped, cut, spliced pages), as tables (rows edited, doubled,
dropped, values of any type and size), as blobs (well-formed, with impossible contents) and by files that lie
beside them (locks, logs). ``reading_commands`` says what must hold; files of findings are kept. Each mutant
follows from its number alone, so that it can be made again.
"""

# ruff: noqa: E501 - one record a line

from __future__ import annotations

import json
import random
import shutil
import sqlite3
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import numpy as np
import zstandard

from benchmarks.fuzzing import Report, run_fuzzer
from benchmarks.reading_commands import (
    cards_read_once,
    run_all,
)
from resources.failures import HyperscopeError
from sessions.findings import CauseVerdict, Evidence, Finding
from sessions.journal import ChangedObject, Figure, JournalEntry, Phase, TestRun
from sessions.model import Entity, EntityRef, Event, Fact, Gap, IntArray, Mark, SeriesSpec, SourceSpec
from sessions.store import SessionReader, SessionWriter, check_session, encode_block
from sessions.store.codec import (
    pack_bytes,
    pack_document,
    pack_floats,
    pack_ints,
    pack_texts,
    seal,
    unpack_document,
)
from sessions.times import TimeRange
from sessions.troubleshooting import (
    CheckedAgain,
    CheckResult,
    FoundOn,
    Note,
    RowResult,
    RuleLine,
    SeenChange,
    Step,
    Symptom,
    TroubleshootingRun,
    Verification,
    VerifiedNumber,
)

MAX_MEGABYTES = 1024
MAX_FORGED = 100_000
T0 = 1_700_000_000_000
HOST = EntityRef("host", "esx01")
COUNTERS = ("cpu.used", "cpu.ready", "cpu.costop", "c3", "c4")
"""Some that the catalogue knows, which comparisons and correlations look at, and some that it doesn't."""
Mutation = Callable[[Path, random.Random], None]


def build(path: Path) -> None:
    """Write a small session that has every kind of content: blocks, tick
    rows, sparse and constant series, records.
    """
    rng = np.random.default_rng(1)
    with SessionWriter.create(path, title="to be mutated", durable=False) as writer:
        vms = [EntityRef("vm", f"esx01/vm/{i}") for i in range(8)]
        writer.add_entities(
            [Entity(HOST, "esx01"), *(Entity(vm, f"vm {i}", HOST) for i, vm in enumerate(vms))]
        )
        for name in ("esx01", "again"):
            source = writer.add_source(SourceSpec("esxtop", name, 5.0, attributes=(("file", "a.csv"),)))
            specs = [
                SeriesSpec(vm, counter, "%", scale=0.5, label=f"\\\\h\\C({i})\\x")
                for vm in vms
                for i, counter in enumerate(COUNTERS)
            ]
            layout = writer.add_layout(source, writer.add_series(source, specs))
            stored = np.round(rng.normal(20, 5, (150, len(specs))), 2)
            stored[:, ::5], stored[:, 1], stored[::3, 2], stored[:, 3] = (
                7.0,
                np.nan,
                np.nan,
                rng.normal(size=150),
            )
            writer.add_block(layout, encode_block(T0 + 5000 * np.arange(100), stored[:100]))
            for tick in range(100, 110):
                writer.append_ticks([(layout, T0 + 5000 * tick, stored[tick])])
        record(writer)


def record(writer: SessionWriter) -> None:
    """Add one of each record to the session: fact, event, gap, mark, finding, guided run, test, change."""
    writer.add_facts([Fact(HOST, "vcpus", 4.0, T0, T0 + 9), Fact(HOST, "tools", True, T0)])
    writer.add_events([Event(T0, "vmotion", "moved", HOST)])
    writer.add_gaps([Gap(1, T0, T0 + 5000, "late")])
    writer.add_mark(Mark(T0, "here"))
    evidence = (Evidence("cpu.ready", "", "mean", 12.0, 5.0, "%"),)
    causes = (CauseVerdict("low_shares", "Low shares", "likely", "because"),)
    window = (TimeRange(T0, T0 + 5000),)
    writer.put_findings(
        [
            Finding(
                "cpu.ready_high",
                "Ready",
                "warning",
                HOST,
                "esx01",
                window,
                0.5,
                "So.",
                evidence,
                causes,
                ("Do.",),
            )
        ]
    )
    writer.add_troubleshooting([_guided_run(evidence, causes)])
    vm = ChangedObject("vcenter://vc", "VirtualMachine", "vm-1", "vm 1")
    writer.add_journal([JournalEntry("1", "t", vm, "cpu.shares", 1000, 2000, "shares", "undone", T0, T0 + 9)])
    plan = 'test = "sioc-shares"\nenvironment = ["lab:congested"]\n'
    writer.add_test_runs(
        [
            TestRun(
                "t", "sioc-shares", plan, T0, T0 + 90_000, True, "", "It worked.",
                (Phase("measure", "done", T0, T0 + 9),),
                (Figure("iops", "vm 1", 900.0, "1/s", (880.0, 910.0), 30),), '{"rounds": []}',
            )
        ]
    )  # fmt: skip


def _guided_run(evidence: tuple[Evidence, ...], causes: tuple[CauseVerdict, ...]) -> TroubleshootingRun:
    """One with everything that a run can have, verified once."""
    vm, window = EntityRef("vm", "esx01/vm/3"), TimeRange(T0, T0 + 250_000)
    check = CheckResult(
        "cpu.ready_high", "Ready", "ready", "definite", "problem", "It waited.", "vm 3", vm, "vm 3", "warning",
        rule=(RuleLine("ready, mean", 12.0, 5.0, "%", holds=True),), evidence=evidence, windows=(window,),
        lasted_s=250.0, share=0.5, score=1.0, causes=causes,
        steps=(Step("Do.", "low_shares", client="Edit", powercli="Get-VM -Name 'vm 3'", seen="x", seen_at=T0),),
        follows_from=("host.cpu_saturated", "Full host", HOST, "esx01"),
        changes=(Event(T0, "vmotion", "moved", HOST),), also=(FoundOn(HOST, "esx01", "info", "too"),),
    )  # fmt: skip
    number = VerifiedNumber("ready", "vm 3", "%", 12.0, 1.0, -11.0, (-12.0, -10.0), "better")
    again = CheckedAgain(
        "cpu.ready_high", "Ready", "ready", "problem", "not found", "fixed", "Less.", 12.0, 1.0, 5.0, "%", T0, number
    )  # fmt: skip
    change = SeenChange(T0, "shares: 1 → 2", vm, "vm 3", by="mara", setting="cpu_shares")
    after = TimeRange(T0 + 250_000, T0 + 500_000)
    verified = Verification(
        T0, "done", window, after, "fixed", "high", "Less.", "The same load.", True, 250.0, 250.0, (change,),
        (again,), (check,), (number,),
    )  # fmt: skip
    row = RowResult(
        "ready", "High ready", "definite", "", "problem", "12 of 5 %", "cpu.ready_high", ("cpu.ready_high",)
    )
    symptom = Symptom(vm, "vm 3", "slow", window)
    return TroubleshootingRun(
        1, T0, symptom, T0 + 500_000, (row,), (check,), changes=(change,), notes=(Note(T0, "slow", "mara"),),
        verifications=(verified,),
    )  # fmt: skip


def flip_bits(path: Path, rng: random.Random) -> None:
    """Flip a few bits anywhere in the file."""
    data = bytearray(path.read_bytes())
    for _ in range(rng.choice((1, 2, 8, 64))):
        data[rng.randrange(min(len(data), rng.choice((100, 4096, len(data)))))] ^= 1 << rng.randrange(8)
    path.write_bytes(data)


def overwrite_bytes(path: Path, rng: random.Random) -> None:
    """Overwrite up to 300 bytes with zeros, 0xff or random bytes."""
    data = bytearray(path.read_bytes())
    at, length = rng.randrange(len(data)), rng.choice((1, 2, 4, 8, 300))
    data[at : at + length] = rng.choice((bytes(length), b"\xff" * length, rng.randbytes(length)))
    path.write_bytes(data)


def cut(path: Path, rng: random.Random) -> None:
    """Cut off the end of the file, sometimes replacing it with random bytes."""
    data = path.read_bytes()
    path.write_bytes(data[: rng.randrange(len(data))] + rng.choice((b"", rng.randbytes(500))))


def splice_pages(path: Path, rng: random.Random) -> None:
    """Copy SQLite pages over other pages, or fill them with zeros."""
    data = bytearray(path.read_bytes())
    size = int.from_bytes(data[16:18], "big")
    pages = len(data) // size
    for _ in range(rng.choice((1, 3))):
        source, target = rng.randrange(pages) * size, rng.randrange(pages) * size
        data[target : target + size] = rng.choice((data[source : source + size], bytes(size)))
    path.write_bytes(data)


def _tables(database: sqlite3.Connection) -> dict[str, list[str]]:
    names = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    return {name: [row[1] for row in database.execute(f"PRAGMA table_info({name})")] for name in names}


def _nasty(rng: random.Random, old: object) -> object:
    """A value that does not belong there; a blob often with its checksum put right."""
    if isinstance(old, bytes) and rng.random() < 0.7:
        body = bytearray(old[:-4] or b"\0")
        for _ in range(rng.choice((1, 2, 5))):
            body[rng.randrange(len(body))] = rng.randrange(256)
        return seal(bytes(body[: rng.randrange(len(body) + 1)] if rng.random() < 0.2 else body))
    if isinstance(old, int) and rng.random() < 0.4:
        return old + rng.choice((-1, 1, 2, -old - 1, 1000))
    return rng.choice(
        (0, -1, 1, 7, 255, 65_536, 2**31, 2**40, 2**53, 2**62, 2**63 - 1, -(2**63), 0.5, float("inf"), -1e308,
         "", "vm", "complete", "x" * 100_000, "\0", "[]", '{"a":' * 5000, b"", b"\0" * 4, bytes(100_000),
         rng.randbytes(60), seal(b""), seal(b"[]"), pack_document(b'[{"at":1e400}]'),
         pack_document(b"[" * 50_000))
    )  # fmt: skip


def edit_values(path: Path, rng: random.Random) -> None:
    """Replace values in random rows of the tables with values of any type and size."""
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        tables = _tables(database)
        for _ in range(rng.choice((1, 1, 2, 4))):
            table = rng.choice(sorted(tables))
            column = rng.choice(tables[table])
            key = tables[table][0]
            rows = database.execute(f"SELECT {key}, {column} FROM {table}").fetchall()
            if rows:
                which, old = rng.choice(rows)
                with suppress(sqlite3.IntegrityError, OverflowError):
                    database.execute(
                        f"UPDATE {table} SET {column} = ? WHERE {key} = ?", (_nasty(rng, old), which)
                    )


def double_or_drop_rows(path: Path, rng: random.Random) -> None:
    """Repeat or delete random rows of the tables."""
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        tables = _tables(database)
        table = rng.choice(sorted(tables))
        key, *columns = tables[table]
        rows = database.execute(f"SELECT {key} FROM {table}").fetchall()
        if not rows:
            return
        (which,) = rng.choice(rows)
        if rng.random() < 0.5:
            database.execute(f"DELETE FROM {table} WHERE {key} = ?", (which,))
        elif isinstance(which, int):
            other = rng.choice((which + 1, which + 1000, which << 8, 2**62))
            with suppress(sqlite3.IntegrityError):
                database.execute(
                    f"INSERT INTO {table} SELECT ?, {', '.join(columns)} FROM {table} WHERE {key} = ?",
                    (other, which),
                )


def _bomb(size: int) -> bytes:
    return zstandard.compress(bytes(size))


def forge_blobs(path: Path, rng: random.Random) -> None:
    """Replace blobs with well-formed ones of the right length whose contents are impossible."""
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        table, column, count_sql, make = rng.choice(_FORGERIES)
        key = {"entities": "first", "series": "first"}.get(table, "id")
        rows = database.execute(f"SELECT {key}, {count_sql} FROM {table}").fetchall()
        which, stored = rng.choice(rows)  # an earlier mutation may have put anything in place of the count
        count = stored if isinstance(stored, int) and 0 <= stored < MAX_FORGED else rng.randrange(9)
        database.execute(f"UPDATE {table} SET {column} = ? WHERE {key} = ?", (make(rng, count), which))


def _ints(rng: random.Random, count: int) -> bytes:
    span = rng.choice((1, 2, 9, 1000, 2**40, 2**62))
    values: IntArray = np.array([rng.randint(-span, span) for _ in range(count)], np.int64)
    return pack_ints(rng.choice((values, np.abs(values), np.zeros_like(values), np.sort(values))))


def _floats(rng: random.Random, count: int) -> bytes:
    some = (0.0, -1.0, float("nan"), float("inf"), 1e308, -1e300, 2.0**53, 0.5, 1e289)
    return pack_floats(np.array([rng.choice(some) for _ in range(count)]))


def _texts(rng: random.Random, count: int) -> bytes:
    some = (
        "vm", "host", "", "esx01", "x" * 10_000, "\u202e", "cpu.ready", "naïve", "=1+1", "\x1b]0;x\x07",
        "\x9b2J", "two\r\nlines", "\0", "{}", "%s", "[bold]", "日本",
    )  # fmt: skip
    return pack_texts([rng.choice(some) for _ in range(count)])


def _bytes(rng: random.Random, count: int) -> bytes:
    return pack_bytes(np.array([rng.randrange(rng.choice((2, 3, 4, 256))) for _ in range(count)], np.uint8))


def _bombs(rng: random.Random, count: int) -> bytes:
    size = rng.choice((count, 8 * count, 1 << 26, 1 << 28))
    head = rng.choice((b"\0" * 10, b"\x01" + bytes(9), b"\x08" + bytes(16), (1).to_bytes(4, "little") * 3))
    return seal(head + _bomb(size))


_SHAPE = "(SELECT n FROM layout WHERE id = layout)"
_FORGERIES: Sequence[tuple[str, str, str, Callable[[random.Random, int], bytes]]] = (
    ("entities", "parent", "n", _ints),
    ("entities", "kind", "n", _texts),
    ("entities", "key", "n", _texts),
    ("entities", "name", "n", _bombs),
    ("series", "entity", "n", _ints),
    ("series", "counter", "n", _texts),
    ("series", "unit", "n", _texts),
    ("series", "instance", "n", _texts),
    ("entities", "name", "n", _texts),
    ("series", "scale", "n", _floats),
    ("series", "label", "n", _bombs),
    ("series", "unit", "n", _bombs),
    ("layout", "series", "n", _ints),
    ("layout", "series", "n", _bombs),
    ("block", "times", "ticks", _ints),
    ("block", "times", "ticks", _bombs),
    ("block", "shape", _SHAPE, _bytes),
    ("block", "counts", "24", _ints),
    ("block", "minima", "24", _floats),
    ("block", "maxima", "24", _floats),
    ("block", "totals", "24", _floats),
    ("block", "constants", "8", _floats),
    ("strip", "times", "ticks", _ints),
    ("strip", "rows", "ticks * 40", _floats),
    ("strip", "rows", "ticks * 40", _bombs),
    ("chunk", "data", "100", _floats),
    ("chunk", "data", "100", _bombs),
)
"""Table, column, how many values it holds (SQL), and what makes a blob of so many."""


def add_stray_files(path: Path, rng: random.Random) -> None:
    """Put a file or folder where the session's lock, SQLite's logs or backup copies would be."""
    for suffix in rng.sample(("-lock", "-wal", "-shm", "-journal", ".v0.bak"), rng.choice((1, 2))):
        content = (b"", b"garbage", bytes(4096), rng.randbytes(40_000), path.read_bytes())
        path.with_name(path.name + suffix).write_bytes(rng.choice(content))


def forge_documents(path: Path, rng: random.Random) -> None:
    """Add facts, events, gaps and findings of entities that do not exist, at impossible times."""
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        body = rng.choice(
            (
                b'[{"source":99,"start":0,"end":9,"reason":"\\u001b[2J","ticks":-5}]',
                b'[{"entity":{"kind":"vm","key":"nobody"},"name":"vcpus","value":1e308,"start":0}]',
                b'[{"entity":{"kind":"host","key":"esx01"},"name":"host","value":"\\u202e","start":0,"end":-9}]',
                b'[{"at":-62135596800000,"kind":"\\n","text":"\\u0007","end":253402300799999}]',
                b'[{"at":1,"text":"' + b"x" * 100_000 + b'"}]',
                b"[]",
            )
        )
        kind = rng.choice(("facts", "events", "gaps", "marks", "findings", "rumours"))
        database.execute("INSERT INTO document(kind, body) VALUES (?, ?)", (kind, pack_document(body)))


def edit_records(path: Path, rng: random.Random) -> None:
    """Change a few values within stored records, which stay well-formed JSON."""
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        rows = database.execute("SELECT id, body FROM document").fetchall()
        for _ in range(rng.choice((1, 1, 3))):
            which, body = rng.choice(rows)
            records = json.loads(unpack_document(body))
            places = list(_places(records))
            for holder, key in rng.sample(places, min(len(places), rng.choice((1, 2, 6)))):
                holder[key] = _other(rng, holder[key])
            packed = pack_document(json.dumps(records).encode())
            database.execute("UPDATE document SET body = ? WHERE id = ?", (packed, which))


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Each place of a JSON value, as what holds it and its key there."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in list(inner):
        yield value, key
        yield from _places(one)


def _other(rng: random.Random, old: Any) -> Any:
    """A value in the place of another one: mostly of the same type, or the record is refused at once."""
    if isinstance(old, str) and rng.random() < 0.9:
        return rng.choice(_HOSTILE_TEXTS)
    if isinstance(old, bool | None):
        return rng.choice((None, True, False))
    if isinstance(old, int | float) and rng.random() < 0.9:
        return rng.choice(
            (
                0,
                -1,
                1,
                old + 1,
                -old,
                T0,
                T0 - 10**9,
                T0 + 250_000,
                2**31,
                2**53,
                253402300799999,
                1e308,
                -1e308,
                5e-324,
            )
        )
    if isinstance(old, list) and rng.random() < 0.8:
        return rng.choice(([], old * 2, old[::-1], old * 300))
    return rng.choice((None, "", [], {}, 0, [[]], "x"))


_HOSTILE_TEXTS = (
    "", "vm", "host", "esx01/vm/3", "esx01", "cpu.ready", "cpu.ready_high", "problem", "not found", "critical", "slow",
    "done", "fixed", "%", "ms", "x" * 10_000, "\u202e", "=1+1", "\x1b]0;x\x07", "two\r\nlines", "\0", "{}", "{0}",
    "{vm}", "%s", "[bold]", "</script><script>alert(1)</script>", '"><svg onload=alert(1)>', "'; rm -rf ~; '", "日本",
    "unknown.problem", "../../etc/passwd", '{"a": [1]}', "lab:congested", 'test = "', "\\",
)  # fmt: skip

MUTATIONS: Sequence[Mutation] = (
    add_stray_files,
    forge_documents,
    edit_records,
    edit_records,
    edit_records,
    flip_bits,
    overwrite_bytes,
    cut,
    splice_pages,
    edit_values,
    edit_values,
    double_or_drop_rows,
    forge_blobs,
    forge_blobs,
)


def exercise(path: Path, *, append: bool = True) -> str:
    """Run every operation of the program on a session, writing included if ``append``.

    Returns ``fine``, or the class name of the HyperscopeError that it ended with.
    """
    outcome = "fine"
    for act in (_check, _read_everything, *((_append,) if append else ())):
        try:
            act(path)
        except HyperscopeError as error:
            outcome = type(error).__name__
    return outcome


def _check(path: Path) -> None:
    for thorough in (False, True):
        check_session(path, thorough=thorough)


def _read_everything(path: Path) -> None:
    with SessionReader.open(path, check=False) as reader:
        for look in (
            reader.info, reader.span, reader.sources, reader.facts, reader.events, reader.marks, reader.gaps,
            reader.findings, reader.meta, reader.series, lambda: _walk(reader),
            lambda: _sample(reader),
        ):  # fmt: skip
            with suppress(HyperscopeError):
                look()


def _walk(reader: SessionReader) -> None:
    """From every entity to its root, which must be reached."""
    entities = reader.entities()
    for entity in entities.values():
        steps, parent = 0, entity.parent
        while parent is not None:
            parent, steps = entities[parent].parent, steps + 1
            assert steps <= len(entities), "entities go in a circle"


def _sample(reader: SessionReader) -> None:
    series = reader.series()
    ids = np.array([one.id for one in series][:200], np.int64)
    windows = (None, TimeRange(T0 + 42_000, T0 + 444_000), TimeRange(0, 0))
    for window in windows:
        for look in (
            lambda window=window: reader.read(ids, window),
            lambda window=window: reader.stats(ids, window),
            lambda window=window: reader.overview(int(ids[0]), window, 100),
            lambda window=window: reader.times(1, window),
        ):
            with suppress(HyperscopeError):
                look()


def _append(path: Path) -> None:
    with SessionWriter.open(path, durable=False) as writer:
        source = writer.add_source(SourceSpec("lab", "more"))
        writer.add_entities([Entity(HOST, "esx01")])
        layout = writer.add_layout(source, writer.add_series(source, [SeriesSpec(HOST, "c0", "%")]))
        writer.append_ticks([(layout, T0, np.array([1.0]))])


def mutate(original: Path, path: Path, number: int) -> str:
    """Make mutant ``number`` of a session at ``path``, after removing all files of the mutant before.

    Returns a description of the mutations.
    """
    rng = random.Random(number)
    for left in path.parent.glob(path.name + "*"):
        shutil.rmtree(left) if left.is_dir() else left.unlink()
    shutil.copy(original, path)
    done = []
    for mutation in rng.choices(MUTATIONS, k=rng.choice((1, 1, 2, 3))):
        with suppress(sqlite3.Error, LookupError, ValueError, OSError, ArithmeticError):  # on a broken one
            mutation(path, rng)
            done.append(mutation.__name__)
    return "+".join(done)


def fuzz(first: int, count: int, folder: Path, *, keep: Path | None = None) -> Report:
    """Mutate ``count`` sessions in ``folder`` and run every command on each; copy findings to ``keep``."""
    original, path = folder / "original.hscope", folder / "mutated" / "mutated.hscope"
    path.parent.mkdir()
    build(original)
    report = Report()
    with cards_read_once():
        for number in range(first, first + count):
            name = mutate(original, path, number)
            kept = {one.name: one.read_bytes() for one in path.parent.iterdir()}

            def act(outcomes: Counter[str], number: int = number) -> None:
                outcomes[exercise(path, append=number % 4 == 0)] += 1
                run_all(path, outcomes)

            if not report.attempt(number, name, act) and keep is not None:
                for file, data in kept.items():
                    (keep / f"{number}-{file}").write_bytes(data)
    return report


def main() -> int:
    """Run the fuzzer from the command line; returns exit code 1 for findings, or for too much memory."""
    return run_fuzzer(fuzz, __doc__.split("\n")[0], default_count=1_000, max_megabytes=MAX_MEGABYTES)


if __name__ == "__main__":
    sys.exit(main())
