"""Merges pieces of a timeline: each time once; where pieces overlap, the value written later counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from sessions.distinct import distinct
from sessions.model import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class Piece:
    """Values of some series at some times: row i of what ``load`` returns belongs to row
    ``rows[i]`` of the result.

    ``times`` and ``rows`` are strictly increasing; ``load`` returns values (len(rows), len(times)), NaN where
    absent.
    """

    times: IntArray
    rows: IntArray
    load: Callable[[], FloatArray]


def in_order(times: IntArray, stored: FloatArray) -> tuple[IntArray, FloatArray]:
    """Sort rows by time and merge those of equal times; return strictly increasing times and ``stored``
    (times, series).

    Of equal times the later row counts; values that it lacks are taken from the earlier one.
    """
    if (np.diff(times) > 0).all():
        return times, stored
    unique, inverse = np.unique(times, return_inverse=True)
    merged = np.full((unique.size, stored.shape[1]), np.nan)
    for row, values in zip(inverse.tolist(), stored, strict=True):
        np.copyto(merged[row], values, where=np.isfinite(values))
    return unique, merged


def merge(pieces: Sequence[Piece], height: int) -> tuple[IntArray, FloatArray]:
    """Merge all pieces, given in the order of writing, into one timeline.

    Returns strictly increasing times and values (height, len(times)), NaN where no piece has one. Pieces are
    loaded one at a time, so that memory holds the result and one piece.
    """
    by_start = sorted(pieces, key=lambda piece: int(piece.times[0]))
    times = np.concatenate([piece.times for piece in by_start]) if pieces else np.zeros(0, np.int64)
    if (np.diff(times) > 0).all():
        return times, _laid_out(by_start, height, times.size)
    times = distinct(times)
    values = np.full((height, times.size), np.nan)
    for piece in pieces:
        loaded = piece.load()
        target = np.ix_(piece.rows, np.searchsorted(times, piece.times))
        values[target] = np.where(np.isnan(loaded), values[target], loaded)
    return times, values


def _laid_out(pieces: Sequence[Piece], height: int, width: int) -> FloatArray:
    values = np.empty((height, width))
    begin = 0
    for piece in pieces:
        part = values[:, begin : begin + piece.times.size]
        if piece.rows.size == height:
            part[...] = piece.load()
        else:
            part[...] = np.nan
            part[piece.rows] = piece.load()
        begin += piece.times.size
    return values
