"""Collects rows of numbers in little memory until there are enough for a block.

Most counters of a host are constant for minutes, and most others have two decimals at most: a constant series
is kept once and the others as 32-bit hundredths. A block of many rows is smaller and faster to encode than
several of few rows (each chunk costs 10 µs and 25 bytes besides its values).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sessions.model import FloatArray, IntArray
from sessions.store.blocks import (
    CONSTANT,
    MIN_BLOCK_TICKS,
    VARYING,
    EncodedBlock,
    Summary,
    assemble,
    encode_block,
    encode_series,
)
from sessions.store.codec import summable
from sessions.store.hundredths import NOTHING, Int32Array, encode_hundredths, to_hundredths, to_numbers

_MAX_16 = np.iinfo(np.int16).max


@dataclass(frozen=True, slots=True)
class _Moving:
    """Hundredths (ticks, positions) of the series at ``positions``, which are increasing."""

    positions: IntArray
    hundredths: Int32Array | NDArray[np.int16]

    @property
    def nbytes(self) -> int:
        return self.positions.nbytes + self.hundredths.nbytes

    def fill(self, columns: Int32Array, chosen: IntArray) -> None:
        """Write those of the ``chosen`` series that are here into ``columns`` (chosen, ticks)."""
        here, target = _matches(self.positions, chosen)
        columns[_as_slice(target)] = self.hundredths[:, _as_slice(here)].T

    def has_all(self, chosen: IntArray) -> bool:
        """Whether all of the ``chosen`` series are here."""
        if not len(chosen):
            return True
        return np.array_equal(_within(self.positions, chosen[0], chosen[-1] + 1), chosen)


def _in_little_room(positions: IntArray, whole: Int32Array) -> tuple[_Moving, ...]:
    """A copy in 16 bits where that suffices: twice as many rows make a block."""
    narrow = (whole.max(axis=0) <= _MAX_16) & (whole.min(axis=0) >= -_MAX_16)  # nor is any absent
    if narrow.all():
        return (_Moving(positions, whole.astype(np.int16)),)
    return (
        _Moving(positions[narrow], whole[:, narrow].astype(np.int16)),
        _Moving(positions[~narrow], whole[:, ~narrow]),
    )


@dataclass(frozen=True, slots=True)
class _Batch:
    """Some rows: ``still`` holds for all series but those in ``moving`` (hundredths) and ``wide`` (numbers).

    Positions are increasing; ``numbers`` has a row for each tick.
    """

    times: IntArray
    still: FloatArray
    moving: tuple[_Moving, ...]
    wide: IntArray
    numbers: FloatArray

    @property
    def nbytes(self) -> int:
        return self.still.nbytes + sum(part.nbytes for part in self.moving) + self.numbers.nbytes

    @classmethod
    def of(cls, times: IntArray, values: FloatArray) -> _Batch:
        still = values[0] + 0.0
        moves = (values[1:] != still).any(axis=0)
        moves |= ~summable(still)
        moving = np.flatnonzero(moves)
        some = values[:, moving]
        whole, exact = to_hundredths(some)
        if exact.all():
            return cls(times, still, _in_little_room(moving, whole), moving[:0], np.empty((len(times), 0)))
        other = np.flatnonzero(~exact.all(axis=0))
        present = summable(some[:, other])
        whole[:, other] = np.where(present, whole[:, other], NOTHING)
        inexact = (present & ~exact[:, other]).any(axis=0)
        wide = other[inexact]
        numbers = np.where(present[:, inexact], some[:, wide] + 0.0, np.nan)
        kept = np.delete(np.arange(len(moving)), wide)
        return cls(times, still, _in_little_room(moving[kept], whole[:, kept]), moving[wide], numbers)

    @classmethod
    def of_hundredths(
        cls, times: IntArray, whole: Int32Array, positions: IntArray, numbers: FloatArray
    ) -> _Batch:
        """Rows of hundredths, but for the series at ``positions``, which have ``numbers``."""
        still = to_numbers(whole[0])
        moves = (whole[1:] != whole[0]).any(axis=0)
        moves |= whole[0] == NOTHING
        still[positions] = numbers[0] + 0.0
        wide = (numbers[1:] != numbers[0]).any(axis=0) | ~summable(numbers[0])
        moves[positions] = False
        moving = np.flatnonzero(moves)
        some = numbers[:, wide] + 0.0
        some[~summable(some)] = np.nan
        taken = whole if len(moving) == whole.shape[1] else whole[:, moving]
        return cls(times, still, _in_little_room(moving, taken), positions[wide], some)

    def fill(self, columns: IntArray, values: FloatArray) -> None:
        """Write the numbers of some series, increasing, into ``values`` (rows, len(columns))."""
        values[...] = self.still[columns]
        for part in self.moving:
            here, target = _matches(part.positions, columns)
            values[:, target] = to_numbers(part.hundredths[:, here].astype(np.int32))
        here, target = _matches(self.wide, columns)
        values[:, target] = self.numbers[:, here]


class Gathering:
    """Rows of the same series, in the order in which they are added."""

    def __init__(self) -> None:
        self._batches: list[_Batch] = []
        self.nbytes = 0

    def add(self, times: IntArray, values: FloatArray) -> None:
        """Add rows (len(times), series), NaN where absent; the caller may reuse the array.

        Fastest with some megabytes in each call.
        """
        if len(times):
            batch = _Batch.of(times.copy(), values)
            self._batches.append(batch)
            self.nbytes += batch.nbytes

    def add_hundredths(
        self, times: IntArray, hundredths: Int32Array, positions: IntArray, numbers: FloatArray
    ) -> None:
        """Add rows of hundredths (len(times), series), NOTHING where absent; the caller may reuse the array.

        The series at ``positions`` (increasing) have the values ``numbers`` (len(times), len(positions))
        instead.
        """
        if len(times):
            batch = _Batch.of_hundredths(times.copy(), hundredths, positions, numbers)
            self._batches.append(batch)
            self.nbytes += batch.nbytes

    def clear(self) -> None:
        """Remove all rows."""
        self._batches.clear()
        self.nbytes = 0

    def block(self, begin: int, end: int) -> EncodedBlock | None:
        """Encode the series from ``begin`` to ``end`` as ``encode_block`` does; None when
        there are no rows.
        """
        if not self._batches:
            return None
        times = np.concatenate([batch.times for batch in self._batches])
        if len(times) < MIN_BLOCK_TICKS or not (np.diff(times) > 0).all():
            return encode_block(times, self._numbers(np.arange(begin, end)))
        still, moves, wide = self._kinds(begin, end)
        by_tick = np.flatnonzero(moves & ~wide)
        parts = [
            (by_tick, *encode_hundredths(self._hundredths(begin, by_tick, still))),
            (np.flatnonzero(wide), *self._encode_wide(begin + np.flatnonzero(wide))),
        ]
        return assemble(times, *_merged(self._batches[0].still[begin:end], parts))

    def _kinds(self, begin: int, end: int) -> tuple[Int32Array, NDArray[np.bool_], NDArray[np.bool_]]:
        """What stands still in each batch as hundredths, which series move, and which are no hundredths."""
        still = np.stack([batch.still[begin:end] for batch in self._batches])
        moves = (still[1:] != still[0]).any(axis=0)
        wide = np.zeros(end - begin, np.bool_)
        for batch in self._batches:
            for part in batch.moving:
                moves[_within(part.positions, begin, end) - begin] = True
            wide[_within(batch.wide, begin, end) - begin] = True
        moving = np.flatnonzero(moves)
        whole = np.zeros(still.shape, np.int32)
        whole[:, moving], exact = to_hundredths(still[:, moving])
        for row, batch in enumerate(self._batches):
            for part in batch.moving:
                own = np.searchsorted(moving, _within(part.positions, begin, end) - begin)
                exact[row, own] = True  # only looks as if it stood still
        wide[moving] |= ~exact.all(axis=0)
        return whole, moves | wide, wide

    def _hundredths(self, begin: int, by_tick: IntArray, still: Int32Array) -> Int32Array:
        """Hundredths (series, ticks) of the series ``begin + by_tick``."""
        columns = np.empty((len(by_tick), sum(len(batch.times) for batch in self._batches)), np.int32)
        tick = 0
        for batch, row in zip(self._batches, still, strict=True):
            ticks = columns[:, tick : tick + len(batch.times)]
            chosen = begin + by_tick
            if not any(part.has_all(chosen) for part in batch.moving):
                ticks[...] = row[by_tick][:, None]
            for part in batch.moving:
                part.fill(ticks, chosen)
            tick += len(batch.times)
        return columns

    def _encode_wide(self, columns: IntArray) -> tuple[Summary, list[bytes]]:
        return encode_series(np.ascontiguousarray(self._numbers(columns).T))

    def _numbers(self, columns: IntArray) -> FloatArray:
        """Numbers (ticks, len(columns)) of some series."""
        values = np.empty((sum(len(batch.times) for batch in self._batches), len(columns)))
        tick = 0
        for batch in self._batches:
            batch.fill(columns, values[tick : tick + len(batch.times)])
            tick += len(batch.times)
        return values


def _within(positions: IntArray, begin: int, end: int) -> IntArray:
    first, last = np.searchsorted(positions, (begin, end))
    return positions[first:last]


def _as_slice(places: IntArray) -> IntArray | slice:
    """Increasing places as a slice where they lie together, which is copied in half the time."""
    if len(places) and places[-1] - places[0] == len(places) - 1:
        return slice(int(places[0]), int(places[-1]) + 1)
    return places


def _matches(some: IntArray, others: IntArray) -> tuple[IntArray, IntArray]:
    """Where in ``some`` what is in ``others`` lies, and where it lies there; both are increasing."""
    if not len(others):
        return others, others
    target = np.minimum(np.searchsorted(others, some), len(others) - 1)
    there = np.flatnonzero(others[target] == some)
    return there, target[there]


def _merged(
    still: FloatArray, parts: list[tuple[IntArray, Summary, list[bytes]]]
) -> tuple[Summary, list[bytes]]:
    """Summary and chunks of all series, from those of some positions and what stands still elsewhere."""
    shape = np.full(len(still), np.uint8(CONSTANT))
    constants = still.copy()
    for positions, summary, _ in parts:
        shape[positions] = summary.shape
        constants[positions[summary.shape == CONSTANT]] = summary.constants
    places = np.concatenate([positions[summary.shape == VARYING] for positions, summary, _ in parts])
    order = np.argsort(places)
    chunks = [chunk for *_, blobs in parts for chunk in blobs]
    merged = Summary(
        shape=shape,
        constants=constants[shape == CONSTANT],
        count=np.concatenate([summary.count for _, summary, _ in parts])[order],
        minimum=np.concatenate([summary.minimum for _, summary, _ in parts])[order],
        maximum=np.concatenate([summary.maximum for _, summary, _ in parts])[order],
        total=np.concatenate([summary.total for _, summary, _ in parts])[order],
    )
    return merged, [chunks[at] for at in order.tolist()]
