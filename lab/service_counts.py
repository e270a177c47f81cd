"""Counts that only grow: what the API's esxtop service tells of the lab, from rates and shares of time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sessions.model import FloatArray, IntArray

BoolArray = NDArray[np.bool_]


class Counts:
    """Whole numbers (n,) by name that grow by fractions, none of which is lost."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._exact: dict[str, FloatArray] = {}

    def __getitem__(self, name: str) -> IntArray:
        return np.floor(self._values(name)).astype(np.int64)

    def lists(self) -> dict[str, list[int]]:
        """Return all counts by name."""
        return {name: self[name].tolist() for name in self._exact}

    def start(self, name: str, at: FloatArray | float) -> None:
        """Begin a count at ``at``: a host that runs for long has counted before."""
        self._values(name)[...] = at

    def grow(self, name: str, by: FloatArray) -> FloatArray:
        """Add to a count, and return by how many whole ones it grew."""
        before = self[name]
        values = self._values(name)
        values += np.maximum(by, 0.0)
        return (self[name] - before).astype(np.float64)

    def set(self, name: str, values: IntArray) -> None:
        """Give a count a value that follows from others."""
        self._values(name)[...] = values

    def restart(self, which: BoolArray) -> None:
        """Begin anew with what has come back."""
        for values in self._exact.values():
            values[which] = 0.0

    def _values(self, name: str) -> FloatArray:
        if name not in self._exact:
            self._exact[name] = np.zeros(self.size)
        return self._exact[name]
