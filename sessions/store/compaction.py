"""Turning ticks as they arrived (strips) into blocks of column chunks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from sessions.store.blocks import BLOCK_TICKS, EncodedBlock, encode_block
from sessions.store.codec import BlobError, unpack_floats, unpack_ints
from sessions.store.database import Database
from sessions.store.schema import CHUNK_BITS

Strip = tuple[int, int]  # id, ticks


def insert(database: Database, number: int, layout: int, block: EncodedBlock) -> None:
    """Write a block, or a strip when it is a short one, under its number; call it within a transaction."""
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


def compact(database: Database, layout: int, series: int, numbers: Iterator[int]) -> int:
    """Replace the strips of a layout by blocks (by one strip, if they are few ticks); a transaction for each.

    ``numbers`` gives the numbers of the new segments, ``series`` is how many the layout has. Returns how many
    ticks remain in strips.
    """
    left = 0
    for group in _groups(_strips(database, layout)):
        if len(group) == 1:
            left += group[0][1]
            continue
        block = _joined(database, group, series)
        left += block.ticks if block.rows else 0
        with database.transaction():
            for number, _ in group:
                database.execute("DELETE FROM strip WHERE id = ?", (number,))
            insert(database, next(numbers), layout, block)
    return left


def _strips(database: Database, layout: int) -> list[Strip]:
    return list(
        database.rows("SELECT id, ticks FROM strip WHERE layout = ? ORDER BY id", (int, int), (layout,))
    )


def _groups(strips: Sequence[Strip]) -> Iterator[list[Strip]]:
    """Strips in order, about a block's worth at a time."""
    group: list[Strip] = []
    for strip in strips:
        group.append(strip)
        if sum(ticks for _, ticks in group) >= BLOCK_TICKS:
            yield group
            group = []
    if group:
        yield group


def _joined(database: Database, group: Sequence[Strip], series: int) -> EncodedBlock:
    times, rows = [], []
    for number, ticks in group:
        row = next(
            database.rows("SELECT times, rows FROM strip WHERE id = ?", (bytes, bytes), (number,)), None
        )
        if row is None:
            raise BlobError("a strip that has gone")
        times.append(unpack_ints(row[0], ticks))
        rows.append(unpack_floats(row[1], ticks * series).reshape(ticks, series))
    return encode_block(np.concatenate(times), np.concatenate(rows))
