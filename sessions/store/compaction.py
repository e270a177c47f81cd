"""Compaction: turns arrived ticks (strips) into blocks of column chunks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sessions.distinct import distinct
from sessions.store.blocks import EncodedBlock, encode_block
from sessions.store.codec import BlobError, unpack_floats, unpack_ints
from sessions.store.database import Database
from sessions.store.pending import Pending
from sessions.store.precedence import Piece, Precedence, blank_overridden
from sessions.store.schema import CHUNK_BITS


@dataclass(frozen=True, slots=True)
class _Strip:
    id: int
    start: int
    end: int
    ticks: int


def insert(database: Database, number: int, layout: int, block: EncodedBlock) -> None:
    """Write a block, or a strip if it is short, under this segment number. Call within a transaction."""
    head = (number, layout, block.start, block.end, block.ticks, block.samples, block.times)
    if block.rows:
        database.execute("INSERT INTO strip VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (*head, block.rows))
        return
    database.execute(
        "INSERT INTO block VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", (*head, *block.summary)
    )
    first = number << CHUNK_BITS
    database.execute_many(
        "INSERT INTO chunk VALUES (?, ?)", ((first | position, data) for position, data in block.chunks())
    )


def compact(
    database: Database,
    layout: int,
    pending: Pending,
    numbers: Iterator[int],
    precedence: Precedence,
    *,
    whole: bool,
) -> Pending:
    """Replace the strips of a layout by blocks (by one strip, if they are few ticks); one
    transaction for each.

    ``numbers`` yields the numbers of the new segments; segments written between the strips keep their
    precedence. Without ``whole`` the newest ticks stay strips if they don't fill a block. Returns what still
    awaits compaction.
    """
    left = Pending(pending.series)
    groups = _groups(_strips(database, layout), pending.block_ticks)
    whole = whole or len(groups) == 1
    for at, group in enumerate(groups, 1):
        if len(group) == 1 or (at == len(groups) and not whole):
            for strip in group:
                left.add(strip.end, strip.ticks)
            continue
        start, end = min(strip.start for strip in group), max(strip.end for strip in group)
        later = precedence.later(layout, [strip.id for strip in group], start, end)
        block = _joined(database, group, later, pending.series)
        if block.rows:
            left.add(block.end, block.ticks)
        with database.transaction():
            database.execute_many("DELETE FROM strip WHERE id = ?", ((strip.id,) for strip in group))
            insert(database, next(numbers), layout, block)
    return left


def _strips(database: Database, layout: int) -> list[_Strip]:
    rows = database.rows(
        "SELECT id, t0, t1, ticks FROM strip WHERE layout = ?", (int, int, int, int), (layout,)
    )
    return [_Strip(*row) for row in rows]


def _groups(strips: Sequence[_Strip], block_ticks: int) -> list[list[_Strip]]:
    """Strips by time, about a block's worth in a group, each in the order in which they were written.

    No two groups share an instant: a late piece goes where its instant is, whatever was written between.
    """
    groups: list[list[_Strip]] = []
    end: int | None = None
    instants = 0
    for strip in sorted(strips, key=lambda strip: (strip.start, strip.id)):
        if end is None or (instants >= block_ticks and strip.start > end):
            groups.append([])
            end, instants = None, 0
        groups[-1].append(strip)
        if end is None or strip.end > end:
            end, instants = strip.end, instants + strip.ticks
    return [sorted(group, key=lambda strip: strip.id) for group in groups]


def _joined(
    database: Database, group: Sequence[_Strip], others: Sequence[tuple[int, Piece]], series: int
) -> EncodedBlock:
    """The strips' ticks as one block; of an instant that comes twice, the later piece wins where it can.

    ``others`` stay where they are: what they say is left out of the block where they are the later.
    """
    pieces = {
        strip.id: unpack_ints(_blob(database, "SELECT times FROM strip WHERE id = ?", strip), strip.ticks)
        for strip in group
    }
    times = distinct(np.concatenate(list(pieces.values())))
    stored = np.full((times.size, series), np.nan)
    waiting = list(reversed(others))
    for strip in group:
        while waiting and waiting[-1][0] < strip.id:
            blank_overridden(times, stored, waiting.pop()[1])
        packed = _blob(database, "SELECT rows FROM strip WHERE id = ?", strip)
        rows = unpack_floats(packed, strip.ticks * series).reshape(strip.ticks, series)
        for at, row in zip(np.searchsorted(times, pieces[strip.id]).tolist(), rows, strict=True):
            np.copyto(stored[at], row, where=~np.isnan(row))
    for _, later in reversed(waiting):
        blank_overridden(times, stored, later)
    return encode_block(times, stored)


def _blob(database: Database, sql: str, strip: _Strip) -> bytes:
    row = next(database.rows(sql, (bytes,), (strip.id,)), None)
    if row is None:
        raise BlobError("a strip that has gone")
    blob: bytes = row[0]
    return blob
