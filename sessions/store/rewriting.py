"""Copies a session with other texts: numbers as they are, every text as it is rewritten, nothing else.

The copy is a new file: no page of the original, used or free, is in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, TypeVar

import numpy as np

from sessions.findings import Finding
from sessions.journal import JournalEntry, TestRun
from sessions.model import Entity, Event, Fact, Gap, Mark, SeriesSpec, SourceSpec
from sessions.store import documents, sources
from sessions.store.database import Database, translated
from sessions.store.inventory import BATCH, Inventory, pack_entities, pack_series
from sessions.store.opening import create_file, leave_one_file, remove_session
from sessions.store.waiting_runs import runs_waiting
from sessions.troubleshooting import TroubleshootingRun, current_runs_of
from sessions.verdicts import Verdict

_T = TypeVar("_T")
_KINDS: tuple[type, ...] = (Fact, Event, Mark, Gap, Finding, Verdict, JournalEntry, TestRun)
_NUMBERS: tuple[tuple[str, tuple[type, ...]], ...] = (
    ("layout", (int, int, int, bytes)),
    ("block", (int, int, int, int, int, int, *(bytes,) * 7)),
    ("chunk", (int, bytes)),
    ("strip", (int, int, int, int, int, int, bytes, bytes)),
)
"""Tables without any text, with the types of their columns; the first is the id."""
_AT_ONCE = 2000


class Rewriter(Protocol):
    """Returns what stands in a copy instead of each record of a session."""

    def source(self, spec: SourceSpec, /) -> SourceSpec:
        """Return a source."""

    def entity(self, entity: Entity, /) -> Entity:
        """Return an entity; different ones stay different."""

    def series(self, spec: SeriesSpec, /) -> SeriesSpec:
        """Return a series."""

    def record(self, record: _T, /) -> _T:
        """Return a fact, event, mark, gap, finding, verdict, journal entry, test run or guided run."""

    def meta(self, key: str, text: str, /) -> str:
        """Return a text about the whole session."""


def copy_rewritten(
    database: Database,
    inventory: Inventory,
    out: Path,
    rewrite: Rewriter,
    step: Callable[[float], None],
) -> None:
    """Write the copy ``out``, which must not exist. Call it within a snapshot of ``database``.

    ``step`` is called with the part that is done, and may raise to stop; then nothing is left of the copy.
    Raises AlreadyExistsError, NotFoundError, AccessDeniedError, DiskFullError, DamagedError.
    """
    with _new_file(out) as copy:
        with copy.transaction():
            _copy_sources(database, copy, rewrite)
            _copy_inventory(inventory, copy, rewrite)
            _copy_documents(database, copy, rewrite)
        for table, types in _NUMBERS:
            _copy_numbers(database, copy, table, types, step)


@contextmanager
def _new_file(out: Path) -> Iterator[Database]:
    copy, lock = create_file(out, bulk=True)
    try:
        try:
            yield copy
            leave_one_file(copy)
        except BaseException:
            copy.close()
            remove_session(copy.path)
            raise
        copy.close()
    finally:
        lock.release()


def _copy_sources(database: Database, copy: Database, rewrite: Rewriter) -> None:
    for number, (spec, state) in sources.load(database).items():
        # Nobody writes the copy: what is still recorded ends here.
        ended = "interrupted" if state in sources.UNFINISHED else state
        new = sources.insert(copy, rewrite.source(spec), ended)
        copy.execute("UPDATE source SET id = ? WHERE id = ?", (number, new))
    for key, text in database.rows("SELECT key, value FROM meta LIMIT 10000", (str, str)):
        copy.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, rewrite.meta(key, text)))


def _copy_inventory(inventory: Inventory, copy: Database, rewrite: Rewriter) -> None:
    numbers = {ref: number for number, ref in enumerate(inventory.refs)}
    for first in range(0, len(inventory.refs), BATCH):
        batch = [inventory.entities[ref] for ref in inventory.refs[first : first + BATCH]]
        parents = [numbers[one.parent] if one.parent is not None else -1 for one in batch]
        packed = pack_entities([rewrite.entity(one) for one in batch], parents)
        copy.execute("INSERT INTO entities VALUES (?, ?, ?, ?, ?, ?)", (first, *packed))
    for of_source in inventory.batches:
        specs = [
            rewrite.series(SeriesSpec(inventory.refs[entity], counter, unit, instance, scale, label))
            for entity, counter, unit, instance, scale, label in zip(
                of_source.entity.tolist(), of_source.counter, of_source.unit, of_source.instance,
                of_source.scale.tolist(), of_source.label, strict=True,
            )
        ]  # fmt: skip
        packed = pack_series(specs, np.asarray(of_source.entity).tolist())
        copy.execute(
            "INSERT INTO series VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (of_source.first, len(specs), of_source.source, *packed),
        )


def _copy_documents(database: Database, copy: Database, rewrite: Rewriter) -> None:
    waiting = runs_waiting(database.path)  # first: what is taken in meanwhile is in the session
    for kind in _KINDS:
        found, _ = documents.read(database, kind)
        documents.insert(copy, documents.encode(rewrite.record(one) for one in found))
    kept, _ = documents.read(database, TroubleshootingRun)
    runs = current_runs_of([*kept, *waiting])
    documents.insert(copy, documents.encode(rewrite.record(one) for one in runs))


def _copy_numbers(
    database: Database, copy: Database, table: str, types: tuple[type, ...], step: Callable[[float], None]
) -> None:
    """Copy the rows of a table some at a time; for chunks, most of a session, ``step`` says how far."""
    last = next(iter(database.rows(f"SELECT max(id) FROM {table}", (object,))))[0]  # noqa: S608 - our own name
    places = ", ".join("?" * len(types))
    read = f"SELECT * FROM {table} WHERE id > ? ORDER BY id LIMIT {_AT_ONCE}"  # noqa: S608
    done = -1 << 62
    while rows := list(database.ordered(read, types, (done,))):
        with copy.transaction(), translated(copy.path):
            copy.execute_many(f"INSERT INTO {table} VALUES ({places})", rows)  # noqa: S608
        done = rows[-1][0]
        step(done / last if table == "chunk" and isinstance(last, int) and last > 0 else 0.0)
