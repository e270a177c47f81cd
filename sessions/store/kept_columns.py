"""Keeps decoded columns of blocks while something reads the same ones several times, as a comparison does."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from sessions.model import FloatArray, IntArray
from sessions.store.segments import Segment

Part = tuple[Segment, IntArray]
"""A block and positions of series in its layout."""
KEPT_BYTES = 96 << 20
"""Most memory of all kept columns: a block of 10,000 series takes 10 to 20 MB."""


class KeptColumns:
    """Columns by segment and position in its layout; what is beyond KEPT_BYTES is decoded each time."""

    def __init__(self, limit_bytes: int = KEPT_BYTES) -> None:
        self._left = limit_bytes
        self._values: dict[int, FloatArray] = {}
        self._known: dict[int, NDArray[np.bool_]] = {}

    def get(
        self, parts: Sequence[Part], decode: Callable[[Sequence[Part]], list[FloatArray]]
    ) -> list[FloatArray]:
        """Return the columns (len(positions), ticks) of each part, a block and positions in its layout;
        ``decode`` those that are not kept yet.
        """
        wanted = [(segment, self._new(segment, positions)) for segment, positions in parts]
        decoded = decode([part for part in wanted if part[1].size])
        new = iter(decoded)
        found = []
        for (segment, positions), (_, unknown) in zip(parts, wanted, strict=True):
            values = next(new) if unknown.size else None
            kept = self._values.get(segment.id)
            if kept is not None:
                if values is not None:
                    kept[unknown] = values
                    self._known[segment.id][unknown] = True
                values = kept[positions]
            found.append(np.empty((0, segment.ticks)) if values is None else values)
        return found

    def _new(self, segment: Segment, positions: IntArray) -> IntArray:
        """The positions that are to be decoded: all of them if there is no room to keep them."""
        number = segment.id
        if number not in self._values and not self._has_room(
            number, (segment.layout.ids.size, segment.ticks)
        ):
            return positions
        return positions[~self._known[number][positions]]

    def _has_room(self, segment: int, shape: tuple[int, int]) -> bool:
        size = shape[0] * shape[1] * 8
        if size > self._left:
            return False
        self._left -= size
        self._values[segment] = np.empty(shape)
        self._known[segment] = np.zeros(shape[0], np.bool_)
        return True
