"""The tables of a session file in every version that was ever released, and the migrations between versions.

    meta        texts about the whole session: title, created …
    source      where counters come from: kind, name, interval, clock offset, state
    entities    a row for each batch of entities, a blob for each column; numbered from 0, parents first
    series      a row for each batch of series of one source, likewise; ids from 1
    layout      series that arrive together: their ids by position
    block       some ticks of a layout: times, statistics of every series
    chunk       one series in one block, where it varies there; id = block << 24 | position
    strip       a few ticks of a layout as whole rows, as they arrived; compaction makes blocks of them
    document    facts, events, marks, gaps, findings, journal, test runs: JSON arrays, compressed

Blocks and strips are numbered together, in the order of writing. Blobs end in a CRC-32 of what precedes it;
``codec`` and ``chunks`` define their contents. Times are milliseconds since 1970 (UTC).
"""

from __future__ import annotations

import re

from resources.failures import TooNewError
from sessions.store.codec import BlobError
from sessions.store.database import Database, not_a_session

APPLICATION_ID = 0x48534350  # "HSCP"
VERSION = 2
OLDEST_READABLE = 1
"""Version 2 has version 1's tables, and more kinds of documents and entities: both are read in place."""

PAGE_BYTES = 4096
BULK_PAGE_BYTES = 1 << 15
"""Of a session that is made in one go: large chunks leave a third of a small page empty."""

CHUNK_BITS = 24
"""A chunk's id is its block's id, shifted left by this, plus the series' position in the block's layout."""

_META = "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID"
_SOURCE_0 = (
    "CREATE TABLE source(id INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, interval_s REAL,"
    " attributes TEXT NOT NULL)"
)
_SOURCE = (
    _SOURCE_0[:-1] + ", clock_offset_ms INTEGER NOT NULL DEFAULT 0, state TEXT NOT NULL DEFAULT 'complete')"
)
_ENTITIES = (
    "CREATE TABLE entities(first INTEGER PRIMARY KEY, n INTEGER NOT NULL, kind BLOB NOT NULL,"
    " key BLOB NOT NULL, name BLOB NOT NULL, parent BLOB NOT NULL)"
)
_SERIES = (
    "CREATE TABLE series(first INTEGER PRIMARY KEY, n INTEGER NOT NULL, source INTEGER NOT NULL,"
    " entity BLOB NOT NULL, counter BLOB NOT NULL, unit BLOB NOT NULL, instance BLOB NOT NULL,"
    " scale BLOB NOT NULL, label BLOB NOT NULL)"
)
_LAYOUT = (
    "CREATE TABLE layout(id INTEGER PRIMARY KEY, source INTEGER NOT NULL, n INTEGER NOT NULL,"
    " series BLOB NOT NULL)"
)
_BLOCK = (
    "CREATE TABLE block(id INTEGER PRIMARY KEY, layout INTEGER NOT NULL, t0 INTEGER NOT NULL,"
    " t1 INTEGER NOT NULL, ticks INTEGER NOT NULL, samples INTEGER NOT NULL, times BLOB NOT NULL,"
    " shape BLOB NOT NULL, constants BLOB NOT NULL, counts BLOB NOT NULL, minima BLOB NOT NULL,"
    " maxima BLOB NOT NULL, totals BLOB NOT NULL)"
)
_CHUNK = "CREATE TABLE chunk(id INTEGER PRIMARY KEY, data BLOB NOT NULL)"
_STRIP = (
    "CREATE TABLE strip(id INTEGER PRIMARY KEY, layout INTEGER NOT NULL, t0 INTEGER NOT NULL,"
    " t1 INTEGER NOT NULL, ticks INTEGER NOT NULL, samples INTEGER NOT NULL, times BLOB NOT NULL,"
    " rows BLOB NOT NULL)"
)
_DOCUMENT = "CREATE TABLE document(id INTEGER PRIMARY KEY, kind TEXT NOT NULL, body BLOB NOT NULL)"

SCHEMAS: dict[int, tuple[str, ...]] = {
    0: (_META, _SOURCE_0, _ENTITIES, _SERIES, _LAYOUT, _BLOCK, _CHUNK, _STRIP, _DOCUMENT),
    1: (_META, _SOURCE, _ENTITIES, _SERIES, _LAYOUT, _BLOCK, _CHUNK, _STRIP, _DOCUMENT),
    2: (_META, _SOURCE, _ENTITIES, _SERIES, _LAYOUT, _BLOCK, _CHUNK, _STRIP, _DOCUMENT),
}

MIGRATIONS: dict[int, tuple[str, ...]] = {
    0: (
        "ALTER TABLE source ADD COLUMN clock_offset_ms INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE source ADD COLUMN state TEXT NOT NULL DEFAULT 'complete'",
    ),
    1: (),  # an older program must not write here: going on in another file, it would lose the journal
}
"""Statements that make a file of the key's version one of the next. Version 0 was the prototype's."""


def create(database: Database, version: int = VERSION, *, page_bytes: int = PAGE_BYTES) -> None:
    """Make an empty database a session of this version."""
    database.pragma(f"page_size = {page_bytes}")
    with database.transaction():
        for statement in SCHEMAS[version]:
            database.execute(statement)
        database.pragma(f"application_id = {APPLICATION_ID}")
        database.pragma(f"user_version = {version}")


def version_of(database: Database) -> int:
    """Return the file's version; raises NotASessionError, and TooNewError for a version that is
    newer than ours.
    """
    if database.pragma("application_id") != APPLICATION_ID:
        raise not_a_session(database.path, "it does not carry its mark")
    version = int(database.pragma("user_version"))
    if version > VERSION:
        raise TooNewError(
            f"{database.path.name} was written by a newer Hyperscope (format {version}, not {VERSION}).",
            meaning="Opening it here could lose what this version does not know.",
            advice="Update Hyperscope.",
        )
    return version


def verify(database: Database, version: int) -> None:
    """Refuse a file whose tables are not exactly those of its version: we use no triggers,
    views or own indexes.

    Raises BlobError (see ``translated``), because SQL from an untrusted file must never run.
    """
    expected = sorted(_words(statement) for statement in SCHEMAS.get(version, ()))
    found: list[str] = []
    for (sql,) in database.rows("SELECT sql FROM sqlite_master LIMIT 100", (object,)):
        if not isinstance(sql, str):
            raise BlobError("its tables are described by something that is no text")
        found.append(_words(sql))
    if sorted(found) != expected:
        raise BlobError("its tables are not those of a session")


def _words(sql: str) -> str:
    return re.sub(r'[\s"]+', " ", sql).replace(" (", "(").strip()
