"""Stores facts, events, marks, gaps, findings, their verdict, journal, test runs and guided runs as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import msgspec

from resources.foreign_text import storable
from resources.typed_data import ready
from sessions.findings import Finding
from sessions.journal import JournalEntry, TestRun
from sessions.model import Event, Fact, Gap, Mark
from sessions.store.codec import BlobError, pack_document, unpack_document
from sessions.store.database import Database
from sessions.troubleshooting import TroubleshootingRun
from sessions.verdicts import Verdict

FIRST_MS, LAST_MS = -62_135_596_800_000, 253_402_300_799_999  # the years 1 to 9999, which ISO 8601 can write
BATCH = 1000
MAX_DOCUMENTS = 1 << 22
MAX_BYTES = 1 << 28
"""Of all documents of a type, unpacked: a forged file could hold a thousand times its size."""

_READ = "SELECT id, body FROM document WHERE kind = ? AND id > ? ORDER BY id"
_TYPES: dict[type, str] = {
    Fact: "facts",
    Event: "events",
    Mark: "marks",
    Gap: "gaps",
    Finding: "findings",
    Verdict: "verdicts",
    JournalEntry: "journal",
    TestRun: "test runs",
    TroubleshootingRun: "troubleshooting",
}

Document = TypeVar(
    "Document", Fact, Event, Mark, Gap, Finding, Verdict, JournalEntry, TestRun, TroubleshootingRun
)


def encode(documents: Iterable[Document]) -> list[tuple[str, bytes]]:
    """Encode documents of one type as rows; raises ValueError for one that could not be decoded unchanged."""
    waiting = list(documents)
    rows = []
    for begin in range(0, len(waiting), BATCH):
        batch = waiting[begin : begin + BATCH]
        kind = type(batch[0])
        body = _json(batch)
        try:
            _decode(body, kind)
        except BlobError as error:
            raise ValueError(f"{_TYPES[kind]} that can't be stored: {error}") from error
        rows.append((_TYPES[kind], pack_document(body)))
    return rows


def _json(documents: Sequence[Any]) -> bytes:
    """The documents as JSON; what no encoding has, as of a file name that is not UTF-8, becomes ``�``."""
    try:
        return msgspec.json.encode(documents)
    except UnicodeEncodeError:
        return msgspec.json.encode(_storable(msgspec.to_builtins(documents)))


def _storable(value: Any) -> Any:
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, dict):
        return {storable(name): _storable(one) for name, one in value.items()}
    return [_storable(one) for one in value] if isinstance(value, list | tuple) else value


def packed(documents: Sequence[Document]) -> bytes:
    """Pack documents of one type, at least one, for a file of their own; raises ValueError for more than
    16 MiB, or for one that could not be decoded unchanged.
    """
    body = _json(documents)
    _decode(body, type(documents[0]))
    return pack_document(body)


def unpacked(packed: bytes, kind: type[Document]) -> list[Document]:
    """Return the documents of a file of their own; raises BlobError."""
    return _decode(unpack_document(packed), kind)


def insert(database: Database, rows: Iterable[tuple[str, bytes]]) -> None:
    """Append encoded documents."""
    database.execute_many("INSERT INTO document(kind, body) VALUES (?, ?)", rows)


def replace(database: Database, old: Document, new: Document | None) -> bool:
    """Replace the first document that equals ``old`` by ``new``, or remove it (None); return False
    if there is none.

    ``encode`` must have accepted ``new``. Raises BlobError for documents that can't be decoded.
    """
    kind = type(old)
    for number, body in list(database.ordered(_READ, (int, bytes), (_TYPES[kind], 0))):
        batch = _decode(unpack_document(body), kind)
        if old not in batch:
            continue
        at = batch.index(old)
        batch[at : at + 1] = [new] if new is not None else []
        if batch:
            packed = pack_document(msgspec.json.encode(batch))
            database.execute("UPDATE document SET body = ? WHERE id = ?", (packed, number))
        else:
            database.execute("DELETE FROM document WHERE id = ?", (number,))
        return True
    return False


def clear(database: Database, kind: type) -> None:
    """Delete all documents of a type."""
    database.execute("DELETE FROM document WHERE kind = ?", (_TYPES[kind],))


def read(database: Database, kind: type[Document], after: int = 0) -> tuple[list[Document], int]:
    """Return the documents of a type in the order of writing, and the row number of the last;
    raises BlobError.

    ``after``: only documents of rows after this number.
    """
    found: list[Document] = []
    last, size = after, 0
    for number, packed in database.ordered(_READ, (int, bytes), (_TYPES[kind], after)):
        last, body = number, unpack_document(packed)
        size += len(body)
        if size > MAX_BYTES:
            raise BlobError(f"more {_TYPES[kind]} than any session has")
        found += _decode(body, kind)
        if len(found) > MAX_DOCUMENTS:
            raise BlobError(f"more than {MAX_DOCUMENTS} {_TYPES[kind]}")
    return found, last


def verify(database: Database) -> None:
    """Decode all documents; raises BlobError for one that can't be decoded or has an unknown type."""
    for (name,) in database.rows("SELECT DISTINCT kind FROM document LIMIT 100", (str,)):
        if name not in _TYPES.values():
            raise BlobError("a document of a type that does not exist")
    for kind in _TYPES:
        read(database, kind)


def _decode(body: bytes, kind: type[Document]) -> list[Document]:
    try:
        ready(kind)
        documents: list[Document] = msgspec.json.decode(body, type=list[kind])  # type: ignore[valid-type]
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise BlobError(f"{_TYPES[kind]} that can't be read ({error})") from error
    for document in documents:
        if not all(FIRST_MS <= at <= LAST_MS for at in _times(document)):
            raise BlobError(f"{_TYPES[kind]} at a time that no calendar has")
    return documents


def _times(document: Any) -> Sequence[int]:
    if isinstance(document, Mark):
        return (document.at,)
    if isinstance(document, Event):
        return document.at, document.until
    if isinstance(document, JournalEntry):
        return document.intended_at, document.at
    if isinstance(document, Finding | Verdict | TestRun | TroubleshootingRun):
        return _times_within(document)
    return (document.start, document.start if document.end is None else document.end)


def _times_within(document: Finding | Verdict | TestRun | TroubleshootingRun) -> Sequence[int]:
    if isinstance(document, TroubleshootingRun):
        return document.times()
    if isinstance(document, TestRun):
        phases = [at for phase in document.phases for at in (phase.start, phase.end)]
        return [at for at in (document.start, document.end, *phases) if at is not None]
    if isinstance(document, Finding):
        windows = list(document.windows)
        events = [at for event in document.changes for at in (event.at, event.until)]
    else:
        windows, events = [one.judged for one in document.sources if one.judged is not None], []
    return [at for window in windows for at in (window.start, window.end)] + events
