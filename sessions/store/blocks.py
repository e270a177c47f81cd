"""A block: some ticks of a layout, as one chunk for each series that varies, with statistics of all series.

``encode_block`` has no side effects and its result can be pickled, so that worker processes can encode. A
series that is constant in the block, or absent, needs no chunk. Chunks of few ticks compress badly: with less
than ``MIN_BLOCK_TICKS`` ticks the block is stored as a *strip*, whole rows in one blob, as arriving ticks
are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sessions.model import FloatArray, IntArray
from sessions.store.chunks import Coding, encode_floats, encode_integers, pack_presence
from sessions.store.codec import (
    MAX_DECIMALS,
    MAX_EXACT,
    pack_bytes,
    pack_floats,
    pack_ints,
    summable,
    unsigned,
)
from sessions.store.merging import in_order

MIN_BLOCK_TICKS = 24
MAX_BLOCK_TICKS = 1 << 16
BLOCK_TICKS = 256

VARYING, CONSTANT, ABSENT = 0, 1, 2

SLAB_VALUES = 1 << 18
DELTA_GAIN = 0.85  # of the mean step to the mean deviation; between white noise (1.4) and AR(0.8) (0.63)


@dataclass(frozen=True, slots=True)
class Summary:
    """Statistics of a block's varying series, in their order, and the kind of all other series.

    ``shape`` uint8 for every series of the layout: VARYING, CONSTANT or ABSENT. ``constants`` has one value
    for each CONSTANT. ``count``, ``minimum``, ``maximum`` and ``total`` have one for each VARYING. In stored
    units.
    """

    shape: NDArray[np.uint8]
    constants: FloatArray
    count: IntArray
    minimum: FloatArray
    maximum: FloatArray
    total: FloatArray


@dataclass(frozen=True, slots=True)
class EncodedBlock:
    """Ticks of a layout, ready to be written: either ``rows`` (a strip) or chunks with their summary.

    ``positions`` are the places in the layout of the series that have a chunk; chunk i is
    ``data[ends[i-1]:ends[i]]``. ``summary`` holds the packed arrays of Summary in its order.
    """

    start: int
    end: int
    ticks: int
    series: int
    samples: int
    times: bytes
    rows: bytes = b""
    summary: tuple[bytes, ...] = ()
    positions: IntArray | None = None
    ends: IntArray | None = None
    data: bytes = b""

    def chunks(self) -> Iterator[tuple[int, bytes]]:
        """Yield (position in the layout, blob) of each chunk."""
        if self.positions is None or self.ends is None:
            return
        begin = 0
        for position, end in zip(self.positions.tolist(), self.ends.tolist(), strict=True):
            yield position, self.data[begin:end]
            begin = end


def encode_block(times: IntArray, stored: FloatArray) -> EncodedBlock:
    """Encode ``stored`` (len(times), n_series), NaN where absent; ``times`` in milliseconds.

    Ticks may come in any order; of equal times the later row wins where it has a value. Infinite values
    (and those over 1e290, whose sums would be) count as absent. Raises ValueError for shapes that do not fit,
    no ticks, or more than MAX_BLOCK_TICKS.
    """
    times = np.asarray(times, np.int64)
    if times.ndim != 1 or stored.ndim != 2 or stored.shape[0] != times.size:
        raise ValueError(f"a block of {times.shape} times and {stored.shape} values")
    if not 0 < times.size <= MAX_BLOCK_TICKS:
        raise ValueError(f"a block of {times.size} ticks")
    times, stored = in_order(times, stored)
    if times.size < MIN_BLOCK_TICKS:
        return _strip(times, stored)
    return _columns(times, stored)


def _strip(times: IntArray, stored: FloatArray) -> EncodedBlock:
    rows = np.where(summable(stored), stored, np.nan)
    samples = int(np.count_nonzero(~np.isnan(rows)))
    ends = int(times[0]), int(times[-1])
    return EncodedBlock(*ends, times.size, stored.shape[1], samples, pack_ints(times), pack_floats(rows))


def _columns(times: IntArray, stored: FloatArray) -> EncodedBlock:
    ticks, series = stored.shape
    slab = max(1, SLAB_VALUES // ticks)
    parts: list[Summary] = []
    chunks: list[bytes] = []
    for begin in range(0, series, slab):
        columns = np.ascontiguousarray(stored[:, begin : begin + slab].T, np.float64) + 0.0
        summary, blobs = encode_series(columns)
        parts.append(summary)
        chunks += blobs
    return assemble(times, join(parts), chunks)


def assemble(times: IntArray, summary: Summary, chunks: list[bytes]) -> EncodedBlock:
    """Return the block made of the summary of all series of a layout and the chunks of the
    varying ones, in order.
    """
    constant = int(np.count_nonzero(summary.shape == CONSTANT))
    return EncodedBlock(
        start=int(times[0]),
        end=int(times[-1]),
        ticks=times.size,
        series=summary.shape.size,
        samples=int(summary.count.sum()) + constant * times.size,
        times=pack_ints(times),
        summary=pack_summary(summary),
        positions=np.flatnonzero(summary.shape == VARYING),
        ends=np.cumsum(np.array([len(chunk) for chunk in chunks], np.int64)),
        data=b"".join(chunks),
    )


def join(parts: list[Summary]) -> Summary:
    """Return one summary for consecutive groups of series."""
    if not parts:
        none, some = np.zeros(0), np.zeros(0, np.int64)
        return Summary(np.zeros(0, np.uint8), none, some, none, none, none)
    return Summary(
        shape=np.concatenate([part.shape for part in parts]),
        constants=np.concatenate([part.constants for part in parts]),
        count=np.concatenate([part.count for part in parts]),
        minimum=np.concatenate([part.minimum for part in parts]),
        maximum=np.concatenate([part.maximum for part in parts]),
        total=np.concatenate([part.total for part in parts]),
    )


def pack_summary(summary: Summary) -> tuple[bytes, ...]:
    """Return the blobs of a block's row, in the order of Summary's fields."""
    return (
        pack_bytes(summary.shape),
        pack_floats(summary.constants),
        pack_ints(summary.count, level=3),
        pack_floats(summary.minimum),
        pack_floats(summary.maximum),
        pack_floats(summary.total),
    )


def encode_series(columns: FloatArray) -> tuple[Summary, list[bytes]]:
    """Encode ``columns`` (series, ticks), without -0.0: return their summary, and the chunks of
    those that vary.
    """
    low, high = columns.min(axis=1), columns.max(axis=1)  # NaN where any tick is absent
    constant = (low == high) & summable(low)
    shape = np.where(constant, np.uint8(CONSTANT), np.uint8(VARYING))
    others = np.flatnonzero(~constant)
    some = columns[others]
    present = summable(some)
    count = present.sum(axis=1)
    shape[others[count == 0]] = ABSENT
    varies = count > 0
    some, present, count = some[varies], present[varies], count[varies]
    least = np.where(present, some, np.inf).min(axis=1, initial=np.inf)
    most = np.where(present, some, -np.inf).max(axis=1, initial=-np.inf)
    total, chunks = _encode_varying(some, present)
    return Summary(shape, low[constant], count, least, most, total), chunks


def _encode_varying(columns: FloatArray, present: NDArray[np.bool_]) -> tuple[FloatArray, list[bytes]]:
    """Totals and chunks of columns that vary; each as integers of the fewest decimals that hold it."""
    total = np.zeros(len(columns))
    chunks = [b""] * len(columns)
    filled = np.where(present, columns, 0.0)
    for places, rows, whole in _by_decimals(filled):
        _encode_whole(places, rows, whole, present[rows], chunks)
        total[rows] = whole.sum(axis=1) / 10**places
    for row in (row for row, chunk in enumerate(chunks) if not chunk):
        values = columns[row][present[row]]
        total[row] = values.sum()
        chunks[row] = encode_floats(values, presence=_presence(present[row]))
    return total, chunks


def _by_decimals(columns: FloatArray) -> Iterator[tuple[int, IntArray, IntArray]]:
    """Groups of rows that the same number of decimals holds exactly: places, which rows, the integers."""
    left = np.arange(len(columns))
    bound = min(MAX_EXACT, 2**62 // columns.shape[1])  # sums stay within int64, too
    for places in range(MAX_DECIMALS + 1):
        if not left.size:
            return
        some = columns[left]
        whole = np.rint(some * 10**places)
        exact = np.logical_and(np.abs(whole) < bound, whole / 10**places == some).all(axis=1)
        if exact.any():
            yield places, left[exact], whole[exact].astype(np.int64)
        left = left[~exact]


def _encode_whole(
    places: int, rows: IntArray, whole: IntArray, present: NDArray[np.bool_], chunks: list[bytes]
) -> None:
    full = (~present).sum(axis=1) == 0
    low = np.where(present, whole, np.iinfo(np.int64).max).min(axis=1)
    span = np.where(present, whole, np.iinfo(np.int64).min).max(axis=1) - low
    delta = _delta_pays(whole)
    codes = whole - low[:, None]
    for i, row in enumerate(rows.tolist()):
        values = codes[i] if full[i] else codes[i][present[i]]
        chunks[row] = encode_integers(
            values.astype(unsigned(int(span[i]))),
            int(low[i]),
            places,
            coding=Coding.DIFFERENCES if delta[i] else Coding.VALUES,
            presence=b"" if full[i] else _presence(present[i]),
        )


def _delta_pays(whole: IntArray) -> NDArray[np.bool_]:
    """Whether neighbours are closer to each other than to the mean, so that differences are smaller."""
    steps = np.abs(np.diff(whole, axis=1)).mean(axis=1)
    spread = np.abs(whole - whole.mean(axis=1, keepdims=True)).mean(axis=1)
    pays: NDArray[Any] = steps < DELTA_GAIN * spread
    return pays


def _presence(present: NDArray[np.bool_]) -> bytes:
    return b"" if present.all() else pack_presence(present)
