"""Merges pieces of a timeline: each time once; where pieces overlap, the value written later counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeVar

import numpy as np

from sessions.distinct import distinct
from sessions.model import FloatArray, IntArray


class Placed(Protocol):
    """Values of some series at some times: row i of them belongs to row ``rows[i]`` of the result.

    ``times`` and ``rows`` are strictly increasing.
    """

    @property
    def times(self) -> IntArray:
        """Instants, ms."""

    @property
    def rows(self) -> IntArray:
        """Rows of the result."""


PieceT = TypeVar("PieceT", bound=Placed)


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


def merge(
    pieces: Sequence[PieceT], height: int, load: Callable[[Sequence[PieceT]], Iterable[FloatArray]]
) -> tuple[IntArray, FloatArray]:
    """Merge all pieces, given in the order of writing, into one timeline.

    ``load`` gives the values (len(rows), len(times)) of pieces in their order, NaN where absent; what it has
    given is not kept, so that memory holds the result and what ``load`` loads at once. Returns strictly
    increasing times and values (height, len(times)), NaN where no piece has one.
    """
    by_start = sorted(pieces, key=lambda piece: int(piece.times[0]))
    times = np.concatenate([piece.times for piece in by_start]) if pieces else np.zeros(0, np.int64)
    if (np.diff(times) > 0).all():
        return times, _laid_out(by_start, load(by_start), height, times.size)
    times = distinct(times)
    values = np.full((height, times.size), np.nan)
    for piece, loaded in zip(pieces, load(pieces), strict=True):
        target = np.ix_(piece.rows, np.searchsorted(times, piece.times))
        values[target] = np.where(np.isnan(loaded), values[target], loaded)
    return times, values


def _laid_out(pieces: Sequence[Placed], loaded: Iterable[FloatArray], height: int, width: int) -> FloatArray:
    values = np.empty((height, width))
    begin = 0
    for piece, its_values in zip(pieces, loaded, strict=True):
        part = values[:, begin : begin + piece.times.size]
        if piece.rows.size == height:
            part[...] = its_values
        else:
            part[...] = np.nan
            part[piece.rows] = its_values
        begin += piece.times.size
    return values
