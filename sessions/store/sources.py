"""Reads and writes the source table."""

from __future__ import annotations

import math
from collections.abc import Set
from typing import Any, get_args

import msgspec

from sessions.model import SourceKind, SourceSpec
from sessions.store.codec import BlobError, storable
from sessions.store.database import Database

UNFINISHED = frozenset({"recording", "importing"})
STATES = UNFINISHED | {"complete", "interrupted"}

_KINDS = frozenset(get_args(SourceKind))
_TYPES = (int, str, str, object, str, int, str)
_MAX_OFFSET_MS = 1 << 50


def insert(database: Database, spec: SourceSpec, state: str) -> int:
    """Add a source; return its id."""
    return database.execute(
        "INSERT INTO source(kind, name, interval_s, attributes, clock_offset_ms, state)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (spec.kind, storable(spec.name), spec.interval_s, _packed(spec), spec.clock_offset_ms, state),
    )


def update(database: Database, source: int, spec: SourceSpec, state: str) -> None:
    """Replace the specification and state of a source."""
    database.execute(
        "UPDATE source SET interval_s = ?, attributes = ?, clock_offset_ms = ?, state = ? WHERE id = ?",
        (spec.interval_s, _packed(spec), spec.clock_offset_ms, state, source),
    )


def load(database: Database) -> dict[int, tuple[SourceSpec, str]]:
    """Return all sources with their states by id, in order; raises BlobError."""
    found: dict[int, tuple[SourceSpec, str]] = {}
    rows = database.ordered(
        "SELECT id, kind, name, interval_s, attributes, clock_offset_ms, state FROM source ORDER BY id",
        _TYPES,
    )
    for number, kind, name, interval, attributes, offset, state in rows:
        if number <= 0 or kind not in _KINDS or state not in STATES:
            raise BlobError("a source that does not fit")
        spec = SourceSpec(kind, name, _interval(interval), offset, _unpacked(attributes))
        if abs(offset) > _MAX_OFFSET_MS:
            raise BlobError("a source whose clock is out of range")
        found[number] = (spec, state)
    return found


def require_all(database: Database, used: Set[int]) -> None:
    """Check that all ``used`` source ids exist; raises BlobError otherwise."""
    if not used <= load(database).keys():
        raise BlobError("series of a source that is not there")


def require(spec: SourceSpec, state: str) -> None:
    """Raise ValueError for a specification or state that can't be stored."""
    if spec.kind not in _KINDS or state not in STATES:
        raise ValueError(f"a source of kind {spec.kind!r} in state {state!r}")
    if spec.interval_s is not None and not 0 < spec.interval_s < math.inf:
        raise ValueError(f"a source with an interval of {spec.interval_s} s")


def _interval(value: Any) -> float | None:
    if value is None:
        return None
    if not isinstance(value, int | float) or not 0 < value < math.inf:
        raise BlobError("a source whose interval is none")
    return float(value)


def _packed(spec: SourceSpec) -> str:
    pairs = [(storable(name), storable(text)) for name, text in spec.attributes]
    return msgspec.json.encode(pairs).decode()


def _unpacked(attributes: str) -> tuple[tuple[str, str], ...]:
    try:
        return msgspec.json.decode(attributes, type=tuple[tuple[str, str], ...])
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
        raise BlobError(f"a source's attributes can't be read ({error})") from error
