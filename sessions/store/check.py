"""Checks the integrity of a session: quickly by its index, or thoroughly by every sample."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from resources.failures import DamagedError
from sessions.model import FloatArray, IntArray
from sessions.store import documents
from sessions.store.block_figures import Sums
from sessions.store.codec import BlobError
from sessions.store.database import Database
from sessions.store.opening import close_reader, open_for_reading
from sessions.store.samples import Samples
from sessions.store.schema import CHUNK_BITS
from sessions.store.segments import Segment

_SLAB_CELLS = 1 << 22
_MAX_PROBLEMS = 100


def check_session(path: Path, *, thorough: bool) -> list[str]:
    """Return what is wrong with a session, one sentence each; empty for an intact session.

    ``thorough`` also runs SQLite's integrity check, decodes every sample and compares the statistics. Raises
    NotFoundError, NotASessionError, TooNewError or AccessDeniedError if the file can't be checked.
    """
    try:
        database = open_for_reading(path)
    except DamagedError as error:
        return [error.happened]
    try:
        return list(_problems(database, thorough=thorough))
    except DamagedError as error:
        return [error.happened]
    finally:
        close_reader(database)


def _problems(database: Database, *, thorough: bool) -> Iterator[str]:
    with database.snapshot():
        if thorough:
            rows = database.rows(f"PRAGMA integrity_check({_MAX_PROBLEMS})", (str,))
            lines = [line for (text,) in rows for line in text.splitlines()]
            if lines != ["ok"]:
                yield from (f"{line}." for line in lines if not line.startswith("***"))
                return
        samples = Samples(database)
        samples.refresh()
        documents.verify(database)
        if thorough:
            yield from _stray_chunks(database, samples)
            for batch in samples.inventory.batches:
                len(batch.label)
            for segment in samples.segments:
                yield from _segment_problems(samples, segment)


def _stray_chunks(database: Database, samples: Samples) -> Iterator[str]:
    places = {segment.id: segment.layout.ids.size for segment in samples.segments if segment.is_block}
    stray = 0
    for (number,) in database.ordered("SELECT id FROM chunk ORDER BY id", (int,)):
        stray += number & ((1 << CHUNK_BITS) - 1) >= places.get(number >> CHUNK_BITS, 0)
    if stray:
        yield f"{stray} chunks belong to no block."


def _segment_problems(samples: Samples, segment: Segment) -> Iterator[str]:
    """Decode a block or strip and hold it against its row and its statistics."""
    contents, series = samples.contents, segment.layout.ids.size
    name = f"{'Block' if segment.is_block else 'Strip'} {segment.id}"
    found = 0
    try:
        contents.times(segment)
        slab = max(1, _SLAB_CELLS // segment.ticks)
        for begin in range(0, series, slab):
            positions = np.arange(begin, min(begin + slab, series))
            values = contents.columns(segment, positions)
            found += int(np.count_nonzero(~np.isnan(values)))
            if segment.is_block and not _agree(contents.sums(segment, positions), values):
                yield f"{name}: statistics that its samples do not have."
                return
    except BlobError as error:
        yield f"{name}: {error}."
        return
    if found != segment.samples:
        yield f"{name}: {found} samples where its row says {segment.samples}."


def _agree(sums: Sums, values: FloatArray) -> bool:
    present = ~np.isnan(values)
    filled = np.where(present, values, 0.0)
    count: IntArray = present.sum(axis=1)
    return (
        np.array_equal(sums.count, count)
        and np.array_equal(sums.minimum, np.where(present, values, np.inf).min(axis=1))
        and np.array_equal(sums.maximum, np.where(present, values, -np.inf).max(axis=1))
        and np.allclose(
            sums.total, filled.sum(axis=1), rtol=1e-9, atol=1e-9 * np.abs(filled).max(initial=1.0)
        )
    )
