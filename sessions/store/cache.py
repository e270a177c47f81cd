"""Decoded arrays that the next read is likely to want again, within a bound of memory."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

Value = TypeVar("Value")


class Cache(Generic[Value]):
    """Values by the id of the segment that they were decoded from; the least recently used go first.

    Ids of segments are never used again, so an entry never goes stale.
    """

    def __init__(self, limit_bytes: int, arrays: Callable[[Value], tuple[NDArray[Any], ...]]) -> None:
        self._entries: OrderedDict[int, Value] = OrderedDict()
        self._limit, self._bytes, self._arrays = limit_bytes, 0, arrays

    def get(self, segment: int, make: Callable[[], Value]) -> Value:
        """The segment's value, made when it is not there."""
        if segment in self._entries:
            self._entries.move_to_end(segment)
            return self._entries[segment]
        value = make()
        self._entries[segment] = value
        self._bytes += self._size(value)
        while self._bytes > self._limit and len(self._entries) > 1:
            self._bytes -= self._size(self._entries.popitem(last=False)[1])
        return value

    def _size(self, value: Value) -> int:
        return int(np.sum([array.nbytes for array in self._arrays(value)]))
