"""Keeps decoded columns of blocks while something reads the same ones several times, as a comparison does."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sessions.model import FloatArray, IntArray

KEPT_BYTES = 96 << 20
"""Most memory of all kept columns: a block of 10,000 series takes 10 to 20 MB."""


class KeptColumns:
    """Columns by segment and position in its layout; what is beyond KEPT_BYTES is decoded each time."""

    def __init__(self, limit_bytes: int = KEPT_BYTES) -> None:
        self._left = limit_bytes
        self._values: dict[int, FloatArray] = {}
        self._known: dict[int, NDArray[np.bool_]] = {}

    def get(
        self,
        segment: int,
        shape: tuple[int, int],
        positions: IntArray,
        decode: Callable[[IntArray], FloatArray],
    ) -> FloatArray:
        """Return the columns (len(positions), ticks) of a segment of ``shape`` (series, ticks); ``decode``
        those at positions that are not kept yet.
        """
        if segment not in self._values and not self._has_room(segment, shape):
            return decode(positions)
        values, known = self._values[segment], self._known[segment]
        new = positions[~known[positions]]
        if new.size:
            values[new] = decode(new)
            known[new] = True
        found: FloatArray = values[positions]
        return found

    def _has_room(self, segment: int, shape: tuple[int, int]) -> bool:
        size = shape[0] * shape[1] * 8
        if size > self._left:
            return False
        self._left -= size
        self._values[segment] = np.empty(shape)
        self._known[segment] = np.zeros(shape[0], np.bool_)
        return True
